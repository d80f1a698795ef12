/* The body of the cast kernel; see arithmetic_kernels.h.
 *
 * An element is loaded as a number, which is a 64-bit integer or a double, brought to the destination's kind, and
 * stored. Every type fits one of the two without loss, so that three small steps serve all pairs of types. */
#ifndef BATON_DRIVER_CAST_KERNELS_H
#define BATON_DRIVER_CAST_KERNELS_H

#include "driver/arithmetic_kernels.h"

/* Which member of union number a type uses. */
enum { NUMBER_SIGNED, NUMBER_UNSIGNED, NUMBER_REAL };

enum { F16_MANTISSA = 10, BF16_MANTISSA = 7 };

union number {
    uint64_t whole;             /* two's complement */
    double real;
};

KERNEL int number_kind(uint32_t dtype)
{
    if (dtype >= BATON_F16)
        return NUMBER_REAL;
    return dtype >= BATON_I8 && dtype <= BATON_I64 ? NUMBER_SIGNED : NUMBER_UNSIGNED;
}

/* ---- 16-bit floats, which have 15 bits for exponent and mantissa */

KERNEL double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

KERNEL uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

KERNEL double half_decode(uint32_t bits, int mantissa)
{
    uint64_t sign = (uint64_t)(bits >> 15) << 63, fraction = bits & ((1U << mantissa) - 1);
    int most = (1 << (15 - mantissa)) - 1, bias = most >> 1, exponent = (int)(bits >> mantissa) & most;
    if (exponent == 0) {        /* multiples of the least one */
        double magnitude = (double)fraction * double_of((uint64_t)(1 - bias - mantissa + 1023) << 52);
        return sign ? -magnitude : magnitude;
    }
    uint64_t wide = exponent == most ? 2047 : (uint64_t)(exponent - bias + 1023);
    return double_of(sign | wide << 52 | fraction << (52 - mantissa));
}

/* value >> drop, rounded to the nearest, ties to even; drop from 1 to 54. */
KERNEL uint64_t shift_rounded(uint64_t value, int drop)
{
    uint64_t kept = value >> drop, rest = value & (((uint64_t)1 << drop) - 1), half = (uint64_t)1 << (drop - 1);
    return kept + (rest > half || (rest == half && (kept & 1)));
}

/* What is too large becomes infinite: a carry out of the mantissa goes into the exponent. */
KERNEL uint16_t half_encode(double value, int mantissa)
{
    uint64_t bits = bits_of(value), magnitude = bits & ~((uint64_t)1 << 63);
    uint32_t sign = (uint32_t)(bits >> 63) << 15, infinite = 0x7fffU >> mantissa << mantissa;
    int bias = (1 << (14 - mantissa)) - 1, exponent = (int)(magnitude >> 52) - 1023, drop = 52 - mantissa;
    uint64_t significand = (magnitude & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    if (value != value)
        return (uint16_t)0x7fff;
    if (exponent > bias)
        return (uint16_t)(sign | infinite);
    if (exponent < 1 - bias) {
        drop += 1 - bias - exponent;
        return (uint16_t)(sign | (drop > 54 ? 0 : (uint32_t)shift_rounded(significand, drop)));
    }
    uint32_t rounded = (uint32_t)shift_rounded(significand, drop) - (1U << mantissa);
    return (uint16_t)(sign | (((uint32_t)(exponent + bias) << mantissa) + rounded));
}

/* ---- load */

#define CAST_LANES(type)                                                    \
    struct cast_lanes_##type {                                              \
        type lane[WALK_LANES];                                              \
    } __attribute__((aligned(WALK_LANES * sizeof(type) < 16 ? WALK_LANES * sizeof(type) : 16)));
CAST_LANES(uint8_t)
CAST_LANES(uint16_t)
CAST_LANES(uint32_t)
CAST_LANES(uint64_t)
CAST_LANES(float)
CAST_LANES(double)

#define CAST_LOAD(type)                                                                         \
    {                                                                                           \
        struct cast_lanes_##type loaded;                                                        \
        if (packed)                                                                             \
            loaded = *(const struct cast_lanes_##type *)(const void *)from;                     \
        for (int k = 0; k < lanes && !packed; k++)                                              \
            loaded.lane[k] = *(const type *)(const void *)(from + k * apart);                   \
        for (int k = 0; k < lanes; k++)
#define CAST_LOAD_END                                                                           \
        break;                                                                                  \
    }

/* As many lanes as asked for, `apart` bytes from each other or, packed, WALK_LANES at once. */
KERNEL void cast_load(union number *numbers, const char *from, int64_t apart, int packed, uint32_t dtype, int lanes)
{
    switch (dtype) {
    case BATON_BOOL: CAST_LOAD(uint8_t) numbers[k].whole = loaded.lane[k] != 0; CAST_LOAD_END
    case BATON_I8: CAST_LOAD(uint8_t) numbers[k].whole = (uint64_t)(int64_t)(int8_t)loaded.lane[k]; CAST_LOAD_END
    case BATON_I16: CAST_LOAD(uint16_t) numbers[k].whole = (uint64_t)(int64_t)(int16_t)loaded.lane[k]; CAST_LOAD_END
    case BATON_I32: CAST_LOAD(uint32_t) numbers[k].whole = (uint64_t)(int64_t)(int32_t)loaded.lane[k]; CAST_LOAD_END
    case BATON_U8: CAST_LOAD(uint8_t) numbers[k].whole = loaded.lane[k]; CAST_LOAD_END
    case BATON_U16: CAST_LOAD(uint16_t) numbers[k].whole = loaded.lane[k]; CAST_LOAD_END
    case BATON_U32: CAST_LOAD(uint32_t) numbers[k].whole = loaded.lane[k]; CAST_LOAD_END
    case BATON_I64:
    case BATON_U64: CAST_LOAD(uint64_t) numbers[k].whole = loaded.lane[k]; CAST_LOAD_END
    case BATON_F16: CAST_LOAD(uint16_t) numbers[k].real = half_decode(loaded.lane[k], F16_MANTISSA); CAST_LOAD_END
    case BATON_BF16: CAST_LOAD(uint16_t) numbers[k].real = half_decode(loaded.lane[k], BF16_MANTISSA); CAST_LOAD_END
    case BATON_F32: CAST_LOAD(float) numbers[k].real = (double)loaded.lane[k]; CAST_LOAD_END
    case BATON_F64: CAST_LOAD(double) numbers[k].real = loaded.lane[k]; CAST_LOAD_END
    }
}

/* ---- convert */

/* Toward zero; NaN is 0, and what is too large or too small the type's last value. Bits is the type's width. */
KERNEL uint64_t saturate_signed(double real, int bits)
{
    int64_t most = (int64_t)(~(uint64_t)0 >> (65 - bits));
    double limit = double_of((uint64_t)(bits - 1 + 1023) << 52);
    if (real != real)
        return 0;
    if (real >= limit)
        return (uint64_t)most;
    return (uint64_t)(real <= -limit ? -most - 1 : (int64_t)real);
}

KERNEL uint64_t saturate_unsigned(double real, int bits)
{
    if (!(real > 0))
        return 0;
    return real >= double_of((uint64_t)(bits + 1023) << 52) ? ~(uint64_t)0 >> (64 - bits) : (uint64_t)real;
}

/* Exact below 2^53. Beyond, bits that a double cannot hold become one that is set, which any narrower type rounds the right way. */
KERNEL uint64_t jam(uint64_t whole, int is_signed)
{
    uint64_t magnitude = is_signed && (int64_t)whole < 0 ? 0 - whole : whole;
    if (magnitude >> 53 == 0 || (whole & 0xfff) == 0)
        return whole;
    return (whole & ~(uint64_t)0xfff) | 0x800;
}

KERNEL int dtype_bits(uint32_t dtype)
{
    switch (dtype) {
    case BATON_I8: case BATON_U8: return 8;
    case BATON_I16: case BATON_U16: return 16;
    case BATON_I32: case BATON_U32: return 32;
    default: return 64;
    }
}

KERNEL void cast_to_whole(union number *number, uint32_t to, int is_real)
{
    if (to == BATON_BOOL)
        number->whole = is_real ? number->real != 0 : number->whole != 0;
    else if (is_real && number_kind(to) == NUMBER_SIGNED)
        number->whole = saturate_signed(number->real, dtype_bits(to));
    else if (is_real)
        number->whole = saturate_unsigned(number->real, dtype_bits(to));
}

KERNEL void cast_to_real(union number *number, uint32_t to, int is_signed)
{
    uint64_t whole = to == BATON_F64 ? number->whole : jam(number->whole, is_signed);
    number->real = is_signed ? (double)(int64_t)whole : (double)whole;
}

KERNEL void cast_convert(union number *numbers, uint32_t to, uint32_t from, int lanes)
{
    int source = number_kind(from), target = number_kind(to);
    for (int k = 0; k < lanes; k++) {
        if (target != NUMBER_REAL)
            cast_to_whole(&numbers[k], to, source == NUMBER_REAL);
        else if (source != NUMBER_REAL)
            cast_to_real(&numbers[k], to, source == NUMBER_SIGNED);
    }
}

/* ---- store */

#define CAST_STORE(type, expression)                                                            \
    {                                                                                           \
        struct cast_lanes_##type stored;                                                        \
        for (int k = 0; k < lanes; k++)                                                         \
            stored.lane[k] = expression;                                                        \
        if (packed)                                                                             \
            *(struct cast_lanes_##type *)(void *)to = stored;                                   \
        for (int k = 0; k < lanes && !packed; k++)                                              \
            *(type *)(void *)(to + k * apart) = stored.lane[k];                                 \
        break;                                                                                  \
    }

KERNEL void cast_store(char *to, int64_t apart, int packed, const union number *numbers, uint32_t dtype, int lanes)
{
    switch (dtype) {
    case BATON_BOOL: case BATON_I8: case BATON_U8: CAST_STORE(uint8_t, (uint8_t)numbers[k].whole)
    case BATON_I16: case BATON_U16: CAST_STORE(uint16_t, (uint16_t)numbers[k].whole)
    case BATON_I32: case BATON_U32: CAST_STORE(uint32_t, (uint32_t)numbers[k].whole)
    case BATON_I64: case BATON_U64: CAST_STORE(uint64_t, numbers[k].whole)
    case BATON_F16: CAST_STORE(uint16_t, half_encode(numbers[k].real, F16_MANTISSA))
    case BATON_BF16: CAST_STORE(uint16_t, half_encode(numbers[k].real, BF16_MANTISSA))
    case BATON_F32: CAST_STORE(float, (float)numbers[k].real)
    case BATON_F64: CAST_STORE(double, numbers[k].real)
    }
}

/* ---- the kernel */

KERNEL void cast_some(char *to, const char *from, const struct cast *how, int lanes)
{
    const struct walk *walk = &how->walk;
    union number numbers[WALK_LANES];
    cast_load(numbers, from, walk->apart[1], lanes > 1 && (walk->packed & 2), how->from, lanes);
    cast_convert(numbers, how->to, how->from, lanes);
    cast_store(to, walk->apart[0], lanes > 1 && (walk->packed & 1), numbers, how->to, lanes);
}

KERNEL void cast_run(char *to, const char *from, const struct cast *how, uint64_t first, uint64_t step)
{
    uint64_t count = how->walk.count, all = count + how->walk.head + how->walk.tail;
    KERNEL_ROLLED
    for (uint64_t i = first; i < all; i += step) {
        struct walk_place at = walk_find(&how->walk, i);
        if (how->walk.lanes > 1 && i < count)
            cast_some(to + at.bytes[0], from + at.bytes[1], how, WALK_LANES);
        else
            cast_some(to + at.bytes[0], from + at.bytes[1], how, 1);
    }
}

#endif
