/* Copies between arrays (O4): every layout against a plain host model, and what is refused before any submission. */
#include "array/array.h"
#include "model.h"

enum { ROUNDS = 200, OVERLAPS = 3000 };

static const int32_t by_size[] = { BATON_U8, BATON_I16, BATON_F32, BATON_F64, BATON_C128 };

static void shape_draw(uint64_t *seed, int32_t *ndim, int64_t *shape, int64_t least)
{
    *ndim = (int32_t)random_between(seed, 0, MODEL_DIMS);
    for (int32_t d = 0; d < *ndim; d++)
        shape[d] = random_between(seed, least, 5);
}

static void copy_model(struct viewed *to, const struct viewed *from)
{
    for (int64_t i = 0; i < model_count(&to->model); i++)
        memcpy(viewed_at(to, i), viewed_at(from, i), to->element_bytes);
}

static void copy_and_compare(uint64_t *seed, int32_t dtype, int64_t least, baton_stream *s_to, baton_stream *s_from,
                             baton_stream *s)
{
    int64_t shape[MODEL_DIMS];
    int32_t ndim;
    struct viewed to, from;
    shape_draw(seed, &ndim, shape, least);
    viewed_make(&to, seed, dtype, ndim, shape, s_to);
    viewed_make(&from, seed, dtype, ndim, shape, s_from);
    ok(baton_copy(to.view, from.view, s, &error));
    copy_model(&to, &from);
    viewed_expect(&to, s_to);
    viewed_expect(&from, s_from);
    viewed_free(&to);
    viewed_free(&from);
}

/* O4: strided, reversed and permuted on both sides, without elements too; no byte beside the destination changes. */
START_TEST(every_layout_is_copied_as_the_model_says)
{
    uint64_t seed = support_seed(4);
    baton_stream *a = make_stream(), *b = make_stream();
    for (int round = 0; round < ROUNDS; round++)
        copy_and_compare(&seed, by_size[round % 5], round % 10 != 0, a, b, round % 2 ? a : b);
    baton_stream_release(a);
    baton_stream_release(b);
}
END_TEST

/* O3, O4: the driver's own copy for one run of bytes, one kernel for everything else. */
START_TEST(a_copy_is_one_call)
{
    baton_stream *s = make_stream();
    baton_array *a = make_array(12, s), *b = make_array(12, s), *c = make_shaped(BATON_I32, 2, (int64_t[]) { 3, 4 }, s),
                *turned, *rows;
    baton_view_options turn = { .struct_size = sizeof turn, .ndim = 2, .permutation = (int32_t[]) { 1, 0 } };
    baton_view_options square = { .struct_size = sizeof square, .shape = (int64_t[]) { 4, 3 }, .shape_ndim = 2 };
    ok(baton_array_view(c, &turn, &turned, &error));
    ok(baton_array_view(a, &square, &rows, &error));
    fill(b, 3, s);
    ok(baton_copy(rows, turned, s, &error));
    counting_start();
    ok(baton_copy(a, b, s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_copy), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 1);
    counting_start();
    ok(baton_copy(turned, rows, s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_launch), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 1);
    expect(c, 3, s);
    baton_array_release_n((baton_array *[]) { a, b, c, turned, rows }, 5);
    baton_stream_release(s);
}
END_TEST

static void keep(void *user, uint64_t address)
{
    (void)user;
    (void)address;
}

/* A second array over the same bytes, with strides of its own. */
static baton_array *wrap_strided(baton_array *array, int32_t ndim, const int64_t *shape, const int64_t *strides,
                                 baton_stream *s)
{
    uint64_t address;
    baton_array *wrapped;
    ok(baton_array_pointer(array, s, BATON_READ_WRITE, &address, &error));
    baton_array_options options = { .struct_size = sizeof options,
                                    .kind = BATON_DEVICE,
                                    .dtype = BATON_I32,
                                    .ndim = ndim,
                                    .shape = shape,
                                    .strides = strides,
                                    .stream = s };
    ok(baton_array_wrap(runtime, &options, address, keep, NULL, &wrapped, &error));
    return wrapped;
}

/* O4: a source may repeat its elements, a destination may not. */
START_TEST(a_broadcast_source_is_repeated)
{
    baton_stream *s = make_stream();
    baton_array *three = make_array(3, s), *to = make_shaped(BATON_I32, 2, (int64_t[]) { 2, 3 }, s);
    int32_t values[] = { 7, 8, 9 }, found[6];
    ok(baton_upload(three, values, sizeof values, s, &error));
    baton_array *wide = wrap_strided(three, 2, (int64_t[]) { 2, 3 }, (int64_t[]) { 0, 1 }, s);
    ok(baton_copy(to, wide, s, &error));
    ok(baton_download(found, sizeof found, to, s, &error));
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(found[i], values[i % 3]);
    counting_start();
    refused(BATON_ERR_OVERLAP, baton_copy(wide, to, s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    baton_array_release(wide);
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    ok(baton_drain(runtime, 0, NULL, &error));
    baton_array_release(three);
    baton_array_release(to);
    baton_stream_release(s);
}
END_TEST

static baton_array *block(baton_array *array, const int64_t *start, const int64_t *count, const int64_t *step)
{
    baton_array *view;
    baton_view_options options = {
        .struct_size = sizeof options, .ndim = info_of(array).ndim, .start = start, .count = count, .step = step
    };
    ok(baton_array_view(array, &options, &view, &error));
    return view;
}

/* O4, E1: columns, interleaved elements and blocks of one parent do not overlap; what shares one element does. */
START_TEST(overlap_is_exact_for_parts_of_one_parent)
{
    static const struct { int64_t start[2][2], count[2], step[2]; int overlap; } cases[] = {
        { { { 0, 0 }, { 0, 3 } }, { 4, 3 }, { 1, 1 }, 0 },      /* left and right columns */
        { { { 0, 0 }, { 0, 2 } }, { 4, 3 }, { 1, 1 }, 1 },      /* one column in common */
        { { { 0, 0 }, { 0, 1 } }, { 4, 3 }, { 1, 2 }, 0 },      /* even and odd columns */
        { { { 0, 0 }, { 1, 0 } }, { 2, 6 }, { 2, 1 }, 0 },      /* even and odd rows */
        { { { 0, 0 }, { 2, 0 } }, { 2, 6 }, { 1, 1 }, 0 },      /* upper and lower rows */
        { { { 0, 0 }, { 1, 0 } }, { 3, 6 }, { 1, 1 }, 1 },      /* shifted by one row */
        { { { 0, 0 }, { 2, 3 } }, { 2, 3 }, { 1, 1 }, 0 },      /* opposite corners */
        { { { 0, 0 }, { 1, 2 } }, { 2, 3 }, { 1, 1 }, 1 },      /* one element in common */
        { { { 1, 1 }, { 1, 1 } }, { 2, 2 }, { 1, 1 }, 1 },      /* the same */
    };
    baton_stream *s = make_stream();
    baton_array *parent = make_shaped(BATON_I32, 2, (int64_t[]) { 4, 6 }, s);
    fill(parent, 1, s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        baton_array *to = block(parent, cases[i].start[0], cases[i].count, cases[i].step);
        baton_array *from = block(parent, cases[i].start[1], cases[i].count, cases[i].step);
        counting_start();
        if (cases[i].overlap)
            refused(BATON_ERR_OVERLAP, baton_copy(to, from, s, &error));
        else
            ok(baton_copy(to, from, s, &error));
        ck_assert(cases[i].overlap == (calls(DRIVER_ROW_COUNT) == 0));
        baton_array_release(to);
        baton_array_release(from);
    }
    baton_array_release(parent);
    baton_stream_release(s);
}
END_TEST

/* Marks the view's elements of a small parent. */
static void mark_elements(baton_array *view, uint8_t *marks)
{
    baton_array_info info = info_of(view);
    struct model model = { .ndim = info.ndim, .offset = (int64_t)(info.offset_bytes / 4) };
    for (int32_t d = 0; d < info.ndim; d++) {
        model.shape[d] = info.shape[d];
        model.strides[d] = info.strides[d];
    }
    for (int64_t i = 0; i < model_count(&model); i++)
        marks[model_index(&model, i)] = 1;
}

static int share_an_element(baton_array *a, baton_array *b, uint64_t elements)
{
    uint8_t of_a[256] = { 0 }, of_b[256] = { 0 };
    mark_elements(a, of_a);
    mark_elements(b, of_b);
    for (uint64_t i = 0; i < elements; i++)
        if (of_a[i] & of_b[i])
            return 1;
    return 0;
}

/* With the counts, or with drawn ones where they are 0. */
static baton_array *random_block(uint64_t *seed, baton_array *parent, const int64_t *step, int64_t *count)
{
    baton_array_info info = info_of(parent);
    int64_t start[3];
    for (int32_t d = 0; d < info.ndim; d++) {
        if (!count[d])
            count[d] = random_between(seed, 1, (info.shape[d] - 1) / llabs(step[d]) + 1);
        int64_t low = random_between(seed, 0, info.shape[d] - 1 - (count[d] - 1) * llabs(step[d]));
        start[d] = step[d] > 0 ? low : low + (count[d] - 1) * -step[d];
    }
    return block(parent, start, count, step);
}

/* O4: exact for blocks of one shape and equal steps; for others it may be careful, but never misses. */
START_TEST(overlap_agrees_with_brute_force)
{
    uint64_t seed = support_seed(6);
    baton_stream *s = make_stream();
    baton_array *parent = make_shaped(BATON_I32, 3, (int64_t[]) { 4, 5, 6 }, s);
    int seen[2] = { 0, 0 };
    for (int round = 0; round < OVERLAPS; round++) {
        int64_t step[3], other[3], count[3] = { 0 }, own[3] = { 0 };
        int alike = round % 3 != 0;
        for (int d = 0; d < 3; d++) {
            step[d] = random_between(&seed, 1, 2);
            other[d] = alike ? step[d] : random_between(&seed, 1, 3) * (random_next(&seed) & 1 ? 1 : -1);
        }
        baton_array *a = random_block(&seed, parent, step, count),
                    *b = random_block(&seed, parent, other, alike ? count : own);
        int truth = share_an_element(a, b, 4 * 5 * 6), found = array_overlaps(a, b);
        ck_assert_msg(alike ? found == truth : found >= truth, "round %d: %d instead of %d", round, found, truth);
        seen[truth] += alike;
        baton_array_release(a);
        baton_array_release(b);
    }
    ck_assert_int_gt(seen[0], OVERLAPS / 20);
    ck_assert_int_gt(seen[1], OVERLAPS / 20);
    baton_array_release(parent);
    baton_stream_release(s);
}
END_TEST

/* E1: the driver is not called. */
START_TEST(a_wrong_copy_is_refused)
{
    baton_stream *s = make_stream();
    baton_array *a = make_array(6, s), *shorter = make_array(5, s),
                *flat = make_shaped(BATON_I32, 2, (int64_t[]) { 6, 1 }, s);
    baton_array *floats = make_shaped(BATON_F32, 1, (int64_t[]) { 6 }, s), *dead = make_array(6, s);
    ok(baton_array_dispose(dead, &error));
    counting_start();
    refused(BATON_ERR_DTYPE, baton_copy(a, floats, s, &error));
    refused(BATON_ERR_SHAPE, baton_copy(a, shorter, s, &error));
    refused(BATON_ERR_SHAPE, baton_copy(a, flat, s, &error));
    refused(BATON_ERR_OVERLAP, baton_copy(a, a, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_copy(NULL, a, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_copy(a, NULL, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_copy(a, floats, NULL, &error));
    refused(BATON_ERR_HANDLE, baton_copy(a, (baton_array *)(void *)s, s, &error));
    refused(BATON_ERR_HANDLE, baton_copy(a, dead, s, &error));
    refused(BATON_ERR_HANDLE, baton_copy(dead, a, s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    baton_array_release_n((baton_array *[]) { a, shorter, flat, floats, dead }, 5);
    baton_stream_release(s);
}
END_TEST

SUPPORT_MAIN("copy", 60, every_layout_is_copied_as_the_model_says, a_copy_is_one_call, a_broadcast_source_is_repeated, overlap_is_exact_for_parts_of_one_parent,
             overlap_agrees_with_brute_force, a_wrong_copy_is_refused)
