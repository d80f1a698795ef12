#include "kernels.h"

#include <string.h>

#include "kernels_ptx.h"

const char *const kernels_ptx = test_kernels_ptx;

static int32_t make_compiled(baton_runtime *runtime, int32_t device, const char *name, baton_kernel **kernel, baton_error *err)
{
    baton_module *module;
    int32_t status = baton_module_load(runtime, device, test_kernels_ptx, sizeof test_kernels_ptx, &module, err);
    if (status)
        return status;
    status = baton_module_kernel(module, name, kernel, err);
    baton_module_release(module);       /* the kernel keeps it */
    return status;
}

int32_t kernel_make(baton_runtime *runtime, int32_t device, baton_host_kernel function, const char *name,
                    const baton_host_parameter *parameters, uint32_t count, baton_kernel **kernel, baton_error *err)
{
    baton_runtime_info info = { .struct_size = sizeof info };
    int32_t status = baton_runtime_info_read(runtime, &info, err);
    if (status)
        return status;
    if (strcmp(info.driver, "soft") == 0)
        return baton_kernel_host(runtime, device, function, name, parameters, count, kernel, err);
    return make_compiled(runtime, device, name, kernel, err);
}
