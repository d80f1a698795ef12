/* Order inside a capture, and streams that join it. */
#include "stream/capture_parts.h"

/* Inside a capture the order is an event of its own: a shared one would become part of the graph. */
static int32_t order_inside(baton_stream *after, baton_stream *before, baton_error *err)
{
    const struct driver *driver = before->device->driver;
    struct device_entry entry;
    driver_event event;
    int32_t status = device_enter(before->device, &entry, err);
    if (status)
        return status;
    enum driver_row row = DRIVER_ROW_event_create;
    int code = driver->event_create(&event, DRIVER_EVENT_DISABLE_TIMING);
    if (!code) {
        row = DRIVER_ROW_event_record;
        code = driver->event_record(event, before->native);
        if (!code) {
            row = DRIVER_ROW_stream_wait_event;
            code = driver->stream_wait_event(after->native, event, 0);
        }
        runtime_swallow(before->runtime, driver->event_destroy(event));
    }
    device_leave(before->device, &entry);
    return device_status(before->device, code, row, BATON_OP_CAPTURE, after, err);
}

/* As above; the end of a capture that this breaks names it. */
static int32_t order_noted(struct capture *capture, baton_stream *after, baton_stream *before, baton_error *err)
{
    baton_error record = error_none();
    if (order_inside(after, before, &record) == BATON_OK)
        return BATON_OK;
    capture_note(capture, before, &record);
    return fail_with(err, &record);
}

/* Another thread may have brought `after` into this capture, or into another one, meanwhile. */
static int32_t join_locked(struct capture *capture, baton_stream *after, baton_stream *before, baton_error *err)
{
    if (after->capture && after->capture != capture)
        return fail(err, BATON_ERR_CAPTURE, "the streams take part in different captures");
    if (after->capture)
        return order_noted(capture, after, before, err);
    int32_t status = capture_mark_locked(after, err);
    if (!status)
        status = order_noted(capture, after, before, err);
    if (!status)
        capture_add(capture, after);
    return status;
}

static int32_t join(struct capture *capture, baton_stream *after, baton_stream *before, baton_error *err)
{
    int32_t status = submission_hold(after, err);
    if (status)
        return status;
    stream_lock(after);
    status = join_locked(capture, after, before, err);
    stream_unlock(after);
    submission_release(after);
    return status;
}

static int takes_part(const struct capture *capture, baton_stream *stream)
{
    stream_lock(stream);
    int result = stream->capture == capture;
    stream_unlock(stream);
    return result;
}

static int32_t follow_check(struct capture *capture, baton_stream *after, baton_error *err)
{
    int foreign;
    if (stream_tracked(after) && !takes_part(capture, after))      /* and it is not held, so that two captures never wait for each other */
        return fail(err, BATON_ERR_CAPTURE, "the streams take part in different captures");
    if (stream_special(after) || !device_same(after->device, capture->device))
        return fail(err, BATON_ERR_CAPTURE, "stream %llu cannot join the capture: it is special, or of another device", (unsigned long long)after->id);
    int32_t status = stream_foreign_capture(after, &foreign, err);
    return !status && foreign ? fail(err, BATON_ERR_CAPTURE, "stream %llu is being captured elsewhere", (unsigned long long)after->id) : status;
}

int32_t capture_follow(baton_stream *after, baton_stream *before, baton_error *err)
{
    struct capture *capture = submission_enter(before);
    int32_t status = BATON_OK;
    if (!capture && !stream_tracked(after))
        status = BATON_WOULD_BLOCK;
    else if (!capture)
        status = fail(err, BATON_ERR_CAPTURE, "stream %llu is being captured and cannot follow work outside its capture", (unsigned long long)after->id);
    else if (takes_part(capture, after))
        status = order_noted(capture, after, before, err);
    else if (!(status = follow_check(capture, after, err)) && !(status = capture_reserve(capture, err)))
        status = join(capture, after, before, err);
    submission_leave(before);
    return status;
}
