/* Captures and graphs. A capture gathers nodes from the queues that take part; ending it makes a program, which
 * graphs and executables share.
 *
 * Nodes are kept in the order of capture, which is a topological order: a launch runs them one after the other as one
 * operation. */
#ifndef BATON_DRIVER_SOFT_CAPTURE_H
#define BATON_DRIVER_SOFT_CAPTURE_H

#include "driver/soft/queue.h"

struct soft_event;

struct soft_node {
    struct soft_task *task;         /* retained; NULL: join or event wait */
    struct soft_event *event;       /* event wait; looked up again by handle at launch */
    int after[2];                   /* indices of earlier nodes, -1: none */
};

struct soft_program {
    int references;
    int device;
    int count, capacity;
    struct soft_node *nodes;
};

struct soft_capture {
    int references;                 /* queues and events */
    driver_capture_mode mode;
    driver_capture_status status;   /* NONE: ended */
    uint64_t thread;                /* that began it */
    struct soft_queue *origin;
    struct soft_program *program;
    struct soft_capture *next;
};

struct soft_graph {                 /* both graphs and executables */
    struct soft_handle handle;
    struct soft_context *context;
    struct soft_program *program;
};

/* Retains the program. */
int soft_graph_new(enum soft_kind kind, struct soft_context *context, struct soft_program *program, void **graph);
void soft_graph_delete(struct soft_graph *graph);

struct soft_program *soft_program_new(int device);
int soft_program_joined(const struct soft_program *program, int last);
/* Makes the queue follow the events that the program waits for. */
int soft_program_follow(const struct soft_program *program, struct soft_queue *queue);
void soft_program_release(struct soft_program *program);
void soft_program_run(const struct soft_program *program);
void soft_capture_release(struct soft_capture *capture);
/* Adds a node behind the queue's newest one and `other` (-1: none). Retains the task. */
int soft_capture_add(struct soft_queue *queue, struct soft_task *task, struct soft_event *event, int other);
void soft_capture_invalidate(struct soft_capture *capture);
/* The queue joins a capture at a node; it must not be in one. */
void soft_capture_join(struct soft_queue *queue, struct soft_capture *capture, int node);
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
