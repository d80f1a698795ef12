/* The rows that CUDA.jl publishes for this layer, under its names; "sync" means that the stream is waited for. */
#include <string.h>

#include "bench.h"

enum { SYNCED = 10, CONSTRUCTED = 100, IDLE = 1000, READS = 10, SMALL = 257 };

static const int64_t SHAPE[] = { 512, 1000 };
enum { BYTES = 512 * 1000 * 4 };

static float *host;
static driver_address raw_from, raw_to;
static baton_array *from, *to, *elements[READS], *small[2];

static driver_address raw_alloc(size_t bytes)
{
    driver_address address;
    need_raw(world.driver->alloc_async(&address, bytes, world.device->pool, raw_stream(0)));
    return address;
}

static void raw_free(driver_address address)
{
    need_raw(world.driver->free_async(address, raw_stream(0)));
}

static baton_array *our_alloc(int32_t dtype, int32_t ndim)
{
    baton_array *array;
    baton_array_options options = { .struct_size = sizeof options, .dtype = dtype, .ndim = ndim, .shape = SHAPE,
                                    .stream = world.streams[0] };
    need(baton_array_create(world.runtime, &options, &array, &bench_error));
    return array;
}

static void our_sync(void)
{
    need(baton_stream_synchronize(world.streams[0], BATON_WAIT_AUTO, &bench_error));
}

static uint64_t raw_construct(uint64_t n)
{
    driver_address made[CONSTRUCTED];
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        made[i] = raw_alloc(8);
    uint64_t ns = bench_now() - start;
    for (uint64_t i = 0; i < n; i++)
        raw_free(made[i]);
    return ns;
}

static uint64_t our_construct(uint64_t n)
{
    baton_array *made[CONSTRUCTED];
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        made[i] = our_alloc(BATON_I64, 0);
    uint64_t ns = bench_now() - start;
    baton_array_release_n(made, n);
    need(baton_drain(world.runtime, 0, NULL, &bench_error));
    return ns;
}

/* ---- one operation each, both ways */

static void raw_copy_new(void)
{
    driver_address copy = raw_alloc(BYTES);
    need_raw(world.driver->copy(copy, raw_from, BYTES, raw_stream(0)));
    raw_synchronize(0);
    raw_free(copy);
}

static void our_copy_new(void)
{
    baton_array *copy = our_alloc(BATON_F32, 2);
    need(baton_copy(copy, from, world.streams[0], &bench_error));
    our_sync();
    baton_array_release(copy);
}

static void raw_upload(void)
{
    need_raw(world.driver->copy_to_device(raw_to, host, BYTES, raw_stream(0)));
    raw_synchronize(0);
}

static void our_upload(void)
{
    need(baton_upload(to, host, BYTES, world.streams[0], &bench_error));
    our_sync();
}

static void raw_download(void)
{
    need_raw(world.driver->copy_to_host(host, raw_from, BYTES, raw_stream(0)));
    raw_synchronize(0);
}

static void our_download(void)
{
    need(baton_download(host, BYTES, from, world.streams[0], &bench_error));
}

static void raw_copy(void)
{
    need_raw(world.driver->copy(raw_to, raw_from, BYTES, raw_stream(0)));
    raw_synchronize(0);
}

static void our_copy(void)
{
    need(baton_copy(to, from, world.streams[0], &bench_error));
    our_sync();
}

static void raw_fill(void)
{
    need_raw(world.driver->fill32(raw_to, 0, BYTES / 4, raw_stream(0)));
    raw_synchronize(0);
}

static void our_fill(void)
{
    float value = 0;
    need(baton_fill(to, &value, sizeof value, world.streams[0], &bench_error));
    our_sync();
}

static void raw_add(void)
{
    raw_launch(KERNEL_ADD, 0, world.parameters);
    raw_synchronize(0);
}

static void our_add(void)
{
    float two = 2;
    need(baton_elementwise(BATON_ADD, small[0], &(baton_argument)baton_in(small[1]), &(baton_argument)baton_value(two), world.streams[0], &bench_error));
    our_sync();
}

static void raw_scalars(void)
{
    for (int i = 0; i < READS; i++) {
        need_raw(world.driver->copy_to_host(host, raw_from + (driver_address)i * 4, 4, raw_stream(0)));
        raw_synchronize(0);
    }
}

static void our_scalars(void)
{
    for (int i = 0; i < READS; i++)
        need(baton_download(host, 4, elements[i], world.streams[0], &bench_error));
}

static void our_block(void)
{
    need(baton_stream_synchronize(world.streams[0], BATON_WAIT_BLOCK, &bench_error));
}

static void raw_idle(void)
{
    raw_synchronize(0);
}

static void raw_empty(void)
{
    raw_launch(KERNEL_EMPTY, 0, NULL);
}

static void our_empty(void)
{
    launch(KERNEL_EMPTY, 0, NULL, 0);
}

#define REPEAT(body)                                    \
    static uint64_t body##_n(uint64_t n)                \
    {                                                   \
        uint64_t start = bench_now();                   \
        for (uint64_t i = 0; i < n; i++)                \
            body();                                     \
        return bench_now() - start;                     \
    }
REPEAT(raw_copy_new)
REPEAT(our_copy_new)
REPEAT(raw_upload)
REPEAT(our_upload)
REPEAT(raw_download)
REPEAT(our_download)
REPEAT(raw_copy)
REPEAT(our_copy)
REPEAT(raw_fill)
REPEAT(our_fill)
REPEAT(raw_add)
REPEAT(our_add)
REPEAT(raw_scalars)
REPEAT(our_scalars)
REPEAT(raw_idle)
REPEAT(our_sync)
REPEAT(our_block)
REPEAT(raw_empty)
REPEAT(our_empty)

static void rows_make(void)
{
    host = malloc(BYTES);
    if (!host)
        bench_die("malloc", "no host memory");
    memset(host, 0, BYTES);
    raw_from = raw_alloc(BYTES);
    raw_to = raw_alloc(BYTES);
    need_raw(world.driver->copy_to_device(raw_from, host, BYTES, raw_stream(0)));
    from = our_alloc(BATON_F32, 2);
    to = our_alloc(BATON_F32, 2);
    need(baton_upload(from, host, BYTES, world.streams[0], &bench_error));
    for (int i = 0; i < READS; i++) {
        const int64_t start[] = { 0, i }, count[] = { 1, 1 };
        baton_view_options options = { .struct_size = sizeof options, .ndim = 2, .start = start, .count = count };
        need(baton_array_view(from, &options, &elements[i], &bench_error));
    }
    for (int i = 0; i < 2; i++) {
        baton_view_options options = { .struct_size = sizeof options, .ndim = 1, .count = (int64_t[]) { SMALL } };
        need(baton_array_view(world.arrays[i], &options, &small[i], &bench_error));
    }
    our_add();
    world_idle();
}

static void rows_free(void)
{
    baton_array_release_n(elements, READS);
    baton_array_release_n(small, 2);
    baton_array_release(from);
    baton_array_release(to);
    raw_free(raw_from);
    raw_free(raw_to);
    world_idle();
    free(host);
}

void times_rows(void)
{
    static const struct bench_case cases[] = {
        { "array/construct", "one i64, no sync", "", raw_construct, our_construct, CONSTRUCTED },
        { "array/copy", "new array, device copy of 2 MB, sync", "", raw_copy_new_n, our_copy_new_n, SYNCED },
        { "array/copyto!/cpu_to_gpu", "2 MB, pageable host, sync", "", raw_upload_n, our_upload_n, SYNCED },
        { "array/copyto!/gpu_to_cpu", "2 MB, pageable host, sync", "", raw_download_n, our_download_n, SYNCED },
        { "array/copyto!/gpu_to_gpu", "2 MB, sync", "", raw_copy_n, our_copy_n, SYNCED },
        { "array/broadcast", "fill of 512x1000 f32, sync", "", raw_fill_n, our_fill_n, SYNCED },
        { "array/broadcast launch", "dest = src + 2 over 257 f32, sync", "", raw_add_n, our_add_n, SYNCED },
        { "array/iteration/scalar", "ten scalar reads of device memory", "", raw_scalars_n, our_scalars_n, SYNCED },
        { "cuda/synchronization/stream/auto", "nothing outstanding", "", raw_idle_n, our_sync_n, IDLE },
        { "cuda/synchronization/stream/blocking", "nothing outstanding", "", raw_idle_n, our_block_n, IDLE },
        { "kernel/launch", "empty kernel, no array", "", raw_empty_n, our_empty_n, CONSTRUCTED },
    };
    int wanted = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        wanted += bench_wanted(cases[i].id);
    if (!wanted)
        return;
    rows_make();
    MEASURE_ALL(cases);
    rows_free();
}
