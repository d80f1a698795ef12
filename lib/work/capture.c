#include <stdlib.h>

#include "work/graph.h"

static enum deferred_result graph_reclaim(struct deferred *node)
{
    baton_graph *graph = (baton_graph *)((char *)node - offsetof(baton_graph, node));
    baton_runtime *runtime = graph->runtime;
    if (!device_usable(graph->device, NULL))
        runtime_swallow(runtime, graph->device->driver->graph_destroy(graph->native));
    capture_set_release(&graph->set);
    handle_free(&graph->handle);
    runtime_release(runtime);
    return DEFERRED_DONE;
}

int32_t baton_graph_retain(baton_graph *graph)
{
    return handle_retain(graph ? &graph->handle : NULL, HANDLE_GRAPH);
}

void baton_graph_release(baton_graph *graph)
{
    if (graph && handle_release(&graph->handle, HANDLE_GRAPH))
        runtime_defer(graph->runtime, &graph->node);
}

int32_t graph_check(const baton_graph *graph, baton_error *err)
{
    int32_t status = handle_check(graph ? &graph->handle : NULL, HANDLE_GRAPH, "graph", err);
    return status ? status : device_usable(graph->device, err);
}

int32_t baton_capture_begin(baton_stream *stream, int32_t mode, baton_error *err)
{
    int32_t status = stream_resolve(&stream, err);
    return status ? status : capture_begin(stream, mode, err);
}

static baton_graph *graph_new(baton_stream *stream)
{
    baton_graph *graph = calloc(1, sizeof *graph);
    if (!graph)
        return NULL;
    handle_init(&graph->handle, HANDLE_GRAPH);
    graph->node.reclaim = graph_reclaim;
    graph->runtime = stream->runtime;
    graph->device = stream->device;
    runtime_retain(graph->runtime);
    return graph;
}

static void graph_discard(baton_graph *graph)
{
    baton_runtime *runtime = graph->runtime;
    handle_free(&graph->handle);
    runtime_release(runtime);
}

/* A lost device still leaves the capture's memories and kernels to be given back. */
static int32_t capturing(baton_stream **stream, baton_error *err)
{
    int32_t status = stream_resolve(stream, err);
    if (status == BATON_ERR_POISONED)
        capture_abandon(*stream);
    return status;
}

int32_t baton_capture_end(baton_stream *stream, baton_graph **graph, baton_error *err)
{
    int32_t status = capturing(&stream, err);
    if (status)
        return status;
    if (!graph)
        return fail(err, BATON_ERR_ARGUMENT, "graph is NULL");
    baton_graph *made = graph_new(stream);
    if (!made) {
        capture_abandon(stream);            /* cleared in any case */
        return fail(err, BATON_ERR_MEMORY, "no host memory for a graph");
    }
    status = capture_end(stream, &made->native, &made->set, err);
    if (status)
        graph_discard(made);
    else
        *graph = made;
    return status;
}

int32_t baton_capture_abandon(baton_stream *stream, baton_error *err)
{
    int32_t status = capturing(&stream, err);
    if (status)
        return status;
    capture_abandon(stream);
    if (stream_tracked(stream))
        return fail(err, BATON_ERR_CAPTURE, "the capture began on another stream, or a scope is open in it: it goes on");
    runtime_drain(stream->runtime, 0);
    return BATON_OK;
}

int32_t baton_capture_active(baton_stream *stream, int32_t *active, baton_error *err)
{
    int32_t status = stream_resolve(&stream, err);
    if (status)
        return status;
    if (!active)
        return fail(err, BATON_ERR_ARGUMENT, "active is NULL");
    *active = stream_tracked(stream);
    return BATON_OK;
}
