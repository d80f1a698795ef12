/* The body of the cast kernel; see arithmetic_kernels.h. */
#ifndef BATON_DRIVER_CAST_KERNELS_H
#define BATON_DRIVER_CAST_KERNELS_H

#include "driver/cast_steps.h"
#define CAST_WIDE
#include "driver/cast_steps.h"

KERNEL int cast_is_wide(uint32_t dtype)
{
    return dtype == BATON_I64 || dtype == BATON_U64 || dtype == BATON_F64;
}

KERNEL void cast_step(char *to, const char *from, const struct cast *how, int one)
{
    int wide = cast_is_wide(how->to) || cast_is_wide(how->from);
    if (wide && one)
        wide_some(to, from, how, 1);
    else if (wide)
        wide_some(to, from, how, CAST_LANES_WIDE);
    else if (one)
        narrow_some(to, from, how, 1);
    else
        narrow_some(to, from, how, CAST_LANES);
}

KERNEL void cast_run(char *to, const char *from, const struct cast *how, uint64_t first, uint64_t step)
{
    uint64_t count = how->walk.count, all = count + how->walk.head + how->walk.tail;
    KERNEL_ROLLED
    for (uint64_t i = first; i < all; i += step) {
        struct walk_place at = walk_find(&how->walk, i);
        cast_step(to + at.bytes[0], from + at.bytes[1], how, how->walk.lanes == 1 || i >= count);
    }
}

#endif
