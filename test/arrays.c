/* Arrays: what can be created, what is refused before anything happens, and resize. */
#include "model.h"

static const int64_t six[] = { 2, 3 };

static baton_array_options options_of(int32_t dtype, int32_t ndim, const int64_t *shape, baton_stream *stream)
{
    return (baton_array_options) {
        .struct_size = sizeof(baton_array_options), .dtype = dtype, .ndim = ndim, .shape = shape, .stream = stream
    };
}

static int32_t view_of(baton_array *array, int32_t ndim, baton_array **view)
{
    int64_t start[16] = { 0 };
    baton_view_options options = { .struct_size = sizeof options, .ndim = ndim, .start = start };
    return baton_array_view(array, &options, view, &error);
}

START_TEST(every_dtype_makes_an_array_of_its_size)
{
    baton_stream *s = make_stream();
    for (int32_t dtype = BATON_BOOL; dtype <= BATON_C128; dtype++) {
        baton_array *array = make_shaped(dtype, 2, six, s);
        baton_array_info info = info_of(array);
        ck_assert_int_eq(info.dtype, dtype);
        ck_assert_int_eq(info.ndim, 2);
        ck_assert_int_eq(info.shape[0] * 10 + info.shape[1], 23);
        ck_assert_int_eq(info.strides[0] * 10 + info.strides[1], 31);
        ck_assert_uint_eq(info.elements, 6);
        ck_assert_uint_eq(info.bytes, 6u * baton_dtype_size(dtype));
        ck_assert_uint_eq(info.memory_bytes, info.bytes);
        ck_assert_uint_eq(info.offset_bytes, 0);
        ck_assert_int_eq(info.kind, BATON_DEVICE);
        ck_assert_uint_eq(info.flags, BATON_ARRAY_SYNCHRONIZING | BATON_ARRAY_CONTIGUOUS);
        baton_array_release(array);
    }
    baton_stream_release(s);
}
END_TEST

START_TEST(every_kind_of_memory_can_be_filled_and_read)
{
    baton_stream *s = make_stream();
    for (int32_t kind = BATON_DEVICE; kind <= BATON_UNIFIED; kind++) {
        baton_array *array = make_array_of(kind, 100, s);
        ck_assert_int_eq(info_of(array).kind, kind);
        fill(array, kind, s);
        expect(array, kind, s);
        baton_array_release(array);
    }
    baton_stream_release(s);
}
END_TEST

START_TEST(an_array_without_dimensions_has_one_element)
{
    baton_stream *s = make_stream();
    baton_array *array = make_shaped(BATON_I32, 0, NULL, s);
    ck_assert_int_eq(info_of(array).ndim, 0);
    ck_assert_uint_eq(info_of(array).elements, 1);
    ck_assert_uint_eq(info_of(array).bytes, 4);
    fill(array, -7, s);
    expect(array, -7, s);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

/* S1 */
START_TEST(an_array_without_elements_needs_no_driver)
{
    baton_stream *s = make_stream();
    int64_t shape[] = { 3, 0, 2 }, one = 1;
    int32_t value = 1;
    char host;
    baton_array *full = make_array(4, s), *view;
    counting_start();
    baton_array *a = make_shaped(BATON_I32, 3, shape, s), *b = make_shaped(BATON_I32, 3, shape, s);
    ck_assert_uint_eq(info_of(a).elements + info_of(a).bytes + info_of(a).memory_bytes, 0);
    ok(baton_fill(a, &value, sizeof value, s, &error));
    ok(baton_copy(a, b, s, &error));
    ok(baton_upload(a, &host, 0, s, &error));
    ok(baton_download(NULL, 0, a, s, &error));
    ok(baton_array_synchronize(a, BATON_WAIT_AUTO, &error));
    ok(baton_array_query(a, &error));
    ok(view_of(a, 3, &view));
    baton_array_release(view);
    baton_view_options end = {
        .struct_size = sizeof end, .ndim = 1, .start = (int64_t[]) { 4 }, .count = (int64_t[]) { 0 }, .step = &one
    };
    ok(baton_array_view(full, &end, &view, &error));
    fill(view, 1, s);
    uint64_t frees = stats().frees;
    baton_array_release_n((baton_array *[]) { view, a, b }, 3);
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(stats().frees, frees);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    baton_array_release(full);
    baton_stream_release(s);
}
END_TEST

START_TEST(given_strides_are_kept_and_gaps_are_allocated)
{
    baton_stream *s = make_stream();
    int64_t strides[] = { 8, 2 };
    baton_array *array;
    baton_array_options options = options_of(BATON_I32, 2, six, s);
    options.strides = strides;
    ok(baton_array_create(runtime, &options, &array, &error));
    ck_assert_int_eq(info_of(array).strides[0], 8);
    ck_assert_int_eq(info_of(array).strides[1], 2);
    ck_assert_uint_eq(info_of(array).bytes, 24);
    ck_assert_uint_eq(info_of(array).memory_bytes, (8 + 2 * 2 + 1) * 4);
    ck_assert_uint_eq(info_of(array).flags & BATON_ARRAY_CONTIGUOUS, 0);
    fill(array, 9, s);
    expect(array, 9, s);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

/* E1 */
START_TEST(wrong_options_are_refused_before_anything_happens)
{
    static const int64_t huge[] = { INT64_MAX / 2, 4 }, negative[] = { 2, -1 }, many[17] = { 1 };
    static const int64_t same_place[] = { 0, 1 }, crossing[] = { 2, 1 }, backwards[] = { -3, 1 };
    baton_stream *s = make_stream();
    const baton_array_options good = options_of(BATON_I32, 2, six, s);
    baton_array *array = NULL;
    uint64_t live = stats().live_arrays;
    counting_start();
#define REFUSED(status, ...)                                                            \
    do {                                                                                \
        baton_array_options bad = good;                                                 \
        __VA_ARGS__;                                                                    \
        refused(status, baton_array_create(runtime, &bad, &array, &error));             \
    } while (0)
    REFUSED(BATON_ERR_SHAPE, bad.ndim = -1);
    REFUSED(BATON_ERR_SHAPE, bad.ndim = 17; bad.shape = many);
    REFUSED(BATON_ERR_SHAPE, bad.shape = negative);
    REFUSED(BATON_ERR_SHAPE, bad.shape = huge);
    REFUSED(BATON_ERR_ARGUMENT, bad.shape = NULL);
    REFUSED(BATON_ERR_SHAPE, bad.strides = same_place);
    REFUSED(BATON_ERR_SHAPE, bad.strides = crossing);
    REFUSED(BATON_ERR_SHAPE, bad.strides = backwards);
    REFUSED(BATON_ERR_DTYPE, bad.dtype = 0);
    REFUSED(BATON_ERR_DTYPE, bad.dtype = 16);
    REFUSED(BATON_ERR_KIND, bad.kind = 4);
    REFUSED(BATON_ERR_KIND, bad.kind = -1);
    REFUSED(BATON_ERR_DEVICE, bad.device = 16);
    REFUSED(BATON_ERR_DEVICE, bad.device = -1);
    REFUSED(BATON_ERR_ARGUMENT, bad.flags = 4);
    REFUSED(BATON_ERR_ARGUMENT, bad.level = 3);
    REFUSED(BATON_ERR_ARGUMENT, bad.read_only = 1);
    REFUSED(BATON_ERR_VERSION, bad.struct_size = 8);
    REFUSED(BATON_ERR_VERSION, bad.reserved[1] = 1);
    refused(BATON_ERR_ARGUMENT, baton_array_create(runtime, NULL, &array, &error));
    refused(BATON_ERR_ARGUMENT, baton_array_create(runtime, &good, NULL, &error));
    refused(BATON_ERR_ARGUMENT, baton_array_create(NULL, &good, &array, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    ck_assert_ptr_null(array);
    ck_assert_uint_eq(stats().live_arrays, live);
    baton_stream_release(s);
}
END_TEST

/* E1 */
START_TEST(an_owner_on_another_device_is_refused)
{
    baton_stream *s = make_stream(), *other = make_stream_on(1);
    baton_array_options options = options_of(BATON_I32, 2, six, other);
    baton_array *array = NULL;
    counting_start();
    refused(BATON_ERR_DEVICE, baton_array_create(runtime, &options, &array, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    ck_assert_ptr_null(array);
    baton_stream_release(s);
    baton_stream_release(other);
}
END_TEST

START_TEST(an_options_struct_of_an_older_client_is_understood)
{
    baton_stream *s = make_stream();
    baton_array *array;
    baton_array_options options = options_of(BATON_I32, 2, six, s);
    options.struct_size = offsetof(baton_array_options, level);
    options.reserved[0] = 1;                /* past the end that the client knows */
    ok(baton_array_create(runtime, &options, &array, &error));
    ck_assert_uint_eq(info_of(array).elements, 6);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

/* O10 */
START_TEST(resize_keeps_what_fits_and_views_keep_the_old_memory)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(4, s);
    fill(array, 1, s);
    baton_array *view = make_view(array, 0, 4);
    uint64_t old = info_of(array).memory_id;
    ok(baton_array_resize(array, 6, s, &error));
    ck_assert_uint_eq(info_of(array).elements, 6);
    ck_assert_uint_ne(info_of(array).memory_id, old);
    ck_assert_uint_eq(info_of(view).memory_id, old);
    fill(view, 2, s);
    baton_array *kept = make_view(array, 0, 4), *grown = make_view(array, 4, 2);
    expect(kept, 1, s);
    fill(grown, 3, s);
    expect(kept, 1, s);
    ok(baton_array_resize(array, 2, s, &error));
    expect(array, 1, s);
    ok(baton_array_resize(array, 0, s, &error));
    ck_assert_uint_eq(info_of(array).memory_bytes, 0);
    ok(baton_array_resize(array, 3, s, &error));
    fill(array, 5, s);
    expect(array, 5, s);
    expect(view, 2, s);
    baton_array_release_n((baton_array *[]) { array, view, kept, grown }, 4);
    baton_stream_release(s);
}
END_TEST

/* O10, S13 */
START_TEST(resize_follows_the_owner_on_the_device_and_keeps_the_switch)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(1000, a);
    baton_gate *gate = close_gate(a);
    fill(array, 7, a);
    ok(baton_array_resize(array, 1200, b, &error));
    ck_assert_int_eq(baton_stream_query(a, &error), BATON_NOT_READY);
    baton_array *kept = make_view(array, 0, 1000);
    open_gate(gate);
    expect(kept, 7, b);
    baton_array_release(kept);
    ok(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    ok(baton_array_set_synchronizing(array, 0, &error));
    ok(baton_array_resize(array, 2000, b, &error));
    ck_assert_uint_eq(info_of(array).flags & BATON_ARRAY_SYNCHRONIZING, 0);
    baton_array_release(array);
    baton_stream_release(a);
    baton_stream_release(b);
}
END_TEST

/* O10: on failure the array is as before. */
START_TEST(a_resize_that_fails_changes_nothing)
{
    static const struct {
        enum driver_row row;
        int32_t status;
        int code;
    } faults[] = {
        { DRIVER_ROW_alloc_async, BATON_ERR_DRIVER, DRIVER_INVALID_VALUE },
        { DRIVER_ROW_copy, BATON_ERR_DRIVER, DRIVER_INVALID_VALUE },
    };
    baton_stream *s = make_stream();
    baton_array *array = make_array(10, s);
    fill(array, 3, s);
    baton_array_info before = info_of(array);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        instrument_fail(faults[i].row, 1, faults[i].code, 0);
        refused(faults[i].status, baton_array_resize(array, 20, s, &error));
        ck_assert_uint_eq(instrument_failures(), i + 1);
        ck_assert_uint_eq(info_of(array).memory_id, before.memory_id);
        ck_assert_uint_eq(info_of(array).elements, 10);
        expect(array, 3, s);
    }
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

/* O10, E1 */
START_TEST(only_whole_arrays_of_one_dimension_can_be_resized)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(10, s), *flat = make_shaped(BATON_I32, 2, six, s), *view = make_view(array, 0, 10);
    counting_start();
    refused(BATON_ERR_KIND, baton_array_resize(view, 5, s, &error));
    refused(BATON_ERR_KIND, baton_array_resize(flat, 5, s, &error));
    refused(BATON_ERR_SHAPE, baton_array_resize(array, -1, s, &error));
    refused(BATON_ERR_SHAPE, baton_array_resize(array, INT64_MAX / 2, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_array_resize(array, 5, NULL, &error));
    refused(BATON_ERR_ARGUMENT, baton_array_resize(NULL, 5, s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    baton_array_release_n((baton_array *[]) { array, flat, view }, 3);
    baton_stream_release(s);
}
END_TEST

SUPPORT_MAIN("arrays", 60, every_dtype_makes_an_array_of_its_size, every_kind_of_memory_can_be_filled_and_read,
             an_array_without_dimensions_has_one_element, an_array_without_elements_needs_no_driver,
             given_strides_are_kept_and_gaps_are_allocated, wrong_options_are_refused_before_anything_happens, two_devices(an_owner_on_another_device_is_refused),
             an_options_struct_of_an_older_client_is_understood, resize_keeps_what_fits_and_views_keep_the_old_memory,
             resize_follows_the_owner_on_the_device_and_keeps_the_switch, a_resize_that_fails_changes_nothing,
             only_whole_arrays_of_one_dimension_can_be_resized)
