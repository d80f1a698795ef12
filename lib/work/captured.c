/* Capture, update or make, launch: one call for loops. */
#include <stdlib.h>

#include "work/graph.h"

/* An executable for the graph: the one that is there, updated, or a new one in its place. */
static int32_t renew(baton_executable **executable, baton_graph *graph, int32_t *outcome, baton_error *err)
{
    baton_executable *made;
    int32_t status = *executable ? baton_graph_update(*executable, graph, err) : BATON_ERR_TOPOLOGY;
    if (!status) {
        *outcome = BATON_RUN_UPDATED;
        return BATON_OK;
    }
    if (status != BATON_ERR_TOPOLOGY)
        return status;
    status = baton_graph_instantiate(graph, &made, err);
    if (status)
        return status;
    *outcome = *executable ? BATON_RUN_REBUILT : BATON_RUN_CAPTURED;
    baton_executable_release(*executable);
    *executable = made;
    return BATON_OK;
}

/* The body's status and the capture's; a body that a capture cannot hold says BATON_ERR_CAPTURE, or breaks it. */
struct attempt {
    int32_t body, capture;
    int begun;
    baton_error why;            /* of the capture */
    baton_graph *graph;         /* when both are BATON_OK */
};

static void try_capture(baton_stream *stream, int32_t mode, baton_captured_function function, void *user, struct attempt *attempt)
{
    *attempt = (struct attempt) { .why = error_none() };
    attempt->capture = baton_capture_begin(stream, mode, &attempt->why);
    if (attempt->capture)
        return;
    attempt->begun = 1;
    attempt->body = function(user, stream);
    attempt->capture = baton_capture_end(stream, &attempt->graph, &attempt->why);
    if (attempt->body && !attempt->capture) {
        baton_graph_release(attempt->graph);
        attempt->graph = NULL;
    }
}

static int32_t run_eagerly(baton_stream *stream, baton_captured_function function, void *user, const struct attempt *attempt, int32_t *outcome, baton_error *reason,
                           baton_error *err)
{
    baton_error why = attempt->why;
    if (!attempt->capture)
        fail(&why, BATON_ERR_CAPTURE, "the body did what a capture cannot hold (a download, a wait, or a gate)");
    if (reason)
        fail_with(reason, &why);
    *outcome = BATON_RUN_EAGER;
    int32_t status = function(user, stream);
    return status ? device_returned(stream->device, status, "the body", err) : BATON_OK;
}

int32_t baton_capture_run(baton_stream *stream, int32_t mode, baton_captured_function function, void *user, baton_executable **executable, int32_t *outcome,
                          baton_error *reason, baton_error *err)
{
    struct attempt attempt;
    int32_t what = 0, status = stream_check(stream, err);
    if (status)
        return status;
    if (!function || !executable)
        return fail(err, BATON_ERR_ARGUMENT, "%s is NULL", function ? "executable" : "function");
    if ((*executable && (status = executable_check(*executable, err))) || mode < BATON_CAPTURE_GLOBAL || mode > BATON_CAPTURE_RELAXED)
        return status ? status : fail(err, BATON_ERR_ARGUMENT, "unknown capture mode %d", mode);
    try_capture(stream, mode, function, user, &attempt);
    if ((attempt.capture == BATON_ERR_BUSY && attempt.begun) || attempt.capture == BATON_ERR_POISONED)
        status = fail_with(err, &attempt.why);          /* the body left a scope open, and the capture goes on; or the device is lost */
    else if (attempt.capture || attempt.body == BATON_ERR_CAPTURE)
        status = run_eagerly(stream, function, user, &attempt, &what, reason, err);
    else if (attempt.body)
        status = device_returned(stream->device, attempt.body, "the body", err);
    else if (!(status = renew(executable, attempt.graph, &what, err)))
        status = baton_graph_launch(*executable, stream, err);
    baton_graph_release(attempt.graph);
    if (!status && outcome)
        *outcome = what;
    return status;
}
