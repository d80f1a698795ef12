/* Captures and graphs. A capture gathers nodes from the queues that take part, in a graph that is its own until it
 * ends. */
#ifndef BATON_DRIVER_SOFT_CAPTURE_H
#define BATON_DRIVER_SOFT_CAPTURE_H

#include "driver/soft/queue.h"

struct soft_capture {
    int references;                 /* queues and events */
    driver_capture_mode mode;
    driver_capture_status status;   /* NONE: ended */
    driver_capture_id id;
    uint64_t thread;                /* that began it */
    struct soft_queue *origin;
    struct soft_graph *graph;       /* owned; NULL: ended */
    struct soft_capture *next;
};

struct soft_graph {                 /* both graphs and executables */
    struct soft_handle handle;
    struct soft_context *context;
    struct soft_program *program;   /* of an executable: a copy */
    const struct soft_capture *capture;     /* that owns it; NULL: the application does */
};

/* Takes the program over, also when it fails; NULL: no memory. */
int soft_graph_new(enum soft_kind kind, struct soft_context *context, struct soft_program *program,
                   struct soft_graph **graph);
void soft_graph_delete(struct soft_graph *graph);

void soft_capture_release(struct soft_capture *capture);
/* Adds a node behind what the queue follows; from then on it follows the node. Retains the task. */
int soft_capture_add(struct soft_queue *queue, struct soft_task *task, struct soft_event *event);
/* The queue follows these nodes of its capture, too. */
int soft_capture_follow(struct soft_queue *queue, const struct soft_set *after);
void soft_capture_invalidate(struct soft_capture *capture);
/* The queue joins a capture behind the nodes; it must not be in one. */
int soft_capture_join(struct soft_queue *queue, struct soft_capture *capture, const struct soft_set *after);
/* The queue leaves its capture, which cannot succeed any more. */
void soft_capture_leave(struct soft_queue *queue);

/* For calls that a capture may not see: invalidates what forbids it and says STREAM_CAPTURE_UNSUPPORTED. */
int soft_capture_forbids(void);
/* For calls on the legacy stream: invalidates captures of the context's blocking streams and says
 * STREAM_CAPTURE_IMPLICIT. */
int soft_capture_implicit(const struct soft_queue *queue);
/* For queries and waits on a queue: a capturing one may not be asked. */
int soft_capture_unasked(struct soft_queue *queue);

#endif
