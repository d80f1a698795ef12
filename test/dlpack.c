/* DLPack (P5): arrays out and in again, tensors that are refused, and what a live export asks of later work. */
#include "exchange/dlpack.h"

#include "journal.h"
#include "model.h"
#include "outside.h"
#include "waiter.h"

enum { COUNT = 100, ROUNDS = 60 };

static struct dlpack_managed *give_out(baton_array *array, baton_stream *s)
{
    void *managed;
    ok(baton_dlpack_export(array, s, &managed, &error));
    return managed;
}

static baton_array *take_in(struct dlpack_managed *managed, baton_stream *s)
{
    baton_array *array;
    ok(baton_dlpack_import(runtime, managed, s, &array, &error));
    return array;
}

static void drain(void)
{
    ok(baton_drain(runtime, 0, NULL, &error));
}

static void expect_same(baton_array *one, baton_array *other, baton_stream *s)
{
    baton_array_info a = info_of(one), b = info_of(other);
    uint8_t *of_a = malloc(a.bytes + 1), *of_b = malloc(a.bytes + 1);
    ck_assert(of_a && of_b);
    ck_assert_int_eq(a.dtype, b.dtype);
    ck_assert_int_eq(a.ndim, b.ndim);
    if (a.bytes)                                    /* an address tells the kind */
        ck_assert_int_eq(a.kind, b.kind);
    ck_assert_uint_eq(a.bytes, b.bytes);
    for (int32_t d = 0; d < a.ndim; d++) {
        ck_assert_int_eq(a.shape[d], b.shape[d]);
        if (a.elements)
            ck_assert_int_eq(a.strides[d], b.strides[d]);
    }
    ok(baton_download(of_a, a.bytes, one, s, &error));
    ok(baton_download(of_b, a.bytes, other, s, &error));
    ck_assert_mem_eq(of_a, of_b, a.bytes);
    free(of_a);
    free(of_b);
}

/* Every dtype; contiguous, strided, reversed, permuted, 0-d and empty. */
START_TEST(arrays_come_back_as_they_went_out)
{
    uint64_t seed = support_seed(8);
    baton_stream *s = make_stream();
    for (int round = 0; round < ROUNDS; round++) {
        int64_t shape[MODEL_DIMS];
        int32_t ndim = (int32_t)random_between(&seed, 0, MODEL_DIMS), dtype = BATON_BOOL + round % 15;
        struct viewed viewed;
        for (int32_t d = 0; d < ndim; d++)
            shape[d] = random_between(&seed, round % 10 == 0 ? 0 : 1, 4);
        viewed_make(&viewed, &seed, dtype, ndim, shape, s);
        baton_array *back = take_in(give_out(viewed.view, s), s);
        expect_same(viewed.view, back, s);
        ck_assert_uint_eq(info_of(back).flags & BATON_ARRAY_READ_ONLY, 0);
        baton_array_release(back);
        viewed_free(&viewed);
        drain();
    }
    ck_assert_uint_eq(stats().live_bytes + stats().deferred_bytes, 0);
    baton_stream_release(s);
}
END_TEST

START_TEST(every_kind_of_memory_is_exchanged)
{
    baton_stream *s = make_stream();
    for (int32_t kind = BATON_DEVICE; kind <= BATON_UNIFIED; kind++) {
        baton_array *array = make_array_of(kind, COUNT, s);
        fill(array, kind, s);
        baton_array *back = take_in(give_out(array, s), s);
        expect_same(array, back, s);
        arrays_release(array, back);
        drain();
    }
    baton_stream_release(s);
}
END_TEST

/* A tensor made elsewhere, over ordinary host memory. */
struct tensor {
    struct dlpack_managed managed;
    int64_t shape[2], strides[2];
    int32_t values[6];
    int deleted;
};

static void tensor_delete(struct dlpack_managed *managed)
{
    ((struct tensor *)managed)->deleted++;
}

static void tensor_make(struct tensor *tensor)
{
    *tensor = (struct tensor) { .shape = { 2, 3 }, .strides = { 3, 1 }, .values = { 1, 2, 3, 4, 5, 6 } };
    tensor->managed = (struct dlpack_managed) { .major = 1, .deleter = tensor_delete };
    tensor->managed.tensor = (struct dlpack_tensor) { .data = tensor->values,
                                                     .device_type = DLPACK_CPU,
                                                     .ndim = 2,
                                                     .code = 0,
                                                     .bits = 32,
                                                     .lanes = 1,
                                                     .shape = tensor->shape,
                                                     .strides = tensor->strides };
}

/* Section 9: hostile tensors are refused, and stay the caller's. */
START_TEST(impossible_tensors_are_refused_and_stay_the_callers)
{
    baton_stream *s = make_stream();
    baton_array *device = make_array(COUNT, s), *array = NULL;
    uint64_t address;
    struct tensor t;
    ok(baton_array_pointer(device, s, BATON_READ, &address, &error));
#define REFUSED(status, ...)                                                                    \
    do {                                                                                        \
        tensor_make(&t);                                                                        \
        __VA_ARGS__;                                                                            \
        refused(status, baton_dlpack_import(runtime, &t.managed, NULL, &array, &error));        \
        drain();                                                                                \
        ck_assert_int_eq(t.deleted, 0);                                                         \
    } while (0)
    REFUSED(BATON_ERR_VERSION, t.managed.major = 0);
    REFUSED(BATON_ERR_VERSION, t.managed.major = 2);
    REFUSED(BATON_ERR_SHAPE, t.managed.tensor.ndim = -1);
    REFUSED(BATON_ERR_SHAPE, t.managed.tensor.ndim = 17);
    REFUSED(BATON_ERR_SHAPE, t.managed.tensor.ndim = INT32_MAX);
    REFUSED(BATON_ERR_SHAPE, t.managed.tensor.shape = NULL);
    REFUSED(BATON_ERR_SHAPE, t.shape[1] = -1);
    REFUSED(BATON_ERR_SHAPE, t.shape[0] = INT64_MIN);
    REFUSED(BATON_ERR_SHAPE, t.shape[0] = INT64_MAX; t.shape[1] = INT64_MAX);
    REFUSED(BATON_ERR_SHAPE, t.strides[0] = INT64_MAX);
    REFUSED(BATON_ERR_SHAPE, t.strides[0] = INT64_MIN);
    REFUSED(BATON_ERR_SHAPE, t.strides[0] = INT64_MAX / 4; t.strides[1] = INT64_MAX / 4);
    REFUSED(BATON_ERR_BOUNDS, t.strides[0] = -(INT64_MAX / 8); t.managed.tensor.data = (void *)(uintptr_t)64);
    REFUSED(BATON_ERR_DTYPE, t.managed.tensor.lanes = 0);
    REFUSED(BATON_ERR_DTYPE, t.managed.tensor.lanes = 4);
    REFUSED(BATON_ERR_DTYPE, t.managed.tensor.code = 99);
    REFUSED(BATON_ERR_DTYPE, t.managed.tensor.bits = 31);
    REFUSED(BATON_ERR_ARGUMENT, t.managed.tensor.data = NULL);
    REFUSED(BATON_ERR_ARGUMENT, t.managed.tensor.byte_offset = 2);
    REFUSED(BATON_ERR_ARGUMENT, t.managed.tensor.data = (char *)t.values + 1);
    REFUSED(BATON_ERR_BOUNDS, t.managed.tensor.byte_offset = UINT64_MAX - 3);
    REFUSED(BATON_ERR_DEVICE, t.managed.tensor.device_type = 4);
    REFUSED(BATON_ERR_DEVICE, t.managed.tensor.device_type = -1);
    REFUSED(BATON_ERR_DEVICE, t.managed.tensor.device_type = DLPACK_CUDA; t.managed.tensor.device_id = 64);
    REFUSED(BATON_ERR_KIND, t.managed.tensor.device_type = DLPACK_CUDA);
    REFUSED(BATON_ERR_KIND, t.managed.tensor.device_type = DLPACK_CUDA_MANAGED);
    REFUSED(BATON_ERR_KIND, t.managed.tensor.device_type = DLPACK_CUDA_MANAGED;
            t.managed.tensor.data = (void *)(uintptr_t)address);
    refused(BATON_ERR_ARGUMENT, baton_dlpack_import(runtime, NULL, NULL, &array, &error));
    tensor_make(&t);
    refused(BATON_ERR_ARGUMENT, baton_dlpack_import(runtime, &t.managed, NULL, NULL, &error));
    refused(BATON_ERR_HANDLE, baton_dlpack_import(runtime, &t.managed, (baton_stream *)(void *)device, &array, &error));
    refused(BATON_ERR_ARGUMENT, baton_dlpack_import(NULL, &t.managed, NULL, &array, &error));
    drain();
    ck_assert_int_eq(t.deleted, 0);
    ck_assert_ptr_null(array);
    baton_array_release(device);
    baton_stream_release(s);
}
END_TEST

START_TEST(what_the_specification_leaves_out_is_understood)
{
    baton_stream *s = make_stream();
    struct tensor t;
    int32_t found[6];
    tensor_make(&t);
    t.managed.minor = 99;
    t.managed.tensor.strides = NULL;                /* row-major */
    t.managed.tensor.byte_offset = 8;
    t.managed.tensor.shape[0] = 1;
    baton_array *array = take_in(&t.managed, NULL);
    ok(baton_download(found, 3 * sizeof *found, array, s, &error));
    ck_assert_mem_eq(found, t.values + 2, 3 * sizeof *found);
    baton_array_release(array);
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    drain();
    ck_assert_int_eq(t.deleted, 1);
    t.managed.tensor.ndim = 0;
    t.managed.tensor.shape = NULL;
    t.managed.tensor.byte_offset = 0;
    t.managed.deleter = NULL;
    array = take_in(&t.managed, NULL);
    ck_assert_uint_eq(info_of(array).elements, 1);
    baton_array_release(array);
    drain();
    baton_stream_release(s);
}
END_TEST

/* O9: the tensor's deleter runs at a drain, once its last use has finished. */
START_TEST(a_taken_in_tensor_is_given_back_after_its_last_use)
{
    baton_stream *s = make_stream(), *reader = make_stream();
    baton_array *device = make_array(6, s), *copy = make_array(6, reader);
    struct tensor t;
    uint64_t address;
    fill(device, 3, s);
    ok(baton_array_pointer(device, s, BATON_READ, &address, &error));
    tensor_make(&t);
    t.managed.tensor.data = (void *)(uintptr_t)address;
    t.managed.tensor.device_type = outside_driver()->host_kernels ? DLPACK_CPU : DLPACK_CUDA;
    t.managed.tensor.ndim = 1;
    t.shape[0] = 6;
    t.strides[0] = 1;
    baton_array *array = take_in(&t.managed, s);
    baton_gate *gate = close_gate(reader);
    ok(baton_copy(copy, array, reader, &error));
    baton_array_release(array);
    drain();
    ck_assert_int_eq(t.deleted, 0);
    open_gate(gate);
    expect(copy, 3, reader);
    ck_assert_int_eq(t.deleted, 0);
    drain();
    ck_assert_int_eq(t.deleted, 1);
    arrays_release(device, copy);
    streams_release(s, reader);
}
END_TEST

START_TEST(read_only_stays_read_only)
{
    baton_stream *s = make_stream();
    int32_t value = 1;
    struct tensor t;
    tensor_make(&t);
    t.managed.flags = DLPACK_READ_ONLY;
    baton_array *array = take_in(&t.managed, NULL);
    ck_assert_uint_eq(info_of(array).flags & BATON_ARRAY_READ_ONLY, BATON_ARRAY_READ_ONLY);
    refused(BATON_ERR_KIND, baton_fill(array, &value, sizeof value, s, &error));
    struct dlpack_managed *managed = give_out(array, s);
    ck_assert_uint_eq(managed->flags & DLPACK_READ_ONLY, DLPACK_READ_ONLY);
    managed->deleter(managed);
    baton_array_release(array);
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    drain();
    ck_assert_int_eq(t.deleted, 1);
    baton_stream_release(s);
}
END_TEST

/* E1 */
START_TEST(wrong_exports_are_refused)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    void *managed = NULL;
    counting_start();
    refused(BATON_ERR_ARGUMENT, baton_dlpack_export(array, s, NULL, &error));
    refused(BATON_ERR_ARGUMENT, baton_dlpack_export(NULL, s, &managed, &error));
    refused(BATON_ERR_HANDLE, baton_dlpack_export((baton_array *)(void *)s, s, &managed, &error));
    refused(BATON_ERR_HANDLE, baton_dlpack_export(array, (baton_stream *)(void *)array, &managed, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    ck_assert_ptr_null(managed);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

SUPPORT_MAIN("dlpack", 60, arrays_come_back_as_they_went_out, every_kind_of_memory_is_exchanged,
             impossible_tensors_are_refused_and_stay_the_callers, what_the_specification_leaves_out_is_understood,
             a_taken_in_tensor_is_given_back_after_its_last_use, read_only_stays_read_only, wrong_exports_are_refused)
