/* Events between devices: what a device wait from one to another rests on (S12). Streams a and b and `event` are device 0's, whose context is current;
 * stream c and event `other` are device 1's. */
#include "conformance.h"

#include "driver/soft/soft.h"

static driver_stream a, b, c;
static driver_event event, other;

static void begin(void)
{
    driver_begin();
    a = stream_new(DRIVER_STREAM_NON_BLOCKING);
    b = stream_new(DRIVER_STREAM_NON_BLOCKING);
    event = event_new();
    peer_begin(1);
    c = stream_new(DRIVER_STREAM_NON_BLOCKING);
    other = event_new();
    OK(driver->context_push(context));
}

static void end(void)
{
    driver_context popped;
    OK(driver->context_pop(&popped));
    OK(driver->event_destroy(other));
    OK(driver->stream_destroy(c));
    peer_end(1);
    if (event)
        OK(driver->event_destroy(event));
    OK(driver->stream_destroy(a));
    OK(driver->stream_destroy(b));
    driver_end();
}

START_TEST(a_stream_follows_an_event_of_another_device)
{
    struct gate gate = GATE_INIT, back = GATE_INIT;
    gate_put(&gate, a);
    OK(driver->event_record(event, a));
    OK(driver->stream_wait_event(c, event, 0));
    EXPECT(DRIVER_NOT_READY, driver->stream_query(c));
    gate_open(&gate);
    OK(driver->stream_synchronize(c));
    OK(driver->event_query(event));
    gate_put(&back, c);
    OK(driver->event_record(other, c));
    OK(driver->stream_wait_event(b, other, 0));
    EXPECT(DRIVER_NOT_READY, driver->stream_query(b));
    gate_open(&back);
    OK(driver->stream_synchronize(b));
}
END_TEST

START_TEST(an_event_is_recorded_on_streams_of_its_own_context_only)
{
    struct gate gate = GATE_INIT;
    gate_put(&gate, c);
    EXPECT(DRIVER_INVALID_HANDLE, driver->event_record(event, c));
    OK(driver->event_query(event));
    OK(driver->stream_wait_event(a, event, 0));
    OK(driver->stream_synchronize(a));
    gate_open(&gate);
    OK(driver->stream_synchronize(c));
}
END_TEST

/* S5 */
START_TEST(a_wait_on_another_device_keeps_to_the_record_it_saw)
{
    struct gate first = GATE_INIT, second = GATE_INIT;
    gate_put(&first, a);
    OK(driver->event_record(event, a));
    OK(driver->stream_wait_event(c, event, 0));
    gate_put(&second, a);
    OK(driver->event_record(event, a));
    EXPECT(DRIVER_NOT_READY, driver->stream_query(c));
    gate_open(&first);
    OK(driver->stream_synchronize(c));
    gate_reached(&second);
    EXPECT(DRIVER_NOT_READY, driver->stream_query(a));
    gate_open(&second);
    OK(driver->stream_synchronize(a));
}
END_TEST

START_TEST(an_event_may_be_destroyed_while_another_device_waits)
{
    struct gate gate = GATE_INIT;
    gate_put(&gate, a);
    OK(driver->event_record(event, a));
    OK(driver->stream_wait_event(c, event, 0));
    OK(driver->event_destroy(event));
    event = NULL;
    EXPECT(DRIVER_NOT_READY, driver->stream_query(c));
    gate_open(&gate);
    OK(driver->stream_synchronize(c));
}
END_TEST

/* S8 */
START_TEST(a_chain_over_another_device_reaches_the_first_stream)
{
    struct gate gate = GATE_INIT;
    gate_put(&gate, a);
    OK(driver->event_record(event, a));
    OK(driver->stream_wait_event(c, event, 0));
    OK(driver->event_record(other, c));
    OK(driver->stream_wait_event(b, other, 0));
    EXPECT(DRIVER_NOT_READY, driver->stream_query(b));
    gate_open(&gate);
    OK(driver->stream_synchronize(b));
    OK(driver->event_query(event));
}
END_TEST

START_TEST(ping_pong_between_devices_does_not_hang)
{
    void *word = NULL;
    driver_address address;
    OK(driver->host_alloc(&word, 4, DRIVER_HOST_ALLOC_PORTABLE));
    address = (uintptr_t)word;
    for (unsigned int i = 0; i < 1000; i++) {
        OK(driver->fill32(address, 2 * i, 1, a));
        OK(driver->event_record(event, a));
        OK(driver->stream_wait_event(c, event, 0));
        OK(driver->fill32(address, 2 * i + 1, 1, c));
        OK(driver->event_record(other, c));
        OK(driver->stream_wait_event(a, other, 0));
    }
    OK(driver->stream_synchronize(a));
    ck_assert_uint_eq(*(uint32_t *)word, 1999);
    OK(driver->host_free(word));
}
END_TEST

/* O9: what device 0 frees behind another device's reader is not handed out before that has read. */
START_TEST(a_free_lies_behind_an_event_of_another_device)
{
    struct gate gate = GATE_INIT;
    driver_address address = memory_new(1 << 20, a), next;
    gate_put(&gate, c);
    OK(driver->event_record(other, c));
    OK(driver->stream_wait_event(a, other, 0));
    OK(driver->free_async(address, a));
    next = memory_new(1 << 20, b);
    ck_assert_uint_ne(next, address);
    gate_open(&gate);
    OK(driver->stream_synchronize(a));
    OK(driver->free_async(next, b));
}
END_TEST

/* P5: pinned memory of device 1 is freed when all of that device is idle; what its streams follow on device 0 is over then, too. */
START_TEST(a_wait_for_a_whole_device_knows_what_its_streams_followed)
{
    driver_address memory = memory_new(4096, a);
    void *pinned;
    peer_begin(1);
    OK(driver->host_alloc(&pinned, 64, 0));
    OK(driver->fill32(memory, 1, 1024, a));
    OK(driver->event_record(event, a));
    OK(driver->stream_wait_event(c, event, 0));
    OK(driver->host_free(pinned));
    peer_end(1);
    OK(driver->fill32(memory, 2, 1024, b));
    ck_assert_uint_eq(soft_problems(), 0);      /* nor has the software device's own check seen anything */
    OK(driver->event_query(event));
    OK(driver->free_async(memory, b));
}
END_TEST

static int peer_use_bare(void *argument)
{
    int code;
    (void)argument;
    code = driver->event_record(other, c);
    if (!code)
        code = driver->stream_wait_event(a, other, 0);
    if (!code)
        code = driver->event_synchronize(other);
    return code ? code : driver->event_query(other);
}

static int peer_use_elsewhere(void *argument)
{
    int code = driver->context_set(context);
    return code ? code : peer_use_bare(argument);
}

START_TEST(following_another_device_needs_neither_context)
{
    OK(thread_run(peer_use_bare, NULL));
    OK(thread_run(peer_use_elsewhere, NULL));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        two_devices(a_stream_follows_an_event_of_another_device),
        two_devices(an_event_is_recorded_on_streams_of_its_own_context_only),
        two_devices(a_wait_on_another_device_keeps_to_the_record_it_saw),
        two_devices(an_event_may_be_destroyed_while_another_device_waits),
        two_devices(a_chain_over_another_device_reaches_the_first_stream),
        two_devices(ping_pong_between_devices_does_not_hang),
        two_devices(a_free_lies_behind_an_event_of_another_device),
        two_devices(a_wait_for_a_whole_device_knows_what_its_streams_followed),
        two_devices(following_another_device_needs_neither_context)
    };
    return suite_run_with("conformance: events between devices", tests, sizeof tests / sizeof *tests, begin, end);
}
