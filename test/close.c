/* Closing a runtime: what is alive stays valid and usable, and whoever drains later gives it back. */
#include "census.h"
#include "outside.h"
#include "waiter.h"

enum { COUNT = 100 };

static baton_runtime *reopen(void)
{
    baton_runtime *made;
    baton_runtime_options options = { .struct_size = sizeof options, .driver = needs_driver() };
    ok(baton_runtime_open(&options, &made, &error));
    return made;
}

static uint64_t live_allocations(void)
{
    return census_read().allocations;
}

/* O9 */
START_TEST(arrays_outlive_their_runtime)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a), *view;
    baton_kernel *kernel = make_add_one(0);
    fill(array, 1, a);
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
    fill(array, 2, b);
    expect(array, 2, a);
    view = make_view(array, 0, 50);
    ok(add_one(kernel, view, view, b, &error));
    expect(view, 3, a);
    ck_assert_uint_eq(live_allocations(), 1);
    arrays_release(array, view);
    streams_release(a, b);
    baton_kernel_release(kernel);
    runtime = reopen();
    ok(baton_drain(runtime, 0, NULL, &error));      /* of any runtime */
    ck_assert_uint_eq(live_allocations(), 0);
}
END_TEST

/* O9: what a closed runtime leaves behind is given back by a close too. */
START_TEST(leftovers_are_given_back_by_another_runtimes_close)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    baton_runtime *other = reopen();
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
    fill(array, 1, s);
    baton_array_release(array);
    baton_stream_release(s);
    ck_assert_uint_eq(live_allocations(), 1);
    ok(baton_runtime_close(other, &error));
    ck_assert_uint_eq(live_allocations(), 0);
}
END_TEST

/* O9: what is ready is given back by the close itself. */
START_TEST(a_close_gives_back_what_was_released)
{
    baton_stream *s = make_stream();
    for (int32_t kind = BATON_DEVICE; kind <= BATON_UNIFIED; kind++) {
        baton_array *array = make_array_of(kind, COUNT, s);
        fill(array, 1, s);
        baton_array_release(array);
    }
    baton_gate *gate = close_gate(s);
    baton_stream_release(s);
    open_gate(gate);
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
    ck_assert_uint_eq(live_allocations(), 0);
}
END_TEST

/* O9, P4: the drain asks anew about a stream that foreign code had an address for; the close waits for the answer. */
START_TEST(a_close_gives_back_escaped_memory)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array_of(BATON_HOST, COUNT, s);
    uint64_t address;
    ok(baton_array_pointer(array, s, BATON_WRITE, &address, &error));
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    baton_array_release(array);
    baton_stream_release(s);
    instrument_fail(DRIVER_ROW_event_query, 1, DRIVER_NOT_READY, 0);
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
    ck_assert_uint_eq(instrument_failures(), 1);
    ck_assert_uint_eq(live_allocations(), 0);
}
END_TEST

/* O9: the legacy stream's memory is given back in the order of a stream of the device's own, which is made for it after the close and ends with the runtime. */
START_TEST(what_the_legacy_stream_used_last_is_given_back_after_the_close)
{
    baton_stream *legacy, *s = make_stream();
    ok(baton_stream_wrap(runtime, 0, BATON_STREAM_LEGACY, &legacy, &error));
    baton_array *array = make_array(COUNT, legacy);
    baton_runtime *other = reopen();
    fill(array, 1, legacy);
    ok(baton_stream_synchronize(legacy, BATON_WAIT_AUTO, &error));
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
    baton_array_release(array);
    baton_stream_release(legacy);
    baton_stream_release(s);
    ok(baton_runtime_close(other, &error));         /* the teardown counts what is left */
}
END_TEST

static void close_runtime(void *argument)
{
    ok(baton_runtime_close(argument, &error));
}

START_TEST(a_close_waits_for_the_runtimes_streams)
{
    baton_stream *s = make_stream();
    baton_gate *gate = close_gate(s);
    must_wait(close_runtime, runtime, gate);
    runtime = NULL;
    baton_stream_release(s);
    runtime = reopen();
    ok(baton_drain(runtime, 0, NULL, &error));
}
END_TEST

/* E1 */
START_TEST(a_second_close_is_an_error)
{
    baton_stream *s = make_stream();                /* keeps the runtime's object */
    ok(baton_runtime_close(runtime, &error));
    refused(BATON_ERR_CLOSED, baton_runtime_close(runtime, &error));
    refused(BATON_ERR_ARGUMENT, baton_runtime_close(NULL, &error));
    refused(BATON_ERR_HANDLE, baton_runtime_close((baton_runtime *)(void *)s, &error));
    baton_stream_release(s);
    runtime = reopen();
    ok(baton_drain(runtime, 0, NULL, &error));
}
END_TEST

static int hook_calls;
static int32_t count_hook(void *user)
{
    (void)user;
    hook_calls++;
    return 0;
}

static void synchronize(void *argument)
{
    ok(baton_array_synchronize(argument, BATON_WAIT_BLOCK, &error));
}

START_TEST(hooks_are_not_called_after_the_close)
{
    baton_runtime_options options = { .struct_size = sizeof options,
                                      .before_block = count_hook,
                                      .after_block = count_hook };
    support_reopen(&options);
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    baton_gate *gate = close_gate(s);
    fill(array, 1, s);
    hook_calls = 0;
    must_wait(synchronize, array, gate);
    ck_assert_int_eq(hook_calls, 2);
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
    hook_calls = 0;
    gate = close_gate(s);
    fill(array, 1, s);
    must_wait(synchronize, array, gate);
    ck_assert_int_eq(hook_calls, 0);
    baton_array_release(array);
    baton_stream_release(s);
    runtime = reopen();
    ok(baton_drain(runtime, 0, NULL, &error));
}
END_TEST

/* C9: also from a drain of another runtime's. */
START_TEST(leftovers_wait_for_the_end_of_their_runtimes_captures)
{
    baton_stream *s = make_stream(), *captured = make_stream();
    baton_array *array = make_array(COUNT, s);
    ok(baton_runtime_close(runtime, &error));
    runtime = reopen();
    ok(baton_capture_begin(captured, BATON_CAPTURE_GLOBAL, &error));
    baton_array_release(array);
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(live_allocations(), 1);
    ok(baton_capture_abandon(captured, &error));
    streams_release(s, captured);
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(live_allocations(), 0);
}
END_TEST

/* O9: what is given back on a stream of the library's own. */
START_TEST(leftovers_of_special_streams_leave_nothing_behind)
{
    baton_stream *legacy = outside_wrap(DRIVER_STREAM_LEGACY, 0);
    baton_array *array = make_array(COUNT, legacy);
    ok(baton_runtime_close(runtime, &error));
    runtime = reopen();
    arrays_release(array);
    streams_release(legacy);
    ok(baton_drain(runtime, 0, NULL, &error));
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(live_allocations(), 0);
    ck_assert_uint_eq(census_read().streams, 0);
}
END_TEST

SUPPORT_MAIN("close", 60, leftovers_wait_for_the_end_of_their_runtimes_captures, leftovers_of_special_streams_leave_nothing_behind,
             arrays_outlive_their_runtime, leftovers_are_given_back_by_another_runtimes_close,
             a_close_gives_back_what_was_released, a_close_gives_back_escaped_memory, what_the_legacy_stream_used_last_is_given_back_after_the_close,
             a_close_waits_for_the_runtimes_streams, a_second_close_is_an_error,
             hooks_are_not_called_after_the_close)
