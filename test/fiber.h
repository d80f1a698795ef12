/* Tasks that are no threads: each runs on whatever thread takes it up, and moves to another at every yield. They stand for the tasks and coroutines of language
 * runtimes, which begin on one thread and end on another. */
#ifndef BATON_TEST_FIBER_H
#define BATON_TEST_FIBER_H

#include <stdint.h>

typedef void (*fiber_body)(void *argument);

/* Runs `count` tasks on `threads` threads until all have ended or were abandoned; the order is drawn from the seed. With more than one thread a task that yields goes on on
 * another thread. */
void fibers_run(const fiber_body *bodies, void *const *arguments, int count, int threads, uint64_t seed);

/* Inside a task: lets others run. Outside of one: does nothing. Returns 0, so that it can be a yield hook. */
int32_t fiber_yield(void *user);

/* Inside a task: never comes back, as a coroutine that is cancelled and collected. */
void fiber_abandon(void);

/* Inside a task: how many times it went on on another thread. */
int fiber_moves(void);

#endif
