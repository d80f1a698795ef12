/* Gates: they hold one stream, open once, and are given back when the device has let go of them. */
#include "census.h"
#include "waiter.h"

enum { COUNT = 100 };

static void drain(void)
{
    ok(baton_drain(runtime, 0, NULL, &error));
}

START_TEST(a_gate_holds_its_stream_and_no_other)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *x = make_array(COUNT, a), *y = make_array(COUNT, b);
    baton_gate *gate = close_gate(a);
    fill(x, 1, a);
    fill(y, 2, b);
    expect(y, 2, b);
    expect_busy(a);
    ok(baton_gate_open(gate, &error));
    ok(baton_gate_open(gate, &error));              /* idempotent */
    expect(x, 1, a);
    baton_gate_release(gate);
    arrays_release(x, y);
    streams_release(a, b);
}
END_TEST

START_TEST(work_before_the_gate_is_not_held)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    baton_fence *fence;
    fill(array, 1, s);
    ok(baton_array_fence(array, &fence, &error));
    baton_gate *gate = close_gate(s);
    ok(baton_fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_AUTO, &error));
    expect_busy(s);
    open_gate(gate);
    baton_fence_release(fence);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

static void synchronize(void *argument)
{
    ok(baton_stream_synchronize(argument, BATON_WAIT_AUTO, &error));
}

START_TEST(every_gate_of_a_stream_must_open)
{
    baton_stream *s = make_stream();
    baton_gate *first = close_gate(s), *second = close_gate(s);
    open_gate(second);
    must_wait(synchronize, s, first);
    baton_stream_release(s);
}
END_TEST

START_TEST(a_released_gate_is_open)
{
    baton_stream *s = make_stream();
    baton_gate *gate = close_gate(s);
    baton_gate_release(gate);
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    baton_stream_release(s);
}
END_TEST

START_TEST(a_gate_opens_by_itself_when_its_time_is_over)
{
    baton_stream *s = make_stream();
    baton_gate *gate;
    ok(baton_gate_create(s, 1000000, &gate, &error));
    ok(baton_stream_synchronize(s, BATON_WAIT_BLOCK, &error));      /* nobody opened it */
    baton_gate_release(gate);
    baton_stream_release(s);
}
END_TEST

/* The kernel reads the flag until it has run: a released gate behind another one keeps it. Afterwards the next gate has it: the driver would wait for the
 * whole device before it frees one. */
START_TEST(the_flag_is_kept_until_the_device_has_read_it_and_then_used_again)
{
    baton_stream *s = make_stream();
    baton_gate *first = close_gate(s), *second = close_gate(s);
    counting_start();
    baton_gate_release(second);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    drain();
    open_gate(close_gate(s));
    ck_assert_uint_eq(calls(DRIVER_ROW_host_alloc), 1);     /* the second's is not free yet */
    open_gate(first);
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    drain();
    for (int i = 0; i < 3; i++) {
        first = close_gate(s);
        expect_busy(s);
        open_gate(first);
    }
    ck_assert_uint_eq(calls(DRIVER_ROW_host_alloc), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_host_free), 0);
    baton_stream_release(s);
}
END_TEST

START_TEST(a_gate_keeps_its_stream)
{
    baton_stream *s = make_stream();
    baton_gate *gate = close_gate(s);
    baton_stream_release(s);
    counting_start();
    drain();
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_destroy), 0);
    open_gate(gate);
}
END_TEST

/* E1; what was allocated for a gate that fails serves the next. */
START_TEST(an_impossible_gate_is_refused)
{
    baton_stream *s = make_stream();
    baton_gate *gate = NULL;
    counting_start();
    refused(BATON_ERR_ARGUMENT, baton_gate_create(s, 0, &gate, &error));
    refused(BATON_ERR_ARGUMENT, baton_gate_create(s, 60000000001u, &gate, &error));
    refused(BATON_ERR_ARGUMENT, baton_gate_create(s, 1000, NULL, &error));
    refused(BATON_ERR_ARGUMENT, baton_gate_create(NULL, 1000, &gate, &error));
    refused(BATON_ERR_HANDLE, baton_gate_create((baton_stream *)(void *)runtime, 1000, &gate, &error));
    refused(BATON_ERR_ARGUMENT, baton_gate_open(NULL, &error));
    refused(BATON_ERR_HANDLE, baton_gate_open((baton_gate *)(void *)s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    static const enum driver_row rows[] = { DRIVER_ROW_host_alloc, DRIVER_ROW_launch };
    struct soft_census start = census_read(), now;
    for (size_t i = 0; i < 2; i++) {
        instrument_fail(rows[i], 1, DRIVER_INVALID_VALUE, 0);
        refused(BATON_ERR_DRIVER, baton_gate_create(s, 1000, &gate, &error));
        ck_assert_int_eq(error.driver_code, DRIVER_INVALID_VALUE);
    }
    ck_assert_ptr_null(gate);
    open_gate(close_gate(s));
    now = census_read();
    ck_assert_uint_eq(now.allocations, start.allocations + 1);
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    baton_stream_release(s);
}
END_TEST

SUPPORT_MAIN("gate", 60, a_gate_holds_its_stream_and_no_other, work_before_the_gate_is_not_held,
             every_gate_of_a_stream_must_open, a_released_gate_is_open, a_gate_opens_by_itself_when_its_time_is_over,
             the_flag_is_kept_until_the_device_has_read_it_and_then_used_again, a_gate_keeps_its_stream, an_impossible_gate_is_refused)
