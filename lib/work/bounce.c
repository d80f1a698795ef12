#include "work/bounce.h"

#include "stream/wait.h"

int32_t bounce_needed(const baton_array *array, baton_stream *stream, int *needed, baton_error *err)
{
    struct device *device = array->memory->device;
    baton_error record = error_none();
    *needed = 0;
    if (array->memory->kind != BATON_DEVICE || device_same(device, stream->device))
        return BATON_OK;
    int32_t status = device_reach(stream->device, device, &record);
    *needed = status == BATON_ERR_PEER;
    return status && !*needed ? fail_with(err, &record) : BATON_OK;
}

/* The stream itself, or where it does not reach the array, one that does. */
static int32_t stream_near(const baton_array *array, baton_stream *stream, baton_stream **near, baton_error *err)
{
    int needed;
    int32_t status = bounce_needed(array, stream, &needed, err);
    *near = stream;
    return status || !needed ? status : stream_service(array->memory->device, near, err);
}

/* Between two devices, neither of which reaches the other's array. */
static int32_t copy_in_two(baton_array *to, baton_stream *at_to, baton_array *from, baton_stream *at_from, baton_error *err)
{
    baton_array *pinned;
    baton_array_options options = { .struct_size = sizeof options, .device = at_from->device->ordinal, .kind = BATON_HOST, .dtype = from->dtype,
                                    .ndim = from->layout.ndim, .shape = from->layout.shape };
    int32_t status = baton_array_create(at_from->runtime, &options, &pinned, err);
    if (status)
        return status;
    status = baton_copy(pinned, from, at_from, err);
    if (!status)
        status = baton_copy(to, pinned, at_to, err);    /* the memory is pinned: the host waits for the first part (S11) */
    baton_array_release(pinned);
    return status;
}

static int32_t copy_near(baton_array *to, baton_stream *at_to, baton_array *from, baton_stream *at_from, baton_error *err)
{
    int apart_to, apart_from;
    int32_t status = bounce_needed(from, at_to, &apart_to, err);
    if (!status && apart_to)
        status = bounce_needed(to, at_from, &apart_from, err);
    if (status)
        return status;
    if (apart_to && apart_from)
        return copy_in_two(to, at_to, from, at_from, err);
    return baton_copy(to, from, apart_to ? at_from : at_to, err);
}

/* For all that the stream holds by now; `task` is the waiting task's. */
static int32_t wait_for(baton_stream *stream, uint64_t task, baton_error *err)
{
    struct wait_how how = { .mode = BATON_WAIT_AUTO, .cause = BATON_HOST_WAIT_DEVICE, .deadline_ns = WAIT_FOREVER, .operation = BATON_OP_COPY,
                            .task = task };
    return wait_stream(stream, stream_newest(stream), &how, err);
}

static int32_t check_not_captured(const baton_array *to, const baton_array *from, baton_stream *stream, baton_error *err)
{
    int capturing;
    int32_t status = stream_foreign_capture(stream, &capturing, err);
    if (status || (!capturing && !stream_tracked(stream)))
        return status;
    const struct device *device = stream->device, *apart = device_same(from->memory->device, device) ? to->memory->device : from->memory->device;
    return fail(err, BATON_ERR_PEER, "device %d cannot reach the memory of device %d, and a capture on device %d cannot stage the copy: copy before it",
                device->ordinal, apart->ordinal, device->ordinal);
}

int32_t bounce_copy(baton_array *to, baton_array *from, baton_stream *stream, baton_error *err)
{
    baton_stream *at_to, *at_from;
    int32_t status = check_not_captured(to, from, stream, err);
    if (status || (status = stream_near(to, stream, &at_to, err)) || (status = stream_near(from, stream, &at_from, err)))
        return status;
    uint64_t task = atomic_load(&stream->task);
    status = wait_for(stream, task, err);
    if (!status)
        status = copy_near(to, at_to, from, at_from, err);
    if (!status && at_from != stream)
        status = wait_for(at_from, task, err);
    return status || at_to == stream ? status : wait_for(at_to, task, err);
}
