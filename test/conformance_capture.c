#include "conformance.h"

#include <stdlib.h>

static driver_stream s, other;
static driver_event event;
static driver_graph graph;

static void capture_begin(void)
{
    driver_begin();
    s = stream_new(DRIVER_STREAM_NON_BLOCKING);
    other = stream_new(DRIVER_STREAM_NON_BLOCKING);
    event = event_new();
}

static void capture_end(void)
{
    OK(driver->event_destroy(event));
    OK(driver->stream_destroy(s));
    OK(driver->stream_destroy(other));
    driver_end();
}

static driver_capture_status capture_state(driver_stream stream)
{
    driver_capture_status status = 99;
    OK(driver->capture_status(stream, &status));
    return status;
}

/* Ends it and says how that went. */
static int capture_close(void)
{
    int code = driver->capture_end(s, &graph);
    if (!code)
        OK(driver->graph_destroy(graph));
    return code;
}

START_TEST(a_stream_says_whether_it_captures)
{
    ck_assert_uint_eq(capture_state(s), DRIVER_CAPTURE_STATUS_NONE);
    OK(driver->capture_begin(s, DRIVER_CAPTURE_THREAD_LOCAL));
    ck_assert_uint_eq(capture_state(s), DRIVER_CAPTURE_STATUS_ACTIVE);
    ck_assert_uint_eq(capture_state(other), DRIVER_CAPTURE_STATUS_NONE);
    OK(capture_close());
    ck_assert_uint_eq(capture_state(s), DRIVER_CAPTURE_STATUS_NONE);
}
END_TEST

START_TEST(a_query_of_the_capturing_stream_kills_the_capture)
{
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    EXPECT(DRIVER_STREAM_CAPTURE_UNSUPPORTED, driver->stream_query(s));
    ck_assert_uint_eq(capture_state(s), DRIVER_CAPTURE_STATUS_INVALIDATED);
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, capture_close());
    OK(driver->stream_query(s));
}
END_TEST

START_TEST(to_ask_the_capturing_stream_for_its_number_kills_the_capture)
{
    unsigned long long number;
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    EXPECT(DRIVER_STREAM_CAPTURE_UNSUPPORTED, driver->stream_id(s, &number));
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, capture_close());
    OK(driver->stream_id(s, &number));
}
END_TEST

START_TEST(the_capturing_stream_tells_its_context_and_its_capture)
{
    driver_context of = NULL;
    driver_capture_status status;
    driver_capture_id first = 0, second = 0;
    for (int i = 0; i < 2; i++) {
        OK(driver->capture_begin(s, DRIVER_CAPTURE_GLOBAL));
        OK(driver->stream_context(s, &of));
        ck_assert_ptr_eq(of, context);
        OK(driver->capture_info(s, &status, i ? &second : &first, NULL, NULL, NULL));
        ck_assert_uint_eq(status, DRIVER_CAPTURE_STATUS_ACTIVE);
        OK(capture_close());
    }
    ck_assert_uint_ne(first, second);
}
END_TEST

START_TEST(a_query_of_a_captured_event_kills_the_capture)
{
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->event_record(event, s));
    EXPECT(DRIVER_CAPTURED_EVENT, driver->event_query(event));
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, capture_close());
    EXPECT(DRIVER_INVALID_VALUE, driver->event_query(event));
    OK(driver->event_record(event, s));
    OK(driver->event_synchronize(event));
}
END_TEST

START_TEST(a_host_wait_for_a_captured_event_kills_the_capture)
{
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->event_record(event, s));
    EXPECT(DRIVER_CAPTURED_EVENT, driver->event_synchronize(event));
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, capture_close());
}
END_TEST

START_TEST(an_event_of_a_capture_that_has_ended_is_void_until_recorded_anew)
{
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->event_record(event, s));
    OK(capture_close());
    EXPECT(DRIVER_INVALID_VALUE, driver->event_query(event));
    EXPECT(DRIVER_INVALID_VALUE, driver->stream_wait_event(other, event, 0));
    OK(driver->event_record(event, other));
    OK(driver->event_synchronize(event));
}
END_TEST

START_TEST(an_event_never_recorded_may_be_waited_for_in_a_capture)
{
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->stream_wait_event(s, event, 0));
    OK(capture_close());
}
END_TEST

START_TEST(a_dead_capture_takes_nothing_more)
{
    driver_address address = memory_new(4, other);
    OK(driver->stream_synchronize(other));
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    EXPECT(DRIVER_STREAM_CAPTURE_UNSUPPORTED, driver->stream_query(s));
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, kernel_launch(address, s));
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, driver->event_record(event, s));
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, capture_close());
    OK(driver->free_async(address, other));
}
END_TEST

START_TEST(two_captures_cannot_be_merged)
{
    driver_graph made;
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->event_record(event, s));
    OK(driver->capture_begin(other, DRIVER_CAPTURE_RELAXED));
    EXPECT(DRIVER_STREAM_CAPTURE_MERGE, driver->stream_wait_event(other, event, 0));
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, capture_close());
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, driver->capture_end(other, &made));
}
END_TEST

START_TEST(a_capture_ends_on_the_stream_where_it_began)
{
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->event_record(event, s));
    OK(driver->stream_wait_event(other, event, 0));
    EXPECT(DRIVER_STREAM_CAPTURE_UNMATCHED, driver->capture_end(other, &graph));
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, capture_close());
    ck_assert_uint_eq(capture_state(other), DRIVER_CAPTURE_STATUS_NONE);
}
END_TEST

START_TEST(waiting_for_an_outside_event_kills_the_capture)
{
    OK(driver->event_record(event, other));
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    EXPECT(DRIVER_STREAM_CAPTURE_ISOLATION, driver->stream_wait_event(s, event, 0));
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, capture_close());
}
END_TEST

START_TEST(an_external_wait_may_be_captured)
{
    OK(driver->event_record(event, other));
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->stream_wait_event(s, event, DRIVER_EVENT_WAIT_EXTERNAL));
    OK(capture_close());
}
END_TEST

/* C2 rests on this. */
START_TEST(others_may_follow_what_was_recorded_before_the_capture)
{
    struct gate gate = GATE_INIT;
    driver_address address = memory_new(4, other);
    OK(driver->stream_synchronize(other));
    gate_put(&gate, s);
    OK(driver->event_record(event, s));
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->stream_wait_event(other, event, 0));
    OK(kernel_launch(address, other));
    EXPECT(DRIVER_NOT_READY, driver->stream_query(other));
    gate_open(&gate);
    ck_assert_uint_eq(memory_word(address, other), 7);
    OK(capture_close());
    OK(driver->free_async(address, other));
}
END_TEST

START_TEST(the_legacy_stream_has_no_status_while_a_blocking_stream_captures)
{
    driver_stream blocking = stream_new(0);
    driver_capture_status status;
    OK(driver->capture_begin(blocking, DRIVER_CAPTURE_RELAXED));
    EXPECT(DRIVER_STREAM_CAPTURE_IMPLICIT, driver->capture_status(DRIVER_STREAM_LEGACY, &status));
    ck_assert_uint_eq(capture_state(blocking), DRIVER_CAPTURE_STATUS_ACTIVE);
    EXPECT(DRIVER_STREAM_CAPTURE_IMPLICIT, driver->event_record(event, DRIVER_STREAM_LEGACY));
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, driver->capture_end(blocking, &graph));
    OK(driver->stream_destroy(blocking));
}
END_TEST

START_TEST(a_launch_on_the_legacy_stream_kills_the_capture_of_a_blocking_stream)
{
    driver_stream blocking = stream_new(0);
    driver_address address = memory_new(4, other);
    OK(driver->stream_synchronize(other));
    OK(driver->capture_begin(blocking, DRIVER_CAPTURE_RELAXED));
    EXPECT(DRIVER_STREAM_CAPTURE_IMPLICIT, kernel_launch(address, DRIVER_STREAM_LEGACY));
    EXPECT(DRIVER_STREAM_CAPTURE_INVALIDATED, driver->capture_end(blocking, &graph));
    OK(driver->free_async(address, other));
    OK(driver->stream_destroy(blocking));
}
END_TEST

START_TEST(the_legacy_stream_leaves_the_capture_of_a_non_blocking_stream_alone)
{
    driver_address address = memory_new(4, other);
    OK(driver->stream_synchronize(other));
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    ck_assert_uint_eq(capture_state(DRIVER_STREAM_LEGACY), DRIVER_CAPTURE_STATUS_NONE);
    OK(kernel_launch(address, DRIVER_STREAM_LEGACY));
    OK(capture_close());
    OK(driver->stream_synchronize(DRIVER_STREAM_LEGACY));
    OK(driver->free_async(address, other));
}
END_TEST

START_TEST(the_legacy_stream_cannot_capture)
{
    EXPECT(DRIVER_STREAM_CAPTURE_UNSUPPORTED, driver->capture_begin(DRIVER_STREAM_LEGACY, DRIVER_CAPTURE_RELAXED));
}
END_TEST

static int capture_end_here(void *argument)
{
    return driver->capture_end(s, argument);
}

START_TEST(another_thread_may_end_a_relaxed_capture_only)
{
    for (driver_capture_mode mode = DRIVER_CAPTURE_GLOBAL; mode <= DRIVER_CAPTURE_THREAD_LOCAL; mode++) {
        OK(driver->capture_begin(s, mode));
        EXPECT(DRIVER_STREAM_CAPTURE_WRONG_THREAD, thread_run(capture_end_here, &graph));
        ck_assert_uint_eq(capture_state(s), DRIVER_CAPTURE_STATUS_NONE);    /* the attempt ends the capture */
    }
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(thread_run(capture_end_here, &graph));
    OK(driver->graph_destroy(graph));
}
END_TEST

static int kernel_launch_here(void *argument)
{
    return kernel_launch(*(driver_address *)argument, s);
}

START_TEST(any_thread_may_launch_into_a_capture)
{
    driver_address address = memory_new(4, other);
    OK(driver->stream_synchronize(other));
    for (driver_capture_mode mode = DRIVER_CAPTURE_GLOBAL; mode <= DRIVER_CAPTURE_RELAXED; mode++) {
        OK(driver->capture_begin(s, mode));
        OK(thread_run(kernel_launch_here, &address));
        OK(capture_close());
    }
    OK(driver->free_async(address, other));
}
END_TEST

START_TEST(another_stream_joins_by_an_event_and_comes_back_by_one)
{
    driver_address address = memory_new(8, other);
    driver_event back = event_new();
    driver_graph_exec exec;
    OK(driver->fill32(address, 0, 2, other));
    OK(driver->stream_synchronize(other));
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(kernel_launch(address, s));
    OK(driver->event_record(event, s));
    OK(driver->stream_wait_event(other, event, 0));
    ck_assert_uint_eq(capture_state(other), DRIVER_CAPTURE_STATUS_ACTIVE);
    OK(driver->copy(address + 4, address, 4, other));
    OK(driver->event_record(back, other));
    OK(driver->stream_wait_event(s, back, 0));
    OK(driver->capture_end(s, &graph));
    ck_assert_uint_eq(capture_state(other), DRIVER_CAPTURE_STATUS_NONE);
    OK(driver->graph_instantiate(&exec, graph, 0));
    OK(driver->graph_launch(exec, other));
    ck_assert_uint_eq(memory_word(address + 4, other), 7);
    OK(driver->graph_exec_destroy(exec));
    OK(driver->graph_destroy(graph));
    OK(driver->event_destroy(back));
    OK(driver->free_async(address, other));
}
END_TEST

START_TEST(a_fork_that_does_not_come_back_fails_the_capture)
{
    driver_address address = memory_new(4, other);
    OK(driver->stream_synchronize(other));
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(driver->event_record(event, s));
    OK(driver->stream_wait_event(other, event, 0));
    OK(kernel_launch(address, other));
    EXPECT(DRIVER_STREAM_CAPTURE_UNJOINED, capture_close());
    OK(driver->free_async(address, other));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_stream_says_whether_it_captures, a_query_of_the_capturing_stream_kills_the_capture,
        to_ask_the_capturing_stream_for_its_number_kills_the_capture, the_capturing_stream_tells_its_context_and_its_capture,
        a_query_of_a_captured_event_kills_the_capture, a_host_wait_for_a_captured_event_kills_the_capture,
        an_event_of_a_capture_that_has_ended_is_void_until_recorded_anew,
        an_event_never_recorded_may_be_waited_for_in_a_capture, a_dead_capture_takes_nothing_more,
        two_captures_cannot_be_merged, a_capture_ends_on_the_stream_where_it_began,
        waiting_for_an_outside_event_kills_the_capture,
        an_external_wait_may_be_captured, others_may_follow_what_was_recorded_before_the_capture,
        the_legacy_stream_has_no_status_while_a_blocking_stream_captures,
        a_launch_on_the_legacy_stream_kills_the_capture_of_a_blocking_stream,
        the_legacy_stream_leaves_the_capture_of_a_non_blocking_stream_alone, the_legacy_stream_cannot_capture,
        another_thread_may_end_a_relaxed_capture_only, any_thread_may_launch_into_a_capture,
        another_stream_joins_by_an_event_and_comes_back_by_one, a_fork_that_does_not_come_back_fails_the_capture
    };
    return suite_run_with("conformance: captures", tests, sizeof tests / sizeof *tests, capture_begin, capture_end);
}
