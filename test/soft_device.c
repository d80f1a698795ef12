/* What only the software device has: kernels in C, poison, a census, a memory limit, faults on demand, several
 * devices. */
#include "conformance.h"
#include "needs.h"

#include <stdlib.h>
#include <string.h>

#include "baton.h"
#include "driver/soft/soft.h"

static void nothing(void)
{
}

/* ---- host kernels */

static void kernel_add(const struct soft_grid *grid, void *const *arguments)
{
    uint32_t *to = *(uint32_t **)arguments[0];
    unsigned char increment = *(unsigned char *)arguments[1];
    uint32_t count = *(uint32_t *)arguments[2];
    for (uint32_t i = 0; i < count * grid->grid[0]; i++)
        to[i] += increment;
}

static const struct soft_parameter add_parameters[] = { { 8, 3 }, { 1, 0 }, { 4, 0 } };
static const struct soft_kernel add_kernel = { "add", kernel_add, add_parameters, 3 };
static const struct soft_image add_image = { SOFT_IMAGE_MAGIC, 1, &add_kernel };

static driver_function function_load(driver_module *module)
{
    driver_function function;
    OK(driver->module_load(module, &add_image));
    OK(driver->module_function(&function, *module, "add"));
    return function;
}

static int add_launch(driver_function function, driver_address to, driver_stream stream)
{
    unsigned char increment = 3;
    uint32_t count = 8;
    void *parameters[] = { &to, &increment, &count };
    return driver->launch(function, 2, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
}

START_TEST(a_c_function_runs_as_a_kernel)
{
    driver_module module;
    driver_function function;
    driver_stream stream;
    driver_address memory;
    size_t offset, bytes;
    driver_begin();
    function = function_load(&module);
    stream = stream_new(DRIVER_STREAM_NON_BLOCKING);
    memory = memory_new(64, stream);
    OK(driver->fill32(memory, 1, 16, stream));
    OK(add_launch(function, memory, stream));
    ck_assert_uint_eq(memory_word(memory + 60, stream), 4);
    OK(driver->function_parameter(function, 2, &offset, &bytes));
    ck_assert_uint_eq(offset, 12);
    ck_assert_uint_eq(bytes, 4);
    EXPECT(DRIVER_INVALID_IMAGE, driver->module_load(&module, "something else"));
    OK(driver->stream_destroy(stream));
    driver_end();
}
END_TEST

START_TEST(what_a_function_or_a_launch_cannot_be_told_is_refused)
{
    driver_module module;
    driver_function function;
    driver_stream stream;
    driver_address memory;
    int value = 0;
    driver_begin();
    function = function_load(&module);
    stream = stream_new(DRIVER_STREAM_NON_BLOCKING);
    memory = memory_new(64, stream);
    uint64_t to = memory;
    uint32_t increment = 3, count = 8;
    void *parameters[] = { &to, &increment, &count };
    struct driver_launch_attribute attribute = { .id = 99 };
    struct driver_launch_config config = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .stream = stream, .attributes = &attribute, .count = 1 };
    EXPECT(DRIVER_INVALID_VALUE, driver->launch_ex(&config, function, parameters, NULL));
    EXPECT(DRIVER_INVALID_VALUE, driver->launch_ex(NULL, function, parameters, NULL));
    attribute = (struct driver_launch_attribute) { .id = DRIVER_LAUNCH_CLUSTER, .value.cluster = { 2, 1, 1 } };
    EXPECT(DRIVER_INVALID_VALUE, driver->launch_ex(&config, function, parameters, NULL));
    attribute = (struct driver_launch_attribute) { .id = DRIVER_LAUNCH_COOPERATIVE };
    OK(driver->launch_ex(&config, function, parameters, NULL));
    EXPECT(DRIVER_INVALID_VALUE, driver->function_set(function, DRIVER_FUNCTION_REGISTERS, 16));
    EXPECT(DRIVER_INVALID_VALUE, driver->function_set(function, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, -1));
    EXPECT(DRIVER_INVALID_VALUE, driver->function_attribute(&value, 99, function));
    EXPECT(DRIVER_INVALID_VALUE, driver->module_load_ex(&module, driver->builtin_image, 2, NULL, NULL));
    OK(driver->stream_destroy(stream));
    driver_end();
}
END_TEST

/* ---- poison and census */

START_TEST(fresh_memory_and_freed_memory_are_poisoned)
{
    uint64_t keep = UINT64_MAX;
    driver_stream stream;
    driver_address memory;
    driver_begin();
    stream = stream_new(DRIVER_STREAM_NON_BLOCKING);
    OK(driver->pool_set(pool, DRIVER_POOL_RELEASE_THRESHOLD, &keep));
    memory = memory_new(64, stream);
    ck_assert_uint_eq(memory_word(memory, stream), SOFT_POISON_ALLOC * 0x01010101U);
    OK(driver->free_async(memory, stream));
    OK(driver->stream_synchronize(stream));
    ck_assert_uint_eq(*(uint32_t *)(uintptr_t)memory, SOFT_POISON_FREE * 0x01010101U);
    OK(driver->stream_destroy(stream));
    driver_end();
}
END_TEST

START_TEST(the_census_counts_what_is_alive)
{
    struct soft_census before, during, after;
    driver_stream stream;
    driver_event event;
    driver_address memory;
    driver_begin();
    soft_census(&before);
    stream = stream_new(0);
    event = event_new();
    memory = memory_new(100, stream);
    soft_census(&during);
    ck_assert_uint_eq(during.streams, before.streams + 1);
    ck_assert_uint_eq(during.events, before.events + 1);
    ck_assert_uint_eq(during.bytes, before.bytes + 100);
    ck_assert_uint_eq(during.allocations, before.allocations + 1);
    ck_assert_uint_eq(during.contexts, 1);
    OK(driver->free_async(memory, stream));
    OK(driver->event_destroy(event));
    OK(driver->stream_destroy(stream));
    soft_census(&after);
    ck_assert_mem_eq(&before, &after, sizeof before);
    driver_end();
}
END_TEST

START_TEST(closing_takes_everything_with_it)
{
    driver_stream stream;
    driver_begin();
    stream = stream_new(0);
    for (int i = 0; i < 100; i++) {
        driver_address memory = memory_new(1000, stream);
        OK(driver->event_record(event_new(), stream));
        OK(driver->fill32(memory, 0, 250, NULL));
        OK(driver->event_record(event_new(), DRIVER_STREAM_PER_THREAD));
        OK(driver->free_async(memory, i % 2 ? stream : NULL));
    }
    OK(driver->launch_host(stream, free, malloc(16)));
    driver_close(driver);
    EXPECT(DRIVER_NOT_INITIALIZED, driver->stream_query(stream));
    EXPECT(DRIVER_NO_DEVICE, driver->init(0));
}
END_TEST

START_TEST(the_memory_limit_holds)
{
    driver_address first, second;
    size_t available, total;
    soft_set_memory(1 << 20);
    driver_begin();
    OK(driver->memory_info(&available, &total));
    ck_assert_uint_eq(total, 1 << 20);
    OK(driver->alloc(&first, 700 << 10));
    EXPECT(DRIVER_OUT_OF_MEMORY, driver->alloc(&second, 700 << 10));
    OK(driver->free(first));
    OK(driver->alloc(&second, 700 << 10));
    OK(driver->free(second));
    driver_end();
    soft_set_memory(0);
}
END_TEST

/* ---- faults and devices */

/* E2 */
START_TEST(a_fault_sticks_until_the_machine_is_opened_anew)
{
    driver_stream stream;
    driver_event event;
    driver_begin();
    stream = stream_new(DRIVER_STREAM_NON_BLOCKING);
    soft_fault(0, DRIVER_LAUNCH_FAILED);
    EXPECT(DRIVER_LAUNCH_FAILED, driver->stream_synchronize(stream));
    EXPECT(DRIVER_LAUNCH_FAILED, driver->event_create(&event, 0));
    EXPECT(DRIVER_LAUNCH_FAILED, driver->stream_destroy(stream));
    driver_close(driver);
    driver_begin();
    OK(driver->stream_synchronize(NULL));
    driver_end();
}
END_TEST

static driver_context devices_pair(void)
{
    char why[256];
    driver_context other;
    ck_assert_int_eq(driver_open("soft:2", &driver, why, sizeof why), 0);
    OK(driver->init(0));
    OK(driver->primary_retain(&other, 1));
    setenv("BATON_DRIVER", "soft:2", 1);
    driver_begin();
    return other;
}

START_TEST(memory_of_another_device_needs_peer_access)
{
    driver_context other = devices_pair();
    driver_stream here = stream_new(DRIVER_STREAM_NON_BLOCKING), there;
    driver_address memory = memory_new(64, here), far;
    int can = 0;
    OK(driver->context_push(other));
    OK(driver->alloc(&far, 64));
    there = stream_new(DRIVER_STREAM_NON_BLOCKING);
    OK(driver->fill32(far, 5, 1, there));
    OK(driver->stream_synchronize(there));
    OK(driver->context_pop(NULL));
    EXPECT(DRIVER_INVALID_VALUE, driver->copy(memory, far, 4, here));
    OK(driver->copy_peer(memory, context, far, other, 4, here));
    ck_assert_uint_eq(memory_word(memory, here), 5);
    OK(driver->device_can_access_peer(&can, 0, 1));
    ck_assert_int_eq(can, 1);
    OK(driver->context_enable_peer(other, 0));
    EXPECT(DRIVER_PEER_ACCESS_ALREADY_ENABLED, driver->context_enable_peer(other, 0));
    OK(driver->copy(memory, far, 4, here));
    OK(kernel_launch(far, here));
    OK(driver->stream_synchronize(here));
    EXPECT(DRIVER_INVALID_HANDLE, kernel_launch(far, there));
    driver_close(driver);
    driver_end();
}
END_TEST

START_TEST(a_kernel_that_reaches_too_far_poisons_its_context_alone)
{
    driver_context other = devices_pair();
    driver_stream here = stream_new(DRIVER_STREAM_NON_BLOCKING);
    driver_address far;
    soft_set_peer(0, 1, 0);
    EXPECT(DRIVER_PEER_ACCESS_UNSUPPORTED, driver->context_enable_peer(other, 0));
    OK(driver->context_push(other));
    OK(driver->alloc(&far, 64));
    OK(kernel_launch(far, here));
    EXPECT(DRIVER_ILLEGAL_ADDRESS, driver->stream_synchronize(here));
    OK(driver->stream_synchronize(NULL));
    OK(driver->context_pop(NULL));
    EXPECT(DRIVER_ILLEGAL_ADDRESS, driver->stream_synchronize(NULL));
    soft_set_peer(0, 1, 1);
    driver_close(driver);
    driver_end();
}
END_TEST

static void call_from_inside(void *user)
{
    *(int *)user = driver->stream_query(DRIVER_STREAM_LEGACY);
}

START_TEST(a_host_function_may_not_call_the_driver)
{
    int code = 0;
    driver_begin();
    OK(driver->launch_host(NULL, call_from_inside, &code));
    OK(driver->stream_synchronize(NULL));
    ck_assert_int_eq(code, DRIVER_NOT_PERMITTED);
    driver_end();
}
END_TEST

START_TEST(a_second_opening_shares_the_machine_when_it_wants_the_same)
{
    ck_assert_int_eq(soft_open(2), BATON_OK);
    ck_assert_int_eq(soft_open(2), BATON_OK);
    ck_assert_int_eq(soft_open(3), BATON_ERR_BUSY);
    ck_assert_int_eq(soft_open(17), BATON_ERR_ARGUMENT);
    soft_close();
    ck_assert_int_eq(soft_open(3), BATON_ERR_BUSY);
    soft_close();
    ck_assert_int_eq(soft_open(3), BATON_OK);
    soft_close();
}
END_TEST

START_TEST(bad_handles_are_refused)
{
    unsigned long long id;
    driver_begin();
    EXPECT(DRIVER_INVALID_HANDLE, driver->stream_synchronize((driver_stream)&id));
    EXPECT(DRIVER_INVALID_HANDLE, driver->event_query(NULL));
    EXPECT(DRIVER_INVALID_HANDLE, driver->event_destroy((driver_event)context));
    EXPECT(DRIVER_INVALID_HANDLE, driver->module_unload(&id));
    EXPECT(DRIVER_INVALID_CONTEXT, driver->context_push(&id));
    EXPECT(DRIVER_INVALID_CONTEXT, driver->context_id(&id, &id));
    EXPECT(DRIVER_INVALID_VALUE, driver->pool_destroy(&id));
    EXPECT(DRIVER_INVALID_VALUE, driver->graph_launch(&id, NULL));
    EXPECT(DRIVER_INVALID_HANDLE, add_launch(&id, 0, NULL));
    driver_end();
}
END_TEST

int main(void)
{
    if (soft_program("soft_device", "it is about"))
        return NEEDS_SKIPPED;
    const TTest *const tests[] = {
        a_c_function_runs_as_a_kernel, what_a_function_or_a_launch_cannot_be_told_is_refused, fresh_memory_and_freed_memory_are_poisoned, the_census_counts_what_is_alive,
        closing_takes_everything_with_it, the_memory_limit_holds, a_fault_sticks_until_the_machine_is_opened_anew,
        memory_of_another_device_needs_peer_access, a_kernel_that_reaches_too_far_poisons_its_context_alone,
        a_host_function_may_not_call_the_driver, a_second_opening_shares_the_machine_when_it_wants_the_same,
        bad_handles_are_refused
    };
    return suite_run_with("soft: device", tests, sizeof tests / sizeof *tests, nothing, nothing);
}
