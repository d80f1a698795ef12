/* The protocol's other ways (P5): copies, legacy tensors, consumers that order themselves, the legacy stream, the CPU. */
#include "exchange_support.h"

enum { COUNT = 100 };

static void end(struct dlpack_managed *managed)
{
    managed->deleter(managed);
}

/* O4: no host wait, and later work on the array has nothing to do with the consumer. */
START_TEST(a_copy_is_made_on_the_consumers_stream_and_is_the_consumers_alone)
{
    baton_stream *a = make_stream(), *b = make_stream(), *consumer = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    counting_start();
    struct dlpack_managed *managed = export_with(array, BATON_DLPACK_COPY, consumer);
    ck_assert_uint_eq(host_waits(), 0);
    expect_busy(consumer);
    ck_assert_uint_eq(managed->flags, DLPACK_IS_COPIED);
    open_gate(gate);
    ok(baton_stream_synchronize(consumer, BATON_WAIT_AUTO, &error));
    gate = close_gate(consumer);
    fill(array, 2, b);
    ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
    expect_busy(consumer);
    open_gate(gate);
    baton_array *copy;
    ok(baton_dlpack_import(runtime, managed, consumer, &copy, &error));
    ck_assert_uint_ne(info_of(copy).memory_id, info_of(array).memory_id);
    expect(copy, 1, consumer);
    expect(array, 2, a);
    arrays_release(array, copy);
    drain();
    streams_release(a, b, consumer);
}
END_TEST

START_TEST(a_copy_of_a_strided_view_is_contiguous_and_of_the_same_kind)
{
    baton_stream *s = make_stream();
    for (int32_t kind = BATON_DEVICE; kind <= BATON_UNIFIED; kind++) {
        int64_t step = 2, count = COUNT / 2;
        baton_array *array = make_array_of(kind, COUNT, s), *view, *back;
        baton_view_options options = { .struct_size = sizeof options, .ndim = 1, .count = &count, .step = &step };
        fill(array, kind, s);
        ok(baton_array_view(array, &options, &view, &error));
        struct dlpack_managed *managed = export_with(view, BATON_DLPACK_COPY, s);
        ck_assert_int_eq(managed->tensor.strides[0], 1);
        ck_assert_int_eq(managed->tensor.shape[0], count);
        ok(baton_dlpack_import(runtime, managed, s, &back, &error));
        ck_assert_int_eq(info_of(back).kind, kind);
        expect(back, kind, s);
        arrays_release(array, view, back);
        drain();
    }
    baton_stream_release(s);
}
END_TEST

START_TEST(a_legacy_tensor_says_the_same_and_is_taken_in_again)
{
    baton_stream *s = make_stream();
    baton_array *array = make_rows(BATON_I32, 10, 10, s), *back;
    fill(array, 3, s);
    struct dlpack_managed *versioned = export_with(array, 0, s);
    struct dlpack_legacy *legacy = export_with(array, BATON_DLPACK_LEGACY, s);
    ck_assert_int_eq(legacy->tensor.device_type, versioned->tensor.device_type);
    ck_assert_int_eq(legacy->tensor.ndim, 2);
    ck_assert_ptr_eq(legacy->tensor.data, versioned->tensor.data);
    ck_assert_mem_eq(legacy->tensor.shape, versioned->tensor.shape, 2 * sizeof(int64_t));
    ck_assert_mem_eq(legacy->tensor.strides, versioned->tensor.strides, 2 * sizeof(int64_t));
    ck_assert_uint_eq(legacy->tensor.bits, 32);
    end(versioned);
    ok(baton_dlpack_import_legacy(runtime, legacy, s, &back, &error));
    expect(back, 3, s);
    arrays_release(array, back);
    drain_all();
    baton_stream_release(s);
}
END_TEST

/* The old structure cannot say it. */
START_TEST(read_only_arrays_are_refused_as_legacy_tensors_but_copies_of_them_are_not)
{
    static int32_t values[COUNT];
    int64_t count = COUNT;
    baton_stream *s = make_stream();
    baton_array *array;
    void *managed = NULL;
    baton_array_options options = { .struct_size = sizeof options, .kind = BATON_HOST, .dtype = BATON_I32, .ndim = 1, .shape = &count, .read_only = 1 };
    ok(baton_array_wrap(runtime, &options, (uint64_t)(uintptr_t)values, NULL, NULL, &array, &error));
    baton_dlpack_options legacy = { .struct_size = sizeof legacy, .flags = BATON_DLPACK_LEGACY, .stream = s };
    refused(BATON_ERR_KIND, baton_dlpack_export_with(array, &legacy, &managed, &error));
    ck_assert_ptr_null(managed);
    end_legacy(export_with(array, BATON_DLPACK_LEGACY | BATON_DLPACK_COPY, s));
    struct dlpack_managed *copy = export_with(array, BATON_DLPACK_COPY, s), *same = export_with(array, 0, s);
    ck_assert_uint_eq(copy->flags, DLPACK_IS_COPIED);
    ck_assert_uint_eq(same->flags, DLPACK_READ_ONLY);
    end(copy);
    end(same);
    drain();
    arrays_release(array);
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    baton_stream_release(s);
}
END_TEST

/* P5, stream -1: the consumer answers for the order in; the library for the order after it. */
START_TEST(a_consumer_that_orders_itself_costs_no_call_and_is_followed_everywhere)
{
    baton_stream *a = make_stream(), *b = make_stream(), *c = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    counting_start();
    struct dlpack_managed *managed = export_with(array, BATON_DLPACK_UNORDERED, NULL);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    open_gate(gate);
    fill_must_wait(array, 2, b, close_gate(c));
    end(managed);
    drain();
    fill_must_wait(array, 3, b, close_gate(c));
    expect(array, 3, a);
    baton_array_release(array);
    streams_release(a, b, c);
}
END_TEST

static void copy_unordered(void *argument)
{
    void **with = argument;
    with[1] = export_with(with[0], BATON_DLPACK_COPY | BATON_DLPACK_UNORDERED, NULL);
}

/* Nobody could wait for it. */
START_TEST(a_copy_for_a_consumer_that_orders_itself_is_complete)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a), *back;
    void *with[] = { array, NULL };
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    must_wait(copy_unordered, with, gate);
    ok(baton_dlpack_import(runtime, with[1], NULL, &back, &error));
    expect(back, 1, b);
    arrays_release(array, back);
    drain();
    streams_release(a, b);
}
END_TEST

/* P5, S10, stream None: the legacy stream follows on the device, and is followed on the device. */
START_TEST(the_legacy_stream_is_a_consumer_without_host_waits)
{
    baton_stream *a = make_stream(), *b = make_stream(), *legacy = adopt(BATON_STREAM_LEGACY);
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    counting_start();
    struct dlpack_managed *managed = export_with(array, 0, legacy);
    ck_assert_uint_eq(host_waits(), 0);
    expect_busy(legacy);
    open_gate(gate);
    ok(baton_stream_synchronize(legacy, BATON_WAIT_AUTO, &error));
    drain();                                        /* the earlier gate: freeing pinned memory waits for the device */
    gate = close_gate(legacy);
    legacy_fill((uint64_t)(uintptr_t)managed->tensor.data, 2, COUNT);
    counting_start();
    baton_array *first = make_view(array, 0, 1), *rest = make_view(array, 1, COUNT - 1);
    fill(first, 3, b);
    ck_assert_uint_eq(host_waits(), 0);
    expect_busy(b);
    end(managed);
    drain();
    ck_assert_uint_eq(host_waits(), 0);
    open_gate(gate);
    expect(rest, 2, b);
    expect(first, 3, b);
    arrays_release(array, first, rest);
    streams_release(a, b, legacy);
}
END_TEST

/* P5: what a consumer holds several times is one place. */
START_TEST(many_exports_to_one_stream_are_followed_on_the_device)
{
    enum { MANY = 20 };
    baton_stream *b = make_stream(), *consumer = make_stream();
    baton_array *array = make_array(COUNT, b);
    struct dlpack_managed *managed[MANY];
    for (int i = 0; i < MANY; i++)
        managed[i] = export_with(array, 0, consumer);
    for (int i = 0; i < MANY; i++) {
        baton_gate *gate = close_gate(consumer);
        counting_start();
        fill(array, i, b);
        ck_assert_uint_eq(host_waits(), 0);
        expect_busy(b);
        open_gate(gate);
        ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
        end(managed[i]);
        drain();
    }
    fill(array, 1, b);                              /* follows what there was at the end, and no more */
    ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
    baton_gate *gate = close_gate(consumer);
    fill(array, 2, b);
    expect(array, 2, b);
    expect_busy(consumer);
    open_gate(gate);
    baton_array_release(array);
    streams_release(b, consumer);
}
END_TEST

static void export_to_the_cpu(void *argument)
{
    void **with = argument;
    with[1] = export_with(with[0], BATON_DLPACK_HOST, NULL);
}

/* dl_device (1, 0): complete when it returns, and a copy only where the CPU cannot reach the memory. */
START_TEST(the_cpu_gets_a_complete_copy_of_device_memory_and_other_memory_as_it_is)
{
    baton_stream *a = make_stream();
    as_a_gpu();
    for (int32_t kind = BATON_DEVICE; kind <= BATON_UNIFIED; kind++) {
        baton_array *array = make_array_of(kind, COUNT, a);
        void *with[] = { array, NULL };
        drain();
        baton_gate *gate = close_gate(a);
        fill(array, kind, a);
        must_wait(export_to_the_cpu, with, gate);
        struct dlpack_managed *managed = with[1], *same = export_with(array, 0, a);
        ck_assert_int_eq(managed->tensor.device_type, DLPACK_CPU);
        ck_assert_int_eq(managed->tensor.device_id, 0);
        for (int i = 0; i < COUNT; i++)
            ck_assert_int_eq(((int32_t *)managed->tensor.data)[i], kind);
        ck_assert_int_eq(managed->tensor.data == same->tensor.data, kind != BATON_DEVICE);
        ck_assert_uint_eq(managed->flags, kind == BATON_DEVICE ? DLPACK_IS_COPIED : 0);
        end(managed);
        end(same);
        baton_array_release(array);
        drain();
    }
    outside_restore();
    baton_stream_release(a);
}
END_TEST

START_TEST(device_types_and_ids_are_the_protocols)
{
    static const int32_t gpu[] = { DLPACK_CUDA, DLPACK_CUDA_HOST, DLPACK_CUDA_MANAGED };
    int32_t device = device_count() - 1, type, id;
    baton_stream *s = make_stream_on(device);
    baton_array *arrays[3];
    for (int32_t kind = BATON_DEVICE; kind <= BATON_UNIFIED; kind++) {
        arrays[kind - 1] = make_array_of(kind, COUNT, s);
        ok(baton_dlpack_device(arrays[kind - 1], &type, &id, &error));
        ck_assert_int_eq(type, outside_driver()->host_kernels ? DLPACK_CPU : gpu[kind - 1]);
    }
    as_a_gpu();
    for (int32_t kind = BATON_DEVICE; kind <= BATON_UNIFIED; kind++) {
        struct dlpack_managed *managed = export_with(arrays[kind - 1], 0, s);
        baton_array *back;
        ok(baton_dlpack_device(arrays[kind - 1], &type, &id, &error));
        ck_assert_int_eq(type, gpu[kind - 1]);
        ck_assert_int_eq(id, kind == BATON_DEVICE ? device : 0);
        ck_assert_int_eq(managed->tensor.device_type, type);
        ck_assert_int_eq(managed->tensor.device_id, id);
        ok(baton_dlpack_import(runtime, managed, s, &back, &error));
        ck_assert_int_eq(info_of(back).kind, kind);
        ck_assert_int_eq(info_of(back).device, device);          /* as the driver says, where the protocol says 0 */
        arrays_release(arrays[kind - 1], back);
    }
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    drain();
    outside_restore();
    baton_stream_release(s);
}
END_TEST

/* C3, C4: a capture has no place in time that a consumer could be ordered at. */
START_TEST(exports_to_a_captured_stream_are_refused_and_leave_the_capture_alone)
{
    baton_stream *a = make_stream(), *captured = make_stream(), *elsewhere = make_stream();
    baton_array *array = make_array(COUNT, a);
    driver_stream native = native_of(elsewhere);
    void *managed = NULL;
    baton_graph *graph;
    baton_dlpack_options copy = { .struct_size = sizeof copy, .flags = BATON_DLPACK_COPY, .stream = captured };
    ok(baton_capture_begin(captured, BATON_CAPTURE_RELAXED, &error));
    refused(BATON_ERR_CAPTURE, baton_dlpack_export(array, captured, &managed, &error));
    refused(BATON_ERR_CAPTURE, baton_dlpack_export_with(array, &copy, &managed, &error));
    end(export_with(array, BATON_DLPACK_UNORDERED, NULL));
    ok(baton_capture_end(captured, &graph, &error));
    baton_graph_release(graph);
    outside_capture_begin(native);
    copy.stream = elsewhere;
    refused(BATON_ERR_CAPTURE, baton_dlpack_export_with(array, &copy, &managed, &error));
    outside_graph_destroy(outside_capture_end(native));
    ck_assert_ptr_null(managed);
    drain();
    fill(array, 1, a);
    expect(array, 1, a);
    baton_array_release(array);
    drain();
    streams_release(a, captured, elsewhere);
}
END_TEST

/* E1 */
START_TEST(impossible_ways_are_refused)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    void *managed = NULL;
#define REFUSED(status, ...)                                                                        \
    do {                                                                                            \
        baton_dlpack_options options = { .struct_size = sizeof options, __VA_ARGS__ };              \
        refused(status, baton_dlpack_export_with(array, &options, &managed, &error));               \
        ck_assert_ptr_null(managed);                                                                \
    } while (0)
    counting_start();
    REFUSED(BATON_ERR_ARGUMENT, .flags = 16);
    REFUSED(BATON_ERR_ARGUMENT, .flags = UINT32_MAX);
    REFUSED(BATON_ERR_ARGUMENT, .flags = BATON_DLPACK_UNORDERED, .stream = s);
    REFUSED(BATON_ERR_ARGUMENT, .flags = BATON_DLPACK_HOST, .stream = s);
    REFUSED(BATON_ERR_VERSION, .reserved = { 1 });
    REFUSED(BATON_ERR_VERSION, .reserved = { 0, 1 });
    REFUSED(BATON_ERR_HANDLE, .stream = (baton_stream *)(void *)array);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

SUPPORT_MAIN("dlpack ways", 60, a_copy_is_made_on_the_consumers_stream_and_is_the_consumers_alone,
             a_copy_of_a_strided_view_is_contiguous_and_of_the_same_kind, a_legacy_tensor_says_the_same_and_is_taken_in_again,
             read_only_arrays_are_refused_as_legacy_tensors_but_copies_of_them_are_not,
             a_consumer_that_orders_itself_costs_no_call_and_is_followed_everywhere,
             a_copy_for_a_consumer_that_orders_itself_is_complete, the_legacy_stream_is_a_consumer_without_host_waits,
             many_exports_to_one_stream_are_followed_on_the_device,
             the_cpu_gets_a_complete_copy_of_device_memory_and_other_memory_as_it_is, device_types_and_ids_are_the_protocols,
             exports_to_a_captured_stream_are_refused_and_leave_the_capture_alone, impossible_ways_are_refused)
