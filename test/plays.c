#include "plays_acts.h"

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
    { "create device memory", act_create_device, 3 },
    { "create host memory", act_create_host, 3 },
    { "create unified memory", act_create_unified, 3 },
    { "fill", act_fill, 7 },
    { "copy", act_copy, PLAY_Y },
    { "launch", act_launch, PLAY_Y + 1 },
    { "launch in clusters", act_launch_extended, PLAY_Y + 1 },
    { "ask what fits", act_occupancy, PLAY_Y + 1 },
    { "hand-off", act_hand_off, 6 },
    { "upload", act_upload, 7 },
    { "download", act_download, PLAY_X },
    { "asynchronous download", act_download_async, PLAY_X },
    { "scope", act_scope, PLAY_Y + 1 },
    { "scope that grows", act_scope_grown, PLAY_Y + 1 },
    { "with_managed", act_managed, PLAY_X },
    { "pointer", act_pointer, 7 },
    { "note_use", act_note_use, 7 },
    { "fence", act_fence, PLAY_X },
    { "stream", act_stream, 7 },
    { "synchronize", act_synchronize, PLAY_X },
    { "export and import", act_export, 7 },
    { "export copies", act_export_copies, 7 },
    { "Arrow", act_arrow, PLAY_X },
    { "CUDA array interface", act_interface, 7 },
    { "adopted streams", act_adopt, 7 },
    { "lent stream", act_lent, 7 },
    { "resize", act_resize, 3 },
    { "wrap", act_wrap, PLAY_X },
    { "gate", act_gate, 7 },
    { "strided", act_strided, PLAY_X },
    { "elementwise", act_elementwise, 3 * PLAY_Y + 4 },
    { "other device", act_device, 7 },
    { "legacy stream", act_legacy, 7 },
    { "per-thread stream", act_per_thread, 7 },
    { "kernel", act_kernel, PLAY_X },
    { "dispose", act_dispose, PLAY_X },
    { "drain", act_drain, 3 },
    { "information", act_information, PLAY_X },
    { "memory limit", act_limit, PLAY_X },
    { "second runtime", act_second_runtime, PLAY_X },
    { "close", act_close, 0 },
};
const int scene_count = sizeof scenes / sizeof *scenes;
