/* The runtime: one per embedding. It knows its driver, its devices, its hooks and its counts, and keeps what was released until it can be given
 * back. Every object made through it holds a reference on it, so that it outlives baton_runtime_close as long as they do. */
#ifndef BATON_STREAM_RUNTIME_H
#define BATON_STREAM_RUNTIME_H

#include "base/deferred.h"
#include "base/handle.h"
#include "base/process.h"
#include "base/trace.h"
#include "driver/driver.h"

struct device;
struct watch;

/* Kept per stream, so that counting shares no cache line between streams; summed when they are read. */
enum counter { COUNT_OPERATIONS, COUNT_DEVICE_WAITS, COUNT_RECORDS, COUNT_SAME, COUNT_COVERED, COUNT_COMPLETE, COUNTERS };

struct counters {
    _Atomic uint64_t value[COUNTERS];
};

struct baton_runtime {
    struct handle handle;
    const struct driver *driver;
    baton_runtime_options options;          /* fixed at birth */
    char reason[232];                       /* why "auto" is not CUDA */
    int driver_version;                     /* fixed at birth */
    _Atomic uint32_t captures;              /* under way: nothing is given back meanwhile (C9) */
    _Atomic int closed;                     /* hooks are no longer called */
    _Atomic uint32_t services;              /* devices that have a service stream */
    int32_t device_count;
    struct device *devices;                 /* device_count of them */
    struct deferred_stack deferred;
    struct trace trace;
    struct watch *watch;                    /* the thread behind fence descriptors; see watch.h */
    pthread_mutex_t watch_lock;             /* guards watch */
    baton_runtime *next;                    /* process-wide list; guarded by its lock */

    struct counters retired;                /* of streams that are gone */
    _Atomic uint64_t host_waits[BATON_HOST_WAIT_CAUSES];
    _Atomic uint64_t host_blocked_ns, allocations, frees, freed_bytes, made_arrays, ended_arrays, faults_swallowed, longest_lock_wait_ns;
    _Atomic uint64_t graph_launches, graph_memories, graph_waits;
};

/* NULL handles and dead ones are errors; so is a forked process. */
int32_t runtime_check(baton_runtime *runtime, baton_error *err);

/* The last reference gives the driver back: only where driver calls are allowed. */
void runtime_retain(baton_runtime *runtime);
void runtime_release(baton_runtime *runtime);

/* Queues an object for the next drain: no lock, no allocation, no driver call. */
void runtime_defer(baton_runtime *runtime, struct deferred *node);

/* Gives back what is ready, at most `most` (0: everything), also of closed runtimes. Returns how many objects. */
uint64_t runtime_drain(baton_runtime *runtime, uint64_t most);
/* The same in another way (deferred_drain_by). Nonzero when something is left that waits for a drain now. */
static inline int runtime_drain_by(baton_runtime *runtime, uint64_t most, enum deferred_result (*reclaim)(struct deferred *node))
{
    if (process_forked() || atomic_load(&runtime->captures) || !deferred_any(&runtime->deferred))
        return 0;
    deferred_drain_by(&runtime->deferred, most, reclaim);
    return deferred_any(&runtime->deferred);
}

/* A call that gives something back failed: there is nobody to tell but the statistics. */
void runtime_swallow(baton_runtime *runtime, int code);

/* Where a lock keeps others from the same counter: cheaper. */
static inline void counters_add_locked(struct counters *counters, enum counter counter, uint64_t n)
{
    uint64_t old = atomic_load_explicit(&counters->value[counter], memory_order_relaxed);
    atomic_store_explicit(&counters->value[counter], old + n, memory_order_relaxed);
}

static inline void counters_add(struct counters *counters, enum counter counter, uint64_t n)
{
    atomic_fetch_add_explicit(&counters->value[counter], n, memory_order_relaxed);
}

#endif
