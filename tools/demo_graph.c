/* The demo's filters as a graph, in a runtime of its own.
 *
 *     upload        filters                                  download
 *     stage 0 --->  stage 1, stage 2, ... the last stage --->
 *
 * The stages are made once, since a graph names its memories. What is uploaded changes from frame to frame, so that a
 * launch that did nothing would be found out. */
#include "demo.h"

#include <string.h>

#include "progress.h"
#include "tools.h"

enum { WARM_FRAMES = 4 };   /* compared, but neither counted nor timed: the first ones pay for loading code */
enum { UPLOAD, FILTER, DOWNLOAD, STREAMS };

struct chain {
    const struct demo_options *options;
    const struct demo_picture *pictures;    /* two */
    uint8_t *result;
    struct demo_run *run;
    baton_runtime *runtime;
    struct demo_kernels kernels;
    baton_stream *streams[STREAMS];
    baton_array *stages[DEMO_FILTERS + 1];  /* 0 is uploaded, filter i makes i + 1, the last is downloaded */
    baton_executable *executable;           /* NULL: the filters are launched one by one */
};

/* ---- the filters, once */

static int32_t filters_launch(struct chain *chain, baton_error *err)
{
    int32_t status = BATON_OK;
    for (uint32_t i = 0; i < chain->options->filters && !status; i++)
        status = demo_filter_launch(&chain->kernels, &chain->pictures[0].image, i, chain->stages[i + 1],
                                    chain->stages[i], chain->streams[FILTER], err);
    return status;
}

static int32_t filters_capture(struct chain *chain, baton_graph **graph, baton_error *err)
{
    baton_stream *stream = chain->streams[FILTER];
    int32_t status = baton_capture_begin(stream, BATON_CAPTURE_THREAD_LOCAL, err);
    if (status)
        return status;
    status = filters_launch(chain, err);
    if (!status)
        return baton_capture_end(stream, graph, err);
    baton_capture_abandon(stream, NULL);
    return status;
}

/* The executable keeps the graph, and the graph its memories. */
static int32_t executable_make(struct chain *chain, baton_error *err)
{
    baton_graph *graph;
    uint64_t start = tool_now_ns();
    int32_t status = filters_capture(chain, &graph, err);
    if (status)
        return status;
    status = baton_graph_instantiate(graph, &chain->executable, err);
    chain->run->capture_ns = tool_now_ns() - start;
    if (!status)
        status = baton_graph_info_read(graph, &chain->run->graph, err);
    baton_graph_release(graph);
    return status;
}

/* ---- frames */

static int32_t frame_run(struct chain *chain, const struct demo_picture *picture, baton_error *err)
{
    const struct image *image = &picture->image;
    int32_t status = baton_upload(chain->stages[0], image->samples, image->bytes, chain->streams[UPLOAD], err);
    if (status)
        return status;
    status = chain->executable ? baton_graph_launch(chain->executable, chain->streams[FILTER], err)
                               : filters_launch(chain, err);
    if (status)
        return status;
    baton_array *last = chain->stages[chain->options->filters];
    return baton_download(chain->result, image->bytes, last, chain->streams[DOWNLOAD], err);
}

/* Counted so that the last one is pictures[0]. */
static int32_t frames_run(struct chain *chain, uint32_t frames, baton_error *err)
{
    struct progress progress = { .shown_ns = 0 };
    int32_t status = BATON_OK;
    for (uint32_t frame = 0; frame < frames && !status; frame++) {
        const struct demo_picture *picture = &chain->pictures[(frames - 1 - frame) % 2];
        status = frame_run(chain, picture, err);
        if (!status && memcmp(chain->result, picture->expected, picture->image.bytes))
            chain->run->wrong_frames++;
        progress_show(&progress, frame, frames);
    }
    progress_clear(&progress);
    return status;
}

/* The counts since `before`; the members that are no counts stay. */
static void stats_subtract(baton_stats *stats, const baton_stats *before)
{
    stats->operations -= before->operations;
    stats->device_waits -= before->device_waits;
    stats->elided_same -= before->elided_same;
    stats->elided_covered -= before->elided_covered;
    stats->elided_complete -= before->elided_complete;
    stats->host_blocked_ns -= before->host_blocked_ns;
    stats->graph_launches -= before->graph_launches;
    stats->graph_memories -= before->graph_memories;
    stats->graph_waits -= before->graph_waits;
    for (int32_t cause = 0; cause < BATON_HOST_WAIT_CAUSES; cause++)
        stats->host_waits[cause] -= before->host_waits[cause];
}

static int32_t frames_measure(struct chain *chain, baton_error *err)
{
    baton_stats before = { .struct_size = sizeof before };
    struct demo_run *run = chain->run;
    int32_t status = baton_stats_read(chain->runtime, &before, err);
    if (status)
        return status;
    uint64_t start = tool_now_ns();
    status = frames_run(chain, chain->options->frames, err);
    run->wall_ns = tool_now_ns() - start;
    if (!status)
        status = baton_stats_read(chain->runtime, &run->stats, err);
    if (!status)
        stats_subtract(&run->stats, &before);
    return status;
}

/* ---- setting up */

static int32_t streams_create(struct chain *chain, baton_error *err)
{
    int32_t status = BATON_OK;
    for (uint32_t i = 0; i < STREAMS && !status; i++)
        status = baton_stream_create(chain->runtime, 0, 0, 0, &chain->streams[i], err);
    return status;
}

static int32_t stages_create(struct chain *chain, baton_error *err)
{
    int32_t status = BATON_OK;
    for (uint32_t i = 0; i <= chain->options->filters && !status; i++)
        status = demo_array_create(chain->runtime, &chain->pictures[0].image, chain->streams[i ? FILTER : UPLOAD],
                                   &chain->stages[i], err);
    return status;
}

static int32_t chain_open(struct chain *chain, baton_error *err)
{
    int32_t status = baton_runtime_info_read(chain->runtime, &chain->run->info, err);
    if (!status)
        status = demo_kernels_open(chain->runtime, 0, &chain->kernels, err);
    if (!status)
        status = streams_create(chain, err);
    if (!status)
        status = stages_create(chain, err);
    return status;
}

/* What was not made is NULL. */
static void chain_close(struct chain *chain)
{
    baton_executable_release(chain->executable);
    for (uint32_t i = 0; i <= DEMO_FILTERS; i++)
        baton_array_release(chain->stages[i]);
    for (uint32_t i = 0; i < STREAMS; i++)
        baton_stream_release(chain->streams[i]);
    demo_kernels_close(&chain->kernels);
}

static int32_t chain_run(struct chain *chain, int captured, baton_error *err)
{
    int32_t status = chain_open(chain, err);
    if (!status)
        status = frames_run(chain, WARM_FRAMES, err);
    if (!status && captured)
        status = executable_make(chain, err);
    if (!status && captured)
        status = frames_run(chain, WARM_FRAMES, err);
    if (!status)
        status = frames_measure(chain, err);
    chain_close(chain);
    return status;
}

int32_t demo_graph(const struct demo_options *options, const struct demo_picture pictures[2], int captured,
                   uint8_t *result, struct demo_run *run, baton_error *err)
{
    const baton_runtime_options runtime_options = { .struct_size = sizeof runtime_options, .driver = options->driver };
    struct chain chain = { .options = options, .pictures = pictures, .result = result, .run = run };
    *run = (struct demo_run) {
        .info.struct_size = sizeof run->info, .stats.struct_size = sizeof run->stats,
        .graph.struct_size = sizeof run->graph,
    };
    int32_t status = baton_runtime_open(&runtime_options, &chain.runtime, err);
    if (status)
        return status;
    status = chain_run(&chain, captured, err);
    int32_t closed = baton_runtime_close(chain.runtime, status ? NULL : err);
    return status ? status : closed;
}
