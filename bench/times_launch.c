/* F1, F2, F4: launches on one stream, and hand-offs between two. */
#include "bench.h"

enum { BATCH = 200 };

static uint64_t raw_same(enum kernel_name kernel, uint64_t n)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        raw_launch(kernel, 0, world.parameters);
    return bench_now() - start;
}

static uint64_t our_same(enum kernel_name kernel, uint32_t count, uint64_t n)
{
    launch(kernel, 0, world.arguments, count);      /* takes the arrays from whoever had them */
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        launch(kernel, 0, world.arguments, count);
    return bench_now() - start;
}

static uint64_t raw_pass(enum kernel_name kernel, uint64_t n)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++) {
        int to = (int)(i % 2);
        raw_follow(to, !to);
        raw_launch(kernel, to, world.parameters);
    }
    return bench_now() - start;
}

/* The old way: the host waits for the other stream. */
static uint64_t host_pass(uint64_t n)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++) {
        int to = (int)(i % 2);
        raw_synchronize(!to);
        raw_launch(KERNEL_TOUCH1, to, world.parameters);
    }
    return bench_now() - start;
}

static uint64_t our_pass(enum kernel_name kernel, uint32_t count, uint64_t n)
{
    launch(kernel, 1, world.arguments, count);
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        launch(kernel, (int)(i % 2), world.arguments, count);
    return bench_now() - start;
}

static uint64_t raw_same1(uint64_t n) { return raw_same(KERNEL_TOUCH1, n); }
static uint64_t raw_same4(uint64_t n) { return raw_same(KERNEL_TOUCH4, n); }
static uint64_t raw_same16(uint64_t n) { return raw_same(KERNEL_TOUCH16, n); }
static uint64_t our_same1(uint64_t n) { return our_same(KERNEL_TOUCH1, 1, n); }
static uint64_t our_same4(uint64_t n) { return our_same(KERNEL_TOUCH4, 4, n); }
static uint64_t our_same16(uint64_t n) { return our_same(KERNEL_TOUCH16, 16, n); }
static uint64_t raw_pass1(uint64_t n) { return raw_pass(KERNEL_TOUCH1, n); }
static uint64_t raw_pass16(uint64_t n) { return raw_pass(KERNEL_TOUCH16, n); }
static uint64_t our_pass1(uint64_t n) { return our_pass(KERNEL_TOUCH1, 1, n); }
static uint64_t our_pass16(uint64_t n) { return our_pass(KERNEL_TOUCH16, 16, n); }

void times_launch(void)
{
    static const struct bench_case cases[] = {
        { "F1/1", "launch, 1 array, same stream", "<= 1.03x", raw_same1, our_same1, BATCH },
        { "F1/4", "launch, 4 arrays, same stream", "<= 1.03x", raw_same4, our_same4, BATCH },
        { "F1/16", "launch, 16 arrays, same stream", "<= F1/1 + 15 ns per array", raw_same16, our_same16, BATCH },
        { "F2/events", "ping-pong of 1 array", "<= 1.05x", raw_pass1, our_pass1, BATCH },
        { "F2/host", "ping-pong; floor: host synchronizes", "<= 0.5x", host_pass, our_pass1, BATCH },
        { "F4", "16 arrays of A, one launch on B", "<= 1.05x + 640 ns", raw_pass16, our_pass16, BATCH },
    };
    MEASURE_ALL(cases);
}
