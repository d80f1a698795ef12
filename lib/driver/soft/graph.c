#include "driver/soft/capture.h"

#include <stdlib.h>

#include "driver/soft/row.h"

/* A graph under capture counts as long as the capture is alive. */
static int graph_get(void *handle, enum soft_kind kind, struct soft_graph **graph)
{
    *graph = soft_handle_find(handle, kind);
    if (!*graph || ((*graph)->capture && (*graph)->capture->status != DRIVER_CAPTURE_STATUS_ACTIVE))
        return DRIVER_INVALID_VALUE;
    return (*graph)->context->sticky;
}

int soft_graph_new(enum soft_kind kind, struct soft_context *context, struct soft_program *program,
                   struct soft_graph **out)
{
    struct soft_graph *graph = program ? calloc(1, sizeof *graph) : NULL;
    if (!graph)
        goto release_program;
    graph->context = context;
    graph->program = program;
    if (soft_handle_add(&graph->handle, kind, graph, context))
        goto free_graph;
    *out = graph;
    return DRIVER_SUCCESS;
free_graph:
    free(graph);
release_program:
    soft_program_release(program);
    return DRIVER_OUT_OF_MEMORY;
}

void soft_graph_delete(struct soft_graph *graph)
{
    soft_handle_remove(&graph->handle);
    soft_program_release(graph->program);
    free(graph);
}

/* ---- graphs */

int soft_graph_destroy(driver_graph handle)
{
    struct soft_graph *graph;
    ROW_ENTER();
    ROW_TRY(graph_get(handle, SOFT_GRAPH, &graph));
    ROW_REQUIRE(!graph->capture, DRIVER_INVALID_VALUE);
    soft_graph_delete(graph);
    ROW_LEAVE();
}

static int nodes_distinct(const driver_graph_node *nodes, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (soft_set_has(&(struct soft_set) { .nodes = (driver_graph_node *)nodes, .count = i }, nodes[i]))
            return 0;
    return 1;
}

int soft_graph_add_child(driver_graph_node *node, driver_graph handle, const driver_graph_node *dependencies,
                         size_t count, driver_graph child_handle)
{
    struct soft_graph *graph, *child;
    struct soft_node *made;
    struct soft_task *task;
    ROW_ENTER();
    ROW_REQUIRE(node, DRIVER_INVALID_VALUE);
    ROW_TRY(graph_get(handle, SOFT_GRAPH, &graph));
    ROW_TRY(graph_get(child_handle, SOFT_GRAPH, &child));
    ROW_REQUIRE(child->context == graph->context, DRIVER_INVALID_VALUE);
    ROW_REQUIRE(soft_program_owns(graph->program, dependencies, count), DRIVER_INVALID_VALUE);
    ROW_REQUIRE(nodes_distinct(dependencies, count), DRIVER_INVALID_VALUE);
    task = soft_task_graph(soft_program_copy(child->program));
    ROW_REQUIRE(task, DRIVER_OUT_OF_MEMORY);
    int code = soft_program_add(graph->program, task, NULL, dependencies, count, &made);
    soft_task_release(task);
    ROW_TRY(code);
    made->loose = 1;
    *node = made;
    ROW_LEAVE();
}

/* ---- executables */

int soft_graph_instantiate(driver_graph_exec *out, driver_graph handle, unsigned long long flags)
{
    struct soft_context *current;
    struct soft_graph *graph, *exec;
    ROW_ENTER();
    ROW_TRY(soft_context_get(&current));
    ROW_REQUIRE(out && flags <= 15, DRIVER_INVALID_VALUE);
    ROW_TRY(graph_get(handle, SOFT_GRAPH, &graph));
    ROW_TRY(soft_graph_new(SOFT_EXECUTABLE, graph->context, soft_program_copy(graph->program), &exec));
    *out = exec;
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

/* Launches in flight keep the old program. */
int soft_graph_update(driver_graph_exec handle, driver_graph graph_handle, driver_update_result *result)
{
    struct soft_graph *exec, *graph;
    struct soft_program *program;
    ROW_ENTER();
    ROW_REQUIRE(result, DRIVER_INVALID_VALUE);
    ROW_TRY(graph_get(handle, SOFT_EXECUTABLE, &exec));
    ROW_TRY(graph_get(graph_handle, SOFT_GRAPH, &graph));
    *result = (driver_update_result) { .result = soft_program_difference(exec->program, graph->program) };
    ROW_REQUIRE(!result->result, DRIVER_GRAPH_EXEC_UPDATE_FAILURE);
    program = soft_program_copy(graph->program);
    ROW_REQUIRE(program, DRIVER_OUT_OF_MEMORY);
    soft_program_release(exec->program);
    exec->program = program;
    ROW_LEAVE();
}

int soft_graph_launch(driver_graph_exec handle, driver_stream stream)
{
    struct soft_graph *exec;
    struct soft_queue *queue;
    ROW_ENTER();
    ROW_TRY(graph_get(handle, SOFT_EXECUTABLE, &exec));
    ROW_TRY(soft_queue_get(stream, &queue));
    ROW_REQUIRE(exec->context == queue->context, DRIVER_INVALID_VALUE);
    if (queue->capture) {
        soft_capture_invalidate(queue->capture);
        return soft_leave(DRIVER_STREAM_CAPTURE_UNSUPPORTED);
    }
    ROW_TRY(soft_program_follow(exec->program, queue));
    exec->program->references++;
    ROW_TRY(soft_submit(queue, soft_task_graph(exec->program)));
    ROW_LEAVE();
}
