/* What a task of Julia's does in one step, as the functions of bindings/julia/src do it. */
#ifndef BATON_TEST_JULIA_STEPS_H
#define BATON_TEST_JULIA_STEPS_H

#include <stdatomic.h>

#include "julia_runtime.h"
#include "support.h"

enum { ARRAYS = 4, COUNT = 64, GARBAGE = 4096, STEPS = 6 };

struct task {
    int number;
    baton_stream *stream;
    uint64_t random;
    baton_error error;
};

/* Of all tasks; an array's elements are the number of increments so far. */
extern baton_array *arrays[ARRAYS];
extern baton_kernel *increment;
extern _Atomic int expected[ARRAYS], held, ladders;

extern void (*const steps[STEPS])(struct task *task);
int draw(struct task *task, int below);

/* As status() of errors.jl: where another task holds the array, others run, and the call is made again. */
#define status(task, function, ...)                                                                                 \
    do {                                                                                                            \
        int32_t status_code;                                                                                        \
        while ((status_code = julia_call(function, __VA_ARGS__, &(task)->error)) == BATON_WOULD_BLOCK) {            \
            atomic_fetch_add(&held, 1);                                                                             \
            julia_yield();                                                                                          \
        }                                                                                                           \
        ck_assert_msg(status_code >= 0, "%s: %s", #function, (task)->error.message);                                \
    } while (0)

/* A Julia object that nothing refers to once the function that made it has ended. */
#define GARBAGE_OF(kind, handle) julia_drop(julia_object((handle), kind##_finalizer))
void array_finalizer(void *handle);
void stream_finalizer(void *handle);

/* One increment, in the scope if there is one. */
void launch_on(struct task *task, int array, baton_scope *scope);
/* An array of GARBAGE elements: memory may be short, but of garbage only. */
baton_array *create(struct task *task);

#endif
