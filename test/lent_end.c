/* Streams that a protocol names by their number: when what they used is given back, and what it is to keep one (P7). */
#include "census.h"
#include "lent_support.h"

/* O9: nobody knows when the consumer's work is done until its stream is named, or all is waited for; a drain does not wait. */
START_TEST(memory_of_a_consumer_that_is_gone_is_not_given_back_early)
{
    _Atomic int open = 0;
    driver_stream native = outside_stream(0);
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    struct dlpack_managed *managed = export_to(array, native);
    outside_hold(&open, native);
    consumer_fill(managed, 1, native);
    native = recycle(native);
    consumer_end(managed);
    baton_array_release(array);
    for (int i = 0; i < 3; i++)
        drain();
    ck_assert_uint_eq(calls(DRIVER_ROW_free_async) + calls(DRIVER_ROW_host_free), 0);
    ck_assert_uint_eq(stats().deferred_bytes, COUNT * sizeof(int32_t));
    open = 1;
    ok(baton_trim(runtime, 0, 0, &error));
    ck_assert_uint_eq(stats().deferred_bytes, 0);
    expect_untouched();
    baton_stream_release(s);
    outside_stream_destroy(native, 0);
}
END_TEST

/* O9, E1: that cannot be told from a consumer's work. */
START_TEST(memory_is_not_disposed_of_before_its_last_use_on_a_lent_stream_is_recorded)
{
    driver_stream native = outside_stream(0);
    baton_stream *lent = adopt(number(native));
    baton_array *array = make_array(COUNT, lent);
    counting_start();
    instrument_fail(DRIVER_ROW_event_record, 2, DRIVER_INVALID_VALUE, 0);
    fill(array, 1, lent);
    ck_assert_uint_eq(instrument_failures(), 1);
    ck_assert_int_eq(baton_array_dispose(array, &error), BATON_NOT_READY);
    ok(baton_stream_synchronize(lent, BATON_WAIT_AUTO, &error));
    ok(baton_array_dispose(array, &error));
    arrays_release(array);
    streams_release(lent);
    drain_all();
    outside_stream_destroy(native, 0);
}
END_TEST

START_TEST(memory_of_a_consumer_that_names_its_stream_each_time_comes_back)
{
    driver_stream native = outside_stream(0);
    baton_stream *s = make_stream();
    for (int i = 0; i < 50; i++) {
        baton_array *array = make_array(COUNT, s);
        struct dlpack_managed *managed = export_to(array, native);
        consumer_fill(managed, i, native);
        consumer_end(managed);
        baton_array_release(array);
        ck_assert_int_eq(outside_driver()->stream_synchronize(native), 0);
        drain();
        ck_assert_uint_le(stats().deferred_bytes, COUNT * sizeof(int32_t));     /* the newest may be in use */
    }
    baton_stream_release(s);
    outside_stream_destroy(native, 0);
}
END_TEST

/* O9: everything is waited for then, and given back. */
START_TEST(a_runtime_closes_after_the_streams_that_were_lent_to_it)
{
    driver_stream native = outside_stream(0);
    baton_stream *lent = adopt(number(native)), *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    struct dlpack_managed *managed = export_with(array, 0, lent);
    fill(array, 2, lent);
    consumer_fill(managed, 1, native);
    native = recycle(native);
    consumer_end(managed);
    baton_array_release(array);
    streams_release(lent, s);
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
    expect_untouched();
    ck_assert_uint_eq(census_read().allocations, 0);
    if (on_soft())
        return;                             /* it has ended with its context */
    support_reopen(NULL);
    outside_stream_destroy(native, 0);
}
END_TEST

/* O9: by then nobody names the stream any more, and the runtime whose it was does not wait again. */
START_TEST(what_a_closed_runtime_left_on_a_lent_stream_is_given_back_by_another_runtimes_close)
{
    driver_stream native = outside_stream(0);
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    struct dlpack_managed *managed = export_to(array, native);
    consumer_fill(managed, 1, native);
    native = recycle(native);
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
    support_reopen(NULL);
    consumer_end(managed);
    arrays_release(array);
    streams_release(s);
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
    expect_untouched();
    ck_assert_uint_eq(census_read().allocations, 0);
    if (on_soft())
        return;                             /* it has ended with its context */
    support_reopen(NULL);
    outside_stream_destroy(native, 0);
}
END_TEST

/* ---- streams that something keeps */

struct keeper {
    driver_stream native;
    _Atomic int calls;
};

static void let_go(void *user, uint64_t native)
{
    struct keeper *keeper = user;
    ck_assert_uint_eq(native, number(keeper->native));
    keeper->calls++;
}

/* P5: the device follows the consumer as it follows a stream of the library's, and the stream is let go once nothing names it. */
START_TEST(a_stream_that_is_kept_is_followed_on_the_device_and_let_go_at_the_end)
{
    struct keeper keeper = { .native = outside_stream(0) };
    baton_stream *lent = adopt(number(keeper.native)), *c = make_stream();
    baton_array *array = make_array(COUNT, c), *copy = make_array(COUNT, c);
    struct dlpack_managed *managed = export_with(array, 0, lent);
    ck_assert_int_eq(is_lent(lent), 1);
    ok(baton_stream_keep(lent, let_go, &keeper, &error));
    ck_assert_int_eq(is_lent(lent), 0);
    baton_gate *gate = close_gate(lent);
    baton_stream_release(lent);
    consumer_fill(managed, 2, keeper.native);
    counting_start();
    ok(baton_copy(copy, array, c, &error));
    consumer_end(managed);
    drain();
    ok(baton_copy(copy, array, c, &error));
    ck_assert_uint_eq(host_waits() + calls(DRIVER_ROW_host_free), 0);
    expect_busy(c);
    ck_assert_int_eq(keeper.calls, 0);
    open_gate(gate);
    expect(copy, 2, c);
    arrays_release(array, copy);
    drain_all();
    drain();                                /* of what the memory named */
    ck_assert_int_eq(keeper.calls, 1);
    baton_stream_release(c);
    outside_stream_destroy(keeper.native, 0);
}
END_TEST

START_TEST(what_keeps_a_stream_that_is_kept_already_is_let_go_at_once)
{
    struct keeper first = { .native = outside_stream(0) }, second = first, own = { .native = NULL };
    baton_stream *lent = adopt(number(first.native)), *s = make_stream();
    own.native = native_of(s);
    ok(baton_stream_keep(lent, let_go, &first, &error));
    ok(baton_stream_keep(lent, let_go, &second, &error));
    ok(baton_stream_keep(s, let_go, &own, &error));
    ok(baton_stream_keep(s, NULL, NULL, &error));
    ck_assert_int_eq(first.calls, 0);
    ck_assert_int_eq(second.calls, 1);
    ck_assert_int_eq(own.calls, 1);
    streams_release(lent, s);
    drain();
    ck_assert_int_eq(first.calls, 1);
    outside_stream_destroy(first.native, 0);
}
END_TEST

/* E1, P6 */
START_TEST(only_streams_that_a_number_named_are_lent)
{
    driver_stream native = outside_stream(0);
    baton_stream *lent = adopt(number(native)), *wrapped = outside_wrap(native, 0), *s = make_stream(), *back = adopt(number(native_of(s))),
                 *legacy = adopt(BATON_STREAM_LEGACY), *per_thread = adopt(BATON_STREAM_PER_THREAD);
    ck_assert_int_eq(is_lent(lent), 1);
    ck_assert_int_eq(is_lent(wrapped) + is_lent(s) + is_lent(back) + is_lent(legacy) + is_lent(per_thread), 0);
    refused(BATON_ERR_ARGUMENT, baton_stream_lent(s, NULL, &error));
    refused(BATON_ERR_HANDLE, baton_stream_keep((baton_stream *)(void *)runtime, let_go, NULL, &error));
    streams_release(lent, wrapped, s, back, legacy, per_thread);
    drain();
    outside_stream_destroy(native, 0);
}
END_TEST

/* H1, P6: a call that names the stream waits for all that is on it. */
START_TEST(a_lent_stream_that_is_named_is_waited_for_and_asked)
{
    _Atomic int open = 0;
    driver_stream native = outside_stream(0);
    baton_stream *lent = adopt(number(native)), *follower = make_stream();
    baton_fence *fence;
    outside_hold(&open, native);
    ck_assert_int_eq(baton_stream_query(lent, &error), BATON_NOT_READY);
    ok(baton_stream_follow(follower, lent, &error));
    ok(baton_stream_fence(lent, &fence, &error));
    ck_assert_int_eq(baton_fence_query(fence, &error), BATON_NOT_READY);
    expect_busy(follower);
    open = 1;
    ok(baton_stream_synchronize(lent, BATON_WAIT_AUTO, &error));
    ok(baton_stream_query(lent, &error));
    ok(baton_fence_query(fence, &error));
    baton_fence_release(fence);
    streams_release(lent, follower);
    drain();
    outside_stream_destroy(native, 0);
}
END_TEST

SUPPORT_MAIN("lent, the end", 60, memory_of_a_consumer_that_is_gone_is_not_given_back_early,
             memory_is_not_disposed_of_before_its_last_use_on_a_lent_stream_is_recorded,
             memory_of_a_consumer_that_names_its_stream_each_time_comes_back, a_runtime_closes_after_the_streams_that_were_lent_to_it,
             what_a_closed_runtime_left_on_a_lent_stream_is_given_back_by_another_runtimes_close,
             a_stream_that_is_kept_is_followed_on_the_device_and_let_go_at_the_end, what_keeps_a_stream_that_is_kept_already_is_let_go_at_once,
             only_streams_that_a_number_named_are_lent, a_lent_stream_that_is_named_is_waited_for_and_asked)
