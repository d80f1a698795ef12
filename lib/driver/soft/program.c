#include "driver/soft/event.h"

#include <stdlib.h>

struct soft_program *soft_program_new(int device)
{
    struct soft_program *program = calloc(1, sizeof *program);
    if (!program)
        return NULL;
    program->references = 1;
    program->device = device;
    return program;
}

void soft_program_release(struct soft_program *program)
{
    if (!program || --program->references)
        return;
    for (int i = 0; i < program->count; i++)
        soft_task_release(program->nodes[i].task);
    free(program->nodes);
    free(program);
}

void soft_program_run(const struct soft_program *program)
{
    for (int i = 0; i < program->count; i++)
        if (program->nodes[i].task)
            soft_task_run(program->nodes[i].task);
}

static int program_reserve(struct soft_program *program)
{
    int capacity = program->capacity ? 2 * program->capacity : 8;
    struct soft_node *nodes;
    if (program->count < program->capacity)
        return 1;
    nodes = realloc(program->nodes, (size_t)capacity * sizeof *nodes);
    if (!nodes)
        return 0;
    program->nodes = nodes;
    program->capacity = capacity;
    return 1;
}

int soft_capture_add(struct soft_queue *queue, struct soft_task *task, struct soft_event *event, int other)
{
    struct soft_program *program = queue->capture->program;
    if (queue->capture->status != DRIVER_CAPTURE_STATUS_ACTIVE)
        return DRIVER_STREAM_CAPTURE_INVALIDATED;
    if (!task && !event && (other == -1 || other == queue->node))
        return DRIVER_SUCCESS;
    if (!program_reserve(program))
        return DRIVER_OUT_OF_MEMORY;
    if (task)
        task->references++;
    program->nodes[program->count] =
        (struct soft_node) { .task = task, .event = event, .after = { queue->node, other } };
    queue->node = program->count++;
    return DRIVER_SUCCESS;
}

/* Whether every node comes before or is `last`: nothing was forked and left behind. Later nodes never precede earlier
 * ones. */
int soft_program_joined(const struct soft_program *program, int last)
{
    int joined = 1;
    char *seen = calloc((size_t)program->count + 1, 1);
    if (!seen)
        return 0;
    if (last >= 0)
        seen[last] = 1;
    for (int i = program->count - 1; i >= 0; i--) {
        joined = joined && seen[i];
        for (int j = 0; j < 2; j++)
            if (seen[i] && program->nodes[i].after[j] >= 0)
                seen[program->nodes[i].after[j]] = 1;
    }
    free(seen);
    return joined;
}

/* Event waits inside a graph are made before its launch: a launch is one operation. */
int soft_program_follow(const struct soft_program *program, struct soft_queue *queue)
{
    int code = DRIVER_SUCCESS;
    for (int i = 0; i < program->count && !code; i++) {
        struct soft_event *event = program->nodes[i].event;
        if (event && soft_handle_find(event, SOFT_EVENT) && event->record)
            code = soft_queue_push(queue, NULL, event->record, NULL);
    }
    return code;
}
