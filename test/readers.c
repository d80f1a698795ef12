/* Streams that read one memory: side by side, and all of them before the next write. */
#include "waiter.h"

enum { COUNT = 500, PLACES = 8 };       /* readers that a memory keeps apart */

/* One array, read behind gates on two streams. */
struct readers {
    baton_stream *a, *b, *c;
    baton_array *array, *by_b, *by_c;
    baton_kernel *kernel;
    baton_gate *gate_b, *gate_c;
};

static struct readers readers_make(void)
{
    struct readers r = { .a = make_stream(), .b = make_stream(), .c = make_stream(), .kernel = make_add_one(0) };
    r.array = make_array(COUNT, r.a);
    r.by_b = make_array(COUNT, r.b);
    r.by_c = make_array(COUNT, r.c);
    fill(r.array, 1, r.a);
    ok(baton_array_synchronize(r.array, BATON_WAIT_AUTO, &error));
    r.gate_b = close_gate(r.b);
    r.gate_c = close_gate(r.c);
    ok(add_one(r.kernel, r.by_b, r.array, r.b, &error));
    ok(add_one(r.kernel, r.by_c, r.array, r.c, &error));
    return r;
}

static void readers_release(struct readers *r)
{
    arrays_release(r->array, r->by_b, r->by_c);
    baton_kernel_release(r->kernel);
    streams_release(r->a, r->b, r->c);
}

/* S4, item 9 */
START_TEST(either_of_two_readers_finishes_while_the_other_is_held)
{
    for (int first = 0; first < 2; first++) {
        struct readers r = readers_make();
        ck_assert_uint_eq(info_of(r.array).readers, 2);
        ck_assert_uint_eq(info_of(r.array).owner_stream_id, id_of(r.a));
        open_gate(first ? r.gate_c : r.gate_b);
        expect(first ? r.by_c : r.by_b, 2, first ? r.c : r.b);
        expect_busy(first ? r.b : r.c);
        open_gate(first ? r.gate_b : r.gate_c);
        expect(first ? r.by_b : r.by_c, 2, first ? r.b : r.c);
        readers_release(&r);
    }
}
END_TEST

/* S4: a read follows the last write, and no reader. */
START_TEST(readers_do_not_wait_for_each_other)
{
    struct readers r = readers_make();
    ck_assert_uint_eq(stats().device_waits, 0);
    open_gate(r.gate_b);
    open_gate(r.gate_c);
    ok(baton_stream_synchronize(r.b, BATON_WAIT_AUTO, &error));
    ok(baton_stream_synchronize(r.c, BATON_WAIT_AUTO, &error));
    baton_gate *gate = close_gate(r.a);
    fill(r.array, 5, r.a);
    counting_start();
    ok(add_one(r.kernel, r.by_b, r.array, r.b, &error));
    ok(add_one(r.kernel, r.by_c, r.array, r.c, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 2);      /* one each, for the write */
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 1);
    open_gate(gate);
    expect(r.by_b, 6, r.b);
    expect(r.by_c, 6, r.c);
    readers_release(&r);
}
END_TEST

/* S4, item 9: the lost reader. Whichever of the two ends last, the write comes after it. */
START_TEST(a_write_waits_for_both_readers)
{
    for (int last = 0; last < 2; last++) {
        struct readers r = readers_make();
        baton_stream *writer = make_stream();
        uint64_t waits = stats().device_waits;
        fill(r.array, 7, writer);
        ck_assert_uint_eq(stats().device_waits - waits, 2);
        ck_assert_uint_eq(info_of(r.array).owner_stream_id, id_of(writer));
        ck_assert_uint_eq(info_of(r.array).readers, 0);
        open_gate(last ? r.gate_b : r.gate_c);
        ok(baton_stream_synchronize(last ? r.b : r.c, BATON_WAIT_AUTO, &error));
        expect_busy(writer);
        open_gate(last ? r.gate_c : r.gate_b);
        expect(r.array, 7, writer);
        expect(r.by_b, 2, r.b);
        expect(r.by_c, 2, r.c);
        readers_release(&r);
        streams_release(writer);
    }
}
END_TEST

/* S4: read-write is what an operand without an access means. */
START_TEST(an_operand_without_access_waits_for_both_readers)
{
    struct readers r = readers_make();
    baton_stream *writer = make_stream();
    baton_operand operand = { r.array, 0, 0, 0 };
    baton_scope *scope;
    counting_start();
    ok(baton_scope_begin(writer, NULL, &operand, 1, 0, &scope, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 2);
    ok(baton_scope_end(scope, &error));
    ck_assert_uint_eq(info_of(r.array).owner_stream_id, id_of(writer));
    open_gate(r.gate_b);
    open_gate(r.gate_c);
    baton_scope_release(scope);
    ok(baton_array_synchronize(r.array, BATON_WAIT_AUTO, &error));
    readers_release(&r);
    streams_release(writer);
}
END_TEST

/* S6: the write's pending set has both readers, so the host waits for both. */
static void synchronize(void *argument)
{
    ok(baton_array_synchronize(argument, BATON_WAIT_AUTO, NULL));
}

START_TEST(synchronizing_after_the_write_waits_for_both_readers)
{
    struct readers r = readers_make();
    baton_stream *writer = make_stream();
    fill(r.array, 7, writer);
    open_gate(r.gate_b);
    must_wait(synchronize, r.array, r.gate_c);
    ck_assert_int_eq(baton_stream_query(r.c, &error), BATON_OK);
    expect(r.array, 7, writer);
    readers_release(&r);
    streams_release(writer);
}
END_TEST

/* S4: a reader that writes has its own read behind it by stream order, the other reader's not. */
START_TEST(a_reader_that_writes_waits_for_the_other_reader_only)
{
    struct readers r = readers_make();
    counting_start();
    fill(r.array, 8, r.b);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    open_gate(r.gate_b);
    expect_busy(r.b);
    open_gate(r.gate_c);
    expect(r.array, 8, r.b);
    expect(r.by_c, 2, r.c);
    readers_release(&r);
}
END_TEST

/* S6 */
START_TEST(a_stream_that_reads_again_is_one_reader)
{
    struct readers r = readers_make();
    ok(add_one(r.kernel, r.by_b, r.array, r.b, &error));
    ok(add_one(r.kernel, r.by_c, r.array, r.c, &error));
    ok(add_one(r.kernel, r.by_b, r.array, r.b, &error));
    ck_assert_uint_eq(info_of(r.array).readers, 2);
    open_gate(r.gate_b);
    open_gate(r.gate_c);
    expect(r.by_b, 2, r.b);
    readers_release(&r);
}
END_TEST

/* S4: the newest read of a stream is what a write follows, though an earlier one was recorded for somebody. */
START_TEST(a_write_waits_for_the_newest_read_of_a_stream)
{
    struct readers r = readers_make();
    baton_stream *writer = make_stream(), *other = make_stream();
    baton_array *third = make_array(COUNT, other);
    ok(baton_copy(third, r.by_b, other, &error));       /* records B behind its first read */
    open_gate(r.gate_b);
    open_gate(r.gate_c);
    ok(baton_stream_synchronize(r.c, BATON_WAIT_AUTO, &error));
    expect(third, 2, other);
    baton_gate *gate = close_gate(r.b);
    ok(add_one(r.kernel, r.by_b, r.array, r.b, &error));
    counting_start();
    fill(r.array, 9, writer);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 1);
    expect_busy(writer);
    open_gate(gate);
    expect(r.array, 9, writer);
    arrays_release(third);
    readers_release(&r);
    streams_release(writer, other);
}
END_TEST

/* S5: the stale stamp. The owner's event covers its write; its later read needs a new record. */
START_TEST(a_write_elsewhere_waits_for_a_read_on_the_owners_stream)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a), *other = make_array(COUNT, a), *copy = make_array(COUNT, a);
    fill(array, 1, a);
    fill(other, 1, a);
    fill(other, 2, b);                                  /* stamps A behind the write of `array` */
    baton_gate *gate = close_gate(a);
    ok(baton_copy(copy, array, a, &error));
    counting_start();
    fill(array, 3, b);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    expect_busy(b);
    open_gate(gate);
    expect(copy, 1, a);
    expect(array, 3, b);
    arrays_release(array, other, copy);
    streams_release(a, b);
}
END_TEST

/* As many readers as a memory has places for, each behind a gate, and one more. */
struct crowd {
    baton_stream *streams[PLACES + 1];
    baton_array *copies[PLACES + 1];
    baton_gate *gates[PLACES + 1];
};

static void crowd_read(struct crowd *crowd, baton_array *array, int i)
{
    crowd->streams[i] = make_stream();
    crowd->copies[i] = make_array(COUNT, crowd->streams[i]);
    crowd->gates[i] = close_gate(crowd->streams[i]);
    counting_start();
    ok(baton_copy(crowd->copies[i], array, crowd->streams[i], &error));
}

static void crowd_release(struct crowd *crowd)
{
    for (int i = 0; i <= PLACES; i++) {
        arrays_release(crowd->copies[i]);
        streams_release(crowd->streams[i]);
    }
}

/* S6: the ninth follows the oldest, by one wait on the device, and takes its place. */
START_TEST(a_ninth_reader_follows_the_oldest_and_replaces_it)
{
    struct crowd crowd;
    baton_stream *a = make_stream(), *writer = make_stream();
    baton_array *array = make_array(COUNT, a);
    fill(array, 4, a);
    ok(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    for (int i = 0; i <= PLACES; i++) {
        crowd_read(&crowd, array, i);
        ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), i == PLACES);
        ck_assert_uint_eq(info_of(array).readers, (uint64_t)(i < PLACES ? i + 1 : PLACES));
    }
    counting_start();
    fill(array, 5, writer);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), PLACES);
    for (int i = 1; i <= PLACES; i++)
        open_gate(crowd.gates[i]);
    for (int i = 1; i < PLACES; i++)
        expect(crowd.copies[i], 4, crowd.streams[i]);
    expect_busy(crowd.streams[PLACES]);
    expect_busy(writer);
    open_gate(crowd.gates[0]);
    expect(array, 5, writer);
    expect(crowd.copies[0], 4, crowd.streams[0]);
    expect(crowd.copies[PLACES], 4, crowd.streams[PLACES]);
    crowd_release(&crowd);
    arrays_release(array);
    streams_release(a, writer);
}
END_TEST

/* S6: one of the eight reads again while the set is full: nobody has to go. */
START_TEST(a_reader_in_a_full_set_reads_again_without_a_wait)
{
    struct crowd crowd;
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    fill(array, 4, a);
    ok(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    for (int i = 0; i < PLACES; i++)
        crowd_read(&crowd, array, i);
    crowd.streams[PLACES] = NULL;
    crowd.copies[PLACES] = NULL;
    counting_start();
    ok(baton_copy(crowd.copies[3], array, crowd.streams[3], &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 1);
    ck_assert_uint_eq(info_of(array).readers, PLACES);
    for (int i = 0; i < PLACES; i++)
        open_gate(crowd.gates[i]);
    for (int i = 0; i < PLACES; i++)
        expect(crowd.copies[i], 4, crowd.streams[i]);
    crowd_release(&crowd);
    arrays_release(array);
    streams_release(a);
}
END_TEST

SUPPORT_MAIN("readers", 30, either_of_two_readers_finishes_while_the_other_is_held, readers_do_not_wait_for_each_other,
             a_write_waits_for_both_readers, an_operand_without_access_waits_for_both_readers,
             synchronizing_after_the_write_waits_for_both_readers, a_reader_that_writes_waits_for_the_other_reader_only,
             a_stream_that_reads_again_is_one_reader, a_write_waits_for_the_newest_read_of_a_stream,
             a_write_elsewhere_waits_for_a_read_on_the_owners_stream, a_ninth_reader_follows_the_oldest_and_replaces_it,
             a_reader_in_a_full_set_reads_again_without_a_wait)
