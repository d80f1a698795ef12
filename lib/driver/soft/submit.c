#include <stdlib.h>

#include "driver/soft/capture.h"
#include "driver/soft/check.h"
#include "driver/soft/schedule.h"

/* Whether work on `queue` follows what was submitted to `other` without an event: the legacy stream's rule. */
static int queue_implied(const struct soft_queue *queue, const struct soft_queue *other)
{
    if (queue == other || !soft_queue_blocking(queue) || !soft_queue_blocking(other))
        return 0;
    return soft_queue_legacy(queue) || soft_queue_legacy(other);
}

static uint32_t queue_implied_count(const struct soft_queue *queue)
{
    uint32_t count = 0;
    if (!soft_queue_legacy(queue))
        return queue_implied(queue, queue->context->legacy) && queue->context->legacy->last;
    for (const struct soft_queue *other = queue->context->queues; other; other = other->next)
        count += queue_implied(queue, other) && other->last;
    return count;
}

static void operation_follow(struct soft_operation *operation, struct soft_operation *earlier)
{
    struct soft_edge *edge = &operation->edges[operation->unmet++];
    edge->dependent = operation;
    edge->next = earlier->dependents;
    earlier->dependents = edge;
}

static void operation_follow_implied(struct soft_operation *operation, struct soft_queue *queue)
{
    struct soft_queue *legacy = queue->context->legacy;
    if (queue != legacy) {
        if (queue_implied(queue, legacy) && legacy->last)
            operation_follow(operation, legacy->last);
        return;
    }
    for (struct soft_queue *other = queue->context->queues; other; other = other->next)
        if (queue_implied(queue, other) && other->last)
            operation_follow(operation, other->last);
}

/* Brings what the queue follows without an event into its clock. */
static void queue_order(struct soft_queue *queue)
{
    struct soft_queue *legacy = queue->context->legacy;
    soft_check_submit(queue);
    if (queue != legacy) {
        if (queue_implied(queue, legacy))
            soft_clock_join(&queue->clock, &legacy->clock);
        return;
    }
    for (struct soft_queue *other = queue->context->queues; other; other = other->next)
        if (queue_implied(queue, other))
            soft_clock_join(&queue->clock, &other->clock);
}

static void queue_append(struct soft_queue *queue, struct soft_operation *operation)
{
    operation->references++;
    if (queue->tail)
        queue->tail->next = operation;
    else
        queue->head = operation;
    queue->tail = operation;
    soft_operation_release(queue->last);
    queue->last = operation;
    operation->references++;
    if (queue->head == operation && !operation->unmet && queue->started)
        pthread_cond_signal(&queue->wake);
}

static struct soft_operation *operation_new(struct soft_queue *queue, struct soft_task *task, uint32_t edges)
{
    struct soft_operation *operation = calloc(1, sizeof *operation + edges * sizeof *operation->edges);
    if (!operation)
        return NULL;
    operation->references = 1;
    operation->queue = queue;
    operation->task = task;
    return operation;
}

int soft_queue_push(struct soft_queue *queue, struct soft_task *task, struct soft_operation *after,
                    struct soft_operation **out)
{
    int follows = after && !after->done;
    uint32_t edges = queue_implied_count(queue) + (uint32_t)follows;
    int instant = !task && !edges && !queue->head;
    struct soft_operation *operation;
    if (!instant && soft_queue_start(queue))
        return DRIVER_OUT_OF_MEMORY;
    operation = operation_new(queue, task, edges);
    if (!operation)
        return DRIVER_OUT_OF_MEMORY;
    queue_order(queue);
    operation_follow_implied(operation, queue);
    if (follows)
        operation_follow(operation, after);
    if (after)
        soft_clock_join(&queue->clock, &after->clock);
    if (task)
        operation->fault = soft_check_task(queue, task);
    soft_clock_raise(&queue->clock, queue->clock_slot, ++soft_machine.ticks[queue->clock_slot]);
    operation->done = instant;
    if (!instant)
        queue_append(queue, operation);
    if (out) {
        soft_clock_join(&operation->clock, &queue->clock);
        *out = operation;
    } else {
        soft_operation_release(operation);
    }
    return DRIVER_SUCCESS;
}

int soft_submit(struct soft_queue *queue, struct soft_task *task)
{
    int code;
    if (!task)
        return DRIVER_OUT_OF_MEMORY;
    if (queue->capture) {
        code = soft_capture_add(queue, task, NULL);
        soft_task_release(task);
        return code;
    }
    code = soft_capture_implicit(queue);
    if (!code)
        code = soft_queue_push(queue, task, NULL, NULL);
    if (code)
        soft_task_release(task);
    return code;
}

static int operation_wait_seeded(struct soft_operation *operation)
{
    while (!operation->done) {
        if (soft_schedule_one())
            continue;
        if (!soft_machine.running)
            return DRIVER_LAUNCH_TIMEOUT;
        pthread_cond_wait(&soft_machine.progress, &soft_machine.lock);
    }
    return DRIVER_SUCCESS;
}

static void operation_wait_threaded(struct soft_operation *operation)
{
    struct soft_waiter waiter = { .next = operation->waiters };
    if (operation->done)
        return;
    pthread_cond_init(&waiter.done, NULL);
    operation->waiters = &waiter;
    while (!operation->done)
        pthread_cond_wait(&waiter.done, &soft_machine.lock);
    pthread_cond_destroy(&waiter.done);
}

int soft_operation_wait(struct soft_operation *operation)
{
    int code = DRIVER_SUCCESS;
    operation->references++;
    if (soft_machine.seed)
        code = operation_wait_seeded(operation);
    else
        operation_wait_threaded(operation);
    soft_operation_release(operation);
    return code;
}

/* A wait for the legacy stream is one for the streams that it follows, too. */
static int queue_wait_legacy(struct soft_queue *queue)
{
    struct soft_operation *record;
    int code = soft_queue_push(queue, NULL, NULL, &record);
    if (code)
        return code;
    code = soft_operation_wait(record);
    if (!code)
        soft_check_host(&record->clock);
    soft_operation_release(record);
    return code;
}

int soft_queue_wait(struct soft_queue *queue)
{
    struct soft_clock clock = { 0 };
    int code = DRIVER_SUCCESS;
    if (soft_queue_legacy(queue))
        return queue_wait_legacy(queue);
    soft_clock_join(&clock, &queue->clock);
    if (queue->last)
        code = soft_operation_wait(queue->last);
    if (!code)
        soft_check_host(&clock);
    soft_clock_clear(&clock);
    return code;
}

int soft_queue_busy(const struct soft_queue *queue)
{
    return queue->last || (soft_queue_legacy(queue) && queue_implied_count(queue));
}
