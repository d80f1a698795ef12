/* Streams that a protocol names by their number (P4, P5, P6): they live during the call that names them, and may be gone, or somebody else's, right after it. */
#include "census.h"
#include "exchange_support.h"

enum { COUNT = 100 };

static uint64_t number(driver_stream native)
{
    return (uint64_t)(uintptr_t)native;
}

static int32_t is_lent(baton_stream *stream)
{
    int32_t lent;
    ok(baton_stream_lent(stream, &lent, &error));
    return lent;
}

/* The consumer names its stream, and nobody keeps the handle. */
static struct dlpack_managed *export_to(baton_array *array, driver_stream native)
{
    baton_stream *stream = adopt(number(native));
    struct dlpack_managed *managed = export_with(array, 0, stream);
    baton_stream_release(stream);
    return managed;
}

static void consumer_fill(const struct dlpack_managed *managed, int32_t value, driver_stream native)
{
    outside_fill((uint64_t)(uintptr_t)managed->tensor.data, value, COUNT, native);
}

static void end(struct dlpack_managed *managed)
{
    managed->deleter(managed);
}

/* The stream ends, and its handle is somebody else's at once. */
static driver_stream recycle(driver_stream native)
{
    outside_stream_destroy(native, 0);
    driver_stream next = outside_stream(0);
    ck_assert_ptr_eq(next, native);
    counting_start();
    return next;
}

/* Since then no call has named it. */
static void expect_untouched(driver_stream native)
{
    for (int row = 0; row < DRIVER_ROW_COUNT; row++)
        ck_assert_msg(!journal_find((enum driver_row)row, native, 0, NULL), "row %d named a stream that may be gone", row);
}

static uint64_t export_waits(void)
{
    return stats().host_waits[BATON_HOST_WAIT_EXPORT];
}

struct copying {
    baton_array *to, *from;
    baton_stream *on;
};

static void copy_all(void *argument)
{
    struct copying *copying = argument;
    baton_error own = BATON_ERROR_INIT;
    ck_assert_int_eq(baton_copy(copying->to, copying->from, copying->on, &own), BATON_OK);
}

/* A copy of the array waits for what `open` holds, and then has that value. */
static void copy_must_wait(baton_array *array, int32_t value, baton_stream *on, _Atomic int *open)
{
    baton_array *copy = make_array(COUNT, on);
    struct copying copying = { copy, array, on };
    struct waiter waiter;
    waiter_start(&waiter, copy_all, &copying);
    waiter_expect_blocked(&waiter);
    *open = 1;
    waiter_join(&waiter);
    expect(copy, value, on);
    baton_array_release(copy);
}

/* S5: the protocol names the stream, so it waits on the device, and the host for nothing. */
START_TEST(a_lent_stream_waits_on_the_device_when_it_is_named)
{
    driver_stream native = outside_stream(0);
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    baton_gate *gate = close_gate(s);
    fill(array, 1, s);
    counting_start();
    struct dlpack_managed *managed = export_to(array, native);
    ck_assert_uint_eq(host_waits(), 0);
    ck_assert_uint_eq(journal_find(DRIVER_ROW_stream_wait_event, native, 0, NULL), 1);
    consumer_fill(managed, 2, native);
    ck_assert_int_eq(outside_driver()->stream_query(native), DRIVER_NOT_READY);
    open_gate(gate);
    ck_assert_int_eq(outside_driver()->stream_synchronize(native), 0);
    ck_assert_int_eq(outside_word((uint64_t)(uintptr_t)managed->tensor.data, 0), 2);
    end(managed);
    baton_array_release(array);
    baton_stream_release(s);
    outside_stream_destroy(native, 0);
}
END_TEST

/* P5: its work is followed, also that which the stream still had queued when it was destroyed, while the consumer lives and after it. */
START_TEST(a_consumer_whose_stream_is_gone_is_followed_without_it)
{
    for (int ended = 0; ended < 2; ended++) {
        _Atomic int open = 0;
        driver_stream native = outside_stream(0);
        baton_stream *c = make_stream();
        baton_array *array = make_array(COUNT, c);
        struct dlpack_managed *managed = export_to(array, native);
        outside_hold(&open, native);
        consumer_fill(managed, 7, native);
        native = recycle(native);
        if (ended)
            end(managed);
        drain();
        copy_must_wait(array, 7, c, &open);
        uint64_t waits = export_waits();
        fill(array, 8, c);
        ck_assert_uint_eq(export_waits() - waits, 0);   /* all that there was is over, and known to be */
        if (!ended)
            end(managed);
        baton_array_release(array);
        drain();
        expect_untouched(native);
        baton_stream_release(c);
        outside_stream_destroy(native, 0);
    }
}
END_TEST

/* P5: another call that names the stream finds it alive: what lies before it there is followed on the device from then on. */
START_TEST(naming_the_stream_again_makes_its_earlier_work_known)
{
    _Atomic int open = 0;
    driver_stream native = outside_stream(0);
    baton_stream *c = make_stream();
    baton_array *array = make_array(COUNT, c), *copy = make_array(COUNT, c), *other = make_array(COUNT, c);
    struct dlpack_managed *managed = export_to(array, native);
    outside_hold(&open, native);
    consumer_fill(managed, 5, native);
    end(managed);
    drain();
    struct dlpack_managed *again = export_to(other, native);
    native = recycle(native);
    ok(baton_copy(copy, array, c, &error));
    ck_assert_uint_eq(host_waits() + calls(DRIVER_ROW_host_free), 0);
    expect_busy(c);
    open = 1;
    expect(copy, 5, c);
    end(again);
    arrays_release(array, copy, other);
    drain();
    expect_untouched(native);
    baton_stream_release(c);
    outside_stream_destroy(native, 0);
}
END_TEST

/* P4, S5: what the library itself has put there is behind a record that needs no stream. */
START_TEST(work_of_the_librarys_own_on_a_lent_stream_is_followed_on_the_device)
{
    driver_stream native = outside_stream(0);
    baton_stream *lent = adopt(number(native)), *c = make_stream();
    baton_array *array = make_array(COUNT, c), *copy = make_array(COUNT, c);
    baton_gate *gate = close_gate(lent);
    fill(array, 3, lent);
    baton_stream_release(lent);
    native = recycle(native);
    ok(baton_copy(copy, array, c, &error));
    ck_assert_uint_eq(host_waits() + calls(DRIVER_ROW_host_free), 0);
    expect_busy(c);
    open_gate(gate);
    expect(copy, 3, c);
    arrays_release(array, copy);
    drain();
    expect_untouched(native);
    baton_stream_release(c);
    outside_stream_destroy(native, 0);
}
END_TEST

/* P4: a producer names its stream for what it has put there by then. */
START_TEST(the_stream_of_an_interface_is_followed_after_its_end)
{
    _Atomic int open = 0;
    driver_stream native = outside_stream(0);
    baton_stream *s = make_stream();
    baton_array *lender = make_array(COUNT, s), *array, *copy = make_array(COUNT, s);
    baton_interface_info info = { .struct_size = sizeof info };
    ok(baton_interface_export(lender, &info, &error));
    outside_hold(&open, native);
    outside_fill(info.address, 6, COUNT, native);
    info.stream = number(native);
    ok(baton_interface_import(runtime, &info, NULL, NULL, &array, &error));
    native = recycle(native);
    ok(baton_copy(copy, array, s, &error));
    ck_assert_uint_eq(host_waits() + calls(DRIVER_ROW_host_free), 0);
    expect_busy(s);
    open = 1;
    expect(copy, 6, s);
    arrays_release(array, copy, lender);
    drain();
    expect_untouched(native);
    baton_stream_release(s);
    outside_stream_destroy(native, 0);
}
END_TEST

/* P4: foreign work queued after the address was given out, on a stream that is gone since. */
START_TEST(an_address_given_out_on_a_lent_stream_is_followed_by_waiting)
{
    _Atomic int open = 0;
    driver_stream native = outside_stream(0);
    baton_stream *lent = adopt(number(native)), *c = make_stream();
    baton_array *array = make_array(COUNT, c);
    uint64_t address;
    ok(baton_array_pointer(array, lent, BATON_READ_WRITE, &address, &error));
    baton_stream_release(lent);
    outside_hold(&open, native);
    outside_fill(address, 4, COUNT, native);
    native = recycle(native);
    copy_must_wait(array, 4, c, &open);
    baton_array_release(array);
    drain();
    expect_untouched(native);
    baton_stream_release(c);
    outside_stream_destroy(native, 0);
}
END_TEST

/* P5: whom the interface names lives as long as the handle does. */
START_TEST(a_lent_stream_is_not_named_to_others)
{
    driver_stream native = outside_stream(0);
    baton_stream *lent = adopt(number(native)), *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    baton_interface_info info = { .struct_size = sizeof info };
    baton_gate *gate = close_gate(lent);
    fill(array, 3, lent);
    ok(baton_interface_export(array, &info, &error));
    ck_assert_uint_ne(info.stream, number(native));
    baton_stream_release(lent);
    native = recycle(native);
    outside_fill(info.address, 4, COUNT, (driver_stream)(uintptr_t)info.stream);       /* behind the fill on the lent stream */
    fill(array, 5, s);
    expect_busy(s);
    open_gate(gate);
    expect(array, 5, s);
    baton_array_release(array);
    drain();
    expect_untouched(native);
    baton_stream_release(s);
    outside_stream_destroy(native, 0);
}
END_TEST

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
    end(managed);
    baton_array_release(array);
    for (int i = 0; i < 3; i++)
        drain();
    ck_assert_uint_eq(calls(DRIVER_ROW_free_async) + calls(DRIVER_ROW_host_free), 0);
    ck_assert_uint_eq(stats().deferred_bytes, COUNT * sizeof(int32_t));
    open = 1;
    ok(baton_trim(runtime, 0, 0, &error));
    ck_assert_uint_eq(stats().deferred_bytes, 0);
    expect_untouched(native);
    baton_stream_release(s);
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
        end(managed);
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
    outside_stream_destroy(native, 0);
    counting_start();
    end(managed);
    baton_array_release(array);
    streams_release(lent, s);
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
    expect_untouched(native);
    ck_assert_uint_eq(census_read().allocations, 0);
}
END_TEST

/* S9, C10: the capture is the consumer's. */
START_TEST(memory_in_a_capture_on_a_lent_stream_is_waited_for_without_it)
{
    driver_stream native = outside_stream(0);
    baton_stream *c = make_stream();
    baton_array *array = make_array(COUNT, c);
    outside_capture_begin(native);
    struct dlpack_managed *managed = export_to(array, native);
    consumer_fill(managed, 9, native);
    driver_graph_exec graph = outside_capture_end(native);
    ck_assert(info_of(array).flags & BATON_ARRAY_TAINTED);
    _Atomic int open = 0;
    outside_hold(&open, native);
    outside_launch(graph, native);
    native = recycle(native);
    copy_must_wait(array, 9, c, &open);
    expect_untouched(native);
    end(managed);
    baton_array_release(array);
    ok(baton_trim(runtime, 0, 0, &error));
    outside_graph_destroy(graph);
    baton_stream_release(c);
    outside_stream_destroy(native, 0);
}
END_TEST

/* P5: "every stream" are also those that the library has never heard of. */
START_TEST(a_consumer_that_named_no_stream_may_be_on_one_that_nobody_knows)
{
    _Atomic int open = 0;
    driver_stream native = outside_stream(0);
    baton_stream *c = make_stream();
    baton_array *array = make_array(COUNT, c);
    struct dlpack_managed *managed = export_with(array, BATON_DLPACK_UNORDERED, NULL);
    outside_hold(&open, native);
    consumer_fill(managed, 3, native);
    copy_must_wait(array, 3, c, &open);
    end(managed);
    baton_array_release(array);
    drain();
    baton_stream_release(c);
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
    end(managed);
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

SUPPORT_MAIN("lent", 60, a_lent_stream_waits_on_the_device_when_it_is_named, a_consumer_whose_stream_is_gone_is_followed_without_it,
             naming_the_stream_again_makes_its_earlier_work_known, work_of_the_librarys_own_on_a_lent_stream_is_followed_on_the_device,
             the_stream_of_an_interface_is_followed_after_its_end, an_address_given_out_on_a_lent_stream_is_followed_by_waiting,
             a_lent_stream_is_not_named_to_others, memory_of_a_consumer_that_is_gone_is_not_given_back_early, memory_of_a_consumer_that_names_its_stream_each_time_comes_back,
             a_runtime_closes_after_the_streams_that_were_lent_to_it, memory_in_a_capture_on_a_lent_stream_is_waited_for_without_it,
             a_consumer_that_named_no_stream_may_be_on_one_that_nobody_knows, a_stream_that_is_kept_is_followed_on_the_device_and_let_go_at_the_end,
             what_keeps_a_stream_that_is_kept_already_is_let_go_at_once, only_streams_that_a_number_named_are_lent,
             a_lent_stream_that_is_named_is_waited_for_and_asked)
