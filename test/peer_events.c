/* BATON_RUNTIME_PEER_EVENTS: arrays pass between the streams of different devices by device waits, with all that holds between streams of one
 * device. On three software devices, or as many as there are. */
#include "graph_support.h"
#include "journal.h"

enum { COUNT = 300, ARRAYS = 16, MOST_DEVICES = 16 };

__attribute__((constructor)) static void with_peer_events(void)
{
    setenv("BATON_DRIVER", "soft:3", 0);
    support_flags = BATON_RUNTIME_PEER_EVENTS;
}

static uint64_t host_waits_between(void)
{
    baton_stats now = stats();
    uint64_t waits = 0;
    for (int cause = 0; cause < BATON_HOST_WAIT_CAUSES; cause++)
        waits += cause == BATON_HOST_WAIT_DOWNLOAD || cause == BATON_HOST_WAIT_SYNCHRONIZE ? 0 : now.host_waits[cause];
    return waits;
}

/* Both ways, so that enabling access is out of the way. */
static void meet(baton_stream *a, baton_stream *b)
{
    baton_array *here = make_array(1, a), *there = make_array(1, b);
    fill(here, 1, b);
    fill(there, 1, a);
    expect(here, 1, a);
    expect(there, 1, b);
    arrays_release(here, there);
    ok(baton_drain(runtime, 0, NULL, &error));
}

/* S5, S12: fill, kernel and copy return while the other device is held; one record and one wait each. */
START_TEST(work_on_memory_of_another_devices_held_stream_returns_at_once)
{
    baton_stream *a = make_stream(), *b = make_stream_on(1);
    baton_array *x = make_array(COUNT, a), *y = make_array(COUNT, a), *z = make_array(COUNT, a), *to = make_array(COUNT, b), *kept = make_array(COUNT, b);
    baton_kernel *kernel = make_add_one(1);
    meet(a, b);
    baton_gate *gate = close_gate(a);
    fill(x, 1, a);
    fill(y, 2, a);
    fill(z, 3, a);
    counting_start();
    fill(x, 4, b);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record) + calls(DRIVER_ROW_stream_wait_event), 2);
    ok(add_one(kernel, to, y, b, &error));
    ok(baton_copy(kept, z, b, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);      /* S4: b follows a that far */
    expect_busy(a);
    expect_busy(b);
    ck_assert_uint_eq(host_waits_between(), 0);
    open_gate(gate);
    expect(x, 4, b);
    expect(to, 3, b);
    expect(kept, 3, b);
    arrays_release(x, y, z, to, kept);
    baton_kernel_release(kernel);
    streams_release(a, b);
}
END_TEST

/* S5 */
START_TEST(sixteen_arrays_change_devices_with_one_record_and_one_wait)
{
    baton_stream *a = make_stream(), *b = make_stream_on(1);
    baton_operand operands[ARRAYS] = { { .array = NULL } };
    baton_scope *scope;
    meet(a, b);
    for (int i = 0; i < ARRAYS; i++)
        operands[i].array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    for (int i = 0; i < ARRAYS; i++)
        fill(operands[i].array, i, a);
    counting_start();
    ok(baton_scope_begin(b, NULL, operands, ARRAYS, 0, &scope, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 2);
    ok(baton_scope_end(scope, &error));
    baton_scope_release(scope);
    expect_busy(b);
    open_gate(gate);
    for (int i = 0; i < ARRAYS; i++) {
        expect(operands[i].array, i, b);
        arrays_release(operands[i].array);
    }
    streams_release(a, b);
}
END_TEST

/* S8: over all devices and back, held at the first. */
START_TEST(a_chain_over_all_devices_ends_behind_the_first)
{
    baton_stream *streams[MOST_DEVICES];
    baton_array *arrays[MOST_DEVICES];
    int32_t n = device_count() < MOST_DEVICES ? device_count() : MOST_DEVICES;
    for (int32_t i = 0; i < n; i++) {
        streams[i] = make_stream_on(i);
        arrays[i] = make_array(COUNT, streams[i]);
    }
    baton_array *last = make_array(COUNT, streams[0]);
    baton_gate *gate = close_gate(streams[0]);
    fill(arrays[0], 42, streams[0]);
    for (int32_t i = 1; i < n; i++)
        ok(baton_copy(arrays[i], arrays[i - 1], streams[i], &error));
    ok(baton_copy(last, arrays[n - 1], streams[n - 1], &error));
    for (int32_t i = 0; i < n; i++)
        expect_busy(streams[i]);
    ck_assert_uint_eq(host_waits_between(), 0);
    open_gate(gate);
    expect(last, 42, streams[0]);
    arrays_release_all(arrays, (size_t)n);
    arrays_release(last);
    streams_release_all(streams, (size_t)n);
}
END_TEST

/* S8: the value counts every step. */
START_TEST(thousands_of_bounces_between_devices_end_with_the_right_data)
{
    enum { BOUNCES = 4000 };
    baton_stream *streams[] = { make_stream(), make_stream_on(1) };
    baton_kernel *kernels[] = { make_add_one(0), make_add_one(1) };
    baton_array *array = make_array(COUNT, streams[0]);
    fill(array, 0, streams[0]);
    for (int i = 0; i < BOUNCES; i++)
        ok(add_one(kernels[i % 2], array, array, streams[i % 2], &error));
    ck_assert_uint_eq(host_waits_between(), 0);
    expect(array, BOUNCES, streams[0]);
    arrays_release(array);
    for (int i = 0; i < 2; i++) {
        baton_kernel_release(kernels[i]);
        streams_release(streams[i]);
    }
}
END_TEST

/* S4: readers on both devices do not hold each other, and a writer waits for both. */
START_TEST(a_writer_follows_readers_of_both_devices)
{
    baton_stream *a = make_stream(), *b = make_stream_on(1), *writer = make_stream_on(1);
    baton_array *array = make_array(COUNT, a), *to_a = make_array(COUNT, a), *to_b = make_array(COUNT, b);
    meet(a, b);
    fill(array, 5, a);
    ok(baton_stream_synchronize(a, BATON_WAIT_AUTO, &error));
    baton_gate *held_a = close_gate(a), *held_b = close_gate(b);
    ok(baton_copy(to_a, array, a, &error));
    ok(baton_copy(to_b, array, b, &error));
    fill(array, 6, writer);
    open_gate(held_a);
    ok(baton_stream_synchronize(a, BATON_WAIT_AUTO, &error));
    expect_busy(writer);
    open_gate(held_b);
    expect(to_a, 5, a);
    expect(to_b, 5, b);
    expect(array, 6, writer);
    arrays_release(array, to_a, to_b);
    streams_release(a, b, writer);
}
END_TEST

static void synchronize(void *argument)
{
    ok(baton_array_synchronize(argument, BATON_WAIT_AUTO, NULL));
}

/* P1, O7: the new owner's device is not trusted: what it follows on the device may still run. */
START_TEST(synchronizing_and_pointers_wait_for_the_device_that_the_memory_came_from)
{
    baton_stream *a = make_stream(), *b = make_stream_on(1);
    baton_array *array = make_array(COUNT, a);
    for (int i = 0; i < 2; i++) {
        baton_gate *gate = close_gate(a);
        fill(array, 1 + i, a);
        fill(array, 3 + i, b);
        ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(b));
        ck_assert_uint_eq(info_of(array).pending_stream_id, id_of(a));
        if (i == 0)
            must_wait(synchronize, array, gate);
        else
            pointer_must_wait(array, b, gate);
        expect(array, 3 + i, b);
    }
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

/* ---- what stays as it is */

/* S9 to S11: each keeps its host wait, whatever the devices. */
START_TEST(host_memory_and_per_thread_streams_still_wait_on_the_host)
{
    baton_stream *a = make_stream(), *b = make_stream_on(1), *special = outside_wrap(DRIVER_STREAM_PER_THREAD, 1);
    baton_array *host = make_array_of(BATON_HOST, COUNT, a), *array = make_array(COUNT, a);
    meet(a, b);
    baton_gate *gate = close_gate(a);
    fill(host, 1, a);
    fill_must_wait(host, 2, b, gate);
    ck_assert_uint_ge(stats().host_waits[BATON_HOST_WAIT_UNIFIED], 1);
    gate = close_gate(a);
    fill(array, 1, a);
    fill_must_wait(array, 2, special, gate);
    ck_assert_uint_ge(stats().host_waits[BATON_HOST_WAIT_SPECIAL], 1);
    ck_assert_uint_eq(stats().host_waits[BATON_HOST_WAIT_DEVICE], 0);
    expect(host, 2, b);
    expect(array, 2, a);
    arrays_release(host, array);
    streams_release(a, b, special);
}
END_TEST

/* S10: each device's legacy stream is a stream of its own, entered in its own context. */
START_TEST(legacy_streams_of_two_devices_follow_each_other_on_the_device)
{
    baton_stream *a = outside_wrap(DRIVER_STREAM_LEGACY, 0), *b = outside_wrap(DRIVER_STREAM_LEGACY, 1);
    baton_array *array = make_array(COUNT, a);
    meet(a, b);
    for (int i = 0; i < 2; i++) {
        baton_stream *held = i ? b : a, *next = i ? a : b;
        baton_gate *gate = close_gate(held);
        fill(array, 1 + i, held);
        fill(array, 3 + i, next);
        ck_assert_int_eq(baton_stream_query(next, &error), BATON_NOT_READY);
        open_gate(gate);
        expect(array, 3 + i, next);
    }
    ck_assert_uint_eq(host_waits_between(), 0);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

/* S12: without the flag, and where every hand-off waits on the host anyway. */
START_TEST(without_the_flag_and_under_the_old_policy_the_host_waits)
{
    static const struct { uint32_t flags; int32_t cause; } ways[] = {
        { 0, BATON_HOST_WAIT_DEVICE }, { BATON_RUNTIME_PEER_EVENTS | BATON_RUNTIME_HOST_WAIT, BATON_HOST_WAIT_POLICY }
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        support_flags = ways[i].flags;
        support_reopen(NULL);
        baton_stream *a = make_stream(), *b = make_stream_on(1);
        baton_array *array = make_array(COUNT, a);
        meet(a, b);
        uint64_t waits = stats().host_waits[ways[i].cause], device = stats().device_waits;
        baton_gate *gate = close_gate(a);
        fill(array, 1, a);
        fill_must_wait(array, 2, b, gate);
        ck_assert_uint_eq(stats().host_waits[ways[i].cause], waits + 1);
        ck_assert_uint_eq(stats().device_waits, device);
        expect(array, 2, b);
        arrays_release(array);
        streams_release(a, b);
    }
    support_flags = BATON_RUNTIME_PEER_EVENTS;
}
END_TEST

/* ---- captures and graphs */

/* C2, C3: another device's task follows the event from before the capture; the capturing task is told. */
START_TEST(memory_of_a_captured_stream_of_another_device_is_followed_by_its_earlier_event)
{
    baton_stream *a = make_stream(), *b = make_stream_on(1), *mine = make_stream_on(1);
    baton_array *array = make_array(COUNT, a), *other = make_array(COUNT, a);
    meet(a, b);
    ok(baton_stream_set_task(a, 1, &error));
    ok(baton_stream_set_task(b, 2, &error));
    ok(baton_stream_set_task(mine, 1, &error));
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    fill(other, 1, a);
    begin(a, BATON_CAPTURE_THREAD_LOCAL);
    fill(other, 7, a);
    fill(array, 2, b);
    expect_busy(b);
    refused(BATON_ERR_CAPTURE, baton_fill(other, &(int32_t) { 3 }, sizeof(int32_t), mine, &error));
    baton_executable *executable = end_executable(a);
    open_gate(gate);
    launch(executable, a);
    expect(other, 7, a);
    expect(array, 2, b);
    ck_assert_uint_eq(host_waits_between(), 0);
    baton_executable_release(executable);
    arrays_release(array, other);
    streams_release(a, b, mine);
}
END_TEST

/* C6: a launch takes memory that another device used last. */
START_TEST(a_graph_launch_takes_memory_from_another_devices_stream)
{
    baton_stream *a = make_stream(), *b = make_stream_on(1);
    baton_array *array = make_array(COUNT, a), *to = make_array(COUNT, b);
    baton_kernel *kernel = make_add_one(1);
    fill(array, 0, a);
    meet(a, b);
    begin(b, BATON_CAPTURE_THREAD_LOCAL);
    ok(add_one(kernel, to, array, b, &error));
    baton_executable *executable = end_executable(b);
    baton_gate *gate = close_gate(a);
    fill(array, 30, a);
    launch(executable, b);
    fill(array, 1, a);                      /* S4: behind the launch, which reads it */
    expect_busy(b);
    ck_assert_uint_eq(host_waits_between(), 0);
    open_gate(gate);
    expect(to, 31, b);
    expect(array, 1, a);
    baton_executable_release(executable);
    baton_kernel_release(kernel);
    arrays_release(array, to);
    streams_release(a, b);
}
END_TEST

SUPPORT_MAIN("peer_events", 60, two_devices(work_on_memory_of_another_devices_held_stream_returns_at_once),
             two_devices(sixteen_arrays_change_devices_with_one_record_and_one_wait), two_devices(a_chain_over_all_devices_ends_behind_the_first),
             two_devices(thousands_of_bounces_between_devices_end_with_the_right_data), two_devices(a_writer_follows_readers_of_both_devices),
             two_devices(synchronizing_and_pointers_wait_for_the_device_that_the_memory_came_from),
             two_devices(host_memory_and_per_thread_streams_still_wait_on_the_host),
             two_devices(legacy_streams_of_two_devices_follow_each_other_on_the_device),
             two_devices(without_the_flag_and_under_the_old_policy_the_host_waits),
             two_devices(memory_of_a_captured_stream_of_another_device_is_followed_by_its_earlier_event),
             two_devices(a_graph_launch_takes_memory_from_another_devices_stream))
