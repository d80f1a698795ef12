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

KERNEL void cast_one(char *to, const char *from, const struct cast *how)
{
    if (cast_is_wide(how->to) || cast_is_wide(how->from))
        wide_some(to, from, how, 1);
    else
        narrow_some(to, from, how, 1);
}

KERNEL void cast_run(char *to, const char *from, const struct cast *how, uint64_t first, uint64_t step)
{
    const struct walk *walk = &how->walk;
    uint64_t count = walk->count, all = count + walk->head + walk->tail;
    KERNEL_ROLLED
    for (uint64_t i = first; i < all; i += step) {
        struct walk_place at = walk_find(walk, i);
        if (i >= count || walk->lanes == 1)
            cast_one(to + at.bytes[0], from + at.bytes[1], how);
        else if (walk->lanes == CAST_LANES)
            narrow_some(to + at.bytes[0], from + at.bytes[1], how, CAST_LANES);
        else
            wide_some(to + at.bytes[0], from + at.bytes[1], how, CAST_LANES_WIDE);
    }
}

#endif
