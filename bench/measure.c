#include <math.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "quiet.h"

enum { PAIRS_MOST = 101, PAIRS_LEAST = 5, PAIRS_DROPPED_MOST = 50, RESULTS = 128 };

struct result {
    const char *id, *name, *goal, *unit;
    double floor, ours;                 /* medians; floor 0: none */
    double ratio, low, high;            /* median and quartiles of ours over floor, pair by pair; infinite where the floor's batch
                                         * took no measurable time */
    int pairs, dropped;                 /* those that count, and those whose processor was not quiet */
};

static struct result results[RESULTS];
static int result_count, filter_count;
static const char *const *filters;

uint64_t bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A filter names an id, or the part of it before a slash. */
int bench_wanted(const char *id)
{
    for (int i = 0; i < filter_count; i++) {
        size_t length = strlen(filters[i]);
        if (strncmp(id, filters[i], length) == 0 && (id[length] == 0 || id[length] == '/'))
            return 1;
    }
    return filter_count == 0;
}

void bench_begin(const char *const *asked, int count)
{
    filters = asked;
    filter_count = count;
    printf("%-38s %-42s %10s %10s %9s  %-22s %s\n", "id", "what", "floor ns", "ours ns", "more", "ratio [quartiles]", "goal");
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Sorts. part: 0 the least … 1 the most. */
static double quantile(double *values, int count, double part)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[(int)(part * (count - 1) + 0.5)];
}

static void print_result(const struct result *result)
{
    printf("%-38s %-42s ", result->id, result->name);
    if (result->unit)
        printf("%10s %9.2f%-12s %21s", "", result->ours, result->unit, "");
    else if (result->floor > 0)
        printf("%10.0f %10.0f %+9.0f  %5.3f [%5.3f %5.3f]   ", result->floor, result->ours, result->ours - result->floor,
               result->ratio, result->low, result->high);
    else
        printf("%10s %10.1f %9s  %-22s", "", result->ours, "", "");
    printf(" %s", result->goal);
    if (result->dropped)
        printf(" (%d pairs dropped)", result->dropped);
    printf("\n");
    fflush(stdout);
}

static void keep(const struct result *result)
{
    print_result(result);
    if (result_count < RESULTS)
        results[result_count++] = *result;
}

/* One batch, with nothing of the batch before it under way; nanoseconds per operation. */
static double batch(bench_body body, uint64_t n)
{
    world_idle();
    return (double)body(n) / (double)n;
}

static double budget_s(void)
{
    return world.quick ? 0.4 : 1.2;
}

/* Zero: the processor was shared meanwhile. */
static int measure_pair(const struct bench_case *bench, double *floor, double *ours)
{
    quiet_seek();
    *floor = bench->floor ? batch(bench->floor, bench->batch) : 0;
    *ours = batch(bench->ours, bench->batch);
    return quiet();
}

void bench_measure(const struct bench_case *bench)
{
    double floor[PAIRS_MOST], ours[PAIRS_MOST], ratio[PAIRS_MOST];
    struct result result = { .id = bench->id, .name = bench->name, .goal = bench->goal };
    if (!bench_wanted(bench->id))
        return;
    uint64_t end = bench_now() + (uint64_t)(budget_s() * 1e9);
    for (int i = -1, good; i < PAIRS_MOST && (i < PAIRS_LEAST || bench_now() < end); i += good) {   /* the first pair warms up */
        int at = i < 0 ? 0 : i;
        good = measure_pair(bench, &floor[at], &ours[at]) || result.dropped == PAIRS_DROPPED_MOST;
        ratio[at] = floor[at] > 0 ? ours[at] / floor[at] : (double)INFINITY;
        result.pairs = at + good;
        result.dropped += !good;
    }
    world_idle();
    result.ratio = quantile(ratio, result.pairs, 0.5);
    result.low = quantile(ratio, result.pairs, 0.25);
    result.high = quantile(ratio, result.pairs, 0.75);
    result.floor = quantile(floor, result.pairs, 0.5);
    result.ours = quantile(ours, result.pairs, 0.5);
    keep(&result);
}

void bench_figure(const char *id, const char *name, const char *goal, double value, const char *unit)
{
    struct result result = { .id = id, .name = name, .goal = goal, .unit = unit, .ours = value, .pairs = 1 };
    keep(&result);
}

/* Ids, names and goals hold nothing that JSON would want escaped. */
static void write_result(FILE *file, const struct result *result)
{
    fprintf(file, "  {\"id\": \"%s\", \"name\": \"%s\", \"goal\": \"%s\", ", result->id, result->name, result->goal);
    if (result->unit)
        fprintf(file, "\"value\": %.4f, \"unit\": \"%s\"", result->ours, result->unit);
    else
        fprintf(file, "\"ours_ns\": %.2f", result->ours);
    if (result->floor > 0)
        fprintf(file, ", \"floor_ns\": %.2f", result->floor);
    if (result->floor > 0 && isfinite(result->high))
        fprintf(file, ", \"ratio\": %.4f, \"ratio_quartiles\": [%.4f, %.4f]", result->ratio, result->low, result->high);
    fprintf(file, ", \"pairs\": %d, \"dropped\": %d}", result->pairs, result->dropped);
}

int bench_write(const char *path)
{
    baton_device_info info = { .struct_size = sizeof info };
    FILE *file = fopen(path, "w");
    need(baton_device_info_read(world.runtime, 0, &info, &bench_error));
    if (!file)
        return 1;
    fprintf(file, "{\"driver\": \"%s\", \"device\": \"%s\", \"results\": [\n", world.driver->name, info.name);
    for (int i = 0; i < result_count; i++) {
        write_result(file, &results[i]);
        fprintf(file, "%s\n", i + 1 < result_count ? "," : "");
    }
    fprintf(file, "]}\n");
    int failed = ferror(file);
    return fclose(file) != 0 || failed;
}
