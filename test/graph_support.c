#include "graph_support.h"

#include "journal.h"

void bench_make(struct bench *bench)
{
    bench->s = make_stream();
    bench->x = make_array(100, bench->s);
    bench->y = make_array(100, bench->s);
    bench->kernel = make_add_one(0);
    fill(bench->x, 1, bench->s);
}

void bench_drop(struct bench *bench)
{
    ck_assert_int_eq(is_active(bench->s), 0);
    ok(baton_stream_synchronize(bench->s, BATON_WAIT_AUTO, &error));
    baton_kernel_release(bench->kernel);
    baton_array_release(bench->x);
    baton_array_release(bench->y);
    baton_stream_release(bench->s);
    expect_no_graphs();
}

void begin(baton_stream *stream, int32_t mode)
{
    ok(baton_capture_begin(stream, mode, &error));
}

baton_graph *end(baton_stream *stream)
{
    baton_graph *graph;
    ok(baton_capture_end(stream, &graph, &error));
    return graph;
}

baton_executable *make_executable(baton_graph *graph)
{
    baton_executable *executable;
    ok(baton_graph_instantiate(graph, &executable, &error));
    return executable;
}

baton_executable *end_executable(baton_stream *stream)
{
    baton_graph *graph = end(stream);
    baton_executable *executable = make_executable(graph);
    baton_graph_release(graph);
    return executable;
}

baton_executable *capture_add_one(baton_kernel *kernel, baton_array *to, baton_array *from, baton_stream *stream)
{
    begin(stream, BATON_CAPTURE_RELAXED);
    ok(add_one(kernel, to, from, stream, &error));
    return end_executable(stream);
}

void launch(baton_executable *executable, baton_stream *stream)
{
    ok(baton_graph_launch(executable, stream, &error));
}

void expect_capturing(baton_stream *stream)
{
    driver_capture_status status = DRIVER_CAPTURE_STATUS_NONE;
    driver_stream native = (driver_stream)(uintptr_t)stream_handle(stream);
    ck_assert_int_eq(outside_driver()->capture_status(native, &status), 0);
    ck_assert_uint_eq(status, DRIVER_CAPTURE_STATUS_ACTIVE);
    ck_assert_int_eq(is_active(stream), 1);
}

int32_t is_active(baton_stream *stream)
{
    int32_t active;
    ok(baton_capture_active(stream, &active, &error));
    return active;
}

baton_graph_info graph_info_of(baton_graph *graph)
{
    baton_graph_info info = { .struct_size = sizeof info };
    ok(baton_graph_info_read(graph, &info, &error));
    return info;
}

struct soft_census census_now(void)
{
    ok(baton_drain(runtime, 0, NULL, &error));
    return census_read();
}

void expect_no_graphs(void)
{
    struct soft_census census = census_now();
    ck_assert_uint_eq(census.graphs, 0);
    ck_assert_uint_eq(census.executables, 0);
}
