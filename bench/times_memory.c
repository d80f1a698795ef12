/* F6, F7, F8: synchronizing with nothing outstanding, creating and releasing, fill and copy. */
#include "bench.h"

enum { IDLE = 1000, LIVE = 200, BATCH = 100 };

static const int64_t MB2 = 2 << 20;

static uint64_t idle_array(uint64_t n)
{
    need(baton_array_synchronize(world.arrays[0], BATON_WAIT_AUTO, &bench_error));
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        need(baton_array_synchronize(world.arrays[0], BATON_WAIT_AUTO, &bench_error));
    return bench_now() - start;
}

static uint64_t idle_stream(uint64_t n)
{
    need(baton_stream_synchronize(world.streams[0], BATON_WAIT_AUTO, &bench_error));
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        need(baton_stream_synchronize(world.streams[0], BATON_WAIT_AUTO, &bench_error));
    return bench_now() - start;
}

/* ---- rings of live blocks: each operation gives the oldest back and takes a new one */

static int64_t ring_bytes;
static int ring_count;
static driver_address raw_ring[LIVE];
static baton_array *our_ring[LIVE];

static driver_address raw_alloc(void)
{
    driver_address address;
    need_raw(world.driver->alloc_async(&address, (size_t)ring_bytes, world.device->pool, raw_stream(0)));
    return address;
}

static baton_array *our_alloc(void)
{
    baton_array *array;
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_U8, .ndim = 1, .shape = &ring_bytes,
                                    .stream = world.streams[0] };
    need(baton_array_create(world.runtime, &options, &array, &bench_error));
    return array;
}

static void rings_fill(int64_t bytes, int count)
{
    ring_bytes = bytes;
    ring_count = count;
    for (int i = 0; i < count; i++) {
        raw_ring[i] = raw_alloc();
        our_ring[i] = our_alloc();
    }
}

static void rings_empty(void)
{
    for (int i = 0; i < ring_count; i++)
        need_raw(world.driver->free_async(raw_ring[i], raw_stream(0)));
    baton_array_release_n(our_ring, (uint64_t)ring_count);
    need(baton_drain(world.runtime, 0, NULL, &bench_error));
    need(baton_trim(world.runtime, 0, 0, &bench_error));
}

static uint64_t raw_turn(uint64_t n)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++) {
        driver_address *at = &raw_ring[i % (uint64_t)ring_count];
        need_raw(world.driver->free_async(*at, raw_stream(0)));
        *at = raw_alloc();
    }
    return bench_now() - start;
}

static uint64_t our_turn(uint64_t n)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++) {
        baton_array **at = &our_ring[i % (uint64_t)ring_count];
        baton_array_release(*at);
        *at = our_alloc();
    }
    return bench_now() - start;
}

static void turns(const struct bench_case *bench, int64_t bytes, int count)
{
    if (!bench_wanted(bench->id))
        return;
    rings_fill(bytes, count);
    bench_measure(bench);
    rings_empty();
}

/* ---- fill and copy of 2 MB */

static driver_address big_raw[2];
static baton_array *big[2];

static uint64_t raw_fill(uint64_t n)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        need_raw(world.driver->fill8(big_raw[0], 1, (size_t)MB2, raw_stream(0)));
    return bench_now() - start;
}

static uint64_t our_fill(uint64_t n)
{
    uint8_t value = 1;
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        need(baton_fill(big[0], &value, 1, world.streams[0], &bench_error));
    return bench_now() - start;
}

static uint64_t raw_copy(uint64_t n)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        need_raw(world.driver->copy(big_raw[1], big_raw[0], (size_t)MB2, raw_stream(0)));
    return bench_now() - start;
}

static uint64_t our_copy(uint64_t n)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        need(baton_copy(big[1], big[0], world.streams[0], &bench_error));
    return bench_now() - start;
}

static void transfers(void)
{
    static const struct bench_case cases[] = {
        { "F8/fill", "fill of 2 MB, submission", "<= +50 ns", raw_fill, our_fill, BATCH },
        { "F8/copy", "copy of 2 MB on the device, submission", "<= +50 ns", raw_copy, our_copy, BATCH },
    };
    if (!bench_wanted("F8/fill") && !bench_wanted("F8/copy"))
        return;
    ring_bytes = MB2;
    for (int i = 0; i < 2; i++) {
        big_raw[i] = raw_alloc();
        big[i] = our_alloc();
    }
    need_raw(world.driver->fill8(big_raw[0], 1, (size_t)MB2, raw_stream(0)));
    our_fill(1);
    MEASURE_ALL(cases);
    for (int i = 0; i < 2; i++)
        need_raw(world.driver->free_async(big_raw[i], raw_stream(0)));
    baton_array_release_n(big, 2);
}

void times_memory(void)
{
    static const struct bench_case idle[] = {
        { "F6/array", "synchronize(array), nothing outstanding", "<= 30 ns", NULL, idle_array, IDLE },
        { "F6/stream", "synchronize(stream), nothing outstanding", "<= 30 ns", NULL, idle_stream, IDLE },
    };
    static const struct bench_case small = { "F7/4K", "release + create 4 KiB, 200 live", "<= +150 ns", raw_turn, our_turn, BATCH };
    static const struct bench_case large = { "F7/2M", "release + create 2 MB, 200 live", "<= +150 ns", raw_turn, our_turn, BATCH };
    static const struct bench_case fewer = { "F7/2M", "release + create 2 MB, 40 live", "<= +150 ns", raw_turn, our_turn, BATCH };
    MEASURE_ALL(idle);
    turns(&small, 4096, LIVE);
    if (world.soft)
        turns(&fewer, MB2, 40);     /* its memory is the host's */
    else
        turns(&large, MB2, LIVE);
    transfers();
}
