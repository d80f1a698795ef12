/* Stories of captures and graphs. */
#include "plays_acts.h"

/* For the ways out: what is under way is dropped. */
static int32_t abandoned(struct play *play, int32_t status)
{
    baton_capture_abandon(play->a, NULL);
    return status;
}

/* What `body` submits, as an executable. */
static int32_t capture(struct play *play, int32_t mode, int32_t (*body)(struct play *play), baton_graph **graph)
{
    int32_t status = baton_capture_begin(play->a, mode, &play->error);
    if (status)
        return status;
    if ((status = body(play)) || (status = baton_capture_end(play->a, graph, &play->error)))
        return abandoned(play, status);
    return BATON_OK;
}

static int32_t capture_executable(struct play *play, int32_t (*body)(struct play *play), baton_executable **executable)
{
    baton_graph *graph;
    int32_t status = capture(play, BATON_CAPTURE_RELAXED, body, &graph);
    if (status)
        return status;
    status = baton_graph_instantiate(graph, executable, &play->error);
    baton_graph_release(graph);
    return status;
}

static int32_t add(struct play *play)
{
    int32_t active, status = baton_capture_active(play->a, &active, &play->error);
    return status ? status : play_launch(play, play->a, NULL);
}

static int32_t read_graph(struct play *play, baton_graph *graph)
{
    baton_graph_info info = { .struct_size = sizeof info };
    char text[64];
    uint64_t needed;
    int32_t status = baton_graph_info_read(graph, &info, &play->error);
    return status ? status : baton_graph_dot(graph, text, sizeof text, &needed, &play->error);
}

/* Kept by a second reference each, as long as it takes. */
int32_t act_graph(struct play *play)
{
    baton_graph *graph;
    baton_executable *executable;
    int32_t status = capture(play, BATON_CAPTURE_GLOBAL, add, &graph);
    if (status)
        return status;
    if (!(status = baton_graph_retain(graph))) {
        status = read_graph(play, graph);
        baton_graph_release(graph);
    }
    if (!status && !(status = baton_graph_instantiate(graph, &executable, &play->error))) {
        if (!(status = baton_executable_retain(executable))) {
            status = baton_graph_launch(executable, play->b, &play->error);
            baton_executable_release(executable);
        }
        baton_executable_release(executable);
    }
    baton_graph_release(graph);
    return status;
}

static int32_t fill_seven(struct play *play)
{
    return play_fill(play, play->x, 7, play->a);
}

static int32_t fill_nine(struct play *play)
{
    return play_fill(play, play->x, 9, play->a);
}

int32_t act_graph_update(struct play *play)
{
    baton_executable *executable;
    baton_graph *other;
    int32_t status = capture_executable(play, fill_seven, &executable);
    if (status)
        return status;
    if (!(status = capture(play, BATON_CAPTURE_THREAD_LOCAL, fill_nine, &other))) {
        if (!(status = baton_graph_launch(executable, play->a, &play->error)) && !(status = baton_graph_update(executable, other, &play->error)))
            status = baton_graph_launch(executable, play->a, &play->error);
        baton_graph_release(other);
    }
    baton_executable_release(executable);
    return status;
}

static baton_executable *inner;

/* Another graph, another stream and back, an upload, and memory that is made meanwhile. */
static int32_t much(struct play *play)
{
    int32_t host[PLAY_ELEMENTS] = { 0 }, status = baton_graph_launch(inner, play->a, &play->error);
    baton_array *array;
    if (status || (status = baton_stream_follow(play->b, play->a, &play->error)) || (status = play_fill(play, play->y, 6, play->b)) ||
        (status = baton_stream_follow(play->a, play->b, &play->error)) || (status = play_make(play, BATON_DEVICE, &array)))
        return status;
    status = baton_upload(array, host, sizeof host, play->a, &play->error);
    baton_array_release(array);
    return status;
}

int32_t act_graph_nested(struct play *play)
{
    baton_executable *outer;
    int32_t status = capture_executable(play, add, &inner);
    if (status)
        return status;
    if (!(status = capture_executable(play, much, &outer))) {
        status = baton_graph_launch(outer, play->b, &play->error);
        baton_executable_release(outer);
    }
    baton_executable_release(inner);
    return status;
}

static int32_t body(void *user, baton_stream *stream)
{
    struct play *play = user;
    return play_fill(play, play->x, 7, stream);
}

/* Captured, then updated. */
int32_t act_capture_run(struct play *play)
{
    baton_executable *executable = NULL;
    baton_error reason = BATON_ERROR_INIT;
    int32_t outcome, status = BATON_OK;
    for (int i = 0; i < 2 && !status; i++)
        status = baton_capture_run(play->b, BATON_CAPTURE_THREAD_LOCAL, body, play, &executable, &outcome, &reason, &play->error);
    baton_executable_release(executable);
    return status;
}

int32_t act_capture_abandon(struct play *play)
{
    int32_t status = baton_capture_begin(play->a, BATON_CAPTURE_RELAXED, &play->error);
    if (status)
        return status;
    status = fill_nine(play);
    int32_t ended = baton_capture_abandon(play->a, status ? NULL : &play->error);
    return status ? status : ended;
}
