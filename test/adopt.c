/* Streams that other code names by their number (P6): the same stream is the same handle. */
#include "outside.h"
#include "waiter.h"

enum { COUNT = 100 };

static baton_stream *adopt(uint64_t native)
{
    baton_stream *stream;
    ok(baton_stream_adopt(runtime, 0, native, &stream, &error));
    return stream;
}

static uint64_t number(driver_stream native)
{
    return (uint64_t)(uintptr_t)native;
}

/* S4, P6: the library's own stream, which has been outside. */
START_TEST(the_librarys_own_stream_comes_back_as_itself)
{
    baton_stream *s = make_stream(), *other = make_stream(), *back = adopt(number(native_of(s)));
    baton_array *array = make_array(COUNT, s);
    ck_assert_ptr_eq(back, s);
    counting_start();
    fill(array, 1, s);
    fill(array, 2, back);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event) + calls(DRIVER_ROW_event_record), 0);
    baton_array_release(array);
    streams_release(s, other, back);
}
END_TEST

START_TEST(a_stream_made_elsewhere_is_one_handle_as_long_as_somebody_has_it)
{
    driver_stream native = outside_stream(0), second = outside_stream(0);
    baton_stream *first = adopt(number(native)), *again = adopt(number(native)), *other = adopt(number(second));
    uint64_t id = id_of(first);
    ck_assert_ptr_eq(first, again);
    ck_assert_ptr_ne(first, other);
    streams_release(first, again);
    ok(baton_drain(runtime, 0, NULL, &error));
    first = adopt(number(native));
    ck_assert_uint_ne(id_of(first), id);
    streams_release(first, other);
    ok(baton_drain(runtime, 0, NULL, &error));
    outside_stream_destroy(native, 0);
    outside_stream_destroy(second, 0);
}
END_TEST

/* The driver gives a handle out again at once; its number tells the two streams apart. */
START_TEST(a_new_stream_under_an_old_handle_is_a_new_one)
{
    const struct driver *driver = outside_driver();
    driver_stream native = outside_stream(0), next;
    driver_context context = outside_context(0);
    baton_stream *old = adopt(number(native));
    ck_assert_int_eq(driver->context_push(context), 0);
    ck_assert_int_eq(driver->stream_destroy(native), 0);
    ck_assert_int_eq(driver->stream_create(&next, DRIVER_STREAM_NON_BLOCKING, 0), 0);
    ck_assert_int_eq(driver->context_pop(&context), 0);
    ck_assert_ptr_eq(next, native);
    baton_stream *fresh = adopt(number(next));
    ck_assert_ptr_ne(fresh, old);
    ck_assert_uint_ne(id_of(fresh), id_of(old));
    streams_release(old, fresh);
    ok(baton_drain(runtime, 0, NULL, &error));
    outside_stream_destroy(next, 0);
}
END_TEST

/* S10 */
START_TEST(the_legacy_and_the_per_thread_stream_are_one_handle_each)
{
    baton_stream *null = adopt(0), *legacy = adopt(BATON_STREAM_LEGACY), *per_thread = adopt(BATON_STREAM_PER_THREAD);
    ck_assert_ptr_eq(null, legacy);
    ck_assert_ptr_ne(legacy, per_thread);
    baton_array *array = make_array(COUNT, per_thread);
    fill(array, 1, per_thread);                     /* this thread's own stream exists by now, and is not what is adopted */
    baton_stream *again = adopt(BATON_STREAM_PER_THREAD);
    ck_assert_ptr_eq(again, per_thread);
    expect(array, 1, per_thread);
    baton_array_release(array);
    streams_release(null, legacy, per_thread, again);
}
END_TEST

/* A handle of one's own, with a task of its own, stays apart. */
START_TEST(a_wrapped_stream_is_not_shared)
{
    driver_stream native = outside_stream(0);
    baton_stream *mine = outside_wrap(native, 0), *theirs = adopt(number(native));
    ck_assert_ptr_ne(mine, theirs);
    streams_release(mine, theirs);
    ok(baton_drain(runtime, 0, NULL, &error));
    outside_stream_destroy(native, 0);
}
END_TEST

/* P6: work without tickets is followed. */
START_TEST(work_that_others_submit_to_an_adopted_stream_is_waited_for)
{
    baton_stream *s = make_stream(), *follower = make_stream(), *back = adopt(number(native_of(s)));
    baton_array *array = make_array(COUNT, s);
    uint64_t address;
    ok(baton_array_pointer(array, back, BATON_READ_WRITE, &address, &error));
    ok(baton_stream_synchronize(back, BATON_WAIT_AUTO, &error));
    baton_gate *gate = close_gate(s);
    outside_fill(address, 4, COUNT, native_of(s));
    ck_assert_int_eq(baton_stream_query(back, &error), BATON_NOT_READY);
    fill(array, 5, follower);
    expect_busy(follower);
    open_gate(gate);
    expect(array, 5, follower);
    baton_array_release(array);
    streams_release(s, follower, back);
}
END_TEST

/* E1 */
START_TEST(a_stream_of_another_device_is_refused)
{
    driver_stream native = outside_stream(1);
    baton_stream *stream = NULL;
    refused(BATON_ERR_DEVICE, baton_stream_adopt(runtime, 0, number(native), &stream, &error));
    ck_assert_ptr_null(stream);
    outside_stream_destroy(native, 1);
}
END_TEST

/* E1 */
START_TEST(devices_that_are_not_there_are_refused)
{
    driver_stream native = outside_stream(0);
    baton_stream *stream = NULL;
    refused(BATON_ERR_DEVICE, baton_stream_adopt(runtime, device_count(), number(native), &stream, &error));
    refused(BATON_ERR_DEVICE, baton_stream_adopt(runtime, -1, 1, &stream, &error));
    refused(BATON_ERR_ARGUMENT, baton_stream_adopt(runtime, 0, 1, NULL, &error));
    ck_assert_ptr_null(stream);
    outside_stream_destroy(native, 0);
}
END_TEST

SUPPORT_MAIN("adopt", 60, the_librarys_own_stream_comes_back_as_itself, a_stream_made_elsewhere_is_one_handle_as_long_as_somebody_has_it,
             a_new_stream_under_an_old_handle_is_a_new_one, the_legacy_and_the_per_thread_stream_are_one_handle_each, a_wrapped_stream_is_not_shared,
             work_that_others_submit_to_an_adopted_stream_is_waited_for, two_devices(a_stream_of_another_device_is_refused),
             devices_that_are_not_there_are_refused)
