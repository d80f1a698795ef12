/* The kernels of the tests for CUDA: each does what the C function of the same name does on the software device. One
 * thread works, however many are launched. scripts/make-ptx turns this file into kernels_ptx.h. */
#include <stdint.h>

enum { ADD_TO_ALL = 256, INCREMENT_ALL = 64, SCALE = 100, STAMP = 4 };

static __device__ bool alone()
{
    return blockIdx.x + blockIdx.y + blockIdx.z + threadIdx.x + threadIdx.y + threadIdx.z == 0;
}

extern "C" __global__ void nothing()
{
}

extern "C" __global__ void nothing_with(const int32_t *a)
{
}

/* ---- support.c, fibers.c, graph_race.c, graph_nested.c */

extern "C" __global__ void add_one(int32_t *to, const int32_t *from, int64_t count)
{
#pragma unroll 1
    for (int64_t i = 0; alone() && i < count; i++)
        to[i] = from[i] + 1;
}

extern "C" __global__ void increment_all(int32_t *values)
{
#pragma unroll 1
    for (int i = 0; alone() && i < INCREMENT_ALL; i++)
        values[i]++;
}

extern "C" __global__ void count(int32_t *value)
{
    if (alone())
        ++*value;
}

extern "C" __global__ void scale(int32_t *to, int32_t factor)
{
#pragma unroll 1
    for (int i = 0; alone() && i < SCALE; i++)
        to[i] *= factor;
}

/* ---- cost.c */


extern "C" __global__ void add_to_all(int32_t *a, int32_t *b, int32_t *c, int32_t *d, int32_t *e, int32_t *f, int32_t *g,
                                      int32_t *h, int32_t *i, int32_t *j, int32_t *k, int32_t *l, int32_t *m, int32_t *n,
                                      int32_t *o, int32_t *p)
{
    int32_t *const all[] = { a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p };
#pragma unroll 1
    for (int at = 0; alone() && at < ADD_TO_ALL; at++)
        for (int array = 0; array < 16; array++)
            all[array][at]++;
}

/* ---- launch.c */

extern "C" __global__ void describe_launch(uint32_t *to)
{
    uint32_t shared;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(shared));
    if (!alone())
        return;
    to[0] = gridDim.x, to[1] = gridDim.y, to[2] = gridDim.z;
    to[3] = blockDim.x, to[4] = blockDim.y, to[5] = blockDim.z;
    to[6] = shared;
}

extern "C" __global__ void store(int32_t *to, int32_t value)
{
    if (alone())
        *to = value;
}

extern "C" __global__ void increment(const int32_t *from, int32_t *to)
{
    if (alone())
        *to = *from + 1;
}

#define P1(n) const int32_t *a##n
#define P4(n) P1(n##0), P1(n##1), P1(n##2), P1(n##3)
#define P16(n) P4(n##0), P4(n##1), P4(n##2), P4(n##3)
#define S1(n) *a##n
#define S4(n) S1(n##0) + S1(n##1) + S1(n##2) + S1(n##3)
#define S16(n) S4(n##0) + S4(n##1) + S4(n##2) + S4(n##3)
#define P15(n) P1(n##01), P1(n##02), P1(n##03), P4(n##1), P4(n##2), P4(n##3)
#define S15(n) S1(n##01) + S1(n##02) + S1(n##03) + S4(n##1) + S4(n##2) + S4(n##3)

/* to becomes the sum of the others: 16, 32 and 64 arrays in all. */
extern "C" __global__ void sum16(int32_t *to, P15(0))
{
    if (alone())
        *to = S15(0);
}

extern "C" __global__ void sum32(int32_t *to, P15(0), P16(1))
{
    if (alone())
        *to = S15(0) + S16(1);
}

extern "C" __global__ void sum64(int32_t *to, P15(0), P16(1), P16(2), P16(3))
{
    if (alone())
        *to = S15(0) + S16(1) + S16(2) + S16(3);
}

/* ---- errors.c: writes where no memory is */

extern "C" __global__ void fault()
{
    *(volatile uint32_t *)16 = 1;
}

/* ---- stamp.c */

struct stamp {
    uint64_t operation, expected, found;
};

static __device__ uint64_t stamp_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static __device__ uint64_t whole(const volatile uint64_t *elements)
{
    uint64_t first = elements[0];
    for (int i = 1; i < STAMP; i++)
        if (elements[i] != first)
            return ~first ^ elements[i];
    return first;
}

static __device__ void spread(volatile uint64_t *elements, uint64_t value)
{
    for (int i = 0; i < STAMP; i++)
        elements[i] = value;
}

/* Reads, gives others the time to come in between, and writes. */
static __device__ uint64_t witness(struct stamp *stamp, const volatile uint64_t *a, const volatile uint64_t *b)
{
    uint64_t state = stamp->operation ^ whole(a);
    __nanosleep(1000);
    state = stamp_random(&state) ^ whole(b);
    uint64_t value = stamp_random(&state);
    stamp->found = value;
    return value;
}

extern "C" __global__ void mix(uint64_t *to, const uint64_t *a, const uint64_t *b, struct stamp *stamp)
{
    if (alone())
        spread(to, witness(stamp, a, b));
}

extern "C" __global__ void update(uint64_t *to, const uint64_t *a, struct stamp *stamp)
{
    if (alone())
        spread(to, witness(stamp, to, a));
}

extern "C" __global__ void observe(const uint64_t *a, struct stamp *stamp)
{
    if (alone())
        witness(stamp, a, a);
}

static __device__ void look(const volatile uint64_t *elements, unsigned long long *torn)
{
    for (int i = 1; i < STAMP; i++) {
        if (elements[i] != elements[0])
            atomicAdd_system(torn, 1ull);
        __nanosleep(200);
    }
}

extern "C" __global__ void bump(volatile uint64_t *elements, unsigned long long *torn)
{
    if (!alone())
        return;
    look(elements, torn);
    for (int i = 0; i < STAMP; i++) {
        uint64_t old = elements[i];
        __nanosleep(200);
        elements[i] = old + 1;
    }
}

extern "C" __global__ void peek(const uint64_t *elements, unsigned long long *torn)
{
    if (alone())
        look(elements, torn);
}
