/* The arithmetic kernels for CUDA: see arithmetic.h. scripts/make-ptx turns this file into arithmetic_ptx.h. */
#include "driver/cast_kernels.h"

static __device__ uint64_t thread_first()
{
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ uint64_t thread_step()
{
    return (uint64_t)gridDim.x * blockDim.x;
}

#define ENTRY(name, type, wrapping, most)                                                                           \
    extern "C" __global__ void baton_elementwise_##name(char *to, const char *left, const char *right,              \
                                                        const __grid_constant__ struct elementwise how)             \
    {                                                                                                               \
        elementwise_##name(to, left, right, &how, thread_first(), thread_step());                                   \
    }
ARITHMETIC_TYPES(ENTRY)

/* Few enough registers that there are threads enough to keep the memory busy, whichever compiler it is. */
extern "C" __global__ void __launch_bounds__(ARITHMETIC_BLOCK, 6)
baton_cast_elements(char *to, const char *from, const __grid_constant__ struct cast how)
{
    cast_run(to, from, &how, thread_first(), thread_step());
}

extern "C" __global__ void baton_range_elements(char *to, const __grid_constant__ struct range how)
{
    range_run(to, &how, thread_first(), thread_step());
}
