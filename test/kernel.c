/* Kernels: what can be one, and what keeps it. */
#include "kernels.h"
#include "support.h"

static void store(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch;
    memcpy((void *)(uintptr_t)*(const uint64_t *)arguments[0], arguments[1], sizeof(int32_t));
}

/* O9: the code of a kernel stays loaded while work that runs it is queued. */
START_TEST(a_kernel_may_be_released_while_its_work_is_queued)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(1, s);
    baton_kernel *kernel = make_kernel(0, store, "store", (baton_host_parameter[]) { { 8, BATON_WRITE }, { 4, 0 } }, 2);
    baton_launch_options options = { .struct_size = sizeof options, .stream = s };
    int32_t value = 8;
    counting_start();
    ok(baton_drain(runtime, 0, NULL, &error));      /* the kernel keeps its code */
    ck_assert_uint_eq(calls(DRIVER_ROW_module_unload), 0);
    baton_gate *gate = close_gate(s);
    ok(baton_launch(kernel, &options, (baton_argument[]) { baton_out(array), baton_value(value) }, 2, &error));
    counting_start();
    baton_kernel_release(kernel);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_module_unload), 0);
    open_gate(gate);
    expect(array, 8, s);
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_module_unload), 1);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

/* E1 */
START_TEST(kernels_that_cannot_be_are_refused)
{
    baton_kernel *kernel = NULL;
    baton_module *module = NULL;
    const baton_host_parameter none = { 0, 0 }, narrow = { 4, BATON_READ }, strange = { 8, 4 }, vast = { 4097, 0 },
                               good = { 8, 0 };
    const baton_host_parameter *bad[] = { &none, &narrow, &strange, &vast, NULL };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(BATON_ERR_ARGUMENT, baton_kernel_host(runtime, 0, store, "k", bad[i], 1, &kernel, &error));
    refused(BATON_ERR_ARGUMENT, baton_kernel_host(runtime, 0, NULL, "k", &good, 1, &kernel, &error));
    refused(BATON_ERR_ARGUMENT, baton_kernel_host(runtime, 0, store, NULL, &good, 1, &kernel, &error));
    refused(BATON_ERR_ARGUMENT, baton_kernel_host(runtime, 0, store, "k", &good, 1, NULL, &error));
    refused(BATON_ERR_DEVICE, baton_kernel_host(runtime, 9, store, "k", &good, 1, &kernel, &error));
    if (on_soft())
        refused(BATON_ERR_UNSUPPORTED, baton_module_load(runtime, 0, kernels_ptx, strlen(kernels_ptx) + 1, &module, &error));
    else
        refused(BATON_ERR_UNSUPPORTED, baton_kernel_host(runtime, 0, store, "k", &good, 1, &kernel, &error));
    refused(BATON_ERR_ARGUMENT, baton_module_load(runtime, 0, ".version 8.0", 12, &module, &error));
    refused(BATON_ERR_ARGUMENT, baton_module_load(runtime, 0, NULL, 12, &module, &error));
    refused(BATON_ERR_ARGUMENT, baton_module_kernel(NULL, "k", &kernel, &error));
    ck_assert_ptr_null(kernel);
    ck_assert_ptr_null(module);
}
END_TEST

SUPPORT_MAIN("kernel", 60, a_kernel_may_be_released_while_its_work_is_queued, kernels_that_cannot_be_are_refused)
