/* The library's own kernels for CUDA: see builtin.h. scripts/make-ptx turns this file into builtin_ptx.h. */
#include "builtin.h"

struct pair {       /* a 16-byte element, of which only 8-byte alignment is known */
    uint64_t low, high;
};

static __device__ uint64_t thread_first()
{
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ uint64_t thread_step()
{
    return (uint64_t)gridDim.x * blockDim.x;
}

/* The size is the same for all threads, so that the branches cost little and the code is there once. */
static __device__ void element_copy(uint64_t to, uint64_t from, uint32_t bytes)
{
    switch (bytes) {
    case 1: *(uint8_t *)to = *(const uint8_t *)from; break;
    case 2: *(uint16_t *)to = *(const uint16_t *)from; break;
    case 4: *(uint32_t *)to = *(const uint32_t *)from; break;
    case 8: *(uint64_t *)to = *(const uint64_t *)from; break;
    case 16: *(struct pair *)to = *(const struct pair *)from; break;
    }
}

static __device__ void element_fill(uint64_t to, const struct pair &value, uint32_t bytes)
{
    switch (bytes) {
    case 1: *(uint8_t *)to = (uint8_t)value.low; break;
    case 2: *(uint16_t *)to = (uint16_t)value.low; break;
    case 4: *(uint32_t *)to = (uint32_t)value.low; break;
    case 8: *(uint64_t *)to = value.low; break;
    case 16: *(struct pair *)to = value; break;
    }
}

/* Index is wide enough for how.count. */
template <typename Index>
static __device__ void copy_strided(uint64_t to, uint64_t from, const struct strided &how)
{
#pragma unroll 1
    for (uint64_t i = thread_first(); i < how.count; i += thread_step()) {
        Index rest = (Index)i;
        int64_t target = 0, source = 0;
#pragma unroll 1
        for (uint32_t d = how.ndim; d-- > 0;) {
            Index extent = (Index)how.shape[d];
            int64_t at = (int64_t)(rest % extent);
            rest /= extent;
            target += at * how.to_strides[d];
            source += at * how.from_strides[d];
        }
        element_copy(to + target * how.element_bytes, from + source * how.element_bytes, how.element_bytes);
    }
}

template <typename Index>
static __device__ void fill_strided(uint64_t to, const struct fill_strided &how)
{
    const struct pair value = *(const struct pair *)how.value;
#pragma unroll 1
    for (uint64_t i = thread_first(); i < how.count; i += thread_step()) {
        Index rest = (Index)i;
        int64_t target = 0;
#pragma unroll 1
        for (uint32_t d = how.ndim; d-- > 0;) {
            Index extent = (Index)how.shape[d];
            target += (int64_t)(rest % extent) * how.strides[d];
            rest /= extent;
        }
        element_fill(to + target * how.element_bytes, value, how.element_bytes);
    }
}

/* 32-bit division is several times faster, and enough for all but the largest arrays. */
extern "C" __global__ void baton_copy_strided(uint64_t to, uint64_t from, const __grid_constant__ struct strided how)
{
    if (how.count <= UINT32_MAX)
        copy_strided<uint32_t>(to, from, how);
    else
        copy_strided<uint64_t>(to, from, how);
}

extern "C" __global__ void baton_fill_strided(uint64_t to, const __grid_constant__ struct fill_strided how)
{
    if (how.count <= UINT32_MAX)
        fill_strided<uint32_t>(to, how);
    else
        fill_strided<uint64_t>(to, how);
}

static __device__ uint64_t clock_ns()
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

static __device__ uint32_t flag_load(uint64_t flag)
{
    uint32_t value;
    asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

extern "C" __global__ void baton_gate(uint64_t flag, uint64_t limit_ns)
{
    uint64_t begin = clock_ns();
    if (blockIdx.x != 0 || threadIdx.x != 0)
        return;
    while (flag_load(flag) == 0 && clock_ns() - begin < limit_ns)
        __nanosleep(500);
}
