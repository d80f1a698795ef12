/* Calls that must wait for the device, made on threads of their own and watched from the test.
 *
 * That a call waits is shown by the journal, where its thread stands inside the driver's synchronize (or a free of pinned
 * memory, which waits for the whole device) while a gate is closed, and by the call not having returned before the gate was opened. Nothing here sleeps. */
#ifndef BATON_TEST_WAITER_H
#define BATON_TEST_WAITER_H

#include <pthread.h>
#include <stdatomic.h>

#include "support.h"

struct waiter {
    void (*body)(void *);
    void *argument;
    pthread_t thread;
    _Atomic uint64_t id;        /* as the journal names the thread; 0: not running yet */
    _Atomic int returned;
};

/* body(argument) begins on a new thread. */
void waiter_start(struct waiter *waiter, void (*body)(void *), void *argument);
/* Comes back once the thread stands in the driver's synchronize; fails the test when body returns first. */
void waiter_expect_blocked(struct waiter *waiter);
/* Comes back once the thread has asked the driver at least twice whether the work is done, in vain. */
void waiter_expect_asking(struct waiter *waiter);
/* Comes back once somebody is parked on the lock of the array's memory. */
void waiter_expect_parked(struct waiter *waiter, baton_array *array);
/* Ends the thread: what it waits for has been let go. */
void waiter_join(struct waiter *waiter);

/* body waits while the gate is closed, and returns once it is open. */
void must_wait(void (*body)(void *), void *argument, baton_gate *gate);
/* The same for a fill, which must succeed. */
void fill_must_wait(baton_array *array, int32_t value, baton_stream *stream, baton_gate *gate);
/* The same for baton_array_pointer with read-write access. */
void pointer_must_wait(baton_array *array, baton_stream *stream, baton_gate *gate);

/* While gates are closed: work on the stream has been submitted and not finished. */
void expect_busy(baton_stream *stream);

/* Give back one reference on each; NULLs are allowed. */
#define streams_release(...)                                                    \
    streams_release_all((baton_stream *const[]) { __VA_ARGS__ },                \
                        sizeof((baton_stream *const[]) { __VA_ARGS__ }) / sizeof(baton_stream *))
#define arrays_release(...)                                                     \
    arrays_release_all((baton_array *const[]) { __VA_ARGS__ },                  \
                       sizeof((baton_array *const[]) { __VA_ARGS__ }) / sizeof(baton_array *))
void streams_release_all(baton_stream *const *streams, size_t count);
void arrays_release_all(baton_array *const *arrays, size_t count);

#endif
