#include "driver/soft/row.h"

#include <stdlib.h>

#include "driver/soft/capture.h"
#include "driver/soft/check.h"
#include "driver/soft/heap.h"

static struct soft_slot *slot_take(void)
{
    struct soft_slot *slot = soft_machine.slots;
    if (!slot)
        return calloc(1, sizeof *slot);
    soft_machine.slots = slot->next;
    return slot;
}

static void slot_give(struct soft_slot *slot)
{
    slot->next = soft_machine.slots;
    soft_machine.slots = slot;
}

static int stream_new(struct soft_context *context, unsigned int flags, struct soft_queue **queue)
{
    struct soft_slot *slot = slot_take();
    int code = slot ? soft_queue_new(context, flags, queue) : DRIVER_OUT_OF_MEMORY;
    if (code)
        goto give_slot;
    (*queue)->slot = slot;
    code = soft_handle_add(&(*queue)->handle, SOFT_QUEUE, slot, context);
    if (code)
        goto drop_queue;
    return DRIVER_SUCCESS;
drop_queue:
    soft_queue_drop(*queue);
give_slot:
    if (slot)
        slot_give(slot);
    return code;
}

int soft_stream_create(driver_stream *stream, unsigned int flags, int priority)
{
    struct soft_context *context;
    struct soft_queue *queue;
    (void)priority;                 /* clamped by the driver, and of no effect here */
    soft_queue_reap();
    ROW_ENTER();
    ROW_TRY(soft_context_get(&context));
    ROW_REQUIRE(stream && flags <= DRIVER_STREAM_NON_BLOCKING, DRIVER_INVALID_VALUE);
    ROW_TRY(stream_new(context, flags, &queue));
    *stream = queue->slot;
    ROW_LEAVE();
}

int soft_stream_destroy(driver_stream stream)
{
    struct soft_queue *queue;
    ROW_ENTER();
    queue = soft_queue_find(stream);
    ROW_REQUIRE(queue, DRIVER_INVALID_HANDLE);
    ROW_TRY(queue->context->sticky);
    soft_queue_drop(queue);
    ROW_LEAVE();
}

int soft_stream_id(driver_stream stream, unsigned long long *id)
{
    struct soft_queue *queue;
    ROW_ENTER();
    ROW_REQUIRE(id, DRIVER_INVALID_VALUE);
    ROW_TRY(soft_queue_get(stream, &queue));
    if (queue->capture)
        ROW_TRY(soft_capture_unasked(queue));
    *id = queue->id;
    ROW_LEAVE();
}

int soft_stream_context(driver_stream stream, driver_context *context)
{
    struct soft_queue *queue;
    ROW_ENTER();
    ROW_REQUIRE(context, DRIVER_INVALID_VALUE);
    ROW_TRY(soft_queue_get(stream, &queue));
    *context = queue->context;
    ROW_LEAVE();
}

int soft_stream_query(driver_stream stream)
{
    struct soft_queue *queue;
    ROW_ENTER();
    ROW_TRY(soft_queue_get(stream, &queue));
    ROW_TRY(soft_capture_unasked(queue));
    ROW_REQUIRE(!soft_queue_busy(queue), DRIVER_NOT_READY);
    soft_check_host(&queue->clock);
    ROW_LEAVE();
}

int soft_stream_synchronize(driver_stream stream)
{
    struct soft_context *context;
    struct soft_queue *queue;
    ROW_ENTER();
    ROW_TRY(soft_queue_get(stream, &queue));
    ROW_TRY(soft_capture_unasked(queue));
    context = queue->context;
    ROW_TRY(soft_queue_wait(queue));
    ROW_TRY(context->sticky);
    soft_pools_settle(context->device);
    ROW_LEAVE();
}
