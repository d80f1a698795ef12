#include "driver/soft/capture.h"

#include <stdlib.h>

#include "driver/soft/row.h"

/* ---- the life of a capture */

void soft_capture_release(struct soft_capture *capture)
{
    if (!capture || --capture->references)
        return;
    free(capture);
}

void soft_capture_invalidate(struct soft_capture *capture)
{
    if (capture->status == DRIVER_CAPTURE_STATUS_ACTIVE)
        capture->status = DRIVER_CAPTURE_STATUS_INVALIDATED;
}

int soft_capture_join(struct soft_queue *queue, struct soft_capture *capture, const struct soft_set *after)
{
    int code = soft_set_replace(&queue->after, after->nodes, after->count);
    if (code)
        return code;
    capture->references++;
    queue->capture = capture;
    return DRIVER_SUCCESS;
}

int soft_capture_follow(struct soft_queue *queue, const struct soft_set *after)
{
    if (queue->capture->status != DRIVER_CAPTURE_STATUS_ACTIVE)
        return DRIVER_STREAM_CAPTURE_INVALIDATED;
    return soft_set_add(&queue->after, after->nodes, after->count);
}

int soft_capture_add(struct soft_queue *queue, struct soft_task *task, struct soft_event *event)
{
    struct soft_node *node;
    int code;
    if (queue->capture->status != DRIVER_CAPTURE_STATUS_ACTIVE)
        return DRIVER_STREAM_CAPTURE_INVALIDATED;
    code = soft_program_add(queue->capture->graph->program, task, event, queue->after.nodes, queue->after.count, &node);
    if (code)
        return code;
    code = soft_set_replace(&queue->after, &(driver_graph_node) { node }, 1);
    if (code)
        soft_capture_invalidate(queue->capture);    /* the node is there, and nothing can come behind it */
    return code;
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
    soft_set_clear(&queue->after);
    soft_capture_release(capture);
}

/* Every queue that takes part leaves; the graph goes unless it was handed out. The caller holds a reference. */
static void capture_finish(struct soft_capture *capture)
{
    capture->status = DRIVER_CAPTURE_STATUS_NONE;
    capture->origin = NULL;
    capture_unlink(capture);
    if (capture->graph)
        soft_graph_delete(capture->graph);
    capture->graph = NULL;
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

int soft_capture_info(driver_stream stream, driver_capture_status *status, driver_capture_id *id, driver_graph *graph,
                      const driver_graph_node **dependencies, size_t *count)
{
    struct soft_queue *queue, *other = NULL;
    ROW_ENTER();
    ROW_TRY(soft_queue_get(stream, &queue));
    ROW_REQUIRE(status, DRIVER_INVALID_VALUE);
    ROW_REQUIRE(!capture_implied(queue, &other), DRIVER_STREAM_CAPTURE_IMPLICIT);
    *status = queue->capture ? queue->capture->status : DRIVER_CAPTURE_STATUS_NONE;
    if (*status != DRIVER_CAPTURE_STATUS_ACTIVE)
        return soft_leave(DRIVER_SUCCESS);
    if (id)
        *id = queue->capture->id;
    if (graph)
        *graph = queue->capture->graph;
    if (dependencies)
        *dependencies = queue->after.nodes;
    if (count)
        *count = queue->after.count;
    ROW_LEAVE();
}

static void set_loosen(const struct soft_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        ((struct soft_node *)set->nodes[i])->loose = 1;
}

static int capture_set(struct soft_queue *queue, const driver_graph_node *nodes, size_t count)
{
    struct soft_set after = { 0 };
    int code = soft_set_add(&after, nodes, count);
    if (code)
        return code;
    set_loosen(&queue->after);
    soft_set_clear(&queue->after);
    queue->after = after;
    return DRIVER_SUCCESS;
}

int soft_capture_update(driver_stream stream, driver_graph_node *nodes, size_t count, unsigned int flags)
{
    struct soft_queue *queue;
    ROW_ENTER();
    ROW_TRY(soft_queue_get(stream, &queue));
    ROW_REQUIRE(flags <= DRIVER_CAPTURE_SET_DEPENDENCIES, DRIVER_INVALID_VALUE);
    ROW_REQUIRE(queue->capture, DRIVER_ILLEGAL_STATE);
    ROW_REQUIRE(queue->capture->status == DRIVER_CAPTURE_STATUS_ACTIVE, DRIVER_STREAM_CAPTURE_INVALIDATED);
    ROW_REQUIRE(soft_program_owns(queue->capture->graph->program, nodes, count), DRIVER_INVALID_VALUE);
    if (flags)
        ROW_TRY(capture_set(queue, nodes, count));
    else
        ROW_TRY(soft_set_add(&queue->after, nodes, count));
    ROW_LEAVE();
}

static struct soft_capture *capture_new(struct soft_queue *queue, driver_capture_mode mode)
{
    struct soft_capture *capture = calloc(1, sizeof *capture);
    if (!capture)
        return NULL;
    if (soft_graph_new(SOFT_GRAPH, queue->context, soft_program_new(queue->context), &capture->graph)) {
        free(capture);
        return NULL;
    }
    capture->graph->capture = capture;
    capture->mode = mode;
    capture->status = DRIVER_CAPTURE_STATUS_ACTIVE;
    capture->id = ++soft_machine.identifiers;
    capture->thread = soft_thread()->id;
    capture->origin = queue;
    return capture;
}

int soft_capture_begin(driver_stream stream, driver_capture_mode mode)
{
    struct soft_queue *queue;
    struct soft_capture *capture;
    ROW_ENTER();
    ROW_TRY(soft_queue_get(stream, &queue));
    ROW_REQUIRE(mode <= DRIVER_CAPTURE_RELAXED, DRIVER_INVALID_VALUE);
    ROW_REQUIRE(!soft_queue_legacy(queue), DRIVER_STREAM_CAPTURE_UNSUPPORTED);
    ROW_REQUIRE(!queue->capture, DRIVER_ILLEGAL_STATE);
    capture = capture_new(queue, mode);
    ROW_REQUIRE(capture, DRIVER_OUT_OF_MEMORY);
    capture->next = soft_machine.captures;
    soft_machine.captures = capture;
    return soft_leave(soft_capture_join(queue, capture, &(struct soft_set) { 0 }));
}

/* On success the graph is the application's. */
static int capture_result(struct soft_capture *capture, struct soft_queue *queue, driver_graph *graph)
{
    if (capture->mode != DRIVER_CAPTURE_RELAXED && capture->thread != soft_thread()->id)
        return DRIVER_STREAM_CAPTURE_WRONG_THREAD;
    if (capture->status != DRIVER_CAPTURE_STATUS_ACTIVE)
        return DRIVER_STREAM_CAPTURE_INVALIDATED;
    if (!soft_program_joined(capture->graph->program, &queue->after))
        return DRIVER_STREAM_CAPTURE_UNJOINED;
    capture->graph->capture = NULL;
    *graph = capture->graph;
    capture->graph = NULL;
    return DRIVER_SUCCESS;
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
    ROW_REQUIRE(capture, DRIVER_ILLEGAL_STATE);
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
