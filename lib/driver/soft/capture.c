#include "driver/soft/capture.h"

#include <stdlib.h>

#include "driver/soft/row.h"

enum { SOFT_ILLEGAL_STATE = 401 };  /* CUDA_ERROR_ILLEGAL_STATE */

/* ---- the life of a capture */

void soft_capture_release(struct soft_capture *capture)
{
    if (!capture || --capture->references)
        return;
    soft_program_release(capture->program);
    free(capture);
}

void soft_capture_invalidate(struct soft_capture *capture)
{
    if (capture->status == DRIVER_CAPTURE_STATUS_ACTIVE)
        capture->status = DRIVER_CAPTURE_STATUS_INVALIDATED;
}

void soft_capture_join(struct soft_queue *queue, struct soft_capture *capture, int node)
{
    capture->references++;
    queue->capture = capture;
    queue->node = node;
}

static void capture_unlink(struct soft_capture *capture)
{
    struct soft_capture **link = &soft_machine.captures;
    while (*link && *link != capture)
        link = &(*link)->next;
    if (*link)
        *link = capture->next;
}

static void queue_detach(struct soft_queue *queue)
{
    struct soft_capture *capture = queue->capture;
    queue->capture = NULL;
    queue->node = -1;
    soft_capture_release(capture);
}

/* Every queue that takes part leaves. The caller holds a reference. */
static void capture_finish(struct soft_capture *capture)
{
    capture->status = DRIVER_CAPTURE_STATUS_NONE;
    capture->origin = NULL;
    capture_unlink(capture);
    for (int i = 0; i < soft_machine.devices; i++)
        for (struct soft_queue *queue = soft_machine.contexts[i].queues; queue; queue = queue->next)
            if (queue->capture == capture)
                queue_detach(queue);
}

void soft_capture_leave(struct soft_queue *queue)
{
    struct soft_capture *capture = queue->capture;
    soft_capture_invalidate(capture);
    if (capture->origin == queue) {
        capture->references++;
        capture_finish(capture);
        soft_capture_release(capture);
        return;
    }
    queue_detach(queue);
}

/* ---- what a capture forbids */

static int capture_forbids(const struct soft_capture *capture, const struct soft_thread *thread)
{
    if (capture->mode == DRIVER_CAPTURE_RELAXED || thread->mode == DRIVER_CAPTURE_RELAXED)
        return 0;
    if (capture->thread == thread->id)
        return 1;
    return capture->mode == DRIVER_CAPTURE_GLOBAL && thread->mode == DRIVER_CAPTURE_GLOBAL;
}

int soft_capture_forbids(void)
{
    int code = DRIVER_SUCCESS;
    for (struct soft_capture *capture = soft_machine.captures; capture; capture = capture->next)
        if (capture_forbids(capture, soft_thread())) {
            soft_capture_invalidate(capture);
            code = DRIVER_STREAM_CAPTURE_UNSUPPORTED;
        }
    return code;
}

/* The next capture that the legacy stream would have to follow. */
static struct soft_capture *capture_implied(const struct soft_queue *queue, struct soft_queue **other)
{
    if (!soft_machine.captures || !soft_queue_legacy(queue))
        return NULL;
    for (*other = *other ? (*other)->next : queue->context->queues; *other; *other = (*other)->next)
        if ((*other)->capture && soft_queue_blocking(*other))
            return (*other)->capture;
    return NULL;
}

int soft_capture_implicit(const struct soft_queue *queue)
{
    struct soft_queue *other = NULL;
    struct soft_capture *capture;
    int code = DRIVER_SUCCESS;
    while ((capture = capture_implied(queue, &other))) {
        soft_capture_invalidate(capture);
        code = DRIVER_STREAM_CAPTURE_IMPLICIT;
    }
    return code;
}

int soft_capture_unasked(struct soft_queue *queue)
{
    int code;
    if (queue->capture) {
        soft_capture_invalidate(queue->capture);
        return DRIVER_STREAM_CAPTURE_UNSUPPORTED;
    }
    code = soft_capture_implicit(queue);
    return code ? code : soft_capture_forbids();
}

/* ---- rows */

int soft_capture_exchange(driver_capture_mode *mode)
{
    struct soft_thread *thread;
    driver_capture_mode old;
    ROW_ENTER();
    ROW_REQUIRE(mode && *mode <= DRIVER_CAPTURE_RELAXED, DRIVER_INVALID_VALUE);
    thread = soft_thread();
    old = thread->mode;
    thread->mode = *mode;
    *mode = old;
    ROW_LEAVE();
}

int soft_capture_status(driver_stream stream, driver_capture_status *status)
{
    struct soft_queue *queue, *other = NULL;
    ROW_ENTER();
    ROW_TRY(soft_queue_get(stream, &queue));
    ROW_REQUIRE(status, DRIVER_INVALID_VALUE);
    ROW_REQUIRE(!capture_implied(queue, &other), DRIVER_STREAM_CAPTURE_IMPLICIT);
    *status = queue->capture ? queue->capture->status : DRIVER_CAPTURE_STATUS_NONE;
    ROW_LEAVE();
}

int soft_capture_begin(driver_stream stream, driver_capture_mode mode)
{
    struct soft_queue *queue;
    struct soft_capture *capture;
    ROW_ENTER();
    ROW_TRY(soft_queue_get(stream, &queue));
    ROW_REQUIRE(mode <= DRIVER_CAPTURE_RELAXED, DRIVER_INVALID_VALUE);
    ROW_REQUIRE(!soft_queue_legacy(queue), DRIVER_STREAM_CAPTURE_UNSUPPORTED);
    ROW_REQUIRE(!queue->capture, SOFT_ILLEGAL_STATE);
    capture = calloc(1, sizeof *capture);
    ROW_REQUIRE(capture, DRIVER_OUT_OF_MEMORY);
    capture->program = soft_program_new(queue->context->device);
    if (!capture->program) {
        free(capture);
        return soft_leave(DRIVER_OUT_OF_MEMORY);
    }
    capture->mode = mode;
    capture->status = DRIVER_CAPTURE_STATUS_ACTIVE;
    capture->thread = soft_thread()->id;
    capture->origin = queue;
    capture->next = soft_machine.captures;
    soft_machine.captures = capture;
    soft_capture_join(queue, capture, -1);
    ROW_LEAVE();
}

static int capture_result(struct soft_capture *capture, struct soft_queue *queue, driver_graph *graph)
{
    if (capture->mode != DRIVER_CAPTURE_RELAXED && capture->thread != soft_thread()->id)
        return DRIVER_STREAM_CAPTURE_WRONG_THREAD;
    if (capture->status != DRIVER_CAPTURE_STATUS_ACTIVE)
        return DRIVER_STREAM_CAPTURE_INVALIDATED;
    if (!soft_program_joined(capture->program, queue->node))
        return DRIVER_STREAM_CAPTURE_UNJOINED;
    return soft_graph_new(SOFT_GRAPH, queue->context, capture->program, graph);
}

int soft_capture_end(driver_stream stream, driver_graph *graph)
{
    struct soft_queue *queue;
    struct soft_capture *capture;
    int code;
    ROW_ENTER();
    ROW_REQUIRE(graph, DRIVER_INVALID_VALUE);
    *graph = NULL;
    ROW_TRY(soft_queue_get(stream, &queue));
    capture = queue->capture;
    ROW_REQUIRE(capture, SOFT_ILLEGAL_STATE);
    if (capture->origin != queue) {
        soft_capture_invalidate(capture);
        return soft_leave(DRIVER_STREAM_CAPTURE_UNMATCHED);
    }
    code = capture_result(capture, queue, graph);
    capture->references++;
    capture_finish(capture);
    soft_capture_release(capture);
    return soft_leave(code);
}
