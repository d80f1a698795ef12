#include "driver/soft/queue.h"

#include <signal.h>
#include <stdlib.h>

#include "driver/soft/capture.h"
#include "driver/soft/check.h"
#include "driver/soft/context.h"

enum { SLOTS_FIRST = 1024 };        /* clock slots that are used once before any is used again */

/* ---- operations */

void soft_operation_release(struct soft_operation *operation)
{
    if (!operation || --operation->references)
        return;
    soft_clock_clear(&operation->clock);
    free(operation);
}

struct soft_operation *soft_queue_ready(struct soft_queue *queue)
{
    return queue->head && !queue->running && !queue->head->unmet ? queue->head : NULL;
}

static void queue_wake(struct soft_queue *queue)
{
    if (queue->started)
        pthread_cond_signal(&queue->wake);
}

static void operation_finish(struct soft_operation *operation)
{
    operation->done = 1;
    operation->queue = NULL;
    for (struct soft_edge *edge = operation->dependents; edge; edge = edge->next) {
        struct soft_operation *dependent = edge->dependent;
        if (--dependent->unmet == 0 && dependent->queue->head == dependent)
            queue_wake(dependent->queue);
    }
    operation->dependents = NULL;
    for (struct soft_waiter *waiter = operation->waiters; waiter; waiter = waiter->next)
        pthread_cond_signal(&waiter->done);
    if (soft_machine.seed)
        pthread_cond_broadcast(&soft_machine.progress);
    soft_operation_release(operation);
}

/* The queue is destroyed and empty. Its thread, if it has one, is the caller. */
static void queue_retire(struct soft_queue *queue)
{
    if (queue->previous)
        queue->previous->next = queue->next;
    else
        queue->context->queues = queue->next;
    if (queue->next)
        queue->next->previous = queue->previous;
    soft_machine.busy[queue->clock_slot] = 0;
    soft_clock_clear(&queue->clock);
    pthread_cond_broadcast(&soft_machine.progress);
    if (!queue->started) {
        pthread_cond_destroy(&queue->wake);
        free(queue);
        return;
    }
    queue->next = soft_machine.zombies;
    soft_machine.zombies = queue;
}

static void queue_advance(struct soft_queue *queue, struct soft_operation *operation)
{
    queue->head = operation->next;
    if (!queue->head) {
        queue->tail = NULL;
        soft_operation_release(queue->last);
        queue->last = NULL;
    }
    operation_finish(operation);
}

void soft_queue_run(struct soft_queue *queue, struct soft_operation *operation)
{
    struct soft_task *task = operation->task;
    struct soft_context *context = queue->context;
    if (operation->fault)
        soft_context_lose(context, operation->fault);
    if (task && !context->sticky) {
        queue->running = 1;
        pthread_mutex_unlock(&soft_machine.lock);
        soft_task_run(task);
        pthread_mutex_lock(&soft_machine.lock);
        queue->running = 0;
    }
    soft_task_release(task);
    operation->task = NULL;
    queue_advance(queue, operation);
    if (queue->destroyed && !queue->head && !queue->started)
        queue_retire(queue);
}

/* ---- threads */

static void *queue_thread(void *argument)
{
    struct soft_queue *queue = argument;
    struct soft_operation *operation;
    pthread_mutex_lock(&soft_machine.lock);
    while (queue->head || !queue->destroyed) {
        operation = soft_queue_ready(queue);
        if (operation)
            soft_queue_run(queue, operation);
        else
            pthread_cond_wait(&queue->wake, &soft_machine.lock);
    }
    queue_retire(queue);
    pthread_mutex_unlock(&soft_machine.lock);
    return NULL;
}

/* Signals belong to the application's threads. */
int soft_queue_start(struct soft_queue *queue)
{
    sigset_t all, old;
    if (queue->started || soft_machine.seed)
        return DRIVER_SUCCESS;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    queue->started = !pthread_create(&queue->thread, NULL, queue_thread, queue);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return queue->started ? DRIVER_SUCCESS : DRIVER_OUT_OF_MEMORY;
}

void soft_queue_reap(void)
{
    struct soft_queue *queue;
    pthread_mutex_lock(&soft_machine.lock);
    queue = soft_machine.zombies;
    soft_machine.zombies = NULL;
    pthread_mutex_unlock(&soft_machine.lock);
    while (queue) {
        struct soft_queue *next = queue->next;
        pthread_join(queue->thread, NULL);
        pthread_cond_destroy(&queue->wake);
        free(queue);
        queue = next;
    }
}

/* ---- queues */

/* A slot goes to another queue only when all work of the old one is done, and as late as possible: until then a
 * mistaken use of the old queue's memory is seen. SOFT_SLOTS when all are taken. */
static uint32_t clock_slot_find(void)
{
    uint32_t count = soft_machine.slot_count;
    if (count < SLOTS_FIRST)
        return soft_machine.slot_count++;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = soft_machine.slot_next++ % count;
        if (!soft_machine.busy[slot])
            return slot;
    }
    return count < SOFT_SLOTS ? soft_machine.slot_count++ : SOFT_SLOTS;
}

int soft_queue_new(struct soft_context *context, unsigned int flags, struct soft_queue **out)
{
    uint32_t slot = clock_slot_find();
    struct soft_queue *queue = slot < SOFT_SLOTS ? calloc(1, sizeof *queue) : NULL;
    if (!queue)
        return DRIVER_OUT_OF_MEMORY;
    pthread_cond_init(&queue->wake, NULL);
    queue->context = context;
    queue->flags = flags;
    queue->id = ++soft_machine.identifiers;
    queue->clock_slot = slot;
    soft_machine.busy[slot] = 1;
    queue->next = context->queues;
    if (queue->next)
        queue->next->previous = queue;
    context->queues = queue;
    *out = queue;
    return DRIVER_SUCCESS;
}

void soft_queue_drop(struct soft_queue *queue)
{
    if (queue->capture)
        soft_capture_leave(queue);
    if (queue->handle.key) {
        soft_handle_remove(&queue->handle);
        queue->slot->next = soft_machine.slots;
        soft_machine.slots = queue->slot;
    }
    queue->destroyed = 1;
    if (queue->started)
        queue_wake(queue);
    else if (!queue->head)
        queue_retire(queue);
}

static int queue_own(struct soft_context *context, struct soft_queue **queue)
{
    struct soft_thread *thread = soft_thread();
    struct soft_queue **own = &thread->own[context->device];
    int code = DRIVER_SUCCESS;
    if (!*own || thread->own_ids[context->device] != context->id)
        code = soft_queue_new(context, 0, own);
    if (!code) {
        thread->own_ids[context->device] = context->id;
        *queue = *own;
    }
    return code;
}

/* A real driver follows the handle: it crashes, or works on whichever stream has it by now. */
static int destroyed(driver_stream handle)
{
    const struct soft_slot *slot = soft_machine.slots;
    while (slot && slot != handle)
        slot = slot->next;
    return slot != NULL;
}

struct soft_queue *soft_queue_find(driver_stream handle)
{
    struct soft_queue *queue = soft_handle_find(handle, SOFT_QUEUE);
    if (!queue && destroyed(handle))
        soft_problem("use of stream %p, which was destroyed", (void *)handle);
    return queue;
}

int soft_queue_get(driver_stream handle, struct soft_queue **out)
{
    struct soft_context *context;
    struct soft_queue *queue;
    if (handle && handle != DRIVER_STREAM_LEGACY && handle != DRIVER_STREAM_PER_THREAD) {
        queue = soft_queue_find(handle);
        if (!queue)
            return DRIVER_INVALID_HANDLE;
        *out = queue;
        return queue->context->sticky;
    }
    int code = soft_context_get(&context);
    if (code)
        return code;
    if (handle == DRIVER_STREAM_PER_THREAD)
        return queue_own(context, out);
    *out = context->legacy;
    return DRIVER_SUCCESS;
}
