/* usage: load [--seconds N | --operations N] [--window N] [--tasks N] [--arrays N] [--streams N] [--seed N] [--driver NAME] [--json FILE]
 *
 * Without --operations it runs for a time, and judges memory and throughput too. Exits with 1 when a promise was broken. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/soft/soft.h"
#include "load.h"

enum { STACK_BYTES = 256 << 10, EXTRA = 10, LEAN = 16, SOFT_BYTES = 256 << 20 };

struct load load = { .options = { .seconds = 120, .tasks = 1000, .arrays = 10000, .streams = 64, .seed = 1 } };

static int usage(void)
{
    fprintf(stderr, "usage: load [--seconds N | --operations N] [--window N] [--tasks N] [--arrays N] [--streams N] [--seed N]\n"
                    "            [--driver NAME] [--json FILE]; N from 1 on, arrays are even\n");
    return 0;
}

static int number_read(const char *text, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return !errno && !*end && end != text && *number >= 1 && *number <= 1000000000000u;
}

static int option_read(struct options *options, const char *name, const char *text)
{
    const struct { const char *name; uint64_t *number; } numbers[] = {
        { "--seconds", &options->seconds }, { "--operations", &options->operations }, { "--window", &options->window_s }, { "--tasks", &options->tasks },
        { "--arrays", &options->arrays }, { "--streams", &options->streams }, { "--seed", &options->seed }
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(name, numbers[i].name) == 0)
            return number_read(text, numbers[i].number);
    if (strcmp(name, "--driver") == 0)
        options->driver = text;
    else if (strcmp(name, "--json") == 0)
        options->json = text;
    else
        return 0;
    return 1;
}

static int options_read(int count, char **words, struct options *options)
{
    const char *driver = getenv("BATON_DRIVER");
    options->driver = driver && *driver ? driver : "auto";
    for (int i = 1; i < count; i += 2)
        if (i + 1 == count || !option_read(options, words[i], words[i + 1]))
            return usage();
    if (options->arrays % 2 || options->arrays > 1000000 || options->tasks > 10000 || options->streams > 1000)
        return usage();
    if (!options->window_s)
        options->window_s = 1 + (options->seconds - 1) / 12;
    if (options->seconds / options->window_s >= WINDOWS_MOST)
        return usage();
    return 1;
}

static int failed(int32_t status, const char *what, const baton_error *error)
{
    if (status)
        fprintf(stderr, "load: %s: %s: %s\n", what, baton_status_name(status), error->message);
    return status != 0;
}

/* ---- tasks */

/* Until the run's end; a task that was not served until then goes on, while the others do ten times their work. */
static int goes_on(void)
{
    if (atomic_load(&load.stop))
        return 0;
    uint64_t number = atomic_fetch_add(&load.drawn, 1), most = load.options.operations;
    return !most || number < most || (number < EXTRA * most && atomic_load(&load.unserved));
}

static void *task_run(void *argument)
{
    struct task *task = argument;
    pthread_barrier_wait(&load.start);
    while (goes_on()) {
        int32_t status = operation_run(task, draw_operation(task));
        if (status) {
            task->error.status = status;
            atomic_store(&load.stop, 1);
            break;
        }
        if (atomic_fetch_add(&task->completed, 1) == 0)
            atomic_fetch_sub(&load.unserved, 1);
    }
    return NULL;
}

static int task_start(struct task *task, uint64_t index, const pthread_attr_t *attributes)
{
    task->random = load.options.seed * 1000003 + index;
    task->home = load.streams[index % load.options.streams];
    task->error = (baton_error)BATON_ERROR_INIT;
    return pthread_create(&task->thread, attributes, task_run, task);
}

static int tasks_start(void)
{
    pthread_attr_t attributes;
    int code = 0;
    load.tasks = calloc(load.options.tasks, sizeof *load.tasks);
    atomic_store(&load.unserved, load.options.tasks);
    pthread_barrier_init(&load.start, NULL, (unsigned)load.options.tasks + 1);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (uint64_t i = 0; i < load.options.tasks && !code; i++)
        code = load.tasks ? task_start(&load.tasks[i], i, &attributes) : ENOMEM;
    pthread_attr_destroy(&attributes);
    return code;
}

static int tasks_join(struct report *report)
{
    int wrong = 0;
    report->least = UINT64_MAX;
    for (uint64_t i = 0; i < load.options.tasks; i++) {
        struct task *task = &load.tasks[i];
        pthread_join(task->thread, NULL);
        uint64_t completed = atomic_load(&task->completed);
        report->least = completed < report->least ? completed : report->least;
        report->most = completed > report->most ? completed : report->most;
        wrong += failed(task->error.status, "a task", &task->error);
    }
    pthread_barrier_destroy(&load.start);
    return wrong;
}

/* ---- the run */

static void sample_add(struct report *report, uint64_t begin)
{
    sample_take(&report->samples[report->count++], (double)(now_ns() - begin) / 1e9);
}

static void windows_run(struct report *report, uint64_t begin)
{
    uint64_t window = load.options.window_s, windows = load.options.seconds / window;
    for (uint64_t i = 0; i < windows && !atomic_load(&load.stop); i++) {
        uint64_t end = begin + (i + 1) * window * 1000000000u;
        struct timespec until = { .tv_sec = (time_t)(end / 1000000000u), .tv_nsec = (long)(end % 1000000000u) };
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
            ;
        sample_add(report, begin);
    }
    atomic_store(&load.stop, 1);
}

static int tasks_run(struct report *report)
{
    int code = tasks_start();
    if (code) {
        fprintf(stderr, "load: the tasks cannot be started: %s\n", strerror(code));
        exit(EXIT_FAILURE);
    }
    uint64_t begin = now_ns();
    sample_add(report, begin);
    pthread_barrier_wait(&load.start);
    if (!load.options.operations)
        windows_run(report, begin);
    int wrong = tasks_join(report);
    if (load.options.operations)
        sample_add(report, begin);
    return wrong;
}

static int32_t runtime_open(baton_error *err)
{
    baton_runtime_options options = { .struct_size = sizeof options, .driver = load.options.driver };
    baton_runtime_info info = { .struct_size = sizeof info };
    int32_t status = baton_runtime_open(&options, &load.runtime, err);
    if (!status)
        status = baton_runtime_info_read(load.runtime, &info, err);
    if (!status)
        status = kernels_open(load.runtime, 0, load.kernels, err);
    load.soft = strcmp(info.driver, "soft") == 0;
    load.streams = calloc(load.options.streams, sizeof *load.streams);
    for (uint64_t i = 0; i < load.options.streams && !status; i++)
        status = load.streams ? baton_stream_create(load.runtime, 0, 0, 0, &load.streams[i], err) : BATON_ERR_MEMORY;
    return status ? status : cells_open(err);
}

static int stats_check(const baton_stats *stats)
{
    if (!stats->live_arrays && !stats->live_bytes && !stats->deferred_bytes && !stats->cached_bytes && stats->allocations == stats->frees &&
        !stats->faults_swallowed)
        return 0;
    printf("BROKEN: left over: %llu arrays, %llu bytes alive, %llu deferred, %llu cached; %llu allocations, %llu frees, %llu faults\n",
           (unsigned long long)stats->live_arrays, (unsigned long long)stats->live_bytes, (unsigned long long)stats->deferred_bytes,
           (unsigned long long)stats->cached_bytes, (unsigned long long)stats->allocations, (unsigned long long)stats->frees,
           (unsigned long long)stats->faults_swallowed);
    return 1;
}

/* Everything is released: nothing of it may be left. The software device has seen every use. */
static int runtime_close(void)
{
    baton_error error = BATON_ERROR_INIT;
    baton_stats stats = { .struct_size = sizeof stats };
    int wrong = 0;
    cells_close();
    for (uint64_t i = 0; i < load.options.streams; i++)
        wrong += failed(baton_stream_synchronize(load.streams[i], BATON_WAIT_AUTO, &error), "the last wait", &error);
    for (uint64_t i = 0; i < load.options.streams; i++)
        baton_stream_release(load.streams[i]);
    free(load.streams);
    kernels_close(load.kernels);
    wrong += failed(baton_drain(load.runtime, 0, NULL, &error), "the last drain", &error);
    wrong += failed(baton_trim(load.runtime, 0, 0, &error), "the trim", &error);
    wrong += failed(baton_stats_read(load.runtime, &stats, &error), "the counts", &error);
    wrong += stats_check(&stats);
    if (load.soft && soft_problems())
        wrong += printf("BROKEN: the software device saw %llu uses out of order\n", (unsigned long long)soft_problems()) > 0;
    return wrong + failed(baton_runtime_close(load.runtime, &error), "the close", &error);
}

static int arrays_check(void)
{
    baton_error error = BATON_ERROR_INIT;
    int32_t status;
    uint64_t arrays = cells_check(&error, &status), reads = atomic_load(&load.wrong);
    if (arrays || reads)
        printf("BROKEN: %llu arrays are wrong, %llu reads saw what they must not\n", (unsigned long long)arrays, (unsigned long long)reads);
    return (arrays || reads) + failed(status, "the last look", &error);
}

/* The process's threads and descriptors are what they were. A thread that was joined is seen for a moment longer. A GPU's driver has some of its own. */
static int process_check(uint64_t threads, uint64_t descriptors)
{
    uint64_t lean = load.soft ? 0 : LEAN;
    for (int i = 0; i < 100000 && process_threads() > threads + lean; i++)
        sched_yield();
    if (process_threads() <= threads + lean && process_descriptors() <= descriptors + lean)
        return 0;
    printf("BROKEN: %llu threads and %llu descriptors, of %llu and %llu before\n", (unsigned long long)process_threads(),
           (unsigned long long)process_descriptors(), (unsigned long long)threads, (unsigned long long)descriptors);
    return 1;
}

/* The C library keeps what a thread has freed for that thread: with a thousand of them that looks like growth, for minutes. */
static void without_thread_caches(char **words)
{
    if (setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1", 0) == 0)
        execv("/proc/self/exe", words);
}

int main(int count, char **words)
{
    static struct report report = { .stats = { .struct_size = sizeof report.stats } };
    baton_error error = BATON_ERROR_INIT;
    if (!options_read(count, words, &load.options))
        return 2;
    if (!getenv("GLIBC_TUNABLES"))
        without_thread_caches(words);
    soft_set_memory(SOFT_BYTES);        /* little: its sixteenth, the cache's bound, is soon reached */
    if (failed(runtime_open(&error), "opening", &error) || runtime_close())     /* what a driver keeps from its first use is no growth */
        return EXIT_FAILURE;
    uint64_t threads = process_threads(), descriptors = process_descriptors();
    if (failed(runtime_open(&error), "opening", &error))
        return EXIT_FAILURE;
    int wrong = tasks_run(&report);
    wrong += failed(baton_stats_read(load.runtime, &report.stats, &error), "the counts", &error);
    report_print(&report);
    wrong += arrays_check() + report_judge(&report);
    free(load.tasks);
    wrong += runtime_close() + process_check(threads, descriptors);
    if (load.options.json && report_write(&report, load.options.json))
        wrong += fprintf(stderr, "load: %s cannot be written\n", load.options.json) > 0;
    printf("%s\n", wrong ? "BROKEN" : "every promise was kept");
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
