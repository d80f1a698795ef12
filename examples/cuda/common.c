#include "common.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

baton_runtime *runtime;
baton_error error = BATON_ERROR_INIT;

static const uint64_t HOLD_NS = 10000000000u;
static const int SKIPPED = 77;

static int wrong;               /* steps and results */
static const char *step;
static uint64_t waits_before;

static baton_gate *gate;
static pthread_t opener;
static int opener_runs;
static _Atomic int opened;

void example_die(const char *call, const char *why)
{
    fprintf(stderr, "%s: %s\n", call, why);
    exit(EXIT_FAILURE);
}

void need_ok(int32_t status, const char *call)
{
    if (status)
        example_die(call, status < 0 ? error.message : baton_status_name(status));
}

void refused_as(int32_t expected, int32_t status, const char *call)
{
    if (status == expected)
        return;
    printf("WRONG  %s: %s, and not %s\n", call, baton_status_name(status), baton_status_name(expected));
    wrong++;
}

void example_open(void)
{
    example_open_driver("cuda");
}

void example_open_driver(const char *driver)
{
    baton_runtime_options options = { .struct_size = sizeof options, .driver = driver };
    int32_t status = baton_runtime_open(&options, &runtime, &error);
    if (status == BATON_ERR_NO_DRIVER) {
        printf("skipped: %s\n", error.message);
        exit(SKIPPED);
    }
    need_ok(status, "baton_runtime_open");
}

int example_close(void)
{
    need(baton_runtime_close(runtime, &error));
    printf(wrong ? "%d wrong\n" : "all right\n", wrong);
    return wrong != 0;
}

baton_stream *stream_new(void)
{
    baton_stream *stream;
    need(baton_stream_create(runtime, 0, 0, 0, &stream, &error));
    return stream;
}

baton_array *array_new(int32_t dtype, int64_t count, baton_stream *stream)
{
    baton_array *array;
    baton_array_options options = { .struct_size = sizeof options, .dtype = dtype, .ndim = 1, .shape = &count,
                                    .stream = stream };
    need(baton_array_create(runtime, &options, &array, &error));
    return array;
}

baton_array *array_from(const void *elements, int32_t dtype, int64_t count, baton_stream *stream)
{
    baton_array *array = array_new(dtype, count, stream);
    need(baton_upload(array, elements, (uint64_t)count * baton_dtype_size(dtype), stream, &error));
    need(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    return array;
}

/* ---- a stream that is held */

void hold(baton_stream *stream)
{
    atomic_store(&opened, 0);
    need(baton_gate_create(stream, HOLD_NS, &gate, &error));
}

static void *open_soon(void *unused)
{
    const struct timespec moment = { .tv_nsec = 100000000 };
    nanosleep(&moment, NULL);
    atomic_store(&opened, 1);
    baton_gate_open(gate, NULL);
    return unused;
}

void let_go_soon(void)
{
    opener_runs = pthread_create(&opener, NULL, open_soon, NULL) == 0;
    if (!opener_runs)
        example_die("pthread_create", "no thread");
}

void let_go(void)
{
    if (opener_runs)
        pthread_join(opener, NULL);
    opener_runs = 0;
    atomic_store(&opened, 1);
    need(baton_gate_open(gate, &error));
    baton_gate_release(gate);
}

int was_let_go(void)
{
    return atomic_load(&opened);
}

/* ---- steps */

static uint64_t host_waits(void)
{
    baton_stats stats = { .struct_size = sizeof stats };
    uint64_t waits = 0;
    need(baton_stats_read(runtime, &stats, &error));
    for (int cause = 0; cause < BATON_HOST_WAIT_CAUSES; cause++)
        waits += stats.host_waits[cause];
    return waits;
}

void step_begin(const char *what)
{
    step = what;
    waits_before = host_waits();
}

void step_end(enum waits allowed)
{
    uint64_t waits = host_waits() - waits_before;
    int as_said = allowed == MAY_WAIT || (waits != 0) == (allowed == MUST_WAIT);
    printf("%s  %-70s host waits: %llu\n", as_said ? "ok   " : "WRONG", step, (unsigned long long)waits);
    wrong += !as_said;
}

void step_check(int right, const char *what)
{
    if (right)
        return;
    printf("WRONG  %s: %s\n", step, what);
    wrong++;
}

void step_check_held(baton_stream *stream)
{
    int32_t status = baton_stream_query(stream, &error);
    if (status < 0)
        need_ok(status, "baton_stream_query");
    step_check(status == BATON_NOT_READY, "the work did not wait for the held stream");
}
