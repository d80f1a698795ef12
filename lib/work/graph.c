#include "work/graph.h"

#include <stdlib.h>

#include "base/options.h"
#include "memory/operation.h"
#include "work/submit.h"

/* An update came between: take the new set. */
enum { OUTDATED = 1000 };

int32_t executable_check(const baton_executable *executable, baton_error *err)
{
    int32_t status = handle_check(executable ? &executable->handle : NULL, HANDLE_EXECUTABLE, "executable", err);
    return status ? status : device_usable(executable->device, err);
}

/* Launches in flight need only what the driver and the memories' own tickets keep. */
static enum deferred_result executable_reclaim(struct deferred *node)
{
    baton_executable *executable = (baton_executable *)((char *)node - offsetof(baton_executable, node));
    baton_runtime *runtime = executable->runtime;
    struct device_entry entry;
    if (!device_usable(executable->device, NULL)) {
        if (device_enter(executable->device, &entry, NULL))
            return DEFERRED_LATER;
        runtime_swallow(runtime, executable->device->driver->graph_exec_destroy(executable->native));
        device_leave(executable->device, &entry);
    }
    baton_graph_release(executable->graph);
    pthread_mutex_destroy(&executable->lock);
    handle_free(&executable->handle);
    runtime_release(runtime);
    return DEFERRED_DONE;
}

int32_t baton_executable_retain(baton_executable *executable)
{
    return handle_retain(executable ? &executable->handle : NULL, HANDLE_EXECUTABLE);
}

void baton_executable_release(baton_executable *executable)
{
    if (executable && handle_release(&executable->handle, HANDLE_EXECUTABLE))
        runtime_defer(executable->runtime, &executable->node);
}

static int32_t instantiate(baton_executable *executable, baton_graph *graph, baton_error *err)
{
    struct device_entry entry;
    int32_t status = device_enter(graph->device, &entry, err);
    if (status)
        return status;
    int code = graph->device->driver->graph_instantiate(&executable->native, graph->native, 0);
    device_leave(graph->device, &entry);
    return device_status(graph->device, code, DRIVER_ROW_graph_instantiate, BATON_OP_GRAPH, NULL, err);
}

int32_t baton_graph_instantiate(baton_graph *graph, baton_executable **executable, baton_error *err)
{
    int32_t status = graph_check(graph, err);
    if (status)
        return status;
    if (!executable)
        return fail(err, BATON_ERR_ARGUMENT, "executable is NULL");
    baton_executable *made = calloc(1, sizeof *made);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for an executable graph");
    status = instantiate(made, graph, err);
    if (status) {
        free(made);
        return status;
    }
    handle_init(&made->handle, HANDLE_EXECUTABLE);
    pthread_mutex_init(&made->lock, NULL);
    made->node.reclaim = executable_reclaim;
    made->runtime = graph->runtime;
    made->device = graph->device;
    made->graph = graph;
    baton_graph_retain(graph);
    runtime_retain(made->runtime);
    *executable = made;
    return BATON_OK;
}

static int32_t update_locked(baton_executable *executable, baton_graph *graph, baton_error *err)
{
    struct device_entry entry;
    driver_update_result result = { .result = 0 };
    int32_t status = device_enter(graph->device, &entry, err);
    if (status)
        return status;
    int code = graph->device->driver->graph_update(executable->native, graph->native, &result);
    device_leave(graph->device, &entry);
    if (code == DRIVER_GRAPH_EXEC_UPDATE_FAILURE)
        return fail(err, BATON_ERR_TOPOLOGY, "the graph's shape differs from the executable's (update result %u): instantiate it instead", result.result);
    return device_status(graph->device, code, DRIVER_ROW_graph_update, BATON_OP_GRAPH, NULL, err);
}

int32_t baton_graph_update(baton_executable *executable, baton_graph *graph, baton_error *err)
{
    int32_t status = executable_check(executable, err);
    if (status || (status = graph_check(graph, err)))
        return status;
    if (!device_same(graph->device, executable->device))
        return fail(err, BATON_ERR_DEVICE, "the graph was captured on device %d, the executable belongs to device %d", graph->device->ordinal,
                    executable->device->ordinal);
    baton_graph *old = NULL;
    pthread_mutex_lock(&executable->lock);
    status = update_locked(executable, graph, err);
    if (!status) {
        old = executable->graph;
        baton_graph_retain(graph);
        executable->graph = graph;
    }
    pthread_mutex_unlock(&executable->lock);
    baton_graph_release(old);
    return status;
}

/* The executable's graph of this moment, with a reference. */
static baton_graph *graph_now(baton_executable *executable)
{
    pthread_mutex_lock(&executable->lock);
    baton_graph *graph = executable->graph;
    baton_graph_retain(graph);
    pthread_mutex_unlock(&executable->lock);
    return graph;
}

static int appended(struct operation *op, const struct capture_item *item)
{
    struct memory *memory = item->object;
    return item->access && memory->bytes && operation_append(op, memory, item->access);
}

static int32_t add_set(struct operation *op, const struct capture_set *set, baton_error *err)
{
    int32_t status = BATON_OK;
    for (uint32_t i = 0; i < set->item_count && !status; i++)
        if (item_is_memory(&set->items[i]) && !appended(op, &set->items[i]))
            status = operation_add(op, set->items[i].object, set->items[i].access, err);
    return status;
}

/* C8: the driver does not launch into a capture; the graph becomes a child node behind what the stream has captured so far. */
static int add_child(baton_graph *graph, baton_stream *stream, enum driver_row *row)
{
    const struct driver *driver = stream->device->driver;
    const driver_graph_node *dependencies;
    driver_capture_status status;
    driver_graph_node node;
    driver_graph outer;
    size_t count;
    *row = DRIVER_ROW_capture_info;
    int code = driver->capture_info(stream->native, &status, NULL, &outer, &dependencies, &count);
    if (code || status != DRIVER_CAPTURE_STATUS_ACTIVE)
        return code ? code : DRIVER_STREAM_CAPTURE_INVALIDATED;
    *row = DRIVER_ROW_graph_add_child;
    code = driver->graph_add_child(&node, outer, dependencies, count, graph->native);
    if (code)
        return code;
    *row = DRIVER_ROW_capture_update;
    return driver->capture_update(stream->native, &node, 1, DRIVER_CAPTURE_SET_DEPENDENCIES);
}

static void keep_graph(void *graph)
{
    baton_graph_retain(graph);
}

static void let_graph_go(void *graph)
{
    baton_graph_release(graph);
}

static void count_launch(const struct operation *op)
{
    baton_runtime *runtime = op->stream->runtime;
    atomic_fetch_add_explicit(&runtime->graph_launches, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&runtime->graph_memories, op->count, memory_order_relaxed);
    atomic_fetch_add_explicit(&runtime->graph_waits, op->waits, memory_order_relaxed);
}

static int32_t submit(struct operation *op, baton_executable *executable, baton_graph *graph, baton_error *err)
{
    enum driver_row row = DRIVER_ROW_graph_launch;
    int code, outdated;
    if (op->tracked || op->captured) {
        int32_t status = operation_keep(op, graph, keep_graph, let_graph_go, err);
        if (status) {
            submit_drop(op);
            return status;
        }
        code = add_child(graph, op->stream, &row);
        return submit_end(op, code, row, err);
    }
    pthread_mutex_lock(&executable->lock);
    outdated = executable->graph != graph;
    code = outdated ? DRIVER_SUCCESS : op->stream->device->driver->graph_launch(executable->native, op->stream->native);
    pthread_mutex_unlock(&executable->lock);
    if (outdated) {
        submit_drop(op);
        return OUTDATED;
    }
    if (!code)
        count_launch(op);
    return submit_end(op, code, row, err);
}

/* OUTDATED when the executable was updated after its set was taken. */
static int32_t launch_once(baton_executable *executable, baton_stream *stream, baton_error *err)
{
    struct operation op;
    baton_graph *graph = graph_now(executable);
    operation_init(&op, stream, BATON_OP_GRAPH, 0);
    op.flags = OPERATION_PEER_COPY;         /* what its submissions reach was checked as they were captured */
    int32_t status = add_set(&op, &graph->set, err);
    if (status)
        operation_discard(&op);
    else if (!(status = submit_start(&op, err)))
        status = submit(&op, executable, graph, err);
    baton_graph_release(graph);
    return status;
}

int32_t baton_graph_launch(baton_executable *executable, baton_stream *stream, baton_error *err)
{
    int32_t status = executable_check(executable, err);
    if (status || (status = stream_resolve(&stream, err)))
        return status;
    if (!device_same(executable->device, stream->device))
        return fail(err, BATON_ERR_DEVICE, "the graph belongs to device %d, the stream to device %d", executable->device->ordinal, stream->device->ordinal);
    do
        status = launch_once(executable, stream, err);
    while (status == OUTDATED);
    return status;
}

int32_t baton_graph_info_read(baton_graph *graph, baton_graph_info *info, baton_error *err)
{
    int32_t status = handle_check(graph ? &graph->handle : NULL, HANDLE_GRAPH, "graph", err);
    if (status)
        return status;
    baton_graph_info own = { .struct_size = sizeof own, .device = graph->device->ordinal, };
    for (uint32_t i = 0; i < graph->set.step_count; i++)
        own.steps += graph->set.steps[i].operation != BATON_OP_NONE;
    for (uint32_t i = 0; i < graph->set.item_count; i++) {
        own.memories += item_is_memory(&graph->set.items[i]) ? 1u : 0u;
        own.written += graph->set.items[i].access & BATON_WRITE ? 1u : 0u;
    }
    return options_write(info, &own, sizeof own, "baton_graph_info", err);
}
