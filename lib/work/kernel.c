/* What a kernel needs, how much of it fits, and what the driver must be told before a launch that wants more than usual. */
#include "base/options.h"
#include "work/module.h"

static int32_t too_much_shared(const baton_kernel *kernel, uint32_t bytes, baton_error *err)
{
    const struct device *device = kernel->module->device;
    int most = 0, own = 0;
    kernel_driver(kernel)->device_attribute(&most, DRIVER_DEVICE_SHARED_PER_BLOCK, device->native);
    kernel_driver(kernel)->function_attribute(&own, DRIVER_FUNCTION_STATIC_SHARED, kernel->native);
    return fail(err, BATON_ERR_ARGUMENT, "%u bytes of dynamic shared memory: device %d has %d for a block, and the kernel takes %d itself", bytes,
                device->ordinal, most, own);
}

/* Raised, never lowered: another launch may rely on it. */
static int32_t allow_shared_locked(baton_kernel *kernel, uint32_t bytes, baton_error *err)
{
    struct device *device = kernel->module->device;
    enum driver_row row = DRIVER_ROW_function_attribute;
    int allowed = 0, code = device->driver->function_attribute(&allowed, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, kernel->native);
    if (!code && (uint32_t)allowed < bytes) {
        row = DRIVER_ROW_function_set;
        code = bytes > INT32_MAX ? DRIVER_INVALID_VALUE : device->driver->function_set(kernel->native, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, (int)bytes);
        if (code == DRIVER_INVALID_VALUE)
            return too_much_shared(kernel, bytes, err);
        allowed = (int)bytes;
    }
    if (!code)
        atomic_store_explicit(&kernel->shared_allowed, (uint32_t)allowed, memory_order_release);
    return device_status(device, code, row, BATON_OP_LAUNCH, NULL, err);
}

int32_t kernel_allow_shared(baton_kernel *kernel, uint32_t bytes, baton_error *err)
{
    struct device *device = kernel->module->device;
    struct device_entry entry;
    int32_t status = BATON_OK;
    if (bytes <= atomic_load_explicit(&kernel->shared_allowed, memory_order_acquire) || (status = device_enter(device, &entry, err)))
        return status;
    pthread_mutex_lock(&device->lock);
    status = allow_shared_locked(kernel, bytes, err);
    pthread_mutex_unlock(&device->lock);
    device_leave(device, &entry);
    return status;
}

uint64_t kernel_resident_blocks(baton_kernel *kernel, uint64_t block_threads, uint32_t shared_bytes)
{
    struct device *device = kernel->module->device;
    struct device_entry entry;
    int blocks = 0, processors = 0;
    if (block_threads > INT32_MAX || device_enter(device, &entry, NULL))
        return 0;
    int code = device->driver->occupancy_blocks(&blocks, kernel->native, (int)block_threads, shared_bytes);
    if (!code)
        code = device->driver->device_attribute(&processors, DRIVER_DEVICE_MULTIPROCESSORS, device->native);
    device_leave(device, &entry);
    return code ? 0 : (uint64_t)blocks * (uint64_t)processors;
}

int32_t baton_kernel_occupancy(baton_kernel *kernel, uint32_t block_threads, uint32_t shared_bytes, uint32_t *blocks, baton_error *err)
{
    struct device_entry entry;
    int found = 0;
    int32_t status = kernel_check(kernel, err);
    if (status)
        return status;
    if (!blocks || !block_threads || block_threads > INT32_MAX)
        return fail(err, BATON_ERR_ARGUMENT, blocks ? "blocks of %u threads" : "blocks is NULL", block_threads);
    struct device *device = kernel->module->device;
    if ((status = kernel_allow_shared(kernel, shared_bytes, err)) || (status = device_enter(device, &entry, err)))
        return status;
    int code = device->driver->occupancy_blocks(&found, kernel->native, (int)block_threads, shared_bytes);
    device_leave(device, &entry);
    if (!code)
        *blocks = (uint32_t)found;
    return device_status(device, code, DRIVER_ROW_occupancy_blocks, BATON_OP_MODULE, NULL, err);
}

int32_t baton_kernel_block_size(baton_kernel *kernel, uint32_t shared_bytes, uint32_t most_threads, uint32_t *block_threads, uint32_t *grid_blocks, baton_error *err)
{
    struct device_entry entry;
    int threads = 0, grid = 0;
    int32_t status = kernel_check(kernel, err);
    if (status)
        return status;
    if (!block_threads || !grid_blocks || most_threads > INT32_MAX)
        return fail(err, BATON_ERR_ARGUMENT, block_threads && grid_blocks ? "most_threads is %u" : "an output is NULL", most_threads);
    struct device *device = kernel->module->device;
    if ((status = kernel_allow_shared(kernel, shared_bytes, err)) || (status = device_enter(device, &entry, err)))
        return status;
    int code = device->driver->occupancy_block_size(&grid, &threads, kernel->native, NULL, shared_bytes, (int)most_threads);
    device_leave(device, &entry);
    if (!code) {
        *block_threads = (uint32_t)threads;
        *grid_blocks = (uint32_t)grid;
    }
    return device_status(device, code, DRIVER_ROW_occupancy_block_size, BATON_OP_MODULE, NULL, err);
}

static int read_attributes(const baton_kernel *kernel, baton_kernel_info *info)
{
    int shared = 0, constant = 0, local = 0, most = 0, code = DRIVER_SUCCESS;
    const struct {
        driver_function_attribute attribute;
        int *value;
    } rows[] = {
        { DRIVER_FUNCTION_REGISTERS, &info->registers },        { DRIVER_FUNCTION_MAX_THREADS, &info->most_threads },
        { DRIVER_FUNCTION_BINARY_VERSION, &info->binary_version }, { DRIVER_FUNCTION_PTX_VERSION, &info->ptx_version },
        { DRIVER_FUNCTION_STATIC_SHARED, &shared },             { DRIVER_FUNCTION_CONSTANT, &constant },
        { DRIVER_FUNCTION_LOCAL, &local },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !code; i++)
        code = kernel_driver(kernel)->function_attribute(rows[i].value, rows[i].attribute, kernel->native);
    if (!code)
        code = kernel_driver(kernel)->device_attribute(&most, DRIVER_DEVICE_SHARED_PER_BLOCK, kernel->module->device->native);
    info->shared_bytes = (uint64_t)shared;
    info->most_shared_bytes = most > shared ? (uint64_t)(most - shared) : 0;
    info->constant_bytes = (uint64_t)constant;
    info->local_bytes = (uint64_t)local;
    return code;
}

int32_t baton_kernel_info_read(baton_kernel *kernel, baton_kernel_info *info, baton_error *err)
{
    struct device_entry entry;
    int32_t status = kernel_check(kernel, err);
    if (status)
        return status;
    struct device *device = kernel->module->device;
    baton_kernel_info own = { .struct_size = sizeof own, .device = device->ordinal, .parameters = kernel->known ? (int32_t)kernel->count : -1 };
    if ((status = device_enter(device, &entry, err)))
        return status;
    int code = read_attributes(kernel, &own);
    device_leave(device, &entry);
    if (code)
        return device_status(device, code, DRIVER_ROW_function_attribute, BATON_OP_MODULE, NULL, err);
    return options_write(info, &own, sizeof own, "baton_kernel_info", err);
}
