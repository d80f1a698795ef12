/* What goes into a graph: other graphs, several streams, sources of uploads, values. */
#include "graph_support.h"

/* ---- C8: graphs in graphs */

/* C8: the inner set joins the outer one with its access, and the driver is not asked to launch into a capture. */
START_TEST(a_launch_inside_a_capture_merges_sets_with_their_access)
{
    struct bench bench;
    bench_make(&bench);
    baton_array *z = make_array(100, bench.s);
    baton_stream *t = make_stream();
    baton_executable *inner = capture_add_one(bench.kernel, bench.y, bench.x, bench.s);
    begin(bench.s, BATON_CAPTURE_GLOBAL);
    counting_start();
    launch(inner, bench.s);
    ck_assert_uint_eq(calls(DRIVER_ROW_graph_launch), 0);
    ck_assert_uint_eq(calls(DRIVER_ROW_graph_add_child), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_capture_update), 1);     /* what follows lies behind the child */
    ok(add_one(bench.kernel, z, bench.y, bench.s, &error));
    expect_capturing(bench.s);
    baton_graph *graph = end(bench.s);
    ck_assert_uint_eq(graph_info_of(graph).memories, 3);
    ck_assert_uint_eq(graph_info_of(graph).written, 2);
    ck_assert_uint_eq(graph_info_of(graph).steps, 2);
    baton_executable *outer = make_executable(graph);
    baton_graph_release(graph);
    baton_executable_release(inner);
    ok(baton_drain(runtime, 0, NULL, &error));
    launch(outer, t);
    ck_assert_uint_eq(info_of(bench.y).owner_stream_id, id_of(t));
    ck_assert_uint_ne(info_of(bench.x).owner_stream_id, id_of(t));
    ck_assert_uint_eq(info_of(bench.x).readers, 1);
    expect(z, 3, t);
    baton_executable_release(outer);
    baton_array_release(z);
    baton_stream_release(t);
    bench_drop(&bench);
}
END_TEST

/* C8, C7: three levels, each keeping the kernels, memories and graphs below it. */
START_TEST(graphs_nest_twice_and_the_outermost_keeps_all)
{
    struct bench bench;
    bench_make(&bench);
    baton_array *arrays[] = { make_array(100, bench.s), make_array(100, bench.s) };
    baton_kernel *kernel = make_add_one(0);
    baton_executable *level = capture_add_one(kernel, arrays[0], bench.x, bench.s);
    for (int i = 0; i < 2; i++) {
        begin(bench.s, i);
        launch(level, bench.s);
        ok(add_one(bench.kernel, i ? bench.y : arrays[1], arrays[i], bench.s, &error));
        baton_executable_release(level);
        level = end_executable(bench.s);
    }
    arrays_release_all(arrays, 2);
    uint64_t modules = census_now().modules;
    baton_kernel_release(kernel);
    ok(baton_stream_synchronize(bench.s, BATON_WAIT_AUTO, &error));
    ck_assert_uint_eq(census_now().modules, modules);
    for (int i = 0; i < 3; i++) {
        fill(bench.x, 10 * i, bench.s);
        launch(level, bench.s);
        expect(bench.y, 10 * i + 3, bench.s);
    }
    baton_executable_release(level);
    bench_drop(&bench);
}
END_TEST

/* C8: the graph of that moment is the child; a later update of the executable does not reach into the outer graph. */
START_TEST(a_child_is_the_graph_of_its_moment)
{
    struct bench bench;
    bench_make(&bench);
    baton_array *z = make_array(100, bench.s);
    fill(z, 0, bench.s);
    baton_executable *inner = capture_add_one(bench.kernel, bench.y, bench.x, bench.s);
    begin(bench.s, BATON_CAPTURE_RELAXED);
    launch(inner, bench.s);
    baton_executable *outer = end_executable(bench.s);
    begin(bench.s, BATON_CAPTURE_RELAXED);
    ok(add_one(bench.kernel, z, bench.x, bench.s, &error));
    baton_graph *other = end(bench.s);
    ok(baton_graph_update(inner, other, &error));
    launch(outer, bench.s);
    expect(bench.y, 2, bench.s);
    expect(z, 0, bench.s);
    baton_executable_release(inner);
    baton_executable_release(outer);
    baton_graph_release(other);
    baton_array_release(z);
    bench_drop(&bench);
}
END_TEST

/* ---- several streams */

/* C2, C6: a fork and a join over three streams; each has its event before the capture, and the launch takes the whole set on one stream. */
START_TEST(a_graph_forks_and_joins_over_streams_that_follow)
{
    struct bench bench;
    bench_make(&bench);
    baton_stream *fork[] = { make_stream(), make_stream() }, *t = make_stream();
    baton_array *half[] = { make_array(100, fork[0]), make_array(100, fork[1]) }, *before = make_array(100, fork[0]);
    fill(before, 9, fork[0]);
    begin(bench.s, BATON_CAPTURE_GLOBAL);
    for (int i = 0; i < 2; i++) {
        ok(baton_stream_follow(fork[i], bench.s, &error));
        ck_assert_int_eq(is_active(fork[i]), 1);
        ok(add_one(bench.kernel, half[i], bench.x, fork[i], &error));
    }
    fill(before, 8, t);         /* another task follows the stream that joined, by its event before that */
    refused(BATON_ERR_CAPTURE, baton_stream_synchronize(fork[0], BATON_WAIT_AUTO, &error));
    for (int i = 0; i < 2; i++)
        ok(baton_stream_follow(bench.s, fork[i], &error));
    ok(add_one(bench.kernel, bench.y, half[1], bench.s, &error));
    baton_graph *graph = end(bench.s);
    ck_assert_uint_eq(graph_info_of(graph).memories, 4);
    ck_assert_int_eq(is_active(fork[0]) + is_active(fork[1]), 0);
    baton_executable *executable = make_executable(graph);
    launch(executable, t);
    expect(half[0], 2, fork[1]);
    expect(bench.y, 3, fork[0]);
    expect(before, 8, bench.s);
    baton_executable_release(executable);
    baton_graph_release(graph);
    arrays_release(half[0], half[1], before);
    streams_release(fork[0], fork[1], t);
    bench_drop(&bench);
}
END_TEST

/* C3: a stream that joined belongs to the capturing task too. */
START_TEST(the_capturing_task_is_refused_memory_of_a_stream_that_joined)
{
    struct bench bench;
    bench_make(&bench);
    baton_stream *joined = make_stream(), *mine = make_stream();
    baton_array *z = make_array(100, joined);
    fill(z, 3, joined);
    ok(baton_stream_set_task(bench.s, 7, &error));
    ok(baton_stream_set_task(mine, 7, &error));
    begin(bench.s, BATON_CAPTURE_RELAXED);
    ok(baton_stream_follow(joined, bench.s, &error));
    ok(baton_stream_follow(bench.s, joined, &error));
    refused(BATON_ERR_CAPTURE, baton_fill(z, &(int32_t) { 4 }, 4, mine, &error));
    expect_capturing(joined);
    baton_graph_release(end(bench.s));
    expect(z, 3, mine);
    baton_array_release(z);
    streams_release(joined, mine);
    bench_drop(&bench);
}
END_TEST

/* ---- what a graph keeps */

/* C4, C7: the graph copies from memory of its own at every launch, whatever became of the caller's. */
START_TEST(an_upload_inside_a_capture_keeps_its_own_copy_of_the_source)
{
    struct bench bench;
    bench_make(&bench);
    int32_t *host = calloc(100, sizeof *host);
    ck_assert_ptr_nonnull(host);
    for (int i = 0; i < 100; i++)
        host[i] = 77;
    begin(bench.s, BATON_CAPTURE_GLOBAL);
    ok(baton_upload(bench.y, host, 400, bench.s, &error));
    memset(host, 0, 400);
    free(host);
    baton_executable *executable = end_executable(bench.s);
    for (int i = 0; i < 2; i++) {
        fill(bench.y, 0, bench.s);
        launch(executable, bench.s);
        expect(bench.y, 77, bench.s);
    }
    uint64_t allocations = census_now().allocations;
    baton_executable_release(executable);
    ck_assert_uint_eq(census_now().allocations, allocations - 1);
    bench_drop(&bench);
}
END_TEST

static void scale_kernel(const baton_host_launch *launch, void *const *arguments)
{
    int32_t *to = (int32_t *)(uintptr_t)*(const uint64_t *)arguments[0], factor = *(const int32_t *)arguments[1];
    (void)launch;
    for (int i = 0; i < 100; i++)
        to[i] *= factor;
}

/* C7: values are taken when they are captured. */
START_TEST(values_are_those_of_the_capture)
{
    static const baton_host_parameter parameters[] = { { 8, BATON_READ_WRITE }, { 4, 0 } };
    struct bench bench;
    bench_make(&bench);
    baton_kernel *scale = make_kernel(0, scale_kernel, "scale", parameters, 2);
    int32_t *factor = malloc(sizeof *factor);
    ck_assert_ptr_nonnull(factor);
    *factor = 3;
    baton_launch_options options = { .struct_size = sizeof options, .stream = bench.s };
    begin(bench.s, BATON_CAPTURE_RELAXED);
    ok(baton_launch(scale, &options, (baton_argument[]) { baton_inout(bench.x), { .data = factor, .bytes = 4 } }, 2, &error));
    *factor = 100;
    free(factor);
    baton_executable *executable = end_executable(bench.s);
    baton_kernel_release(scale);
    ok(baton_drain(runtime, 0, NULL, &error));
    launch(executable, bench.s);
    launch(executable, bench.s);
    expect(bench.x, 9, bench.s);
    baton_executable_release(executable);
    bench_drop(&bench);
}
END_TEST

/* C6, S12: a copy between devices that cannot reach each other is captured and launched like the one outside. */
START_TEST(a_captured_copy_between_devices_needs_no_peer_access)
{
    struct bench bench;
    bench_make(&bench);
    baton_stream *far = make_stream_on(1);
    baton_array *there = make_array(100, far);
    fill(there, 12, far);
    soft_set_peer(0, 1, 0);
    begin(bench.s, BATON_CAPTURE_RELAXED);
    ok(baton_copy(bench.y, there, bench.s, &error));
    baton_executable *executable = end_executable(bench.s);
    launch(executable, bench.s);
    expect(bench.y, 12, bench.s);
    soft_set_peer(0, 1, 1);
    baton_executable_release(executable);
    baton_array_release(there);
    baton_stream_release(far);
    bench_drop(&bench);
}
END_TEST

/* C4, W1: a scope inside a capture adds its memories to the set, and its addresses serve launches into the capture. */
START_TEST(a_scope_inside_a_capture_adds_to_the_set)
{
    struct bench bench;
    bench_make(&bench);
    baton_scope *scope;
    baton_operand x = { .array = bench.x, .access = BATON_WRITE }, y = { .array = bench.y, .access = BATON_READ };
    begin(bench.s, BATON_CAPTURE_GLOBAL);
    ok(baton_scope_begin(bench.s, NULL, &x, 1, 0, &scope, &error));
    ok(baton_scope_add(scope, &y, &error));
    outside_fill(x.address, 31, 100, native_of(bench.s));
    ok(baton_scope_end(scope, &error));
    baton_scope_release(scope);
    baton_graph *graph = end(bench.s);
    ck_assert_uint_eq(graph_info_of(graph).memories, 2);
    ck_assert_uint_eq(graph_info_of(graph).written, 1);
    baton_executable *executable = make_executable(graph);
    baton_graph_release(graph);
    launch(executable, bench.s);
    expect(bench.x, 31, bench.s);
    baton_executable_release(executable);
    bench_drop(&bench);
}
END_TEST

SUPPORT_WITHOUT_CACHE

SUPPORT_MAIN("graph nested", 60, a_launch_inside_a_capture_merges_sets_with_their_access, graphs_nest_twice_and_the_outermost_keeps_all,
             a_child_is_the_graph_of_its_moment, a_graph_forks_and_joins_over_streams_that_follow,
             the_capturing_task_is_refused_memory_of_a_stream_that_joined, an_upload_inside_a_capture_keeps_its_own_copy_of_the_source,
             values_are_those_of_the_capture, two_devices(soft_only(a_captured_copy_between_devices_needs_no_peer_access, "can take peer access away")),
             a_scope_inside_a_capture_adds_to_the_set)
