#include "conformance.h"

#include <stdlib.h>

static driver_stream a, b;
static driver_event event;

static void streams_begin(void)
{
    driver_begin();
    a = stream_new(DRIVER_STREAM_NON_BLOCKING);
    b = stream_new(DRIVER_STREAM_NON_BLOCKING);
    event = event_new();
}

static void streams_end(void)
{
    if (event)
        OK(driver->event_destroy(event));
    OK(driver->stream_destroy(a));
    OK(driver->stream_destroy(b));
    driver_end();
}

START_TEST(an_event_never_recorded_is_done_for_everybody)
{
    OK(driver->event_query(event));
    OK(driver->event_synchronize(event));
    OK(driver->stream_wait_event(a, event, 0));
    OK(driver->stream_synchronize(a));
}
END_TEST

START_TEST(a_wait_before_the_first_record_does_nothing)
{
    struct gate gate = GATE_INIT;
    OK(driver->stream_wait_event(b, event, 0));
    gate_put(&gate, a);
    OK(driver->event_record(event, a));
    OK(driver->stream_synchronize(b));
    EXPECT(DRIVER_NOT_READY, driver->event_query(event));
    gate_open(&gate);
    OK(driver->event_synchronize(event));
}
END_TEST

/* Stamps rest on this: a wait means the record that was the newest when it was called (S5). */
START_TEST(a_wait_keeps_to_the_record_it_saw)
{
    struct gate first = GATE_INIT, second = GATE_INIT;
    driver_stream c = stream_new(DRIVER_STREAM_NON_BLOCKING);
    gate_put(&first, a);
    OK(driver->event_record(event, a));
    OK(driver->stream_wait_event(b, event, 0));
    gate_put(&second, a);
    OK(driver->event_record(event, a));
    OK(driver->stream_wait_event(c, event, 0));
    EXPECT(DRIVER_NOT_READY, driver->stream_query(b));
    gate_open(&first);
    OK(driver->stream_synchronize(b));
    gate_reached(&second);
    EXPECT(DRIVER_NOT_READY, driver->stream_query(c));
    gate_open(&second);
    OK(driver->stream_synchronize(c));
    OK(driver->stream_destroy(c));
}
END_TEST

START_TEST(a_query_sees_the_newest_record)
{
    struct gate gate = GATE_INIT;
    OK(driver->event_record(event, a));
    OK(driver->event_synchronize(event));
    gate_put(&gate, a);
    OK(driver->event_record(event, a));
    EXPECT(DRIVER_NOT_READY, driver->event_query(event));
    OK(driver->event_record(event, b));
    OK(driver->event_synchronize(event));
    EXPECT(DRIVER_NOT_READY, driver->stream_query(a));
    gate_open(&gate);
    OK(driver->stream_synchronize(a));
}
END_TEST

START_TEST(an_event_may_be_destroyed_while_a_stream_waits)
{
    struct gate gate = GATE_INIT;
    driver_address address = memory_new(4, a);
    OK(driver->fill32(address, 1, 1, a));
    OK(driver->stream_synchronize(a));
    gate_put(&gate, a);
    OK(driver->fill32(address, 2, 1, a));
    OK(driver->event_record(event, a));
    OK(driver->stream_wait_event(b, event, 0));
    OK(driver->event_destroy(event));
    event = NULL;
    EXPECT(DRIVER_NOT_READY, driver->stream_query(b));
    gate_open(&gate);
    ck_assert_uint_eq(memory_word(address, b), 2);
    OK(driver->free_async(address, b));
}
END_TEST

/* S8: the last link of a chain lies behind all of it. */
START_TEST(a_chain_of_waits_reaches_the_first_stream)
{
    struct gate gate = GATE_INIT;
    driver_event next = event_new();
    driver_stream c = stream_new(DRIVER_STREAM_NON_BLOCKING);
    gate_put(&gate, a);
    OK(driver->event_record(event, a));
    OK(driver->stream_wait_event(b, event, 0));
    OK(driver->event_record(next, b));
    OK(driver->stream_wait_event(c, next, 0));
    EXPECT(DRIVER_NOT_READY, driver->stream_query(c));
    EXPECT(DRIVER_NOT_READY, driver->event_query(next));
    gate_open(&gate);
    OK(driver->stream_synchronize(c));
    OK(driver->event_query(event));
    OK(driver->stream_destroy(c));
    OK(driver->event_destroy(next));
}
END_TEST

START_TEST(ping_pong_does_not_hang)
{
    driver_event back = event_new();
    driver_address address = memory_new(4, a);
    for (unsigned int i = 0; i < 2000; i++) {
        OK(driver->fill32(address, 2 * i, 1, a));
        OK(driver->event_record(event, a));
        OK(driver->stream_wait_event(b, event, 0));
        OK(driver->fill32(address, 2 * i + 1, 1, b));
        OK(driver->event_record(back, b));
        OK(driver->stream_wait_event(a, back, 0));
    }
    ck_assert_uint_eq(memory_word(address, a), 3999);
    OK(driver->free_async(address, a));
    OK(driver->event_destroy(back));
}
END_TEST

static int event_create_bare(void *argument)
{
    return driver->event_create(argument, DRIVER_EVENT_DISABLE_TIMING);
}

START_TEST(creating_an_event_needs_a_context)
{
    driver_event made = NULL;
    EXPECT(DRIVER_INVALID_CONTEXT, thread_run(event_create_bare, &made));
    ck_assert_ptr_null(made);
}
END_TEST

static int event_use_bare(void *argument)
{
    int code;
    (void)argument;
    code = driver->event_record(event, a);
    if (!code)
        code = driver->stream_wait_event(b, event, 0);
    if (!code)
        code = driver->event_synchronize(event);
    return code ? code : driver->event_query(event);
}

START_TEST(recording_and_waiting_need_no_context)
{
    OK(thread_run(event_use_bare, NULL));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        an_event_never_recorded_is_done_for_everybody, a_wait_before_the_first_record_does_nothing,
        a_wait_keeps_to_the_record_it_saw, a_query_sees_the_newest_record,
        an_event_may_be_destroyed_while_a_stream_waits, a_chain_of_waits_reaches_the_first_stream,
        ping_pong_does_not_hang, creating_an_event_needs_a_context, recording_and_waiting_need_no_context
    };
    return suite_run_with("conformance: events", tests, sizeof tests / sizeof *tests, streams_begin, streams_end);
}
