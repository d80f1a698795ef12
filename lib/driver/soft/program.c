#include "driver/soft/event.h"

#include <stdlib.h>

enum { UPDATE_SUCCESS, UPDATE_ERROR, UPDATE_TOPOLOGY_CHANGED, UPDATE_NODE_TYPE_CHANGED };

/* ---- the life of a program */

struct soft_program *soft_program_new(const struct soft_context *context)
{
    struct soft_program *program = calloc(1, sizeof *program);
    if (!program)
        return NULL;
    program->references = 1;
    program->context = context;
    return program;
}

static void node_delete(struct soft_node *node)
{
    if (node->handle.key)
        soft_handle_remove(&node->handle);
    soft_set_clear(&node->after);
    soft_task_release(node->task);
    free(node);
}

void soft_program_release(struct soft_program *program)
{
    if (!program || --program->references)
        return;
    for (size_t i = 0; i < program->count; i++)
        node_delete(program->nodes[i]);
    free(program->nodes);
    free(program);
}

static int program_reserve(struct soft_program *program)
{
    size_t capacity = program->capacity ? 2 * program->capacity : 8;
    struct soft_node **nodes;
    if (program->count < program->capacity)
        return DRIVER_SUCCESS;
    nodes = realloc(program->nodes, capacity * sizeof(struct soft_node *));
    if (!nodes)
        return DRIVER_OUT_OF_MEMORY;
    program->nodes = nodes;
    program->capacity = capacity;
    return DRIVER_SUCCESS;
}

int soft_program_add(struct soft_program *program, struct soft_task *task, struct soft_event *event,
                     const driver_graph_node *after, size_t count, struct soft_node **out)
{
    struct soft_node *node;
    int code = program_reserve(program);
    if (code)
        return code;
    node = calloc(1, sizeof *node);
    if (!node)
        return DRIVER_OUT_OF_MEMORY;
    code = soft_set_add(&node->after, after, count);
    if (!code && program->context)
        code = soft_handle_add(&node->handle, SOFT_NODE, node, program->context);
    if (code) {
        node_delete(node);
        return code;
    }
    if (task)
        task->references++;
    node->task = task;
    node->event = event;
    node->program = program;
    node->index = program->count;
    program->nodes[program->count++] = node;
    *out = node;
    return DRIVER_SUCCESS;
}

/* ---- copies */

static int node_copy(const struct soft_node *node, struct soft_program *to)
{
    driver_graph_node *after = calloc(node->after.count + 1, sizeof *after);
    struct soft_node *copy;
    int code;
    if (!after)
        return DRIVER_OUT_OF_MEMORY;
    for (size_t i = 0; i < node->after.count; i++)
        after[i] = to->nodes[((const struct soft_node *)node->after.nodes[i])->index];
    code = soft_program_add(to, node->task, node->event, after, node->after.count, &copy);
    free(after);
    return code;
}

struct soft_program *soft_program_copy(const struct soft_program *program)
{
    struct soft_program *copy = soft_program_new(NULL);
    int code = copy ? DRIVER_SUCCESS : DRIVER_OUT_OF_MEMORY;
    for (size_t i = 0; i < program->count && !code; i++)
        code = node_copy(program->nodes[i], copy);
    if (!code)
        return copy;
    soft_program_release(copy);
    return NULL;
}

/* ---- questions */

int soft_program_owns(const struct soft_program *program, const driver_graph_node *nodes, size_t count)
{
    if (count && !nodes)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const struct soft_node *node = soft_handle_find(nodes[i], SOFT_NODE);
        if (!node || node->program != program)
            return 0;
    }
    return 1;
}

static void set_mark(const struct soft_set *set, char *seen)
{
    for (size_t i = 0; i < set->count; i++)
        seen[((const struct soft_node *)set->nodes[i])->index] = 1;
}

/* Later nodes never precede earlier ones, so one pass from the end sees all. */
int soft_program_joined(const struct soft_program *program, const struct soft_set *last)
{
    int joined = 1;
    char *seen = calloc(program->count + 1, 1);
    if (!seen)
        return 0;
    set_mark(last, seen);
    for (size_t i = program->count; i-- > 0 && joined;) {
        joined = seen[i] || program->nodes[i]->loose;
        set_mark(&program->nodes[i]->after, seen);
    }
    free(seen);
    return joined;
}

static unsigned int edges_difference(const struct soft_set *a, const struct soft_set *b)
{
    if (a->count != b->count)
        return UPDATE_TOPOLOGY_CHANGED;
    for (size_t i = 0; i < a->count; i++)
        if (((const struct soft_node *)a->nodes[i])->index != ((const struct soft_node *)b->nodes[i])->index)
            return UPDATE_TOPOLOGY_CHANGED;
    return UPDATE_SUCCESS;
}

static unsigned int node_difference(const struct soft_node *a, const struct soft_node *b)
{
    unsigned int difference = edges_difference(&a->after, &b->after);
    if (difference)
        return difference;
    if (!a->task != !b->task || (a->task && a->task->kind != b->task->kind))
        return UPDATE_NODE_TYPE_CHANGED;
    if (a->task && a->task->kind == SOFT_TASK_GRAPH)
        return soft_program_difference(a->task->as.program, b->task->as.program);
    return UPDATE_SUCCESS;
}

unsigned int soft_program_difference(const struct soft_program *a, const struct soft_program *b)
{
    unsigned int difference = a->count == b->count ? UPDATE_SUCCESS : UPDATE_TOPOLOGY_CHANGED;
    for (size_t i = 0; i < a->count && !difference; i++)
        difference = node_difference(a->nodes[i], b->nodes[i]);
    return difference;
}

/* ---- launches */

void soft_program_run(const struct soft_program *program)
{
    for (size_t i = 0; i < program->count; i++)
        if (program->nodes[i]->task)
            soft_task_run(program->nodes[i]->task);
}

static int node_follow(const struct soft_node *node, struct soft_queue *queue)
{
    struct soft_event *event = node->event;
    if (node->task && node->task->kind == SOFT_TASK_GRAPH)
        return soft_program_follow(node->task->as.program, queue);
    if (event && soft_handle_find(event, SOFT_EVENT) && event->record)
        return soft_queue_push(queue, NULL, event->record, NULL);
    return DRIVER_SUCCESS;
}

/* Event waits inside a graph are made before its launch: a launch is one operation. */
int soft_program_follow(const struct soft_program *program, struct soft_queue *queue)
{
    int code = DRIVER_SUCCESS;
    for (size_t i = 0; i < program->count && !code; i++)
        code = node_follow(program->nodes[i], queue);
    return code;
}
