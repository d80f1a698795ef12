/* What may be done while a capture is under way, and captures that somebody else began. */
#include "graph_support.h"

/* ---- C9: nothing that the library does breaks a capture, in any mode, on any thread */

struct meanwhile {
    struct bench *bench;
    baton_executable *executable;       /* to be given back meanwhile */
    baton_graph *graph;
    baton_kernel *kernel;
};

static void everything_else(void *argument)
{
    struct meanwhile *meanwhile = argument;
    baton_stream *t = make_stream();
    baton_array *z = make_array(64, t), *host = make_array_of(BATON_HOST, 64, t), *unified = make_array_of(BATON_UNIFIED, 64, t);
    baton_fence *fence;
    void *address;
    fill(z, 4, t);
    ok(baton_copy(host, z, t, &error));
    ok(baton_copy(unified, z, t, &error));
    ok(baton_stream_synchronize(t, BATON_WAIT_BLOCK, &error));
    fill(z, 5, t);
    ok(baton_array_fence(z, &fence, &error));
    ok(baton_fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_AUTO, &error));
    baton_fence_release(fence);
    fill(z, 6, t);
    ck_assert_int_ge(baton_stream_query(t, &error), 0);
    ck_assert_int_ge(baton_array_query(z, &error), 0);
    ok(baton_array_synchronize(meanwhile->bench->x, BATON_WAIT_AUTO, &error));
    ok(baton_array_host_pointer(host, BATON_READ, &address, &error));
    expect(z, 6, t);
    baton_array *in_capture = make_array(64, meanwhile->bench->s);
    baton_array_release(in_capture);
    baton_executable_release(meanwhile->executable);
    baton_graph_release(meanwhile->graph);
    baton_kernel_release(meanwhile->kernel);
    arrays_release(z, host, unified);
    baton_stream_release(t);
    ok(baton_drain(runtime, 0, NULL, &error));
    ok(baton_trim(runtime, 0, 0, &error));
}

/* C9: on the capturing thread and on another one. */
START_TEST(in_no_mode_does_the_library_break_a_capture)
{
    struct bench bench;
    bench_make(&bench);
    for (int i = 0; i < 6; i++) {
        struct meanwhile meanwhile = { .bench = &bench, .kernel = make_add_one(0) };
        begin(bench.s, BATON_CAPTURE_RELAXED);
        ok(add_one(meanwhile.kernel, bench.y, bench.x, bench.s, &error));
        meanwhile.graph = end(bench.s);
        meanwhile.executable = make_executable(meanwhile.graph);
        begin(bench.s, i / 2);
        ok(add_one(bench.kernel, bench.y, bench.x, bench.s, &error));
        if (i % 2)
            on_thread(everything_else, &meanwhile);
        else
            everything_else(&meanwhile);
        expect_capturing(bench.s);
        baton_executable *executable = end_executable(bench.s);
        launch(executable, bench.s);
        expect(bench.y, 2, bench.s);
        baton_executable_release(executable);
    }
    bench_drop(&bench);
}
END_TEST

/* C9: new memory for a captured stream is allocated on the device's own stream, and the graph orders itself behind that. */
START_TEST(memory_made_for_a_captured_stream_lies_outside_the_capture)
{
    struct bench bench;
    bench_make(&bench);
    begin(bench.s, BATON_CAPTURE_GLOBAL);
    baton_array *z = make_array(100, bench.s);
    ck_assert_uint_ne(info_of(z).owner_stream_id, id_of(bench.s));
    ok(add_one(bench.kernel, z, bench.x, bench.s, &error));
    baton_executable *executable = end_executable(bench.s);
    launch(executable, bench.s);
    expect(z, 2, bench.s);
    baton_executable_release(executable);
    baton_array_release(z);
    bench_drop(&bench);
}
END_TEST

/* C9: what would need the result, or hold the stream, is refused without breaking the capture. */
START_TEST(what_a_capture_cannot_hold_is_refused_and_the_capture_goes_on)
{
    struct bench bench;
    bench_make(&bench);
    int32_t host[100];
    baton_fence *fence;
    baton_gate *gate;
    void *managed;
    for (int32_t mode = 0; mode <= BATON_CAPTURE_RELAXED; mode++) {
        begin(bench.s, mode);
        fill(bench.y, 1, bench.s);
        refused(BATON_ERR_CAPTURE, baton_download(host, sizeof host, bench.y, bench.s, &error));
        refused(BATON_ERR_CAPTURE, baton_download_async(host, sizeof host, bench.y, bench.s, &fence, &error));
        refused(BATON_ERR_CAPTURE, baton_gate_create(bench.s, 1000000000, &gate, &error));
        refused(BATON_ERR_CAPTURE, baton_stream_fence(bench.s, &fence, &error));
        refused(BATON_ERR_CAPTURE, baton_stream_synchronize(bench.s, BATON_WAIT_SPIN, &error));
        refused(BATON_ERR_CAPTURE, baton_stream_query(bench.s, &error));
        refused(BATON_ERR_CAPTURE, baton_dlpack_export(bench.y, bench.s, &managed, &error));
        expect_capturing(bench.s);
        baton_graph_release(end(bench.s));
    }
    bench_drop(&bench);
}
END_TEST

/* C2: a stream outside the capture would have to be waited for inside it: refused before the driver is called. */
START_TEST(a_captured_stream_does_not_follow_one_outside)
{
    struct bench bench;
    bench_make(&bench);
    baton_stream *t = make_stream(), *second = make_stream(), *legacy;
    ok(baton_stream_wrap(runtime, 0, BATON_STREAM_LEGACY, &legacy, &error));
    fill(bench.x, 2, t);
    begin(bench.s, BATON_CAPTURE_GLOBAL);
    begin(second, BATON_CAPTURE_GLOBAL);
    counting_start();
    refused(BATON_ERR_CAPTURE, baton_stream_follow(bench.s, t, &error));
    refused(BATON_ERR_CAPTURE, baton_stream_follow(bench.s, second, &error));
    refused(BATON_ERR_CAPTURE, baton_stream_follow(legacy, bench.s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    expect_capturing(bench.s);
    expect_capturing(second);
    baton_graph_release(end(bench.s));
    baton_graph_release(end(second));
    streams_release(t, second, legacy);
    bench_drop(&bench);
}
END_TEST

/* C2 */
START_TEST(a_stream_of_another_device_does_not_follow_a_captured_one)
{
    struct bench bench;
    bench_make(&bench);
    baton_stream *far = make_stream_on(1);
    begin(bench.s, BATON_CAPTURE_GLOBAL);
    counting_start();
    refused(BATON_ERR_CAPTURE, baton_stream_follow(far, bench.s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    expect_capturing(bench.s);
    baton_graph_release(end(bench.s));
    baton_stream_release(far);
    bench_drop(&bench);
}
END_TEST

/* ---- C10: captures begun elsewhere */

/* The stream goes after everything that names it. */
static void drop_outside(struct bench *bench, baton_stream *wrapped, driver_stream native)
{
    ok(baton_stream_synchronize(wrapped, BATON_WAIT_AUTO, &error));
    arrays_release(bench->x, bench->y);
    ok(baton_drain(runtime, 0, NULL, &error));
    baton_stream_release(wrapped);
    ok(baton_drain(runtime, 0, NULL, &error));
    outside_stream_destroy(native, 0);
    bench->x = make_array(100, bench->s);
    bench->y = make_array(100, bench->s);
    bench_drop(bench);
}

/* C10, S9: memory used inside is tainted, and every later use by another stream waits on the host. */
START_TEST(a_capture_begun_elsewhere_taints_what_it_uses)
{
    struct bench bench;
    bench_make(&bench);
    driver_stream native = outside_stream(0);
    baton_stream *wrapped = outside_wrap(native, 0);
    outside_capture_begin(native);
    ok(add_one(bench.kernel, bench.y, bench.x, wrapped, &error));
    refused(BATON_ERR_CAPTURE, baton_capture_begin(wrapped, 0, &error));
    refused(BATON_ERR_CAPTURE, baton_stream_synchronize(wrapped, BATON_WAIT_AUTO, &error));
    refused(BATON_ERR_CAPTURE, baton_stream_query(wrapped, &error));
    ck_assert_uint_ne(info_of(bench.y).flags & BATON_ARRAY_TAINTED, 0);
    ck_assert_uint_eq(info_of(bench.y).owner_stream_id, id_of(bench.s));
    ck_assert_int_eq(is_active(wrapped), 0);
    driver_graph_exec graph = outside_capture_end(native);
    ok(baton_stream_synchronize(bench.s, BATON_WAIT_AUTO, &error));
    baton_gate *gate = close_gate(wrapped);
    outside_launch(graph, native);
    fill_must_wait(bench.y, 5, bench.s, gate);
    expect(bench.y, 5, bench.s);
    outside_graph_destroy(graph);
    drop_outside(&bench, wrapped, native);
}
END_TEST

static int outside_alive(driver_stream native)
{
    driver_capture_status status = DRIVER_CAPTURE_STATUS_NONE;
    ck_assert_int_eq(outside_driver()->capture_status(native, &status), 0);
    return status == DRIVER_CAPTURE_STATUS_ACTIVE;
}

/* C9, C10: allocations, waits, follows, gates and graph launches on such a stream do not break it. */
START_TEST(a_capture_begun_elsewhere_survives_the_library)
{
    struct bench bench;
    bench_make(&bench);
    driver_stream native = outside_stream(0);
    baton_stream *wrapped = outside_wrap(native, 0), *t = make_stream();
    int32_t host[100];
    baton_gate *gate;
    baton_executable *executable = capture_add_one(bench.kernel, bench.y, bench.x, bench.s);
    outside_capture_begin(native);
    baton_array *z = make_array(100, wrapped);
    ck_assert(outside_alive(native));
    refused(BATON_ERR_CAPTURE, baton_stream_follow(wrapped, bench.s, &error));
    refused(BATON_ERR_CAPTURE, baton_stream_follow(t, wrapped, &error));
    refused(BATON_ERR_CAPTURE, baton_gate_create(wrapped, 1000000000, &gate, &error));
    refused(BATON_ERR_CAPTURE, baton_download(host, sizeof host, bench.x, wrapped, &error));
    ck_assert(outside_alive(native));
    launch(executable, wrapped);
    ck_assert(outside_alive(native));
    ck_assert_uint_ne(info_of(bench.y).flags & BATON_ARRAY_TAINTED, 0);
    baton_executable_release(executable);
    baton_array_release(z);
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert(outside_alive(native));
    driver_graph_exec graph = outside_capture_end(native);
    ok(baton_stream_synchronize(bench.s, BATON_WAIT_AUTO, &error));
    outside_launch(graph, native);
    expect(bench.y, 2, t);
    outside_graph_destroy(graph);
    baton_stream_release(t);
    drop_outside(&bench, wrapped, native);
}
END_TEST

/* C1, C10: the library's own capture of a wrapped stream is tracked, and not mistaken for somebody else's. */
START_TEST(a_wrapped_stream_captured_by_the_library_taints_nothing)
{
    struct bench bench;
    bench_make(&bench);
    driver_stream native = outside_stream(0);
    baton_stream *wrapped = outside_wrap(native, 0);
    begin(wrapped, BATON_CAPTURE_GLOBAL);
    ok(add_one(bench.kernel, bench.y, bench.x, wrapped, &error));
    baton_executable *executable = end_executable(wrapped);
    ck_assert_uint_eq(info_of(bench.y).flags & BATON_ARRAY_TAINTED, 0);
    launch(executable, wrapped);
    expect(bench.y, 2, bench.s);
    baton_executable_release(executable);
    drop_outside(&bench, wrapped, native);
}
END_TEST

/* C1, P6: the event before the capture lies behind work without tickets too. */
START_TEST(the_event_before_a_capture_covers_foreign_work)
{
    struct bench bench;
    bench_make(&bench);
    driver_stream native = outside_stream(0);
    baton_stream *wrapped = outside_wrap(native, 0), *t = make_stream();
    uint64_t address;
    ok(baton_array_pointer(bench.x, wrapped, BATON_WRITE, &address, &error));
    baton_gate *gate = close_gate(wrapped);
    ok(baton_stream_follow(t, wrapped, &error));    /* records */
    outside_fill(address, 5, 100, native);
    begin(wrapped, BATON_CAPTURE_RELAXED);
    fill(bench.x, 6, t);
    expect_busy(t);
    baton_graph_release(end(wrapped));
    open_gate(gate);
    expect(bench.x, 6, t);
    baton_stream_release(t);
    drop_outside(&bench, wrapped, native);
}
END_TEST

SUPPORT_MAIN("graph mode", 60, in_no_mode_does_the_library_break_a_capture, memory_made_for_a_captured_stream_lies_outside_the_capture,
             what_a_capture_cannot_hold_is_refused_and_the_capture_goes_on, a_captured_stream_does_not_follow_one_outside, two_devices(a_stream_of_another_device_does_not_follow_a_captured_one),
             a_capture_begun_elsewhere_taints_what_it_uses, a_capture_begun_elsewhere_survives_the_library,
             a_wrapped_stream_captured_by_the_library_taints_nothing, the_event_before_a_capture_covers_foreign_work)
