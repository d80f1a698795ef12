/* A device of a runtime: its primary context and pool, made at its first use, and whether it still can be used. */
#ifndef BATON_STREAM_DEVICE_H
#define BATON_STREAM_DEVICE_H

#include <pthread.h>

#include "base/process.h"
#include "driver/builtin.h"
#include "stream/runtime.h"

struct blocker;
struct cache;

struct device {
    baton_runtime *runtime;                 /* not retained: the runtime owns its devices */
    const struct driver *driver;
    int32_t ordinal;
    _Atomic int ready;                      /* the members up to pool are fixed once this is 1 */
    pthread_mutex_t lock;                   /* guards making them, and `service` */
    driver_device native;
    driver_context context;                 /* primary, retained */
    driver_pool pool;
    int priority_least, priority_greatest;
    baton_stream *service;                  /* the device's own stream; one reference */
    struct blocker *blockers;               /* idle; guarded by lock; see blocker.h */
    driver_module builtin, arithmetic;      /* the library's own kernels; NULL until first used; guarded by lock */
    _Atomic(driver_function) builtins[BUILTIN_KERNELS];     /* their functions; NULL until first used */

    _Atomic uint64_t limit_bytes;
    _Atomic uint64_t held_bytes;            /* allocated and not given back to the pool */
    _Atomic uint64_t dropped_bytes;         /* of these: released, and not given back otherwise than to the cache; cache_put_bytes more than now wait for a drain */
    _Atomic int poisoned;                   /* 0, 1 while the record is being written, 2 */
    baton_error poison;                     /* the first report; fixed once poisoned is 2 */
    _Atomic(struct cache *) cache;          /* of memory blocks (memory/cache.h), made at the first release; with it the two calls below are set */
    void (*cache_shrink)(struct device *device, uint64_t keep_bytes);
    void (*cache_destroy)(struct device *device);
    /* Written with the cache's lock held: bytes in it (of those held), how many blocks it took in and handed out, and how many of these with an array's handle. */
    _Atomic uint64_t cached_bytes, cache_puts, cache_put_bytes, cache_hits, cache_handles;
    void *gate_flags;                       /* pinned words of gates that have ended, each holding the address of the next: given back with the device, for
                                             * the driver waits until all is idle before it frees one; guarded by lock */
    _Atomic unsigned char *peers;           /* one per device of the driver: DEVICE_...; written with lock held */
};

/* The device, ready for use: its context is retained and its pool made. May block on the driver. */
int32_t device_get(baton_runtime *runtime, int32_t ordinal, struct device **device, baton_error *err);
void device_destroy(struct device *device);

/* Keeps DEVICE_FLAG_BYTES of pinned memory, which nobody uses, for the next gate. */
enum { DEVICE_FLAG_BYTES = 64 };
void device_keep_flag(struct device *device, void *flag);

/* Gives cached blocks back to the pool, as far as they can be. */
void device_empty_cache(struct device *device);

/* BATON_ERR_FORKED, or the first fault again: no driver call is made then. Two loads. */
__attribute__((cold)) int32_t device_unusable(struct device *device, baton_error *err);
static inline int32_t device_usable(struct device *device, baton_error *err)
{
    if (!process_forked() && atomic_load_explicit(&device->poisoned, memory_order_acquire) != 2)
        return BATON_OK;
    return device_unusable(device, err);
}

/* Around calls that need a context or could break somebody's capture: makes the device's context current and relaxes this thread's capture
 * mode; leave puts both back. leave only after a successful enter. */
struct device_entry {
    int pushed;
    driver_capture_mode mode;
};
int32_t device_enter(struct device *device, struct device_entry *entry, baton_error *err);
void device_leave(struct device *device, const struct device_entry *entry);

/* A driver's result as a status. `row` is the call that returned it, `operation` what the caller was doing, stream may be NULL. A sticky code poisons the
 * device: the first report names the suspects (E2). */
__attribute__((cold)) int32_t device_failed(struct device *device, int code, enum driver_row row, int32_t operation, baton_stream *stream,
                      baton_error *err);
static inline int32_t device_status(struct device *device, int code, enum driver_row row, int32_t operation, baton_stream *stream,
                                    baton_error *err)
{
    return code ? device_failed(device, code, row, operation, stream, err) : BATON_OK;
}

/* What a function of the caller's returned, not zero, becomes the call's status: with the report of the loss when that is what it says. */
__attribute__((cold)) int32_t device_returned(struct device *device, int32_t result, const char *what, baton_error *err);

/* Bytes that wait to be given back. */
static inline uint64_t device_deferred_bytes(struct device *device)
{
    uint64_t put = atomic_load(&device->cache_put_bytes), dropped = atomic_load(&device->dropped_bytes);
    return dropped > put ? dropped - put : 0;
}

/* Bytes in use: held, and neither waiting to be given back nor in the cache. */
static inline uint64_t device_live_bytes(struct device *device)
{
    uint64_t unused = device_deferred_bytes(device) + atomic_load(&device->cached_bytes), held = atomic_load(&device->held_bytes);
    return held > unused ? held - unused : 0;
}

/* Same driver and same device, also when two runtimes opened it. */
static inline int device_same(const struct device *a, const struct device *b)
{
    return a == b || (a->driver == b->driver && a->ordinal == b->ordinal);
}

/* Makes `peer`'s memory reachable from work on `device` (S12): BATON_ERR_PEER, naming both, when that is impossible. Driver calls at the first use of a
 * pair only. */
enum {
    DEVICE_REACHES = 1,     /* of `device`, about `peer`: its context has access to the peer's */
    DEVICE_REACHED_BY = 2   /* of `peer`, about `device`: its pool lets that device in, which contexts' access says nothing about */
};
int32_t device_reach(struct device *device, struct device *peer, baton_error *err);

#endif
