/* Kernels of the tests on every driver: C functions on the software device, test/kernels.cu on a GPU. */
#ifndef BATON_TEST_KERNELS_H
#define BATON_TEST_KERNELS_H

#include "baton.h"

/* `function` on the software device, elsewhere the compiled kernel of that name, which must do the same. */
int32_t kernel_make(baton_runtime *runtime, int32_t device, baton_host_kernel function, const char *name,
                    const baton_host_parameter *parameters, uint32_t count, baton_kernel **kernel, baton_error *err);

/* The compiled kernels, as a terminated PTX text. */
extern const char *const kernels_ptx;

#endif
