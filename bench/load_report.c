#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "load.h"
#include "stream/device.h"

/* What may be added between the second and the last window: a tenth, and a little where there is little; a driver's pool grows in steps. What the library keeps of
 * released blocks is counted apart: it may reach its own bound. Throughput may fall to half. */
enum { GROWTH_PART = 10, GROWTH_BYTES = 16 << 20, POOL_BYTES = 64 << 20, CACHE_PART = 16, WINDOWS_LEAST = 4, FALL = 2 };

uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- the process */

/* The number behind a word in /proc/self/status; 0 when it is not there. */
static uint64_t status_of(const char *word)
{
    char line[256];
    uint64_t number = 0;
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, word, strlen(word)) == 0)
            number = strtoull(line + strlen(word), NULL, 10);
    if (file)
        fclose(file);
    return number;
}

uint64_t process_threads(void)
{
    return status_of("Threads:");
}

uint64_t process_descriptors(void)
{
    uint64_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count > 3 ? count - 3 : 0;       /* less ".", ".." and the folder itself */
}

static uint64_t pool_bytes(void)
{
    struct device *device;
    uint64_t bytes = 0;
    if (device_get(load.runtime, 0, &device, NULL) || device->driver->pool_get(device->pool, DRIVER_POOL_RESERVED_CURRENT, &bytes))
        return 0;
    return bytes;
}

void sample_take(struct sample *sample, double seconds)
{
    baton_stats stats = { .struct_size = sizeof stats };
    baton_stats_read(load.runtime, &stats, NULL);
    *sample = (struct sample) {
        .seconds = seconds, .resident_bytes = status_of("VmRSS:") << 10, .live_bytes = stats.live_bytes, .deferred_bytes = stats.deferred_bytes,
        .cached_bytes = stats.cached_bytes, .live_arrays = stats.live_arrays, .descriptors = process_descriptors(), .threads = process_threads(),
        .pool_bytes = pool_bytes()
    };
    for (uint64_t i = 0; i < load.options.tasks; i++)
        sample->completed += atomic_load(&load.tasks[i].completed);
}

/* ---- text */

static double rate(const struct sample *from, const struct sample *to)
{
    return (double)(to->completed - from->completed) / (to->seconds - from->seconds);
}

static double mebi(uint64_t bytes)
{
    return (double)bytes / (1 << 20);
}

static double micro(uint64_t ns)
{
    return (double)ns / 1000;
}

static void print_windows(const struct report *report)
{
    printf("%8s %12s %10s %10s %10s %10s %10s %9s %12s %8s\n", "seconds", "operations/s", "RSS MiB", "live MiB", "deferred", "cached", "pool",
           "arrays", "descriptors", "threads");
    for (int i = 0; i < report->count; i++) {
        const struct sample *sample = &report->samples[i];
        printf("%8.1f %12.0f %10.1f %10.2f %10.2f %10.2f %10.2f %9llu %12llu %8llu\n", sample->seconds, i ? rate(sample - 1, sample) : 0,
               mebi(sample->resident_bytes), mebi(sample->live_bytes), mebi(sample->deferred_bytes), mebi(sample->cached_bytes),
               mebi(sample->pool_bytes), (unsigned long long)sample->live_arrays, (unsigned long long)sample->descriptors, (unsigned long long)sample->threads);
    }
}

static void print_spread(const char *name, const struct spread *duration, const struct spread *wait)
{
    printf("%-14s ", name);
    if (duration)
        printf("%10llu %11.1f %11.1f %11.1f ", (unsigned long long)duration->count, micro(duration->p50_ns), micro(duration->p99_ns), micro(duration->most_ns));
    else
        printf("%46s ", "");
    printf("%10llu %11.1f %11.1f %11.1f\n", (unsigned long long)wait->count, micro(wait->p50_ns), micro(wait->p99_ns), micro(wait->most_ns));
}

static void print_operations(void)
{
    printf("\n%-14s %46s %46s\n", "", "the operation took, us", "waits for a lock of memory, us");
    printf("%-14s %10s %11s %11s %11s %10s %11s %11s %11s\n", "operation", "count", "p50", "p99", "most", "count", "p50", "p99", "most");
    for (int i = 0; i < OPERATIONS; i++) {
        struct spread duration = durations_of((enum operation)i), wait = waits_of((enum operation)i);
        print_spread(operation_names[i], &duration, &wait);
    }
    struct spread all = waits_of_all(), others = waits_for_others();
    print_spread("all", NULL, &all);
    print_spread("other locks", NULL, &others);
}

void report_print(const struct report *report)
{
    const struct options *options = &load.options;
    printf("%llu tasks, %llu arrays, %llu streams, driver %s\n\n", (unsigned long long)options->tasks, (unsigned long long)options->arrays,
           (unsigned long long)options->streams, load.soft ? "soft" : "cuda");
    print_windows(report);
    print_operations();
    printf("\noperations of a task: %llu to %llu\n", (unsigned long long)report->least, (unsigned long long)report->most);
    printf("longest wait for a lock of memory, by the library's own count: %.1f us\n", micro(report->stats.longest_lock_wait_ns));
}

/* ---- JSON: no name holds anything that would have to be escaped */

static void write_samples(FILE *file, const struct report *report)
{
    for (int i = 0; i < report->count; i++) {
        const struct sample *sample = &report->samples[i];
        fprintf(file, "  {\"seconds\": %.3f, \"completed\": %llu, \"resident_bytes\": %llu, \"live_bytes\": %llu, \"deferred_bytes\": %llu, "
                      "\"cached_bytes\": %llu, \"pool_bytes\": %llu, \"live_arrays\": %llu, \"descriptors\": %llu, \"threads\": %llu}%s\n",
                sample->seconds, (unsigned long long)sample->completed, (unsigned long long)sample->resident_bytes,
                (unsigned long long)sample->live_bytes, (unsigned long long)sample->deferred_bytes, (unsigned long long)sample->cached_bytes,
                (unsigned long long)sample->pool_bytes, (unsigned long long)sample->live_arrays, (unsigned long long)sample->descriptors, (unsigned long long)sample->threads,
                i + 1 < report->count ? "," : "");
    }
}

static void write_spread(FILE *file, const char *name, const struct spread *spread)
{
    fprintf(file, "\"%s\": {\"count\": %llu, \"p50_ns\": %llu, \"p99_ns\": %llu, \"most_ns\": %llu}", name, (unsigned long long)spread->count,
            (unsigned long long)spread->p50_ns, (unsigned long long)spread->p99_ns, (unsigned long long)spread->most_ns);
}

static void write_operations(FILE *file)
{
    for (int i = 0; i < OPERATIONS; i++) {
        struct spread duration = durations_of((enum operation)i), wait = waits_of((enum operation)i);
        fprintf(file, "  {\"operation\": \"%s\", ", operation_names[i]);
        write_spread(file, "duration", &duration);
        fprintf(file, ", ");
        write_spread(file, "lock_wait", &wait);
        fprintf(file, "}%s\n", i + 1 < OPERATIONS ? "," : "");
    }
}

int report_write(const struct report *report, const char *path)
{
    FILE *file = fopen(path, "we");
    struct spread all = waits_of_all(), others = waits_for_others();
    if (!file)
        return 1;
    fprintf(file, "{\"driver\": \"%s\", \"tasks\": %llu, \"arrays\": %llu, \"streams\": %llu, \"windows\": [\n", load.soft ? "soft" : "cuda",
            (unsigned long long)load.options.tasks, (unsigned long long)load.options.arrays, (unsigned long long)load.options.streams);
    write_samples(file, report);
    fprintf(file, "], \"operations\": [\n");
    write_operations(file);
    fprintf(file, "], ");
    write_spread(file, "lock_wait", &all);
    fprintf(file, ", ");
    write_spread(file, "other_lock_wait", &others);
    fprintf(file, ", \"longest_lock_wait_ns\": %llu, \"least_of_a_task\": %llu, \"most_of_a_task\": %llu}\n",
            (unsigned long long)report->stats.longest_lock_wait_ns, (unsigned long long)report->least, (unsigned long long)report->most);
    int failed = ferror(file);
    return fclose(file) != 0 || failed;
}

/* ---- verdict */

static int grew(const char *what, uint64_t from, uint64_t to, uint64_t more)
{
    if (to <= from + from / GROWTH_PART + more)
        return 0;
    printf("BROKEN: %s grew from %.1f to %.1f MiB between the second and the last window\n", what, mebi(from), mebi(to));
    return 1;
}

/* The software device's memory is the host's. */
static uint64_t resident_bytes(const struct sample *sample)
{
    return sample->resident_bytes - (load.soft ? sample->cached_bytes : 0);
}

static uint64_t pool_unused(const struct sample *sample)
{
    uint64_t used = sample->live_bytes + sample->deferred_bytes + sample->cached_bytes;
    return sample->pool_bytes > used ? sample->pool_bytes - used : 0;
}

static int cache_grew(const struct report *report)
{
    baton_device_info info = { .struct_size = sizeof info };
    uint64_t most = 0;
    int32_t status = baton_device_info_read(load.runtime, 0, &info, NULL);
    for (int i = 0; i < report->count; i++)
        most = report->samples[i].cached_bytes > most ? report->samples[i].cached_bytes : most;
    if (!status && most <= info.total_bytes / CACHE_PART + GROWTH_BYTES)
        return 0;
    printf("BROKEN: %.1f MiB cached, of %.1f on the device\n", mebi(most), mebi(info.total_bytes));
    return 1;
}

static int fell(const struct report *report)
{
    int last = report->count - 1, third = last / 3;
    double first = rate(&report->samples[0], &report->samples[third]), end = rate(&report->samples[last - third], &report->samples[last]);
    if (first <= FALL * end)
        return 0;
    printf("BROKEN: %.0f operations/s in the first third, %.0f in the last\n", first, end);
    return 1;
}

int report_judge(const struct report *report)
{
    const struct sample *second = &report->samples[2], *last = &report->samples[report->count - 1];
    int broken = 0;
    if (report->least == 0)
        broken += printf("BROKEN: a task got nothing done\n") > 0;
    if (load.options.operations || report->count <= WINDOWS_LEAST)
        return broken;
    broken += grew("resident memory", resident_bytes(second), resident_bytes(last), GROWTH_BYTES) + cache_grew(report) + fell(report);
    return broken + grew("device memory", second->live_bytes + second->deferred_bytes, last->live_bytes + last->deferred_bytes, GROWTH_BYTES) +
           grew("the pool's unused memory", pool_unused(second), pool_unused(last), POOL_BYTES);
}
