#include "driver/soft/capture.h"

#include <stdlib.h>

#include "driver/soft/row.h"

enum { UPDATE_SUCCESS, UPDATE_ERROR, UPDATE_TOPOLOGY_CHANGED, UPDATE_NODE_TYPE_CHANGED };

static int graph_get(void *handle, enum soft_kind kind, struct soft_graph **graph)
{
    *graph = soft_handle_find(handle, kind);
    return *graph ? (*graph)->context->sticky : DRIVER_INVALID_VALUE;
}

int soft_graph_new(enum soft_kind kind, struct soft_context *context, struct soft_program *program, void **out)
{
    struct soft_graph *graph = calloc(1, sizeof *graph);
    if (!graph)
        return DRIVER_OUT_OF_MEMORY;
    graph->context = context;
    graph->program = program;
    if (soft_handle_add(&graph->handle, kind, graph, context)) {
        free(graph);
        return DRIVER_OUT_OF_MEMORY;
    }
    program->references++;
    *out = graph;
    return DRIVER_SUCCESS;
}

void soft_graph_delete(struct soft_graph *graph)
{
    soft_handle_remove(&graph->handle);
    soft_program_release(graph->program);
    free(graph);
}

int soft_graph_destroy(driver_graph handle)
{
    struct soft_graph *graph;
    ROW_ENTER();
    ROW_TRY(graph_get(handle, SOFT_GRAPH, &graph));
    soft_graph_delete(graph);
    ROW_LEAVE();
}

int soft_graph_instantiate(driver_graph_exec *exec, driver_graph handle, unsigned long long flags)
{
    struct soft_graph *graph;
    ROW_ENTER();
    ROW_REQUIRE(exec && flags <= 15, DRIVER_INVALID_VALUE);
    ROW_TRY(graph_get(handle, SOFT_GRAPH, &graph));
    ROW_TRY(soft_graph_new(SOFT_EXECUTABLE, graph->context, graph->program, exec));
    ROW_LEAVE();
}

int soft_graph_exec_destroy(driver_graph_exec handle)
{
    struct soft_graph *exec;
    ROW_ENTER();
    ROW_TRY(graph_get(handle, SOFT_EXECUTABLE, &exec));
    ROW_TRY(soft_capture_forbids());
    soft_graph_delete(exec);
    ROW_LEAVE();
}

static unsigned int node_difference(const struct soft_node *a, const struct soft_node *b)
{
    if (a->after[0] != b->after[0] || a->after[1] != b->after[1])
        return UPDATE_TOPOLOGY_CHANGED;
    if (!a->task != !b->task || (a->task && a->task->kind != b->task->kind))
        return UPDATE_NODE_TYPE_CHANGED;
    return UPDATE_SUCCESS;
}

static unsigned int program_difference(const struct soft_program *a, const struct soft_program *b)
{
    unsigned int difference = a->count == b->count ? UPDATE_SUCCESS : UPDATE_TOPOLOGY_CHANGED;
    for (int i = 0; i < a->count && !difference; i++)
        difference = node_difference(&a->nodes[i], &b->nodes[i]);
    return difference;
}

/* Launches in flight keep the old program. */
int soft_graph_update(driver_graph_exec handle, driver_graph graph_handle, driver_update_result *result)
{
    struct soft_graph *exec, *graph;
    ROW_ENTER();
    ROW_REQUIRE(result, DRIVER_INVALID_VALUE);
    ROW_TRY(graph_get(handle, SOFT_EXECUTABLE, &exec));
    ROW_TRY(graph_get(graph_handle, SOFT_GRAPH, &graph));
    *result = (driver_update_result) { .result = program_difference(exec->program, graph->program) };
    ROW_REQUIRE(!result->result, DRIVER_GRAPH_EXEC_UPDATE_FAILURE);
    graph->program->references++;
    soft_program_release(exec->program);
    exec->program = graph->program;
    ROW_LEAVE();
}

int soft_graph_launch(driver_graph_exec handle, driver_stream stream)
{
    struct soft_graph *exec;
    struct soft_queue *queue;
    struct soft_task *task;
    ROW_ENTER();
    ROW_TRY(graph_get(handle, SOFT_EXECUTABLE, &exec));
    ROW_TRY(soft_queue_get(stream, &queue));
    ROW_REQUIRE(exec->context == queue->context, DRIVER_INVALID_VALUE);
    if (queue->capture) {
        soft_capture_invalidate(queue->capture);
        return soft_leave(DRIVER_STREAM_CAPTURE_UNSUPPORTED);
    }
    ROW_TRY(soft_program_follow(exec->program, queue));
    task = soft_task_new(SOFT_TASK_GRAPH, 0, 0);
    if (task) {
        task->as.program = exec->program;
        exec->program->references++;
    }
    ROW_TRY(soft_submit(queue, task));
    ROW_LEAVE();
}
