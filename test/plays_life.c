/* Stories of birth and death: memory, streams, modules, runtimes, and waiting for what they did. */
#include "plays_acts.h"

#include <poll.h>

static int32_t act_create(struct play *play, int32_t kind)
{
    baton_array *array;
    int32_t status = play_make(play, kind, &array);
    if (status)
        return status;
    status = play_fill(play, array, 3, play->b);
    if (!status)
        status = baton_copy(play->x, array, play->a, &play->error);
    baton_array_release(array);
    return status;
}

int32_t act_create_device(struct play *play)
{
    return act_create(play, BATON_DEVICE);
}

int32_t act_create_host(struct play *play)
{
    return act_create(play, BATON_HOST);
}

int32_t act_create_unified(struct play *play)
{
    return act_create(play, BATON_UNIFIED);
}

int32_t act_resize(struct play *play)
{
    baton_array *array;
    int32_t status = play_make(play, BATON_DEVICE, &array);
    if (status)
        return status;
    if (!(status = play_fill(play, array, 3, play->a)))
        status = baton_array_resize(array, 2 * PLAY_ELEMENTS, play->b, &play->error);
    if (!status)
        status = baton_array_resize(array, PLAY_ELEMENTS, play->b, &play->error);
    if (!status)
        status = baton_copy(play->x, array, play->a, &play->error);
    baton_array_release(array);
    return status;
}

static void deleter(void *user, uint64_t address)
{
    (void)address;
    ((struct play *)user)->deleted++;
}

int32_t act_wrap(struct play *play)
{
    static int32_t memory[PLAY_ELEMENTS];
    static const int64_t elements = PLAY_ELEMENTS;
    baton_array *array;
    baton_array_options options = play_options(BATON_HOST, &elements, play->a);
    int32_t status = baton_array_wrap(play->runtime, &options, (uint64_t)(uintptr_t)memory, deleter, play, &array, &play->error);
    if (status)
        return status;
    play->wrapped++;
    void *address;
    status = baton_array_host_pointer(array, BATON_WRITE, &address, &play->error);
    baton_array_release(array);
    return status;
}

int32_t act_dispose(struct play *play)
{
    baton_array *array;
    int32_t status = play_make(play, BATON_DEVICE, &array);
    if (status)
        return status;
    if (!(status = play_fill(play, array, 3, play->b)))
        status = baton_array_dispose(array, &play->error);
    baton_array_release(array);
    return status;
}

/* The free of a memory with readers, by a drain. */
int32_t act_drain(struct play *play)
{
    baton_array *array;
    int32_t status = play_make(play, BATON_DEVICE, &array);
    if (status)
        return status;
    if (!(status = play_fill(play, array, 3, play->a)))
        status = baton_copy(play->x, array, play->b, &play->error);
    baton_array_release(array);
    return status ? status : baton_drain(play->runtime, 0, NULL, &play->error);
}

/* Memory is short: the ladder runs to its end. */
int32_t act_limit(struct play *play)
{
    baton_array *array;
    int32_t status = baton_set_memory_limit(play->runtime, 0, 1, &play->error);
    if (status)
        return status;
    status = play_make(play, BATON_DEVICE, &array);
    if (!status)
        baton_array_release(array);
    baton_set_memory_limit(play->runtime, 0, 0, NULL);
    return status == BATON_ERR_OOM ? BATON_OK : status;
}

int32_t act_stream(struct play *play)
{
    baton_stream *stream;
    int32_t status = baton_stream_create(play->runtime, 0, 0, -1, &stream, &play->error);
    if (status)
        return status;
    status = baton_stream_follow(stream, play->a, &play->error);
    if (!status)
        status = play_fill(play, play->x, 7, stream);
    if (!status && (status = baton_stream_query(stream, &play->error)) == BATON_NOT_READY)
        status = baton_stream_synchronize(stream, BATON_WAIT_BLOCK, &play->error);
    baton_stream_release(stream);
    return status;
}

int32_t act_kernel(struct play *play)
{
    baton_kernel *made;
    int32_t status = play_kernel(play, &made);
    if (!status)
        baton_kernel_release(made);
    return status;
}

int32_t act_second_runtime(struct play *play)
{
    struct play second;
    int32_t status = play_open(&second);
    play->error = second.error;
    if (!second.runtime)
        return status;
    play_release(&second);
    int32_t closed = baton_runtime_close(second.runtime, &play->error);
    return status ? status : closed;
}

int32_t act_close(struct play *play)
{
    baton_runtime *runtime = play->runtime;
    play_release(play);
    *play = (struct play) { .error = BATON_ERROR_INIT };
    return baton_runtime_close(runtime, &play->error);
}

/* Memory of device 0 used on device 1 (S12), and copied there. */
int32_t act_device(struct play *play)
{
    static const int64_t elements = PLAY_ELEMENTS;
    baton_stream *stream;
    baton_array *far;
    int32_t status = baton_stream_create(play->runtime, 1, 0, 0, &stream, &play->error);
    if (status)
        return status;
    baton_array_options options = play_options(BATON_DEVICE, &elements, stream);
    options.device = 1;
    if (!(status = baton_array_create(play->runtime, &options, &far, &play->error))) {
        if (!(status = baton_copy(far, play->y, stream, &play->error)))
            status = play_fill(play, play->x, 7, stream);
        baton_array_release(far);
    }
    baton_stream_release(stream);
    return status;
}

static int32_t act_special(struct play *play, uint64_t native)
{
    baton_stream *stream;
    int32_t status = baton_stream_wrap(play->runtime, 0, native, &stream, &play->error);
    if (status)
        return status;
    if (!(status = play_fill(play, play->x, 7, stream)))
        status = play_fill(play, play->y, PLAY_Y, play->a);
    if (!status)
        status = baton_stream_synchronize(stream, BATON_WAIT_AUTO, &play->error);
    baton_stream_release(stream);
    return status;
}

int32_t act_legacy(struct play *play)
{
    return act_special(play, BATON_STREAM_LEGACY);
}

int32_t act_per_thread(struct play *play)
{
    return act_special(play, BATON_STREAM_PER_THREAD);
}

/* The thread behind the descriptor has done with it when it is readable. */
static int32_t watch(struct play *play, baton_fence *fence)
{
    struct pollfd poll_for = { .events = POLLIN };
    int32_t status = baton_fence_descriptor(fence, &poll_for.fd, &play->error);
    return status ? status : poll(&poll_for, 1, 10000) == 1 ? BATON_OK : BATON_TIMEOUT;
}

int32_t act_fence(struct play *play)
{
    baton_fence *array_fence, *stream_fence;
    int32_t status = baton_array_fence(play->x, &array_fence, &play->error);
    if (status)
        return status;
    status = baton_stream_fence(play->a, &stream_fence, &play->error);
    if (!status) {
        status = watch(play, stream_fence);
        if (!status && (status = baton_fence_query(array_fence, &play->error)) == BATON_NOT_READY)
            status = baton_fence_wait(array_fence, BATON_UNLIMITED, BATON_WAIT_AUTO, &play->error);
        if (!status)
            status = baton_fence_wait(stream_fence, 1000000000, BATON_WAIT_BLOCK, &play->error);
        baton_fence_release(stream_fence);
    }
    baton_fence_release(array_fence);
    return status;
}

int32_t act_synchronize(struct play *play)
{
    int32_t status = baton_array_query(play->x, &play->error);
    if (status < 0 || (status = baton_array_synchronize(play->x, BATON_WAIT_AUTO, &play->error)))
        return status;
    return baton_stream_synchronize(play->a, BATON_WAIT_SPIN, &play->error);
}
