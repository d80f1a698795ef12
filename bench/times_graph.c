/* F9 and the rows for graphs: ten kernels over eight arrays. */
#include "bench.h"

enum { STEPS = 10, MEMORIES = 8, BATCH = 50 };

static driver_graph raw_graph;
static driver_graph_exec raw_exec;
static baton_executable *executable, *looped;

static void raw_body(void)
{
    for (int i = 0; i < STEPS; i++)
        raw_launch(KERNEL_TOUCH1, 0, &world.parameters[i % MEMORIES]);
}

static int32_t our_body(void *user, baton_stream *stream)
{
    (void)user;
    (void)stream;
    for (int i = 0; i < STEPS; i++)
        launch(KERNEL_TOUCH1, 0, &world.arguments[i % MEMORIES], 1);
    return BATON_OK;
}

static driver_graph raw_capture(void)
{
    driver_graph graph;
    need_raw(world.driver->capture_begin(raw_stream(0), DRIVER_CAPTURE_RELAXED));
    raw_body();
    need_raw(world.driver->capture_end(raw_stream(0), &graph));
    return graph;
}

static void graphs_make(void)
{
    baton_graph *graph;
    raw_graph = raw_capture();
    need_raw(world.driver->graph_instantiate(&raw_exec, raw_graph, 0));
    need(baton_capture_begin(world.streams[0], BATON_CAPTURE_RELAXED, &bench_error));
    our_body(NULL, NULL);
    need(baton_capture_end(world.streams[0], &graph, &bench_error));
    need(baton_graph_instantiate(graph, &executable, &bench_error));
    baton_graph_release(graph);
}

static void graphs_free(void)
{
    world_idle();
    need_raw(world.driver->graph_exec_destroy(raw_exec));
    need_raw(world.driver->graph_destroy(raw_graph));
    baton_executable_release(executable);
    if (looped)
        baton_executable_release(looped);
}

static uint64_t raw_graph_launch(uint64_t n)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        need_raw(world.driver->graph_launch(raw_exec, raw_stream(0)));
    return bench_now() - start;
}

static uint64_t our_graph_launch(uint64_t n)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        need(baton_graph_launch(executable, world.streams[0], &bench_error));
    return bench_now() - start;
}

static uint64_t raw_eager(uint64_t n)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        raw_body();
    return bench_now() - start;
}

static uint64_t our_eager(uint64_t n)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        our_body(NULL, NULL);
    return bench_now() - start;
}

static uint64_t raw_again(uint64_t n)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++) {
        struct driver_update_result result;
        driver_graph graph = raw_capture();
        need_raw(world.driver->graph_update(raw_exec, graph, &result));
        need_raw(world.driver->graph_launch(raw_exec, raw_stream(0)));
        need_raw(world.driver->graph_destroy(graph));
    }
    return bench_now() - start;
}

static uint64_t our_again(uint64_t n)
{
    int32_t outcome;
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        need(baton_capture_run(world.streams[0], BATON_CAPTURE_RELAXED, our_body, NULL, &looped, &outcome, NULL, &bench_error));
    uint64_t ns = bench_now() - start;
    if (outcome == BATON_RUN_EAGER)
        bench_die("baton_capture_run", "the body was not captured");
    return ns;
}

void times_graph(void)
{
    static const struct bench_case cases[] = {
        { "F9", "graph launch, 10 kernels over 8 arrays", "<= +240 ns", raw_graph_launch, our_graph_launch, BATCH },
        { "cuda/graph/capture", "captured, updated, launched", "", raw_again, our_again, 10 },
        { "cuda/graph/eager", "the same ten kernels, directly", "", raw_eager, our_eager, 10 },
        { "cuda/graph/launch", "the graph, launched only", "", raw_graph_launch, our_graph_launch, BATCH },
    };
    if (!bench_wanted("F9") && !bench_wanted(cases[1].id) && !bench_wanted(cases[2].id) && !bench_wanted(cases[3].id))
        return;
    graphs_make();
    MEASURE_ALL(cases);
    graphs_free();
}
