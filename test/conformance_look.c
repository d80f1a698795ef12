/* What a stream says of its capture, and dependencies set by hand. */
#include "conformance.h"

#include <stdlib.h>

static driver_stream s, t, other;
static driver_event event;
static driver_address memory;       /* 16 words, 0 */

static void look_begin(void)
{
    driver_begin();
    s = stream_new(DRIVER_STREAM_NON_BLOCKING);
    t = stream_new(DRIVER_STREAM_NON_BLOCKING);
    other = stream_new(DRIVER_STREAM_NON_BLOCKING);
    event = event_new();
    memory = memory_new(64, s);
    OK(driver->fill32(memory, 0, 16, s));
    OK(driver->stream_synchronize(s));
}

static void look_end(void)
{
    OK(driver->free_async(memory, s));
    OK(driver->event_destroy(event));
    OK(driver->stream_destroy(s));
    OK(driver->stream_destroy(t));
    OK(driver->stream_destroy(other));
    driver_end();
}

/* ---- what a stream says */

START_TEST(a_stream_that_does_not_capture_says_so)
{
    ck_assert_uint_eq(capture_look(s).status, DRIVER_CAPTURE_STATUS_NONE);
    ck_assert_uint_eq(capture_look(DRIVER_STREAM_LEGACY).status, DRIVER_CAPTURE_STATUS_NONE);
}
END_TEST

START_TEST(a_capturing_stream_tells_what_comes_next_behind_what)
{
    struct capture_look info;
    driver_graph_node first;
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    info = capture_look(s);
    ck_assert_uint_eq(info.status, DRIVER_CAPTURE_STATUS_ACTIVE);
    ck_assert_uint_ne(info.id, 0);
    ck_assert_ptr_nonnull(info.graph);
    ck_assert_uint_eq(info.count, 0);
    OK(driver->fill32(memory, 1, 1, s));
    info = capture_look(s);
    ck_assert_uint_eq(info.count, 1);
    first = info.after[0];
    OK(driver->fill32(memory, 2, 1, s));
    info = capture_look(s);
    ck_assert_uint_eq(info.count, 1);
    ck_assert_ptr_ne(info.after[0], first);
    OK(driver->capture_end(s, &info.graph));
    OK(driver->graph_destroy(info.graph));
}
END_TEST

START_TEST(the_status_may_be_asked_alone)
{
    driver_capture_status status = 99;
    driver_graph made;
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->capture_info(s, &status, NULL, NULL, NULL, NULL));
    ck_assert_uint_eq(status, DRIVER_CAPTURE_STATUS_ACTIVE);
    EXPECT(DRIVER_STREAM_CAPTURE_UNSUPPORTED, driver->stream_query(s));
    OK(driver->capture_info(s, &status, NULL, NULL, NULL, NULL));
    ck_assert_uint_eq(status, DRIVER_CAPTURE_STATUS_INVALIDATED);
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, driver->capture_end(s, &made));
}
END_TEST

START_TEST(streams_of_one_capture_share_its_id_and_graph)
{
    struct capture_look first, joined, second;
    driver_graph made;
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->event_record(event, s));
    OK(driver->stream_wait_event(other, event, 0));
    first = capture_look(s);
    joined = capture_look(other);
    ck_assert_uint_eq(first.id, joined.id);
    ck_assert_ptr_eq(first.graph, joined.graph);
    OK(driver->capture_begin(t, DRIVER_CAPTURE_RELAXED));
    second = capture_look(t);
    ck_assert_uint_ne(first.id, second.id);
    OK(driver->capture_end(t, &made));
    OK(driver->graph_destroy(made));
    OK(driver->capture_end(s, &made));
    ck_assert_ptr_eq(made, first.graph);
    OK(driver->graph_destroy(made));
}
END_TEST

START_TEST(the_legacy_stream_tells_nothing_while_a_blocking_stream_captures)
{
    driver_stream blocking = stream_new(0);
    driver_capture_status status;
    driver_graph made;
    OK(driver->capture_begin(blocking, DRIVER_CAPTURE_RELAXED));
    EXPECT(DRIVER_STREAM_CAPTURE_IMPLICIT,
           driver->capture_info(DRIVER_STREAM_LEGACY, &status, NULL, NULL, NULL, NULL));
    driver->capture_end(blocking, &made);
    OK(driver->stream_destroy(blocking));
}
END_TEST

/* ---- dependencies by hand */

START_TEST(dependencies_are_added_or_replaced)
{
    driver_graph_node first, second, both[2];
    driver_graph made;
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->fill32(memory, 1, 1, s));
    first = capture_look(s).after[0];
    OK(driver->fill32(memory, 2, 1, s));
    second = capture_look(s).after[0];
    OK(driver->capture_update(s, &first, 1, 0));
    ck_assert_uint_eq(capture_look(s).count, 2);
    OK(driver->capture_update(s, &first, 1, DRIVER_CAPTURE_SET_DEPENDENCIES));
    ck_assert_uint_eq(capture_look(s).count, 1);
    ck_assert_ptr_eq(capture_look(s).after[0], first);
    both[0] = second;
    both[1] = first;
    OK(driver->capture_update(s, both, 2, DRIVER_CAPTURE_SET_DEPENDENCIES));
    ck_assert_uint_eq(capture_look(s).count, 2);
    OK(driver->capture_end(s, &made));
    OK(driver->graph_destroy(made));
}
END_TEST

START_TEST(what_was_added_or_let_go_by_hand_need_not_be_joined)
{
    struct capture_look info;
    driver_graph_node node;
    driver_graph child, made;
    driver_graph_exec exec;
    OK(driver->capture_begin(t, DRIVER_CAPTURE_RELAXED));
    OK(driver->copy(memory + 4, memory, 4, t));
    OK(driver->capture_end(t, &child));
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->fill32(memory, 9, 1, s));
    info = capture_look(s);
    OK(driver->graph_add_child(&node, info.graph, info.after, info.count, child));
    OK(driver->capture_update(s, NULL, 0, DRIVER_CAPTURE_SET_DEPENDENCIES));
    ck_assert_uint_eq(capture_look(s).count, 0);
    OK(driver->capture_end(s, &made));
    OK(driver->graph_instantiate(&exec, made, 0));
    OK(driver->graph_launch(exec, t));
    ck_assert_uint_eq(memory_word(memory + 4, t), 9);
    OK(driver->graph_exec_destroy(exec));
    OK(driver->graph_destroy(made));
    OK(driver->graph_destroy(child));
}
END_TEST

START_TEST(only_a_capturing_stream_has_dependencies)
{
    EXPECT(DRIVER_ILLEGAL_STATE, driver->capture_update(s, NULL, 0, DRIVER_CAPTURE_SET_DEPENDENCIES));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_stream_that_does_not_capture_says_so, a_capturing_stream_tells_what_comes_next_behind_what,
        the_status_may_be_asked_alone, streams_of_one_capture_share_its_id_and_graph,
        the_legacy_stream_tells_nothing_while_a_blocking_stream_captures, dependencies_are_added_or_replaced,
        what_was_added_or_let_go_by_hand_need_not_be_joined, only_a_capturing_stream_has_dependencies
    };
    return suite_run_with("conformance: looks", tests, sizeof tests / sizeof *tests, look_begin, look_end);
}
