#include "stream/order.h"

#include "base/process.h"
#include "stream/capture.h"

static int covered(baton_stream *after, baton_stream *before, uint64_t ticket)
{
    stream_lock(after);
    int result = clock_get(&after->clock, before->id) >= ticket;
    stream_unlock(after);
    return result;
}

static enum order_need look(baton_stream *after, baton_stream *before, uint64_t ticket)
{
    if (after == before)
        return ORDER_SAME;
    if (stream_done(before, ticket))
        return ORDER_COMPLETE;
    if (atomic_load_explicit(&before->recorded, memory_order_acquire) < ticket)
        return ORDER_WAIT;
    return covered(after, before, ticket) ? ORDER_COVERED : ORDER_WAIT;
}

int order_follows(baton_stream *after, baton_stream *before, uint64_t ticket)
{
    return look(after, before, ticket) != ORDER_WAIT;
}

enum order_need order_need(baton_stream *after, baton_stream *before, uint64_t ticket)
{
    enum order_need need = look(after, before, ticket);
    if (need != ORDER_WAIT)
        counters_add(&after->counters, need == ORDER_SAME ? COUNT_SAME : need == ORDER_COMPLETE ? COUNT_COMPLETE : COUNT_COVERED, 1);
    return need;
}

static void trace_order(baton_stream *after, baton_stream *before, uint64_t ticket)
{
    baton_trace_entry entry = { .time_ns = process_now(), .stream_id = after->id, .ticket = stream_submitted(after),
                                .other_stream_id = before->id, .other_ticket = ticket,
                                .operation = BATON_OP_WAIT, .host_cause = -1 };
    trace_write(&after->runtime->trace, &entry);
}

/* What before's mark says, handed to `after` when both locks cannot be held at once. */
struct handed {
    uint64_t stamp;
    struct clock clock;
};

/* Of a call that concerns two devices: the one that its result is about. Each says so itself, when it is lost. */
static struct device *concerned(baton_stream *after, baton_stream *before, int code)
{
    if (!driver_code_sticky(code) || device_same(after->device, before->device))
        return after->device;
    return driver_code_sticky(before->device->driver->event_query(before->mark->event)) ? before->device : after->device;
}

static int32_t queue_wait(baton_stream *after, baton_stream *before, uint64_t ticket, struct handed *handed, baton_error *err)
{
    struct device_entry entry;
    int32_t status = device_usable(before->device, err);
    if (status || (status = device_enter_for(after, &entry, err)))
        return status;
    stream_lock(before);
    status = stream_mark_locked(before, ticket, atomic_load(&after->task), err);
    if (!status) {
        int code = before->device->driver->stream_wait_event(after->native, before->mark->event, 0);
        status = device_status(concerned(after, before, code), code, DRIVER_ROW_stream_wait_event, BATON_OP_WAIT, after, err);
        handed->stamp = before->mark->stamp;
        clock_copy(&handed->clock, &before->mark->clock);
    }
    stream_unlock(before);
    device_leave_for(after, &entry);
    return status;
}

int32_t order_queue(baton_stream *after, baton_stream *before, uint64_t ticket, baton_error *err)
{
    struct handed handed;
    handed.stamp = handed.clock.occupied = 0;
    int32_t status = queue_wait(after, before, ticket, &handed, err);
    if (status)
        return status;
    stream_lock(after);
    clock_join(&after->clock, &handed.clock, after->id);
    clock_raise(&after->clock, before->id, handed.stamp);
    counters_add_locked(&after->counters, COUNT_DEVICE_WAITS, 1);
    stream_unlock(after);
    if (trace_on(&after->runtime->trace))
        trace_order(after, before, ticket);
    return BATON_OK;
}

int32_t order_wait(baton_stream *after, baton_stream *before, uint64_t ticket, baton_error *err)
{
    int32_t status = order_queue(after, before, ticket, err);
    if (!status)
        stream_ticket(after, BATON_OP_WAIT);
    return status;
}

static int32_t captured(const baton_stream *after, baton_error *err)
{
    return fail(err, BATON_ERR_CAPTURE, "stream %llu is being captured: a wait for work outside would break that", (unsigned long long)after->id);
}

static int32_t queue_event(baton_stream *after, driver_event event, baton_error *err)
{
    struct device_entry entry;
    int foreign, code;
    int32_t status = stream_foreign_capture(after, &foreign, err);
    if (status || foreign)
        return status ? status : captured(after, err);
    if ((status = device_enter_for(after, &entry, err)))
        return status;
    code = after->device->driver->stream_wait_event(after->native, event, 0);
    device_leave_for(after, &entry);
    return device_status(after->device, code, DRIVER_ROW_stream_wait_event, BATON_OP_WAIT, after, err);
}

int32_t order_wait_event(baton_stream *after, driver_event event, baton_error *err)
{
    int32_t status = submission_enter(after) ? captured(after, err) : queue_event(after, event, err);
    if (!status) {
        stream_ticket(after, BATON_OP_WAIT);
        stream_lock(after);
        counters_add_locked(&after->counters, COUNT_DEVICE_WAITS, 1);
        stream_unlock(after);
    }
    submission_leave(after);
    return status;
}

/* BATON_WOULD_BLOCK when `after` is captured by now. */
static int32_t follow(baton_stream *after, baton_stream *before, baton_error *err)
{
    int foreign;
    uint64_t ticket = stream_newest(before);
    if (order_need(after, before, ticket) != ORDER_WAIT)
        return BATON_OK;
    int32_t status = submission_enter(after) ? BATON_WOULD_BLOCK : stream_foreign_capture(after, &foreign, err);
    if (!status && foreign)
        status = captured(after, err);
    if (!status)
        status = order_wait(after, before, ticket, err);
    submission_leave(after);
    return status;
}

int32_t baton_stream_follow(baton_stream *after, baton_stream *before, baton_error *err)
{
    int32_t status = stream_resolve(&after, err);
    if (status || (status = stream_resolve(&before, err)))
        return status;
    if (after->device->driver != before->device->driver)
        return fail(err, BATON_ERR_STREAM, "the streams belong to different drivers");
    if (after == before)
        return BATON_OK;
    do
        status = stream_tracked(after) || stream_tracked(before) ? capture_follow(after, before, err) : follow(after, before, err);
    while (status == BATON_WOULD_BLOCK);    /* a capture began or ended meanwhile */
    return status;
}
