#include "exchange_support.h"

#include <sched.h>

void as_a_gpu(void)
{
    for (int32_t device = 0; device < device_count(); device++)
        baton_stream_release(make_stream_on(device));   /* the devices are there by now */
    outside_replace()->host_kernels = 0;
}

uint64_t host_waits(void)
{
    return calls(DRIVER_ROW_event_synchronize) + calls(DRIVER_ROW_stream_synchronize);
}

void drain(void)
{
    ok(baton_drain(runtime, 0, NULL, &error));
}

void drain_all(void)
{
    int left = 1000000;
    do {
        drain();
        sched_yield();
    } while (stats().live_bytes + stats().deferred_bytes && left--);
    ck_assert_uint_eq(stats().live_bytes + stats().deferred_bytes, 0);
}

baton_stream *adopt(uint64_t native)
{
    baton_stream *stream;
    ok(baton_stream_adopt(runtime, 0, native, &stream, &error));
    return stream;
}

void *export_with(baton_array *array, uint32_t flags, baton_stream *stream)
{
    void *managed;
    baton_dlpack_options options = { .struct_size = sizeof options, .flags = flags, .stream = stream };
    ok(baton_dlpack_export_with(array, &options, &managed, &error));
    return managed;
}

void legacy_fill(uint64_t address, int32_t value, size_t count)
{
    outside_fill(address, value, count, DRIVER_STREAM_LEGACY);
}

baton_array *make_rows(int32_t dtype, int64_t rows, int64_t columns, baton_stream *stream)
{
    baton_array *array;
    baton_array_options options = { .struct_size = sizeof options, .dtype = dtype, .ndim = columns ? 2 : 1, .shape = (int64_t[]) { rows, columns },
                                    .stream = stream };
    ok(baton_array_create(runtime, &options, &array, &error));
    ok(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    return array;
}

static void call_deleter(void *argument)
{
    struct dlpack_managed *managed = argument;
    managed->deleter(managed);
}

void end_elsewhere(void *managed)
{
    on_thread(call_deleter, managed);
}

void end_legacy(void *argument)
{
    struct dlpack_legacy *managed = argument;
    managed->deleter(managed);
}

static void call_release(void *argument)
{
    struct arrow_array *array = argument;
    array->release(array);
}

void release_elsewhere(struct arrow_array *array)
{
    on_thread(call_release, array);
}
