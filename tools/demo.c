/* baton demo: arguments, the runs, and what becomes of their results. */
#include "demo.h"

#include <getopt.h>
#include <stdlib.h>

#include "tools.h"

enum { RUNS = 2, PICTURES = 2, FRAMES_MOST = 1000000, WHY_BYTES = 160 };

struct demo {
    struct demo_options options;
    struct demo_picture pictures[PICTURES];     /* the one that was read, and for --graph its negative */
    uint8_t *result;                            /* as large as they are */
    uint32_t run_count;
    struct demo_run runs[RUNS];
    const char *titles[RUNS];
};

/* ---- arguments */

static int read_option(int option, const char *value, char *const *argv, struct demo_options *options)
{
    switch (option) {
    case 'd':
        options->driver = value;
        return TOOL_OK;
    case 't':
        if (tool_number(value, 1, DEMO_FILTERS, &options->filters))
            return TOOL_OK;
        return tool_fail("demo: --tasks '%s' is no number from 1 to %d", value, DEMO_FILTERS);
    case 'r':
        if (tool_number(value, 1, FRAMES_MOST, &options->frames))
            return TOOL_OK;
        return tool_fail("demo: --repeat '%s' is no number from 1 to %d", value, FRAMES_MOST);
    case 'n':
        if (tool_number(value, 1, DEMO_DEVICES, &options->devices))
            return TOOL_OK;
        return tool_fail("demo: --devices '%s' is no number from 1 to %d", value, DEMO_DEVICES);
    case 'w':
        options->host_wait_only = 1;
        return TOOL_OK;
    case 'g':
        options->graph = 1;
        return TOOL_OK;
    case ':':
        return tool_fail("demo: option '%s' needs a value", argv[optind - 1]);
    default:
        if (optopt)
            return tool_fail("demo: wrong option '-%c' (baton --help lists them)", optopt);
        return tool_fail("demo: wrong option '%s' (baton --help lists them)", argv[optind - 1]);
    }
}

static int read_arguments(int argc, char **argv, struct demo_options *options)
{
    static const struct option known[] = {
        { "driver", required_argument, NULL, 'd' }, { "tasks", required_argument, NULL, 't' },
        { "repeat", required_argument, NULL, 'r' }, { "host-wait", no_argument, NULL, 'w' },
        { "devices", required_argument, NULL, 'n' }, { "graph", no_argument, NULL, 'g' }, { NULL, 0, NULL, 0 },
    };
    *options = (struct demo_options) { .filters = 4, .frames = 1, .devices = 1 };
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":", known, NULL)) != -1;)
        if (read_option(option, optarg, argv, options))
            return TOOL_FAILURE;
    if (options->graph && options->host_wait_only)
        return tool_fail("demo: --graph and --host-wait exclude each other");
    if (options->graph && options->devices > 1)
        return tool_fail("demo: --graph and --devices exclude each other: a graph is one device's");
    if (argc - optind != 2)
        return tool_fail("demo: %d files are given, two are needed: IN and OUT", argc - optind);
    options->in = argv[optind];
    options->out = argv[optind + 1];
    return TOOL_OK;
}

/* ---- runs */

static struct demo_run *run_new(struct demo *demo, const char *title)
{
    demo->titles[demo->run_count] = title;
    return &demo->runs[demo->run_count++];
}

/* Between devices too the hand-offs are to be the devices'. */
static uint32_t flags_of(const struct demo_options *options)
{
    return options->devices > 1 ? BATON_RUNTIME_PEER_EVENTS : 0;
}

static int run_pipeline(struct demo *demo, uint32_t flags, const char *title)
{
    baton_error err = BATON_ERROR_INIT;
    const struct demo_picture *picture = &demo->pictures[0];
    struct demo_run *run = run_new(demo, title);
    if (demo_pipeline(&demo->options, &picture->image, picture->expected, flags, demo->result, run, &err))
        return tool_fail("%s", err.message);
    return TOOL_OK;
}

static int run_graph(struct demo *demo, int captured, const char *title)
{
    baton_error err = BATON_ERROR_INIT;
    if (demo_graph(&demo->options, demo->pictures, captured, demo->result, run_new(demo, title), &err))
        return tool_fail("%s", err.message);
    return TOOL_OK;
}

/* The first frames of a process pay for loading code and for growing the memory pool: as many as can be under way at
 * once run unreported. */
static int warm_up(struct demo *demo)
{
    baton_error err = BATON_ERROR_INIT;
    const struct demo_picture *picture = &demo->pictures[0];
    struct demo_options few = demo->options;
    struct demo_run run;
    uint32_t under_way = 2 * (few.filters + 2);
    few.frames = few.frames < under_way ? few.frames : under_way;
    int32_t status = demo_pipeline(&few, &picture->image, picture->expected, flags_of(&few), demo->result, &run, &err);
    timeline_free(&run.timeline);
    return status ? tool_fail("%s", err.message) : TOOL_OK;
}

static int run_all(struct demo *demo)
{
    if (demo->options.graph)
        return run_graph(demo, 0, "eager") ? TOOL_FAILURE : run_graph(demo, 1, "graph");
    if (warm_up(demo) || (!demo->options.host_wait_only && run_pipeline(demo, flags_of(&demo->options), "on the device")))
        return TOOL_FAILURE;
    return run_pipeline(demo, BATON_RUNTIME_HOST_WAIT, "host waits (old)");
}

/* ---- pictures */

/* 0, or -1 without memory. */
static int expect(struct demo_picture *picture, uint32_t filters)
{
    picture->expected = malloc(picture->image.bytes);
    return picture->expected ? demo_reference(&picture->image, filters, picture->expected) : -1;
}

static int make_negative(struct image *negative, const struct image *image)
{
    *negative = *image;
    negative->samples = malloc(image->bytes);
    if (!negative->samples)
        return -1;
    for (size_t i = 0; i < image->bytes; i++)
        negative->samples[i] = (uint8_t)(255 - image->samples[i]);
    return 0;
}

static int prepare(struct demo *demo)
{
    char why[WHY_BYTES];
    struct image *image = &demo->pictures[0].image, *negative = &demo->pictures[1].image;
    uint32_t filters = demo->options.filters;
    if (image_read(demo->options.in, image, why, sizeof why))
        return tool_fail("cannot read %s: %s", demo->options.in, why);
    demo->result = malloc(image->bytes);
    int failed = !demo->result || expect(&demo->pictures[0], filters);
    if (!failed && demo->options.graph)
        failed = make_negative(negative, image) || expect(&demo->pictures[1], filters);
    return failed ? tool_fail("no memory for a picture of %u x %u", image->width, image->height) : TOOL_OK;
}

/* ---- results */

static int check(const struct demo *demo)
{
    for (uint32_t i = 0; i < demo->run_count; i++)
        if (demo->runs[i].wrong_frames)
            return TOOL_MISMATCH;
    return TOOL_OK;
}

/* A wrong picture is reported and not written. */
static int finish(struct demo *demo)
{
    char why[WHY_BYTES];
    const struct image *image = &demo->pictures[0].image;
    struct image out = *image;
    int code = check(demo);
    out.samples = demo->result;
    if (code == TOOL_OK && image_write(demo->options.out, &out, why, sizeof why))
        return tool_fail("cannot write %s: %s", demo->options.out, why);
    if (demo->options.graph)
        demo_report_graph(&demo->options, image, demo->runs, demo->titles, demo->run_count);
    else
        demo_report(&demo->options, image, demo->runs, demo->titles, demo->run_count);
    if (code == TOOL_MISMATCH)
        tool_fail("the result differs from the CPU's; %s is not written", demo->options.out);
    return tool_finish(code);
}

static void clean_up(struct demo *demo)
{
    for (uint32_t i = 0; i < demo->run_count; i++)
        timeline_free(&demo->runs[i].timeline);
    for (uint32_t i = 0; i < PICTURES; i++) {
        free(demo->pictures[i].expected);
        image_free(&demo->pictures[i].image);
    }
    free(demo->result);
}

int demo_main(int argc, char **argv)
{
    struct demo demo = { .run_count = 0 };
    int code = read_arguments(argc, argv, &demo.options);
    if (code == TOOL_OK)
        code = prepare(&demo);
    if (code == TOOL_OK)
        code = run_all(&demo);
    if (code == TOOL_OK)
        code = finish(&demo);
    clean_up(&demo);
    return code;
}
