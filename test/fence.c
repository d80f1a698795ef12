/* Fences: what an array or a stream depended on when the fence was taken, to be asked, waited for, or polled. */
#include <dirent.h>

#include "waiter.h"

#include <poll.h>

enum { COUNT = 100 };

static baton_fence *fence_of(baton_array *array)
{
    baton_fence *fence;
    ok(baton_array_fence(array, &fence, &error));
    return fence;
}

static baton_fence *fence_of_stream(baton_stream *stream)
{
    baton_fence *fence;
    ok(baton_stream_fence(stream, &fence, &error));
    return fence;
}

/* H1: after a hand-off, for the origin as well as the owner. */
START_TEST(a_fence_is_ready_when_all_that_it_depends_on_has_finished)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    fill(array, 2, b);
    baton_fence *fence = fence_of(array), *other = fence_of_stream(b);
    ck_assert_int_eq(baton_fence_query(fence, &error), BATON_NOT_READY);
    ck_assert_int_eq(baton_fence_query(other, &error), BATON_NOT_READY);
    open_gate(gate);
    ok(baton_fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_AUTO, &error));
    ok(baton_fence_wait(other, BATON_UNLIMITED, BATON_WAIT_AUTO, &error));
    ck_assert_int_eq(baton_fence_query(fence, &error), BATON_OK);
    counting_start();
    ok(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));       /* O8: the fence's wait told as much */
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    expect(array, 2, b);
    baton_fence_release(fence);
    baton_fence_release(other);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

/* A query sees an event's newest record: the stream must not record this one again. */
START_TEST(a_fence_is_not_moved_by_newer_work)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a), *other = make_array(COUNT, a);
    fill(array, 1, a);
    baton_fence *fence = fence_of(array), *of_stream = fence_of_stream(a);
    baton_gate *gate = close_gate(a);
    fill(other, 1, a);
    fill(other, 2, b);                                  /* records A behind the gate */
    fill(array, 3, a);
    ok(baton_fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_AUTO, &error));
    ok(baton_fence_wait(of_stream, BATON_UNLIMITED, BATON_WAIT_AUTO, &error));
    ck_assert_int_eq(baton_fence_query(fence, &error), BATON_OK);
    expect_busy(a);
    expect_busy(b);
    ck_assert_int_eq(baton_array_query(array, &error), BATON_NOT_READY);
    open_gate(gate);
    expect(array, 3, a);
    expect(other, 2, b);
    baton_fence_release(fence);
    baton_fence_release(of_stream);
    arrays_release(array, other);
    streams_release(a, b);
}
END_TEST

/* H3: BATON_TIMEOUT leaves everything as it was. */
START_TEST(a_timeout_leaves_the_state_as_it_was)
{
    static const int32_t modes[] = { BATON_WAIT_AUTO, BATON_WAIT_SPIN, BATON_WAIT_BLOCK };
    static const int64_t timeouts[] = { 0, 1, 2000000 };
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    fill(array, 2, b);
    baton_fence *fence = fence_of(array);
    for (int i = 0; i < 9; i++)
        ck_assert_int_eq(baton_fence_wait(fence, timeouts[i / 3], modes[i % 3], &error), BATON_TIMEOUT);
    ck_assert_int_eq(baton_array_query(array, &error), BATON_NOT_READY);
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(b));
    ck_assert_uint_eq(info_of(array).pending_stream_id, id_of(a));
    open_gate(gate);
    ok(baton_fence_wait(fence, 10000000000, BATON_WAIT_BLOCK, &error));
    expect(array, 2, b);
    baton_fence_release(fence);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

START_TEST(a_negative_timeout_is_refused)
{
    baton_stream *a = make_stream();
    baton_fence *fence = fence_of_stream(a);
    refused(BATON_ERR_ARGUMENT, baton_fence_wait(fence, -2, BATON_WAIT_AUTO, &error));
    refused(BATON_ERR_ARGUMENT, baton_fence_wait(fence, 0, 7, &error));
    baton_fence_release(fence);
    streams_release(a);
}
END_TEST

static int readable(int32_t descriptor, int timeout_ms)
{
    struct pollfd entry = { .fd = descriptor, .events = POLLIN };
    return poll(&entry, 1, timeout_ms) == 1 && entry.revents & POLLIN;
}

/* H1: and stays readable. */
START_TEST(a_descriptor_becomes_readable_when_the_fence_is_ready)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    int32_t descriptor, again;
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    fill(array, 2, b);
    baton_fence *fence = fence_of(array);
    ok(baton_fence_descriptor(fence, &descriptor, &error));
    ok(baton_fence_descriptor(fence, &again, &error));
    ck_assert_int_eq(descriptor, again);
    ck_assert_int_eq(readable(descriptor, 0), 0);
    open_gate(gate);
    ck_assert_int_eq(readable(descriptor, 15000), 1);
    ck_assert_int_eq(readable(descriptor, 0), 1);
    ck_assert_int_eq(baton_fence_query(fence, &error), BATON_OK);
    baton_fence_release(fence);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

START_TEST(the_descriptor_of_a_ready_fence_becomes_readable)
{
    baton_stream *a = make_stream();
    int32_t descriptor;
    baton_fence *fence = fence_of_stream(a);
    ok(baton_fence_descriptor(fence, &descriptor, &error));
    ck_assert_int_eq(readable(descriptor, 15000), 1);
    baton_fence_release(fence);
    streams_release(a);
}
END_TEST

/* A failure ends the watching too: nobody would poll for ever. */
START_TEST(a_descriptor_becomes_readable_when_the_fence_has_failed)
{
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    int32_t descriptor;
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    baton_fence *fence = fence_of(array);
    ok(baton_fence_descriptor(fence, &descriptor, &error));
    instrument_fail(DRIVER_ROW_event_query, 1, DRIVER_INVALID_VALUE, 0);
    ck_assert_int_eq(readable(descriptor, 15000), 1);
    ck_assert_int_eq(baton_fence_query(fence, &error), BATON_NOT_READY);
    open_gate(gate);
    ok(baton_fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_AUTO, &error));
    baton_fence_release(fence);
    arrays_release(array);
    streams_release(a);
}
END_TEST

/* A fence keeps what it needs: neither the array nor the stream. */
START_TEST(a_fence_outlives_its_array_and_its_stream)
{
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    baton_fence *fence = fence_of(array);
    arrays_release(array);
    streams_release(a);
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_int_eq(baton_fence_query(fence, &error), BATON_NOT_READY);
    ok(baton_fence_retain(fence));
    baton_fence_release(fence);
    open_gate(gate);
    ok(baton_fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_AUTO, &error));
    baton_fence_release(fence);
}
END_TEST

static int descriptors_open(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    ck_assert_ptr_nonnull(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

/* I5: a release closes nothing; the next fences do, once the thread behind the descriptors has let go of them. */
START_TEST(released_fences_do_not_pile_up_descriptors)
{
    enum { MANY = 500, FEW = 100 };
    baton_stream *s = make_stream();
    baton_array *array = make_array(4, s);
    int before = descriptors_open();
    for (int i = 0; i < MANY; i++) {
        baton_fence *fence;
        int32_t descriptor;
        fill(array, i, s);
        ok(baton_array_fence(array, &fence, &error));
        ok(baton_fence_descriptor(fence, &descriptor, &error));
        ok(baton_fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_AUTO, &error));
        baton_fence_release(fence);
    }
    ck_assert_int_lt(descriptors_open(), before + FEW);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

SUPPORT_MAIN("fence", 60, released_fences_do_not_pile_up_descriptors, a_fence_is_ready_when_all_that_it_depends_on_has_finished, a_fence_is_not_moved_by_newer_work,
             a_timeout_leaves_the_state_as_it_was, a_negative_timeout_is_refused,
             a_descriptor_becomes_readable_when_the_fence_is_ready, the_descriptor_of_a_ready_fence_becomes_readable,
             a_descriptor_becomes_readable_when_the_fence_has_failed, a_fence_outlives_its_array_and_its_stream)
