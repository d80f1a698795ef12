/* Many threads at once on many streams: nothing hangs, nothing is lost, and the sanitizers have something to watch. */
#include "conformance.h"
#include "needs.h"

#include <stdlib.h>
#include <time.h>

#include "driver/soft/soft.h"

enum { THREADS = 8, STREAMS = 64, ROUNDS = 3000, SEEDED_ROUNDS = 300 };

static driver_stream streams[STREAMS];
static driver_event events[STREAMS];
static driver_address words[STREAMS];   /* word i is only touched on stream i */

static void nothing(void)
{
}

static void stress_begin(uint64_t seed)
{
    soft_schedule(seed);
    driver_begin();
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = stream_new(DRIVER_STREAM_NON_BLOCKING);
        events[i] = event_new();
        words[i] = memory_new(4, streams[i]);
        OK(driver->fill32(words[i], 0, 1, streams[i]));
    }
}

static void stress_end(void)
{
    for (int i = 0; i < STREAMS; i++) {
        OK(driver->free_async(words[i], streams[i]));
        OK(driver->event_destroy(events[i]));
        OK(driver->stream_destroy(streams[i]));
    }
    driver_end();
}

struct worker {
    unsigned int seed, rounds;
    int code;
};

/* xorshift32 */
static unsigned int worker_draw(struct worker *worker, unsigned int below)
{
    worker->seed ^= worker->seed << 13;
    worker->seed ^= worker->seed >> 17;
    worker->seed ^= worker->seed << 5;
    return worker->seed % below;
}

/* A stream of one's own, used and given up while busy. */
static int stream_burn(driver_event event)
{
    driver_stream stream;
    driver_address address;
    int code = driver->stream_create(&stream, DRIVER_STREAM_NON_BLOCKING, 0);
    if (!code)
        code = driver->stream_wait_event(stream, event, 0);
    if (!code)
        code = driver->alloc_async(&address, 4096, pool, stream);
    if (!code)
        code = driver->free_async(address, stream);
    return code ? code : driver->stream_destroy(stream);
}

static int worker_step(struct worker *worker)
{
    unsigned int i = worker_draw(worker, STREAMS), j = worker_draw(worker, STREAMS);
    int code;
    switch (worker_draw(worker, 16)) {
    case 0: return driver->stream_synchronize(streams[i]);
    case 1: return driver->event_synchronize(events[i]);
    case 2: return stream_burn(events[i]);
    case 3: return driver->event_record(events[i], DRIVER_STREAM_PER_THREAD);
    case 4: case 5: case 6: return driver->event_record(events[i], streams[j]);
    case 7: case 8: case 9: return driver->stream_wait_event(streams[i], events[j], 0);
    case 10:
        code = driver->event_query(events[i]);
        return code == DRIVER_NOT_READY ? DRIVER_SUCCESS : code;
    default: return kernel_launch(words[i], streams[i]);
    }
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    worker->code = driver->context_push(context);
    for (unsigned int i = 0; i < worker->rounds && !worker->code; i++)
        worker->code = worker_step(worker);
    return NULL;
}

static void stress_run(uint64_t seed, unsigned int rounds)
{
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    unsigned int base = (unsigned int)time(NULL) | 1;
    stress_begin(seed);
    soft_problems_reset();
    for (unsigned int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker) { .seed = base + 2 * i, .rounds = rounds };
        ck_assert_int_eq(pthread_create(&threads[i], NULL, worker_main, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_msg(workers[i].code == 0, "code %d with seed %u", workers[i].code, base);
    }
    ck_assert_uint_eq(soft_problems(), 0);
    stress_end();
}

START_TEST(many_threads_work_on_shared_streams_and_events)
{
    stress_run(0, ROUNDS);
}
END_TEST

START_TEST(many_threads_share_the_seeded_schedule)
{
    for (uint64_t seed = 1; seed <= 5; seed++)
        stress_run(seed, SEEDED_ROUNDS);
}
END_TEST

START_TEST(the_machine_opens_and_closes_again_and_again)
{
    for (int i = 0; i < 50; i++) {
        stress_begin(0);
        OK(kernel_launch(words[0], streams[0]));
        driver_close(driver);
    }
}
END_TEST

int main(void)
{
    if (soft_program("soft_stress", "it is about"))
        return NEEDS_SKIPPED;
    const TTest *const tests[] = {
        many_threads_work_on_shared_streams_and_events, many_threads_share_the_seeded_schedule,
        the_machine_opens_and_closes_again_and_again
    };
    return suite_run_with("soft: stress", tests, sizeof tests / sizeof *tests, nothing, nothing);
}
