/* Graphs within graphs: child nodes, in a capture and outside. */
#include "conformance.h"

#include <stdlib.h>

static driver_stream s, t, other;
static driver_event event;
static driver_address memory;       /* 16 words, 0 */
static driver_graph child;          /* word 1 = word 0, word 2 = 5 */

static driver_graph child_of(uint32_t value)
{
    driver_graph made;
    OK(driver->capture_begin(t, DRIVER_CAPTURE_RELAXED));
    OK(driver->copy(memory + 4, memory, 4, t));
    OK(driver->fill32(memory + 8, value, 1, t));
    OK(driver->capture_end(t, &made));
    return made;
}

static void child_begin(void)
{
    driver_begin();
    s = stream_new(DRIVER_STREAM_NON_BLOCKING);
    t = stream_new(DRIVER_STREAM_NON_BLOCKING);
    other = stream_new(DRIVER_STREAM_NON_BLOCKING);
    event = event_new();
    memory = memory_new(64, s);
    OK(driver->fill32(memory, 0, 16, s));
    OK(driver->stream_synchronize(s));
    child = child_of(5);
}

static void child_end(void)
{
    if (child)
        OK(driver->graph_destroy(child));
    OK(driver->free_async(memory, s));
    OK(driver->event_destroy(event));
    OK(driver->stream_destroy(s));
    OK(driver->stream_destroy(t));
    OK(driver->stream_destroy(other));
    driver_end();
}

static driver_graph parent_of(driver_graph graph)
{
    driver_graph made;
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->fill32(memory, 3, 1, s));
    child_add(s, graph);
    OK(driver->copy(memory + 12, memory + 8, 4, s));
    OK(driver->capture_end(s, &made));
    return made;
}

/* Instantiates, launches and drops it. */
static void graph_run(driver_graph graph, driver_stream stream)
{
    driver_graph_exec exec;
    OK(driver->graph_instantiate(&exec, graph, 0));
    OK(driver->graph_launch(exec, stream));
    OK(driver->graph_exec_destroy(exec));
    OK(driver->graph_destroy(graph));
}

static void expect_word(size_t index, uint32_t value, driver_stream stream)
{
    ck_assert_uint_eq(memory_word(memory + 4 * index, stream), value);
}

/* C8 rests on this. */
START_TEST(a_child_runs_between_what_was_captured_before_and_after_it)
{
    for (driver_capture_mode mode = DRIVER_CAPTURE_GLOBAL; mode <= DRIVER_CAPTURE_RELAXED; mode++) {
        driver_graph made;
        OK(driver->capture_begin(s, mode));
        OK(driver->fill32(memory, 20 + mode, 1, s));
        child_add(s, child);
        OK(driver->fill32(memory, 30, 1, s));
        OK(driver->copy(memory + 12, memory + 8, 4, s));
        OK(driver->fill32(memory + 8, 0, 1, s));
        OK(driver->capture_end(s, &made));
        graph_run(made, t);
        expect_word(0, 30, t);
        expect_word(1, 20 + mode, t);
        expect_word(2, 0, t);
        expect_word(3, 5, t);
    }
}
END_TEST

START_TEST(a_child_may_be_destroyed_once_added)
{
    driver_graph parent = parent_of(child);
    OK(driver->graph_destroy(child));
    child = NULL;
    graph_run(parent, t);
    expect_word(1, 3, t);
    expect_word(3, 5, t);
}
END_TEST

START_TEST(one_graph_may_be_a_child_many_times)
{
    driver_graph made;
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    for (uint32_t i = 0; i < 3; i++) {
        OK(driver->fill32(memory, 40 + i, 1, s));
        child_add(s, child);
        OK(driver->copy(memory + 16 + 4 * i, memory + 4, 4, s));
    }
    OK(driver->capture_end(s, &made));
    graph_run(made, t);
    for (uint32_t i = 0; i < 3; i++)
        expect_word(4 + i, 40 + i, t);
}
END_TEST

START_TEST(a_child_may_have_children)
{
    driver_graph inner = parent_of(child), outer;
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    child_add(s, inner);
    OK(driver->copy(memory + 16, memory + 12, 4, s));
    OK(driver->capture_end(s, &outer));
    OK(driver->graph_destroy(inner));
    graph_run(outer, t);
    expect_word(1, 3, t);
    expect_word(4, 5, t);
}
END_TEST

START_TEST(a_child_joins_a_graph_whose_capture_has_ended)
{
    struct capture_look info;
    driver_graph_node last, node;
    driver_graph made;
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->fill32(memory, 8, 1, s));
    info = capture_look(s);
    last = info.after[0];
    OK(driver->capture_end(s, &made));
    OK(driver->graph_add_child(&node, made, &last, 1, child));
    graph_run(made, t);
    expect_word(1, 8, t);
    expect_word(2, 5, t);
}
END_TEST

START_TEST(an_executable_does_not_see_what_its_graph_gets_later)
{
    driver_graph parent = parent_of(child);
    driver_graph_node node;
    driver_graph_exec exec;
    OK(driver->graph_instantiate(&exec, child, 0));
    OK(driver->graph_add_child(&node, child, NULL, 0, parent));     /* would set word 0 */
    OK(driver->graph_launch(exec, t));
    expect_word(0, 0, t);
    expect_word(2, 5, t);
    graph_run(parent, t);           /* whose copy of the child is older */
    expect_word(1, 3, t);
    OK(driver->graph_exec_destroy(exec));
}
END_TEST

START_TEST(all_may_be_destroyed_right_after_the_launch)
{
    struct gate gate = GATE_INIT;
    driver_graph parent = parent_of(child);
    gate_put(&gate, t);
    graph_run(parent, t);
    OK(driver->graph_destroy(child));
    child = NULL;
    expect_word(3, 0, other);
    gate_open(&gate);
    expect_word(3, 5, t);
}
END_TEST

START_TEST(an_update_reaches_into_the_child)
{
    driver_update_result result;
    driver_graph old = parent_of(child), changed_child = child_of(6), changed = parent_of(changed_child);
    driver_graph_exec exec;
    OK(driver->graph_instantiate(&exec, old, 0));
    OK(driver->graph_update(exec, changed, &result));
    OK(driver->graph_destroy(old));
    OK(driver->graph_destroy(changed));
    OK(driver->graph_destroy(changed_child));
    OK(driver->graph_launch(exec, t));
    expect_word(3, 6, t);
    OK(driver->graph_exec_destroy(exec));
}
END_TEST

START_TEST(an_update_with_a_child_of_another_topology_is_refused)
{
    driver_update_result result = { 0 };
    driver_graph inner = parent_of(child), old = parent_of(child), changed = parent_of(inner);
    driver_graph_exec exec;
    OK(driver->graph_instantiate(&exec, old, 0));
    EXPECT(DRIVER_GRAPH_EXEC_UPDATE_FAILURE, driver->graph_update(exec, changed, &result));
    ck_assert_uint_ne(result.result, 0);
    OK(driver->graph_launch(exec, t));
    expect_word(3, 5, t);
    OK(driver->graph_exec_destroy(exec));
    OK(driver->graph_destroy(changed));
    OK(driver->graph_destroy(old));
    OK(driver->graph_destroy(inner));
}
END_TEST

START_TEST(an_external_wait_in_a_child_holds_the_launch)
{
    struct gate gate = GATE_INIT;
    driver_graph waiting, parent;
    OK(driver->capture_begin(t, DRIVER_CAPTURE_RELAXED));
    OK(driver->stream_wait_event(t, event, DRIVER_EVENT_WAIT_EXTERNAL));
    OK(driver->copy(memory + 8, memory + 16, 4, t));
    OK(driver->capture_end(t, &waiting));
    parent = parent_of(waiting);
    OK(driver->graph_destroy(waiting));
    gate_put(&gate, other);
    OK(driver->fill32(memory + 16, 9, 1, other));
    OK(driver->event_record(event, other));
    graph_run(parent, t);
    EXPECT(DRIVER_NOT_READY, driver->stream_query(t));
    gate_open(&gate);
    expect_word(3, 9, t);
}
END_TEST

START_TEST(a_joined_stream_adds_a_child_and_comes_back)
{
    driver_graph made;
    OK(driver->capture_begin(s, DRIVER_CAPTURE_THREAD_LOCAL));
    OK(driver->fill32(memory, 11, 1, s));
    OK(driver->event_record(event, s));
    OK(driver->stream_wait_event(other, event, 0));
    child_add(other, child);
    OK(driver->event_record(event, other));
    OK(driver->stream_wait_event(s, event, 0));
    OK(driver->copy(memory + 12, memory + 4, 4, s));
    OK(driver->capture_end(s, &made));
    graph_run(made, t);
    expect_word(3, 11, t);
}
END_TEST

START_TEST(a_child_on_a_fork_may_be_left_behind)
{
    driver_graph made;
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->event_record(event, s));
    OK(driver->stream_wait_event(other, event, 0));
    child_add(other, child);
    OK(driver->capture_end(s, &made));     /* nodes that were added by hand need no join */
    OK(driver->graph_destroy(made));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_child_runs_between_what_was_captured_before_and_after_it, a_child_may_be_destroyed_once_added,
        one_graph_may_be_a_child_many_times, a_child_may_have_children, a_child_joins_a_graph_whose_capture_has_ended,
        an_executable_does_not_see_what_its_graph_gets_later, all_may_be_destroyed_right_after_the_launch,
        an_update_reaches_into_the_child, an_update_with_a_child_of_another_topology_is_refused,
        an_external_wait_in_a_child_holds_the_launch, a_joined_stream_adds_a_child_and_comes_back,
        a_child_on_a_fork_may_be_left_behind
    };
    return suite_run_with("conformance: child graphs", tests, sizeof tests / sizeof *tests, child_begin, child_end);
}
