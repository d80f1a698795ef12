/* The CUDA array interface: what it says, which stream it names, and what later work follows (P4, P5). */
#include "exchange_support.h"

enum { COUNT = 100 };

static baton_interface_info read_interface(baton_array *array)
{
    baton_interface_info info = { .struct_size = sizeof info };
    ok(baton_interface_export(array, &info, &error));
    return info;
}

static baton_array *take_in(const baton_interface_info *info)
{
    baton_array *array;
    ok(baton_interface_import(runtime, info, NULL, NULL, &array, &error));
    return array;
}

static const struct { int32_t dtype; const char *name; } types[] = {
    { BATON_BOOL, "|b1" }, { BATON_I8, "|i1" }, { BATON_I16, "<i2" }, { BATON_I32, "<i4" }, { BATON_I64, "<i8" }, { BATON_U8, "|u1" }, { BATON_U16, "<u2" },
    { BATON_U32, "<u4" }, { BATON_U64, "<u8" }, { BATON_F16, "<f2" }, { BATON_F32, "<f4" }, { BATON_F64, "<f8" }, { BATON_C64, "<c8" }, { BATON_C128, "<c16" },
};

START_TEST(every_type_has_its_name_and_comes_back)
{
    baton_stream *s = make_stream();
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        baton_array *array = make_rows(types[i].dtype, 6, 5, s);
        baton_interface_info info = read_interface(array);
        int32_t bytes = (int32_t)baton_dtype_size(types[i].dtype);
        ck_assert_str_eq(info.typestr, types[i].name);
        ck_assert_int_eq(info.ndim, 2);
        ck_assert_int_eq(info.contiguous, 1);
        ck_assert_int_eq(info.read_only, 0);
        ck_assert_int_eq(info.shape[0], 6);
        ck_assert_int_eq(info.strides[0], 5 * bytes);
        ck_assert_int_eq(info.strides[1], bytes);
        baton_array *back = take_in(&info);
        ck_assert_int_eq(info_of(back).dtype, types[i].dtype);
        ck_assert_int_eq(info_of(back).kind, BATON_DEVICE);
        arrays_release(array, back);
        drain();
    }
    baton_array *unknown = make_rows(BATON_BF16, 6, 0, s);
    baton_interface_info info = { .struct_size = sizeof info };
    refused(BATON_ERR_DTYPE, baton_interface_export(unknown, &info, &error));
    baton_array_release(unknown);
    baton_stream_release(s);
}
END_TEST

/* Strides are bytes; the address is that of the first element, wherever it lies. */
START_TEST(reversed_views_come_back_as_they_are)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s), *view, *back;
    int64_t step = -3, start = COUNT - 1, count = 20;
    int32_t values[COUNT], found[20];
    for (int i = 0; i < COUNT; i++)
        values[i] = i;
    ok(baton_upload(array, values, sizeof values, s, &error));
    ok(baton_array_view(array, &(baton_view_options) { .struct_size = sizeof(baton_view_options), .ndim = 1, .start = &start, .count = &count, .step = &step }, &view,
                        &error));
    baton_interface_info info = read_interface(view);
    ck_assert_int_eq(info.contiguous, 0);
    ck_assert_int_eq(info.strides[0], -12);
    back = take_in(&info);
    ok(baton_download(found, sizeof found, back, s, &error));
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(found[i], COUNT - 1 - 3 * i);
    arrays_release(array, view, back);
    drain();
    baton_stream_release(s);
}
END_TEST

/* Along a dimension of one element the stride may be any number, and one that is too large in bytes harms nobody. */
START_TEST(strides_that_lead_nowhere_may_be_any_number)
{
    baton_stream *s = make_stream();
    const int64_t shape[] = { 1, 4 }, strides[] = { INT64_MAX, 1 };
    baton_array *array, *back;
    int32_t found[4], value = 7;
    ok(baton_array_create(runtime, &(baton_array_options) { .struct_size = sizeof(baton_array_options), .dtype = BATON_I32, .ndim = 2, .shape = shape,
                                                            .strides = strides, .stream = s }, &array, &error));
    baton_interface_info info = read_interface(array);
    ck_assert_int_eq(info.strides[1], 4);
    info.contiguous = 0;
    back = take_in(&info);
    ok(baton_fill(array, &value, sizeof value, s, &error));
    ok(baton_download(found, sizeof found, back, s, &error));
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(found[i], value);
    arrays_release(array, back);
    drain();
    baton_stream_release(s);
}
END_TEST

START_TEST(an_empty_array_has_no_address_but_names_a_stream)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(0, s);
    baton_interface_info info = read_interface(array);
    ck_assert_uint_eq(info.address, 0);
    ck_assert_uint_ne(info.stream, 0);
    baton_array *back = take_in(&info);
    ck_assert_uint_eq(info_of(back).elements, 0);
    arrays_release(array, back);
    drain();
    baton_stream_release(s);
}
END_TEST

/* P5: readers on other streams are followed by the named stream, on the device, so that a consumer who waits for that one stream has waited for all. */
START_TEST(the_named_stream_covers_writers_and_readers_without_a_host_wait)
{
    baton_stream *a = make_stream(), *readers[2] = { make_stream(), make_stream() };
    baton_array *array = make_array(COUNT, a), *copies[2] = { make_array(COUNT, readers[0]), make_array(COUNT, readers[1]) };
    baton_gate *gates[2];
    uint64_t native = (uint64_t)(uintptr_t)native_of(a);
    fill(array, 1, a);
    for (int i = 0; i < 2; i++) {
        ok(baton_copy(copies[i], array, readers[i], &error));
        ok(baton_stream_synchronize(readers[i], BATON_WAIT_AUTO, &error));
        drain();
    }
    for (int i = 0; i < 2; i++)
        gates[i] = close_gate(readers[i]);
    for (int i = 0; i < 2; i++)
        ok(baton_copy(copies[i], array, readers[i], &error));
    counting_start();
    baton_interface_info info = read_interface(array);
    ck_assert_uint_eq(info.stream, native);
    ck_assert_uint_eq(host_waits(), 0);
    ck_assert_uint_eq(journal_find(DRIVER_ROW_stream_wait_event, (void *)(uintptr_t)native, 0, NULL), 2);
    outside_fill(info.address, 7, COUNT, (driver_stream)(uintptr_t)native);
    expect_busy(a);
    ok(baton_gate_open(gates[0], &error));
    expect_busy(a);
    for (int i = 0; i < 2; i++)
        open_gate(gates[i]);
    expect(array, 7, a);
    expect(copies[0], 1, readers[0]);
    expect(copies[1], 1, readers[1]);
    arrays_release(array, copies[0], copies[1]);
    drain();
    streams_release(a, readers[0], readers[1]);
}
END_TEST

/* P5: what the consumer submits to the named stream is followed each time, also after the library's own work there, as long as the handle is kept. */
START_TEST(later_work_follows_what_the_consumer_submits_to_the_named_stream)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a), *other = make_array(COUNT, a);
    baton_interface_info info = read_interface(array);
    driver_stream native = (driver_stream)(uintptr_t)info.stream;
    for (int32_t i = 1; i <= 3; i++) {
        fill(array, -1, a);                             /* would end an escape (P4) */
        fill(other, i, a);
        fill(other, i, b);                              /* stamps the stream */
        ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
        drain();
        baton_gate *gate = close_gate(a);
        outside_fill(info.address, i, COUNT, native);
        counting_start();
        baton_array *copy = make_array(COUNT, b);
        ok(baton_copy(copy, array, b, &error));
        expect_busy(b);
        open_gate(gate);
        expect(copy, i, b);
        baton_array_release(copy);
    }
    baton_array *view = make_view(array, 0, COUNT);
    baton_array_release(array);                         /* the handle that the consumer keeps: it is done */
    drain();
    fill(view, 1, b);
    ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
    drain();
    baton_gate *gate = close_gate(a);
    fill(view, 2, b);
    expect(view, 2, b);
    expect_busy(a);
    open_gate(gate);
    arrays_release(view, other);
    streams_release(a, b);
}
END_TEST

/* What was said to an earlier consumer stays true. */
START_TEST(every_reading_names_the_same_stream)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    fill(array, 1, a);
    baton_interface_info first = read_interface(array);
    baton_gate *gate = close_gate(b);
    fill(array, 2, b);
    counting_start();
    baton_interface_info second = read_interface(array);
    ck_assert_uint_eq(host_waits(), 0);
    ck_assert_uint_eq(second.stream, first.stream);
    ck_assert_uint_eq(second.address, first.address);
    expect_busy(a);                                     /* it follows b now */
    open_gate(gate);
    ok(baton_stream_synchronize(a, BATON_WAIT_AUTO, &error));
    counting_start();
    for (int i = 0; i < 10; i++)
        read_interface(array);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event) + calls(DRIVER_ROW_event_record) + host_waits(), 0);
    baton_array_release(array);
    drain();
    streams_release(a, b);
}
END_TEST

static void *read_many(void *argument)
{
    baton_interface_info *last = argument;
    baton_array *array = (baton_array *)(uintptr_t)last->address;
    for (int i = 0; i < 50; i++) {
        *last = (baton_interface_info) { .struct_size = sizeof *last };
        if (baton_interface_export(array, last, NULL))
            return argument;
    }
    return NULL;
}

START_TEST(threads_that_read_at_once_are_told_the_same)
{
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_interface_info infos[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        infos[i].address = (uint64_t)(uintptr_t)array;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, read_many, &infos[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *failed;
        ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
        ck_assert_ptr_null(failed);
        ck_assert_uint_eq(infos[i].stream, infos[0].stream);
    }
    baton_array_release(array);
    drain_all();
    baton_stream_release(a);
}
END_TEST

/* The named stream outlives the handle, though its maker let go of it; and a resized array is another memory. */
START_TEST(stream_and_memory_live_as_long_as_the_handle)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    fill(array, 1, a);
    baton_interface_info first = read_interface(array);
    ok(baton_array_resize(array, 2 * COUNT, b, &error));
    ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));       /* it read the old memory */
    baton_stream_release(a);
    drain();
    baton_interface_info second = read_interface(array);
    ck_assert_uint_ne(first.address, second.address);
    ck_assert_int_eq(second.shape[0], 2 * COUNT);
    outside_fill(first.address, 3, COUNT, (driver_stream)(uintptr_t)first.stream);
    ok(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    refused(BATON_ERR_BUSY, baton_array_dispose(array, &error));
    baton_array_release(array);
    drain_all();
    baton_stream_release(b);
}
END_TEST

/* S10, C2: another thread's stream cannot be named, nor one that is being captured. */
START_TEST(a_stream_that_cannot_be_waited_for_is_not_named)
{
    baton_stream *per_thread = adopt(BATON_STREAM_PER_THREAD), *a = make_stream(), *legacy = adopt(0);
    baton_array *array = make_array(COUNT, a), *second = make_array(COUNT, a), *third = make_array(COUNT, a);
    baton_graph *graph;
    fill(array, 1, per_thread);
    ck_assert_uint_gt(read_interface(array).stream, 2);
    fill(second, 2, a);
    ok(baton_capture_begin(a, BATON_CAPTURE_RELAXED, &error));
    baton_interface_info info = read_interface(second);
    ok(baton_capture_end(a, &graph, &error));
    ck_assert_uint_ne(info.stream, (uint64_t)(uintptr_t)native_of(a));
    fill(third, 3, legacy);
    ck_assert_uint_eq(read_interface(third).stream, BATON_STREAM_LEGACY);
    baton_graph_release(graph);
    arrays_release(array, second, third);
    ok(baton_stream_synchronize(legacy, BATON_WAIT_AUTO, &error));
    drain();
    streams_release(per_thread, a, legacy);
}
END_TEST

/* C3, C4: the capture's work has no place that a consumer could be ordered at; the capture goes on. */
START_TEST(the_named_stream_is_not_named_while_it_is_captured)
{
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_graph *graph;
    uint64_t named = read_interface(array).stream;
    baton_interface_info info = { .struct_size = sizeof info };
    ok(baton_capture_begin(a, BATON_CAPTURE_RELAXED, &error));
    refused(BATON_ERR_CAPTURE, baton_interface_export(array, &info, &error));
    ck_assert_uint_eq(info.stream, 0);
    ok(baton_capture_end(a, &graph, &error));
    ck_assert_uint_eq(read_interface(array).stream, named);
    baton_graph_release(graph);
    baton_array_release(array);
    drain();
    baton_stream_release(a);
}
END_TEST

/* P4: the other way round: the library's work follows the stream that the producer names. */
START_TEST(an_import_follows_the_producers_stream_on_the_device)
{
    driver_stream native = outside_stream(0);
    baton_stream *producer = outside_wrap(native, 0), *s = make_stream();
    baton_array *memory = make_array(COUNT, s), *copy = make_array(COUNT, s);
    baton_interface_info info = { .struct_size = sizeof info, .typestr = "<i4", .ndim = 1, .shape = { COUNT }, .contiguous = 1,
                                  .stream = (uint64_t)(uintptr_t)native };
    ok(baton_array_pointer(memory, s, BATON_READ_WRITE, &info.address, &error));
    baton_gate *gate = close_gate(producer);
    outside_fill(info.address, 5, COUNT, native);
    counting_start();
    baton_array *array = take_in(&info);
    ok(baton_copy(copy, array, s, &error));
    ck_assert_uint_eq(host_waits(), 0);
    expect_busy(s);
    open_gate(gate);
    expect(copy, 5, s);
    arrays_release(array, memory, copy);
    streams_release(producer, s);
    drain();
    drain();
    outside_stream_destroy(native, 0);
}
END_TEST

SUPPORT_MAIN("interface", 60, every_type_has_its_name_and_comes_back, reversed_views_come_back_as_they_are, strides_that_lead_nowhere_may_be_any_number, an_empty_array_has_no_address_but_names_a_stream,
             the_named_stream_covers_writers_and_readers_without_a_host_wait, later_work_follows_what_the_consumer_submits_to_the_named_stream,
             every_reading_names_the_same_stream, threads_that_read_at_once_are_told_the_same, stream_and_memory_live_as_long_as_the_handle,
             a_stream_that_cannot_be_waited_for_is_not_named, the_named_stream_is_not_named_while_it_is_captured, an_import_follows_the_producers_stream_on_the_device)
