#include "conformance.h"

#include <stdlib.h>

START_TEST(operations_of_one_stream_run_in_order)
{
    driver_stream stream = stream_new(DRIVER_STREAM_NON_BLOCKING);
    driver_address address = memory_new(4096, stream);
    for (unsigned int i = 1; i <= 100; i++)
        OK(driver->fill32(address, i, 1024, stream));
    ck_assert_uint_eq(memory_word(address + 4092, stream), 100);
    OK(driver->free_async(address, stream));
    OK(driver->stream_destroy(stream));
}
END_TEST

START_TEST(a_stream_behind_a_gate_is_not_ready)
{
    struct gate gate = GATE_INIT;
    driver_stream stream = stream_new(DRIVER_STREAM_NON_BLOCKING);
    OK(driver->stream_query(stream));
    gate_put(&gate, stream);
    EXPECT(DRIVER_NOT_READY, driver->stream_query(stream));
    gate_open(&gate);
    OK(driver->stream_synchronize(stream));
    OK(driver->stream_query(stream));
    OK(driver->stream_destroy(stream));
}
END_TEST

START_TEST(destroying_a_busy_stream_returns_at_once_and_its_work_still_runs)
{
    struct gate gate = GATE_INIT;
    driver_stream stream = stream_new(DRIVER_STREAM_NON_BLOCKING), other = stream_new(DRIVER_STREAM_NON_BLOCKING);
    driver_address address = memory_new(4, other);
    driver_event event = event_new();
    OK(driver->fill32(address, 1, 1, other));
    OK(driver->stream_synchronize(other));
    gate_put(&gate, stream);
    OK(driver->fill32(address, 2, 1, stream));
    OK(driver->event_record(event, stream));
    OK(driver->stream_destroy(stream));
    EXPECT(DRIVER_NOT_READY, driver->event_query(event));
    OK(driver->stream_wait_event(other, event, 0));
    gate_open(&gate);
    ck_assert_uint_eq(memory_word(address, other), 2);
    OK(driver->free_async(address, other));
    OK(driver->stream_destroy(other));
    OK(driver->event_destroy(event));
}
END_TEST

START_TEST(the_next_stream_gets_the_handle_but_not_the_id)
{
    unsigned long long first_id, second_id;
    driver_stream first = stream_new(DRIVER_STREAM_NON_BLOCKING), second;
    OK(driver->stream_id(first, &first_id));
    OK(driver->stream_destroy(first));
    second = stream_new(DRIVER_STREAM_NON_BLOCKING);
    OK(driver->stream_id(second, &second_id));
    ck_assert_ptr_eq(first, second);
    ck_assert_uint_ne(first_id, second_id);
    OK(driver->stream_destroy(second));
}
END_TEST

START_TEST(the_handle_is_reused_while_the_destroyed_stream_is_busy)
{
    struct gate gate = GATE_INIT;
    driver_stream first = stream_new(DRIVER_STREAM_NON_BLOCKING), second;
    driver_event event = event_new();
    gate_put(&gate, first);
    OK(driver->event_record(event, first));
    OK(driver->stream_destroy(first));
    second = stream_new(DRIVER_STREAM_NON_BLOCKING);
    ck_assert_ptr_eq(first, second);
    EXPECT(DRIVER_NOT_READY, driver->event_query(event));
    gate_open(&gate);
    OK(driver->event_synchronize(event));
    OK(driver->stream_destroy(second));
    OK(driver->event_destroy(event));
}
END_TEST

START_TEST(the_legacy_stream_waits_for_blocking_streams_and_they_for_it)
{
    struct gate gate = GATE_INIT, second = GATE_INIT;
    driver_stream stream = stream_new(0);
    driver_event event = event_new();
    gate_put(&gate, stream);
    OK(driver->event_record(event, DRIVER_STREAM_LEGACY));
    EXPECT(DRIVER_NOT_READY, driver->event_query(event));
    gate_open(&gate);
    OK(driver->event_synchronize(event));
    gate_put(&second, NULL);
    OK(driver->event_record(event, stream));
    EXPECT(DRIVER_NOT_READY, driver->event_query(event));
    gate_open(&second);
    OK(driver->event_synchronize(event));
    OK(driver->stream_destroy(stream));
    OK(driver->event_destroy(event));
}
END_TEST

START_TEST(the_legacy_stream_does_not_wait_for_non_blocking_streams)
{
    struct gate gate = GATE_INIT;
    driver_stream stream = stream_new(DRIVER_STREAM_NON_BLOCKING);
    driver_event event = event_new();
    gate_put(&gate, stream);
    OK(driver->event_record(event, DRIVER_STREAM_LEGACY));
    OK(driver->event_synchronize(event));
    EXPECT(DRIVER_NOT_READY, driver->stream_query(stream));
    gate_open(&gate);
    OK(driver->stream_synchronize(stream));
    OK(driver->stream_destroy(stream));
    OK(driver->event_destroy(event));
}
END_TEST

START_TEST(the_legacy_stream_follows_an_event_of_a_non_blocking_stream_and_is_followed)
{
    struct gate gate = GATE_INIT;
    driver_stream before = stream_new(DRIVER_STREAM_NON_BLOCKING), after = stream_new(DRIVER_STREAM_NON_BLOCKING);
    driver_event first = event_new(), second = event_new();
    gate_put(&gate, before);
    OK(driver->event_record(first, before));
    OK(driver->stream_wait_event(DRIVER_STREAM_LEGACY, first, 0));
    OK(driver->event_record(second, DRIVER_STREAM_LEGACY));
    OK(driver->stream_wait_event(after, second, 0));
    EXPECT(DRIVER_NOT_READY, driver->event_query(second));
    EXPECT(DRIVER_NOT_READY, driver->stream_query(after));
    gate_open(&gate);
    OK(driver->stream_synchronize(after));
    OK(driver->event_query(second));
    OK(driver->stream_destroy(before));
    OK(driver->stream_destroy(after));
    OK(driver->event_destroy(first));
    OK(driver->event_destroy(second));
}
END_TEST

static int per_thread_id(void *argument)
{
    int code = driver->context_push(context);
    if (!code)
        code = driver->stream_id(DRIVER_STREAM_PER_THREAD, argument);
    return code ? code : driver->context_pop(NULL);
}

START_TEST(the_per_thread_stream_is_another_one_in_every_thread)
{
    unsigned long long here, again, there, legacy;
    OK(driver->stream_id(DRIVER_STREAM_PER_THREAD, &here));
    OK(driver->stream_id(DRIVER_STREAM_PER_THREAD, &again));
    OK(driver->stream_id(DRIVER_STREAM_LEGACY, &legacy));
    OK(thread_run(per_thread_id, &there));
    ck_assert_uint_eq(here, again);
    ck_assert_uint_ne(here, there);
    ck_assert_uint_ne(here, legacy);
}
END_TEST

START_TEST(special_streams_record_events)
{
    driver_event event = event_new();
    OK(driver->event_record(event, DRIVER_STREAM_LEGACY));
    OK(driver->event_synchronize(event));
    OK(driver->event_record(event, DRIVER_STREAM_PER_THREAD));
    OK(driver->event_synchronize(event));
    OK(driver->event_destroy(event));
}
END_TEST

START_TEST(a_stream_knows_its_context)
{
    driver_stream stream = stream_new(0);
    driver_context found = NULL;
    OK(driver->stream_context(stream, &found));
    ck_assert_ptr_eq(found, context);
    OK(driver->stream_destroy(stream));
}
END_TEST

enum { MANY_STREAMS = 64, MANY_ROUNDS = 1000 };

START_TEST(many_streams_pass_one_value_around_in_order)
{
    driver_stream streams[MANY_STREAMS];
    driver_event event = event_new();
    driver_address address;
    for (int i = 0; i < MANY_STREAMS; i++)
        streams[i] = stream_new(DRIVER_STREAM_NON_BLOCKING);
    address = memory_new(4, streams[0]);
    OK(driver->event_record(event, streams[0]));
    for (unsigned int i = 0; i < MANY_ROUNDS; i++) {
        driver_stream stream = streams[(i * 7 + 1) % MANY_STREAMS];
        OK(driver->stream_wait_event(stream, event, 0));
        OK(driver->fill32(address, i, 1, stream));
        OK(driver->event_record(event, stream));
    }
    OK(driver->event_synchronize(event));
    ck_assert_uint_eq(memory_word(address, streams[1]), MANY_ROUNDS - 1);
    OK(driver->free_async(address, streams[1]));
    for (int i = 0; i < MANY_STREAMS; i++)
        OK(driver->stream_destroy(streams[i]));
    OK(driver->event_destroy(event));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        operations_of_one_stream_run_in_order, a_stream_behind_a_gate_is_not_ready,
        destroying_a_busy_stream_returns_at_once_and_its_work_still_runs,
        the_next_stream_gets_the_handle_but_not_the_id,
        the_handle_is_reused_while_the_destroyed_stream_is_busy,
        the_legacy_stream_waits_for_blocking_streams_and_they_for_it,
        the_legacy_stream_does_not_wait_for_non_blocking_streams,
        the_legacy_stream_follows_an_event_of_a_non_blocking_stream_and_is_followed, the_per_thread_stream_is_another_one_in_every_thread,
        special_streams_record_events, a_stream_knows_its_context, many_streams_pass_one_value_around_in_order
    };
    return suite_run("conformance: streams", tests, sizeof tests / sizeof *tests);
}
