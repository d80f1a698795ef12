/* O11: elementwise arithmetic, against plain C: every type, function, layout, broadcast and value. */
#include <math.h>

#include "model.h"
#include "waiter.h"

enum { ROUNDS = 600, FUNCTIONS = 4, DIMENSIONS = 12, GUARD = 8 };

static const int32_t dtypes[] = { BATON_F32, BATON_F64, BATON_I32, BATON_I64 };

union value {
    float f32;
    double f64;
    int32_t i32;
    int64_t i64;
    uint8_t bytes[8];
};

/* ---- what plain C says */

/* Two's complement by way of a wider type, with no division that C leaves undefined. */
static int64_t whole_result(int32_t function, int64_t a, int64_t b, int bits)
{
    __int128 wide = 0;
    switch (function) {
    case BATON_ADD: wide = (__int128)a + b; break;
    case BATON_SUBTRACT: wide = (__int128)a - b; break;
    case BATON_MULTIPLY: wide = (__int128)a * b; break;
    case BATON_DIVIDE: wide = b ? (__int128)a / b : 0; break;
    }
    return bits == 32 ? (int32_t)(uint32_t)wide : (int64_t)(uint64_t)wide;
}

#define REAL_RESULT(function, a, b)                                                                         \
    ((function) == BATON_ADD ? (a) + (b) : (function) == BATON_SUBTRACT ? (a) - (b) : (function) == BATON_MULTIPLY ? (a) * (b) : (a) / (b))

static union value result_of(int32_t dtype, int32_t function, union value a, union value b)
{
    union value result = { .i64 = 0 };
    switch (dtype) {
    case BATON_F32: result.f32 = REAL_RESULT(function, a.f32, b.f32); break;
    case BATON_F64: result.f64 = REAL_RESULT(function, a.f64, b.f64); break;
    case BATON_I32: result.i32 = (int32_t)whole_result(function, a.i32, b.i32, 32); break;
    case BATON_I64: result.i64 = whole_result(function, a.i64, b.i64, 64); break;
    }
    return result;
}

/* One NaN is as good as another: the bits of those that arithmetic makes are the device's own. */
static int same(int32_t dtype, union value a, union value b)
{
    if (dtype == BATON_F32 && isnan(a.f32))
        return isnan(b.f32);
    if (dtype == BATON_F64 && isnan(a.f64))
        return isnan(b.f64);
    return memcmp(a.bytes, b.bytes, baton_dtype_size(dtype)) == 0;
}

/* Half of the values are those at which something changes. */
static union value draw(uint64_t *seed, int32_t dtype)
{
    static const double reals[] = { 0.0, -0.0, 1, -1, 3.5, 1e30, -1e-30, 1e-42, INFINITY, -INFINITY, NAN };
    static const int64_t wholes[] = { 0, 1, -1, 2, -3, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN };
    union value value = { .i64 = (int64_t)random_next(seed) };
    if (random_next(seed) & 1)
        return value;
    switch (dtype) {
    case BATON_F32: value.f32 = (float)reals[random_next(seed) % 11]; break;
    case BATON_F64: value.f64 = reals[random_next(seed) % 11]; break;
    case BATON_I32: value.i32 = (int32_t)wholes[random_next(seed) % 7]; break;
    case BATON_I64: value.i64 = wholes[random_next(seed) % 9]; break;
    }
    return value;
}

/* ---- operands: an array that is stretched, or a value */

struct operand {
    int is_array;
    struct viewed viewed;
    union value value;
    baton_argument argument;
};

static void viewed_draw(struct viewed *viewed, uint64_t *seed, int32_t dtype, int32_t ndim, const int64_t *shape, baton_stream *s)
{
    viewed_make(viewed, seed, dtype, ndim, shape, s);
    for (uint64_t at = 0; at < viewed->bytes; at += viewed->element_bytes)
        memcpy(viewed->host + at, draw(seed, dtype).bytes, viewed->element_bytes);
    if (viewed->bytes)
        ok(baton_upload(viewed->parent, viewed->host, viewed->bytes, s, &error));
}

/* Leaves out leading dimensions, and makes others 1. */
static void operand_draw(struct operand *operand, uint64_t *seed, int32_t dtype, int32_t ndim, const int64_t *shape, baton_stream *s)
{
    int64_t own[MODEL_DIMS];
    int32_t missing = random_next(seed) % 3 ? 0 : (int32_t)random_between(seed, 0, ndim);
    operand->is_array = random_next(seed) % 5 != 0;
    operand->value = draw(seed, dtype);
    operand->argument = (baton_argument) { .data = &operand->value, .bytes = baton_dtype_size(dtype) };
    if (!operand->is_array)
        return;
    for (int32_t d = missing; d < ndim; d++)
        own[d - missing] = random_next(seed) % 4 ? shape[d] : 1;
    viewed_draw(&operand->viewed, seed, dtype, ndim - missing, own, s);
    operand->argument = (baton_argument)baton_in(operand->viewed.view);
}

static union value operand_at(const struct operand *operand, const struct model *to, int64_t i)
{
    union value value = operand->value;
    const struct model *model = &operand->viewed.model;
    if (!operand->is_array)
        return value;
    int64_t index = model->offset;
    for (int32_t d = to->ndim - 1; d >= 0; d--) {
        int32_t own = d - (to->ndim - model->ndim);
        if (own >= 0 && model->shape[own] > 1)
            index += i % to->shape[d] * model->strides[own];
        i /= to->shape[d];
    }
    memcpy(value.bytes, operand->viewed.host + index * operand->viewed.element_bytes, operand->viewed.element_bytes);
    return value;
}

static void operand_drop(struct operand *operand, baton_stream *s)
{
    if (!operand->is_array)
        return;
    viewed_expect(&operand->viewed, s);
    viewed_free(&operand->viewed);
}

/* The model's bytes become the result; where both are NaN the found bits are taken over. */
static void model_compute(struct viewed *to, int32_t dtype, int32_t function, const struct operand *left, const struct operand *right, baton_stream *s)
{
    uint8_t *found = malloc(to->bytes + 1);
    ck_assert_ptr_nonnull(found);
    if (to->bytes)
        ok(baton_download(found, to->bytes, to->parent, s, &error));
    for (int64_t i = 0; i < model_count(&to->model); i++) {
        union value got = { .i64 = 0 }, a = operand_at(left, &to->model, i), b = operand_at(right, &to->model, i);
        union value wanted = result_of(dtype, function, a, b);
        uint8_t *at = viewed_at(to, i);
        memcpy(got.bytes, found + (at - to->host), to->element_bytes);
        ck_assert_msg(same(dtype, wanted, got), "%s, function %d, element %lld: %llx and %llx gave %llx", baton_dtype_name(dtype), function,
                      (long long)i, (unsigned long long)a.i64, (unsigned long long)b.i64, (unsigned long long)got.i64);
        memcpy(at, got.bytes, to->element_bytes);
    }
    free(found);
}

static void compute_and_compare(uint64_t *seed, int32_t dtype, int32_t function, int64_t least, baton_stream *s)
{
    int64_t shape[MODEL_DIMS];
    int32_t ndim = (int32_t)random_between(seed, 0, MODEL_DIMS);
    struct operand left, right;
    struct viewed to;
    for (int32_t d = 0; d < ndim; d++)
        shape[d] = random_between(seed, least, 5);
    viewed_make(&to, seed, dtype, ndim, shape, s);
    operand_draw(&left, seed, dtype, ndim, shape, s);
    operand_draw(&right, seed, dtype, ndim, shape, s);
    ok(baton_elementwise(function, to.view, &left.argument, &right.argument, s, &error));
    model_compute(&to, dtype, function, &left, &right, s);
    viewed_expect(&to, s);
    viewed_free(&to);
    operand_drop(&left, s);
    operand_drop(&right, s);
}

/* Strided, reversed, permuted, stretched and without elements; no byte beside the destination changes. */
START_TEST(every_function_on_every_type_and_layout_is_what_c_computes)
{
    uint64_t seed = support_seed(7);
    baton_stream *s = make_stream();
    for (int round = 0; round < ROUNDS; round++)
        compute_and_compare(&seed, dtypes[round % 4], 1 + round / 4 % FUNCTIONS, round % 10 != 0, s);
    baton_stream_release(s);
}
END_TEST

/* ---- runs: several elements are handled at once, and what does not fit is not forgotten */

static baton_array *numbers(int32_t dtype, int64_t count, int64_t first, baton_stream *s)
{
    baton_array *array = make_shaped(dtype, 1, &count, s);
    union value start = { .i64 = 0 }, step = { .i64 = 0 };
    switch (dtype) {
    case BATON_F32: start.f32 = (float)first; step.f32 = 1; break;
    case BATON_F64: start.f64 = (double)first; step.f64 = 1; break;
    case BATON_I32: start.i32 = (int32_t)first; step.i32 = 1; break;
    case BATON_I64: start.i64 = first; step.i64 = 1; break;
    }
    ok(baton_range(array, &start, &step, baton_dtype_size(dtype), s, &error));
    return array;
}

static int64_t as_whole(int32_t dtype, const uint8_t *at)
{
    union value value;
    memcpy(value.bytes, at, baton_dtype_size(dtype));
    switch (dtype) {
    case BATON_F32: return (int64_t)value.f32;
    case BATON_F64: return (int64_t)value.f64;
    case BATON_I32: return value.i32;
    default: return value.i64;
    }
}

/* to[i] = left[i] + right[i] from three places in three arrays. */
static void expect_run(int32_t dtype, int64_t count, int64_t to_start, int64_t left_start, int64_t right_start, baton_stream *s)
{
    uint8_t found[64 * 8];
    int64_t whole = count + 2 * GUARD;
    baton_array *to = numbers(dtype, whole, 5000, s), *left = numbers(dtype, whole, 1000, s), *right = numbers(dtype, whole, 100, s);
    baton_array *views[] = { make_view(to, to_start, count), make_view(left, left_start, count), make_view(right, right_start, count) };
    ok(baton_elementwise(BATON_ADD, views[0], &(baton_argument)baton_in(views[1]), &(baton_argument)baton_in(views[2]), s, &error));
    ok(baton_download(found, (uint64_t)whole * baton_dtype_size(dtype), to, s, &error));
    for (int64_t i = 0; i < whole; i++) {
        int64_t at = i - to_start, sum = 1000 + left_start + at + 100 + right_start + at;
        ck_assert_int_eq(as_whole(dtype, found + i * baton_dtype_size(dtype)), at >= 0 && at < count ? sum : 5000 + i);
    }
    arrays_release(to, left, right, views[0], views[1], views[2]);
}

START_TEST(runs_of_every_length_and_alignment_are_computed_to_the_last_element)
{
    baton_stream *s = make_stream();
    for (int64_t count = 0; count <= 13; count++)
        for (int64_t start = 0; start < 5; start++)
            for (size_t t = 0; t < 4; t++) {
                expect_run(dtypes[t], count, start, start, start, s);
                expect_run(dtypes[t], count, start, start + 2, start + 1, s);
            }
    baton_stream_release(s);
}
END_TEST

/* A matrix with a row and a column, whose rows are a multiple of what is handled at once, or not. */
static void expect_table(int32_t dtype, int64_t rows, int64_t columns, baton_stream *s)
{
    uint8_t found[64 * 8];
    baton_array *to = make_shaped(dtype, 2, (int64_t[]) { rows, columns }, s), *row = numbers(dtype, columns, 1, s), *column = numbers(dtype, rows, 1, s), *upright;
    baton_view_options turn = { .struct_size = sizeof turn, .shape = (int64_t[]) { rows, 1 }, .shape_ndim = 2 };
    ok(baton_array_view(column, &turn, &upright, &error));
    ok(baton_elementwise(BATON_MULTIPLY, to, &(baton_argument)baton_in(row), &(baton_argument)baton_in(upright), s, &error));
    ok(baton_download(found, (uint64_t)(rows * columns) * baton_dtype_size(dtype), to, s, &error));
    for (int64_t i = 0; i < rows * columns; i++)
        ck_assert_int_eq(as_whole(dtype, found + i * baton_dtype_size(dtype)), (i / columns + 1) * (i % columns + 1));
    arrays_release(to, row, column, upright);
}

START_TEST(a_row_times_a_column_is_a_table)
{
    baton_stream *s = make_stream();
    for (size_t t = 0; t < 4; t++)
        for (int64_t columns = 1; columns <= 12; columns++)
            expect_table(dtypes[t], 5, columns, s);
    baton_stream_release(s);
}
END_TEST

/* No two of the dimensions can be merged. */
START_TEST(twelve_dimensions_are_walked)
{
    int64_t shape[DIMENSIONS];
    int32_t reversed[DIMENSIONS], found[1 << DIMENSIONS];
    baton_stream *s = make_stream();
    baton_array *flat = numbers(BATON_I32, 1 << DIMENSIONS, 0, s), *deep, *mirrored;
    for (int32_t d = 0; d < DIMENSIONS; d++) {
        shape[d] = 2;
        reversed[d] = DIMENSIONS - 1 - d;
    }
    baton_array *to = make_shaped(BATON_I32, DIMENSIONS, shape, s);
    baton_view_options unfold = { .struct_size = sizeof unfold, .shape = shape, .shape_ndim = DIMENSIONS };
    baton_view_options mirror = { .struct_size = sizeof mirror, .ndim = DIMENSIONS, .permutation = reversed };
    ok(baton_array_view(flat, &unfold, &deep, &error));
    ok(baton_array_view(deep, &mirror, &mirrored, &error));
    ok(baton_elementwise(BATON_SUBTRACT, to, &(baton_argument)baton_in(mirrored), &(baton_argument)baton_in(deep), s, &error));
    ok(baton_download(found, sizeof found, to, s, &error));
    for (int32_t i = 0; i < 1 << DIMENSIONS; i++) {
        int32_t other = 0;
        for (int bit = 0; bit < DIMENSIONS; bit++)
            other |= (i >> bit & 1) << (DIMENSIONS - 1 - bit);
        ck_assert_int_eq(found[i], other - i);
    }
    arrays_release(flat, deep, mirrored, to);
    baton_stream_release(s);
}
END_TEST

/* More elements than the launch has threads, times what each handles at once. */
START_TEST(a_large_array_is_computed_to_the_last_element)
{
    enum { LARGE = 4096 * 256 * 4 + 4099 };
    baton_stream *s = make_stream();
    baton_array *to = make_array(LARGE, s);
    int32_t start = -5, step = 1, three = 3, *found = malloc(LARGE * sizeof *found);
    ck_assert_ptr_nonnull(found);
    ok(baton_range(to, &start, &step, sizeof start, s, &error));
    ok(baton_elementwise(BATON_MULTIPLY, to, &(baton_argument)baton_in(to), &(baton_argument)baton_value(three), s, &error));
    ok(baton_download(found, LARGE * sizeof *found, to, s, &error));
    for (int32_t i = 0; i < LARGE; i++)
        if (found[i] != 3 * (i - 5))
            ck_assert_int_eq(found[i], 3 * (i - 5));
    free(found);
    baton_array_release(to);
    baton_stream_release(s);
}
END_TEST

SUPPORT_MAIN("elementwise", 120, every_function_on_every_type_and_layout_is_what_c_computes,
             runs_of_every_length_and_alignment_are_computed_to_the_last_element, a_row_times_a_column_is_a_table, twelve_dimensions_are_walked,
             a_large_array_is_computed_to_the_last_element)
