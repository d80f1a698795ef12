/* The driver as an instrument: every call journalled, counted, and failed on demand, whichever driver is underneath.
 *
 * Off by default and then free of cost. instrument_wrap puts itself in front of a driver for the whole process; tests use
 * it as their evidence (which calls were made, in which order, with which result). Thread-safe. */
#ifndef BATON_DRIVER_INSTRUMENT_H
#define BATON_DRIVER_INSTRUMENT_H

#include "driver/driver.h"

enum { INSTRUMENT_RUNNING = -1 };   /* no driver code: the call has not returned yet */

struct instrument_call {
    uint64_t sequence;      /* 1, 2, 3 … over all rows, in the order in which the calls began */
    enum driver_row row;
    int code;               /* what the call returned, or INSTRUMENT_RUNNING */
    uint64_t thread;        /* gettid of the caller */
    void *stream;           /* the row's stream argument, or the stream that it made; NULL when it has none */
    void *event;            /* the row's event argument, likewise */
};

/* Runtimes opened after instrument_enable(1) see the driver through the instrument; 0 stops that for later ones. */
void instrument_enable(int on);
const struct driver *instrument_wrap(const struct driver *driver);

/* Clears counters, journal and fault plans. */
void instrument_reset(void);

/* Calls made since the last reset: one row, or all rows (DRIVER_ROW_COUNT). Calls that a fault plan failed count too. */
uint64_t instrument_count(enum driver_row row);

/* Calls of the row that succeeded, and calls of any row that told of a lost context, since the process began: a reset
 * does not touch these. */
uint64_t instrument_succeeded(enum driver_row row);
uint64_t instrument_lost(void);

/* Copies up to `capacity` of the newest journal entries (at most 4096 are kept), oldest first; returns how many. */
size_t instrument_journal(struct instrument_call *calls, size_t capacity);

/* The n-th next call of `row` (n = 1: the very next) returns `code` and does nothing. One plan per row; n = 0 takes it
 * back. `every`: all calls from the n-th on fail. */
void instrument_fail(enum driver_row row, uint64_t n, int code, int every);

/* The n-th next call of any row fails: the walk of the fault tests. */
void instrument_fail_any(uint64_t n, int code);

/* The n-th next call of any row first runs `function` on its own thread, with no lock of the instrument held. Once; n = 0 takes it back. */
void instrument_stop(uint64_t n, void (*function)(void));

/* `watch` is called as each call begins, on the calling thread, with no lock held, until another takes its place; NULL: none.
 * It must not call the driver. */
void instrument_watch(void (*watch)(enum driver_row row));

/* How many planned failures have happened since the reset. */
uint64_t instrument_failures(void);

#endif
