/* The trace: operations and waits, in order, as many as were asked for. */
#include "waiter.h"

enum { COUNT = 100, MOST = 64 };

static baton_trace_entry entries[MOST];

static uint32_t read_trace(uint32_t capacity)
{
    uint32_t count;
    ok(baton_trace_read(runtime, entries, capacity, &count, &error));
    ck_assert_uint_le(count, capacity);
    return count;
}

static void expect_entry(uint32_t at, int32_t operation, baton_stream *stream, baton_stream *other, int32_t cause)
{
    ck_assert_int_eq(entries[at].operation, operation);
    ck_assert_uint_eq(entries[at].stream_id, stream ? id_of(stream) : 0);
    ck_assert_uint_eq(entries[at].other_stream_id, other ? id_of(other) : 0);
    ck_assert_int_eq(entries[at].host_cause, cause);
    if (at)
        ck_assert_uint_ge(entries[at].time_ns, cause < 0 ? entries[at - 1].time_ns : 1);
}

START_TEST(operations_and_device_waits_are_traced_in_order)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *x = make_array(COUNT, a), *y = make_array(COUNT, b);
    ok(baton_trace_start(runtime, MOST, &error));
    fill(x, 1, a);
    ok(baton_copy(y, x, b, &error));
    fill(y, 2, b);
    ck_assert_uint_eq(read_trace(MOST), 4);
    expect_entry(0, BATON_OP_FILL, a, NULL, -1);
    expect_entry(1, BATON_OP_WAIT, b, a, -1);
    expect_entry(2, BATON_OP_COPY, b, NULL, -1);
    expect_entry(3, BATON_OP_FILL, b, NULL, -1);
    ck_assert_uint_eq(entries[1].other_ticket, entries[0].ticket);
    ck_assert_uint_eq(entries[2].ticket, entries[1].ticket + 1);
    ck_assert_uint_eq(entries[3].ticket, entries[2].ticket + 1);
    ck_assert_uint_eq(read_trace(MOST), 0);
    arrays_release(x, y);
    streams_release(a, b);
}
END_TEST

static void synchronize(void *argument)
{
    ok(baton_stream_synchronize(argument, BATON_WAIT_BLOCK, &error));
}

START_TEST(a_host_wait_is_traced_with_its_cause_and_duration)
{
    baton_stream *s = make_stream();
    ok(baton_trace_start(runtime, MOST, &error));
    baton_gate *gate = close_gate(s);
    must_wait(synchronize, s, gate);
    ck_assert_uint_eq(read_trace(MOST), 2);
    expect_entry(0, BATON_OP_GATE, s, NULL, -1);
    expect_entry(1, BATON_OP_WAIT, NULL, s, BATON_HOST_WAIT_SYNCHRONIZE);
    ck_assert_uint_eq(entries[1].other_ticket, entries[0].ticket);
    ck_assert_uint_gt(entries[1].duration_ns, 0);
    ck_assert_uint_eq(stats().host_blocked_ns, entries[1].duration_ns);
    baton_stream_release(s);
}
END_TEST

START_TEST(a_full_trace_keeps_the_newest)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    ok(baton_trace_start(runtime, 4, &error));
    for (int i = 0; i < 10; i++)
        fill(array, i, s);
    ck_assert_uint_eq(read_trace(1), 1);
    uint64_t first = entries[0].ticket;
    ck_assert_uint_eq(read_trace(MOST), 3);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_uint_eq(entries[i].ticket, first + 1 + i);
    fill(array, 1, s);
    ck_assert_uint_eq(read_trace(MOST), 1);
    ck_assert_uint_eq(entries[0].ticket, first + 4);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

START_TEST(nothing_is_traced_unless_somebody_asked)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    fill(array, 1, s);
    ck_assert_uint_eq(read_trace(MOST), 0);
    ok(baton_trace_start(runtime, 4, &error));
    fill(array, 1, s);
    ok(baton_trace_start(runtime, 8, &error));      /* drops what was not read */
    ck_assert_uint_eq(read_trace(MOST), 0);
    fill(array, 1, s);
    ok(baton_trace_start(runtime, 0, &error));
    fill(array, 1, s);
    ck_assert_uint_eq(read_trace(MOST), 0);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

/* E1 */
START_TEST(wrong_arguments_are_refused)
{
    uint32_t count = 0;
    refused(BATON_ERR_ARGUMENT, baton_trace_start(runtime, UINT32_MAX, &error));
    refused(BATON_ERR_ARGUMENT, baton_trace_start(NULL, 1, &error));
    refused(BATON_ERR_ARGUMENT, baton_trace_read(runtime, NULL, 1, &count, &error));
    refused(BATON_ERR_ARGUMENT, baton_trace_read(runtime, entries, 1, NULL, &error));
    ok(baton_trace_read(runtime, NULL, 0, &count, &error));
    ck_assert_uint_eq(count, 0);
}
END_TEST

SUPPORT_MAIN("trace", 60, operations_and_device_waits_are_traced_in_order,
             a_host_wait_is_traced_with_its_cause_and_duration, a_full_trace_keeps_the_newest,
             nothing_is_traced_unless_somebody_asked, wrong_arguments_are_refused)
