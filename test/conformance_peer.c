/* Memory of one device under the work of another: what S12 rests on. */
#include "conformance.h"

#include <string.h>

#include "driver/builtin.h"

/* Device 1's; its context is current from begin to end, and device 0's below it. */
static driver_context peer;
static driver_stream near, far;         /* of device 0, of device 1 */
static driver_module module;
static driver_function kernel;

static void begin(void)
{
    driver_begin();
    near = stream_new(DRIVER_STREAM_NON_BLOCKING);
    peer = peer_begin(1);
    far = stream_new(DRIVER_STREAM_NON_BLOCKING);
    OK(driver->module_load(&module, driver->builtin_image));
    OK(driver->module_function(&kernel, module, BUILTIN_FILL_STRIDED));
}

/* After a device was lost nothing of it can be given back. */
static void end(void)
{
    driver_context popped;
    driver->module_unload(module);
    driver->stream_destroy(far);
    driver->context_pop(&popped);
    driver->primary_release(1);
    driver->stream_destroy(near);
    driver_end();
}

/* Device 1 writes 9 to the word. */
static int write_far(driver_address address)
{
    struct fill_strided arguments = { .ndim = 1, .element_bytes = 4, .count = 1, .shape = { 1 }, .strides = { 1 } };
    uint64_t to = address;
    void *parameters[] = { &to, &arguments };
    memcpy(arguments.value, &(uint32_t) { 9 }, sizeof(uint32_t));
    int code = driver->launch(kernel, 1, 1, 1, 32, 1, 1, 0, far, parameters, NULL);
    return code ? code : driver->stream_synchronize(far);
}

static int reachable(void)
{
    int can = 0;
    OK(driver->device_can_access_peer(&can, 1, 0));
    return can;
}

static driver_pool_access access_of(driver_device device)
{
    return (driver_pool_access) { .location_type = DRIVER_LOCATION_DEVICE, .location_id = device, .flags = DRIVER_ACCESS_READ_WRITE };
}

static driver_address word_near(void)
{
    driver_address address = memory_new(4, near);
    OK(driver->fill32(address, 1, 1, near));
    OK(driver->stream_synchronize(near));
    return address;
}

START_TEST(a_device_is_no_peer_of_its_own)
{
    int can = 1;
    OK(driver->device_can_access_peer(&can, 1, 1));
    ck_assert_int_eq(can, 0);
    EXPECT(DRIVER_INVALID_DEVICE, driver->device_can_access_peer(&can, 1, 1000));
}
END_TEST

START_TEST(access_to_a_peers_context_is_enabled_once)
{
    if (!reachable()) {
        EXPECT(DRIVER_PEER_ACCESS_UNSUPPORTED, driver->context_enable_peer(context, 0));
        return;
    }
    OK(driver->context_enable_peer(context, 0));
    EXPECT(DRIVER_PEER_ACCESS_ALREADY_ENABLED, driver->context_enable_peer(context, 0));
}
END_TEST

/* Memory of cuMemAlloc, as others may bring it. */
START_TEST(plain_memory_is_reached_once_the_contexts_are_peers)
{
    driver_address address;
    driver_context popped;
    OK(driver->context_push(context));
    OK(driver->alloc(&address, 4));
    OK(driver->context_pop(&popped));
    if (reachable()) {
        OK(driver->context_enable_peer(context, 0));
        OK(write_far(address));
        ck_assert_uint_eq(memory_word(address, near), 9);
    }
    OK(driver->free(address));
}
END_TEST

START_TEST(pooled_memory_is_reached_once_the_pool_lets_the_device_in)
{
    driver_address before = word_near();
    driver_pool_access access = access_of(1);
    if (!reachable()) {
        OK(driver->free_async(before, near));
        return;
    }
    OK(driver->pool_access(pool, &access, 1));
    driver_address later = word_near();
    OK(write_far(before));
    OK(write_far(later));
    ck_assert_uint_eq(memory_word(before, near), 9);
    ck_assert_uint_eq(memory_word(later, near), 9);
    OK(driver->pool_access(pool, &access, 1));
    OK(driver->free_async(before, near));
    OK(driver->free_async(later, near));
}
END_TEST

/* Peers or not: a pool has a list of its own. */
START_TEST(contexts_that_are_peers_do_not_reach_into_a_pool)
{
    driver_address address = word_near();
    if (reachable())
        OK(driver->context_enable_peer(context, 0));
    EXPECT(DRIVER_ILLEGAL_ADDRESS, write_far(address));
    ck_assert_uint_eq(memory_word(address, near), 1);       /* device 0 works on */
    EXPECT(DRIVER_ILLEGAL_ADDRESS, driver->stream_query(far));
    OK(driver->free_async(address, near));
}
END_TEST

START_TEST(a_pools_own_device_cannot_be_shut_out)
{
    driver_pool_access access = access_of(0);
    OK(driver->pool_access(pool, &access, 1));
    access.flags = 0;
    EXPECT(DRIVER_INVALID_VALUE, driver->pool_access(pool, &access, 1));
}
END_TEST

/* O4: both ways, on either device's stream, with nothing enabled. */
START_TEST(a_peer_copy_needs_no_access)
{
    driver_pool other_pool = pool_new(1);
    driver_address here = word_near(), there;
    OK(driver->alloc_async(&there, 4, other_pool, far));
    OK(driver->copy_peer(there, peer, here, context, 4, far));
    ck_assert_uint_eq(memory_word(there, far), 1);
    OK(driver->fill32(there, 2, 1, far));
    OK(driver->stream_synchronize(far));
    OK(driver->copy_peer(here, context, there, peer, 4, far));
    OK(driver->stream_synchronize(far));
    ck_assert_uint_eq(memory_word(here, near), 2);
    OK(driver->fill32(here, 3, 1, near));
    OK(driver->copy_peer(there, peer, here, context, 4, near));
    OK(driver->stream_synchronize(near));
    ck_assert_uint_eq(memory_word(there, far), 3);
    OK(driver->fill32(there, 4, 1, far));
    OK(driver->stream_synchronize(far));
    OK(driver->copy_peer(here, context, there, peer, 4, near));
    ck_assert_uint_eq(memory_word(here, near), 4);
    OK(driver->free_async(there, far));
    OK(driver->free_async(here, near));
    OK(driver->stream_synchronize(far));
    OK(driver->pool_destroy(other_pool));
}
END_TEST

START_TEST(a_peer_copy_stands_in_stream_order_and_does_not_block)
{
    struct gate gate = GATE_INIT;
    driver_pool other_pool = pool_new(1);
    driver_address here = word_near(), there;
    OK(driver->alloc_async(&there, 4, other_pool, far));
    OK(driver->stream_synchronize(far));
    gate_put(&gate, near);
    OK(driver->fill32(here, 5, 1, near));
    OK(driver->copy_peer(there, peer, here, context, 4, near));
    EXPECT(DRIVER_NOT_READY, driver->stream_query(near));
    gate_open(&gate);
    OK(driver->stream_synchronize(near));
    ck_assert_uint_eq(memory_word(there, far), 5);
    OK(driver->free_async(there, far));
    OK(driver->free_async(here, near));
    OK(driver->stream_synchronize(far));
    OK(driver->pool_destroy(other_pool));
}
END_TEST

START_TEST(pinned_memory_is_reached_from_every_device)
{
    void *word = NULL;
    OK(driver->host_alloc(&word, 4, DRIVER_HOST_ALLOC_PORTABLE));
    OK(kernel_launch((uintptr_t)word, near));
    OK(driver->stream_synchronize(near));
    ck_assert_uint_eq(*(uint32_t *)word, 7);
    OK(write_far((uintptr_t)word));
    ck_assert_uint_eq(*(uint32_t *)word, 9);
    OK(driver->host_free(word));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        two_devices(a_device_is_no_peer_of_its_own), two_devices(access_to_a_peers_context_is_enabled_once),
        two_devices(plain_memory_is_reached_once_the_contexts_are_peers),
        two_devices(pooled_memory_is_reached_once_the_pool_lets_the_device_in),
        two_devices(contexts_that_are_peers_do_not_reach_into_a_pool), two_devices(a_pools_own_device_cannot_be_shut_out),
        two_devices(a_peer_copy_needs_no_access), two_devices(a_peer_copy_stands_in_stream_order_and_does_not_block),
        two_devices(pinned_memory_is_reached_from_every_device)
    };
    return suite_run_with("conformance: peers", tests, sizeof tests / sizeof *tests, begin, end);
}
