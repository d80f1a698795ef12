/* Modules and kernels. A kernel keeps its module; a module is unloaded at a drain, once its device is idle. */
#ifndef BATON_WORK_MODULE_H
#define BATON_WORK_MODULE_H

#include "base/bytes.h"
#include "stream/device.h"

enum { KERNEL_PARAMETERS = 64 };

struct baton_module {
    struct handle handle;
    struct deferred node;
    baton_runtime *runtime;     /* retained */
    struct device *device;
    driver_module native;
    struct bytes names;         /* of a compiled module: expression, lowered name, and so on, each terminated; fixed at birth */
};

struct baton_kernel {
    struct handle handle;
    struct deferred node;
    baton_module *module;       /* retained */
    driver_function native;
    int known;                  /* the driver told how many parameters there are, and their sizes */
    uint32_t count;
    uint32_t bytes[KERNEL_PARAMETERS];
    _Atomic uint32_t shared_allowed;    /* dynamic shared memory that the driver is known to allow a launch; raised under the device's lock */
    _Atomic int any_cluster;            /* the driver was told to allow clusters of more than 8 blocks */
};

static inline int32_t kernel_check(const baton_kernel *kernel, baton_error *err)
{
    int32_t status = handle_check(kernel ? &kernel->handle : NULL, HANDLE_KERNEL, "kernel", err);
    return status ? status : device_usable(kernel->module->device, err);
}

/* Loads a checked image (or, on a device with host kernels, the device's own kind). The driver's whole log is added to *log (NULL: nobody wants it), as text
 * without a terminator. */
int32_t module_make(struct device *device, const void *image, struct bytes *log, baton_module **module, baton_error *err);

/* kernel.c: makes the driver allow launches with so much dynamic shared memory. BATON_ERR_ARGUMENT: more than the device has. */
int32_t kernel_allow_shared(baton_kernel *kernel, uint32_t bytes, baton_error *err);
/* Blocks of so many threads that the device holds at a time; 0 when the driver does not tell. */
uint64_t kernel_resident_blocks(baton_kernel *kernel, uint64_t block_threads, uint32_t shared_bytes);

/* Around driver calls about a kernel. */
static inline const struct driver *kernel_driver(const baton_kernel *kernel)
{
    return kernel->module->device->driver;
}

#endif
