/* The kernels of the benchmarks: as little work as possible, so that what is measured is the passing of arrays.
 * scripts/make-ptx turns this file into kernels_ptx.h. One thread but for bench_add, which takes one per element. */
#include <stdint.h>

extern "C" __global__ void bench_empty()
{
}

extern "C" __global__ void bench_touch1(float *a)
{
    a[0] += 1;
}

extern "C" __global__ void bench_touch4(float *a, float *b, float *c, float *d)
{
    a[0] += 1;
}

extern "C" __global__ void bench_touch16(float *a, float *b, float *c, float *d, float *e, float *f, float *g, float *h,
                                         float *i, float *j, float *k, float *l, float *m, float *n, float *o, float *p)
{
    a[0] += 1;
}

extern "C" __global__ void bench_read(const float *a)
{
}

extern "C" __global__ void bench_add(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x] + 2;
}

extern "C" __global__ void bench_join(float *out, const float *left, const float *right)
{
    out[0] = left[0] + right[0];
}
