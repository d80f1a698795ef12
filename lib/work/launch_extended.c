/* Launches in clusters and of cooperative grids. */
#include "work/launch.h"

enum { PORTABLE_CLUSTER = 8 };

/* What is past 2^64 is as good as 2^64 - 1: too many. */
static uint64_t product(const uint32_t *sizes)
{
    uint64_t result;
    return __builtin_mul_overflow((uint64_t)sizes[0] * sizes[1], sizes[2], &result) ? UINT64_MAX : result;
}

static int32_t device_can(const baton_kernel *kernel, driver_device_attribute attribute, const char *what, baton_error *err)
{
    const struct device *device = kernel->module->device;
    int can = 0, code = device->driver->device_attribute(&can, attribute, device->native);
    if (code)
        return device_status(kernel->module->device, code, DRIVER_ROW_device_attribute, BATON_OP_LAUNCH, NULL, err);
    return can ? BATON_OK : fail(err, BATON_ERR_UNSUPPORTED, "device %d cannot launch %s", device->ordinal, what);
}

/* Beyond what every device with clusters has, the kernel must be allowed it. */
static int32_t allow_cluster(baton_kernel *kernel, const uint32_t *cluster, baton_error *err)
{
    struct device *device = kernel->module->device;
    struct device_entry entry;
    int32_t status;
    if (product(cluster) <= PORTABLE_CLUSTER || atomic_load_explicit(&kernel->any_cluster, memory_order_acquire))
        return BATON_OK;
    if ((status = device_enter(device, &entry, err)))
        return status;
    int code = device->driver->function_set(kernel->native, DRIVER_FUNCTION_ANY_CLUSTER, 1);
    device_leave(device, &entry);
    if (!code)
        atomic_store_explicit(&kernel->any_cluster, 1, memory_order_release);
    return device_status(device, code, DRIVER_ROW_function_set, BATON_OP_LAUNCH, NULL, err);
}

static int32_t cluster_check(baton_kernel *kernel, const baton_launch_options *options, baton_error *err)
{
    const uint32_t *cluster = options->cluster;
    for (int i = 0; i < 3; i++)
        if (options->grid[i] % cluster[i])
            return fail(err, BATON_ERR_ARGUMENT, "a grid of %u blocks in dimension %d is no multiple of clusters of %u", options->grid[i], i, cluster[i]);
    int32_t status = device_can(kernel, DRIVER_DEVICE_CLUSTER_LAUNCH, "clusters: that takes compute capability 9.0", err);
    return status ? status : allow_cluster(kernel, cluster, err);
}

int32_t launch_extended_check(baton_kernel *kernel, const baton_launch_options *options, baton_error *err)
{
    int32_t status = BATON_OK;
    if (options->cluster[0])
        status = cluster_check(kernel, options, err);
    if (!status && options->flags & BATON_LAUNCH_COOPERATIVE)
        status = device_can(kernel, DRIVER_DEVICE_COOPERATIVE_LAUNCH, "cooperative grids", err);
    return status;
}

int launch_extended(const baton_kernel *kernel, const baton_launch_options *options, void **parameters)
{
    struct driver_launch_attribute attributes[2] = { { .id = 0 } };
    driver_launch_config config = { .shared_bytes = options->shared_bytes, .stream = options->stream->native, .attributes = attributes };
    for (int i = 0; i < 3; i++) {
        config.grid[i] = options->grid[i];
        config.block[i] = options->block[i];
    }
    if (options->cluster[0]) {
        struct driver_launch_attribute *attribute = &attributes[config.count++];
        attribute->id = DRIVER_LAUNCH_CLUSTER;
        for (int i = 0; i < 3; i++)
            attribute->value.cluster[i] = options->cluster[i];
    }
    if (options->flags & BATON_LAUNCH_COOPERATIVE) {
        attributes[config.count].id = DRIVER_LAUNCH_COOPERATIVE;
        attributes[config.count++].value.cooperative = 1;
    }
    return kernel_driver(kernel)->launch_ex(&config, kernel->native, parameters, NULL);
}

int32_t launch_extended_failed(baton_kernel *kernel, const baton_launch_options *options, int code, int32_t status, baton_error *err)
{
    baton_error record = error_none();
    if (code != DRIVER_COOPERATIVE_LAUNCH_TOO_LARGE)
        return status;
    fail(&record, BATON_ERR_ARGUMENT, "a cooperative grid of %llu blocks cannot be resident: device %d holds %llu blocks of %llu threads and %u bytes at a time",
         (unsigned long long)product(options->grid), kernel->module->device->ordinal,
         (unsigned long long)kernel_resident_blocks(kernel, product(options->block), options->shared_bytes), (unsigned long long)product(options->block),
         options->shared_bytes);
    record.driver_code = code;
    record.operation = BATON_OP_LAUNCH;
    record.device = (uint64_t)kernel->module->device->ordinal;
    record.stream_id = options->stream->id;
    return fail_with(err, &record);
}
