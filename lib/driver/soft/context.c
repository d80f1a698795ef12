#include "driver/soft/context.h"

#include <stdlib.h>

#include "driver/soft/check.h"
#include "driver/soft/event.h"
#include "driver/soft/heap.h"
#include "driver/soft/module.h"
#include "driver/soft/row.h"

struct soft_context *soft_context_top(void)
{
    struct soft_thread *thread = soft_thread();
    return thread->depth ? thread->stack[thread->depth - 1] : NULL;
}

int soft_context_get(struct soft_context **context)
{
    *context = soft_context_top();
    if (!*context)
        return DRIVER_INVALID_CONTEXT;
    if (!(*context)->retained)
        return DRIVER_CONTEXT_IS_DESTROYED;
    return (*context)->sticky;
}

static size_t context_busy(const struct soft_context *context)
{
    size_t count = 0;
    for (const struct soft_queue *queue = context->queues; queue; queue = queue->next)
        count += queue->last != NULL;
    return count;
}

/* What the host knows when the context has come so far: all that is on its streams, what they follow on other devices, and what was on streams that are gone. */
static void context_clock(const struct soft_context *context, struct soft_clock *clock)
{
    for (uint32_t slot = 0; slot < SOFT_SLOTS; slot++)
        if (!soft_machine.busy[slot] && soft_machine.ticks[slot])
            soft_clock_raise(clock, slot, soft_machine.ticks[slot]);
    for (const struct soft_queue *queue = context->queues; queue; queue = queue->next) {
        soft_clock_join(clock, &queue->clock);
        soft_clock_raise(clock, queue->clock_slot, soft_machine.ticks[queue->clock_slot]);
    }
}

int soft_context_drain(struct soft_context *context)
{
    struct soft_clock clock = { 0 };
    size_t count = context_busy(context), filled = 0;
    struct soft_operation **pending = malloc((count + 1) * sizeof(struct soft_operation *));
    int code = pending ? DRIVER_SUCCESS : DRIVER_OUT_OF_MEMORY;
    if (code)
        return code;
    context_clock(context, &clock);
    for (struct soft_queue *queue = context->queues; queue; queue = queue->next)
        if (queue->last) {
            queue->last->references++;
            pending[filled++] = queue->last;
        }
    for (size_t i = 0; i < count; i++) {
        if (!code)
            code = soft_operation_wait(pending[i]);
        soft_operation_release(pending[i]);
    }
    free(pending);
    if (!code)
        soft_check_host(&clock);
    soft_clock_clear(&clock);
    return code;
}

static int context_activate(struct soft_context *context)
{
    int code = soft_handle_add(&context->handle, SOFT_CONTEXT, context, NULL);
    if (code)
        return code;
    code = soft_queue_new(context, 0, &context->legacy);
    if (code) {
        soft_handle_remove(&context->handle);
        return code;
    }
    context->id = ++soft_machine.identifiers;
    return DRIVER_SUCCESS;
}

static void context_clear(struct soft_context *context)
{
    void *object;
    while ((object = soft_handle_any(SOFT_EVENT, context)))
        soft_event_delete(object);
    while ((object = soft_handle_any(SOFT_GRAPH, context)))
        soft_graph_delete(object);
    while ((object = soft_handle_any(SOFT_EXECUTABLE, context)))
        soft_graph_delete(object);
    while ((object = soft_handle_any(SOFT_MODULE, context)))
        soft_module_delete(object);
    soft_blocks_clear(context);
}

void soft_context_destroy(struct soft_context *context)
{
    if (!context->legacy)
        return;
    soft_context_drain(context);
    context->retained = 0;
    context->legacy = NULL;
    for (struct soft_queue *queue = context->queues, *next; queue; queue = next) {
        next = queue->next;
        if (!queue->destroyed)
            soft_queue_drop(queue);
    }
    while (context->queues)             /* those whose thread has yet to see it */
        pthread_cond_wait(&soft_machine.progress, &soft_machine.lock);
    context_clear(context);
    context->peers = 0;
    soft_handle_remove(&context->handle);
}

void soft_context_lose(struct soft_context *context, int code)
{
    if (context->sticky)
        return;
    context->sticky = code;
    for (struct soft_queue *queue = context->queues; queue; queue = queue->next)
        soft_clock_raise(&soft_machine.host, queue->clock_slot, soft_machine.ticks[queue->clock_slot]);
    soft_machine.host_version++;
}

int soft_primary_retain(driver_context *out, driver_device device)
{
    struct soft_context *context;
    ROW_ENTER();
    ROW_REQUIRE(out, DRIVER_INVALID_VALUE);
    ROW_REQUIRE(soft_device_valid(device), DRIVER_INVALID_DEVICE);
    context = &soft_machine.contexts[device];
    ROW_TRY(context->sticky);
    if (!context->retained)
        ROW_TRY(context_activate(context));
    context->retained++;
    *out = context;
    ROW_LEAVE();
}

int soft_primary_release(driver_device device)
{
    struct soft_context *context;
    ROW_ENTER();
    ROW_REQUIRE(soft_device_valid(device), DRIVER_INVALID_DEVICE);
    context = &soft_machine.contexts[device];
    ROW_REQUIRE(context->retained, DRIVER_INVALID_CONTEXT);
    if (--context->retained == 0)
        soft_context_destroy(context);
    ROW_LEAVE();
}

int soft_context_current(driver_context *context)
{
    ROW_ENTER();
    ROW_REQUIRE(context, DRIVER_INVALID_VALUE);
    *context = soft_context_top();
    ROW_LEAVE();
}

int soft_context_push(driver_context context)
{
    struct soft_thread *thread;
    ROW_ENTER();
    thread = soft_thread();
    ROW_REQUIRE(soft_handle_find(context, SOFT_CONTEXT), DRIVER_INVALID_CONTEXT);
    ROW_REQUIRE(thread->depth < SOFT_STACK, DRIVER_OUT_OF_MEMORY);
    thread->stack[thread->depth++] = context;
    ROW_LEAVE();
}

int soft_context_pop(driver_context *context)
{
    struct soft_thread *thread;
    ROW_ENTER();
    thread = soft_thread();
    ROW_REQUIRE(thread->depth, DRIVER_INVALID_CONTEXT);
    thread->depth--;
    if (context)
        *context = thread->stack[thread->depth];
    ROW_LEAVE();
}

int soft_context_set(driver_context context)
{
    struct soft_thread *thread;
    ROW_ENTER();
    thread = soft_thread();
    ROW_REQUIRE(!context || soft_handle_find(context, SOFT_CONTEXT), DRIVER_INVALID_CONTEXT);
    if (thread->depth)
        thread->depth--;
    if (context)
        thread->stack[thread->depth++] = context;
    ROW_LEAVE();
}

int soft_context_id(driver_context handle, unsigned long long *id)
{
    struct soft_context *context;
    ROW_ENTER();
    ROW_REQUIRE(id, DRIVER_INVALID_VALUE);
    context = handle ? soft_handle_find(handle, SOFT_CONTEXT) : soft_context_top();
    ROW_REQUIRE(context && context->retained, DRIVER_INVALID_CONTEXT);
    ROW_TRY(context->sticky);
    *id = context->id;
    ROW_LEAVE();
}

int soft_context_enable_peer(driver_context handle, unsigned int flags)
{
    struct soft_context *context, *peer;
    ROW_ENTER();
    ROW_TRY(soft_context_get(&context));
    peer = soft_handle_find(handle, SOFT_CONTEXT);
    ROW_REQUIRE(peer, DRIVER_INVALID_CONTEXT);
    ROW_REQUIRE(!flags, DRIVER_INVALID_VALUE);
    ROW_REQUIRE(peer != context && !(soft_machine.barred[context->device] >> peer->device & 1U),
                DRIVER_PEER_ACCESS_UNSUPPORTED);
    ROW_REQUIRE(!(context->peers >> peer->device & 1U), DRIVER_PEER_ACCESS_ALREADY_ENABLED);
    context->peers |= 1U << peer->device;
    ROW_LEAVE();
}

int soft_context_priorities(int *least, int *greatest)
{
    struct soft_context *context;
    ROW_ENTER();
    ROW_TRY(soft_context_get(&context));
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    ROW_LEAVE();
}
