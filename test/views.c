/* Views: slices, permutations, other shapes and element types over the same memory. */
#include "model.h"

enum { ROUNDS = 150 };

static const int32_t dtypes[] = { BATON_U8, BATON_I16, BATON_F32, BATON_F64, BATON_C128 };

/* 0, 1, 2 … as i32. */
static baton_array *make_counting(int32_t ndim, const int64_t *shape, baton_stream *s)
{
    int32_t values[64];
    for (int32_t i = 0; i < 64; i++)
        values[i] = i;
    baton_array *array = make_shaped(BATON_I32, ndim, shape, s);
    ok(baton_upload(array, values, info_of(array).bytes, s, &error));
    return array;
}

static void expect_values(baton_array *view, const int32_t *values, uint64_t count, baton_stream *s)
{
    int32_t found[64];
    ck_assert_uint_eq(info_of(view).elements, count);
    ok(baton_download(found, count * sizeof *found, view, s, &error));
    for (uint64_t i = 0; i < count; i++)
        ck_assert_int_eq(found[i], values[i]);
}

#define VALUES(...) (const int32_t[]) { __VA_ARGS__ }
#define EXPECT(view, s, ...) expect_values(view, VALUES(__VA_ARGS__), sizeof(VALUES(__VA_ARGS__)) / sizeof(int32_t), s)

static baton_array *view_by(baton_array *array, baton_view_options options)
{
    baton_array *view;
    options.struct_size = sizeof options;
    ok(baton_array_view(array, &options, &view, &error));
    return view;
}

/* O10 */
START_TEST(a_slice_walks_backwards)
{
    baton_stream *s = make_stream();
    baton_array *array = make_counting(1, (int64_t[]) { 10 }, s);
    baton_array *view = view_by(array, (baton_view_options) {
        .ndim = 1, .start = (int64_t[]) { 8 }, .count = (int64_t[]) { 3 }, .step = (int64_t[]) { -3 } });
    ck_assert_int_eq(info_of(view).strides[0], -3);
    ck_assert_uint_eq(info_of(view).offset_bytes, 8 * sizeof(int32_t));
    ck_assert_uint_eq(info_of(view).flags, BATON_ARRAY_SYNCHRONIZING | BATON_ARRAY_VIEW);
    EXPECT(view, s, 8, 5, 2);
    baton_array *again = view_by(view, (baton_view_options) {
        .ndim = 1, .start = (int64_t[]) { 2 }, .count = (int64_t[]) { 3 }, .step = (int64_t[]) { -1 } });
    EXPECT(again, s, 2, 5, 8);
    baton_array_release_n((baton_array *[]) { array, view, again }, 3);
    baton_stream_release(s);
}
END_TEST

/* O10: NULL means everything from the start, with step 1. */
START_TEST(what_a_view_leaves_out_is_taken_whole)
{
    baton_stream *s = make_stream();
    baton_array *array = make_counting(2, (int64_t[]) { 2, 3 }, s);
    baton_array *rest = view_by(array, (baton_view_options) { .ndim = 2, .start = (int64_t[]) { 1, 1 } });
    baton_array *whole = view_by(array, (baton_view_options) { .ndim = 2 });
    EXPECT(rest, s, 4, 5);
    EXPECT(whole, s, 0, 1, 2, 3, 4, 5);
    baton_array_release_n((baton_array *[]) { array, rest, whole }, 3);
    baton_stream_release(s);
}
END_TEST

/* O10 */
START_TEST(a_view_permutes_and_takes_another_shape)
{
    baton_stream *s = make_stream();
    baton_array *array = make_counting(2, (int64_t[]) { 2, 3 }, s);
    baton_array *turned = view_by(array, (baton_view_options) { .ndim = 2, .permutation = (int32_t[]) { 1, 0 } });
    baton_array *flat = view_by(array, (baton_view_options) { .shape = (int64_t[]) { -1 }, .shape_ndim = 1 });
    baton_array *tall = view_by(array, (baton_view_options) { .shape = (int64_t[]) { 3, -1, 1 }, .shape_ndim = 3 });
    ck_assert_int_eq(info_of(turned).shape[0] * 10 + info_of(turned).shape[1], 32);
    EXPECT(turned, s, 0, 3, 1, 4, 2, 5);
    EXPECT(flat, s, 0, 1, 2, 3, 4, 5);
    ck_assert_int_eq(info_of(tall).shape[1], 2);
    EXPECT(tall, s, 0, 1, 2, 3, 4, 5);
    baton_array_release_n((baton_array *[]) { array, turned, flat, tall }, 4);
    baton_stream_release(s);
}
END_TEST

/* O10 */
START_TEST(a_view_reads_its_bytes_as_another_type)
{
    baton_stream *s = make_stream();
    baton_array *array = make_counting(2, (int64_t[]) { 2, 4 }, s);
    uint64_t pairs[4];
    baton_array *wide = view_by(array, (baton_view_options) { .dtype = BATON_U64 });
    baton_array *narrow = view_by(wide, (baton_view_options) { .dtype = BATON_I32 });
    baton_array *bytes = view_by(array, (baton_view_options) { .dtype = BATON_U8 });
    ck_assert_int_eq(info_of(wide).shape[1], 2);
    ok(baton_download(pairs, sizeof pairs, wide, s, &error));
    for (uint64_t i = 0; i < 4; i++)
        ck_assert_uint_eq(pairs[i], (2 * i + 1) << 32 | 2 * i);
    EXPECT(narrow, s, 0, 1, 2, 3, 4, 5, 6, 7);
    ck_assert_int_eq(info_of(bytes).shape[1], 16);
    ck_assert_int_eq(info_of(bytes).dtype, BATON_U8);
    baton_array_release_n((baton_array *[]) { array, wide, narrow, bytes }, 4);
    baton_stream_release(s);
}
END_TEST

/* O10: against a host model, with layouts of every kind. */
START_TEST(a_random_view_holds_what_the_model_says)
{
    uint64_t seed = support_seed(1);
    baton_stream *s = make_stream();
    uint8_t found[4 * 4 * 4 * 4 * 16];
    for (int round = 0; round < ROUNDS; round++) {
        int64_t shape[MODEL_DIMS];
        int32_t ndim = (int32_t)random_between(&seed, 0, MODEL_DIMS);
        struct viewed viewed;
        for (int32_t d = 0; d < ndim; d++)
            shape[d] = random_between(&seed, round % 10 == 0 ? 0 : 1, 4);
        viewed_make(&viewed, &seed, dtypes[round % 5], ndim, shape, s);
        ok(baton_download(found, info_of(viewed.view).bytes, viewed.view, s, &error));
        for (int64_t i = 0; i < model_count(&viewed.model); i++)
            ck_assert_mem_eq(found + i * viewed.element_bytes, viewed_at(&viewed, i), viewed.element_bytes);
        viewed_free(&viewed);
    }
    baton_stream_release(s);
}
END_TEST

/* O10, S13: memory, owner and switch belong to the memory. */
START_TEST(views_share_memory_owner_and_switch)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(10, a), *view = make_view(array, 5, 5);
    ck_assert_uint_eq(info_of(array).memory_id, info_of(view).memory_id);
    fill(array, 1, a);
    fill(view, 2, b);
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(b));
    expect(view, 2, a);
    ok(baton_array_set_synchronizing(view, 0, &error));
    ck_assert_uint_eq(info_of(array).flags & BATON_ARRAY_SYNCHRONIZING, 0);
    baton_array *later = make_view(array, 0, 5);
    ck_assert_uint_eq(info_of(later).flags & BATON_ARRAY_SYNCHRONIZING, 0);
    ok(baton_array_set_synchronizing(array, 1, &error));
    expect(later, 1, a);
    baton_array_release_n((baton_array *[]) { array, view, later }, 3);
    baton_stream_release(a);
    baton_stream_release(b);
}
END_TEST

/* O9: the memory goes back after the last of its arrays. */
/* S1: nothing lies nowhere, however far the slice reaches. */
START_TEST(a_view_of_nothing_stays_where_the_array_is)
{
    const int64_t shape[] = { (int64_t)1 << 61, 0 }, start[] = { (int64_t)1 << 60, 0 };
    baton_stream *s = make_stream();
    baton_array *array, *view;
    double value = 1;
    ok(baton_array_create(runtime, &(baton_array_options) { .struct_size = sizeof(baton_array_options), .dtype = BATON_F64, .ndim = 2, .shape = shape }, &array, &error));
    ok(baton_array_view(array, &(baton_view_options) { .struct_size = sizeof(baton_view_options), .ndim = 2, .start = start }, &view, &error));
    ck_assert_uint_eq(info_of(view).offset_bytes, 0);
    ck_assert_uint_eq(info_of(view).elements, 0);
    ok(baton_fill(view, &value, sizeof value, s, &error));
    baton_array_release(view);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

START_TEST(a_view_keeps_its_memory)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(10, s), *view = make_view(array, 2, 3), *inner = make_view(view, 1, 1);
    fill(array, 4, s);
    counting_start();
    baton_array_release(array);
    baton_array_release(view);
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_free_async), 0);
    expect(inner, 4, s);
    baton_array_release(inner);
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_free_async), 1);
    baton_stream_release(s);
}
END_TEST

/* E1 */
START_TEST(impossible_views_are_refused)
{
    baton_stream *s = make_stream();
    baton_array *array = make_counting(2, (int64_t[]) { 3, 5 }, s), *view = NULL;
    baton_array *turned = view_by(array, (baton_view_options) { .ndim = 2, .permutation = (int32_t[]) { 1, 0 } });
    uint64_t live = stats().live_arrays;
#define REFUSED(status, array_, ...)                                                                \
    do {                                                                                            \
        baton_view_options bad = { .struct_size = sizeof bad, __VA_ARGS__ };                        \
        refused(status, baton_array_view(array_, &bad, &view, &error));                             \
    } while (0)
    REFUSED(BATON_ERR_BOUNDS, array, .ndim = 2, .start = (int64_t[]) { 4, 0 });
    REFUSED(BATON_ERR_BOUNDS, array, .ndim = 2, .start = (int64_t[]) { -1, 0 });
    REFUSED(BATON_ERR_BOUNDS, array, .ndim = 2, .count = (int64_t[]) { 3, 6 });
    REFUSED(BATON_ERR_BOUNDS, array, .ndim = 2, .start = (int64_t[]) { 1, 0 }, .count = (int64_t[]) { 3, 1 },
            .step = (int64_t[]) { -1, 1 });
    REFUSED(BATON_ERR_BOUNDS, array, .ndim = 2, .count = (int64_t[]) { 2, 2 }, .step = (int64_t[]) { INT64_MAX, 1 });
    REFUSED(BATON_ERR_ARGUMENT, array, .ndim = 2, .step = (int64_t[]) { 0, 1 });
    REFUSED(BATON_ERR_SHAPE, array, .ndim = 1, .start = (int64_t[]) { 0 });
    REFUSED(BATON_ERR_SHAPE, array, .ndim = 3, .permutation = (int32_t[]) { 0, 1, 2 });
    REFUSED(BATON_ERR_ARGUMENT, array, .ndim = 2, .permutation = (int32_t[]) { 1, 1 });
    REFUSED(BATON_ERR_ARGUMENT, array, .ndim = 2, .permutation = (int32_t[]) { 0, 2 });
    REFUSED(BATON_ERR_SHAPE, array, .shape = (int64_t[]) { 4, 4 }, .shape_ndim = 2);
    REFUSED(BATON_ERR_SHAPE, array, .shape = (int64_t[]) { -1, -1 }, .shape_ndim = 2);
    REFUSED(BATON_ERR_SHAPE, array, .shape = (int64_t[]) { 15 }, .shape_ndim = 17);
    REFUSED(BATON_ERR_SHAPE, turned, .shape = (int64_t[]) { 15 }, .shape_ndim = 1);
    REFUSED(BATON_ERR_SHAPE, array, .dtype = BATON_I64);
    REFUSED(BATON_ERR_SHAPE, turned, .dtype = BATON_U8);
    REFUSED(BATON_ERR_DTYPE, array, .dtype = 16);
    REFUSED(BATON_ERR_VERSION, array, .reserved32 = 1);
    baton_view_options small = { .struct_size = 8 };
    refused(BATON_ERR_VERSION, baton_array_view(array, &small, &view, &error));
    refused(BATON_ERR_ARGUMENT, baton_array_view(NULL, NULL, &view, &error));
    refused(BATON_ERR_ARGUMENT, baton_array_view(array, NULL, &view, &error));
    ck_assert_ptr_null(view);
    ck_assert_uint_eq(stats().live_arrays, live);
    baton_array_release(array);
    baton_array_release(turned);
    baton_stream_release(s);
}
END_TEST

SUPPORT_WITHOUT_CACHE

SUPPORT_MAIN("views", 60, a_slice_walks_backwards, what_a_view_leaves_out_is_taken_whole,
             a_view_permutes_and_takes_another_shape, a_view_reads_its_bytes_as_another_type,
             a_random_view_holds_what_the_model_says, views_share_memory_owner_and_switch, a_view_of_nothing_stays_where_the_array_is, a_view_keeps_its_memory,
             impossible_views_are_refused)
