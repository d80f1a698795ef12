/* A queue is a stream: operations that finish in the order of their submission.
 *
 * An operation may also depend on operations of other queues (event waits, the legacy stream's implicit order); it is
 * ready when it is at the head of its queue and all of those have finished. What an event remembers is an operation,
 * so a later record never disturbs a wait. A queue has one thread, started with its first operation that cannot
 * finish at once; in seeded mode it has none (schedule.h). Everything here is guarded by the machine's lock. */
#ifndef BATON_DRIVER_SOFT_QUEUE_H
#define BATON_DRIVER_SOFT_QUEUE_H

#include "driver/soft/program.h"

/* The handle of a stream. When that one is destroyed, the next stream created gets it. */
struct soft_slot {
    struct soft_slot *next;
};

/* "When the operation that lists me is done, `dependent` has one less to wait for." */
struct soft_edge {
    struct soft_operation *dependent;
    struct soft_edge *next;
};

/* A host thread that waits for an operation; on its stack. */
struct soft_waiter {
    pthread_cond_t done;
    struct soft_waiter *next;
};

struct soft_operation {
    int references;                 /* the queue until it is done; events, blocks, waiters */
    int done;
    struct soft_waiter *waiters;    /* to be woken when it is done */
    int fault;                      /* sticky code to raise instead of running */
    uint32_t unmet;                 /* dependencies that are not done */
    struct soft_queue *queue;       /* valid until done */
    struct soft_operation *next;
    struct soft_task *task;         /* NULL: only a place in the order */
    struct soft_edge *dependents;
    struct soft_clock clock;        /* records only: the queue's clock at the record */
    struct soft_edge edges[];       /* storage for the operations this one depends on */
};

struct soft_queue {
    struct soft_handle handle;      /* of streams that were created; key NULL for legacy and per-thread ones */
    struct soft_context *context;
    struct soft_slot *slot;
    unsigned long long id;
    unsigned int flags;
    int destroyed, running;
    struct soft_operation *head, *tail;
    struct soft_operation *last;    /* the newest, kept until it is done; NULL: idle */
    struct soft_queue *previous, *next;

    int started;
    pthread_t thread;
    pthread_cond_t wake;

    struct soft_capture *capture;   /* retained */
    struct soft_set after;          /* captured nodes that its next one comes behind */

    uint32_t clock_slot;
    struct soft_clock clock;
    uint64_t host_version;          /* of the host clock that was joined */
};

/* The stream behind a handle, special ones included. Its context's sticky code comes first. */
int soft_queue_get(driver_stream handle, struct soft_queue **queue);
/* The queue of a stream that was created, NULL when there is none. A handle whose stream was destroyed is a problem. */
struct soft_queue *soft_queue_find(driver_stream handle);
int soft_queue_new(struct soft_context *context, unsigned int flags, struct soft_queue **queue);
/* Makes sure that the queue has its thread (threaded mode). */
int soft_queue_start(struct soft_queue *queue);
/* Work still pending runs; the queue goes away with the last of it. */
void soft_queue_drop(struct soft_queue *queue);
/* Joins the threads of queues that have gone. Lock not held. */
void soft_queue_reap(void);

/* Appends an operation, its uses checked; takes the task over (NULL: none) when it succeeds. `after` (NULL: none) is
 * one more dependency. With `operation`, the caller gets a reference and the operation a copy of the queue's clock. */
int soft_queue_push(struct soft_queue *queue, struct soft_task *task, struct soft_operation *after,
                    struct soft_operation **operation);
/* The queue's next operation to run, NULL when there is none or it is not ready. */
struct soft_operation *soft_queue_ready(struct soft_queue *queue);
/* Runs it; gives the lock up meanwhile. The queue may be gone afterwards. */
void soft_queue_run(struct soft_queue *queue, struct soft_operation *operation);

void soft_operation_release(struct soft_operation *operation);
/* Blocks, with the lock given up, until it is done. */
int soft_operation_wait(struct soft_operation *operation);
/* Waits for all that is submitted to the queue by now. */
int soft_queue_wait(struct soft_queue *queue);
int soft_queue_busy(const struct soft_queue *queue);

/* The whole path of a row that submits work: capture, check, queue. Takes the task over, also when it fails. */
int soft_submit(struct soft_queue *queue, struct soft_task *task);

static inline int soft_queue_legacy(const struct soft_queue *queue)
{
    return queue == queue->context->legacy;
}

static inline int soft_queue_blocking(const struct soft_queue *queue)
{
    return !(queue->flags & DRIVER_STREAM_NON_BLOCKING);
}

#endif
