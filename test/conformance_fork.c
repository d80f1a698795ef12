/* Captures over several streams, which fork and join by events, and the launch of what they made. */
#include "conformance.h"

#include <stdlib.h>

enum { BRANCHES = 2 };

static driver_stream s, t, branches[BRANCHES];
static driver_event fork_event, joins[BRANCHES];
static driver_address memory;       /* 16 words, 0 */

static void fork_begin(void)
{
    driver_begin();
    s = stream_new(DRIVER_STREAM_NON_BLOCKING);
    t = stream_new(DRIVER_STREAM_NON_BLOCKING);
    fork_event = event_new();
    for (size_t i = 0; i < BRANCHES; i++) {
        branches[i] = stream_new(DRIVER_STREAM_NON_BLOCKING);
        joins[i] = event_new();
    }
    memory = memory_new(64, s);
    OK(driver->fill32(memory, 0, 16, s));
    OK(driver->stream_synchronize(s));
}

static void fork_end(void)
{
    OK(driver->free_async(memory, s));
    for (size_t i = 0; i < BRANCHES; i++) {
        OK(driver->stream_destroy(branches[i]));
        OK(driver->event_destroy(joins[i]));
    }
    OK(driver->event_destroy(fork_event));
    OK(driver->stream_destroy(t));
    OK(driver->stream_destroy(s));
    driver_end();
}

/* Begins on s; each branch i copies word 0 to word 1 + i. */
static void branches_start(driver_capture_mode mode, uint32_t value)
{
    OK(driver->capture_begin(s, mode));
    OK(driver->fill32(memory, value, 1, s));
    OK(driver->event_record(fork_event, s));
    for (size_t i = 0; i < BRANCHES; i++) {
        OK(driver->stream_wait_event(branches[i], fork_event, 0));
        OK(driver->copy(memory + 4 + 4 * i, memory, 4, branches[i]));
    }
}

static void branch_join(size_t i)
{
    OK(driver->event_record(joins[i], branches[i]));
    OK(driver->stream_wait_event(s, joins[i], 0));
}

static driver_graph forked_graph(driver_capture_mode mode, uint32_t value)
{
    driver_graph made;
    branches_start(mode, value);
    for (size_t i = 0; i < BRANCHES; i++)
        branch_join(i);
    OK(driver->copy(memory + 16, memory + 4, 8, s));
    OK(driver->capture_end(s, &made));
    return made;
}

/* For the branches' words and their copies behind the join. */
static void expect_branches(uint32_t value, driver_stream stream)
{
    for (uint32_t i = 0; i < BRANCHES; i++) {
        ck_assert_uint_eq(memory_word(memory + 4 + 4 * i, stream), value);
        ck_assert_uint_eq(memory_word(memory + 16 + 4 * i, stream), value);
    }
}

START_TEST(two_branches_run_between_fork_and_join)
{
    for (driver_capture_mode mode = DRIVER_CAPTURE_GLOBAL; mode <= DRIVER_CAPTURE_RELAXED; mode++) {
        driver_graph graph = forked_graph(mode, 3 + mode);
        driver_graph_exec exec;
        OK(driver->graph_instantiate(&exec, graph, 0));
        OK(driver->graph_launch(exec, t));
        expect_branches(3 + mode, t);
        OK(driver->graph_exec_destroy(exec));
        OK(driver->graph_destroy(graph));
    }
}
END_TEST

START_TEST(every_branch_is_free_again_after_the_end)
{
    driver_graph graph = forked_graph(DRIVER_CAPTURE_RELAXED, 1);
    for (size_t i = 0; i < BRANCHES; i++) {
        OK(driver->fill32(memory + 4 * i, 8, 1, branches[i]));
        ck_assert_uint_eq(memory_word(memory + 4 * i, branches[i]), 8);
    }
    OK(driver->graph_destroy(graph));
}
END_TEST

START_TEST(one_branch_left_behind_fails_the_capture)
{
    driver_graph made;
    branches_start(DRIVER_CAPTURE_RELAXED, 1);
    branch_join(0);
    EXPECT(DRIVER_STREAM_CAPTURE_UNJOINED, driver->capture_end(s, &made));
    OK(driver->fill32(memory, 8, 1, branches[1]));
    ck_assert_uint_eq(memory_word(memory, branches[1]), 8);
}
END_TEST

START_TEST(work_of_a_branch_after_its_join_fails_the_capture)
{
    driver_graph made;
    branches_start(DRIVER_CAPTURE_RELAXED, 1);
    branch_join(0);
    branch_join(1);
    OK(driver->fill32(memory + 4, 1, 1, branches[0]));
    EXPECT(DRIVER_STREAM_CAPTURE_UNJOINED, driver->capture_end(s, &made));
}
END_TEST

START_TEST(a_branch_may_join_by_way_of_another)
{
    driver_graph made;
    driver_graph_exec exec;
    branches_start(DRIVER_CAPTURE_RELAXED, 6);
    OK(driver->event_record(joins[0], branches[0]));
    OK(driver->stream_wait_event(branches[1], joins[0], 0));
    OK(driver->copy(memory + 16, memory + 4, 8, branches[1]));
    branch_join(1);
    OK(driver->capture_end(s, &made));
    OK(driver->graph_instantiate(&exec, made, 0));
    OK(driver->graph_launch(exec, t));
    expect_branches(6, t);
    OK(driver->graph_exec_destroy(exec));
    OK(driver->graph_destroy(made));
}
END_TEST

START_TEST(an_outside_event_on_a_branch_kills_the_capture)
{
    driver_event outside = event_new();
    driver_graph made;
    OK(driver->event_record(outside, t));
    branches_start(DRIVER_CAPTURE_RELAXED, 1);
    EXPECT(DRIVER_STREAM_CAPTURE_ISOLATION, driver->stream_wait_event(branches[0], outside, 0));
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, driver->capture_end(s, &made));
    OK(driver->event_destroy(outside));
}
END_TEST

START_TEST(a_query_of_a_branch_kills_the_capture)
{
    driver_graph made;
    branches_start(DRIVER_CAPTURE_RELAXED, 1);
    EXPECT(DRIVER_STREAM_CAPTURE_UNSUPPORTED, driver->stream_query(branches[1]));
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, driver->capture_end(s, &made));
    OK(driver->stream_query(branches[1]));
}
END_TEST

START_TEST(a_forked_graph_launches_on_any_stream)
{
    driver_stream blocking = stream_new(0);
    driver_stream where[] = { s, t, branches[0], blocking, NULL, DRIVER_STREAM_LEGACY, DRIVER_STREAM_PER_THREAD };
    driver_graph graph = forked_graph(DRIVER_CAPTURE_RELAXED, 5);
    driver_graph_exec exec;
    OK(driver->graph_instantiate(&exec, graph, 0));
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        OK(driver->fill32(memory, 0, 16, where[i]));
        OK(driver->graph_launch(exec, where[i]));
        expect_branches(5, where[i]);
    }
    OK(driver->graph_exec_destroy(exec));
    OK(driver->graph_destroy(graph));
    OK(driver->stream_destroy(blocking));
}
END_TEST

START_TEST(a_forked_graph_is_updated_by_one_of_the_same_shape_only)
{
    driver_update_result result = { 0 };
    driver_graph graph = forked_graph(DRIVER_CAPTURE_RELAXED, 1), same = forked_graph(DRIVER_CAPTURE_RELAXED, 2), chain;
    driver_graph_exec exec;
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->fill32(memory, 3, 1, s));
    for (uint32_t i = 0; i < BRANCHES; i++)
        OK(driver->copy(memory + 4 + 4 * i, memory, 4, s));
    OK(driver->copy(memory + 16, memory + 4, 8, s));
    OK(driver->capture_end(s, &chain));
    OK(driver->graph_instantiate(&exec, graph, 0));
    EXPECT(DRIVER_GRAPH_EXEC_UPDATE_FAILURE, driver->graph_update(exec, chain, &result));
    OK(driver->graph_update(exec, same, &result));
    OK(driver->graph_launch(exec, t));
    expect_branches(2, t);
    OK(driver->graph_exec_destroy(exec));
    OK(driver->graph_destroy(chain));
    OK(driver->graph_destroy(same));
    OK(driver->graph_destroy(graph));
}
END_TEST

START_TEST(a_captured_external_wait_is_for_the_record_that_is_newest_at_the_launch)
{
    struct gate gate = GATE_INIT;
    driver_event outside = event_new();
    driver_graph made;
    driver_graph_exec exec;
    OK(driver->event_record(outside, branches[0]));
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->stream_wait_event(s, outside, DRIVER_EVENT_WAIT_EXTERNAL));
    OK(driver->copy(memory + 4, memory, 4, s));
    OK(driver->capture_end(s, &made));
    OK(driver->graph_instantiate(&exec, made, 0));
    gate_put(&gate, branches[0]);
    OK(driver->fill32(memory, 9, 1, branches[0]));
    OK(driver->event_record(outside, branches[0]));
    OK(driver->graph_launch(exec, t));
    EXPECT(DRIVER_NOT_READY, driver->stream_query(t));
    gate_open(&gate);
    ck_assert_uint_eq(memory_word(memory + 4, t), 9);
    OK(driver->graph_exec_destroy(exec));
    OK(driver->graph_destroy(made));
    OK(driver->event_destroy(outside));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        two_branches_run_between_fork_and_join, every_branch_is_free_again_after_the_end,
        one_branch_left_behind_fails_the_capture, work_of_a_branch_after_its_join_fails_the_capture,
        a_branch_may_join_by_way_of_another, an_outside_event_on_a_branch_kills_the_capture,
        a_query_of_a_branch_kills_the_capture, a_forked_graph_launches_on_any_stream,
        a_forked_graph_is_updated_by_one_of_the_same_shape_only,
        a_captured_external_wait_is_for_the_record_that_is_newest_at_the_launch
    };
    return suite_run_with("conformance: forks", tests, sizeof tests / sizeof *tests, fork_begin, fork_end);
}
