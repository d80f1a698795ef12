/* Modules of host functions. */
#ifndef BATON_DRIVER_SOFT_MODULE_H
#define BATON_DRIVER_SOFT_MODULE_H

#include "driver/soft/machine.h"

struct soft_function {
    struct soft_handle handle;
    struct soft_context *context;
    char *name;
    soft_kernel_function function;
    struct soft_parameter *parameters;
    uint32_t count;
};

struct soft_module {
    struct soft_handle handle;
    uint32_t count;
    struct soft_function *functions;
};

void soft_module_delete(struct soft_module *module);
/* Where the parameter starts in a packed list: each is aligned to the largest power of two, up to 16, that divides
 * its size. */
size_t soft_function_offset(const struct soft_function *function, size_t index);

#endif
