/* Where the host waits instead of the device: untracked captures, special streams, memory of the host, other
 * devices; and the switch that turns waiting off. */
#include "outside.h"
#include "waiter.h"

enum { COUNT = 300 };

static uint64_t waits_for(int32_t cause)
{
    return stats().host_waits[cause];
}

/* A fill elsewhere must wait for `gate`, is counted under `cause`, and no wait is queued on the device. */
static void expect_host_wait(baton_array *array, int32_t value, baton_stream *stream, baton_gate *gate, int32_t cause)
{
    uint64_t host = waits_for(cause), device = stats().device_waits;
    fill_must_wait(array, value, stream, gate);
    ck_assert_uint_ge(waits_for(cause), host + 1);
    ck_assert_uint_eq(stats().device_waits, device);
}

/* S9, C10: a capture begun elsewhere used the memory, so that the graph may run again at any time. */
START_TEST(memory_of_an_untracked_capture_is_waited_for_by_the_host_for_ever)
{
    driver_stream native = outside_stream(0);
    baton_stream *captured = outside_wrap(native, 0), *b = make_stream();
    baton_array *array = make_array(COUNT, captured);
    outside_capture_begin(native);
    fill(array, 1, captured);
    driver_graph_exec graph = outside_capture_end(native);
    ck_assert_uint_ne(info_of(array).flags & BATON_ARRAY_TAINTED, 0);
    for (int32_t i = 0; i < 3; i++) {
        baton_gate *gate = close_gate(captured);
        outside_launch(graph, native);
        expect_host_wait(array, 5 + i, b, gate, BATON_HOST_WAIT_TAINTED);
        expect(array, 5 + i, b);
    }
    outside_graph_destroy(graph);
    arrays_release(array);
    streams_release(captured, b);
    ok(baton_drain(runtime, 0, NULL, &error));
    outside_stream_destroy(native, 0);
}
END_TEST

static void synchronize(void *argument)
{
    ok(baton_array_synchronize(argument, BATON_WAIT_AUTO, NULL));
}

/* S9: host access too; and a use inside the capture takes no ownership (C4). */
START_TEST(synchronizing_tainted_memory_waits_for_the_graph_each_time)
{
    baton_stream *a = make_stream(), *captured = make_stream();
    driver_stream native = native_of(captured);
    baton_array *array = make_array(COUNT, a);
    fill(array, 1, a);
    ok(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    outside_capture_begin(native);
    fill(array, 9, captured);
    driver_graph_exec graph = outside_capture_end(native);
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(a));
    for (int i = 0; i < 2; i++) {
        baton_gate *gate = close_gate(captured);
        outside_launch(graph, native);
        must_wait(synchronize, array, gate);
    }
    expect(array, 9, captured);
    outside_graph_destroy(graph);
    arrays_release(array);
    streams_release(a, captured);
}
END_TEST

static baton_stream *make_special(uint64_t native)
{
    return outside_wrap((driver_stream)(uintptr_t)native, 0);
}

/* S10: the per-thread stream as the new owner. */
START_TEST(the_per_thread_stream_takes_memory_by_a_host_wait)
{
    baton_stream *a = make_stream(), *special = make_special(BATON_STREAM_PER_THREAD);
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    expect_host_wait(array, 2, special, gate, BATON_HOST_WAIT_SPECIAL);
    expect(array, 2, a);
    arrays_release(array);
    streams_release(a, special);
}
END_TEST

/* S10: and as the old owner, also for a reader on another thread. */
START_TEST(memory_of_the_per_thread_stream_is_handed_on_by_a_host_wait)
{
    baton_stream *b = make_stream(), *special = make_special(BATON_STREAM_PER_THREAD);
    baton_array *array = make_array(COUNT, b);
    baton_gate *gate = close_gate(special);
    fill(array, 1, special);
    expect_host_wait(array, 2, b, gate, BATON_HOST_WAIT_SPECIAL);
    expect(array, 2, b);
    arrays_release(array);
    streams_release(b, special);
}
END_TEST

/* S10: each thread's 0x2 is a stream of its own. */
START_TEST(the_per_thread_streams_of_two_threads_are_two_streams)
{
    baton_stream *special = make_special(BATON_STREAM_PER_THREAD), *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(special);
    fill(array, 1, special);
    uint64_t mine = info_of(array).owner_stream_id;
    expect_host_wait(array, 2, special, gate, BATON_HOST_WAIT_SPECIAL);
    ck_assert_uint_ne(info_of(array).owner_stream_id, mine);
    expect(array, 2, a);
    arrays_release(array);
    streams_release(special, a);
}
END_TEST

/* S10, O3: on one thread it is one stream. */
START_TEST(the_per_thread_stream_of_one_thread_needs_no_wait)
{
    baton_stream *special = make_special(BATON_STREAM_PER_THREAD);
    baton_array *array = make_array(COUNT, special);
    baton_gate *gate = close_gate(special);
    fill(array, 1, special);
    fill(array, 2, special);
    ck_assert_uint_eq(waits_for(BATON_HOST_WAIT_SPECIAL), 0);
    open_gate(gate);
    expect(array, 2, special);
    arrays_release(array);
    streams_release(special);
}
END_TEST

struct two_steps {
    baton_array *array;
    baton_stream *stream;
    pthread_barrier_t turn;
    int32_t taken, filled;
};

static void take_then_fill(void *argument)
{
    struct two_steps *steps = argument;
    uint64_t address;
    steps->taken = baton_array_pointer(steps->array, steps->stream, BATON_READ_WRITE, &address, NULL);
    pthread_barrier_wait(&steps->turn);
    pthread_barrier_wait(&steps->turn);
    steps->filled = baton_fill(steps->array, &(int32_t) { 1 }, sizeof(int32_t), steps->stream, NULL);
}

/* S10, P4: nobody but its thread can record behind foreign work on a per-thread stream; the library's own work there
 * is recorded at once. */
START_TEST(foreign_work_on_another_threads_stream_is_an_error_until_that_thread_goes_on)
{
    baton_stream *a = make_stream();
    struct two_steps steps = { .array = make_array(COUNT, a), .stream = make_special(BATON_STREAM_PER_THREAD) };
    struct waiter other;
    pthread_barrier_init(&steps.turn, NULL, 2);
    waiter_start(&other, take_then_fill, &steps);
    pthread_barrier_wait(&steps.turn);
    refused(BATON_ERR_THREAD, baton_fill(steps.array, &(int32_t) { 2 }, sizeof(int32_t), a, &error));
    ck_assert_uint_eq(info_of(steps.array).lock_holder, 0);
    pthread_barrier_wait(&steps.turn);
    waiter_join(&other);
    ck_assert_int_eq(steps.taken, BATON_OK);
    ck_assert_int_eq(steps.filled, BATON_OK);
    fill(steps.array, 3, a);
    expect(steps.array, 3, a);
    pthread_barrier_destroy(&steps.turn);
    arrays_release(steps.array);
    streams_release(a, steps.stream);
}
END_TEST

/* S11, item 4: the CPU may touch it at any time. */
START_TEST(unified_and_pinned_memory_changes_streams_by_a_host_wait)
{
    static const int32_t kinds[] = { BATON_UNIFIED, BATON_HOST };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        baton_stream *a = make_stream(), *b = make_stream();
        baton_array *array = make_array_of(kinds[i], COUNT, a);
        baton_gate *gate = close_gate(a);
        fill(array, 1, a);
        fill(array, 2, a);
        ck_assert_uint_eq(waits_for(BATON_HOST_WAIT_UNIFIED), i);       /* none on its own stream */
        expect_host_wait(array, 3, b, gate, BATON_HOST_WAIT_UNIFIED);
        expect(array, 3, b);
        arrays_release(array);
        streams_release(a, b);
    }
}
END_TEST

struct launch {
    baton_kernel *kernel;
    baton_array *to, *from;
    baton_stream *stream;
    int32_t status;
    baton_error error;
};

static void run_launch(void *argument)
{
    struct launch *launch = argument;
    launch->status = add_one(launch->kernel, launch->to, launch->from, launch->stream, &launch->error);
}

/* S12, item 5 */
START_TEST(memory_that_changes_devices_is_waited_for_by_the_host)
{
    baton_stream *a = make_stream(), *b = make_stream_on(1);
    baton_array *from = make_array(COUNT, a), *to = make_array(COUNT, b);
    struct launch launch = { make_add_one(1), to, from, b, .error = BATON_ERROR_INIT };
    baton_gate *gate = close_gate(a);
    fill(from, 1, a);
    must_wait(run_launch, &launch, gate);
    ck_assert_msg(launch.status == BATON_OK, "%s", launch.error.message);
    ck_assert_uint_eq(waits_for(BATON_HOST_WAIT_DEVICE), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_context_enable_peer), 1);
    expect(to, 2, b);
    arrays_release(from, to);
    baton_kernel_release(launch.kernel);
    streams_release(a, b);
}
END_TEST

/* S13: no wait of any kind; the owner is known all the same. The software device sees the race that this is. */
START_TEST(memory_that_does_not_synchronize_is_never_waited_for)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a), *copy = make_array(COUNT, b);
    baton_array *unified = make_array_of(BATON_UNIFIED, COUNT, a);
    ok(baton_array_set_synchronizing(array, 0, &error));
    ok(baton_array_set_synchronizing(unified, 0, &error));
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    fill(unified, 1, a);
    fill(array, 2, b);
    fill(unified, 2, b);
    ok(baton_copy(copy, array, b, &error));
    ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
    expect_busy(a);
    ck_assert_uint_eq(stats().device_waits, 0);
    ck_assert_uint_eq(waits_for(BATON_HOST_WAIT_UNIFIED), 0);
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(b));
    ck_assert_uint_eq(info_of(array).readers, 1);
    if (on_soft())
        ck_assert_uint_gt(soft_problems(), 0);
    soft_problems_reset();
    open_gate(gate);
    ok(baton_stream_synchronize(a, BATON_WAIT_AUTO, &error));
    arrays_release(array, unified, copy);
    streams_release(a, b);
}
END_TEST

/* S13: the switch is the memory's; tickets went on, so that what comes after it is turned on again is ordered. */
START_TEST(turning_synchronization_on_again_orders_behind_what_was_done_meanwhile)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a), *view = make_view(array, 0, COUNT);
    ok(baton_array_set_synchronizing(view, 0, &error));
    ck_assert_uint_eq(info_of(array).flags & BATON_ARRAY_SYNCHRONIZING, 0);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    ok(baton_array_set_synchronizing(array, 1, &error));
    ck_assert_uint_ne(info_of(view).flags & BATON_ARRAY_SYNCHRONIZING, 0);
    fill(view, 2, b);
    expect_busy(b);
    open_gate(gate);
    expect(array, 2, b);
    arrays_release(array, view);
    streams_release(a, b);
}
END_TEST

/* S13, O10 */
START_TEST(not_synchronizing_survives_resize_and_is_inherited_by_views)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    ok(baton_array_set_synchronizing(array, 0, &error));
    ok(baton_array_resize(array, 2 * COUNT, a, &error));
    ok(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    baton_array *view = make_view(array, 0, COUNT);
    ck_assert_uint_eq(info_of(array).flags & BATON_ARRAY_SYNCHRONIZING, 0);
    ck_assert_uint_eq(info_of(view).flags & BATON_ARRAY_SYNCHRONIZING, 0);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    fill(view, 2, b);
    ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
    expect_busy(a);
    soft_problems_reset();
    open_gate(gate);
    ok(baton_stream_synchronize(a, BATON_WAIT_AUTO, &error));
    arrays_release(view, array);
    streams_release(a, b);
}
END_TEST

SUPPORT_MAIN("special", 60, memory_of_an_untracked_capture_is_waited_for_by_the_host_for_ever,
             synchronizing_tainted_memory_waits_for_the_graph_each_time, the_per_thread_stream_takes_memory_by_a_host_wait,
             memory_of_the_per_thread_stream_is_handed_on_by_a_host_wait,
             the_per_thread_streams_of_two_threads_are_two_streams, the_per_thread_stream_of_one_thread_needs_no_wait,
             foreign_work_on_another_threads_stream_is_an_error_until_that_thread_goes_on,
             unified_and_pinned_memory_changes_streams_by_a_host_wait,
             two_devices(memory_that_changes_devices_is_waited_for_by_the_host),
             memory_that_does_not_synchronize_is_never_waited_for,
             turning_synchronization_on_again_orders_behind_what_was_done_meanwhile,
             not_synchronizing_survives_resize_and_is_inherited_by_views)
