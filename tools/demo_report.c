/* What the demo prints: one column per run. */
#include "demo.h"

#include <inttypes.h>
#include <stdio.h>

struct report {
    const struct demo_run *runs;
    uint32_t count;
    uint32_t frames;    /* to divide by; 0: totals are shown */
};

typedef uint64_t (*stat_of)(const struct demo_run *run);

static void print_count(const struct report *report, uint64_t count)
{
    if (report->frames)
        printf("  %20.2f", (double)count / report->frames);
    else
        printf("  %20" PRIu64, count);
}

static void print_row(const struct report *report, const char *label, stat_of value)
{
    printf("%-38s", label);
    for (uint32_t i = 0; i < report->count; i++)
        print_count(report, value(&report->runs[i]));
    putchar('\n');
}

static void print_time(const struct report *report, const char *label, stat_of value)
{
    printf("%-38s", label);
    for (uint32_t i = 0; i < report->count; i++)
        printf("  %17.3f ms", (double)value(&report->runs[i]) / 1e6 / (report->frames ? report->frames : 1));
    putchar('\n');
}

static uint64_t operations(const struct demo_run *run) { return run->stats.operations; }
static uint64_t device_waits(const struct demo_run *run) { return run->stats.device_waits; }
static uint64_t same_stream(const struct demo_run *run) { return run->stats.elided_same; }
static uint64_t covered(const struct demo_run *run) { return run->stats.elided_covered; }
static uint64_t complete(const struct demo_run *run) { return run->stats.elided_complete; }
static uint64_t graph_launches(const struct demo_run *run) { return run->stats.graph_launches; }
static uint64_t graph_memories(const struct demo_run *run) { return run->stats.graph_memories; }
static uint64_t graph_waits(const struct demo_run *run) { return run->stats.graph_waits; }
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
        print_count(report, report->runs[i].stats.host_waits[cause]);
    putchar('\n');
}

static void print_saved(const struct report *report)
{
    print_row(report, "waits saved: same stream", same_stream);
    print_row(report, "             already follows", covered);
    print_row(report, "             known to be finished", complete);
}

static void print_host_waits(const struct report *report, const char *between)
{
    print_row(report, between, waits_between);
    for (int32_t cause = 0; cause < BATON_HOST_WAIT_CAUSES; cause++)
        print_cause(report, cause);
    print_row(report, "host waits for the final download", download_waits);
    print_time(report, "time the host was blocked", blocked);
}

static void print_counts(const struct report *report)
{
    print_row(report, "operations submitted", operations);
    print_row(report, "device waits, for hand-offs and frees", device_waits);
    print_saved(report);
    print_host_waits(report, "host waits between the tasks");
    print_time(report, "time from start to end", wall);
}

static void print_counts_per_frame(const struct report *report)
{
    print_row(report, "operations submitted", operations);
    print_row(report, "graph launches, among them", graph_launches);
    print_row(report, "    memories that they took", graph_memories);
    print_row(report, "    device waits that they needed", graph_waits);
    print_row(report, "device waits, these included", device_waits);
    print_saved(report);
    print_host_waits(report, "host waits between the streams");
    print_time(report, "time", wall);
}

/* ---- what is reported on */

static void print_head(const struct demo_options *options, const struct image *image, const baton_runtime_info *info)
{
    printf("picture   %s, %u x %u, %s, %zu bytes\n", options->in, image->width, image->height,
           image->channels == 1 ? "gray" : "color", image->bytes);
    printf("driver    %s, %d device%s\n", info->driver, info->devices, info->devices == 1 ? "" : "s");
    if (info->reason[0])
        printf("          %s\n", info->reason);
}

static void print_tasks(const struct demo_options *options)
{
    printf("tasks     upload, %u filter%s (blur, sharpen, ...), download: a thread and a stream each\n",
           options->filters, options->filters == 1 ? "" : "s");
    if (options->devices > 1)
        printf("          on %u devices in turn (BATON_RUNTIME_PEER_EVENTS)\n", options->devices);
    printf("frames    %u\n\n", options->frames);
}

static void print_graph(const struct demo_options *options, const struct demo_run *run)
{
    const baton_graph_info *graph = &run->graph;
    printf("streams   upload, %u filter%s (blur, sharpen, ...), download: three, and one thread\n", options->filters,
           options->filters == 1 ? "" : "s");
    printf("graph     the filters: %" PRIu64 " submission%s, %" PRIu64 " memories, %" PRIu64 " of them written;\n",
           graph->steps, graph->steps == 1 ? "" : "s", graph->memories, graph->written);
    printf("          captured and instantiated once, in %.3f ms\n", (double)run->capture_ns / 1e6);
    printf("frames    %u: the picture%s\n\n", options->frames,
           options->frames > 1 ? " and its negative in turn, the picture last" : "");
}

static void print_titles(const struct report *report, const char *label, const char *const *titles)
{
    printf("%-38s", label);
    for (uint32_t i = 0; i < report->count; i++)
        printf("  %20s", titles[i]);
    putchar('\n');
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
    const struct report report = { .runs = runs, .count = count };
    print_head(options, image, &runs[0].info);
    print_tasks(options);
    print_titles(&report, "", titles);
    print_counts(&report);
    print_result(&report);
    for (uint32_t i = 0; i < count; i++) {
        printf("\nfirst frame, %s, when submitted (o-> the device waits, o=> the host waits):\n", titles[i]);
        timeline_print(&runs[i].timeline);
    }
}

void demo_report_graph(const struct demo_options *options, const struct image *image, const struct demo_run *runs,
                       const char *const *titles, uint32_t count)
{
    const struct report report = { .runs = runs, .count = count, .frames = options->frames };
    print_head(options, image, &runs[0].info);
    print_graph(options, &runs[count - 1]);
    print_titles(&report, "per frame", titles);
    print_counts_per_frame(&report);
    print_result(&report);
}
