/* The host waits: for arrays and streams, in every mode, with the embedder's hooks around it; and what is known
 * afterwards. */
#include "outside.h"
#include "waiter.h"

enum { COUNT = 100 };

struct waiting {
    baton_array *array;
    baton_stream *stream;
    int32_t mode, status;
    baton_error error;
};

static void run_synchronize(void *argument)
{
    struct waiting *w = argument;
    w->status = w->array ? baton_array_synchronize(w->array, w->mode, &w->error)
                         : baton_stream_synchronize(w->stream, w->mode, &w->error);
}

/* Waiting for the array or the stream lasts until the gate opens. */
static void synchronize_must_wait(baton_array *array, baton_stream *stream, int32_t mode, baton_gate *gate)
{
    struct waiting w = { .array = array, .stream = stream, .mode = mode, .error = BATON_ERROR_INIT };
    must_wait(run_synchronize, &w, gate);
    ck_assert_msg(w.status == BATON_OK, "%s", w.error.message);
}

/* O7, item 2: the owner's stream is B, and A is what it waits for. */
START_TEST(synchronizing_after_a_hand_off_waits_for_the_gated_origin)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    fill(array, 2, b);
    synchronize_must_wait(array, NULL, BATON_WAIT_AUTO, gate);
    ck_assert_int_eq(baton_stream_query(a, &error), BATON_OK);
    ck_assert_uint_eq(info_of(array).pending_stream_id, 0);
    expect(array, 2, b);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

/* O7: readers too. */
START_TEST(synchronizing_waits_for_readers)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a), *copy = make_array(COUNT, b);
    fill(array, 1, a);
    ok(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    baton_gate *gate = close_gate(b);
    ok(baton_copy(copy, array, b, &error));
    ck_assert_int_eq(baton_array_query(array, &error), BATON_NOT_READY);
    synchronize_must_wait(array, NULL, BATON_WAIT_AUTO, gate);
    ck_assert_uint_eq(info_of(array).readers, 0);
    ck_assert_int_eq(baton_array_query(array, &error), BATON_OK);
    arrays_release(array, copy);
    streams_release(a, b);
}
END_TEST

/* H4, O7: the memory is not locked meanwhile, and what comes later is not waited for. */
START_TEST(a_waiter_holds_no_lock_and_ignores_newer_work)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    struct waiting w = { .array = array, .error = BATON_ERROR_INIT };
    struct waiter waiter;
    baton_gate *first = close_gate(a), *second = close_gate(b);
    fill(array, 1, a);
    waiter_start(&waiter, run_synchronize, &w);
    waiter_expect_blocked(&waiter);
    ck_assert_uint_eq(info_of(array).lock_holder, 0);
    fill(array, 2, b);
    open_gate(first);
    waiter_join(&waiter);
    ck_assert_int_eq(w.status, BATON_OK);
    ck_assert_int_eq(baton_array_query(array, &error), BATON_NOT_READY);
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(b));
    open_gate(second);
    expect(array, 2, b);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

/* O8: by one wait, also for other streams' work that the stream follows. */
START_TEST(synchronizing_a_stream_makes_all_memory_that_it_covers_clean)
{
    baton_stream *a = make_stream(), *b = make_stream(), *c = make_stream();
    baton_array *arrays[] = { make_array(COUNT, a), make_array(COUNT, a), make_array(COUNT, b) };
    baton_gate *gate = close_gate(a);
    fill(arrays[0], 1, a);
    fill(arrays[1], 1, a);
    ok(baton_copy(arrays[2], arrays[0], b, &error));
    open_gate(gate);
    ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
    for (int i = 0; i < 3; i++) {
        counting_start();
        ck_assert_int_eq(baton_array_query(arrays[i], &error), BATON_OK);
        ok(baton_array_synchronize(arrays[i], BATON_WAIT_AUTO, &error));
        ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
        fill(arrays[i], 5, c);
        ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 1);
        expect(arrays[i], 5, c);
        arrays_release(arrays[i]);
    }
    streams_release(a, b, c);
}
END_TEST

/* O8: a query that finds the work done tells as much. */
START_TEST(a_query_that_succeeds_makes_memory_clean)
{
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    fill(array, 1, a);
    while (baton_stream_query(a, &error) == BATON_NOT_READY)
        ;
    counting_start();
    ok(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    arrays_release(array);
    streams_release(a);
}
END_TEST

/* H2 */
START_TEST(nothing_outstanding_makes_no_driver_call)
{
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_fence *of_array, *of_stream;
    fill(array, 1, a);
    ok(baton_stream_synchronize(a, BATON_WAIT_AUTO, &error));
    counting_start();
    ok(baton_stream_synchronize(a, BATON_WAIT_AUTO, &error));
    ok(baton_stream_query(a, &error));
    ok(baton_array_synchronize(array, BATON_WAIT_BLOCK, &error));
    ok(baton_array_query(array, &error));
    ok(baton_array_fence(array, &of_array, &error));
    ok(baton_stream_fence(a, &of_stream, &error));
    ok(baton_fence_query(of_array, &error));
    ok(baton_fence_wait(of_stream, BATON_UNLIMITED, BATON_WAIT_AUTO, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    baton_fence_release(of_array);
    baton_fence_release(of_stream);
    arrays_release(array);
    streams_release(a);
}
END_TEST

/* H1: AUTO and BLOCK end in the driver's wait; BLOCK asks once and does not spin. */
START_TEST(block_waits_in_the_driver_and_does_not_spin)
{
    static const int32_t modes[] = { BATON_WAIT_AUTO, BATON_WAIT_BLOCK };
    for (size_t i = 0; i < 2; i++) {
        baton_stream *a = make_stream();
        baton_array *array = make_array(COUNT, a);
        baton_gate *gate = close_gate(a);
        fill(array, 1, a);
        counting_start();
        synchronize_must_wait(i ? array : NULL, a, modes[i], gate);
        ck_assert_uint_ge(calls(DRIVER_ROW_event_synchronize), 1);
        if (modes[i] == BATON_WAIT_BLOCK)
            ck_assert_uint_le(calls(DRIVER_ROW_event_query), 1);
        arrays_release(array);
        streams_release(a);
    }
}
END_TEST

/* H1: SPIN asks again and again; once the work is done, the driver's own synchronize is called. */
START_TEST(spin_asks_until_the_work_is_done_and_then_synchronizes)
{
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    struct waiting w = { .array = array, .mode = BATON_WAIT_SPIN, .error = BATON_ERROR_INIT };
    struct waiter waiter;
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    counting_start();
    waiter_start(&waiter, run_synchronize, &w);
    waiter_expect_asking(&waiter);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_synchronize), 0);
    open_gate(gate);
    waiter_join(&waiter);
    ck_assert_int_eq(w.status, BATON_OK);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_synchronize), 1);
    arrays_release(array);
    streams_release(a);
}
END_TEST

START_TEST(an_unknown_mode_is_refused)
{
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    refused(BATON_ERR_ARGUMENT, baton_array_synchronize(array, 3, &error));
    refused(BATON_ERR_ARGUMENT, baton_stream_synchronize(a, -1, &error));
    arrays_release(array);
    streams_release(a);
}
END_TEST

/* H3: what was not waited for with success is as outstanding as before. */
START_TEST(a_failed_wait_changes_nothing)
{
    static const enum driver_row rows[] = {
        DRIVER_ROW_event_record, DRIVER_ROW_event_query, DRIVER_ROW_event_synchronize
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        baton_stream *a = make_stream(), *b = make_stream();
        baton_array *array = make_array(COUNT, a);
        fill(array, 1, a);
        fill(array, 2, b);
        instrument_fail(rows[i], 1, DRIVER_INVALID_VALUE, 0);
        refused(BATON_ERR_DRIVER, baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
        ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(b));
        counting_start();
        ok(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
        ck_assert_uint_ge(calls(DRIVER_ROW_event_synchronize), 1);
        arrays_release(array);
        streams_release(a, b);
    }
}
END_TEST

/* P6: such a stream may hold work that nobody counted. */
static void expect_driver_entered(baton_stream *stream)
{
    for (int i = 0; i < 2; i++) {
        counting_start();
        ok(baton_stream_query(stream, &error));
        ck_assert_uint_gt(calls(DRIVER_ROW_event_query), 0);
        counting_start();
        ok(baton_stream_synchronize(stream, BATON_WAIT_AUTO, &error));
        ck_assert_uint_gt(calls(DRIVER_ROW_event_synchronize), 0);
    }
}

START_TEST(a_wrapped_or_given_out_stream_always_asks_the_driver)
{
    driver_stream native = outside_stream(0);
    baton_stream *wrapped = outside_wrap(native, 0), *own = make_stream();
    counting_start();
    ok(baton_stream_query(own, &error));
    ok(baton_stream_synchronize(own, BATON_WAIT_AUTO, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    native_of(own);
    expect_driver_entered(own);
    expect_driver_entered(wrapped);
    streams_release(wrapped, own);
    ok(baton_drain(runtime, 0, NULL, &error));
    outside_stream_destroy(native, 0);
}
END_TEST

SUPPORT_MAIN("wait", 60, synchronizing_after_a_hand_off_waits_for_the_gated_origin, synchronizing_waits_for_readers,
             a_waiter_holds_no_lock_and_ignores_newer_work,
             synchronizing_a_stream_makes_all_memory_that_it_covers_clean, a_query_that_succeeds_makes_memory_clean,
             nothing_outstanding_makes_no_driver_call, block_waits_in_the_driver_and_does_not_spin,
             spin_asks_until_the_work_is_done_and_then_synchronizes, an_unknown_mode_is_refused,
             a_failed_wait_changes_nothing,
             a_wrapped_or_given_out_stream_always_asks_the_driver)
