/* F5: fan-out and fan-in, and diamonds. One operation is a whole round. */
#include "bench.h"

enum { READERS = 8, BATCH = 20 };

static uint64_t raw_fan(uint64_t n)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++) {
        raw_launch(KERNEL_TOUCH1, 0, world.parameters);
        need_raw(world.driver->event_record(world.events[0], raw_stream(0)));
        for (int r = 1; r <= READERS; r++) {
            need_raw(world.driver->stream_wait_event(raw_stream(r), world.events[0], 0));
            raw_launch(KERNEL_READ, r, world.parameters);
        }
        for (int r = 1; r <= READERS; r++)
            raw_follow(0, r);
    }
    return bench_now() - start;
}

static uint64_t our_fan(uint64_t n)
{
    const baton_argument read = baton_in(world.arrays[0]);
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++) {
        launch(KERNEL_TOUCH1, 0, world.arguments, 1);
        for (int r = 1; r <= READERS; r++)
            launch(KERNEL_READ, r, &read, 1);
    }
    return bench_now() - start;
}

/* Array 0 is written on stream 0, read on 1 and 2 into arrays 1 and 2, and these are joined on 3. The next round's
 * writers follow what still reads: the fewest records and waits. */
static uint64_t raw_diamond(uint64_t n)
{
    void **p = world.parameters, *left[] = { p[1], p[0] }, *right[] = { p[2], p[0] }, *join[] = { p[3], p[1], p[2] };
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++) {
        raw_launch(KERNEL_TOUCH1, 0, p);
        need_raw(world.driver->event_record(world.events[0], raw_stream(0)));
        for (int side = 1; side <= 2; side++) {
            need_raw(world.driver->stream_wait_event(raw_stream(side), world.events[0], 0));
            if (i)
                need_raw(world.driver->stream_wait_event(raw_stream(side), world.events[3], 0));
            raw_launch(KERNEL_ADD, side, side == 1 ? left : right);
            raw_follow(3, side);
        }
        raw_launch(KERNEL_JOIN, 3, join);
        need_raw(world.driver->event_record(world.events[3], raw_stream(3)));
        for (int side = 1; side <= 2; side++)
            need_raw(world.driver->stream_wait_event(raw_stream(0), world.events[side], 0));
    }
    return bench_now() - start;
}

static uint64_t our_diamond(uint64_t n)
{
    baton_array **a = world.arrays;
    const baton_argument left[] = { baton_out(a[1]), baton_in(a[0]) }, right[] = { baton_out(a[2]), baton_in(a[0]) };
    const baton_argument join[] = { baton_out(a[3]), baton_in(a[1]), baton_in(a[2]) };
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++) {
        launch(KERNEL_TOUCH1, 0, world.arguments, 1);
        launch(KERNEL_ADD, 1, left, 2);
        launch(KERNEL_ADD, 2, right, 2);
        launch(KERNEL_JOIN, 3, join, 3);
    }
    return bench_now() - start;
}

void times_fan(void)
{
    static const struct bench_case cases[] = {
        { "F5/fan", "1 writer, 8 readers: 9 launches", "the same calls", raw_fan, our_fan, BATCH },
        { "F5/diamond", "diamond: 4 launches", "the same calls", raw_diamond, our_diamond, BATCH },
    };
    MEASURE_ALL(cases);
}
