/* Julia's runtime, as far as a C library meets it, for a machine without Julia: threads that run Julia code are GC-unsafe; a call that was
 * declared gc_safe is not; the collector stops the world, and so needs every other thread in a safe call or at a safepoint; what nothing refers to is
 * finalized afterwards, on whichever thread comes by. Calls of the library are made as bindings/julia/src/api.jl declares them (julia/calls.h).
 *
 * A wrong declaration shows itself in two ways: the collector names the call for which it waited in vain, and a driver call of a thread that is
 * GC-unsafe is a problem, whether it waited this time or not. */
#ifndef BATON_TEST_JULIA_RUNTIME_H
#define BATON_TEST_JULIA_RUNTIME_H

#include <stdint.h>

#include "julia/calls.h"

#define JULIA_SAFE_ROW(function, safe) JULIA_SAFE_##function = safe,
enum { JULIA_CALLS(JULIA_SAFE_ROW) };
#undef JULIA_SAFE_ROW

/* A collection that has not stopped the world by then has failed. */
#define JULIA_LIMIT_NS UINT64_C(10000000000)

/* The calling thread becomes Julia's first. Collections and the places of finalizers are drawn from the seed. */
void julia_start(uint64_t seed);
/* Collects what was dropped until it is finalized, and ends. Other threads have left. */
void julia_stop(void);

/* From here to julia_leave the thread runs Julia code: GC-unsafe. Entering waits while the world is stopped. */
void julia_enter(void);
void julia_leave(void);
/* Stops here while there is a collection. Julia has one in each loop and allocation. */
void julia_safepoint(void);
/* An allocation: a safepoint, and now and then the collection itself. */
void julia_allocate(void);
/* Others run; the task may go on on another thread. */
void julia_yield(void);

/* Stops the world, finds what was dropped, lets the world go on, and finalizes: here, and on a thread that runs nothing else. NULL; or where a
 * thread was that did not come in time: the name of the library's function, or "Julia code". */
const char *julia_collect(uint64_t limit_ns);
/* GC.gc(): comes back when all that was dropped before is finalized. */
const char *julia_collect_all(uint64_t limit_ns);

/* An object with a finalizer, which is called once after julia_drop: by then nothing refers to it. */
struct julia_object;
struct julia_object *julia_object(void *handle, void (*finalizer)(void *handle));
void julia_drop(struct julia_object *object);

/* What happened until julia_stop. Finalizers: on the thread that collected, and on the other. */
struct julia_counts {
    uint64_t collections, finalized_here, finalized_elsewhere, safe_calls, unsafe_calls;
};
struct julia_counts julia_counts(void);
/* The first thing that a real Julia would have died of; "" if nothing. */
const char *julia_problem(void);

/* From now on this function is called as if it had not been declared gc_safe: what the harness must find. NULL: none is. */
void julia_undeclare(const char *function);

/* A call of the library, as api.jl makes it. */
#define julia_call(function, ...)                                   \
    ({                                                              \
        julia_call_begin(#function, JULIA_SAFE_##function);         \
        __auto_type julia_result = function(__VA_ARGS__);           \
        julia_call_end();                                           \
        julia_result;                                               \
    })
#define julia_call_void(function, ...)                              \
    do {                                                            \
        julia_call_begin(#function, JULIA_SAFE_##function);         \
        function(__VA_ARGS__);                                      \
        julia_call_end();                                           \
    } while (0)
void julia_call_begin(const char *function, int safe);
void julia_call_end(void);

#endif
