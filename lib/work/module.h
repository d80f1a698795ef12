/* Modules and kernels. A kernel keeps its module; a module is unloaded at a drain, once its device is idle. */
#ifndef BATON_WORK_MODULE_H
#define BATON_WORK_MODULE_H

#include "stream/device.h"

enum { KERNEL_PARAMETERS = 64 };

struct baton_module {
    struct handle handle;
    struct deferred node;
    baton_runtime *runtime;     /* retained */
    struct device *device;
    driver_module native;
};

struct baton_kernel {
    struct handle handle;
    struct deferred node;
    baton_module *module;       /* retained */
    driver_function native;
    int known;                  /* the driver told how many parameters there are, and their sizes */
    uint32_t count;
    uint32_t bytes[KERNEL_PARAMETERS];
};

int32_t kernel_check(const baton_kernel *kernel, baton_error *err);

#endif
