#include "conformance.h"

#include <stdlib.h>
#include <string.h>

#include "driver/builtin.h"

enum { WORDS = 1024, BYTES = WORDS * 4 };

static driver_stream a;
static driver_address memory;

static void work_begin(void)
{
    driver_begin();
    a = stream_new(DRIVER_STREAM_NON_BLOCKING);
    memory = memory_new(BYTES, a);
    OK(driver->fill32(memory, 0, WORDS, a));
    OK(driver->stream_synchronize(a));
}

static void work_end(void)
{
    OK(driver->free_async(memory, a));
    OK(driver->stream_destroy(a));
    driver_end();
}

START_TEST(fills_write_elements_of_their_width)
{
    unsigned char bytes[8];
    OK(driver->fill8(memory, 0x11, 8, a));
    OK(driver->fill16(memory + 2, 0x2233, 2, a));
    OK(driver->fill32(memory + 4, 0x44556677, 1, a));
    OK(driver->copy_to_host(bytes, memory, sizeof bytes, a));
    OK(driver->stream_synchronize(a));
    ck_assert_mem_eq(bytes, "\x11\x11\x33\x22\x77\x66\x55\x44", 8);
}
END_TEST

START_TEST(a_pageable_source_may_be_changed_as_soon_as_the_call_returns)
{
    struct gate gate = GATE_INIT;
    uint32_t source = 1;
    gate_put(&gate, a);
    OK(driver->copy_to_device(memory, &source, sizeof source, a));
    source = 2;
    gate_open(&gate);
    ck_assert_uint_eq(memory_word(memory, a), 1);
}
END_TEST

START_TEST(a_copy_to_pageable_memory_is_there_on_return)
{
    uint32_t words[WORDS] = { 0 };
    OK(driver->fill32(memory, 9, WORDS, a));
    OK(driver->copy_to_host(words, memory, BYTES, a));
    ck_assert_uint_eq(words[WORDS - 1], 9);
}
END_TEST

START_TEST(a_copy_from_pageable_to_pinned_memory_is_there_on_return)
{
    uint32_t words[WORDS] = { 0 };
    void *pinned;
    words[WORDS - 1] = 9;
    OK(driver->host_alloc(&pinned, BYTES, DRIVER_HOST_ALLOC_PORTABLE));
    OK(driver->fill32(memory, 9, WORDS, a));
    OK(driver->copy((uintptr_t)pinned, (uintptr_t)words, BYTES, a));
    EXPECT(DRIVER_SUCCESS, driver->stream_query(a));
    ck_assert_uint_eq(((uint32_t *)pinned)[WORDS - 1], 9);
    OK(driver->host_free(pinned));
}
END_TEST

START_TEST(copies_with_pinned_memory_do_not_block)
{
    struct gate gate = GATE_INIT;
    void *block;
    uint32_t *pinned;
    OK(driver->host_alloc(&block, BYTES, DRIVER_HOST_ALLOC_PORTABLE));
    pinned = block;
    pinned[0] = 4;
    pinned[1] = 0;
    gate_put(&gate, a);
    OK(driver->copy_to_device(memory, &pinned[0], 4, a));
    OK(driver->copy_to_host(&pinned[1], memory, 4, a));
    EXPECT(DRIVER_NOT_READY, driver->stream_query(a));
    pinned[0] = 5;              /* not read yet: it stands behind the gate */
    gate_open(&gate);
    OK(driver->stream_synchronize(a));
    ck_assert_uint_eq(pinned[1], 5);
    OK(driver->host_free(block));
}
END_TEST

START_TEST(copy_finds_out_the_kinds_of_its_addresses)
{
    void *block;
    uint32_t plain = 6, back = 0;
    OK(driver->host_alloc(&block, 4, 0));
    OK(driver->copy(memory, (uintptr_t)&plain, 4, a));
    OK(driver->copy(memory + 8, memory, 4, a));
    OK(driver->copy((uintptr_t)block, memory + 8, 4, a));
    OK(driver->copy((uintptr_t)&back, (uintptr_t)block, 4, a));
    OK(driver->stream_synchronize(a));
    ck_assert_uint_eq(back, 6);
    OK(driver->host_free(block));
}
END_TEST

START_TEST(what_goes_past_the_end_is_refused)
{
    driver_address plain;
    uint32_t word = 0;
    OK(driver->alloc(&plain, 64));
    EXPECT(DRIVER_INVALID_VALUE, driver->copy(plain, memory, 1 << 21, a));
    EXPECT(DRIVER_INVALID_VALUE, driver->fill8(plain, 0, 4 << 20, a));
    EXPECT(DRIVER_INVALID_VALUE, driver->fill32(plain + 2, 0, 1, a));
    EXPECT(DRIVER_INVALID_VALUE, driver->copy(0, memory, 4, a));
    EXPECT(DRIVER_INVALID_VALUE, driver->copy_to_device((uintptr_t)&word, &word, 4, a));
    OK(driver->copy(memory, memory, 0, a));
    OK(driver->stream_synchronize(a));
    OK(driver->free(plain));
}
END_TEST

START_TEST(a_copy_between_contexts_works_within_one_device)
{
    OK(driver->fill32(memory, 3, 1, a));
    OK(driver->copy_peer(memory + 64, context, memory, context, 4, a));
    ck_assert_uint_eq(memory_word(memory + 64, a), 3);
}
END_TEST

START_TEST(arguments_are_copied_at_the_launch)
{
    struct gate gate = GATE_INIT;
    gate_put(&gate, a);
    OK(kernel_launch(memory, a));       /* its arguments are gone when the gate opens */
    gate_open(&gate);
    ck_assert_uint_eq(memory_word(memory, a), 7);
}
END_TEST

static void step_note(void *user)
{
    uint32_t *step = user;
    step[0] = step[1];
}

START_TEST(host_functions_run_in_stream_order)
{
    uint32_t *step;
    void *block;
    OK(driver->host_alloc(&block, 8, 0));
    step = block;
    step[0] = 0;
    step[1] = 0;
    OK(driver->fill32(memory, 8, 1, a));
    OK(driver->copy_to_host(&step[1], memory, 4, a));
    OK(driver->launch_host(a, step_note, step));
    OK(driver->stream_synchronize(a));
    ck_assert_uint_eq(step[0], 8);
    OK(driver->host_free(block));
}
END_TEST

START_TEST(a_module_finds_its_functions_and_their_parameters)
{
    driver_module module;
    driver_function function;
    size_t offset, bytes;
    int threads = 0;
    OK(driver->module_load(&module, driver->builtin_image));
    OK(driver->module_function(&function, module, BUILTIN_COPY_STRIDED));
    OK(driver->function_attribute(&threads, DRIVER_FUNCTION_MAX_THREADS, function));
    ck_assert_int_ge(threads, 32);
    OK(driver->function_parameter(function, 2, &offset, &bytes));
    ck_assert_uint_eq(offset, 16);
    ck_assert_uint_eq(bytes, sizeof(struct strided));
    EXPECT(DRIVER_INVALID_VALUE, driver->function_parameter(function, 3, &offset, &bytes));
    EXPECT(DRIVER_NOT_FOUND, driver->module_function(&function, module, "no_such_kernel"));
    OK(driver->module_unload(module));
}
END_TEST

START_TEST(an_empty_grid_is_refused)
{
    driver_module module;
    driver_function function;
    uint64_t flag = 0, limit = 0;
    void *parameters[] = { &flag, &limit };
    OK(driver->module_load(&module, driver->builtin_image));
    OK(driver->module_function(&function, module, BUILTIN_GATE));
    EXPECT(DRIVER_INVALID_VALUE, driver->launch(function, 0, 1, 1, 1, 1, 1, 0, a, parameters, NULL));
    EXPECT(DRIVER_INVALID_VALUE, driver->launch(function, 1, 1, 1, 2048, 1, 1, 0, a, parameters, NULL));
    OK(driver->module_unload(module));
}
END_TEST

/* The gate's kernel; it is open when the word at its flag is not zero. */
static driver_function gate_function(driver_module *module, void **flag)
{
    driver_function function;
    OK(driver->module_load(module, driver->builtin_image));
    OK(driver->module_function(&function, *module, BUILTIN_GATE));
    OK(driver->host_alloc(flag, 4, DRIVER_HOST_ALLOC_PORTABLE));
    *(uint32_t *)*flag = 1;
    return function;
}

static int gate_launch(driver_function function, void *flag, const struct driver_launch_config *config)
{
    uint64_t address = (uintptr_t)flag, limit = 1000000000;
    void *parameters[] = { &address, &limit };
    return driver->launch_ex(config, function, parameters, NULL);
}

START_TEST(an_extended_launch_runs_and_its_cooperative_grid_must_be_resident)
{
    driver_module module;
    void *flag;
    int blocks = 0, processors = 0;
    driver_function function = gate_function(&module, &flag);
    struct driver_launch_attribute attribute = { .id = DRIVER_LAUNCH_COOPERATIVE, .value.cooperative = 1 };
    struct driver_launch_config config = { .grid = { 1, 1, 1 }, .block = { 64, 1, 1 }, .stream = a, .attributes = &attribute, .count = 1 };
    OK(gate_launch(function, flag, &config));
    OK(driver->occupancy_blocks(&blocks, function, 64, 0));
    OK(driver->device_attribute(&processors, DRIVER_DEVICE_MULTIPROCESSORS, 0));
    config.grid[0] = (unsigned int)(blocks * processors) + 1;
    EXPECT(DRIVER_COOPERATIVE_LAUNCH_TOO_LARGE, gate_launch(function, flag, &config));
    config.grid[0]--;
    OK(gate_launch(function, flag, &config));
    OK(driver->stream_synchronize(a));              /* the context is as before */
    OK(driver->host_free(flag));
    OK(driver->module_unload(module));
}
END_TEST

START_TEST(clusters_are_launched_where_the_device_has_them)
{
    driver_module module;
    void *flag;
    int can = 0;
    driver_function function = gate_function(&module, &flag);
    struct driver_launch_attribute attribute = { .id = DRIVER_LAUNCH_CLUSTER, .value.cluster = { 2, 1, 1 } };
    struct driver_launch_config config = { .grid = { 4, 1, 1 }, .block = { 32, 1, 1 }, .stream = a, .attributes = &attribute, .count = 1 };
    OK(driver->device_attribute(&can, DRIVER_DEVICE_CLUSTER_LAUNCH, 0));
    if (can) {
        OK(gate_launch(function, flag, &config));
        attribute.value.cluster[0] = 16;
        config.grid[0] = 16;
        EXPECT(DRIVER_INVALID_CLUSTER_SIZE, gate_launch(function, flag, &config));
        OK(driver->function_set(function, DRIVER_FUNCTION_ANY_CLUSTER, 1));
        OK(gate_launch(function, flag, &config));
    }
    OK(driver->stream_synchronize(a));
    OK(driver->host_free(flag));
    OK(driver->module_unload(module));
}
END_TEST

START_TEST(more_dynamic_shared_memory_must_be_allowed_first)
{
    driver_module module;
    void *flag;
    int allowed = 0, most = 0, blocks = -1, own = -1;
    driver_function function = gate_function(&module, &flag);
    struct driver_launch_config config = { .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .stream = a, .shared_bytes = 64 * 1024 };
    OK(driver->function_attribute(&allowed, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, function));
    OK(driver->function_attribute(&own, DRIVER_FUNCTION_STATIC_SHARED, function));
    OK(driver->device_attribute(&most, DRIVER_DEVICE_SHARED_PER_BLOCK, 0));
    ck_assert_int_eq(allowed + own, 48 * 1024);
    EXPECT(DRIVER_INVALID_VALUE, gate_launch(function, flag, &config));
    OK(driver->function_set(function, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, 64 * 1024));
    OK(gate_launch(function, flag, &config));
    EXPECT(DRIVER_INVALID_VALUE, driver->function_set(function, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, most - own + 1));
    OK(driver->function_set(function, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, most - own));
    OK(driver->occupancy_blocks(&blocks, function, 32, (size_t)(most - own)));
    ck_assert_int_eq(blocks, 1);
    OK(driver->stream_synchronize(a));
    OK(driver->host_free(flag));
    OK(driver->module_unload(module));
}
END_TEST

START_TEST(a_function_tells_what_it_needs_and_a_block_size_that_fits)
{
    driver_module module;
    driver_function function;
    int registers = 0, version = 0, most = 0, grid = 0, threads = 0, blocks = 0;
    OK(driver->module_load(&module, driver->builtin_image));
    OK(driver->module_function(&function, module, BUILTIN_FILL_STRIDED));
    OK(driver->function_attribute(&registers, DRIVER_FUNCTION_REGISTERS, function));
    OK(driver->function_attribute(&version, DRIVER_FUNCTION_BINARY_VERSION, function));
    OK(driver->function_attribute(&most, DRIVER_FUNCTION_MAX_THREADS, function));
    OK(driver->occupancy_block_size(&grid, &threads, function, NULL, 0, 0));
    OK(driver->occupancy_blocks(&blocks, function, threads, 0));
    ck_assert_int_gt(registers, 0);
    ck_assert_int_ge(version, 50);
    ck_assert(threads > 0 && threads <= most);
    ck_assert(blocks > 0 && grid % blocks == 0);
    EXPECT(DRIVER_INVALID_VALUE, driver->occupancy_blocks(&blocks, function, 0, 0));
    OK(driver->module_unload(module));
}
END_TEST

START_TEST(an_image_is_loaded_with_a_place_for_its_errors)
{
    char log[512] = "";
    driver_jit_option options[] = { DRIVER_JIT_ERROR_LOG, DRIVER_JIT_ERROR_LOG_BYTES };
    void *values[] = { log, (void *)(uintptr_t)sizeof log };
    driver_module module;
    OK(driver->module_load_ex(&module, driver->builtin_image, 2, options, values));
    OK(driver->module_unload(module));
    ck_assert_str_eq(log, "");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        fills_write_elements_of_their_width, a_pageable_source_may_be_changed_as_soon_as_the_call_returns,
        a_copy_to_pageable_memory_is_there_on_return, a_copy_from_pageable_to_pinned_memory_is_there_on_return, copies_with_pinned_memory_do_not_block,
        copy_finds_out_the_kinds_of_its_addresses, what_goes_past_the_end_is_refused,
        a_copy_between_contexts_works_within_one_device,
        arguments_are_copied_at_the_launch, host_functions_run_in_stream_order,
        a_module_finds_its_functions_and_their_parameters, an_empty_grid_is_refused,
        an_extended_launch_runs_and_its_cooperative_grid_must_be_resident, clusters_are_launched_where_the_device_has_them,
        more_dynamic_shared_memory_must_be_allowed_first, a_function_tells_what_it_needs_and_a_block_size_that_fits,
        an_image_is_loaded_with_a_place_for_its_errors
    };
    return suite_run_with("conformance: work", tests, sizeof tests / sizeof *tests, work_begin, work_end);
}
