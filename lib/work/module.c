#include "work/module.h"

#include <stdlib.h>
#include <string.h>

#include "driver/soft/soft.h"
#include "stream/wait.h"

_Static_assert(sizeof(baton_host_launch) == sizeof(struct soft_grid), "the device calls host kernels with its own struct");
_Static_assert(sizeof(baton_host_parameter) == sizeof(struct soft_parameter), "parameters are described alike");

/* Work that uses the module may still be queued on any stream of the device. */
static enum deferred_result module_reclaim(struct deferred *node)
{
    baton_module *module = (baton_module *)((char *)node - offsetof(baton_module, node));
    baton_runtime *runtime = module->runtime;
    struct device_entry entry;
    if (!device_usable(module->device, NULL)) {
        if (query_everything(module->device) || device_enter(module->device, &entry, NULL))
            return DEFERRED_LATER;
        runtime_swallow(runtime, module->device->driver->module_unload(module->native));
        device_leave(module->device, &entry);
    }
    handle_free(&module->handle);
    runtime_release(runtime);
    return DEFERRED_DONE;
}

static int32_t load(struct device *device, const void *image, driver_module *native, baton_error *err)
{
    struct device_entry entry;
    int32_t status = device_enter(device, &entry, err);
    if (status)
        return status;
    int code = device->driver->module_load(native, image);
    device_leave(device, &entry);
    return device_status(device, code, DRIVER_ROW_module_load, BATON_OP_MODULE, NULL, err);
}

static int32_t module_make(struct device *device, const void *image, baton_module **module, baton_error *err)
{
    baton_module *made = calloc(1, sizeof *made);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for a module");
    int32_t status = load(device, image, &made->native, err);
    if (status) {
        free(made);
        return status;
    }
    handle_init(&made->handle, HANDLE_MODULE);
    made->node.reclaim = module_reclaim;
    made->runtime = device->runtime;
    made->device = device;
    runtime_retain(made->runtime);
    *module = made;
    return BATON_OK;
}

/* PTX is text, and the driver reads it up to its terminator. Binary images begin with a magic number of their own. */
static int32_t image_check(const void *image, uint64_t bytes, baton_error *err)
{
    static const uint32_t elf = 0x464c457f, fatbin = 0xba55ed50;
    uint32_t magic;
    if (!image || bytes < sizeof magic)
        return fail(err, BATON_ERR_ARGUMENT, "the image is %s", image ? "too short" : "NULL");
    memcpy(&magic, image, sizeof magic);
    if (magic != elf && magic != fatbin && !memchr(image, 0, bytes))
        return fail(err, BATON_ERR_ARGUMENT, "the image is neither cubin nor fatbin, and as PTX text it is not terminated");
    return BATON_OK;
}

int32_t baton_module_load(baton_runtime *runtime, int32_t ordinal, const void *image, uint64_t bytes, baton_module **module, baton_error *err)
{
    struct device *device;
    int32_t status = runtime_check(runtime, err);
    if (status)
        return status;
    if (!module)
        return fail(err, BATON_ERR_ARGUMENT, "module is NULL");
    if ((status = image_check(image, bytes, err)) || (status = device_get(runtime, ordinal, &device, err)))
        return status;
    if (device->driver->host_kernels)
        return fail(err, BATON_ERR_UNSUPPORTED, "the %s device runs C functions: see baton_kernel_host", device->driver->name);
    return module_make(device, image, module, err);
}

int32_t baton_module_retain(baton_module *module)
{
    return handle_retain(module ? &module->handle : NULL, HANDLE_MODULE);
}

void baton_module_release(baton_module *module)
{
    if (module && handle_release(&module->handle, HANDLE_MODULE))
        runtime_defer(module->runtime, &module->node);
}

int32_t kernel_check(const baton_kernel *kernel, baton_error *err)
{
    int32_t status = handle_check(kernel ? &kernel->handle : NULL, HANDLE_KERNEL, "kernel", err);
    return status ? status : device_usable(kernel->module->device, err);
}

static enum deferred_result kernel_reclaim(struct deferred *node)
{
    baton_kernel *kernel = (baton_kernel *)((char *)node - offsetof(baton_kernel, node));
    baton_module *module = kernel->module;
    handle_free(&kernel->handle);
    baton_module_release(module);
    return DEFERRED_DONE;
}

int32_t baton_kernel_retain(baton_kernel *kernel)
{
    return handle_retain(kernel ? &kernel->handle : NULL, HANDLE_KERNEL);
}

void baton_kernel_release(baton_kernel *kernel)
{
    if (kernel && handle_release(&kernel->handle, HANDLE_KERNEL))
        runtime_defer(kernel->module->runtime, &kernel->node);
}

/* Older drivers do not tell; then a launch trusts its caller. The last parameter is followed by INVALID_VALUE. */
static void read_parameters(baton_kernel *kernel)
{
    const struct driver *driver = kernel->module->device->driver;
    size_t offset, bytes;
    int code = DRIVER_SUCCESS;
    while (kernel->count < KERNEL_PARAMETERS && !(code = driver->function_parameter(kernel->native, kernel->count, &offset, &bytes)))
        kernel->bytes[kernel->count++] = (uint32_t)bytes;
    kernel->known = code == DRIVER_INVALID_VALUE;
}

static int32_t kernel_fill(baton_kernel *kernel, const char *name, baton_error *err)
{
    struct device *device = kernel->module->device;
    struct device_entry entry;
    int32_t status = device_enter(device, &entry, err);
    if (status)
        return status;
    int code = device->driver->module_function(&kernel->native, kernel->module->native, name);
    if (!code)
        read_parameters(kernel);
    device_leave(device, &entry);
    if (code == DRIVER_NOT_FOUND)
        return fail(err, BATON_ERR_ARGUMENT, "the module has no kernel named '%.64s'", name);
    return device_status(device, code, DRIVER_ROW_module_function, BATON_OP_MODULE, NULL, err);
}

int32_t baton_module_kernel(baton_module *module, const char *name, baton_kernel **kernel, baton_error *err)
{
    int32_t status = handle_check(module ? &module->handle : NULL, HANDLE_MODULE, "module", err);
    if (status)
        return status;
    if (!name || !kernel)
        return fail(err, BATON_ERR_ARGUMENT, "%s is NULL", name ? "kernel" : "name");
    baton_kernel *made = calloc(1, sizeof *made);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for a kernel");
    made->module = module;
    made->node.reclaim = kernel_reclaim;
    status = kernel_fill(made, name, err);
    if (!status)
        status = baton_module_retain(module);
    if (status) {
        free(made);
        return status;
    }
    handle_init(&made->handle, HANDLE_KERNEL);
    *kernel = made;
    return BATON_OK;
}

static int32_t parameters_check(const baton_host_parameter *parameters, uint32_t count, baton_error *err)
{
    if (count > KERNEL_PARAMETERS || (count && !parameters))
        return fail(err, BATON_ERR_ARGUMENT, "%u parameters: at most %d can be described", count, KERNEL_PARAMETERS);
    for (uint32_t i = 0; i < count; i++)
        if (parameters[i].access > BATON_READ_WRITE || parameters[i].bytes == 0 || parameters[i].bytes > 4096 ||
            (parameters[i].access && parameters[i].bytes != sizeof(uint64_t)))
            return fail(err, BATON_ERR_ARGUMENT, "parameter %u: %u bytes with access %u (arrays have 8 bytes, values 1 to 4096)", i,
                        parameters[i].bytes, parameters[i].access);
    return BATON_OK;
}

int32_t baton_kernel_host(baton_runtime *runtime, int32_t ordinal, baton_host_kernel function, const char *name, const baton_host_parameter *parameters,
                          uint32_t count, baton_kernel **kernel, baton_error *err)
{
    struct device *device;
    baton_module *module;
    int32_t status = runtime_check(runtime, err);
    if (status)
        return status;
    if (!function || !name || !kernel)
        return fail(err, BATON_ERR_ARGUMENT, "%s is NULL", !function ? "function" : !name ? "name" : "kernel");
    if ((status = parameters_check(parameters, count, err)) || (status = device_get(runtime, ordinal, &device, err)))
        return status;
    if (!device->driver->host_kernels)
        return fail(err, BATON_ERR_UNSUPPORTED, "the %s driver runs compiled modules, not C functions: see baton_module_load", device->driver->name);
    struct soft_kernel row = { name, (soft_kernel_function)(void (*)(void))function, (const struct soft_parameter *)(const void *)parameters, count };
    struct soft_image image = { .magic = SOFT_IMAGE_MAGIC, .count = 1, .kernels = &row };
    status = module_make(device, &image, &module, err);
    if (status)
        return status;
    status = baton_module_kernel(module, name, kernel, err);
    baton_module_release(module);
    return status;
}
