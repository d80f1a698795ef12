/* The machine: what is open, the one lock over all bookkeeping, contexts, and which of them is current on a thread.
 *
 * Every row enters with soft_enter and goes out with soft_leave; between them the machine's lock is held. Work never
 * runs under it. */
#ifndef BATON_DRIVER_SOFT_MACHINE_H
#define BATON_DRIVER_SOFT_MACHINE_H

#include <pthread.h>

#include "driver/soft/handle.h"
#include "driver/soft/soft.h"

enum { SOFT_DEVICES = 16, SOFT_STACK = 32, SOFT_SLOTS = 4096, SOFT_TEXT = 256 };

/* For each queue slot, the highest tick known to be followed. Grows on demand; a missing entry is 0. */
struct soft_clock {
    uint64_t *ticks;
    uint32_t count;
};

struct soft_context {
    struct soft_handle handle;
    int device;
    int retained;                   /* primary references; 0: not active */
    int sticky;                     /* the code that every later call returns */
    uint32_t peers;                 /* bit per device whose memory may be touched */
    unsigned long long id;          /* new at each activation */
    struct soft_queue *legacy;
    struct soft_queue *queues;      /* all of this context, destroyed ones too until they are drained */
};

/* Everything is guarded by lock. */
struct soft_machine {
    pthread_mutex_t lock;
    pthread_cond_t progress;        /* a queue has gone; seeded mode: an operation has finished */
    int references, devices, initialized;
    uint64_t generation;            /* one per opening: what a thread remembers of an earlier one is void */
    uint64_t memory;                /* bytes per device */
    uint32_t barred[SOFT_DEVICES];  /* bit per peer that cannot be reached */
    uint64_t used[SOFT_DEVICES];    /* bytes taken from the device, cached blocks included */
    unsigned long long identifiers; /* the last id given to a context or a queue */
    struct soft_context contexts[SOFT_DEVICES];
    struct soft_handle *handles;

    struct soft_slot *slots;        /* handles of destroyed streams, the newest first */
    struct soft_queue *zombies;     /* drained, the thread to be joined */
    struct soft_capture *captures;  /* begun and not ended */
    struct soft_pool *pools;
    struct soft_block *doomed;      /* plain allocations freed in the order of a stream */
    struct soft_block **blocks;     /* by address */
    size_t block_count, block_capacity;

    uint64_t seed, next_seed;       /* 0: threads */
    uint64_t random;
    int running;                    /* operations that calling threads are in, seeded mode */

    uint64_t ticks[SOFT_SLOTS];     /* last tick of each clock slot, over all queues that have had it */
    unsigned char busy[SOFT_SLOTS]; /* the slot is some queue's that is not drained */
    uint32_t slot_count, slot_next;
    struct soft_clock host;         /* what host waits have shown to be finished */
    uint64_t host_version;
    uint64_t problems;
    char problem[SOFT_TEXT];
};

struct soft_thread {
    uint64_t generation;
    uint64_t id;                    /* never reused */
    int depth;
    int inside;                     /* in a host function or kernel: no driver call may be made */
    driver_capture_mode mode;
    struct soft_context *stack[SOFT_STACK];
    struct soft_queue *own[SOFT_DEVICES];   /* per-thread streams */
    unsigned long long own_ids[SOFT_DEVICES];   /* id of the context that each belongs to */
};

extern struct soft_machine soft_machine;

/* The calling thread's state in this opening of the machine. Lock held. */
struct soft_thread *soft_thread(void);
/* Marks the calling thread as inside user code; returns the old value. No lock needed. */
int soft_thread_inside(int inside);

/* Takes the lock (always) and says whether a call may be made. */
int soft_enter(void);
/* Gives the lock back and returns `code`. */
int soft_leave(int code);

/* The context current on the calling thread: INVALID_CONTEXT without one, its sticky code when it is poisoned. */
int soft_context_get(struct soft_context **context);
struct soft_context *soft_context_top(void);
/* Waits for all work of the context that is submitted by now; gives the lock up meanwhile. */
int soft_context_drain(struct soft_context *context);

static inline int soft_device_valid(int device)
{
    return device >= 0 && device < soft_machine.devices;
}

#endif
