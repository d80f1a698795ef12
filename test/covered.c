/* What a clock covers, and what it must not: each elision beside the hand-off that looks like it. */
#include "waiter.h"

enum { COUNT = 100 };

/* A fill that needs exactly `records` and `waits`. */
static void fill_counted(baton_array *array, int32_t value, baton_stream *stream, uint64_t records, uint64_t waits)
{
    counting_start();
    fill(array, value, stream);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), records);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), waits);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), records + waits + 1);
}

/* S4, item 8: B follows A's older work already. */
START_TEST(what_the_clock_covers_is_taken_without_a_call)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *first = make_array(COUNT, a), *second = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    fill(first, 1, a);
    fill(second, 1, a);
    fill(second, 2, b);
    baton_stats before = stats();
    counting_start();
    fill(first, 2, b);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 1);
    ck_assert_uint_eq(stats().elided_covered - before.elided_covered, 1);
    expect_busy(b);
    open_gate(gate);
    expect(first, 2, b);
    expect(second, 2, b);
    arrays_release(first, second);
    streams_release(a, b);
}
END_TEST

/* S4, S5: the clock joins, so C follows A through B; work that A was given after its record is not covered. */
START_TEST(what_a_followed_stream_follows_is_covered_too)
{
    baton_stream *a = make_stream(), *b = make_stream(), *c = make_stream();
    baton_array *x = make_array(COUNT, a), *y = make_array(COUNT, b);
    baton_array *z = make_array(COUNT, a), *late = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    fill(z, 1, a);
    fill(x, 1, a);
    fill(x, 2, b);
    fill(late, 1, a);
    fill(y, 2, b);
    fill(y, 3, c);
    counting_start();
    fill(z, 3, c);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 1);
    fill(late, 3, c);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    open_gate(gate);
    expect(z, 3, c);
    expect(late, 3, c);
    expect(y, 3, c);
    arrays_release(x, y, z, late);
    streams_release(a, b, c);
}
END_TEST

/* S14 */
START_TEST(clean_memory_changes_owner_without_a_call)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    fill(array, 1, a);
    ok(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    baton_gate *gate = close_gate(a);                   /* newer work of the old owner is of no interest */
    counting_start();
    fill(array, 2, b);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 1);
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(b));
    expect(array, 2, b);
    expect_busy(a);
    open_gate(gate);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

/* S5: of several memories of one stream, the newest use is what the record must cover. */
START_TEST(one_wait_covers_the_newest_of_several_uses)
{
    baton_stream *a = make_stream(), *b = make_stream(), *c = make_stream();
    baton_array *old = make_array(COUNT, a), *other = make_array(COUNT, a), *newest = make_array(COUNT, a);
    baton_array *late = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    fill(old, 1, a);
    fill(other, 1, a);
    fill(other, 2, c);                                  /* A's event covers `old` from now on */
    fill(newest, 3, a);
    counting_start();
    ok(baton_copy(old, newest, b, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    fill(late, 4, a);
    counting_start();
    ok(baton_copy(late, newest, c, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    open_gate(gate);
    expect(old, 3, b);
    expect(late, 3, c);
    arrays_release(old, other, newest, late);
    streams_release(a, b, c);
}
END_TEST

/* S5: the clock is joined as it was at the record; what S came to follow since then is not behind the event. */
START_TEST(a_wait_for_an_older_event_covers_what_the_stream_followed_then)
{
    baton_stream *a = make_stream(), *s = make_stream(), *c = make_stream(), *d = make_stream();
    baton_array *early = make_array(COUNT, s), *other = make_array(COUNT, s), *of_a = make_array(COUNT, a);
    baton_array *more_of_a = make_array(COUNT, a);
    baton_gate *gate_s = close_gate(s), *gate_a = close_gate(a);
    fill(early, 1, s);
    fill(other, 1, s);
    fill(other, 2, d);                                  /* records S, which follows nobody */
    fill(of_a, 1, a);
    fill(more_of_a, 1, a);
    fill(of_a, 2, s);                                   /* now S follows A */
    fill_counted(early, 3, c, 0, 1);                    /* by the older event */
    fill_counted(more_of_a, 4, c, 0, 1);                /* so that A is not covered */
    open_gate(gate_s);
    open_gate(gate_a);
    expect(early, 3, d);
    expect(more_of_a, 4, c);
    expect(of_a, 2, s);
    arrays_release(early, other, of_a, more_of_a);
    streams_release(a, s, c, d);
}
END_TEST

SUPPORT_MAIN("covered", 30, what_the_clock_covers_is_taken_without_a_call,
             what_a_followed_stream_follows_is_covered_too, clean_memory_changes_owner_without_a_call,
             one_wait_covers_the_newest_of_several_uses, a_wait_for_an_older_event_covers_what_the_stream_followed_then)
