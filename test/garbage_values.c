/* Wild numbers in options and arguments: an error or an array that is what it says, never a crash; and the error record is never written past its size (E1). */
#include "support.h"

static uint64_t state;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Small numbers, numbers at the edges, and anything. */
static int64_t wild(void)
{
    static const int64_t edges[] = { 0, 1, -1, 2, 3, 16, 17, 64, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, INT64_MAX / 4, (int64_t)1 << 32, (int64_t)1 << 62 };
    switch (draw() % 4) {
    case 0: return (int64_t)draw();
    case 1: return edges[draw() % (sizeof edges / sizeof *edges)];
    default: return (int64_t)(draw() % 9) - 1;
    }
}

static void wild_all(int64_t *numbers, int count)
{
    for (int i = 0; i < count; i++)
        numbers[i] = wild();
}

static baton_array_options wild_options(const int64_t *shape, const int64_t *strides)
{
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_F32, .ndim = (int32_t)(draw() % 4), .shape = shape };
    switch (draw() % 8) {
    case 0: options.ndim = (int32_t)wild(); break;
    case 1: options.dtype = (int32_t)wild(); break;
    case 2: options.kind = (int32_t)wild(); break;
    case 3: options.device = (int32_t)wild(); break;
    case 4: options.flags = (uint32_t)wild(); break;
    case 5: options.level = (int32_t)wild(); break;
    case 6: options.strides = strides; break;
    default: break;
    }
    return options;
}

/* The layout's promise: no element lies outside the memory. */
static void check_inside(baton_array *array)
{
    baton_array_info info = info_of(array);
    int64_t low = 0, high = 0;
    for (int32_t i = 0; i < info.ndim; i++) {
        int64_t span = info.shape[i] ? (info.shape[i] - 1) * info.strides[i] : 0;
        low += span < 0 ? span : 0;
        high += span > 0 ? span : 0;
    }
    if (info.elements == 0)
        return;
    int64_t bytes = (int64_t)baton_dtype_size(info.dtype);
    ck_assert_int_ge((int64_t)info.offset_bytes + low * bytes, 0);
    ck_assert_int_le((int64_t)info.offset_bytes + (high + 1) * bytes, (int64_t)info.memory_bytes);
}

/* Limited memory makes sure that a huge size is refused and not tried. */
START_TEST(wild_array_options_give_an_error_or_a_sound_array)
{
    int made = 0;
    state = support_seed(1) | 1;
    for (int32_t device = 0; device < device_count(); device++)
        ok(baton_set_memory_limit(runtime, device, 1 << 20, &error));
    for (int i = 0; i < 20000; i++) {
        int64_t shape[64], strides[64];
        baton_array *array;
        wild_all(shape, 64);
        wild_all(strides, 64);
        baton_array_options options = wild_options(shape, strides);
        error = (baton_error)BATON_ERROR_INIT;
        int32_t status = baton_array_create(runtime, &options, &array, &error);
        if (status) {
            ck_assert_int_eq(error.status, status);
            ck_assert_int_ne(error.message[0], 0);
            continue;
        }
        check_inside(array);
        baton_array_release(array);
        made++;
    }
    ck_assert_int_gt(made, 100);
}
END_TEST

static baton_view_options wild_view(int64_t *numbers, int32_t *permutation, int32_t ndim)
{
    baton_view_options options = { .struct_size = sizeof options, .ndim = draw() % 8 ? ndim : (int32_t)wild() };
    for (int i = 0; i < 16; i++)
        permutation[i] = (int32_t)(draw() % 8 ? draw() % 3 : (uint64_t)wild());
    options.start = draw() % 2 ? numbers : NULL;
    options.count = draw() % 2 ? numbers + 16 : NULL;
    options.step = draw() % 3 ? NULL : numbers + 32;
    options.permutation = draw() % 4 ? NULL : permutation;
    options.shape = draw() % 4 ? NULL : numbers + 48;
    options.shape_ndim = options.shape ? (int32_t)(draw() % 4) : 0;
    options.dtype = draw() % 4 ? 0 : (int32_t)(draw() % 17);
    return options;
}

/* O10: a view never reaches outside its memory, whatever was asked for. */
START_TEST(wild_views_give_an_error_or_a_view_inside_the_memory)
{
    int64_t shape[] = { 6, 4, 8 };
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_I32, .ndim = 3, .shape = shape };
    baton_array *array, *view;
    int made = 0;
    state = support_seed(2) | 1;
    ok(baton_array_create(runtime, &options, &array, &error));
    for (int i = 0; i < 50000; i++) {
        int64_t numbers[64];
        int32_t permutation[16];
        wild_all(numbers, 64);
        baton_view_options asked = wild_view(numbers, permutation, 3);
        if (baton_array_view(array, &asked, &view, NULL))
            continue;
        check_inside(view);
        baton_array_release(view);
        made++;
    }
    ck_assert_int_gt(made, 1000);
    baton_array_release(array);
}
END_TEST

/* E1: sizes that do not match, unknown flags, modes and accesses, gates without limit: each refused before anything is submitted. */
START_TEST(wild_arguments_are_refused_before_anything_is_submitted)
{
    baton_stream *stream = make_stream();
    baton_array *array = make_array(64, stream);
    int32_t host[64];
    uint64_t address;
    void *made;
    ok(baton_stream_synchronize(stream, BATON_WAIT_AUTO, &error));
    counting_start();
    refused(BATON_ERR_BOUNDS, baton_upload(array, host, UINT64_MAX, stream, &error));
    refused(BATON_ERR_BOUNDS, baton_download(host, 255, array, stream, &error));
    refused(BATON_ERR_ARGUMENT, baton_fill(array, host, 3, stream, &error));
    refused(BATON_ERR_ARGUMENT, baton_fill(array, host, UINT64_MAX, stream, &error));
    refused(BATON_ERR_ARGUMENT, baton_array_pointer(array, stream, 4, &address, &error));
    refused(BATON_ERR_ARGUMENT, baton_array_note_use(array, stream, UINT32_MAX, &error));
    refused(BATON_ERR_ARGUMENT, baton_array_set_synchronizing(array, 2, &error));
    refused(BATON_ERR_ARGUMENT, baton_array_synchronize(array, 3, &error));
    refused(BATON_ERR_ARGUMENT, baton_stream_synchronize(stream, -1, &error));
    refused(BATON_ERR_ARGUMENT, baton_gate_create(stream, 0, (baton_gate **)&made, &error));
    refused(BATON_ERR_ARGUMENT, baton_gate_create(stream, UINT64_MAX, (baton_gate **)&made, &error));
    refused(BATON_ERR_ARGUMENT, baton_stream_create(runtime, 0, 1, 0, (baton_stream **)&made, &error));
    refused(BATON_ERR_DEVICE, baton_stream_create(runtime, device_count(), 0, 0, (baton_stream **)&made, &error));
    refused(BATON_ERR_DEVICE, baton_stream_create(runtime, INT32_MIN, 0, 0, (baton_stream **)&made, &error));
    refused(BATON_ERR_ARGUMENT, baton_capture_begin(stream, 3, &error));
    refused(BATON_ERR_ARGUMENT, baton_scope_begin(stream, NULL, NULL, UINT64_MAX, 0, (baton_scope **)&made, &error));
    refused(BATON_ERR_ARGUMENT, baton_trace_start(runtime, UINT32_MAX, &error));
    refused(BATON_ERR_SHAPE, baton_array_resize(array, -1, stream, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    baton_array_release(array);
    baton_stream_release(stream);
}
END_TEST

/* The record is the caller's: nothing is written behind its struct_size, and no record at all is fine. */
START_TEST(the_error_record_is_never_written_past_its_size)
{
    for (uint32_t size = 0; size <= sizeof(baton_error) + 64; size++) {
        union {
            unsigned char bytes[sizeof(baton_error) + 128];
            baton_error record;
        } own;
        memset(own.bytes, 0x5A, sizeof own.bytes);
        own.record.struct_size = size;
        ck_assert_int_eq(baton_array_synchronize(NULL, 0, &own.record), BATON_ERR_ARGUMENT);
        ck_assert_uint_eq(own.record.struct_size, size);
        for (size_t i = size < sizeof(baton_error) ? size : sizeof(baton_error); i < sizeof own.bytes; i++)
            ck_assert_msg(i < sizeof size || own.bytes[i] == 0x5A, "byte %zu written with struct_size %u", i, size);
    }
    ck_assert_int_eq(baton_array_synchronize(NULL, 0, NULL), BATON_ERR_ARGUMENT);
}
END_TEST

/* I5: releases of nothing and of the wrong thing do nothing; retains say so. */
START_TEST(releases_of_garbage_do_nothing)
{
    baton_stream *stream = make_stream();
    baton_array *array = make_array(4, stream);
    void *const wrong[] = { NULL, stream };
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++) {
        baton_array_release(wrong[i]);
        baton_fence_release(wrong[i]);
        baton_kernel_release(wrong[i]);
        baton_module_release(wrong[i]);
        baton_gate_release(wrong[i]);
        baton_graph_release(wrong[i]);
        baton_executable_release(wrong[i]);
        baton_scope_abort(wrong[i]);
        baton_scope_release(wrong[i]);
        ck_assert_int_lt(baton_array_retain(wrong[i]), 0);
        ck_assert_int_lt(baton_fence_retain(wrong[i]), 0);
        ck_assert_int_lt(baton_kernel_retain(wrong[i]), 0);
        ck_assert_int_lt(baton_module_retain(wrong[i]), 0);
        ck_assert_int_lt(baton_graph_retain(wrong[i]), 0);
        ck_assert_int_lt(baton_executable_retain(wrong[i]), 0);
    }
    ck_assert_int_lt(baton_stream_retain((baton_stream *)array), 0);
    baton_stream_release((baton_stream *)array);
    baton_array_release_n(NULL, 7);
    baton_array_release(array);
    baton_stream_release(stream);
}
END_TEST

SUPPORT_MAIN("garbage values", 60, releases_of_garbage_do_nothing, wild_array_options_give_an_error_or_a_sound_array, wild_views_give_an_error_or_a_view_inside_the_memory,
             wild_arguments_are_refused_before_anything_is_submitted, the_error_record_is_never_written_past_its_size)
