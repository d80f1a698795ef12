#include "driver/soft/event.h"

#include <stdlib.h>

#include "driver/soft/check.h"
#include "driver/soft/heap.h"
#include "driver/soft/row.h"

enum { EVENT_FLAGS = DRIVER_EVENT_BLOCKING_SYNC | DRIVER_EVENT_DISABLE_TIMING };

static int event_get(driver_event handle, struct soft_event **event)
{
    *event = soft_handle_find(handle, SOFT_EVENT);
    return *event ? (*event)->context->sticky : DRIVER_INVALID_HANDLE;
}

static void event_forget(struct soft_event *event)
{
    soft_operation_release(event->record);
    event->record = NULL;
    soft_capture_release(event->capture);
    event->capture = NULL;
    soft_set_clear(&event->after);
}

void soft_event_delete(struct soft_event *event)
{
    event_forget(event);
    soft_handle_remove(&event->handle);
    free(event);
}

/* A captured event may not be asked: the capture dies of it. After the capture's end it means nothing until the next
 * record. */
static int event_captured(struct soft_event *event)
{
    if (!event->capture)
        return DRIVER_SUCCESS;
    if (event->capture->status == DRIVER_CAPTURE_STATUS_ACTIVE) {
        soft_capture_invalidate(event->capture);
        return DRIVER_CAPTURED_EVENT;
    }
    return DRIVER_INVALID_VALUE;
}

int soft_event_create(driver_event *out, unsigned int flags)
{
    struct soft_context *context;
    struct soft_event *event;
    ROW_ENTER();
    ROW_TRY(soft_context_get(&context));
    ROW_REQUIRE(out && !(flags & ~(unsigned int)EVENT_FLAGS), DRIVER_INVALID_VALUE);
    event = calloc(1, sizeof *event);
    ROW_REQUIRE(event, DRIVER_OUT_OF_MEMORY);
    event->context = context;
    if (soft_handle_add(&event->handle, SOFT_EVENT, event, context)) {
        free(event);
        return soft_leave(DRIVER_OUT_OF_MEMORY);
    }
    *out = event;
    ROW_LEAVE();
}

int soft_event_destroy(driver_event handle)
{
    struct soft_event *event;
    ROW_ENTER();
    ROW_TRY(event_get(handle, &event));
    soft_event_delete(event);
    ROW_LEAVE();
}

static int event_record_captured(struct soft_event *event, struct soft_queue *queue)
{
    struct soft_capture *capture = queue->capture;
    struct soft_set after = { 0 };
    int code;
    if (capture->status != DRIVER_CAPTURE_STATUS_ACTIVE)
        return DRIVER_STREAM_CAPTURE_INVALIDATED;
    code = soft_set_add(&after, queue->after.nodes, queue->after.count);
    if (code)
        return code;
    capture->references++;
    event_forget(event);
    event->capture = capture;
    event->after = after;
    return DRIVER_SUCCESS;
}

int soft_event_record(driver_event handle, driver_stream stream)
{
    struct soft_event *event;
    struct soft_queue *queue;
    struct soft_operation *record;
    ROW_ENTER();
    ROW_TRY(event_get(handle, &event));
    ROW_TRY(soft_queue_get(stream, &queue));
    ROW_REQUIRE(event->context == queue->context, DRIVER_INVALID_HANDLE);
    if (queue->capture)
        return soft_leave(event_record_captured(event, queue));
    ROW_TRY(soft_capture_implicit(queue));
    ROW_TRY(soft_queue_push(queue, NULL, NULL, &record));
    event_forget(event);
    event->record = record;
    ROW_LEAVE();
}

int soft_event_query(driver_event handle)
{
    struct soft_event *event;
    ROW_ENTER();
    ROW_TRY(event_get(handle, &event));
    ROW_TRY(event_captured(event));
    ROW_TRY(soft_capture_forbids());
    if (!event->record)
        return soft_leave(DRIVER_SUCCESS);
    ROW_REQUIRE(event->record->done, DRIVER_NOT_READY);
    soft_check_host(&event->record->clock);
    ROW_LEAVE();
}

int soft_event_synchronize(driver_event handle)
{
    struct soft_event *event;
    struct soft_context *context;
    struct soft_operation *record;
    int code;
    ROW_ENTER();
    ROW_TRY(event_get(handle, &event));
    ROW_TRY(event_captured(event));
    ROW_TRY(soft_capture_forbids());
    record = event->record;
    context = event->context;
    if (!record)
        return soft_leave(DRIVER_SUCCESS);
    record->references++;           /* the event may be recorded anew or destroyed meanwhile */
    code = soft_operation_wait(record);
    if (!code) {
        soft_check_host(&record->clock);
        soft_pools_settle(context->device);
        code = context->sticky;
    }
    soft_operation_release(record);
    return soft_leave(code);
}

/* The event is part of a capture: the stream follows within it, or joins it. */
static int event_wait_captured(struct soft_event *event, struct soft_queue *queue)
{
    struct soft_capture *capture = event->capture;
    if (capture->status == DRIVER_CAPTURE_STATUS_NONE)
        return DRIVER_INVALID_VALUE;
    if (capture->status != DRIVER_CAPTURE_STATUS_ACTIVE)
        return DRIVER_STREAM_CAPTURE_INVALIDATED;
    if (queue->capture == capture)
        return soft_capture_follow(queue, &event->after);
    if (queue->capture) {
        soft_capture_invalidate(queue->capture);
        soft_capture_invalidate(capture);
        return DRIVER_STREAM_CAPTURE_MERGE;
    }
    if (soft_queue_legacy(queue)) {
        soft_capture_invalidate(capture);
        return DRIVER_STREAM_CAPTURE_IMPLICIT;
    }
    return soft_capture_join(queue, capture, &event->after);
}

/* A capturing stream and an event of the world outside. */
static int event_wait_outside(struct soft_event *event, struct soft_queue *queue, unsigned int flags)
{
    if (queue->capture->status != DRIVER_CAPTURE_STATUS_ACTIVE)
        return DRIVER_STREAM_CAPTURE_INVALIDATED;
    if (flags & DRIVER_EVENT_WAIT_EXTERNAL)
        return soft_capture_add(queue, NULL, event);
    if (!event->record)
        return DRIVER_SUCCESS;
    soft_capture_invalidate(queue->capture);
    return DRIVER_STREAM_CAPTURE_ISOLATION;
}

int soft_stream_wait_event(driver_stream stream, driver_event handle, unsigned int flags)
{
    struct soft_event *event;
    struct soft_queue *queue;
    ROW_ENTER();
    ROW_TRY(soft_queue_get(stream, &queue));
    ROW_TRY(event_get(handle, &event));
    ROW_REQUIRE(flags <= DRIVER_EVENT_WAIT_EXTERNAL, DRIVER_INVALID_VALUE);
    if (event->capture)
        return soft_leave(event_wait_captured(event, queue));
    if (queue->capture)
        return soft_leave(event_wait_outside(event, queue, flags));
    ROW_TRY(soft_capture_implicit(queue));
    if (event->record)
        ROW_TRY(soft_queue_push(queue, NULL, event->record, NULL));
    ROW_LEAVE();
}
