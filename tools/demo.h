/* baton demo: a picture passes through a chain of tasks, each a thread with its own stream.
 *
 * upload --> blur --> sharpen --> ... --> download
 *
 * The first task uploads, each filter task makes a new array from the one it gets, the last task downloads. Array
 * handles pass through queues; no task ever waits for the GPU, and the library orders the work. With --devices the
 * tasks take turns among the devices, and a task whose array comes from another one copies it to its own first.
 *
 * With --graph, one thread and three streams do the same: the filters share a stream, and are captured once and
 * launched as a graph for each frame. */
#ifndef BATON_TOOLS_DEMO_H
#define BATON_TOOLS_DEMO_H

#include "baton.h"
#include "netpbm.h"
#include "timeline.h"

enum { DEMO_FILTERS = 64, DEMO_TASKS = DEMO_FILTERS + 2, DEMO_DEVICES = DEMO_TASKS };

struct demo_options {
    const char *in, *out;
    const char *driver;     /* NULL: auto */
    uint32_t filters;       /* 1 … DEMO_FILTERS */
    uint32_t frames;
    uint32_t devices;       /* 1 … DEMO_DEVICES: task i works on device i % devices */
    int host_wait_only;
    int graph;              /* at most one of the two */
};

/* What goes in and what has to come out. */
struct demo_picture {
    struct image image;
    uint8_t *expected;      /* the reference's result, image.bytes */
};

/* What one run showed. */
struct demo_run {
    baton_runtime_info info;
    baton_stats stats;
    uint64_t wall_ns;               /* from the first task's start to the last task's end */
    uint32_t wrong_frames;          /* not equal to the reference */
    struct timeline timeline;       /* of the pipeline's first frame */
    baton_graph_info graph;         /* steps 0: nothing was captured */
    uint64_t capture_ns;            /* what capturing and instantiating took */
};

struct demo_kernels {
    baton_module *module;           /* NULL on the software device */
    baton_kernel *blur, *sharpen;
};

/* Filter i blurs when i is even, and sharpens when it is odd. */
static inline int demo_filter_sharpens(uint32_t filter)
{
    return filter % 2 == 1;
}

/* The filters on the CPU. result has image->bytes bytes. 0, or -1 without memory. */
int demo_reference(const struct image *image, uint32_t filters, uint8_t *result);

/* The same as kernels (out, in, width, height, channels): PTX for CUDA, host functions for the software device. */
int32_t demo_kernels_open(baton_runtime *runtime, int32_t device, struct demo_kernels *kernels, baton_error *err);
void demo_kernels_close(struct demo_kernels *kernels);

/* A new array for one picture on the stream's device, first used there. */
int32_t demo_array_create(baton_runtime *runtime, const struct image *image, baton_stream *stream, baton_array **array,
                          baton_error *err);
/* Launches filter number `filter` on `stream`. */
int32_t demo_filter_launch(const struct demo_kernels *kernels, const struct image *image, uint32_t filter,
                           baton_array *out, baton_array *in, baton_stream *stream, baton_error *err);

/* Runs the pipeline in a runtime of its own, opened with `flags`; result receives the last frame. */
int32_t demo_pipeline(const struct demo_options *options, const struct image *image, const uint8_t *expected,
                      uint32_t flags, uint8_t *result, struct demo_run *run, baton_error *err);

/* Sends the two pictures through in turn, the last frame being pictures[0]: the filters are launched one by one, or,
 * when `captured`, as a graph. Counts and times are those of the frames alone. */
int32_t demo_graph(const struct demo_options *options, const struct demo_picture pictures[2], int captured,
                   uint8_t *result, struct demo_run *run, baton_error *err);

/* Prints one column per run, titles[i] above runs[i], and the timelines. */
void demo_report(const struct demo_options *options, const struct image *image, const struct demo_run *runs,
                 const char *const *titles, uint32_t count);
/* The same for --graph: counts and times per frame. The last run is the graph's. */
void demo_report_graph(const struct demo_options *options, const struct image *image, const struct demo_run *runs,
                       const char *const *titles, uint32_t count);

#endif
