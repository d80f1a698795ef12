#include "work/module.h"

#include <stdlib.h>
#include <string.h>

#include "driver/nvrtc.h"
#include "driver/soft/soft.h"
#include "stream/wait.h"
#include "work/image.h"

enum { JIT_LOG_BYTES = 16384 };

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
    bytes_clear(&module->names);
    handle_free(&module->handle);
    runtime_release(runtime);
    return DEFERRED_DONE;
}

/* The driver's translator writes into a buffer of fixed size, and what it says is of use only when it fails. */
static int load_logged(struct device *device, const void *image, driver_module *native, char *text)
{
    driver_jit_option options[] = { DRIVER_JIT_ERROR_LOG, DRIVER_JIT_ERROR_LOG_BYTES };
    void *values[] = { text, (void *)(uintptr_t)JIT_LOG_BYTES };
    int code = device->driver->module_load_ex(native, image, 2, options, values);
    text[JIT_LOG_BYTES] = '\0';
    return code;
}

static int32_t refused(struct device *device, int code, enum driver_row row, const char *text, struct bytes *log, baton_error *err)
{
    baton_error record = error_none();
    int length;
    const char *line = nvrtc_first_error(text, &length);
    device_status(device, code, row, BATON_OP_MODULE, NULL, &record);
    if (length && record.status == BATON_ERR_DRIVER)
        message_add(&record, ": %.*s", length, line);
    if (log)
        bytes_add(log, text, strlen(text));
    return fail_with(err, &record);
}

/* text: room for the translator, NULL for an image of the device's own kind, which needs none. */
static int32_t load_with(struct device *device, const void *image, driver_module *native, char *text, struct bytes *log, baton_error *err)
{
    struct device_entry entry;
    int32_t status = device_enter(device, &entry, err);
    if (status)
        return status;
    int code = text ? load_logged(device, image, native, text) : device->driver->module_load(native, image);
    device_leave(device, &entry);
    return code ? refused(device, code, text ? DRIVER_ROW_module_load_ex : DRIVER_ROW_module_load, text ? text : "", log, err) : BATON_OK;
}

static int32_t load(struct device *device, const void *image, driver_module *native, struct bytes *log, baton_error *err)
{
    int translated = !device->driver->host_kernels;
    char *text = translated ? calloc(1, JIT_LOG_BYTES + 1) : NULL;
    if (translated && !text)
        return fail(err, BATON_ERR_MEMORY, "no host memory for a module");
    int32_t status = load_with(device, image, native, text, log, err);
    free(text);
    return status;
}

int32_t module_make(struct device *device, const void *image, struct bytes *log, baton_module **module, baton_error *err)
{
    baton_module *made = calloc(1, sizeof *made);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for a module");
    int32_t status = load(device, image, &made->native, log, err);
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

int32_t baton_module_load(baton_runtime *runtime, int32_t ordinal, const void *image, uint64_t bytes, baton_module **module, baton_error *err)
{
    struct device *device;
    enum image_kind kind;
    int32_t status = runtime_check(runtime, err);
    if (status)
        return status;
    if (!module)
        return fail(err, BATON_ERR_ARGUMENT, "module is NULL");
    if ((status = image_check(image, bytes, &kind, err)) || (status = device_get(runtime, ordinal, &device, err)))
        return status;
    if (device->driver->host_kernels)
        return fail(err, BATON_ERR_UNSUPPORTED, "the %s device runs C functions: see baton_kernel_host", device->driver->name);
    return module_make(device, image, NULL, module, err);
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

/* The name in the image behind an expression of a compiled module; else the name itself. */
static const char *name_in_image(const baton_module *module, const char *name)
{
    const char *all = (const char *)module->names.data;
    for (size_t at = 0; at < module->names.count;) {
        size_t lowered = at + strlen(all + at) + 1;
        if (!strcmp(all + at, name))
            return all + lowered;
        at = lowered + strlen(all + lowered) + 1;
    }
    return name;
}

static int32_t kernel_fill(baton_kernel *kernel, const char *name, baton_error *err)
{
    struct device *device = kernel->module->device;
    struct device_entry entry;
    int32_t status = device_enter(device, &entry, err);
    if (status)
        return status;
    int code = device->driver->module_function(&kernel->native, kernel->module->native, name_in_image(kernel->module, name));
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
    status = module_make(device, &image, NULL, &module, err);
    if (status)
        return status;
    status = baton_module_kernel(module, name, kernel, err);
    baton_module_release(module);
    return status;
}
