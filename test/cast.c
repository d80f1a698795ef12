/* O11: casts. Every pair of types, against conversions written out in plain C; layouts, broadcasting, and what lies between two numbers. */
#include <math.h>

#include "model.h"
#include "waiter.h"

enum { ROUNDS = 400, MANTISSA_F16 = 10, MANTISSA_BF16 = 7 };

/* An element as it lies in memory. */
union value {
    float f32;
    double f64;
    uint64_t bits;
    uint8_t bytes[8];
};

static union value value_at(const uint8_t *place, int32_t dtype)
{
    union value value = { .bits = 0 };
    memcpy(value.bytes, place, baton_dtype_size(dtype));
    return value;
}

/* ---- the reference: numbers as long doubles, which hold every f64 and every 64-bit integer exactly */

static long double half_number(uint32_t bits, int mantissa)
{
    int most = (1 << (15 - mantissa)) - 1, exponent = (int)(bits >> mantissa & (uint32_t)most), bias = most / 2;
    long double fraction = (long double)(bits & ((1U << mantissa) - 1)), sign = bits & 0x8000 ? -1 : 1;
    if (exponent == most)
        return fraction > 0 ? (long double)NAN : sign * (long double)INFINITY;
    if (exponent == 0)
        return sign * ldexpl(fraction, 1 - bias - mantissa);
    return sign * ldexpl(fraction + (long double)(1 << mantissa), exponent - bias - mantissa);
}

static long double number_of(int32_t dtype, union value value)
{
    switch (dtype) {
    case BATON_BOOL: return value.bytes[0] != 0;
    case BATON_I8: return (int8_t)value.bits;
    case BATON_I16: return (int16_t)value.bits;
    case BATON_I32: return (int32_t)value.bits;
    case BATON_I64: return (int64_t)value.bits;
    case BATON_U8: return (uint8_t)value.bits;
    case BATON_U16: return (uint16_t)value.bits;
    case BATON_U32: return (uint32_t)value.bits;
    case BATON_U64: return value.bits;
    case BATON_F16: return half_number((uint16_t)value.bits, MANTISSA_F16);
    case BATON_BF16: return half_number((uint16_t)value.bits, MANTISSA_BF16);
    case BATON_F32: return value.f32;
    default: return value.f64;
    }
}

static int is_real(int32_t dtype)
{
    return dtype >= BATON_F16;
}

static int is_signed(int32_t dtype)
{
    return dtype >= BATON_I8 && dtype <= BATON_I64;
}

/* The nearest of all 2^15 magnitudes, found by halving; the even one of two. Past the largest by half a step it is infinite. */
static uint32_t nearest_half(long double number, int mantissa)
{
    uint32_t sign = signbit(number) ? 0x8000 : 0, low = 0, high = 0x7fffU >> mantissa << mantissa;
    if (isnan(number))
        return 0x7fff;
    long double magnitude = fabsl(number), past = 2 * half_number(high - 1, mantissa) - half_number(high - 2, mantissa);
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        *(half_number(middle, mantissa) <= magnitude ? &low : &high) = middle;
    }
    long double above = high == 0x7fffU >> mantissa << mantissa ? past : half_number(high, mantissa);
    long double to_low = magnitude - half_number(low, mantissa), to_high = above - magnitude;
    return sign | (to_low < to_high || (to_low == to_high && low % 2 == 0) ? low : high);
}

static uint64_t whole_of(long double number, int32_t dtype)
{
    int bits = 8 * (int)baton_dtype_size(dtype);
    long double most = ldexpl(1, is_signed(dtype) ? bits - 1 : bits) - 1, least = is_signed(dtype) ? -most - 1 : 0;
    if (isnan(number))
        return 0;
    number = truncl(number);
    number = number > most ? most : number < least ? least : number;
    return number < 0 ? (uint64_t)(int64_t)number : (uint64_t)number;
}

static union value cast_of(int32_t to, int32_t from, union value value)
{
    union value result = { .bits = 0 };
    long double number = number_of(from, value);
    if (to == BATON_BOOL)
        result.bits = number != 0 || isnan(number);
    else if (to == BATON_F64)
        result.f64 = (double)number;
    else if (to == BATON_F32)
        result.f32 = (float)number;
    else if (is_real(to))
        result.bits = nearest_half(number, to == BATON_F16 ? MANTISSA_F16 : MANTISSA_BF16);
    else if (is_real(from))
        result.bits = whole_of(number, to);
    else                                                /* the low bits */
        result.bits = number < 0 ? (uint64_t)(int64_t)number : (uint64_t)number;
    return result;
}

static int same(int32_t dtype, union value wanted, union value found)
{
    if (is_real(dtype) && isnan(number_of(dtype, wanted)))
        return isnan(number_of(dtype, found)) != 0;
    return memcmp(wanted.bytes, found.bytes, baton_dtype_size(dtype)) == 0;
}

/* ---- values near which something changes */

static const double corners[] = { 0.0, -0.0, 0.5, -0.5, 0.999999, -0.999999, 1.5, -1.5, 126.5, 127.5, 128, -128.9, -129, 255.5, 256, 32767.5, 32768, -32769, 65504, 65519.99,
                                  65520, 65536, 2147483520.0, 2147483647.0, 2147483648.0, -2147483648.0, -2147483649.0, 4294967295.5, 4294967296.0,
                                  9007199254740993.0, 9223372036854774784.0, 9223372036854775808.0, -9223372036854775808.0, 1.8446744073709550e19, 1.8446744073709552e19,
                                  1e30, -1e30, 3.5e38, 1e300, -1e300, 6e-8, 2.98e-8, 2.99e-8, 1e-40, -1e-45, 1e-310, 2049, 2051, 16777217, 257, 259, NAN, INFINITY, -INFINITY,
                                  0x1p-25, 0x1.000002p-25, 0x1.8p-24, -0x1.7ffffep-24, 0x1.ffep-15, 0x1.ffdp-15, 0x1p-14, 0x1p-134, 0x1.8p-133, 0x1p-149, -0x1.fep-127, 0x1.ffp-127,
                                  0x1.fffffep127, -0x1.ffp127, 0x1.fefffep127, -65520, -65519.996, 4294967040.0, 127.99999, -128.99999, 255.99998, 1.17549435e-38 };
enum { CORNERS = sizeof corners / sizeof *corners };

static const uint64_t wholes[] = { 0, 1, UINT64_MAX, 127, 128, 255, 256, 32767, 32768, 65535, 65536, INT32_MAX, 2147483648, UINT32_MAX, 4294967296, INT64_MAX,
                                   9223372036854775808u, 16777217, 16777219, 9007199254740993, 9007200328482817, 9007200328482815, 72198331526283265, 72198331526283264,
                                   72339069014638591, 0x8080000000000001, 0x8080000000000000, 0x7fffffbfffffffff, 0x7fffffc000000000, 0x7fffffc000000001, 0xff7f7fffffffffff,
                                   0xff7f800000000000, 0xffffff7fffffffff, 0x1010000, 0x1010001, 0x102ffff, 0x1030000, 0xfefeffff, 0xfefefffe, 0x80808001, 0x7f7fffff, 0x7f800000, 0xff800000, 0xff7fffff };
enum { WHOLES = sizeof wholes / sizeof *wholes };

static union value special(int32_t dtype, uint64_t which)
{
    union value value = { .bits = which % 2 };
    if (dtype == BATON_F64)
        value.f64 = corners[which % CORNERS];
    else if (dtype == BATON_F32)
        value.f32 = (float)corners[which % CORNERS];
    else if (is_real(dtype))
        value.bits = nearest_half(corners[which % CORNERS], dtype == BATON_F16 ? MANTISSA_F16 : MANTISSA_BF16);
    else if (dtype != BATON_BOOL)
        value.bits = wholes[which % WHOLES];
    return value;
}

static union value draw(uint64_t *seed, int32_t dtype)
{
    union value value = { .bits = random_next(seed) };
    uint64_t kind = random_next(seed) % 3;
    if (dtype == BATON_BOOL || kind == 1)
        return special(dtype, value.bits);
    if (kind == 0 || dtype == BATON_F16 || dtype == BATON_BF16)
        return value;
    if (dtype == BATON_F64)                     /* of a usual size */
        value.f64 = ldexp((double)(int64_t)value.bits, -(int)(value.bits % 90));
    else if (dtype == BATON_F32)
        value.f32 = ldexpf((float)(int64_t)value.bits, -(int)(value.bits % 90));
    else
        value.bits = wholes[value.bits % WHOLES] >> random_next(seed) % 64;
    return value;
}

static void source_fill(struct viewed *from, uint64_t *seed, int32_t dtype, baton_stream *s)
{
    for (uint64_t at = 0; at < from->bytes; at += from->element_bytes)
        memcpy(from->host + at, draw(seed, dtype).bytes, from->element_bytes);
    if (from->bytes)
        ok(baton_upload(from->parent, from->host, from->bytes, s, &error));
}

static void expect_element(int32_t to, int32_t from, union value value, union value found)
{
    union value wanted = cast_of(to, from, value);
    ck_assert_msg(same(to, wanted, found), "%llx of %s became %llx of %s, not %llx", (unsigned long long)value.bits, baton_dtype_name(from),
                  (unsigned long long)found.bits, baton_dtype_name(to), (unsigned long long)wanted.bits);
}

enum { HEIGHT = 79, WIDTH = 19, COUNT = HEIGHT * WIDTH, PARTS = 3 };

/* All as one run, whose lanes are neighbours; every second element, whose lanes are not; and rows of an odd length, without lanes. */
static void parts_make(baton_array *array, baton_array *parts[PARTS])
{
    baton_view_options flat = { .struct_size = sizeof flat, .shape = (int64_t[]) { -1 }, .shape_ndim = 1 };
    baton_view_options second = { .struct_size = sizeof second, .ndim = 1, .start = (int64_t[]) { 1 }, .step = (int64_t[]) { 2 } };
    baton_view_options rows = { .struct_size = sizeof rows, .ndim = 2, .start = (int64_t[]) { 0, 1 }, .count = (int64_t[]) { HEIGHT, WIDTH - 2 } };
    ok(baton_array_view(array, &flat, &parts[0], &error));
    ok(baton_array_view(parts[0], &second, &parts[1], &error));
    ok(baton_array_view(array, &rows, &parts[2], &error));
}

static void expect_pair(uint64_t *seed, int32_t to, int32_t from, baton_stream *s)
{
    static uint8_t source[COUNT * 8], found[COUNT * 8];
    uint32_t from_bytes = baton_dtype_size(from), to_bytes = baton_dtype_size(to);
    baton_array *a = make_shaped(from, 2, (int64_t[]) { HEIGHT, WIDTH }, s), *b = make_shaped(to, 2, (int64_t[]) { HEIGHT, WIDTH }, s);
    baton_array *sources[PARTS], *results[PARTS];
    parts_make(a, sources);
    parts_make(b, results);
    for (int64_t i = 0; i < COUNT; i++) {
        union value value = i < (int)CORNERS ? special(from, (uint64_t)i) : draw(seed, from);
        memcpy(source + i * from_bytes, value.bytes, from_bytes);
    }
    ok(baton_upload(a, source, COUNT * from_bytes, s, &error));
    for (int part = 0; part < PARTS; part++) {
        memset(found, 0x55, sizeof found);
        ok(baton_upload(results[part], found, info_of(results[part]).bytes, s, &error));
        ok(baton_cast(results[part], sources[part], s, &error));
        ok(baton_download(found, COUNT * to_bytes, b, s, &error));
        for (int64_t i = 0; i < COUNT; i++)
            expect_element(to, from, value_at(source + i * from_bytes, from), value_at(found + i * to_bytes, to));
        arrays_release(results[part], sources[part]);
    }
    arrays_release(a, b);
}

START_TEST(every_type_becomes_every_other_as_documented)
{
    uint64_t seed = support_seed(11);
    baton_stream *s = make_stream();
    for (int32_t to = BATON_BOOL; to <= BATON_F64; to++)
        for (int32_t from = BATON_BOOL; from <= BATON_F64; from++)
            expect_pair(&seed, to, from, s);
    baton_stream_release(s);
}
END_TEST

/* All 65536 of them, and back. */
START_TEST(every_16_bit_float_survives_the_way_through_a_wider_one)
{
    enum { ALL = 65536 };
    static uint16_t source[ALL], found[ALL];
    baton_stream *s = make_stream();
    for (int32_t half = BATON_F16; half <= BATON_BF16; half++)
        for (int32_t wide = BATON_F32; wide <= BATON_F64; wide++) {
            baton_array *a = make_shaped(half, 1, (int64_t[]) { ALL }, s), *b = make_shaped(wide, 1, (int64_t[]) { ALL }, s);
            for (uint32_t i = 0; i < ALL; i++)
                source[i] = (uint16_t)i;
            ok(baton_upload(a, source, sizeof source, s, &error));
            ok(baton_cast(b, a, s, &error));
            ok(baton_cast(a, b, s, &error));
            ok(baton_download(found, sizeof found, a, s, &error));
            for (uint32_t i = 0; i < ALL; i++)
                ck_assert(same(half, (union value) { .bits = source[i] }, (union value) { .bits = found[i] }));
            arrays_release(a, b);
        }
    baton_stream_release(s);
}
END_TEST

/* Stretched from a shape with ones and missing dimensions. */
START_TEST(every_layout_is_cast_and_nothing_else_touched)
{
    uint64_t seed = support_seed(12);
    baton_stream *s = make_stream();
    for (int round = 0; round < ROUNDS; round++) {
        int32_t to_dtype = (int32_t)random_between(&seed, BATON_I8, BATON_U64), from_dtype = (int32_t)random_between(&seed, BATON_BOOL, BATON_F64);
        int32_t ndim = (int32_t)random_between(&seed, 0, MODEL_DIMS), missing = (int32_t)random_between(&seed, 0, round % 2 ? ndim : 0);
        int64_t shape[MODEL_DIMS], own[MODEL_DIMS];
        struct viewed to, from;
        for (int32_t d = 0; d < ndim; d++)
            shape[d] = random_between(&seed, round % 10 != 0, 5);
        for (int32_t d = missing; d < ndim; d++)
            own[d - missing] = random_next(&seed) % 4 ? shape[d] : 1;
        viewed_make(&to, &seed, to_dtype, ndim, shape, s);
        viewed_make(&from, &seed, from_dtype, ndim - missing, own, s);
        source_fill(&from, &seed, from_dtype, s);
        ok(baton_cast(to.view, from.view, s, &error));
        for (int64_t i = 0; i < model_count(&to.model); i++) {
            int64_t at = from.model.offset, rest = i;
            for (int32_t d = ndim - 1; d >= 0; rest /= shape[d--])
                if (d >= missing && own[d - missing] > 1)
                    at += rest % shape[d] * from.model.strides[d - missing];
            memcpy(viewed_at(&to, i), cast_of(to_dtype, from_dtype, value_at(from.host + at * from.element_bytes, from_dtype)).bytes, to.element_bytes);
        }
        viewed_expect(&to, s);
        viewed_free(&to);
        viewed_free(&from);
    }
    baton_stream_release(s);
}
END_TEST

/* Where the first well-aligned element is the first to the last of those that are handled at once, on either side, and with any number left over. */
START_TEST(a_run_may_begin_and_end_anywhere)
{
    static const int32_t pairs[][2] = { { BATON_I32, BATON_F32 }, { BATON_F32, BATON_I16 }, { BATON_U8, BATON_I32 }, { BATON_I16, BATON_BF16 }, { BATON_F64, BATON_I32 },
                                        { BATON_U8, BATON_F64 }, { BATON_I64, BATON_U64 } };
    uint64_t seed = support_seed(13);
    baton_stream *s = make_stream();
    for (size_t pair = 0; pair < sizeof pairs / sizeof *pairs; pair++)
        for (int64_t start = 0; start < 5 * 3; start++)
            for (int64_t count = 0; count < 12; count++) {
                struct viewed to, from;
                viewed_run(&to, &seed, pairs[pair][0], start % 5, count, s);
                viewed_run(&from, &seed, pairs[pair][1], start / 5, count, s);
                source_fill(&from, &seed, pairs[pair][1], s);
                ok(baton_cast(to.view, from.view, s, &error));
                for (int64_t i = 0; i < count; i++)
                    memcpy(viewed_at(&to, i), cast_of(pairs[pair][0], pairs[pair][1], value_at(viewed_at(&from, i), pairs[pair][1])).bytes, to.element_bytes);
                viewed_expect(&to, s);
                viewed_free(&to);
                viewed_free(&from);
            }
    baton_stream_release(s);
}
END_TEST

/* The same bytes as another type of the same size. */
START_TEST(a_cast_in_place_is_possible_where_elements_lie_over_each_other)
{
    baton_stream *s = make_stream();
    baton_array *whole = make_array(10, s), *real, *narrow, *bytes;
    baton_view_options as_real = { .struct_size = sizeof as_real, .dtype = BATON_F32 }, as_bytes = { .struct_size = sizeof as_bytes, .dtype = BATON_U8, .ndim = 1 };
    baton_view_options first = { .struct_size = sizeof first, .ndim = 1, .count = (int64_t[]) { 10 } };
    float found[10];
    fill(whole, -7, s);
    ok(baton_array_view(whole, &as_real, &real, &error));
    ok(baton_array_view(whole, &as_bytes, &narrow, &error));
    ok(baton_cast(real, whole, s, &error));
    ok(baton_download(found, sizeof found, real, s, &error));
    for (int i = 0; i < 10; i++)
        ck_assert(found[i] == -7);
    ok(baton_array_view(narrow, &first, &bytes, &error));
    refused(BATON_ERR_OVERLAP, baton_cast(bytes, whole, s, &error));
    arrays_release(whole, real, narrow, bytes);
    baton_stream_release(s);
}
END_TEST

START_TEST(a_wrong_cast_is_refused)
{
    baton_stream *s = make_stream();
    baton_array *a = make_array(4, s), *c = make_shaped(BATON_C64, 1, (int64_t[]) { 4 }, s);
    counting_start();
    refused(BATON_ERR_ARGUMENT, baton_cast(NULL, a, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_cast(a, NULL, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_cast(a, a, NULL, &error));
    refused(BATON_ERR_DTYPE, baton_cast(a, c, s, &error));
    refused(BATON_ERR_DTYPE, baton_cast(c, a, s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    arrays_release(a, c);
    baton_stream_release(s);
}
END_TEST

SUPPORT_MAIN("cast", 120, every_type_becomes_every_other_as_documented, every_16_bit_float_survives_the_way_through_a_wider_one,
             every_layout_is_cast_and_nothing_else_touched, a_run_may_begin_and_end_anywhere, a_cast_in_place_is_possible_where_elements_lie_over_each_other, a_wrong_cast_is_refused)
