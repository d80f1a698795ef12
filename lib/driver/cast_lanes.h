/* How the cast kernel moves neighbours at once, and what 16-bit floats mean; see cast_kernels.h. */
#ifndef BATON_DRIVER_CAST_LANES_H
#define BATON_DRIVER_CAST_LANES_H

#include "driver/arithmetic_kernels.h"

/* ---- several elements: a constant number, which one access moves where they lie together */

#define CAST_ALIGNED __attribute__((aligned(LANES_BYTES)))

#define CAST_TOGETHER(type, count)                                                                          \
    struct cast_##type##_##count {                                                                          \
        type lane[count];                                                                                   \
    } __attribute__((aligned(count * sizeof(type) < LANES_BYTES ? count * sizeof(type) : LANES_BYTES)));

#define CAST_MOVE_IF(together, type, count, to, from)                                                       \
    if (together)                                                                                           \
        *(struct cast_##type##_##count *)(void *)(to) = *(const struct cast_##type##_##count *)(const void *)(from)

#define CAST_MOVES(type)                                                                                    \
    CAST_TOGETHER(type, 2)                                                                                  \
    CAST_TOGETHER(type, 4)                                                                                  \
                                                                                                            \
    KERNEL void load_##type(type *lane, const char *from, int64_t apart, int packed, int lanes)             \
    {                                                                                                       \
        CAST_MOVE_IF(packed && lanes == 2, type, 2, lane, from);                                            \
        else CAST_MOVE_IF(packed && lanes == 4, type, 4, lane, from);                                       \
        else                                                                                                \
            for (int k = 0; k < lanes; k++)                                                                 \
                lane[k] = *(const type *)(const void *)(from + k * apart);                                  \
    }                                                                                                       \
                                                                                                            \
    KERNEL void store_##type(char *to, const type *lane, int64_t apart, int packed, int lanes)              \
    {                                                                                                       \
        CAST_MOVE_IF(packed && lanes == 2, type, 2, to, lane);                                              \
        else CAST_MOVE_IF(packed && lanes == 4, type, 4, to, lane);                                         \
        else                                                                                                \
            for (int k = 0; k < lanes; k++)                                                                 \
                *(type *)(void *)(to + k * apart) = lane[k];                                                \
    }
CAST_MOVES(uint8_t)
CAST_MOVES(uint16_t)
CAST_MOVES(uint32_t)
CAST_MOVES(uint64_t)
CAST_MOVES(float)
CAST_MOVES(double)

/* ---- 16-bit floats, which have 15 bits for exponent and mantissa, and become f32 exactly */

enum { F16_MANTISSA = 10, BF16_MANTISSA = 7 };

KERNEL float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#ifdef __CUDACC__
KERNEL float f16_decode(uint16_t bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

/* To the nearest, ties to even; NaN is 0x7fff. */
KERNEL uint16_t f16_encode(float value)
{
    uint16_t bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}
#else
KERNEL float f16_decode(uint32_t bits)
{
    uint32_t magnitude = bits & 0x7fff, sign = (bits & 0x8000) << 16, wide = (magnitude << 13) + (112U << 23);
    if (magnitude < 1U << F16_MANTISSA) {               /* a multiple of the least one */
        float value = (float)magnitude * 0x1p-24f;
        return sign ? -value : value;
    }
    return float_of(sign | (magnitude >= 0x7c00 ? wide + (112U << 23) : wide));
}
#endif

KERNEL float bf16_decode(uint32_t bits)
{
    return float_of(bits << 16);
}

/* ---- types */

/* Which member of a number a type uses. */
enum { NUMBER_SIGNED, NUMBER_UNSIGNED, NUMBER_REAL };

KERNEL int number_kind(uint32_t dtype)
{
    if (dtype >= BATON_F16)
        return NUMBER_REAL;
    return dtype >= BATON_I8 && dtype <= BATON_I64 ? NUMBER_SIGNED : NUMBER_UNSIGNED;
}

/* Of an integer type; both kinds are numbered from 8 bits to 64. */
KERNEL int dtype_bits(uint32_t dtype)
{
    return 8 << ((dtype - BATON_I8) & 3);
}

#endif
