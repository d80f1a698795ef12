/* Elementwise work on large arrays, against copies and fills by the driver that move as many bytes: at a ratio of 1 the memory is the limit. The host waits
 * once per batch, in the same way for both. */
#include "bench.h"

enum { BATCH = 20, ROWS = 4096 };

static int64_t columns;                         /* of ROWS rows; few on the software device, which is no measure */
static driver_address raw_from, raw_to;         /* one and a half times the elements of an array */
static baton_array *to, *left, *right, *row, *column, *whole, *wide, *shifted_to, *shifted_left;

static size_t raw_bytes(void)
{
    return (size_t)(ROWS * columns) * sizeof(float) / 2 * 3;
}

/* A copy of `part` thirds of the raw memory. */
static void raw_copy(size_t part)
{
    need_raw(world.driver->copy(raw_to, raw_from, raw_bytes() / 3 * part, raw_stream(0)));
}

static void raw_copy_2(void)
{
    raw_copy(2);
}

static void raw_copy_3(void)
{
    raw_copy(3);
}

static void raw_fill(void)
{
    need_raw(world.driver->fill32(raw_to, 0, (size_t)(ROWS * columns), raw_stream(0)));
}

static void add(baton_array *sum, baton_array *a, const baton_argument *b)
{
    need(baton_elementwise(BATON_ADD, sum, &(baton_argument)baton_in(a), b, world.streams[0], &bench_error));
}

static void our_add(void)
{
    add(to, left, &(baton_argument)baton_in(right));
}

static void our_add_value(void)
{
    float value = 2;
    add(to, left, &(baton_argument)baton_value(value));
}

static void our_add_row(void)
{
    add(to, left, &(baton_argument)baton_in(row));
}

static void our_add_column(void)
{
    add(to, left, &(baton_argument)baton_in(column));
}

static void our_add_shifted(void)
{
    float value = 2;
    add(shifted_to, shifted_left, &(baton_argument)baton_value(value));
}

static void our_cast(void)
{
    need(baton_cast(whole, left, world.streams[0], &bench_error));
}

static void our_cast_wide(void)
{
    need(baton_cast(wide, left, world.streams[0], &bench_error));
}

static void our_range(void)
{
    float start = 0, step = 1;
    need(baton_range(to, &start, &step, sizeof step, world.streams[0], &bench_error));
}

#define REPEAT(body)                                    \
    static uint64_t body##_n(uint64_t n)                \
    {                                                   \
        uint64_t start = bench_now();                   \
        for (uint64_t i = 0; i < n; i++)                \
            body();                                     \
        raw_synchronize(0);                             \
        return bench_now() - start;                     \
    }
REPEAT(raw_copy_2)
REPEAT(raw_copy_3)
REPEAT(raw_fill)
REPEAT(our_add)
REPEAT(our_add_value)
REPEAT(our_add_row)
REPEAT(our_add_column)
REPEAT(our_add_shifted)
REPEAT(our_cast)
REPEAT(our_cast_wide)
REPEAT(our_range)

static baton_array *make(int32_t dtype, int64_t height, int64_t width)
{
    baton_array *array;
    uint64_t zero = 0;
    baton_array_options options = { .struct_size = sizeof options, .dtype = dtype, .ndim = 2, .shape = (int64_t[]) { height, width },
                                    .stream = world.streams[0] };
    need(baton_array_create(world.runtime, &options, &array, &bench_error));
    need(baton_fill(array, &zero, baton_dtype_size(dtype), world.streams[0], &bench_error));
    return array;
}

/* All elements but one, as a run that begins with element `first`. */
static baton_array *make_shifted(baton_array *array, int64_t first)
{
    baton_array *flat, *view;
    const int64_t count = ROWS * columns - 1;
    baton_view_options options = { .struct_size = sizeof options, .shape = (int64_t[]) { -1 }, .shape_ndim = 1 };
    need(baton_array_view(array, &options, &flat, &bench_error));
    options = (baton_view_options) { .struct_size = sizeof options, .ndim = 1, .start = &first, .count = &count };
    need(baton_array_view(flat, &options, &view, &bench_error));
    baton_array_release(flat);
    return view;
}

static void arrays_make(void)
{
    columns = world.soft ? 4 : 8192;
    need_raw(world.driver->alloc_async(&raw_from, raw_bytes(), world.device->pool, raw_stream(0)));
    need_raw(world.driver->alloc_async(&raw_to, raw_bytes(), world.device->pool, raw_stream(0)));
    to = make(BATON_F32, ROWS, columns);
    left = make(BATON_F32, ROWS, columns);
    right = make(BATON_F32, ROWS, columns);
    row = make(BATON_F32, 1, columns);
    column = make(BATON_F32, ROWS, 1);
    whole = make(BATON_I32, ROWS, columns);
    wide = make(BATON_F64, ROWS, columns);
    shifted_to = make_shifted(to, 0);
    shifted_left = make_shifted(left, 1);
    our_add();                                  /* loads the kernels */
    our_cast();
    our_range();
    raw_copy_3();
    world_idle();
}

static void arrays_free(void)
{
    baton_array *all[] = { to, left, right, row, column, whole, wide, shifted_to, shifted_left };
    baton_array_release_n(all, sizeof all / sizeof *all);
    need_raw(world.driver->free_async(raw_from, raw_stream(0)));
    need_raw(world.driver->free_async(raw_to, raw_stream(0)));
    world_idle();
}

void times_elementwise(void)
{
    static const struct bench_case cases[] = {
        { "elementwise/arrays", "f32 + f32, against a copy of as many bytes", "1.1", raw_copy_3_n, our_add_n, BATCH },
        { "elementwise/value", "f32 + one value", "1.1", raw_copy_2_n, our_add_value_n, BATCH },
        { "elementwise/row", "f32 + a row", "1.1", raw_copy_2_n, our_add_row_n, BATCH },
        { "elementwise/column", "f32 + a column", "1.1", raw_copy_2_n, our_add_column_n, BATCH },
        { "elementwise/shifted", "f32 + one value, from elements that are aligned otherwise", "", raw_copy_2_n, our_add_shifted_n, BATCH },
        { "cast/i32", "f32 to i32", "1.1", raw_copy_2_n, our_cast_n, BATCH },
        { "cast/f64", "f32 to f64", "1.1", raw_copy_3_n, our_cast_wide_n, BATCH },
        { "range", "f32, against a fill", "1.1", raw_fill_n, our_range_n, BATCH },
    };
    int wanted = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        wanted += bench_wanted(cases[i].id);
    if (!wanted)
        return;
    arrays_make();
    MEASURE_ALL(cases);
    arrays_free();
}
