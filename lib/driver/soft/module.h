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
    int dynamic_shared;             /* bytes that a launch may ask for; 48 KiB until it is raised */
    int any_cluster;                /* more than 8 blocks in a cluster are allowed */
};

struct soft_module {
    struct soft_handle handle;
    uint32_t count;
    struct soft_function *functions;
};

/* What the software device is: one of 8 multiprocessors with 2048 threads, 32 blocks and 228 KiB of shared memory, of which each
 * block takes 1 KiB for itself; every function needs 32 registers a thread and no static shared memory. */
enum {
    SOFT_MULTIPROCESSORS = 8, SOFT_WARP = 32, SOFT_BLOCK_THREADS = 1024, SOFT_THREADS = 2048, SOFT_BLOCKS = 32, SOFT_REGISTERS = 32,
    SOFT_SHARED = 228 * 1024, SOFT_SHARED_OWN = 1024, SOFT_SHARED_BLOCK = SOFT_SHARED - SOFT_SHARED_OWN, SOFT_SHARED_FIRST = 48 * 1024,
    SOFT_CLUSTER = 8, SOFT_CLUSTER_ANY = 16
};

/* Blocks of the function that one multiprocessor holds at a time. */
int soft_function_blocks(const struct soft_function *function, uint64_t threads, size_t shared_bytes);

void soft_module_delete(struct soft_module *module);
/* Where the parameter starts in a packed list: each is aligned to the largest power of two, up to 16, that divides
 * its size. */
size_t soft_function_offset(const struct soft_function *function, size_t index);

#endif
