#include "conformance.h"

#include <stdlib.h>
#include <string.h>

static driver_stream a, b;

static void streams_begin(void)
{
    driver_begin();
    a = stream_new(DRIVER_STREAM_NON_BLOCKING);
    b = stream_new(DRIVER_STREAM_NON_BLOCKING);
}

static void streams_end(void)
{
    OK(driver->stream_destroy(a));
    OK(driver->stream_destroy(b));
    driver_end();
}

START_TEST(memory_is_usable_in_stream_order_at_once)
{
    struct gate gate = GATE_INIT;
    driver_address address;
    gate_put(&gate, a);
    address = memory_new(4096, a);
    OK(driver->fill32(address, 5, 1024, a));
    gate_open(&gate);
    ck_assert_uint_eq(memory_word(address, a), 5);
    OK(driver->free_async(address, a));
}
END_TEST

START_TEST(memory_freed_earlier_in_the_stream_is_used_again)
{
    struct gate gate = GATE_INIT;
    driver_address first, second;
    gate_put(&gate, a);
    first = memory_new(1 << 20, a);
    OK(driver->free_async(first, a));
    second = memory_new(1 << 20, a);
    ck_assert_uint_eq(first, second);
    OK(driver->free_async(second, a));
    gate_open(&gate);
    OK(driver->stream_synchronize(a));
}
END_TEST

START_TEST(memory_freed_on_a_busy_stream_is_not_used_on_another)
{
    struct gate gate = GATE_INIT;
    driver_address first = memory_new(1 << 20, a), second;
    OK(driver->stream_synchronize(a));
    gate_put(&gate, a);
    OK(driver->fill32(first, 1, 1, a));
    OK(driver->free_async(first, a));
    second = memory_new(1 << 20, b);
    ck_assert_uint_ne(first, second);
    OK(driver->stream_synchronize(b));
    gate_open(&gate);
    OK(driver->free_async(second, b));
    OK(driver->stream_synchronize(a));
}
END_TEST

START_TEST(memory_may_be_freed_on_another_stream_and_after_its_own_has_gone)
{
    driver_stream own = stream_new(DRIVER_STREAM_NON_BLOCKING);
    driver_address first = memory_new(4096, own), second = memory_new(4096, own);
    OK(driver->stream_synchronize(own));
    OK(driver->free_async(first, b));
    OK(driver->stream_destroy(own));
    OK(driver->free_async(second, b));
    OK(driver->stream_synchronize(b));
}
END_TEST

/* A block may go over to another stream as soon as that one follows the free. */
START_TEST(memory_freed_on_a_busy_stream_is_used_by_one_that_follows)
{
    struct gate gate = GATE_INIT;
    driver_event event = event_new();
    driver_address first = memory_new(1 << 20, a), second;
    OK(driver->stream_synchronize(a));
    gate_put(&gate, a);
    OK(driver->free_async(first, a));
    OK(driver->event_record(event, a));
    OK(driver->stream_wait_event(b, event, 0));
    second = memory_new(1 << 20, b);
    ck_assert_uint_eq(first, second);
    OK(driver->free_async(second, b));
    gate_open(&gate);
    OK(driver->stream_synchronize(b));
    OK(driver->event_destroy(event));
}
END_TEST

START_TEST(memory_is_freed_once)
{
    driver_address plain, pooled = memory_new(64, a), other = memory_new(64, a);
    OK(driver->alloc(&plain, 64));
    OK(driver->free_async(plain, a));
    OK(driver->free(pooled));
    EXPECT(DRIVER_INVALID_VALUE, driver->free_async(pooled, a));
    OK(driver->free_async(other, a));
    EXPECT(DRIVER_INVALID_VALUE, driver->free_async(other, a));
    EXPECT(DRIVER_INVALID_VALUE, driver->free(0x5000));
    OK(driver->free(0));
    OK(driver->stream_synchronize(a));
}
END_TEST

START_TEST(pooled_memory_names_no_context)
{
    driver_address plain, pooled = memory_new(64, a);
    driver_context found = context;
    OK(driver->alloc(&plain, 64));
    OK(driver->pointer_attribute(&found, DRIVER_POINTER_CONTEXT, pooled));
    ck_assert_ptr_null(found);
    OK(driver->pointer_attribute(&found, DRIVER_POINTER_CONTEXT, plain));
    ck_assert_ptr_eq(found, context);
    OK(driver->free(plain));
    OK(driver->free_async(pooled, a));
}
END_TEST

static uint64_t pool_value(driver_pool_attribute attribute)
{
    uint64_t value = 0;
    OK(driver->pool_get(pool, attribute, &value));
    return value;
}

START_TEST(a_pool_counts_what_it_uses_and_what_it_holds)
{
    uint64_t keep = UINT64_MAX;
    driver_address address;
    OK(driver->pool_set(pool, DRIVER_POOL_RELEASE_THRESHOLD, &keep));
    ck_assert_uint_eq(pool_value(DRIVER_POOL_RELEASE_THRESHOLD), keep);
    address = memory_new(1 << 20, a);
    ck_assert_uint_ge(pool_value(DRIVER_POOL_USED_CURRENT), 1 << 20);
    ck_assert_uint_ge(pool_value(DRIVER_POOL_RESERVED_CURRENT), 1 << 20);
    OK(driver->free_async(address, a));
    OK(driver->stream_synchronize(a));
    ck_assert_uint_eq(pool_value(DRIVER_POOL_USED_CURRENT), 0);
    ck_assert_uint_ge(pool_value(DRIVER_POOL_RESERVED_CURRENT), 1 << 20);
    OK(driver->pool_trim(pool, 0));
    ck_assert_uint_eq(pool_value(DRIVER_POOL_RESERVED_CURRENT), 0);
}
END_TEST

START_TEST(synchronizing_gives_back_what_lies_above_the_threshold)
{
    driver_address address = memory_new(1 << 20, a);
    OK(driver->free_async(address, a));
    OK(driver->stream_synchronize(a));
    ck_assert_uint_eq(pool_value(DRIVER_POOL_RESERVED_CURRENT), 0);
}
END_TEST

START_TEST(zero_bytes_are_refused_or_nothing)
{
    driver_address address = 1;
    EXPECT(DRIVER_INVALID_VALUE, driver->alloc(&address, 0));
    OK(driver->alloc_async(&address, 0, pool, a));
    ck_assert_uint_eq(address, 0);
    OK(driver->free_async(address, a));
}
END_TEST

START_TEST(more_than_the_device_has_cannot_be_allocated)
{
    driver_address address;
    size_t available, total;
    OK(driver->memory_info(&available, &total));
    ck_assert_uint_le(available, total);
    EXPECT(DRIVER_OUT_OF_MEMORY, driver->alloc(&address, 2 * total));
    EXPECT(DRIVER_OUT_OF_MEMORY, driver->alloc_async(&address, 2 * total, pool, a));
    address = memory_new(4096, a);
    OK(driver->free_async(address, a));
}
END_TEST

static unsigned int pointer_type(driver_address address, unsigned int *managed)
{
    unsigned int type = 0;
    int ordinal = -1;
    OK(driver->pointer_attribute(&type, DRIVER_POINTER_MEMORY_TYPE, address));
    OK(driver->pointer_attribute(managed, DRIVER_POINTER_IS_MANAGED, address));
    OK(driver->pointer_attribute(&ordinal, DRIVER_POINTER_DEVICE_ORDINAL, address));
    ck_assert_int_eq(ordinal, 0);
    *managed = *managed & 0xff;
    return type;
}

START_TEST(a_pointer_tells_its_kind)
{
    driver_address device, unified, pooled = memory_new(64, a);
    void *pinned;
    unsigned int managed = 0;
    OK(driver->alloc(&device, 64));
    OK(driver->alloc_managed(&unified, 64, DRIVER_ATTACH_GLOBAL));
    OK(driver->host_alloc(&pinned, 64, DRIVER_HOST_ALLOC_PORTABLE));
    ck_assert_uint_eq(pointer_type(device + 8, &managed), DRIVER_MEMORY_DEVICE);
    ck_assert_uint_eq(managed, 0);
    ck_assert_uint_eq(pointer_type(pooled, &managed), DRIVER_MEMORY_DEVICE);
    ck_assert_uint_eq(pointer_type((uintptr_t)pinned, &managed), DRIVER_MEMORY_HOST);
    ck_assert_uint_eq(pointer_type(unified, &managed), DRIVER_MEMORY_DEVICE);
    ck_assert_uint_eq(managed, 1);
    OK(driver->free(device));
    OK(driver->free(unified));
    OK(driver->host_free(pinned));
    OK(driver->free_async(pooled, a));
}
END_TEST

/* `told`: a driver must have an answer. */
static void range_holds(driver_address address, size_t bytes, int told)
{
    driver_address start = 0;
    size_t held = 0;
    int code = driver->pointer_attribute(&start, DRIVER_POINTER_RANGE_START, address);
    if (!told && code == DRIVER_INVALID_VALUE)
        return;
    EXPECT(DRIVER_SUCCESS, code);
    OK(driver->pointer_attribute(&held, DRIVER_POINTER_RANGE_BYTES, address));
    ck_assert_uint_le(start, address);
    ck_assert_uint_ge(held - (address - start), bytes);
}

/* What wrap relies on: no answer is narrower than the allocation. */
START_TEST(a_pointer_tells_the_range_that_holds_it)
{
    driver_address device, unified, pooled = memory_new(4096, a);
    void *pinned;
    OK(driver->alloc(&device, 4096));
    OK(driver->alloc_managed(&unified, 4096, DRIVER_ATTACH_GLOBAL));
    OK(driver->host_alloc(&pinned, 4096, DRIVER_HOST_ALLOC_PORTABLE));
    range_holds(device, 4096, 1);
    range_holds(device + 4000, 96, 1);
    range_holds(unified + 8, 4088, 0);
    range_holds((uintptr_t)pinned, 4096, 0);
    range_holds(pooled + 100, 3996, 0);
    OK(driver->free(device));
    OK(driver->free(unified));
    OK(driver->host_free(pinned));
    OK(driver->free_async(pooled, a));
}
END_TEST

START_TEST(a_pointer_of_malloc_is_unknown)
{
    void *plain = malloc(64);
    unsigned int type;
    EXPECT(DRIVER_INVALID_VALUE, driver->pointer_attribute(&type, DRIVER_POINTER_MEMORY_TYPE, (uintptr_t)plain));
    free(plain);
}
END_TEST

START_TEST(the_host_and_a_kernel_share_managed_memory)
{
    driver_address address;
    OK(driver->alloc_managed(&address, 4, DRIVER_ATTACH_GLOBAL));
    *(uint32_t *)(uintptr_t)address = 3;
    OK(kernel_launch(address, a));
    OK(driver->stream_synchronize(a));
    ck_assert_uint_eq(*(uint32_t *)(uintptr_t)address, 7);
    OK(driver->free(address));
}
END_TEST

static int memory_needs_context(void *argument)
{
    driver_address address;
    void *host;
    size_t available, total;
    (void)argument;
    if (driver->alloc(&address, 64) != DRIVER_INVALID_CONTEXT)
        return 1;
    if (driver->host_alloc(&host, 64, 0) != DRIVER_INVALID_CONTEXT)
        return 2;
    return driver->memory_info(&available, &total) == DRIVER_INVALID_CONTEXT ? 0 : 3;
}

START_TEST(plain_allocation_needs_a_context)
{
    ck_assert_int_eq(thread_run(memory_needs_context, NULL), 0);
}
END_TEST

static int memory_without_context(void *argument)
{
    driver_address address;
    int code = driver->alloc_async(&address, 64, pool, a);
    (void)argument;
    if (!code)
        code = driver->fill32(address, 1, 4, a);
    if (!code)
        code = driver->copy(address, address + 32, 32, a);
    if (!code)
        code = kernel_launch(address, a);
    if (!code)
        code = driver->free_async(address, a);
    if (!code)
        code = driver->stream_synchronize(a);
    return code ? code : driver->stream_query(a);
}

START_TEST(stream_ordered_work_needs_no_context)
{
    OK(thread_run(memory_without_context, NULL));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        memory_is_usable_in_stream_order_at_once, memory_freed_earlier_in_the_stream_is_used_again,
        memory_freed_on_a_busy_stream_is_not_used_on_another, memory_freed_on_a_busy_stream_is_used_by_one_that_follows,
        memory_is_freed_once, pooled_memory_names_no_context,
        memory_may_be_freed_on_another_stream_and_after_its_own_has_gone, a_pool_counts_what_it_uses_and_what_it_holds,
        synchronizing_gives_back_what_lies_above_the_threshold, zero_bytes_are_refused_or_nothing,
        more_than_the_device_has_cannot_be_allocated, a_pointer_tells_its_kind, a_pointer_tells_the_range_that_holds_it, a_pointer_of_malloc_is_unknown,
        the_host_and_a_kernel_share_managed_memory, plain_allocation_needs_a_context,
        stream_ordered_work_needs_no_context
    };
    return suite_run_with("conformance: memory", tests, sizeof tests / sizeof *tests, streams_begin, streams_end);
}
