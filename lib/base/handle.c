#include "base/handle.h"

#include <stdlib.h>

void handle_init(struct handle *handle, enum handle_kind kind)
{
    atomic_init(&handle->references, 1);
    atomic_init(&handle->kind, (uint32_t)kind);
}

int32_t handle_refuse(const struct handle *handle, const char *what, baton_error *err)
{
    if (!handle)
        return fail(err, BATON_ERR_ARGUMENT, "%s is NULL", what);
    return fail(err, BATON_ERR_HANDLE, "%s is not a live handle of that kind", what);
}

int32_t handle_retain(struct handle *handle, enum handle_kind kind)
{
    if (!handle)
        return BATON_ERR_ARGUMENT;
    if (!handle_is(handle, kind))
        return BATON_ERR_HANDLE;
    uint32_t old = atomic_load_explicit(&handle->references, memory_order_relaxed);
    do {
        if (old == 0 || old == UINT32_MAX)
            return BATON_ERR_HANDLE;
    } while (!atomic_compare_exchange_weak_explicit(&handle->references, &old, old + 1, memory_order_relaxed,
                                                    memory_order_relaxed));
    return BATON_OK;
}

#ifdef BATON_DEBUG
#include <pthread.h>

/* The newest freed objects, oldest first. */
enum { QUARANTINE = 4096 };
static pthread_mutex_t quarantine_lock = PTHREAD_MUTEX_INITIALIZER;
static void *quarantine[QUARANTINE];    /* guarded by quarantine_lock */
static size_t quarantine_next;          /* guarded by quarantine_lock */

static void *quarantine_swap(void *freed)
{
    pthread_mutex_lock(&quarantine_lock);
    void *oldest = quarantine[quarantine_next];
    quarantine[quarantine_next] = freed;
    quarantine_next = (quarantine_next + 1) % QUARANTINE;
    pthread_mutex_unlock(&quarantine_lock);
    return oldest;
}
#else
static void *quarantine_swap(void *freed)
{
    return freed;
}
#endif

void handle_free(struct handle *handle)
{
    handle_end(handle);
    free(quarantine_swap(handle));
}
