/* The bodies of the arithmetic kernels, in the C that CUDA C++ shares: one source for both devices. Thread `first` of
 * `step` threads does its part of the steps; the software device runs them all as thread 0 of 1. */
#ifndef BATON_DRIVER_ARITHMETIC_KERNELS_H
#define BATON_DRIVER_ARITHMETIC_KERNELS_H

#include <string.h>

#include "baton.h"
#include "driver/arithmetic.h"

#ifdef __CUDACC__
#define KERNEL static __device__ __forceinline__
#define KERNEL_ROLLED _Pragma("unroll 1")
/* Not fused into one rounding, so that both devices agree. */
#define KERNEL_PRODUCT(a, b) __dmul_rn(a, b)
#else
#define KERNEL static inline
#define KERNEL_ROLLED
#define KERNEL_PRODUCT(a, b) ((a) * (b))
#endif

/* ---- where a step's elements lie */

struct walk_place {
    int64_t bytes[WALK_OPERANDS];       /* from each operand's address */
};

KERNEL void walk_advance(struct walk_place *place, const struct walk_dimension *dimension, uint64_t steps)
{
    for (int k = 0; k < WALK_OPERANDS; k++)
        place->bytes[k] += (int64_t)steps * dimension->strides[k];
}

KERNEL uint32_t walk_divide(uint32_t index, const struct walk_dimension *dimension)
{
    uint32_t high = (uint32_t)((uint64_t)index * dimension->multiplier >> 32);
    return (high + index) >> dimension->shift;
}

/* One of the elements left over, which are numbered on from the last step. Their arrays are runs. */
KERNEL struct walk_place walk_left_over(const struct walk *walk, uint64_t which)
{
    struct walk_place place;
    int64_t index = (int64_t)which - (int64_t)walk->head;
    if (index >= 0)
        index += (int64_t)(walk->count * walk->lanes);
    for (int k = 0; k < WALK_OPERANDS; k++)
        place.bytes[k] = index * walk->apart[k];
    return place;
}

/* Divides by every extent but the first: a run needs no division, and takes the short way. */
KERNEL struct walk_place walk_find(const struct walk *walk, uint64_t index)
{
    struct walk_place place = { { 0, 0, 0 } };
    if (index >= walk->count)
        return walk_left_over(walk, index - walk->count);
    if (walk->ndim == 1) {
        walk_advance(&place, &walk->dimensions[0], index);
        return place;
    }
    KERNEL_ROLLED
    for (uint32_t d = walk->ndim - 1; d > 0; d--) {
        const struct walk_dimension *dimension = &walk->dimensions[d];
        uint64_t above, steps;
        if (walk->narrow) {
            above = walk_divide((uint32_t)index, dimension);
            steps = (uint32_t)index - (uint32_t)above * (uint32_t)dimension->extent;
        } else {
            above = index / (uint64_t)dimension->extent;
            steps = index - above * (uint64_t)dimension->extent;
        }
        walk_advance(&place, dimension, steps);
        index = above;
    }
    walk_advance(&place, &walk->dimensions[0], index);
    return place;
}

/* ---- the four functions on the four types: integers wrap, and division by 0 is 0 */

KERNEL int32_t divide_i32(int32_t a, int32_t b)
{
    if (b == 0)
        return 0;
    return b == -1 ? (int32_t)(0 - (uint32_t)a) : a / b;
}

KERNEL int64_t divide_i64(int64_t a, int64_t b)
{
    if (b == 0)
        return 0;
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

KERNEL float divide_f32(float a, float b)
{
    return a / b;
}

KERNEL double divide_f64(double a, double b)
{
    return a / b;
}

#define ARITHMETIC_ALL_LANES(expression)        \
    for (int k = 0; k < lanes; k++)             \
        a[k] = expression;                      \
    break

/* NAME(type, C type, type in which + - * wrap, lanes of 16 bytes) */
#define ARITHMETIC_TYPES(NAME)              \
    NAME(f32, float, float, 4)              \
    NAME(f64, double, double, 2)            \
    NAME(i32, int32_t, uint32_t, 4)         \
    NAME(i64, int64_t, uint64_t, 2)

#define ARITHMETIC_BODY(name, type, wrapping, most)                                                             \
    struct lanes_##name {                                                                                       \
        type lane[most];                                                                                        \
    } __attribute__((aligned(16)));                                                                             \
                                                                                                                \
    KERNEL void combine_##name(uint32_t function, type *a, const type *b, int lanes)                            \
    {                                                                                                           \
        switch (function) {                                                                                     \
        case BATON_ADD: ARITHMETIC_ALL_LANES((type)((wrapping)a[k] + (wrapping)b[k]));                          \
        case BATON_SUBTRACT: ARITHMETIC_ALL_LANES((type)((wrapping)a[k] - (wrapping)b[k]));                     \
        case BATON_MULTIPLY: ARITHMETIC_ALL_LANES((type)((wrapping)a[k] * (wrapping)b[k]));                     \
        case BATON_DIVIDE: ARITHMETIC_ALL_LANES(divide_##name(a[k], b[k]));                                     \
        }                                                                                                       \
    }                                                                                                           \
                                                                                                                \
    KERNEL type load_##name(const char *from, int64_t at, type value)                                           \
    {                                                                                                           \
        return from ? *(const type *)(const void *)(from + at) : value;                                         \
    }                                                                                                           \
                                                                                                                \
    KERNEL struct lanes_##name load_lanes_##name(const char *from, int64_t at, const struct walk *walk, int k,  \
                                                 type value)                                                    \
    {                                                                                                           \
        struct lanes_##name loaded;                                                                             \
        if (walk->packed >> k & 1)                                                                              \
            return *(const struct lanes_##name *)(const void *)(from + at);                                     \
        for (int lane = 0; lane < most; lane++)                                                                 \
            loaded.lane[lane] = load_##name(from, at + lane * walk->apart[k], value);                           \
        return loaded;                                                                                          \
    }                                                                                                           \
                                                                                                                \
    KERNEL void store_lanes_##name(char *to, const struct walk *walk, const struct lanes_##name *lanes)         \
    {                                                                                                           \
        if (walk->packed & 1) {                                                                                 \
            *(struct lanes_##name *)(void *)to = *lanes;                                                        \
            return;                                                                                             \
        }                                                                                                       \
        for (int lane = 0; lane < most; lane++)                                                                 \
            *(type *)(void *)(to + lane * walk->apart[0]) = lanes->lane[lane];                                  \
    }                                                                                                           \
                                                                                                                \
    KERNEL void one_##name(char *to, const char *left, const char *right, const struct elementwise *how,        \
                           const struct walk_place *at)                                                         \
    {                                                                                                           \
        type a = load_##name(left, at->bytes[1], how->left.name);                                               \
        type b = load_##name(right, at->bytes[2], how->right.name);                                             \
        combine_##name(how->function, &a, &b, 1);                                                               \
        *(type *)(void *)(to + at->bytes[0]) = a;                                                               \
    }                                                                                                           \
                                                                                                                \
    KERNEL void lanes_of_##name(char *to, const char *left, const char *right, const struct elementwise *how,   \
                                const struct walk_place *at)                                                    \
    {                                                                                                           \
        struct lanes_##name a = load_lanes_##name(left, at->bytes[1], &how->walk, 1, how->left.name);           \
        struct lanes_##name b = load_lanes_##name(right, at->bytes[2], &how->walk, 2, how->right.name);         \
        combine_##name(how->function, a.lane, b.lane, most);                                                    \
        store_lanes_##name(to + at->bytes[0], &how->walk, &a);                                                  \
    }                                                                                                           \
                                                                                                                \
    KERNEL void elementwise_##name(char *to, const char *left, const char *right, const struct elementwise *how, \
                                   uint64_t first, uint64_t step)                                               \
    {                                                                                                           \
        const struct walk *walk = &how->walk;                                                                   \
        uint64_t count = walk->count, all = count + walk->head + walk->tail;                                    \
        KERNEL_ROLLED                                                                                           \
        for (uint64_t i = first; i < all; i += step) {                                                          \
            struct walk_place at = walk_find(walk, i);                                                          \
            if (walk->lanes > 1 && i < count)                                                                   \
                lanes_of_##name(to, left, right, how, &at);                                                     \
            else                                                                                                \
                one_##name(to, left, right, how, &at);                                                          \
        }                                                                                                       \
    }

ARITHMETIC_TYPES(ARITHMETIC_BODY)

/* ---- ranges: element i, in row-major order, is start + i * step */

/* Integers that a double holds are added in it: conversions are slow. */
KERNEL double range_real(double start, double step, uint64_t first, int lane)
{
    double distance = KERNEL_PRODUCT((double)first + lane, step);
    return start + distance;
}

KERNEL float range_f32(float start, float step, uint64_t first, int lane)
{
    return (float)range_real((double)start, (double)step, first, lane);
}

KERNEL double range_f64(double start, double step, uint64_t first, int lane)
{
    return range_real(start, step, first, lane);
}

KERNEL int32_t range_i32(int32_t start, int32_t step, uint64_t first, int lane)
{
    return (int32_t)((uint32_t)start + ((uint32_t)first + (uint32_t)lane) * (uint32_t)step);
}

KERNEL int64_t range_i64(int64_t start, int64_t step, uint64_t first, int lane)
{
    return (int64_t)((uint64_t)start + (first + (uint64_t)lane) * (uint64_t)step);
}

#define RANGE_BODY(name, type, wrapping, most)                                                                  \
    KERNEL void range_put_##name(char *to, const struct range *how, uint64_t index, int lanes)                  \
    {                                                                                                           \
        struct lanes_##name a;                                                                                  \
        for (int k = 0; k < most && k < lanes; k++)                                                             \
            a.lane[k] = range_##name(how->start.name, how->step.name, index, k);                                \
        if (lanes == 1)                                                                                         \
            *(type *)(void *)to = a.lane[0];                                                                    \
        else                                                                                                    \
            store_lanes_##name(to, &how->walk, &a);                                                             \
    }
ARITHMETIC_TYPES(RANGE_BODY)

KERNEL void range_put(char *to, const struct range *how, uint64_t index, int lanes)
{
    switch (how->dtype) {
    case BATON_F32: range_put_f32(to, how, index, lanes); break;
    case BATON_F64: range_put_f64(to, how, index, lanes); break;
    case BATON_I32: range_put_i32(to, how, index, lanes); break;
    case BATON_I64: range_put_i64(to, how, index, lanes); break;
    }
}

KERNEL void range_run(char *to, const struct range *how, uint64_t first, uint64_t step)
{
    const struct walk *walk = &how->walk;
    uint64_t count = walk->count, left_over = walk->head + walk->tail;
    KERNEL_ROLLED
    for (uint64_t i = first; i < count + left_over; i += step) {
        struct walk_place at = walk_find(walk, i);
        if (i >= count)
            range_put(to + at.bytes[0], how, i - count < walk->head ? i - count : i - count + count * walk->lanes, 1);
        else if (walk->lanes == 1)
            range_put(to + at.bytes[0], how, i, 1);
        else
            range_put(to + at.bytes[0], how, walk->head + i * walk->lanes, LANES_BYTES);
    }
}

#endif
