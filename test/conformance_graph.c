#include "conformance.h"

#include <stdlib.h>

static driver_stream s, t;
static driver_address memory;
static driver_graph graph;
static driver_graph_exec exec;

static driver_graph graph_of(uint32_t value, int kernel)
{
    driver_graph made;
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->fill32(memory, value, 1, s));
    if (kernel)
        OK(kernel_launch(memory + 4, s));
    OK(driver->copy(memory + 8, memory, 4, s));
    OK(driver->capture_end(s, &made));
    return made;
}

static void graph_begin(void)
{
    driver_begin();
    s = stream_new(DRIVER_STREAM_NON_BLOCKING);
    t = stream_new(DRIVER_STREAM_NON_BLOCKING);
    memory = memory_new(64, s);
    OK(driver->fill32(memory, 0, 16, s));
    OK(driver->stream_synchronize(s));
    graph = graph_of(1, 1);
    OK(driver->graph_instantiate(&exec, graph, 0));
}

static void graph_end(void)
{
    if (graph)
        OK(driver->graph_destroy(graph));
    if (exec)
        OK(driver->graph_exec_destroy(exec));
    OK(driver->free_async(memory, t));
    OK(driver->stream_destroy(s));
    OK(driver->stream_destroy(t));
    driver_end();
}

START_TEST(captured_work_does_not_run_until_launched)
{
    ck_assert_uint_eq(memory_word(memory, t), 0);
    OK(driver->graph_launch(exec, s));
    ck_assert_uint_eq(memory_word(memory, s), 1);
}
END_TEST

/* C6 */
START_TEST(a_graph_launches_on_another_stream_than_it_was_captured_on)
{
    OK(driver->graph_launch(exec, t));
    ck_assert_uint_eq(memory_word(memory + 8, t), 1);
    ck_assert_uint_eq(memory_word(memory + 4, t), 7);
}
END_TEST

START_TEST(a_launch_stands_in_stream_order)
{
    struct gate gate = GATE_INIT;
    driver_event event = event_new();
    gate_put(&gate, s);
    OK(driver->fill32(memory, 9, 1, s));
    OK(driver->event_record(event, s));
    OK(driver->stream_wait_event(t, event, 0));
    OK(driver->graph_launch(exec, t));
    EXPECT(DRIVER_NOT_READY, driver->stream_query(t));
    gate_open(&gate);
    ck_assert_uint_eq(memory_word(memory, t), 1);
    OK(driver->event_destroy(event));
}
END_TEST

START_TEST(an_executable_may_be_destroyed_right_after_its_launch)
{
    struct gate gate = GATE_INIT;
    gate_put(&gate, t);
    OK(driver->graph_launch(exec, t));
    OK(driver->graph_destroy(graph));
    OK(driver->graph_exec_destroy(exec));
    graph = NULL;
    exec = NULL;
    gate_open(&gate);
    ck_assert_uint_eq(memory_word(memory + 8, t), 1);
}
END_TEST

START_TEST(an_update_takes_the_new_values)
{
    driver_update_result result;
    driver_graph changed = graph_of(2, 1);
    OK(driver->graph_update(exec, changed, &result));
    OK(driver->graph_destroy(changed));
    OK(driver->graph_launch(exec, t));
    ck_assert_uint_eq(memory_word(memory + 8, t), 2);
}
END_TEST

START_TEST(an_update_with_another_topology_is_refused)
{
    driver_update_result result = { 0 };
    driver_graph changed = graph_of(2, 0);
    EXPECT(DRIVER_GRAPH_EXEC_UPDATE_FAILURE, driver->graph_update(exec, changed, &result));
    ck_assert_uint_ne(result.result, 0);
    OK(driver->graph_destroy(changed));
    OK(driver->graph_launch(exec, t));
    ck_assert_uint_eq(memory_word(memory + 8, t), 1);
}
END_TEST

START_TEST(an_update_does_not_reach_launches_in_flight)
{
    struct gate gate = GATE_INIT;
    driver_update_result result;
    driver_graph changed = graph_of(2, 1);
    gate_put(&gate, t);
    OK(driver->graph_launch(exec, t));
    OK(driver->copy(memory + 16, memory + 8, 4, t));
    OK(driver->graph_update(exec, changed, &result));
    OK(driver->graph_launch(exec, t));
    gate_open(&gate);
    ck_assert_uint_eq(memory_word(memory + 16, t), 1);
    ck_assert_uint_eq(memory_word(memory + 8, t), 2);
    OK(driver->graph_destroy(changed));
}
END_TEST

START_TEST(a_launch_of_a_graph_kills_the_capture_of_its_stream)
{
    driver_graph outer;
    OK(driver->capture_begin(t, DRIVER_CAPTURE_RELAXED));
    EXPECT(DRIVER_STREAM_CAPTURE_UNSUPPORTED, driver->graph_launch(exec, t));
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, driver->capture_end(t, &outer));
}
END_TEST

struct making {
    driver_graph graph;
    driver_graph_exec made;
};

static int instantiate_bare(void *argument)
{
    struct making *making = argument;
    return driver->graph_instantiate(&making->made, making->graph, 0);
}

START_TEST(instantiating_needs_a_context)
{
    struct making making = { .graph = graph_of(1, 1) };
    EXPECT(DRIVER_INVALID_CONTEXT, thread_run(instantiate_bare, &making));
    ck_assert_ptr_null(making.made);
    OK(driver->graph_destroy(making.graph));
}
END_TEST

START_TEST(a_host_function_may_be_captured)
{
    struct gate gate = GATE_INIT;
    driver_graph made;
    driver_graph_exec made_exec;
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    gate_put(&gate, s);
    OK(driver->fill32(memory, 5, 1, s));
    OK(driver->capture_end(s, &made));
    OK(driver->graph_instantiate(&made_exec, made, 0));
    OK(driver->graph_launch(made_exec, t));
    gate_reached(&gate);
    EXPECT(DRIVER_NOT_READY, driver->stream_query(t));
    gate_open(&gate);
    ck_assert_uint_eq(memory_word(memory, t), 5);
    OK(driver->graph_exec_destroy(made_exec));
    OK(driver->graph_destroy(made));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        captured_work_does_not_run_until_launched, a_graph_launches_on_another_stream_than_it_was_captured_on,
        a_launch_stands_in_stream_order, an_executable_may_be_destroyed_right_after_its_launch,
        an_update_takes_the_new_values, an_update_with_another_topology_is_refused,
        an_update_does_not_reach_launches_in_flight, a_launch_of_a_graph_kills_the_capture_of_its_stream,
        instantiating_needs_a_context, a_host_function_may_be_captured
    };
    return suite_run_with("conformance: graphs", tests, sizeof tests / sizeof *tests, graph_begin, graph_end);
}
