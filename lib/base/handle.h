/* The head of every public object: what kind it is, and how many references keep it.
 *
 * Retain and release are one atomic operation each: no lock, no allocation, no driver call. In debug builds a freed object stays readable for a
 * while (a bounded quarantine), so that the use of a freed handle is an error status instead of undefined behaviour. */
#ifndef BATON_BASE_HANDLE_H
#define BATON_BASE_HANDLE_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/status.h"

enum handle_kind {
    HANDLE_DEAD = 0x64656164,
    HANDLE_RUNTIME = 0x62720001, HANDLE_STREAM, HANDLE_ARRAY, HANDLE_SCOPE, HANDLE_FENCE, HANDLE_MODULE, HANDLE_KERNEL, HANDLE_GATE, HANDLE_GRAPH, HANDLE_EXECUTABLE, HANDLE_MEMORY
};

struct handle {
    _Atomic uint32_t kind;
    _Atomic uint32_t references;
};

/* One reference, owned by the caller. */
void handle_init(struct handle *handle, enum handle_kind kind);

/* BATON_ERR_HANDLE instead of bringing a dead object back to life. */
int32_t handle_retain(struct handle *handle, enum handle_kind kind);

/* Marks the object dead: every later use is refused, as long as it can be read. */
static inline void handle_end(struct handle *handle)
{
    atomic_store_explicit(&handle->references, 0, memory_order_relaxed);
    atomic_store_explicit(&handle->kind, HANDLE_DEAD, memory_order_relaxed);
}

/* The end of an object that came from malloc: marks it dead, then frees it (debug builds: after a while). */
void handle_free(struct handle *handle);

/* Whether freed objects stay readable for a while, so that none may be used again at once. */
#ifdef BATON_DEBUG
enum { HANDLES_STAY_READABLE = 1 };
#else
enum { HANDLES_STAY_READABLE = 0 };
#endif

/* True for a handle that is alive and of that kind. */
static inline int handle_is(const struct handle *handle, enum handle_kind kind)
{
    return handle && atomic_load_explicit(&handle->kind, memory_order_relaxed) == (uint32_t)kind &&
           atomic_load_explicit(&handle->references, memory_order_relaxed) != 0;
}

/* BATON_ERR_HANDLE, naming `what`, unless the handle is alive and of that kind. */
__attribute__((cold)) int32_t handle_refuse(const struct handle *handle, const char *what, baton_error *err);
static inline int32_t handle_check(const struct handle *handle, enum handle_kind kind, const char *what, baton_error *err)
{
    return handle_is(handle, kind) ? BATON_OK : handle_refuse(handle, what, err);
}

/* Nonzero when this was the last reference: the caller now disposes of the object. Zero too for NULL and dead handles. */
static inline int handle_release(struct handle *handle, enum handle_kind kind)
{
    return handle_is(handle, kind) && atomic_fetch_sub_explicit(&handle->references, 1, memory_order_acq_rel) == 1;
}

#endif
