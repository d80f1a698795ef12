/* F10, F11: many threads, and many streams. */
#include <pthread.h>

#include "bench.h"

enum { THREADS = 8, BATCH = 200, HANDOFFS = 256 };

/* ---- F10: each thread passes its own array between its own two streams */

struct worker {
    pthread_t thread;
    int number;
    uint64_t n;
    pthread_barrier_t *begin;
    int raw;
    uint64_t start, end;        /* read after the join */
};

static void raw_work(const struct worker *worker)
{
    for (uint64_t i = 0; i < worker->n; i++) {
        int own = 2 * worker->number, to = own + (int)(i % 2), from = own + (int)((i + 1) % 2);
        raw_follow(to, from);
        raw_launch(KERNEL_TOUCH1, to, &world.parameters[worker->number]);
    }
}

static void our_work(const struct worker *worker)
{
    for (uint64_t i = 0; i < worker->n; i++)
        launch(KERNEL_TOUCH1, 2 * worker->number + (int)(i % 2), &world.arguments[worker->number], 1);
}

static void *worker_run(void *argument)
{
    struct worker *worker = argument;
    world_enter();
    pthread_barrier_wait(worker->begin);
    worker->start = bench_now();
    if (worker->raw)
        raw_work(worker);
    else
        our_work(worker);
    worker->end = bench_now();
    return NULL;
}

/* From the first thread's start to the last one's end. */
static uint64_t span(const struct worker *workers)
{
    uint64_t start = workers[0].start, end = workers[0].end;
    for (int i = 1; i < THREADS; i++) {
        start = workers[i].start < start ? workers[i].start : start;
        end = workers[i].end > end ? workers[i].end : end;
    }
    return end - start;
}

static uint64_t work(int raw, uint64_t n)
{
    struct worker workers[THREADS];
    pthread_barrier_t begin;
    pthread_barrier_init(&begin, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker) { .number = i, .n = n / THREADS, .begin = &begin, .raw = raw };
        if (pthread_create(&workers[i].thread, NULL, worker_run, &workers[i]))
            bench_die("pthread_create", "no thread");
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_barrier_destroy(&begin);
    return span(workers);
}

static uint64_t raw_threads(uint64_t n) { return work(1, n); }
static uint64_t our_threads(uint64_t n) { return work(0, n); }

/* ---- F11: random hand-offs of one array. Every batch takes the same path. */

static int step(uint32_t *random, int at)
{
    *random = *random * 1664525u + 1013904223u;
    return (at + 1 + (int)((*random >> 8) % (STREAMS - 1))) % STREAMS;
}

static uint64_t our_random(uint64_t n)
{
    uint32_t random = 1;
    int at = 0;
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++) {
        at = step(&random, at);
        launch(KERNEL_TOUCH1, at, world.arguments, 1);
    }
    return bench_now() - start;
}

static uint64_t raw_random(uint64_t n)
{
    uint32_t random = 1;
    int at = 0;
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++) {
        int from = at;
        at = step(&random, from);
        raw_follow(at, from);
        raw_launch(KERNEL_TOUCH1, at, world.parameters);
    }
    return bench_now() - start;
}

static uint64_t our_two(uint64_t n)
{
    launch(KERNEL_TOUCH1, 1, world.arguments, 1);
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        launch(KERNEL_TOUCH1, (int)(i % 2), world.arguments, 1);
    return bench_now() - start;
}

void times_streams(void)
{
    static const struct bench_case threads = { "F10", "8 threads, each passing its own array", "<= 1.05x", raw_threads, our_threads,
                                               THREADS * BATCH };
    static const struct bench_case random[] = {
        { "F11/two", "256 streams at random; floor: ours, 2 streams", "<= 1.2x", our_two, our_random, HANDOFFS },
        { "F11/raw", "256 streams at random; floor: raw events", "for comparison", raw_random, our_random, HANDOFFS },
    };
    bench_measure(&threads);
    if (!bench_wanted("F11/two") && !bench_wanted("F11/raw"))
        return;
    world_streams_reach(STREAMS);
    MEASURE_ALL(random);
}
