/* How what was exchanged ends: deleters on any thread, at any time, once; tensors that are wrong stay the caller's. */
#include <sched.h>
#include <stdatomic.h>

#include "census.h"
#include "exchange_support.h"

enum { COUNT = 100, THREADS = 4, EACH = 25 };

static void end(struct dlpack_managed *managed)
{
    managed->deleter(managed);
}

static baton_runtime *reopen(void)
{
    baton_runtime *made;
    baton_runtime_options options = { .struct_size = sizeof options, .driver = getenv("BATON_DRIVER") ? getenv("BATON_DRIVER") : "soft:2" };
    ok(baton_runtime_open(&options, &made, &error));
    return made;
}

/* Where any stream may have used the memory, a drain records on all of them, and a later one finds that done. */
static void drain_for(baton_runtime *other)
{
    int left = 100000;
    do {
        ok(baton_drain(other, 0, NULL, &error));
        sched_yield();
    } while (census_read().allocations && left--);
}

/* O9: the consumer is in no hurry. Everything is there until it ends, and goes at the next drain of anybody's. */
START_TEST(exports_outlive_array_stream_and_runtime)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    struct arrow_device_array arrow;
    baton_interface_info info = { .struct_size = sizeof info };
    fill(array, 7, s);
    struct dlpack_managed *managed = export_with(array, 0, s), *copy = export_with(array, BATON_DLPACK_COPY, s), *unordered = export_with(array, BATON_DLPACK_UNORDERED, NULL);
    struct dlpack_legacy *legacy = export_with(array, BATON_DLPACK_LEGACY, s);
    ok(baton_arrow_export(array, &arrow, NULL, &error));
    ok(baton_interface_export(array, &info, &error));
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    baton_array_release(array);
    baton_stream_release(s);
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
    if (copy->tensor.device_type == DLPACK_CPU)
        for (int i = 0; i < COUNT; i++) {
            ck_assert_int_eq(((int32_t *)managed->tensor.data)[i], 7);
            ck_assert_int_eq(((int32_t *)copy->tensor.data)[i], 7);
        }
    counting_start();
    end_elsewhere(managed);
    end_elsewhere(copy);
    end_elsewhere(unordered);
    on_thread(end_legacy, legacy);
    release_elsewhere(&arrow.array);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    baton_runtime *other = reopen();
    drain_for(other);
    ok(baton_runtime_close(other, &error));         /* the teardown counts what is left */
}
END_TEST

struct ender {
    struct dlpack_managed *managed[EACH];
    pthread_barrier_t *start;
};

static void *end_all(void *argument)
{
    struct ender *ender = argument;
    pthread_barrier_wait(ender->start);
    for (int i = 0; i < EACH; i++)
        end(ender->managed[i]);
    return NULL;
}

/* O9, P5: while the library works on the same memory. */
START_TEST(deleters_run_on_many_threads_at_once)
{
    baton_stream *streams[THREADS], *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    struct ender enders[THREADS];
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        streams[i] = make_stream();
    for (int i = 0; i < THREADS; i++) {
        enders[i].start = &start;
        for (int k = 0; k < EACH; k++)
            enders[i].managed[k] = export_with(array, 0, streams[(i + k) % THREADS]);
        ck_assert_int_eq(pthread_create(&threads[i], NULL, end_all, &enders[i]), 0);
    }
    pthread_barrier_wait(&start);
    for (int i = 0; i < EACH; i++) {
        fill(array, i, s);
        drain();
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    drain();
    expect(array, EACH - 1, s);
    counting_start();
    fill(array, 1, s);                              /* no consumer is left to be followed */
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 0);
    ok(baton_array_dispose(array, &error));
    baton_array_release(array);
    pthread_barrier_destroy(&start);
    baton_stream_release(s);
    streams_release_all(streams, THREADS);
}
END_TEST

/* A tensor made elsewhere, in either form, over ordinary host memory. */
struct tensor {
    union {
        struct dlpack_managed versioned;
        struct dlpack_legacy legacy;
    } managed;
    int64_t shape[2], strides[2];
    int32_t values[6];
    _Atomic int deleted;
};

static void versioned_delete(struct dlpack_managed *managed)
{
    ((struct tensor *)managed)->deleted++;
}

static void legacy_delete(struct dlpack_legacy *managed)
{
    ((struct tensor *)managed)->deleted++;
}

static struct dlpack_tensor describe(struct tensor *t)
{
    return (struct dlpack_tensor) { .data = t->values, .device_type = DLPACK_CPU, .ndim = 2, .bits = 32, .lanes = 1, .shape = t->shape, .strides = t->strides };
}

static void make_legacy(struct tensor *t)
{
    *t = (struct tensor) { .shape = { 2, 3 }, .strides = { 3, 1 }, .values = { 1, 2, 3, 4, 5, 6 } };
    t->managed.legacy = (struct dlpack_legacy) { .tensor = describe(t), .deleter = legacy_delete };
}

static void make_versioned(struct tensor *t)
{
    *t = (struct tensor) { .shape = { 2, 3 }, .strides = { 3, 1 }, .values = { 1, 2, 3, 4, 5, 6 } };
    t->managed.versioned = (struct dlpack_managed) { .major = 1, .minor = 0, .tensor = describe(t), .deleter = versioned_delete };
}

START_TEST(impossible_legacy_tensors_are_refused_and_stay_the_callers)
{
    baton_array *array = NULL;
    struct tensor t;
    struct dlpack_tensor *in = &t.managed.legacy.tensor;
#define REFUSED(status, ...)                                                                            \
    do {                                                                                                \
        make_legacy(&t);                                                                                \
        __VA_ARGS__;                                                                                    \
        struct tensor before = t;                                                                       \
        refused(status, baton_dlpack_import_legacy(runtime, &t.managed, NULL, &array, &error));         \
        drain();                                                                                        \
        ck_assert_mem_eq(&before, &t, sizeof t);                                                        \
        ck_assert_ptr_null(array);                                                                      \
    } while (0)
    REFUSED(BATON_ERR_SHAPE, in->ndim = -1);
    REFUSED(BATON_ERR_SHAPE, in->ndim = 17);
    REFUSED(BATON_ERR_SHAPE, in->ndim = INT32_MIN);
    REFUSED(BATON_ERR_SHAPE, in->shape = NULL);
    REFUSED(BATON_ERR_SHAPE, t.shape[1] = -1);
    REFUSED(BATON_ERR_SHAPE, t.shape[0] = INT64_MAX; t.shape[1] = 2);
    REFUSED(BATON_ERR_SHAPE, t.strides[0] = INT64_MIN);
    REFUSED(BATON_ERR_SHAPE, t.shape[1] = 2; t.strides[0] = INT64_MAX / 4 - 4; t.strides[1] = -(INT64_MAX / 4 - 4));  /* each way, but not both */
    REFUSED(BATON_ERR_DTYPE, in->lanes = 2);
    REFUSED(BATON_ERR_DTYPE, in->code = 3);                                 /* opaque handles */
    REFUSED(BATON_ERR_DTYPE, in->code = 17; in->bits = 4);                  /* packed floats */
    REFUSED(BATON_ERR_DTYPE, in->code = 6; in->bits = 1);                   /* bits */
    REFUSED(BATON_ERR_DTYPE, in->bits = 4);
    REFUSED(BATON_ERR_DTYPE, in->bits = 0);
    REFUSED(BATON_ERR_ARGUMENT, in->data = NULL);
    REFUSED(BATON_ERR_ARGUMENT, in->byte_offset = 1);
    REFUSED(BATON_ERR_BOUNDS, in->byte_offset = UINT64_MAX - 3);
    REFUSED(BATON_ERR_BOUNDS, in->data = (void *)(uintptr_t)(UINT64_MAX - 7));
    REFUSED(BATON_ERR_DEVICE, in->device_type = 18);
    REFUSED(BATON_ERR_DEVICE, in->device_type = DLPACK_CUDA; in->device_id = -1);
    REFUSED(BATON_ERR_KIND, in->device_type = DLPACK_CUDA_MANAGED);
    make_legacy(&t);
    refused(BATON_ERR_ARGUMENT, baton_dlpack_import_legacy(runtime, NULL, NULL, &array, &error));
    refused(BATON_ERR_ARGUMENT, baton_dlpack_import_legacy(runtime, &t.managed, NULL, NULL, &error));
    refused(BATON_ERR_HANDLE, baton_dlpack_import_legacy(runtime, &t.managed, (baton_stream *)(void *)runtime, &array, &error));
    ck_assert_int_eq(t.deleted, 0);
}
END_TEST

/* Device memory has a device, whatever the tensor says. */
START_TEST(a_tensor_that_names_another_device_than_the_drivers_is_refused)
{
    int32_t device = device_count() - 1;
    baton_stream *s = make_stream_on(device);
    baton_array *memory = make_array(6, s), *array = NULL;
    uint64_t address;
    struct tensor t;
    ok(baton_array_pointer(memory, s, BATON_READ, &address, &error));
    make_legacy(&t);
    t.managed.legacy.tensor.data = (void *)(uintptr_t)address;
    t.managed.legacy.tensor.device_type = DLPACK_CUDA;
    for (int32_t other = 0; other <= device + 1; other++) {         /* the last one is not there */
        t.managed.legacy.tensor.device_id = other;
        if (other != device)
            refused(BATON_ERR_DEVICE, baton_dlpack_import_legacy(runtime, &t.managed, NULL, &array, &error));
    }
    t.managed.legacy.tensor.device_id = device;
    ok(baton_dlpack_import_legacy(runtime, &t.managed, NULL, &array, &error));
    ck_assert_int_eq(info_of(array).device, device);
    arrays_release(array, memory);
    drain();
    ck_assert_int_eq(t.deleted, 1);
    baton_stream_release(s);
}
END_TEST

/* Of a structure of another major version only the deleter may be used, by the caller, whose it still is. */
START_TEST(another_major_version_is_refused_and_its_deleter_is_left_to_the_caller)
{
    baton_array *array = NULL;
    struct tensor t;
    for (uint32_t major = 0; major < 4; major++) {
        make_versioned(&t);
        t.managed.versioned.major = major;
        memset(&t.managed.versioned.tensor, 0xFF, sizeof t.managed.versioned.tensor);       /* must not be looked at */
        refused(major == 1 ? BATON_ERR_DTYPE : BATON_ERR_VERSION, baton_dlpack_import(runtime, &t.managed, NULL, &array, &error));
        ck_assert_int_eq(t.deleted, 0);
        t.managed.versioned.deleter(&t.managed.versioned);
        ck_assert_int_eq(t.deleted, 1);
    }
    make_versioned(&t);
    t.managed.versioned.minor = UINT32_MAX;
    t.managed.versioned.flags = UINT64_MAX & ~(uint64_t)DLPACK_READ_ONLY;                   /* bits of later minors */
    ok(baton_dlpack_import(runtime, &t.managed, NULL, &array, &error));
    ck_assert_uint_eq(info_of(array).flags & BATON_ARRAY_READ_ONLY, 0);
    baton_array_release(array);
    drain();
    ck_assert_int_eq(t.deleted, 1);
}
END_TEST

START_TEST(a_tensor_without_a_deleter_is_only_borrowed)
{
    baton_array *array;
    struct tensor t;
    make_legacy(&t);
    t.managed.legacy.deleter = NULL;
    ok(baton_dlpack_import_legacy(runtime, &t.managed, NULL, &array, &error));
    baton_array_release(array);
    drain();
    make_versioned(&t);
    t.managed.versioned.deleter = NULL;
    ok(baton_dlpack_import(runtime, &t.managed, NULL, &array, &error));
    baton_array_release(array);
    drain();
    ck_assert_int_eq(t.deleted, 0);
}
END_TEST

static void release_array(void *argument)
{
    baton_array_release(argument);
}

/* O9: a close gives back what is ready; what is still held goes when somebody drains. Each deleter runs once. */
START_TEST(taken_in_tensors_are_given_back_once_before_or_after_the_close)
{
    struct tensor early, late, views;
    baton_array *first, *second, *third;
    make_legacy(&early);
    make_versioned(&late);
    make_versioned(&views);
    ok(baton_dlpack_import_legacy(runtime, &early.managed, NULL, &first, &error));
    ok(baton_dlpack_import(runtime, &late.managed, NULL, &second, &error));
    ok(baton_dlpack_import(runtime, &views.managed, NULL, &third, &error));
    baton_array *view;
    ok(baton_array_view(third, &(baton_view_options) { .struct_size = sizeof(baton_view_options), .ndim = 2 }, &view, &error));
    baton_array_release(first);
    baton_array_release(third);
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
    ck_assert_int_eq(early.deleted, 1);
    ck_assert_int_eq(late.deleted, 0);
    ck_assert_int_eq(views.deleted, 0);
    on_thread(release_array, second);
    on_thread(release_array, view);
    ck_assert_int_eq(late.deleted, 0);              /* a release never runs a deleter */
    baton_runtime *other = reopen();
    ok(baton_drain(other, 0, NULL, &error));
    ok(baton_runtime_close(other, &error));
    ck_assert_int_eq(early.deleted, 1);
    ck_assert_int_eq(late.deleted, 1);
    ck_assert_int_eq(views.deleted, 1);
}
END_TEST

/* What went out and came back in is the same memory twice; both ends end. */
START_TEST(an_array_that_came_back_keeps_the_one_it_came_from)
{
    baton_stream *s = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, s), *back, *again;
    ok(baton_dlpack_import(runtime, export_with(array, 0, b), b, &back, &error));
    ok(baton_dlpack_import_legacy(runtime, export_with(back, BATON_DLPACK_LEGACY, s), s, &again, &error));
    arrays_release(array, back);
    drain();
    fill(again, 3, s);
    expect(again, 3, b);
    baton_array_release(again);
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
    drain_all();
    streams_release(s, b);
}
END_TEST

SUPPORT_MAIN("exchange ends", 60, exports_outlive_array_stream_and_runtime, deleters_run_on_many_threads_at_once,
             impossible_legacy_tensors_are_refused_and_stay_the_callers, a_tensor_that_names_another_device_than_the_drivers_is_refused,
             another_major_version_is_refused_and_its_deleter_is_left_to_the_caller, a_tensor_without_a_deleter_is_only_borrowed,
             taken_in_tensors_are_given_back_once_before_or_after_the_close, an_array_that_came_back_keeps_the_one_it_came_from)
