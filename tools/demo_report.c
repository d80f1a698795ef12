/* What the demo prints: one column per run. */
#include "demo.h"

#include <inttypes.h>
#include <stdio.h>

struct report {
    const struct demo_run *runs;
    uint32_t count;
};

typedef uint64_t (*stat_of)(const struct demo_run *run);

static void print_row(const struct report *report, const char *label, stat_of value)
{
    printf("%-38s", label);
    for (uint32_t i = 0; i < report->count; i++)
        printf("  %20" PRIu64, value(&report->runs[i]));
    putchar('\n');
}

static void print_time(const struct report *report, const char *label, stat_of value)
{
    printf("%-38s", label);
    for (uint32_t i = 0; i < report->count; i++)
        printf("  %17.3f ms", (double)value(&report->runs[i]) / 1e6);
    putchar('\n');
}

static uint64_t operations(const struct demo_run *run) { return run->stats.operations; }
static uint64_t device_waits(const struct demo_run *run) { return run->stats.device_waits; }
static uint64_t same_stream(const struct demo_run *run) { return run->stats.elided_same; }
static uint64_t covered(const struct demo_run *run) { return run->stats.elided_covered; }
static uint64_t complete(const struct demo_run *run) { return run->stats.elided_complete; }
static uint64_t blocked(const struct demo_run *run) { return run->stats.host_blocked_ns; }
static uint64_t wall(const struct demo_run *run) { return run->wall_ns; }

static uint64_t download_waits(const struct demo_run *run)
{
    return run->stats.host_waits[BATON_HOST_WAIT_DOWNLOAD];
}

static uint64_t waits_between(const struct demo_run *run)
{
    uint64_t sum = 0;
    for (int32_t cause = 0; cause < BATON_HOST_WAIT_CAUSES; cause++)
        if (cause != BATON_HOST_WAIT_DOWNLOAD)
            sum += run->stats.host_waits[cause];
    return sum;
}

static void print_cause(const struct report *report, int32_t cause)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < report->count; i++)
        any |= report->runs[i].stats.host_waits[cause];
    if (!any || cause == BATON_HOST_WAIT_DOWNLOAD)
        return;
    printf("    %-34s", baton_host_wait_name(cause));
    for (uint32_t i = 0; i < report->count; i++)
        printf("  %20" PRIu64, report->runs[i].stats.host_waits[cause]);
    putchar('\n');
}

static void print_counts(const struct report *report)
{
    print_row(report, "operations submitted", operations);
    print_row(report, "device waits, for hand-offs and frees", device_waits);
    print_row(report, "waits saved: same stream", same_stream);
    print_row(report, "             already follows", covered);
    print_row(report, "             known to be finished", complete);
    print_row(report, "host waits between the tasks", waits_between);
    for (int32_t cause = 0; cause < BATON_HOST_WAIT_CAUSES; cause++)
        print_cause(report, cause);
    print_row(report, "host waits for the final download", download_waits);
    print_time(report, "time the host was blocked", blocked);
    print_time(report, "time from start to end", wall);
}

static void print_head(const struct demo_options *options, const struct image *image, const baton_runtime_info *info)
{
    printf("picture   %s, %u x %u, %s, %zu bytes\n", options->in, image->width, image->height,
           image->channels == 1 ? "gray" : "color", image->bytes);
    printf("driver    %s, %d device%s\n", info->driver, info->devices, info->devices == 1 ? "" : "s");
    if (info->reason[0])
        printf("          %s\n", info->reason);
    printf("tasks     upload, %u filter%s (blur, sharpen, ...), download: a thread and a stream each\n",
           options->filters, options->filters == 1 ? "" : "s");
    printf("frames    %u\n\n", options->frames);
}

static void print_result(const struct report *report)
{
    printf("%-38s", "frames that differ from the CPU");
    for (uint32_t i = 0; i < report->count; i++)
        printf("  %20u", report->runs[i].wrong_frames);
    putchar('\n');
}

void demo_report(const struct demo_options *options, const struct image *image, const struct demo_run *runs,
                 const char *const *titles, uint32_t count)
{
    const struct report report = { runs, count };
    print_head(options, image, &runs[0].info);
    printf("%-38s", "");
    for (uint32_t i = 0; i < count; i++)
        printf("  %20s", titles[i]);
    putchar('\n');
    print_counts(&report);
    print_result(&report);
    for (uint32_t i = 0; i < count; i++) {
        printf("\nfirst frame, %s, when submitted (o-> the device waits, o=> the host waits):\n", titles[i]);
        timeline_print(&runs[i].timeline);
    }
}
