/* Graphs of the software device beyond what a GPU may be asked: handles that name nothing, dead captures, the census,
 * and what is left when the machine closes. */
#include "conformance.h"
#include "needs.h"

#include <stdlib.h>

#include "driver/soft/soft.h"

static driver_stream s;
static driver_address memory;
static struct soft_census before;

static void soft_begin(void)
{
    driver_begin();
    s = stream_new(DRIVER_STREAM_NON_BLOCKING);
    memory = memory_new(64, s);
    soft_census(&before);
}

static void soft_end(void)
{
    struct soft_census after;
    soft_census(&after);
    ck_assert_uint_eq(after.graphs, before.graphs);
    ck_assert_uint_eq(after.executables, before.executables);
    OK(driver->free_async(memory, s));
    OK(driver->stream_destroy(s));
    driver_end();
}

static uint64_t graphs_alive(void)
{
    struct soft_census census;
    soft_census(&census);
    return census.graphs - before.graphs;
}

static uint64_t executables_alive(void)
{
    struct soft_census census;
    soft_census(&census);
    return census.executables - before.executables;
}

static void capture_start(void)
{
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->fill32(memory, 1, 1, s));
}

static driver_graph graph_new(void)
{
    driver_graph made;
    capture_start();
    OK(driver->capture_end(s, &made));
    return made;
}

/* The graph under capture and the node that the stream is behind. */
static driver_graph graph_under(driver_graph_node *last)
{
    struct capture_look look = capture_look(s);
    ck_assert_uint_eq(look.count, 1);
    *last = look.after[0];
    return look.graph;
}

START_TEST(the_census_counts_graphs_and_executables)
{
    driver_graph graph = graph_new();
    driver_graph_exec first, second;
    ck_assert_uint_eq(graphs_alive(), 1);
    OK(driver->graph_instantiate(&first, graph, 0));
    OK(driver->graph_instantiate(&second, graph, 0));
    ck_assert_uint_eq(executables_alive(), 2);
    OK(driver->graph_destroy(graph));
    ck_assert_uint_eq(graphs_alive(), 0);
    OK(driver->graph_exec_destroy(first));
    OK(driver->graph_exec_destroy(second));
    ck_assert_uint_eq(executables_alive(), 0);
}
END_TEST

START_TEST(a_graph_under_capture_counts_until_the_capture_fails)
{
    driver_graph graph;
    capture_start();
    ck_assert_uint_eq(graphs_alive(), 1);
    EXPECT(DRIVER_STREAM_CAPTURE_UNSUPPORTED, driver->stream_query(s));
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, driver->capture_end(s, &graph));
    ck_assert_uint_eq(graphs_alive(), 0);
}
END_TEST

START_TEST(a_child_is_part_of_its_graph)
{
    driver_graph graph = graph_new(), child = graph_new();
    driver_graph_node node;
    OK(driver->graph_add_child(&node, graph, NULL, 0, child));
    ck_assert_uint_eq(graphs_alive(), 2);
    OK(driver->graph_destroy(child));
    OK(driver->graph_add_child(&node, graph, &node, 1, graph));     /* a copy of itself */
    OK(driver->graph_destroy(graph));
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_destroy(graph));
}
END_TEST

START_TEST(handles_that_name_nothing_make_no_child)
{
    driver_graph graph = graph_new(), child = graph_new();
    driver_graph_exec exec;
    driver_graph_node node = NULL, wrong = &node, stream = s;
    OK(driver->graph_instantiate(&exec, graph, 0));
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_add_child(NULL, graph, NULL, 0, child));
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_add_child(&node, NULL, NULL, 0, child));
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_add_child(&node, exec, NULL, 0, child));
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_add_child(&node, graph, NULL, 0, NULL));
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_add_child(&node, graph, NULL, 0, exec));
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_add_child(&node, graph, NULL, 1, child));
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_add_child(&node, graph, &wrong, 1, child));
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_add_child(&node, graph, &stream, 1, child));
    ck_assert_ptr_null(node);
    OK(driver->graph_destroy(child));
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_add_child(&node, graph, NULL, 0, child));
    OK(driver->graph_exec_destroy(exec));
    OK(driver->graph_destroy(graph));
}
END_TEST

START_TEST(nodes_come_behind_nodes_of_their_own_graph_each_once)
{
    driver_graph graph = graph_new(), child = graph_new();
    driver_graph_node node, other, twice[2];
    OK(driver->graph_add_child(&node, graph, NULL, 0, child));
    OK(driver->graph_add_child(&other, child, NULL, 0, graph));
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_add_child(&node, graph, &other, 1, child));
    twice[0] = twice[1] = node;
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_add_child(&node, graph, twice, 2, child));
    OK(driver->graph_destroy(child));
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_add_child(&node, graph, &other, 1, graph));
    OK(driver->graph_destroy(graph));
}
END_TEST

START_TEST(dependencies_are_nodes_of_the_capture)
{
    driver_graph graph = graph_new(), made;
    driver_graph_node foreign, last, wrong = &last;
    OK(driver->graph_add_child(&foreign, graph, NULL, 0, graph));
    capture_start();
    graph_under(&last);
    EXPECT(DRIVER_INVALID_VALUE, driver->capture_update(s, &foreign, 1, DRIVER_CAPTURE_SET_DEPENDENCIES));
    EXPECT(DRIVER_INVALID_VALUE, driver->capture_update(s, &wrong, 1, 0));
    EXPECT(DRIVER_INVALID_VALUE, driver->capture_update(s, NULL, 1, 0));
    EXPECT(DRIVER_INVALID_VALUE, driver->capture_update(s, &last, 1, 2));
    EXPECT(DRIVER_INVALID_HANDLE, driver->capture_update(&last, &last, 1, 0));
    EXPECT(DRIVER_INVALID_HANDLE, driver->capture_info(&last, &(driver_capture_status) { 0 }, NULL, NULL, NULL, NULL));
    EXPECT(DRIVER_INVALID_VALUE, driver->capture_info(s, NULL, NULL, NULL, NULL, NULL));
    OK(driver->capture_end(s, &made));
    OK(driver->graph_destroy(made));
    OK(driver->graph_destroy(graph));
}
END_TEST

START_TEST(the_dependencies_of_a_stream_may_be_handed_back_to_it)
{
    struct capture_look look;
    driver_graph made;
    capture_start();
    look = capture_look(s);
    OK(driver->capture_update(s, (driver_graph_node *)look.after, look.count, DRIVER_CAPTURE_SET_DEPENDENCIES));
    look = capture_look(s);
    OK(driver->capture_update(s, (driver_graph_node *)look.after, look.count, 0));
    ck_assert_uint_eq(capture_look(s).count, 1);
    OK(driver->capture_end(s, &made));
    OK(driver->graph_destroy(made));
}
END_TEST

START_TEST(a_graph_under_capture_cannot_be_destroyed)
{
    driver_graph graph, made;
    driver_graph_node last;
    capture_start();
    graph = graph_under(&last);
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_destroy(graph));
    OK(driver->capture_end(s, &made));
    OK(driver->graph_destroy(made));
}
END_TEST

START_TEST(the_handles_of_a_dead_capture_are_void)
{
    driver_graph child = graph_new(), graph, made;
    driver_graph_node last, node;
    capture_start();
    graph = graph_under(&last);
    EXPECT(DRIVER_STREAM_CAPTURE_UNSUPPORTED, driver->stream_query(s));
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_add_child(&node, graph, &last, 1, child));
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, driver->capture_update(s, &last, 1, 0));
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, driver->capture_end(s, &made));
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_add_child(&node, graph, &last, 1, child));
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_add_child(&node, child, &last, 1, child));
    OK(driver->graph_destroy(child));
}
END_TEST

/* E2 */
START_TEST(a_bad_address_in_a_child_poisons_the_context)
{
    driver_graph graph = graph_new(), child;
    driver_graph_node node;
    driver_graph_exec exec;
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(kernel_launch(64, s));
    OK(driver->capture_end(s, &child));
    OK(driver->graph_add_child(&node, graph, NULL, 0, child));
    OK(driver->graph_instantiate(&exec, graph, 0));
    soft_problems_reset();
    OK(driver->graph_launch(exec, s));
    EXPECT(DRIVER_ILLEGAL_ADDRESS, driver->stream_synchronize(s));
    ck_assert_uint_eq(soft_problems(), 1);
    driver_close(driver);
    soft_begin();
}
END_TEST

START_TEST(closing_takes_captures_and_graphs_with_it)
{
    driver_graph_exec exec;
    driver_event event = event_new();
    driver_graph_node node, last;
    driver_graph child = graph_new();
    OK(driver->graph_instantiate(&exec, child, 0));
    capture_start();
    OK(driver->event_record(event, s));
    OK(driver->stream_wait_event(stream_new(0), event, 0));
    OK(driver->graph_add_child(&node, graph_under(&last), NULL, 0, child));
    driver_close(driver);
    soft_begin();
    ck_assert_uint_eq(before.graphs, 0);
    ck_assert_uint_eq(before.executables, 0);
}
END_TEST

int main(void)
{
    if (soft_program("soft_graph", "it is about"))
        return NEEDS_SKIPPED;
    const TTest *const tests[] = {
        the_census_counts_graphs_and_executables, a_graph_under_capture_counts_until_the_capture_fails,
        a_child_is_part_of_its_graph, handles_that_name_nothing_make_no_child,
        nodes_come_behind_nodes_of_their_own_graph_each_once, dependencies_are_nodes_of_the_capture,
        the_dependencies_of_a_stream_may_be_handed_back_to_it, a_graph_under_capture_cannot_be_destroyed,
        the_handles_of_a_dead_capture_are_void, a_bad_address_in_a_child_poisons_the_context,
        closing_takes_captures_and_graphs_with_it
    };
    return suite_run_with("soft: graphs", tests, sizeof tests / sizeof *tests, soft_begin, soft_end);
}
