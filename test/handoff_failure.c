/* A hand-off that fails half-way: the old owner stays, or the new one does behind its wait, and nothing else is in
 * between. */
#include "waiter.h"

enum { COUNT = 100 };

/* One array, written by A behind a gate. */
struct failing {
    baton_stream *a, *b, *c;
    baton_array *array;
    baton_gate *gate;
};

static struct failing failing_make(void)
{
    struct failing f = { .a = make_stream(), .b = make_stream(), .c = make_stream() };
    f.array = make_array(COUNT, f.c);                   /* so that A has no event yet */
    f.gate = close_gate(f.a);
    fill(f.array, 1, f.a);
    return f;
}

static void failing_release(struct failing *f)
{
    arrays_release(f->array);
    streams_release(f->a, f->b, f->c);
}

static int32_t try_fill(baton_array *array, int32_t value, baton_stream *stream)
{
    return baton_fill(array, &value, sizeof value, stream, &error);
}

static void expect_owner(const struct failing *f, baton_stream *owner, baton_stream *pending)
{
    baton_array_info info = info_of(f->array);
    ck_assert_uint_eq(info.owner_stream_id, id_of(owner));
    ck_assert_uint_eq(info.pending_stream_id, pending ? id_of(pending) : 0);
    ck_assert_uint_eq(info.lock_holder, 0);
}

/* S7: neither a record nor a wait that failed has changed the memory. */
START_TEST(a_failed_record_or_wait_leaves_the_old_owner)
{
    static const enum driver_row rows[] = {
        DRIVER_ROW_event_create, DRIVER_ROW_event_record, DRIVER_ROW_stream_wait_event
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct failing f = failing_make();
        instrument_fail(rows[i], 1, DRIVER_INVALID_VALUE, 0);
        refused(BATON_ERR_DRIVER, try_fill(f.array, 2, f.b));
        ck_assert_uint_eq(instrument_failures(), 1);
        expect_owner(&f, f.a, NULL);
        fill(f.array, 3, f.b);
        expect_owner(&f, f.b, f.a);
        open_gate(f.gate);
        expect(f.array, 3, f.b);
        failing_release(&f);
        instrument_reset();
    }
}
END_TEST

/* S7: behind a queued wait nothing is rolled back. */
START_TEST(a_failed_operation_leaves_the_new_owner_with_its_origin_pending)
{
    struct failing f = failing_make();
    instrument_fail(DRIVER_ROW_fill32, 1, DRIVER_INVALID_VALUE, 0);
    refused(BATON_ERR_DRIVER, try_fill(f.array, 2, f.b));
    expect_owner(&f, f.b, f.a);
    open_gate(f.gate);
    expect(f.array, 1, f.b);
    failing_release(&f);
}
END_TEST

/* S7: the host waits for the origin, though the operation on the new owner never was. */
static void synchronize(void *argument)
{
    ok(baton_array_synchronize(argument, BATON_WAIT_AUTO, NULL));
}

START_TEST(synchronizing_after_a_failed_operation_waits_for_the_origin)
{
    struct failing f = failing_make();
    instrument_fail(DRIVER_ROW_fill32, 1, DRIVER_INVALID_VALUE, 0);
    refused(BATON_ERR_DRIVER, try_fill(f.array, 2, f.b));
    must_wait(synchronize, f.array, f.gate);
    ck_assert_int_eq(baton_stream_query(f.a, &error), BATON_OK);
    expect(f.array, 1, f.c);
    failing_release(&f);
}
END_TEST

/* Ticket rule: the wait is work, even when the operation behind it failed. B's older event does not cover it. */
START_TEST(a_third_stream_follows_the_wait_of_a_failed_operation)
{
    struct failing f = failing_make();
    baton_array *other = make_array(COUNT, f.b);
    fill(other, 1, f.b);
    fill(other, 2, f.c);                                /* B has its event; C follows B up to here */
    instrument_fail(DRIVER_ROW_fill32, 1, DRIVER_INVALID_VALUE, 0);
    refused(BATON_ERR_DRIVER, try_fill(f.array, 2, f.b));
    counting_start();
    fill(f.array, 3, f.c);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    expect_busy(f.c);
    open_gate(f.gate);
    expect(f.array, 3, f.c);
    expect(other, 2, f.c);
    arrays_release(other);
    failing_release(&f);
}
END_TEST

/* S7: a read that failed changed nothing for later writers but its stream's order. */
START_TEST(a_failed_read_leaves_the_last_writer)
{
    struct failing f = failing_make();
    baton_array *copy = make_array(COUNT, f.b);
    instrument_fail(DRIVER_ROW_copy, 1, DRIVER_INVALID_VALUE, 0);
    refused(BATON_ERR_DRIVER, baton_copy(copy, f.array, f.b, &error));
    expect_owner(&f, f.a, NULL);
    ck_assert_uint_eq(info_of(copy).lock_holder, 0);
    ok(baton_copy(copy, f.array, f.c, &error));
    open_gate(f.gate);
    expect(copy, 1, f.c);
    arrays_release(copy);
    failing_release(&f);
}
END_TEST

/* O1: also when one of several memories cannot be had, all are free again. */
START_TEST(an_operation_refused_for_one_operand_holds_none)
{
    struct failing f = failing_make();
    baton_array *gone = make_array(COUNT, f.b);
    ok(baton_array_dispose(gone, &error));
    refused(BATON_ERR_HANDLE, baton_copy(gone, f.array, f.b, &error));
    expect_owner(&f, f.a, NULL);
    ck_assert_uint_eq(info_of(gone).lock_holder, 0);
    open_gate(f.gate);
    expect(f.array, 1, f.a);
    arrays_release(gone);
    failing_release(&f);
}
END_TEST

SUPPORT_MAIN("handoff_failure", 30, a_failed_record_or_wait_leaves_the_old_owner,
             a_failed_operation_leaves_the_new_owner_with_its_origin_pending,
             synchronizing_after_a_failed_operation_waits_for_the_origin,
             a_third_stream_follows_the_wait_of_a_failed_operation, a_failed_read_leaves_the_last_writer,
             an_operation_refused_for_one_operand_holds_none)
