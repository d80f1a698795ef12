/* The chain of tasks of the demo, in a runtime of its own. */
#include "demo.h"

#include <pthread.h>
#include <string.h>

#include "progress.h"
#include "queue.h"
#include "tools.h"

struct task {
    struct pipeline *pipeline;
    uint32_t index;             /* 0 uploads, the last one downloads, filter i is task i + 1 */
    baton_stream *stream;
    int32_t device;
    struct queue in;            /* arrays from the task before */
    pthread_t thread;
    int started;
};

struct pipeline {
    const struct demo_options *options;
    const struct image *image;
    const uint8_t *expected;
    uint8_t *result;            /* only the download task's while the tasks run */
    struct demo_run *run;       /* so is this */
    baton_runtime *runtime;
    struct demo_kernels kernels[DEMO_DEVICES];
    uint32_t task_count;
    struct progress progress;
    struct task tasks[DEMO_TASKS];

    pthread_mutex_t lock;
    baton_error failure;        /* guarded by lock; the first error of any task, status 0: none */
};

/* ---- what the tasks do with a frame */

static int32_t upload(struct task *task, baton_array **array, baton_error *err)
{
    const struct image *image = task->pipeline->image;
    baton_array *made;
    int32_t status = demo_array_create(task->pipeline->runtime, image, task->stream, &made, err);
    if (status)
        return status;
    status = baton_upload(made, image->samples, image->bytes, task->stream, err);
    if (status)
        baton_array_release(made);
    else
        *array = made;
    return status;
}

/* The array of the task before is released as soon as the launch is submitted: the library gives its memory back in
 * stream order. */
static int32_t filter(struct task *task, baton_array **array, baton_error *err)
{
    const struct pipeline *pipeline = task->pipeline;
    const struct image *image = pipeline->image;
    baton_array *out;
    int32_t status = demo_array_create(pipeline->runtime, image, task->stream, &out, err);
    if (status)
        return status;
    status = demo_filter_launch(&pipeline->kernels[task->device], image, task->index - 1, out, *array, task->stream, err);
    if (status) {
        baton_array_release(out);
        return status;
    }
    baton_array_release(*array);
    *array = out;
    return BATON_OK;
}

static int32_t download(struct task *task, uint32_t frame, baton_array **array, baton_error *err)
{
    struct pipeline *pipeline = task->pipeline;
    size_t bytes = pipeline->image->bytes;
    int32_t status = baton_download(pipeline->result, bytes, *array, task->stream, err);
    if (status)
        return status;
    baton_array_release(*array);
    *array = NULL;
    if (memcmp(pipeline->result, pipeline->expected, bytes))
        pipeline->run->wrong_frames++;
    progress_show(&pipeline->progress, frame, pipeline->options->frames);
    return frame == 0 ? timeline_read(&pipeline->run->timeline, pipeline->runtime, err) : BATON_OK;
}

/* Onto the task's own device, whether or not that could reach the other one's memory. */
static int32_t bring(struct task *task, baton_array **array, baton_error *err)
{
    const struct pipeline *pipeline = task->pipeline;
    baton_array *here;
    int32_t status = demo_array_create(pipeline->runtime, pipeline->image, task->stream, &here, err);
    if (status)
        return status;
    status = baton_copy(here, *array, task->stream, err);
    baton_array_release(status ? here : *array);
    if (!status)
        *array = here;
    return status;
}

static int32_t task_step(struct task *task, uint32_t frame, baton_array **array, baton_error *err)
{
    if (task->index == 0)
        return upload(task, array, err);
    int32_t status = task[-1].device == task->device ? BATON_OK : bring(task, array, err);
    if (status)
        return status;
    if (task->index + 1 == task->pipeline->task_count)
        return download(task, frame, array, err);
    return filter(task, array, err);
}

/* ---- the threads */

static void pipeline_fail(struct pipeline *pipeline, const baton_error *err)
{
    pthread_mutex_lock(&pipeline->lock);
    if (!pipeline->failure.status)
        pipeline->failure = *err;
    pthread_mutex_unlock(&pipeline->lock);
    for (uint32_t i = 0; i < pipeline->task_count; i++)
        queue_close(&pipeline->tasks[i].in);
}

/* Returns whether the task goes on. */
static int task_frame(struct task *task, uint32_t frame)
{
    baton_array *array = NULL;
    baton_error err = BATON_ERROR_INIT;
    if (task->index > 0 && !(array = queue_pop(&task->in)))
        return 0;
    if (task_step(task, frame, &array, &err)) {
        pipeline_fail(task->pipeline, &err);
        if (array)
            baton_array_release(array);
        return 0;
    }
    if (array)
        queue_push(&task[1].in, array);
    return 1;
}

static void *task_main(void *user)
{
    struct task *task = user;
    for (uint32_t frame = 0; frame < task->pipeline->options->frames; frame++)
        if (!task_frame(task, frame))
            break;
    return NULL;
}

static void run_tasks(struct pipeline *pipeline)
{
    uint64_t start = tool_now_ns();
    for (uint32_t i = 0; i < pipeline->task_count; i++) {
        struct task *task = &pipeline->tasks[i];
        task->started = !pthread_create(&task->thread, NULL, task_main, task);
        if (!task->started) {
            const baton_error err = { .status = BATON_ERR_MEMORY, .message = "cannot start a thread for each task" };
            pipeline_fail(pipeline, &err);
            break;
        }
    }
    for (uint32_t i = 0; i < pipeline->task_count; i++)
        if (pipeline->tasks[i].started)
            pthread_join(pipeline->tasks[i].thread, NULL);
    pipeline->run->wall_ns = tool_now_ns() - start;
    progress_clear(&pipeline->progress);
}

/* ---- setting up */

static int32_t streams_create(struct pipeline *pipeline, baton_error *err)
{
    struct timeline *timeline = &pipeline->run->timeline;
    int32_t status = baton_trace_start(pipeline->runtime, TIMELINE_ENTRIES, err);
    for (uint32_t i = 0; i < pipeline->task_count && !status; i++) {
        struct task *task = &pipeline->tasks[i];
        status = baton_stream_create(pipeline->runtime, task->device, 0, 0, &task->stream, err);
        if (!status)
            status = baton_stream_set_task(task->stream, i + 1, err);
        if (!status)
            status = baton_stream_id(task->stream, &timeline->streams[i], err);
    }
    timeline->stream_count = pipeline->task_count;
    return status;
}

static void streams_release(struct pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->task_count; i++)
        if (pipeline->tasks[i].stream)
            baton_stream_release(pipeline->tasks[i].stream);
}

static void queues_init(struct pipeline *pipeline)
{
    pipeline->task_count = pipeline->options->filters + 2;
    for (uint32_t i = 0; i < pipeline->task_count; i++) {
        pipeline->tasks[i] = (struct task) { .pipeline = pipeline, .index = i, .device = (int32_t)(i % pipeline->options->devices) };
        queue_init(&pipeline->tasks[i].in);
    }
}

static void queues_destroy(struct pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->task_count; i++)
        queue_destroy(&pipeline->tasks[i].in);
}

static void kernels_close(struct pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->options->devices; i++)
        demo_kernels_close(&pipeline->kernels[i]);
}

/* On every device; what was not opened is zero. */
static int32_t kernels_open(struct pipeline *pipeline, baton_error *err)
{
    int32_t status = BATON_OK;
    for (uint32_t i = 0; i < pipeline->options->devices && !status; i++)
        status = demo_kernels_open(pipeline->runtime, (int32_t)i, &pipeline->kernels[i], err);
    if (status)
        kernels_close(pipeline);
    return status;
}

/* The runtime is open. */
static int32_t run_in_runtime(struct pipeline *pipeline, baton_error *err)
{
    struct demo_run *run = pipeline->run;
    int32_t status = baton_runtime_info_read(pipeline->runtime, &run->info, err);
    if (!status)
        status = kernels_open(pipeline, err);
    if (status)
        return status;
    queues_init(pipeline);
    status = streams_create(pipeline, err);
    if (!status) {
        run_tasks(pipeline);
        status = pipeline->failure.status;
        if (status && err)
            *err = pipeline->failure;
    }
    if (!status)
        status = baton_stats_read(pipeline->runtime, &run->stats, err);
    queues_destroy(pipeline);
    streams_release(pipeline);
    kernels_close(pipeline);
    return status;
}

int32_t demo_pipeline(const struct demo_options *options, const struct image *image, const uint8_t *expected,
                      uint32_t flags, uint8_t *result, struct demo_run *run, baton_error *err)
{
    const baton_runtime_options runtime_options = {
        .struct_size = sizeof runtime_options, .flags = flags, .driver = options->driver,
    };
    struct pipeline pipeline = {
        .options = options, .image = image, .expected = expected, .result = result, .run = run,
        .lock = PTHREAD_MUTEX_INITIALIZER,
    };
    *run = (struct demo_run) { .info.struct_size = sizeof run->info, .stats.struct_size = sizeof run->stats };
    int32_t status = baton_runtime_open(&runtime_options, &pipeline.runtime, err);
    if (status)
        return status;
    status = run_in_runtime(&pipeline, err);
    int32_t closed = baton_runtime_close(pipeline.runtime, status ? NULL : err);
    return status ? status : closed;
}
