/* The legacy default stream: most of what other libraries do is there (S10). */
#include "outside.h"
#include "waiter.h"

enum { COUNT = 300 };

/* S10, S5: the legacy stream, under both of its names, follows and is followed on the device. */
START_TEST(the_legacy_stream_takes_memory_and_hands_it_on_by_device_waits)
{
    static const uint64_t names[] = { 0, BATON_STREAM_LEGACY };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        baton_stream *a = make_stream(), *b = make_stream(), *legacy = outside_wrap((driver_stream)(uintptr_t)names[i], 0);
        baton_array *array = make_array(COUNT, a);
        baton_gate *gate = close_gate(a);
        fill(array, 1, a);
        fill(array, 2, legacy);
        expect_busy(legacy);
        fill(array, 3, b);
        expect_busy(b);
        ck_assert_uint_eq(stats().host_waits[BATON_HOST_WAIT_SPECIAL], 0);
        open_gate(gate);
        expect(array, 3, b);
        arrays_release(array);
        streams_release(a, b, legacy);
    }
}
END_TEST

/* S10: what another library's blocking stream did lies before what is recorded on the legacy stream, as the driver orders the two. */
START_TEST(work_of_blocking_streams_is_followed_through_the_legacy_stream)
{
    baton_stream *warm = make_stream(), *b = make_stream(), *legacy = outside_wrap(DRIVER_STREAM_LEGACY, 0);
    driver_stream native;
    const struct driver *driver = outside_driver();
    driver_context context = outside_context(0);
    ck_assert_int_eq(driver->context_push(context), 0);
    ck_assert_int_eq(driver->stream_create(&native, 0, 0), 0);
    ck_assert_int_eq(driver->context_pop(&context), 0);
    baton_stream *blocking = outside_wrap(native, 0);
    baton_array *array = make_array(COUNT, warm);
    uint64_t address;
    ok(baton_array_pointer(array, legacy, BATON_READ_WRITE, &address, &error));
    baton_gate *gate = close_gate(blocking);
    outside_fill(address, 5, COUNT, native);            /* the library is told of the legacy stream only */
    fill(array, 6, b);
    expect_busy(b);
    open_gate(gate);
    expect(array, 6, b);
    arrays_release(array);
    streams_release(warm, b, legacy, blocking);
    ok(baton_drain(runtime, 0, NULL, &error));
    outside_stream_destroy(native, 0);
}
END_TEST

SUPPORT_MAIN("legacy", 60, the_legacy_stream_takes_memory_and_hands_it_on_by_device_waits, work_of_blocking_streams_is_followed_through_the_legacy_stream)
