#include "waiter.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_S = 15, NEWEST = 256 };

static void *waiter_run(void *argument)
{
    struct waiter *waiter = argument;
    atomic_store(&waiter->number, (uint64_t)gettid());
    waiter->body(waiter->argument);
    atomic_store(&waiter->returned, 1);
    return NULL;
}

void waiter_start(struct waiter *waiter, void (*body)(void *argument), void *argument)
{
    *waiter = (struct waiter) { .body = body, .argument = argument };
    ck_assert_int_eq(pthread_create(&waiter->thread, NULL, waiter_run, waiter), 0);
}

static int inside_wait(uint64_t thread)
{
    static struct instrument_call calls_made[NEWEST];
    size_t count = instrument_journal(calls_made, NEWEST);
    for (size_t i = 0; i < count; i++)
        if (calls_made[i].thread == thread && calls_made[i].code == INSTRUMENT_RUNNING &&
            (calls_made[i].row == DRIVER_ROW_event_synchronize || calls_made[i].row == DRIVER_ROW_stream_synchronize))
            return 1;
    return 0;
}

void waiter_expect_waiting(struct waiter *waiter)
{
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        uint64_t thread = atomic_load(&waiter->number);
        ck_assert_msg(!atomic_load(&waiter->returned), "the call returned instead of waiting");
        if (thread && inside_wait(thread))
            return;
        sched_yield();
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - start.tv_sec < PATIENCE_S);
    ck_abort_msg("the call is not inside the driver's wait");
}

void waiter_expect_held(struct waiter *waiter, baton_gate *gate)
{
    waiter_expect_waiting(waiter);
    ck_assert_int_eq(atomic_load(&waiter->returned), 0);
    open_gate(gate);
    waiter_join(waiter);
}

void waiter_join(struct waiter *waiter)
{
    ck_assert_int_eq(pthread_join(waiter->thread, NULL), 0);
}

size_t journal_find(enum driver_row row, const void *stream, uint64_t after, uint64_t *last)
{
    static struct instrument_call all[4096];
    size_t count = instrument_journal(all, sizeof all / sizeof *all), found = 0;
    for (size_t i = 0; i < count; i++)
        if (all[i].row == row && all[i].sequence > after && (!stream || all[i].stream == stream)) {
            found++;
            if (last)
                *last = all[i].sequence;
        }
    return found;
}
