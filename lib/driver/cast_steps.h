/* The steps of a cast: load, convert and store. cast_kernels.h includes this file twice, so it has no guard: with numbers
 * of 32 bits for pairs of types of at most 4 bytes, and, as CAST_WIDE, with numbers of 64 bits for all others. A number
 * is an integer or a float of that width. Every type of the pairs fits one of the two without loss, so that three small
 * steps serve them all. `lanes` is a constant to whoever calls a step. */
#include "driver/cast_lanes.h"

#ifdef CAST_WIDE
#define CAST(name) wide_##name
#define CAST_WHOLE uint64_t
#define CAST_SIGNED int64_t
#define CAST_REAL double
#define CAST_REAL_DTYPE BATON_F64
#define CAST_MANTISSA 52
#else
#define CAST(name) narrow_##name
#define CAST_WHOLE uint32_t
#define CAST_SIGNED int32_t
#define CAST_REAL float
#define CAST_REAL_DTYPE BATON_F32
#define CAST_MANTISSA 23
#endif
#define CAST_BITS (8 * (int)sizeof(CAST_WHOLE))
#define CAST_BIAS ((1 << (CAST_BITS - 2 - CAST_MANTISSA)) - 1)
#define CAST_ONE ((CAST_WHOLE)1)

union CAST(number) {
    CAST_WHOLE whole;           /* two's complement */
    CAST_REAL real;
};

/* ---- load */

#define CAST_LOAD(type, member, expression)                                     \
    {                                                                           \
        CAST_ALIGNED type lane[CAST_LANES];                                     \
        load_##type(lane, from, apart, packed, lanes);                          \
        for (int k = 0; k < lanes; k++)                                         \
            numbers[k].member = expression;                                     \
        break;                                                                  \
    }

/* As many lanes as asked for, `apart` bytes from each other or, packed, at once. */
KERNEL void CAST(load)(union CAST(number) *numbers, const char *from, int64_t apart, int packed, uint32_t dtype, int lanes)
{
    switch (dtype) {
    case BATON_BOOL: CAST_LOAD(uint8_t, whole, lane[k] != 0)
    case BATON_I8: CAST_LOAD(uint8_t, whole, (CAST_WHOLE)(CAST_SIGNED)(int8_t)lane[k])
    case BATON_I16: CAST_LOAD(uint16_t, whole, (CAST_WHOLE)(CAST_SIGNED)(int16_t)lane[k])
    case BATON_I32: CAST_LOAD(uint32_t, whole, (CAST_WHOLE)(CAST_SIGNED)(int32_t)lane[k])
    case BATON_U8: CAST_LOAD(uint8_t, whole, lane[k])
    case BATON_U16: CAST_LOAD(uint16_t, whole, lane[k])
    case BATON_U32: CAST_LOAD(uint32_t, whole, lane[k])
    case BATON_F16: CAST_LOAD(uint16_t, real, (CAST_REAL)f16_decode(lane[k]))
    case BATON_BF16: CAST_LOAD(uint16_t, real, (CAST_REAL)bf16_decode(lane[k]))
#ifdef CAST_WIDE
    case BATON_I64: case BATON_U64: CAST_LOAD(uint64_t, whole, lane[k])
    case BATON_F32: CAST_LOAD(float, real, (double)lane[k])
    default: CAST_LOAD(double, real, lane[k])
#else
    default: CAST_LOAD(float, real, lane[k])
#endif
    }
}

/* ---- convert */

KERNEL CAST_REAL CAST(power_of_2)(int exponent)
{
    CAST_WHOLE bits = (CAST_WHOLE)(exponent + CAST_BIAS) << CAST_MANTISSA;
    CAST_REAL value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Toward zero; NaN is 0, and what is too large or too small the type's last value. The limit is one past the largest. */
#if defined(__CUDACC__) && !defined(CAST_WIDE)          /* the instruction itself does that for 32 bits */
KERNEL uint32_t narrow_saturate_signed(float real, float limit, uint32_t most)
{
    int32_t whole = __float2int_rz(real), last = (int32_t)most;
    return (uint32_t)(whole > last ? last : whole < ~last ? ~last : whole);
}

KERNEL uint32_t narrow_saturate_unsigned(float real, float limit, uint32_t most)
{
    uint32_t whole = __float2uint_rz(real);
    return whole < most ? whole : most;
}
#else
KERNEL CAST_WHOLE CAST(saturate_signed)(CAST_REAL real, CAST_REAL limit, CAST_WHOLE most)
{
    int inside = real > -limit && real < limit;
    CAST_SIGNED cut = (CAST_SIGNED)(inside ? real : 0);
    CAST_WHOLE last = real >= limit ? most : ~most;
    return inside || real != real ? (CAST_WHOLE)cut : last;
}

KERNEL CAST_WHOLE CAST(saturate_unsigned)(CAST_REAL real, CAST_REAL limit, CAST_WHOLE most)
{
    CAST_REAL positive = real > 0 ? real : 0;
    return positive < limit ? (CAST_WHOLE)positive : most;
}
#endif

/* Exact where the float has as many bits. Beyond, bits that it cannot hold become one that is set, which any narrower type
 * rounds the right way. */
KERNEL CAST_WHOLE CAST(jam)(CAST_WHOLE whole, int is_signed)
{
    CAST_WHOLE magnitude = is_signed && (CAST_SIGNED)whole < 0 ? 0 - whole : whole;
    CAST_WHOLE low = (CAST_ONE << (CAST_BITS - CAST_MANTISSA)) - 1;
    if (magnitude >> (CAST_MANTISSA + 1) == 0 || (whole & low) == 0)
        return whole;
    return (whole & ~low) | (low + 1) >> 1;
}

#define CAST_ALL_LANES(member, expression)                                      \
    for (int k = 0; k < lanes; k++)                                             \
        numbers[k].member = expression

KERNEL void CAST(real_to_whole)(union CAST(number) *numbers, uint32_t to, int lanes)
{
    int is_signed = number_kind(to) == NUMBER_SIGNED, bits = dtype_bits(to) - is_signed;
    CAST_REAL limit = CAST(power_of_2)(bits);
    CAST_WHOLE most = ~(CAST_WHOLE)0 >> (CAST_BITS - bits);
    if (is_signed)
        CAST_ALL_LANES(whole, CAST(saturate_signed)(numbers[k].real, limit, most));
    else
        CAST_ALL_LANES(whole, CAST(saturate_unsigned)(numbers[k].real, limit, most));
}

KERNEL void CAST(whole_to_real)(union CAST(number) *numbers, uint32_t to, int is_signed, int lanes)
{
    if (to != CAST_REAL_DTYPE)
        CAST_ALL_LANES(whole, CAST(jam)(numbers[k].whole, is_signed));
    if (is_signed)
        CAST_ALL_LANES(real, (CAST_REAL)(CAST_SIGNED)numbers[k].whole);
    else
        CAST_ALL_LANES(real, (CAST_REAL)numbers[k].whole);
}

KERNEL void CAST(convert)(union CAST(number) *numbers, uint32_t to, uint32_t from, int lanes)
{
    int source = number_kind(from), target = number_kind(to);
    if (to == BATON_BOOL && source == NUMBER_REAL)
        CAST_ALL_LANES(whole, numbers[k].real != 0);
    else if (to == BATON_BOOL)
        CAST_ALL_LANES(whole, numbers[k].whole != 0);
    else if (source == NUMBER_REAL && target != NUMBER_REAL)
        CAST(real_to_whole)(numbers, to, lanes);
    else if (source != NUMBER_REAL && target == NUMBER_REAL)
        CAST(whole_to_real)(numbers, to, source == NUMBER_SIGNED, lanes);
}

/* ---- store */

/* value >> drop, rounded to the nearest, ties to even; drop is at least 1. */
KERNEL uint32_t CAST(shift_rounded)(CAST_WHOLE value, int drop)
{
    return (uint32_t)((value + (CAST_ONE << (drop - 1)) - 1 + (value >> drop & 1)) >> drop);
}

/* Rounded once. A carry out of the mantissa goes into the exponent, and what is too large becomes infinite. */
KERNEL uint16_t CAST(half_encode)(CAST_REAL value, int mantissa)
{
    CAST_WHOLE bits, implied = CAST_ONE << CAST_MANTISSA;
    memcpy(&bits, &value, sizeof bits);
#ifndef CAST_WIDE
    if (mantissa == BF16_MANTISSA)                      /* the upper half of an f32 */
        return (uint16_t)(value != value ? 0x7fff : CAST(shift_rounded)(bits, 16));
#ifdef __CUDACC__
    if (mantissa == F16_MANTISSA)
        return f16_encode(value);
#endif
#endif
    uint32_t sign = (uint32_t)(bits >> (CAST_BITS - 16)) & 0x8000, infinite = 0x7fffU >> mantissa << mantissa;
    int exponent = (int)(bits >> CAST_MANTISSA & (2 * CAST_BIAS + 1)) - CAST_BIAS + (1 << (14 - mantissa)) - 1;
    int below = exponent < 1 ? 1 - exponent : 0;        /* what is subnormal here is too small to be more than 0 */
    int drop = CAST_MANTISSA - mantissa + below, all = CAST_MANTISSA + 2;
    CAST_WHOLE significand = (bits & (implied - 1)) | implied;
    uint32_t rounded = CAST(shift_rounded)(significand, drop < all ? drop : all) + ((uint32_t)(exponent + below - 1) << mantissa);
    return (uint16_t)(value != value ? 0x7fff : sign | (rounded < infinite ? rounded : infinite));
}

#define CAST_STORE(type, expression)                                            \
    {                                                                           \
        CAST_ALIGNED type lane[CAST_LANES];                                \
        for (int k = 0; k < lanes; k++)                                         \
            lane[k] = expression;                                               \
        store_##type(to, lane, apart, packed, lanes);                           \
        break;                                                                  \
    }

KERNEL void CAST(store)(char *to, int64_t apart, int packed, const union CAST(number) *numbers, uint32_t dtype, int lanes)
{
    switch (dtype) {
    case BATON_BOOL: case BATON_I8: case BATON_U8: CAST_STORE(uint8_t, (uint8_t)numbers[k].whole)
    case BATON_I16: case BATON_U16: CAST_STORE(uint16_t, (uint16_t)numbers[k].whole)
    case BATON_I32: case BATON_U32: CAST_STORE(uint32_t, (uint32_t)numbers[k].whole)
    case BATON_F16: CAST_STORE(uint16_t, CAST(half_encode)(numbers[k].real, F16_MANTISSA))
    case BATON_BF16: CAST_STORE(uint16_t, CAST(half_encode)(numbers[k].real, BF16_MANTISSA))
#ifdef CAST_WIDE
    case BATON_I64: case BATON_U64: CAST_STORE(uint64_t, numbers[k].whole)
    case BATON_F32: CAST_STORE(float, (float)numbers[k].real)
    default: CAST_STORE(double, numbers[k].real)
#else
    default: CAST_STORE(float, numbers[k].real)
#endif
    }
}

/* ---- all three */

KERNEL void CAST(some)(char *to, const char *from, const struct cast *how, int lanes)
{
    const struct walk *walk = &how->walk;
    union CAST(number) numbers[CAST_LANES];
    CAST(load)(numbers, from, walk->apart[1], lanes > 1 && (walk->packed & 2), how->from, lanes);
    CAST(convert)(numbers, how->to, how->from, lanes);
    CAST(store)(to, walk->apart[0], lanes > 1 && (walk->packed & 1), numbers, how->to, lanes);
}

#undef CAST
#undef CAST_WHOLE
#undef CAST_SIGNED
#undef CAST_REAL
#undef CAST_REAL_DTYPE
#undef CAST_MANTISSA
#undef CAST_BITS
#undef CAST_BIAS
#undef CAST_ONE
#undef CAST_LOAD
#undef CAST_ALL_LANES
#undef CAST_STORE
