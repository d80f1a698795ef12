/* Stories of work: operations, transfers, scopes and addresses. */
#include "plays_acts.h"

int32_t act_fill(struct play *play)
{
    return play_fill(play, play->x, 7, play->b);
}

static int32_t fill_as(struct play *play, int32_t dtype, uint64_t value, uint64_t bytes)
{
    const baton_view_options options = { .struct_size = sizeof options, .dtype = dtype, .ndim = 1 };
    baton_array *view;
    int32_t status = baton_array_view(play->x, &options, &view, &play->error);
    if (status)
        return status;
    status = baton_fill(view, &value, bytes, play->b, &play->error);
    baton_array_release(view);
    return status;
}

/* Elements of each other size. */
int32_t act_fill_narrow(struct play *play)
{
    int32_t status = fill_as(play, BATON_U8, 1, 1);
    if (status || (status = fill_as(play, BATON_U16, 0x0202, 2)))
        return status;
    return fill_as(play, BATON_U64, 0x0303030303030303, 8);
}

int32_t act_copy(struct play *play)
{
    return baton_copy(play->x, play->y, play->b, &play->error);
}

int32_t act_launch(struct play *play)
{
    return play_launch(play, play->b, NULL);
}

/* With all that the driver must be asked or told first. */
int32_t act_launch_extended(struct play *play)
{
    baton_launch_options options = { .struct_size = sizeof options, .stream = play->b, .flags = BATON_LAUNCH_COOPERATIVE, .grid = { 16 }, .cluster = { 16 },
                                     .shared_bytes = 64 * 1024 };
    return baton_launch(play->kernel, &options, (baton_argument[]) { baton_out(play->x), baton_in(play->y) }, 2, &play->error);
}

/* That it is refused is how it ends well. */
int32_t act_launch_too_large(struct play *play)
{
    baton_launch_options options = { .struct_size = sizeof options, .stream = play->b, .flags = BATON_LAUNCH_COOPERATIVE, .grid = { 1 << 30 } };
    int32_t status = baton_launch(play->kernel, &options, (baton_argument[]) { baton_out(play->x), baton_in(play->y) }, 2, &play->error);
    return status == BATON_ERR_ARGUMENT ? BATON_OK : status ? status : BATON_ERR_BOUNDS;
}

/* Leaves the arrays as they are: a launch at the end gives x its value. */
int32_t act_occupancy(struct play *play)
{
    baton_kernel_info info = { .struct_size = sizeof info };
    uint32_t threads, blocks;
    int32_t status = baton_kernel_info_read(play->kernel, &info, &play->error);
    if (status || (status = baton_kernel_occupancy(play->kernel, 256, 64 * 1024, &blocks, &play->error)) ||
        (status = baton_kernel_block_size(play->kernel, 0, 0, &threads, &blocks, &play->error)))
        return status;
    return play_launch(play, play->b, NULL);
}

/* There and back, and a write behind two readers. */
int32_t act_hand_off(struct play *play)
{
    int32_t status = play_launch(play, play->b, NULL);
    if (status || (status = play_launch(play, play->a, NULL)) || (status = play_fill(play, play->y, 5, play->b)))
        return status;
    return play_launch(play, play->a, NULL);
}

int32_t act_upload(struct play *play)
{
    int32_t host[PLAY_ELEMENTS];
    for (int i = 0; i < PLAY_ELEMENTS; i++)
        host[i] = 7;
    return baton_upload(play->x, host, sizeof host, play->b, &play->error);
}

int32_t act_download(struct play *play)
{
    int32_t host[PLAY_ELEMENTS];
    return baton_download(host, sizeof host, play->x, play->b, &play->error);
}

int32_t act_download_async(struct play *play)
{
    int32_t host[PLAY_ELEMENTS];
    baton_fence *fence;
    int32_t status = baton_download_async(host, sizeof host, play->x, play->b, &fence, &play->error);
    if (status) {
        baton_stream_synchronize(play->b, BATON_WAIT_BLOCK, NULL);      /* the copy may have been submitted: `host` is still its own */
        return status;
    }
    status = baton_fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_BLOCK, &play->error);
    if (status)
        baton_stream_synchronize(play->b, BATON_WAIT_BLOCK, NULL);
    baton_fence_release(fence);
    return status;
}

static int32_t transfer_pinned(struct play *play, baton_array *pinned)
{
    void *host;
    baton_fence *fence;
    int32_t status = baton_array_host_pointer(pinned, BATON_READ_WRITE, &host, &play->error);
    if (status || (status = baton_upload(pinned, (int32_t[PLAY_ELEMENTS]) { 0 }, PLAY_ELEMENTS * sizeof(int32_t), play->a, &play->error)) ||
        (status = play_fill(play, play->y, 5, play->b)) ||
        (status = baton_download_async(host, PLAY_ELEMENTS * sizeof(int32_t), play->y, play->b, &fence, &play->error)))
        return status;
    status = baton_fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_AUTO, &play->error);
    baton_fence_release(fence);
    return status ? status : baton_copy(play->x, pinned, play->a, &play->error);
}

/* Between memory of the device and memory of the host that it reads and writes by itself. */
int32_t act_pinned(struct play *play)
{
    int32_t host[PLAY_ELEMENTS];
    baton_array *pinned;
    int32_t status = play_make(play, BATON_HOST, &pinned);
    if (status)
        return status;
    status = transfer_pinned(play, pinned);
    if (!status)
        status = baton_download(host, sizeof host, pinned, play->b, &play->error);
    else
        baton_stream_synchronize(play->b, BATON_WAIT_BLOCK, NULL);
    baton_array_release(pinned);
    return status;
}

enum { CROWD = 18 };

static int32_t crowd_make(struct play *play, baton_stream **streams, baton_operand *operands)
{
    int32_t status = BATON_OK;
    for (int i = 0; i < CROWD && !status; i++)
        if (!(status = baton_stream_create(play->runtime, 0, 0, 0, &streams[i], &play->error)) &&
            !(status = play_make(play, BATON_DEVICE, &operands[i].array)))
            status = play_fill(play, operands[i].array, i, streams[i]);
    return status;
}

/* More arrays, and more streams to wait for, than an operation has room for by itself. */
int32_t act_crowd(struct play *play)
{
    baton_stream *streams[CROWD] = { NULL };
    baton_operand operands[CROWD] = { { .array = NULL } };
    baton_scope *scope = NULL;
    int32_t status = crowd_make(play, streams, operands);
    if (!status && !(status = baton_scope_begin(play->b, NULL, operands, CROWD, 0, &scope, &play->error)))
        status = baton_scope_end(scope, &play->error);
    baton_scope_release(scope);
    for (int i = 0; i < CROWD; i++) {
        baton_array_release(operands[i].array);
        baton_stream_release(streams[i]);
    }
    return status;
}

int32_t act_scope(struct play *play)
{
    baton_operand operands[] = { { .array = play->x }, { .array = play->y, .access = BATON_READ } };
    baton_scope *scope;
    int32_t status = baton_scope_begin(play->b, NULL, operands, 2, 0, &scope, &play->error);
    if (status)
        return status;
    status = play_launch(play, play->b, scope);
    if (!status)
        status = baton_scope_end(scope, &play->error);
    baton_scope_release(scope);
    return status;
}

int32_t act_scope_grown(struct play *play)
{
    baton_operand x = { .array = play->x }, y = { .array = play->y, .access = BATON_READ };
    baton_scope *scope, *inner;
    uint64_t address;
    int32_t status = baton_scope_begin(play->b, NULL, &x, 1, 0, &scope, &play->error);
    if (status)
        return status;
    if ((status = baton_scope_add(scope, &y, &play->error)) || (status = baton_scope_pointer(scope, play->x, 0, &address, &play->error)) ||
        (status = baton_scope_begin(play->b, scope, &y, 1, 0, &inner, &play->error)))
        goto abort;
    status = play_launch(play, play->b, inner);
    baton_scope_release(inner);
    if (!status)
        status = baton_scope_end(scope, &play->error);
abort:
    baton_scope_abort(scope);
    baton_scope_release(scope);
    return status;
}

static int32_t in_managed(void *user, baton_stream *stream, const baton_operand *operands, uint64_t count)
{
    (void)user;
    (void)stream;
    return count == 1 && operands[0].address ? BATON_OK : BATON_ERR_ARGUMENT;
}

int32_t act_managed(struct play *play)
{
    baton_operand operand = { .array = play->x };
    return baton_with_managed(play->b, &operand, 1, in_managed, NULL, &play->error);
}

int32_t act_pointer(struct play *play)
{
    uint64_t address;
    int32_t status = baton_array_pointer(play->x, play->b, 0, &address, &play->error);
    return status ? status : play_fill(play, play->x, 7, play->a);
}

int32_t act_note_use(struct play *play)
{
    int32_t status = baton_array_note_use(play->x, play->b, BATON_WRITE, &play->error);
    return status ? status : play_fill(play, play->x, 7, play->a);
}

int32_t act_gate(struct play *play)
{
    baton_gate *gate;
    int32_t status = baton_gate_create(play->b, 1000000000, &gate, &play->error);
    if (status)
        return status;
    if (!(status = play_fill(play, play->x, 7, play->b)))
        status = baton_gate_open(gate, &play->error);
    baton_gate_release(gate);
    return status;
}

int32_t act_strided(struct play *play)
{
    const int64_t half = PLAY_ELEMENTS / 2, step = 2, zero = 0;
    baton_view_options options = { .struct_size = sizeof options, .ndim = 1, .start = &zero, .count = &half, .step = &step };
    baton_array *x, *y = NULL;
    int32_t host[PLAY_ELEMENTS / 2], status = baton_array_view(play->x, &options, &x, &play->error);
    if (status)
        return status;
    if (!(status = baton_array_view(play->y, &options, &y, &play->error)) && !(status = play_fill(play, x, PLAY_X, play->b)) &&
        !(status = baton_download(host, sizeof host, x, play->a, &play->error)) &&
        !(status = baton_upload(y, host, sizeof host, play->b, &play->error)))
        status = baton_copy(x, y, play->a, &play->error);
    baton_array_release(x);
    baton_array_release(y);
    return status;
}

int32_t act_elementwise(struct play *play)
{
    int32_t three = 3, four = 4, zero = 0;
    baton_argument x = baton_in(play->x), y = baton_in(play->y), value = baton_value(three);
    int32_t status = baton_cast(play->x, play->y, play->b, &play->error);
    if (status || (status = baton_elementwise(BATON_MULTIPLY, play->x, &x, &value, play->a, &play->error)) ||
        (status = baton_range(play->y, &four, &zero, sizeof four, play->b, &play->error)))
        return status;
    return baton_elementwise(BATON_ADD, play->x, &x, &y, play->b, &play->error);
}
