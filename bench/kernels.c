#include "kernels.h"

#include <string.h>

#include "kernels_ptx.h"

static float *array_of(void *const *arguments, int index)
{
    return (float *)(uintptr_t)*(const uint64_t *)arguments[index];
}

static void nothing(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch;
    (void)arguments;
}

static void touch(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch;
    array_of(arguments, 0)[0] += 1;
}

static void add(const baton_host_launch *launch, void *const *arguments)
{
    float *out = array_of(arguments, 0);
    const float *in = array_of(arguments, 1);
    for (uint32_t i = 0; i < launch->block[0]; i++)
        out[i] = in[i] + 2;
}

static void join(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch;
    array_of(arguments, 0)[0] = array_of(arguments, 1)[0] + array_of(arguments, 2)[0];
}

/* The first array is used as `first` says, the others as `rest` does. */
static const struct kernel_entry {
    const char *name;
    baton_host_kernel function;
    uint32_t count, first, rest;
} entries[KERNELS] = {
    [KERNEL_EMPTY] = { "bench_empty", nothing, 0, 0, 0 },
    [KERNEL_TOUCH1] = { "bench_touch1", touch, 1, BATON_READ_WRITE, BATON_READ_WRITE },
    [KERNEL_TOUCH4] = { "bench_touch4", touch, 4, BATON_READ_WRITE, BATON_READ_WRITE },
    [KERNEL_TOUCH16] = { "bench_touch16", touch, 16, BATON_READ_WRITE, BATON_READ_WRITE },
    [KERNEL_READ] = { "bench_read", nothing, 1, BATON_READ, BATON_READ },
    [KERNEL_ADD] = { "bench_add", add, 2, BATON_WRITE, BATON_READ },
    [KERNEL_JOIN] = { "bench_join", join, 3, BATON_WRITE, BATON_READ },
};

static int32_t make_host(baton_runtime *runtime, int32_t device, const struct kernel_entry *entry, baton_kernel **kernel, baton_error *err)
{
    baton_host_parameter parameters[KERNEL_ARRAYS];
    for (uint32_t i = 0; i < entry->count; i++)
        parameters[i] = (baton_host_parameter) { 8, i ? entry->rest : entry->first };
    return baton_kernel_host(runtime, device, entry->function, entry->name, parameters, entry->count, kernel, err);
}

/* module NULL: host functions. */
static int32_t make_all(baton_runtime *runtime, int32_t device, baton_module *module, baton_kernel *kernels[KERNELS], baton_error *err)
{
    int32_t status = BATON_OK;
    for (int i = 0; i < KERNELS && !status; i++)
        status = module ? baton_module_kernel(module, entries[i].name, &kernels[i], err)
                        : make_host(runtime, device, &entries[i], &kernels[i], err);
    if (status)
        kernels_close(kernels);
    return status;
}

int32_t kernels_open(baton_runtime *runtime, int32_t device, baton_kernel *kernels[KERNELS], baton_error *err)
{
    baton_runtime_info info = { .struct_size = sizeof info };
    baton_module *module = NULL;
    int32_t status = baton_runtime_info_read(runtime, &info, err);
    memset(kernels, 0, KERNELS * sizeof *kernels);
    if (!status && strcmp(info.driver, "soft") != 0)
        status = baton_module_load(runtime, device, bench_kernels_ptx, sizeof bench_kernels_ptx, &module, err);
    if (!status)
        status = make_all(runtime, device, module, kernels, err);
    if (module)
        baton_module_release(module);       /* the kernels keep it */
    return status;
}

void kernels_close(baton_kernel *kernels[KERNELS])
{
    for (int i = 0; i < KERNELS; i++)
        if (kernels[i])
            baton_kernel_release(kernels[i]);
}
