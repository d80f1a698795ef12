#include "plays_acts.h"

uint64_t play_calls[CALL_COUNT];

baton_array_options play_options(int32_t kind, const int64_t *elements, baton_stream *stream)
{
    return (baton_array_options) { .struct_size = sizeof(baton_array_options), .kind = kind, .dtype = BATON_I32, .ndim = 1,
                                   .shape = elements, .stream = stream };
}

int32_t play_make(struct play *play, int32_t kind, baton_array **array)
{
    static const int64_t elements = PLAY_ELEMENTS;
    baton_array_options options = play_options(kind, &elements, play->a);
    return baton_array_create(play->runtime, &options, array, &play->error);
}

int32_t play_fill(struct play *play, baton_array *array, int32_t value, baton_stream *stream)
{
    return baton_fill(array, &value, sizeof value, stream, &play->error);
}

static void kernel(const baton_host_launch *launch, void *const *arguments)
{
    int32_t *to = (int32_t *)(uintptr_t)*(const uint64_t *)arguments[0];
    const int32_t *from = (const int32_t *)(uintptr_t)*(const uint64_t *)arguments[1];
    (void)launch;
    for (int i = 0; i < PLAY_ELEMENTS; i++)
        to[i] = from[i] + 1;
}

int32_t play_kernel(struct play *play, baton_kernel **made)
{
    static const baton_host_parameter parameters[] = { { 8, BATON_WRITE }, { 8, BATON_READ } };
    return baton_kernel_host(play->runtime, 0, kernel, "add", parameters, 2, made, &play->error);
}

int32_t play_open(struct play *play)
{
    baton_runtime_options options = { .struct_size = sizeof options, .driver = "soft:2" };
    int32_t status;
    *play = (struct play) { .error = BATON_ERROR_INIT };
    if ((status = baton_runtime_open(&options, &play->runtime, &play->error)) ||
        (status = baton_stream_create(play->runtime, 0, 0, 0, &play->a, &play->error)) ||
        (status = baton_stream_create(play->runtime, 0, 0, 0, &play->b, &play->error)) || (status = play_make(play, BATON_DEVICE, &play->x)) ||
        (status = play_make(play, BATON_DEVICE, &play->y)) || (status = play_kernel(play, &play->kernel)) ||
        (status = play_fill(play, play->x, PLAY_X, play->a)))
        return status;
    return play_fill(play, play->y, PLAY_Y, play->a);
}

void play_release(struct play *play)
{
    baton_array_release(play->x);
    baton_array_release(play->y);
    baton_kernel_release(play->kernel);
    baton_stream_release(play->a);
    baton_stream_release(play->b);
}

int32_t play_launch(struct play *play, baton_stream *stream, baton_scope *scope)
{
    baton_launch_options options = { .struct_size = sizeof options, .stream = stream, .scope = scope };
    return baton_launch(play->kernel, &options, (baton_argument[]) { baton_out(play->x), baton_in(play->y) }, 2, &play->error);
}

const struct scene scenes[] = {
    { .name = "names", .act = act_names, .x = PLAY_X },
    { .name = "questions", .act = act_questions, .x = PLAY_X },
    { .name = "references", .act = act_references, .x = PLAY_X },
    { .name = "create device memory", .act = act_create_device, .x = 3 },
    { .name = "create host memory", .act = act_create_host, .x = 3 },
    { .name = "create unified memory", .act = act_create_unified, .x = 3 },
    { .name = "fill", .act = act_fill, .x = 7 },
    { .name = "narrow fills", .act = act_fill_narrow, .x = 0x03030303, .between = { 0x01010101, 0x02020202 } },
    { .name = "copy", .act = act_copy, .x = PLAY_Y },
    { .name = "launch", .act = act_launch, .x = PLAY_Y + 1 },
    { .name = "launch in clusters", .act = act_launch_extended, .x = PLAY_Y + 1 },
    { .name = "launch of too many blocks", .act = act_launch_too_large, .x = PLAY_X, .between = { PLAY_Y + 1 } },
    { .name = "ask what fits", .act = act_occupancy, .x = PLAY_Y + 1 },
    { .name = "hand-off", .act = act_hand_off, .x = 6, .between = { PLAY_Y + 1 } },
    { .name = "upload", .act = act_upload, .x = 7 },
    { .name = "download", .act = act_download, .x = PLAY_X },
    { .name = "asynchronous download", .act = act_download_async, .x = PLAY_X },
    { .name = "pinned transfers", .act = act_pinned, .x = 5 },
    { .name = "scope", .act = act_scope, .x = PLAY_Y + 1 },
    { .name = "scope that grows", .act = act_scope_grown, .x = PLAY_Y + 1 },
    { .name = "scope of many streams", .act = act_crowd, .x = PLAY_X, .brief = 1 },
    { .name = "with_managed", .act = act_managed, .x = PLAY_X },
    { .name = "pointer", .act = act_pointer, .x = 7 },
    { .name = "note_use", .act = act_note_use, .x = 7 },
    { .name = "fence", .act = act_fence, .x = PLAY_X },
    { .name = "stream", .act = act_stream, .x = 7 },
    { .name = "synchronize", .act = act_synchronize, .x = PLAY_X },
    { .name = "wait for a task", .act = act_wait, .x = PLAY_Y + 1 },
    { .name = "export and import", .act = act_export, .x = 7 },
    { .name = "export copies", .act = act_export_copies, .x = 7 },
    { .name = "Arrow", .act = act_arrow, .x = PLAY_X },
    { .name = "CUDA array interface", .act = act_interface, .x = 7 },
    { .name = "adopted streams", .act = act_adopt, .x = 7 },
    { .name = "lent stream", .act = act_lent, .x = 7, .between = { PLAY_Y }, .elsewhere = 1 },
    { .name = "wrapped stream", .act = act_wrap_stream, .x = 7 },
    { .name = "resize", .act = act_resize, .x = 3 },
    { .name = "wrap", .act = act_wrap, .x = PLAY_X },
    { .name = "gate", .act = act_gate, .x = 7 },
    { .name = "strided", .act = act_strided, .x = PLAY_X },
    { .name = "elementwise", .act = act_elementwise, .x = 3 * PLAY_Y + 4, .between = { PLAY_Y, 3 * PLAY_Y } },
    { .name = "other device", .act = act_device, .x = 7, .elsewhere = 1 },
    { .name = "legacy stream", .act = act_legacy, .x = 7 },
    { .name = "per-thread stream", .act = act_per_thread, .x = 7 },
    { .name = "kernel", .act = act_kernel, .x = PLAY_X },
    { .name = "module", .act = act_module, .x = PLAY_X },
    { .name = "compile", .act = act_compile, .x = PLAY_X },
    { .name = "graph", .act = act_graph, .x = PLAY_Y + 1 },
    { .name = "graph update", .act = act_graph_update, .x = 9, .between = { 7 } },
    { .name = "graph in a graph", .act = act_graph_nested, .x = PLAY_Y + 1 },
    { .name = "capture and run", .act = act_capture_run, .x = 7 },
    { .name = "abandoned capture", .act = act_capture_abandon, .x = PLAY_X },
    { .name = "dispose", .act = act_dispose, .x = PLAY_X },
    { .name = "drain", .act = act_drain, .x = 3 },
    { .name = "trace", .act = act_trace, .x = PLAY_Y + 1 },
    { .name = "information", .act = act_information, .x = PLAY_X, .elsewhere = 1 },
    { .name = "memory limit", .act = act_limit, .x = PLAY_X },
    { .name = "second runtime", .act = act_second_runtime, .x = PLAY_X, .elsewhere = 1 },
    { .name = "close", .act = act_close, .x = 0, .elsewhere = 1 },
};
const int scene_count = sizeof scenes / sizeof *scenes;
