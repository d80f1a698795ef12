/* A call on a thread of its own that is expected to wait for the device: the evidence is the driver's journal. */
#ifndef BATON_TEST_WAITER_H
#define BATON_TEST_WAITER_H

#include <pthread.h>
#include <stdatomic.h>

#include "support.h"

struct waiter {
    pthread_t thread;
    void (*body)(void *argument);
    void *argument;
    _Atomic uint64_t number;        /* the kernel's, as in the journal; 0: not running yet */
    _Atomic int returned;
};

void waiter_start(struct waiter *waiter, void (*body)(void *argument), void *argument);

/* Returns once that thread is seen inside the driver's wait; fails the test when it returns instead, or never gets there. */
void waiter_expect_waiting(struct waiter *waiter);

/* Checks that the call still waits, opens the gate, and joins. */
void waiter_expect_held(struct waiter *waiter, baton_gate *gate);

void waiter_join(struct waiter *waiter);

/* Entries of `row` in the journal on that native stream (NULL: any), after entry number `after`; *last, unless NULL, becomes the newest one's number. */
size_t journal_find(enum driver_row row, const void *stream, uint64_t after, uint64_t *last);

#endif
