/* Clusters, cooperative grids, and more dynamic shared memory than a kernel has by itself. */
#include <pthread.h>

#include "work/module.h"

#include "waiter.h"

static baton_stream *s;
static baton_array *array;
static baton_kernel *kernel;

static void describe(const baton_host_launch *launch, void *const *arguments)
{
    memcpy((void *)(uintptr_t)*(const uint64_t *)arguments[0], launch, 7 * sizeof(uint32_t));
}

static baton_launch_options begin(void)
{
    s = make_stream();
    array = make_array(7, s);
    ok(baton_kernel_host(runtime, 0, describe, "describe", &(baton_host_parameter) { 8, BATON_WRITE }, 1, &kernel, &error));
    counting_start();
    return (baton_launch_options) { .struct_size = sizeof(baton_launch_options), .stream = s };
}

static void finish(void)
{
    baton_kernel_release(kernel);
    baton_array_release(array);
    baton_stream_release(s);
}

static int32_t launch(const baton_launch_options *options)
{
    return baton_launch(kernel, options, (baton_argument[]) { baton_out(array) }, 1, &error);
}

static void expect_words(const uint32_t *words)
{
    uint32_t found[7];
    ok(baton_download(found, sizeof found, array, s, &error));
    for (int i = 0; i < 7; i++)
        ck_assert_uint_eq(found[i], words[i]);
}

START_TEST(an_ordinary_launch_is_one_ordinary_call)
{
    baton_launch_options options = begin();
    ok(launch(&options));
    ck_assert_uint_eq(calls(DRIVER_ROW_launch), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 1);
    finish();
}
END_TEST

START_TEST(clusters_and_cooperative_grids_take_the_other_call)
{
    baton_launch_options options = begin();
    options.grid[0] = 8;
    options.cluster[0] = 4;
    ok(launch(&options));
    ck_assert_uint_eq(calls(DRIVER_ROW_launch_ex), 1);
    expect_words((uint32_t[]) { 8, 1, 1, 1, 1, 1, 0 });
    options.cluster[0] = 0;
    options.flags = BATON_LAUNCH_COOPERATIVE;
    options.block[0] = 64;
    options.shared_bytes = 512;
    ok(launch(&options));
    expect_words((uint32_t[]) { 8, 1, 1, 64, 1, 1, 512 });
    options.cluster[1] = 1;                             /* one dimension given is three given */
    ok(launch(&options));
    ck_assert_uint_eq(calls(DRIVER_ROW_launch_ex), 3);
    ck_assert_uint_eq(calls(DRIVER_ROW_launch), 0);
    finish();
}
END_TEST

/* O1, S4: ordered like any other. */
START_TEST(such_a_launch_is_ordered_and_owned_like_any_other)
{
    baton_launch_options options = begin();
    baton_stream *b = make_stream();
    options.flags = BATON_LAUNCH_COOPERATIVE;
    options.stream = b;
    baton_gate *gate = close_gate(s);
    fill(array, 5, s);
    ok(launch(&options));
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(b));
    expect_busy(b);
    open_gate(gate);
    expect_words((uint32_t[]) { 1, 1, 1, 1, 1, 1, 0 });
    baton_stream_release(b);
    finish();
}
END_TEST

START_TEST(a_cooperative_grid_that_cannot_be_resident_is_refused_and_harms_nothing)
{
    baton_launch_options options = begin();
    options.flags = BATON_LAUNCH_COOPERATIVE;
    options.block[0] = 1024;
    options.grid[0] = 16;                               /* 8 multiprocessors, 2 blocks each */
    ok(launch(&options));
    options.grid[0] = 17;
    refused(BATON_ERR_ARGUMENT, launch(&options));
    ck_assert_int_eq(error.driver_code, DRIVER_COOPERATIVE_LAUNCH_TOO_LARGE);
    ck_assert_msg(strstr(error.message, "17 blocks cannot be resident: device 0 holds 16 blocks of 1024 threads") != NULL, "%s", error.message);
    ck_assert_uint_eq(error.stream_id, id_of(s));
    ck_assert_uint_eq(info_of(array).lock_holder, 0);
    options.grid[0] = 16;
    ok(launch(&options));                               /* the device is not lost */
    expect_words((uint32_t[]) { 16, 1, 1, 1024, 1, 1, 0 });
    finish();
}
END_TEST

START_TEST(a_grid_that_is_no_multiple_of_its_clusters_is_refused_before_the_driver)
{
    baton_launch_options options = begin();
    options.grid[0] = 6;
    options.cluster[0] = 4;
    refused(BATON_ERR_ARGUMENT, launch(&options));
    options.grid[0] = 8;
    options.cluster[2] = 2;
    refused(BATON_ERR_ARGUMENT, launch(&options));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    finish();
}
END_TEST

START_TEST(large_clusters_are_allowed_once_per_kernel)
{
    baton_launch_options options = begin();
    options.grid[0] = 32;
    options.cluster[0] = 8;
    ok(launch(&options));
    ck_assert_uint_eq(calls(DRIVER_ROW_function_set), 0);
    options.cluster[0] = 16;
    ok(launch(&options));
    ok(launch(&options));
    ck_assert_uint_eq(calls(DRIVER_ROW_function_set), 1);
    options.cluster[0] = 32;
    refused(BATON_ERR_DRIVER, launch(&options));
    finish();
}
END_TEST

START_TEST(what_the_driver_refuses_is_reported)
{
    baton_launch_options options = begin();
    options.cluster[0] = 1;
    instrument_fail(DRIVER_ROW_device_attribute, 1, DRIVER_INVALID_VALUE, 0);
    refused(BATON_ERR_DRIVER, launch(&options));
    instrument_fail(DRIVER_ROW_launch_ex, 1, DRIVER_NOT_SUPPORTED, 0);
    refused(BATON_ERR_DRIVER, launch(&options));
    ck_assert_int_eq(error.driver_code, DRIVER_NOT_SUPPORTED);
    ok(launch(&options));
    finish();
}
END_TEST

START_TEST(dynamic_shared_memory_beyond_the_usual_is_allowed_once_per_size)
{
    baton_launch_options options = begin();
    options.shared_bytes = 48 * 1024;
    ok(launch(&options));
    ck_assert_uint_eq(calls(DRIVER_ROW_function_set), 0);
    options.shared_bytes = 100 * 1024;
    ok(launch(&options));
    ok(launch(&options));
    options.shared_bytes = 64 * 1024;                   /* less is included */
    ok(launch(&options));
    ck_assert_uint_eq(calls(DRIVER_ROW_function_set), 1);
    options.shared_bytes = 227 * 1024;
    counting_start();
    ok(launch(&options));
    ck_assert_uint_eq(calls(DRIVER_ROW_function_set), 1);
    counting_start();
    ok(launch(&options));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 1);
    finish();
}
END_TEST

START_TEST(more_shared_memory_than_there_is_is_refused)
{
    baton_launch_options options = begin();
    options.shared_bytes = 228 * 1024;
    refused(BATON_ERR_ARGUMENT, launch(&options));
    ck_assert_msg(strstr(error.message, "device 0 has 232448 for a block") != NULL, "%s", error.message);
    options.shared_bytes = UINT32_MAX;
    refused(BATON_ERR_ARGUMENT, launch(&options));
    ck_assert_uint_eq(calls(DRIVER_ROW_launch), 0);
    options.shared_bytes = 0;
    ok(launch(&options));
    finish();
}
END_TEST

/* Two handles of one function do not lower what the other has raised. */
START_TEST(what_one_launch_was_allowed_no_other_takes_back)
{
    baton_launch_options options = begin();
    baton_kernel *other;
    ok(baton_module_kernel(kernel->module, "describe", &other, &error));
    ck_assert_ptr_eq(other->native, kernel->native);
    options.shared_bytes = 200 * 1024;
    ok(launch(&options));
    options.shared_bytes = 60 * 1024;
    ok(baton_launch(other, &options, (baton_argument[]) { baton_out(array) }, 1, &error));
    options.shared_bytes = 200 * 1024;
    ok(launch(&options));
    baton_kernel_release(other);
    finish();
}
END_TEST

static void *launch_sizes(void *step)
{
    baton_stream *own = make_stream();
    baton_array *target = make_array(7, own);
    for (uint32_t i = 0; i < 40; i++) {
        baton_launch_options options = { .struct_size = sizeof options, .stream = own, .shared_bytes = 1024 * (49 + (i * *(uint32_t *)step) % 170) };
        ok(baton_launch(kernel, &options, (baton_argument[]) { baton_out(target) }, 1, NULL));
    }
    ok(baton_stream_synchronize(own, BATON_WAIT_AUTO, NULL));
    baton_array_release(target);
    baton_stream_release(own);
    return NULL;
}

START_TEST(threads_may_raise_it_at_the_same_time)
{
    pthread_t threads[4];
    uint32_t steps[4] = { 1, 7, 31, 169 };
    begin();
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, launch_sizes, &steps[i]), 0);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    finish();
}
END_TEST

/* C6 */
START_TEST(such_launches_can_be_captured)
{
    baton_launch_options options = begin();
    baton_graph *graph;
    baton_executable *executable;
    fill(array, 0, s);
    ok(baton_capture_begin(s, BATON_CAPTURE_THREAD_LOCAL, &error));
    options.grid[0] = 4;
    options.cluster[0] = 2;
    options.shared_bytes = 64 * 1024;
    ok(launch(&options));
    options.flags = BATON_LAUNCH_COOPERATIVE;
    options.cluster[0] = 0;
    ok(launch(&options));
    ok(baton_capture_end(s, &graph, &error));
    ok(baton_graph_instantiate(graph, &executable, &error));
    baton_graph_release(graph);
    ok(baton_graph_launch(executable, s, &error));
    expect_words((uint32_t[]) { 4, 1, 1, 1, 1, 1, 64 * 1024 });
    baton_executable_release(executable);
    finish();
}
END_TEST

int main(void)
{
    const support_test tests[] = {
        an_ordinary_launch_is_one_ordinary_call, clusters_and_cooperative_grids_take_the_other_call,
        such_a_launch_is_ordered_and_owned_like_any_other, a_cooperative_grid_that_cannot_be_resident_is_refused_and_harms_nothing,
        a_grid_that_is_no_multiple_of_its_clusters_is_refused_before_the_driver, large_clusters_are_allowed_once_per_kernel,
        what_the_driver_refuses_is_reported, dynamic_shared_memory_beyond_the_usual_is_allowed_once_per_size,
        more_shared_memory_than_there_is_is_refused, what_one_launch_was_allowed_no_other_takes_back, threads_may_raise_it_at_the_same_time,
        such_launches_can_be_captured
    };
    if (soft_program("launch_extended", "has figures of its own and C functions for kernels"))
        return NEEDS_SKIPPED;
    return support_main("launch: extended", tests, sizeof tests / sizeof *tests, 60);
}
