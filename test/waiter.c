/* The library's own headers come first: Check has a macro named fail. */
#include "array/array.h"
#include "base/process.h"

#include "waiter.h"

#include <sched.h>
#include <unistd.h>

/* A test that waits longer than this for something to be seen has failed. */
static const uint64_t PATIENCE_NS = 15000000000u;

static void *run(void *argument)
{
    struct waiter *waiter = argument;
    atomic_store(&waiter->id, (uint64_t)gettid());
    waiter->body(waiter->argument);
    atomic_store(&waiter->returned, 1);
    return NULL;
}

void waiter_start(struct waiter *waiter, void (*body)(void *), void *argument)
{
    waiter->body = body;
    waiter->argument = argument;
    atomic_init(&waiter->id, 0);
    atomic_init(&waiter->returned, 0);
    ck_assert_int_eq(pthread_create(&waiter->thread, NULL, run, waiter), 0);
}

void waiter_join(struct waiter *waiter)
{
    ck_assert_int_eq(pthread_join(waiter->thread, NULL), 0);
    ck_assert_int_eq(atomic_load(&waiter->returned), 1);
}

struct seen {
    int blocked, asked;
};

static void look_at(struct seen *seen, const struct instrument_call *call)
{
    int synchronize = call->row == DRIVER_ROW_event_synchronize || call->row == DRIVER_ROW_stream_synchronize || call->row == DRIVER_ROW_host_free;
    seen->blocked |= synchronize && call->code == INSTRUMENT_RUNNING;
    seen->asked += call->row == DRIVER_ROW_event_query && call->code == DRIVER_NOT_READY;
}

static struct seen look(const struct waiter *waiter)
{
    static struct instrument_call calls[4096];
    struct seen seen = { 0, 0 };
    size_t count = instrument_journal(calls, sizeof calls / sizeof *calls);
    for (size_t i = 0; i < count; i++)
        if (calls[i].thread == atomic_load(&waiter->id))
            look_at(&seen, &calls[i]);
    return seen;
}

static void expect_seen(struct waiter *waiter, int (*is_seen)(struct waiter *, void *), void *what, const char *name)
{
    uint64_t end = process_now() + PATIENCE_NS;
    while (!is_seen(waiter, what)) {
        if (atomic_load(&waiter->returned))
            ck_abort_msg("the call returned: it should be %s", name);
        if (process_now() > end)
            ck_abort_msg("the call was never seen %s", name);
        sched_yield();
    }
    ck_assert_int_eq(atomic_load(&waiter->returned), 0);
}

static int is_blocked(struct waiter *waiter, void *what)
{
    (void)what;
    return look(waiter).blocked;
}

static int is_asking(struct waiter *waiter, void *what)
{
    (void)what;
    return look(waiter).asked >= 2;
}

static int is_parked(struct waiter *waiter, void *what)
{
    const baton_array *array = what;
    (void)waiter;
    return atomic_load(&lock_parked[lock_bucket(&array->memory->lock)]) != 0;
}

void waiter_expect_blocked(struct waiter *waiter)
{
    expect_seen(waiter, is_blocked, NULL, "in the driver's synchronize");
}

void waiter_expect_asking(struct waiter *waiter)
{
    expect_seen(waiter, is_asking, NULL, "asking the driver");
}

void waiter_expect_parked(struct waiter *waiter, baton_array *array)
{
    expect_seen(waiter, is_parked, array, "parked on the memory's lock");
}

void must_wait(void (*body)(void *), void *argument, baton_gate *gate)
{
    struct waiter waiter;
    waiter_start(&waiter, body, argument);
    waiter_expect_blocked(&waiter);
    open_gate(gate);
    waiter_join(&waiter);
}

struct use_of {
    baton_array *array;
    baton_stream *stream;
    int32_t value, status;
    uint64_t address;
    baton_error error;
};

static void run_fill(void *argument)
{
    struct use_of *use = argument;
    use->status = baton_fill(use->array, &use->value, sizeof use->value, use->stream, &use->error);
}

void fill_must_wait(baton_array *array, int32_t value, baton_stream *stream, baton_gate *gate)
{
    struct use_of use = { .array = array, .stream = stream, .value = value, .error = BATON_ERROR_INIT };
    must_wait(run_fill, &use, gate);
    ck_assert_msg(use.status == BATON_OK, "%s", use.error.message);
}

static void run_pointer(void *argument)
{
    struct use_of *use = argument;
    use->status = baton_array_pointer(use->array, use->stream, BATON_READ_WRITE, &use->address, &use->error);
}

void pointer_must_wait(baton_array *array, baton_stream *stream, baton_gate *gate)
{
    struct use_of use = { .array = array, .stream = stream, .error = BATON_ERROR_INIT };
    must_wait(run_pointer, &use, gate);
    ck_assert_msg(use.status == BATON_OK, "%s", use.error.message);
    ck_assert_uint_ne(use.address, 0);
}

void expect_busy(baton_stream *stream)
{
    ck_assert_int_eq(baton_stream_query(stream, &error), BATON_NOT_READY);
}

void streams_release_all(baton_stream *const *streams, size_t count)
{
    for (size_t i = 0; i < count; i++)
        baton_stream_release(streams[i]);
}

void arrays_release_all(baton_array *const *arrays, size_t count)
{
    baton_array_release_n(arrays, count);
}
