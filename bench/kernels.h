/* The kernels of the benchmarks: host functions on the software device, PTX on a GPU. */
#ifndef BATON_BENCH_KERNELS_H
#define BATON_BENCH_KERNELS_H

#include "baton.h"

enum kernel_name {
    KERNEL_EMPTY,
    KERNEL_TOUCH1, KERNEL_TOUCH4, KERNEL_TOUCH16,   /* 1, 4, 16 arrays, each read and written */
    KERNEL_READ,                                    /* in */
    KERNEL_ADD,                                     /* out, in */
    KERNEL_JOIN,                                    /* out, left, right */
    KERNELS
};

enum { KERNEL_ARRAYS = 16 };

/* Fills `kernels`; on failure what was made is given back. */
int32_t kernels_open(baton_runtime *runtime, int32_t device, baton_kernel *kernels[KERNELS], baton_error *err);
void kernels_close(baton_kernel *kernels[KERNELS]);

#endif
