/* What a kernel needs and how much of it fits. The software device has figures of its own: 8 multiprocessors of 2048 threads, 32 blocks and 228 KiB. */
#include "support.h"

static baton_kernel *kernel;

static void nothing(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch, (void)arguments;
}

static void begin(void)
{
    ok(baton_kernel_host(runtime, 0, nothing, "nothing", &(baton_host_parameter) { 4, 0 }, 1, &kernel, &error));
}

static uint32_t blocks_of(uint32_t threads, uint32_t shared_bytes)
{
    uint32_t blocks = 99;
    ok(baton_kernel_occupancy(kernel, threads, shared_bytes, &blocks, &error));
    return blocks;
}

START_TEST(a_kernel_tells_what_it_needs)
{
    begin();
    baton_kernel_info info = { .struct_size = sizeof info };
    ok(baton_kernel_info_read(kernel, &info, &error));
    ck_assert_int_eq(info.device, 0);
    ck_assert_int_eq(info.parameters, 1);
    ck_assert_int_eq(info.registers, 32);
    ck_assert_int_eq(info.most_threads, 1024);
    ck_assert_int_eq(info.binary_version, 90);
    ck_assert_int_eq(info.ptx_version, 90);
    ck_assert_uint_eq(info.shared_bytes, 0);
    ck_assert_uint_eq(info.most_shared_bytes, 227 * 1024);
    ck_assert_uint_eq(info.constant_bytes + info.local_bytes, 0);
    baton_kernel_release(kernel);
}
END_TEST

START_TEST(threads_blocks_and_shared_memory_bound_what_is_resident)
{
    begin();
    ck_assert_uint_eq(blocks_of(1024, 0), 2);
    ck_assert_uint_eq(blocks_of(1000, 0), 2);           /* whole warps */
    ck_assert_uint_eq(blocks_of(513, 0), 3);
    ck_assert_uint_eq(blocks_of(256, 0), 8);
    ck_assert_uint_eq(blocks_of(1, 0), 32);
    ck_assert_uint_eq(blocks_of(32, 47 * 1024), 4);
    ck_assert_uint_eq(blocks_of(32, 100 * 1024), 2);    /* allowed on the way */
    ck_assert_uint_eq(blocks_of(32, 227 * 1024), 1);
    ck_assert_uint_eq(blocks_of(2048, 0), 0);
    baton_kernel_release(kernel);
}
END_TEST

START_TEST(a_block_size_is_suggested)
{
    begin();
    uint32_t threads = 0, blocks = 0;
    ok(baton_kernel_block_size(kernel, 0, 0, &threads, &blocks, &error));
    ck_assert_uint_eq(threads, 1024);
    ck_assert_uint_eq(blocks, 2 * 8);
    ok(baton_kernel_block_size(kernel, 0, 300, &threads, &blocks, &error));
    ck_assert_uint_eq(threads, 256);                    /* 288 would leave 32 threads idle */
    ck_assert_uint_eq(blocks, 8 * 8);
    ok(baton_kernel_block_size(kernel, 0, 60, &threads, &blocks, &error));
    ck_assert_uint_eq(threads, 60);
    ck_assert_uint_eq(blocks, 32 * 8);
    ok(baton_kernel_block_size(kernel, 200 * 1024, 0, &threads, &blocks, &error));
    ck_assert_uint_eq(threads, 1024);
    ck_assert_uint_eq(blocks, 8);
    baton_kernel_release(kernel);
}
END_TEST

/* E1 */
START_TEST(impossible_questions_are_refused)
{
    begin();
    uint32_t blocks = 99, threads = 99;
    baton_kernel_info info = { .struct_size = 4 };
    refused(BATON_ERR_ARGUMENT, baton_kernel_occupancy(kernel, 0, 0, &blocks, &error));
    refused(BATON_ERR_ARGUMENT, baton_kernel_occupancy(kernel, UINT32_MAX, 0, &blocks, &error));
    refused(BATON_ERR_ARGUMENT, baton_kernel_occupancy(kernel, 32, 228 * 1024, &blocks, &error));
    refused(BATON_ERR_ARGUMENT, baton_kernel_occupancy(kernel, 32, UINT32_MAX, &blocks, &error));
    refused(BATON_ERR_ARGUMENT, baton_kernel_block_size(kernel, 0, UINT32_MAX, &threads, &blocks, &error));
    refused(BATON_ERR_ARGUMENT, baton_kernel_block_size(kernel, 228 * 1024, 0, &threads, &blocks, &error));
    refused(BATON_ERR_VERSION, baton_kernel_info_read(kernel, &info, &error));
    ck_assert_uint_eq(blocks, 99);
    ck_assert_uint_eq(threads, 99);
    baton_kernel_release(kernel);
}
END_TEST

START_TEST(a_driver_that_refuses_is_reported)
{
    begin();
    const enum driver_row rows[] = { DRIVER_ROW_occupancy_blocks, DRIVER_ROW_occupancy_block_size, DRIVER_ROW_function_attribute };
    uint32_t blocks = 99, threads = 99;
    baton_kernel_info info = { .struct_size = sizeof info };
    for (int i = 0; i < 3; i++) {
        instrument_fail(rows[i], 1, DRIVER_NOT_SUPPORTED, 0);
        error = (baton_error)BATON_ERROR_INIT;
        int32_t status = i == 0   ? baton_kernel_occupancy(kernel, 32, 0, &blocks, &error)
                         : i == 1 ? baton_kernel_block_size(kernel, 0, 0, &threads, &blocks, &error)
                                  : baton_kernel_info_read(kernel, &info, &error);
        ck_assert_int_eq(status, BATON_ERR_DRIVER);
        ck_assert_int_eq(error.driver_code, DRIVER_NOT_SUPPORTED);
        ck_assert_msg(strstr(error.message, driver_row_symbol(rows[i])) != NULL, "%s", error.message);
    }
    ck_assert_uint_eq(blocks, 99);
    baton_kernel_release(kernel);
}
END_TEST

int main(void)
{
    const support_test tests[] = {
        a_kernel_tells_what_it_needs, threads_blocks_and_shared_memory_bound_what_is_resident, a_block_size_is_suggested,
        impossible_questions_are_refused, a_driver_that_refuses_is_reported
    };
    if (soft_program("occupancy", "has figures of its own"))
        return NEEDS_SKIPPED;
    return support_main("occupancy", tests, sizeof tests / sizeof *tests, 30);
}
