/* Addresses for code that the library does not submit, and what may be believed about memory once its address is
 * out. */
#include "outside.h"
#include "waiter.h"

enum { COUNT = 200 };

/* An array that A wrote behind a gate and B took over: owner B, pending A. */
struct handed {
    baton_stream *a, *b, *c;
    baton_array *array;
    baton_gate *gate;
};

static struct handed handed_make(void)
{
    struct handed h = { .a = make_stream(), .b = make_stream(), .c = make_stream() };
    h.array = make_array(COUNT, h.a);
    h.gate = close_gate(h.a);
    fill(h.array, 1, h.a);
    fill(h.array, 2, h.b);
    return h;
}

static void handed_release(struct handed *h)
{
    arrays_release(h->array);
    streams_release(h->a, h->b, h->c);
}

static uint64_t pointer(baton_array *array, baton_stream *stream)
{
    uint64_t address;
    ok(baton_array_pointer(array, stream, BATON_READ_WRITE, &address, &error));
    return address;
}

static int escaped(baton_array *array)
{
    return (info_of(array).flags & BATON_ARRAY_ESCAPED) != 0;
}

/* A fill of `array` on `stream` that needs exactly `records` and `waits`. */
static void fill_counted(baton_array *array, int32_t value, baton_stream *stream, uint64_t records, uint64_t waits)
{
    counting_start();
    fill(array, value, stream);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), records);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), waits);
}

/* P1: another stream's write, and its read. */
START_TEST(a_pointer_waits_for_the_owner_and_for_readers_on_other_streams)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a), *copy = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    pointer_must_wait(array, b, gate);
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(b));
    gate = close_gate(a);
    ok(baton_copy(copy, array, a, &error));
    pointer_must_wait(array, b, gate);
    ck_assert_uint_ge(stats().host_waits[BATON_HOST_WAIT_FOREIGN], 2);
    expect(copy, 1, a);
    arrays_release(array, copy);
    streams_release(a, b);
}
END_TEST

/* P1: the stream's own work needs no wait, and the memory is dirty afterwards. */
START_TEST(a_pointer_on_the_owners_stream_returns_at_once_and_leaves_the_memory_dirty)
{
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    ck_assert_uint_ne(pointer(array, a), 0);
    expect_busy(a);
    open_gate(gate);
    ok(baton_stream_synchronize(a, BATON_WAIT_AUTO, &error));
    gate = close_gate(a);
    ck_assert_int_eq(baton_array_query(array, &error), BATON_NOT_READY);
    open_gate(gate);
    expect(array, 1, a);
    arrays_release(array);
    streams_release(a);
}
END_TEST

/* P1, item 3: owner == B does not mean that A has finished. */
START_TEST(a_pointer_after_a_hand_off_waits_for_the_origin)
{
    struct handed h = handed_make();
    pointer_must_wait(h.array, h.b, h.gate);
    ck_assert_uint_eq(info_of(h.array).pending_stream_id, 0);
    expect(h.array, 2, h.b);
    handed_release(&h);
}
END_TEST

/* P1, item 3 */
START_TEST(a_second_take_does_not_block_on_newer_work_of_the_origin)
{
    struct handed h = handed_make();
    baton_array *other = make_array(COUNT, h.c);
    open_gate(h.gate);
    uint64_t first = pointer(h.array, h.b);
    h.gate = close_gate(h.a);
    fill(other, 1, h.a);
    ck_assert_uint_eq(pointer(h.array, h.b), first);
    expect_busy(h.a);
    open_gate(h.gate);
    expect(other, 1, h.a);
    arrays_release(other);
    handed_release(&h);
}
END_TEST

/* S6, P1, item 2: B follows A already and needs no wait, yet A is pending. */
START_TEST(a_hand_off_that_was_covered_leaves_the_origin_pending_too)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a), *other = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    fill(other, 1, a);
    fill(other, 2, b);
    fill_counted(array, 2, b, 0, 0);
    ck_assert_uint_eq(info_of(array).pending_stream_id, id_of(a));
    pointer_must_wait(array, b, gate);
    expect(array, 2, b);
    arrays_release(array, other);
    streams_release(a, b);
}
END_TEST

/* P4, item 16: foreign work after the take, and after another memory's hand-off has stamped the stream. */
START_TEST(a_hand_off_after_a_pointer_records_behind_foreign_work)
{
    baton_stream *b = make_stream(), *c = make_stream();
    baton_array *array = make_array(COUNT, b), *other = make_array(COUNT, b);
    driver_stream native = native_of(b);
    fill(array, 1, b);
    uint64_t address = pointer(array, b);
    ck_assert_int_eq(escaped(array), 1);
    baton_gate *gate = close_gate(b);
    fill(other, 1, b);
    fill_counted(other, 2, c, 1, 1);
    outside_fill(address, 5, COUNT, native);
    fill_counted(array, 6, c, 1, 1);
    expect_busy(c);
    open_gate(gate);
    expect(array, 6, c);
    arrays_release(array, other);
    streams_release(b, c);
}
END_TEST

/* P4: a reader follows the foreign work, once, twice; a completed ticket proves nothing about it either. */
START_TEST(foreign_work_is_seen_by_every_later_reader)
{
    baton_stream *b = make_stream(), *c = make_stream();
    baton_array *array = make_array(COUNT, b), *copy = make_array(COUNT, c);
    driver_stream native = native_of(b);
    fill(array, 0, b);
    uint64_t address = pointer(array, b);
    for (int32_t i = 1; i <= 3; i++) {
        ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
        baton_gate *gate = close_gate(b);
        outside_fill(address, i, COUNT, native);
        ok(baton_copy(copy, array, c, &error));
        expect_busy(c);
        open_gate(gate);
        expect(copy, i, c);
        address = pointer(array, b);
    }
    arrays_release(array, copy);
    streams_release(b, c);
}
END_TEST

/* P4: the library's own work on the stream lies behind all foreign work submitted before it. */
START_TEST(an_operation_on_the_stream_ends_the_escape)
{
    baton_stream *b = make_stream(), *c = make_stream();
    baton_array *array = make_array(COUNT, b), *other = make_array(COUNT, b);
    baton_gate *gate = close_gate(b);
    pointer(array, b);
    fill(array, 3, b);
    ck_assert_int_eq(escaped(array), 0);
    fill(other, 1, b);
    fill_counted(other, 2, c, 1, 1);
    fill_counted(array, 4, c, 0, 0);                    /* covered again */
    open_gate(gate);
    expect(array, 4, c);
    arrays_release(array, other);
    streams_release(b, c);
}
END_TEST

/* P4: note_use, for work that was submitted before. */
START_TEST(work_that_was_noted_is_followed)
{
    baton_stream *a = make_stream(), *b = make_stream(), *c = make_stream();
    baton_array *array = make_array(COUNT, a), *copy = make_array(COUNT, c);
    driver_stream native = native_of(b);
    uint64_t address = pointer(array, b);
    baton_gate *gate = close_gate(b);
    outside_fill(address, 7, COUNT, native);
    ok(baton_array_note_use(array, b, BATON_WRITE, &error));
    ck_assert_int_eq(escaped(array), 1);
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(b));
    ok(baton_copy(copy, array, c, &error));
    expect_busy(c);
    open_gate(gate);
    expect(copy, 7, c);
    arrays_release(array, copy);
    streams_release(a, b, c);
}
END_TEST

/* P2: what to do instead is in the error. */
START_TEST(the_host_pointer_of_device_memory_is_refused)
{
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    void *address;
    refused(BATON_ERR_KIND, baton_array_host_pointer(array, BATON_READ, &address, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "download"));
    arrays_release(array);
    streams_release(a);
}
END_TEST

static void take_host_pointer(void *argument)
{
    void *address;
    ok(baton_array_host_pointer(argument, BATON_READ_WRITE, &address, NULL));
}

/* P2: dirty memory is waited for, clean memory asks nobody. */
START_TEST(the_host_pointer_of_unified_memory_waits_when_it_is_dirty)
{
    static const int32_t kinds[] = { BATON_UNIFIED, BATON_HOST };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        baton_stream *a = make_stream();
        baton_array *array = make_array_of(kinds[i], COUNT, a);
        void *address;
        baton_gate *gate = close_gate(a);
        fill(array, 8, a);
        must_wait(take_host_pointer, array, gate);
        counting_start();
        ok(baton_array_host_pointer(array, BATON_READ, &address, &error));
        ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
        ck_assert_int_eq(((int32_t *)address)[COUNT - 1], 8);
        arrays_release(array);
        streams_release(a);
    }
}
END_TEST

/* P3, W5: also when the pointer is asked for on behalf of a scope whose stream is held. */
START_TEST(a_pointer_in_a_scope_is_raw)
{
    struct handed h = handed_make();
    baton_operand operand = { h.array, BATON_READ_WRITE, 0, 0 };
    baton_scope *scope;
    uint64_t address;
    ok(baton_scope_begin(h.c, NULL, &operand, 1, 0, &scope, &error));
    counting_start();
    ok(baton_scope_pointer(scope, h.array, BATON_READ_WRITE, &address, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    ck_assert_uint_eq(address, operand.address);
    ck_assert_uint_eq(info_of(h.array).owner_stream_id, id_of(h.b));
    ck_assert_int_eq(escaped(h.array), 0);
    expect_busy(h.a);
    ok(baton_scope_end(scope, &error));
    baton_scope_release(scope);
    open_gate(h.gate);
    expect(h.array, 2, h.c);
    handed_release(&h);
}
END_TEST

struct scope_pointer {
    baton_scope *scope;
    baton_array *array;
    uint64_t address;
};

static void take_scope_pointer(void *argument)
{
    struct scope_pointer *take = argument;
    ok(baton_scope_pointer(take->scope, take->array, BATON_READ_WRITE, &take->address, NULL));
}

/* P3: memory outside the scope follows P1, on the scope's stream. */
START_TEST(a_pointer_in_a_scope_to_other_memory_waits)
{
    struct handed h = handed_make();
    struct scope_pointer take = { .array = h.array };
    ok(baton_scope_begin(h.b, NULL, NULL, 0, 0, &take.scope, &error));
    must_wait(take_scope_pointer, &take, h.gate);
    ck_assert_int_eq(escaped(h.array), 1);
    ck_assert_uint_eq(info_of(h.array).owner_stream_id, id_of(h.b));
    ok(baton_scope_end(take.scope, &error));
    baton_scope_release(take.scope);
    handed_release(&h);
}
END_TEST

SUPPORT_MAIN("foreign", 60, a_pointer_waits_for_the_owner_and_for_readers_on_other_streams,
             a_pointer_on_the_owners_stream_returns_at_once_and_leaves_the_memory_dirty,
             a_pointer_after_a_hand_off_waits_for_the_origin, a_second_take_does_not_block_on_newer_work_of_the_origin,
             a_hand_off_that_was_covered_leaves_the_origin_pending_too,
             a_hand_off_after_a_pointer_records_behind_foreign_work, foreign_work_is_seen_by_every_later_reader,
             an_operation_on_the_stream_ends_the_escape, work_that_was_noted_is_followed,
             the_host_pointer_of_device_memory_is_refused, the_host_pointer_of_unified_memory_waits_when_it_is_dirty,
             a_pointer_in_a_scope_is_raw, a_pointer_in_a_scope_to_other_memory_waits)
