#include "conformance.h"

#include <stdlib.h>

START_TEST(a_context_is_current_per_thread_and_stacked)
{
    driver_context found = NULL;
    OK(driver->context_push(context));
    OK(driver->context_current(&found));
    ck_assert_ptr_eq(found, context);
    OK(driver->context_pop(&found));
    ck_assert_ptr_eq(found, context);
    OK(driver->context_current(&found));
    ck_assert_ptr_eq(found, context);
}
END_TEST

static int context_bare(void *argument)
{
    driver_context found = context;
    int code = driver->context_current(&found);
    (void)argument;
    if (code || found)
        return 1;
    if (driver->context_pop(&found) != DRIVER_INVALID_CONTEXT)
        return 2;
    if (driver->context_set(context) || driver->context_current(&found) || found != context)
        return 3;
    if (driver->context_set(NULL) || driver->context_current(&found) || found)
        return 4;
    return 0;
}

START_TEST(a_new_thread_has_no_context)
{
    ck_assert_int_eq(thread_run(context_bare, NULL), 0);
}
END_TEST

START_TEST(the_primary_context_is_one_and_counted)
{
    driver_context again;
    unsigned long long id, id_again;
    OK(driver->context_id(context, &id));
    OK(driver->primary_retain(&again, 0));
    ck_assert_ptr_eq(again, context);
    OK(driver->context_id(again, &id_again));
    ck_assert_uint_eq(id, id_again);
    OK(driver->primary_release(0));
    OK(driver->stream_query(DRIVER_STREAM_LEGACY));
}
END_TEST

START_TEST(devices_describe_themselves)
{
    driver_device device;
    int count = 0, value = 0, version = 0;
    size_t bytes = 0;
    char name[64] = "";
    OK(driver->version(&version));
    ck_assert_int_ge(version, 12000);
    OK(driver->device_count(&count));
    ck_assert_int_ge(count, 1);
    OK(driver->device_get(&device, 0));
    EXPECT(DRIVER_INVALID_DEVICE, driver->device_get(&device, count));
    OK(driver->device_get(&device, 0));
    OK(driver->device_name(name, sizeof name, device));
    ck_assert_int_ne(name[0], 0);
    OK(driver->device_memory(&bytes, device));
    ck_assert_uint_gt(bytes, 0);
    OK(driver->device_attribute(&value, DRIVER_DEVICE_MEMORY_POOLS, device));
    ck_assert_int_eq(value, 1);
    OK(driver->device_attribute(&value, DRIVER_DEVICE_UNIFIED_ADDRESSING, device));
    ck_assert_int_eq(value, 1);
}
END_TEST

START_TEST(priorities_have_a_range)
{
    int least = -1, greatest = 1;
    OK(driver->context_priorities(&least, &greatest));
    ck_assert_int_eq(least, 0);
    ck_assert_int_le(greatest, 0);
}
END_TEST

/* E2 */
START_TEST(after_an_illegal_address_every_call_says_so)
{
    driver_stream stream = stream_new(DRIVER_STREAM_NON_BLOCKING);
    driver_address address = memory_new(64, stream);
    driver_event event = event_new(), made;
    driver_capture_status status;
    OK(driver->stream_synchronize(stream));
    OK(kernel_launch(0x1000, stream));
    EXPECT(DRIVER_ILLEGAL_ADDRESS, driver->stream_synchronize(stream));
    EXPECT(DRIVER_ILLEGAL_ADDRESS, driver->capture_status(stream, &status));
    EXPECT(DRIVER_ILLEGAL_ADDRESS, driver->free_async(address, stream));
    EXPECT(DRIVER_ILLEGAL_ADDRESS, driver->event_create(&made, 0));
    EXPECT(DRIVER_ILLEGAL_ADDRESS, driver->event_record(event, stream));
    EXPECT(DRIVER_ILLEGAL_ADDRESS, driver->event_query(event));
    EXPECT(DRIVER_ILLEGAL_ADDRESS, kernel_launch(address, stream));
    EXPECT(DRIVER_ILLEGAL_ADDRESS, driver->stream_destroy(stream));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_context_is_current_per_thread_and_stacked, a_new_thread_has_no_context,
        the_primary_context_is_one_and_counted, devices_describe_themselves, priorities_have_a_range,
        after_an_illegal_address_every_call_says_so
    };
    return suite_run("conformance: contexts", tests, sizeof tests / sizeof *tests);
}
