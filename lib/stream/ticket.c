/* Tickets and marks: how far a stream has come, and the event that says so. */
#include <stdlib.h>

#include "base/process.h"
#include "stream/capture.h"

static void trace_ticket(baton_stream *stream, uint64_t ticket, int32_t operation)
{
    baton_trace_entry entry = { .time_ns = process_now(), .stream_id = stream->id, .ticket = ticket,
                                .operation = operation, .host_cause = -1 };
    trace_write(&stream->runtime->trace, &entry);
}

static uint64_t draw(baton_stream *stream, int32_t operation, int over)
{
    uint64_t change = ((uint64_t)1 << SUBMITTING_BITS) - (uint64_t)over;
    uint64_t ticket = (atomic_fetch_add(&stream->progress, change) >> SUBMITTING_BITS) + 1;
    atomic_store_explicit(&stream->ring[ticket % STREAM_RING], ticket << 8 | (uint64_t)operation, memory_order_relaxed);
    if (trace_on(&stream->runtime->trace) && operation != BATON_OP_WAIT)
        trace_ticket(stream, ticket, operation);
    return ticket;
}

uint64_t stream_operation_ticket(baton_stream *stream, int32_t operation)
{
    return draw(stream, operation, 0);
}

uint64_t stream_submission_ticket(baton_stream *stream, int32_t operation)
{
    return draw(stream, operation, 1);
}

uint64_t stream_ticket(baton_stream *stream, int32_t operation)
{
    counters_add(&stream->counters, COUNT_OPERATIONS, (uint64_t)-1);
    return stream_operation_ticket(stream, operation);
}

void stream_count(baton_stream *stream, struct counters *counters)
{
    for (int i = 0; i < COUNTERS; i++)
        counters_add(counters, (enum counter)i, atomic_load_explicit(&stream->counters.value[i], memory_order_relaxed));
    counters_add(counters, COUNT_OPERATIONS, stream_submitted(stream));
}

uint64_t stream_foreign_ticket(baton_stream *stream)
{
    uint64_t ticket;
    stream_lock(stream);      /* no capture begins between the look and the ticket */
    if (stream->capture || stream_lent(stream))
        ticket = stream_submitted(stream) + !stream->capture;
    else
        ticket = stream_ticket(stream, BATON_OP_FOREIGN);
    stream_unlock(stream);
    return ticket;
}

uint64_t stream_newest(baton_stream *stream)
{
    int mine = !stream->thread || stream->thread == process_thread();
    if (stream_lent(stream))
        return atomic_load_explicit(&stream->recorded, memory_order_acquire);
    if (stream_exposed(stream) && mine)
        return stream_foreign_ticket(stream);
    return stream_submitted(stream);
}

int32_t stream_foreign_capture(baton_stream *stream, int *capturing, baton_error *err)
{
    driver_capture_status status = DRIVER_CAPTURE_STATUS_NONE;
    *capturing = 0;
    if (!stream_exposed(stream) || stream_tracked(stream))
        return BATON_OK;
    struct device_entry entry;
    int32_t entered = device_enter_for(stream, &entry, err);
    if (entered)
        return entered;
    int code = stream->device->driver->capture_status(stream->native, &status);
    device_leave_for(stream, &entry);
    if (code)
        return device_status(stream->device, code, DRIVER_ROW_capture_status, BATON_OP_CAPTURE, stream, err);
    *capturing = status != DRIVER_CAPTURE_STATUS_NONE;
    return BATON_OK;
}

static int32_t mark_new(struct device *device, struct mark **mark, baton_error *err)
{
    struct device_entry entry;
    struct mark *made = calloc(1, sizeof *made);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for an event");
    int32_t status = device_enter(device, &entry, err);
    if (status) {
        free(made);
        return status;
    }
    int code = device->driver->event_create(&made->event, DRIVER_EVENT_DISABLE_TIMING);
    device_leave(device, &entry);
    if (code) {
        free(made);
        return device_status(device, code, DRIVER_ROW_event_create, BATON_OP_WAIT, NULL, err);
    }
    made->device = device;
    atomic_init(&made->references, 1);
    *mark = made;
    return BATON_OK;
}

void mark_release(struct mark *mark)
{
    if (!mark || atomic_fetch_sub_explicit(&mark->references, 1, memory_order_acq_rel) != 1)
        return;
    if (!device_usable(mark->device, NULL))
        runtime_swallow(mark->device->runtime, mark->device->driver->event_destroy(mark->event));
    free(mark);
}

/* A mark that nobody else refers to, so that recording it again moves no one's wait: the stream's, or a new one. */
static int32_t own_mark_locked(baton_stream *stream, struct mark **mark, baton_error *err)
{
    *mark = stream->mark;
    if (*mark && atomic_load_explicit(&(*mark)->references, memory_order_acquire) == 1)
        return BATON_OK;
    return mark_new(stream->device, mark, err);
}

/* Until it succeeds the stream keeps the mark that it has: nobody may be able to record a lent one again. */
static int32_t record_locked(baton_stream *stream, struct mark *mark, baton_error *err)
{
    struct device_entry entry;
    int32_t status = device_enter_for(stream, &entry, err);
    if (status)
        return status;
    uint64_t covered = stream_submitted(stream);  /* before the record */
    int code = stream->device->driver->event_record(mark->event, stream->native);
    device_leave_for(stream, &entry);
    if (code)
        return device_status(stream->device, code, DRIVER_ROW_event_record, BATON_OP_WAIT, stream, err);
    counters_add_locked(&stream->counters, COUNT_RECORDS, 1);
    mark->stamp = covered;
    atomic_store_explicit(&stream->recorded, covered, memory_order_release);
    clock_copy(&mark->clock, &stream->clock);
    return BATON_OK;
}

/* Only the capturing task is told: its captured work lies behind no event. */
static int32_t pre_capture_mark_locked(baton_stream *stream, uint64_t task, baton_error *err)
{
    if (!task || stream->capture->task != task)
        return BATON_OK;
    return fail(err, BATON_ERR_CAPTURE, "task %llx is capturing stream %llu and cannot wait for memory last used on it until the capture has ended",
                (unsigned long long)task, (unsigned long long)stream->id);
}

int32_t stream_record_locked(baton_stream *stream, baton_error *err)
{
    struct mark *mark;
    int capturing = 0;
    if (stream->thread && stream->thread != process_thread())
        return fail(err, BATON_ERR_THREAD, "the memory was last used on another thread's per-thread stream: synchronize it on that thread");
    int32_t status = stream_exposed(stream) ? stream_foreign_capture(stream, &capturing, err) : BATON_OK;
    if (!status && capturing)
        status = fail(err, BATON_ERR_CAPTURE, "stream %llu is being captured elsewhere: its earlier work cannot be waited for until that ends",
                      (unsigned long long)stream->id);
    if (status || (status = own_mark_locked(stream, &mark, err)))
        return status;
    status = record_locked(stream, mark, err);
    if (mark != stream->mark) {
        mark_release(status ? mark : stream->mark);
        stream->mark = status ? stream->mark : mark;
    }
    return status;
}

int32_t stream_mark_locked(baton_stream *stream, uint64_t ticket, uint64_t task, baton_error *err)
{
    if (stream->capture)
        return pre_capture_mark_locked(stream, task, err);
    if (stream->mark && stream->mark->stamp >= ticket)
        return BATON_OK;
    if (stream_lent(stream))
        return fail(err, BATON_ERR_STREAM, "stream %llu is known by its number alone, and this call does not name it", (unsigned long long)stream->id);
    return stream_record_locked(stream, err);
}

int32_t stream_mark(baton_stream *stream, uint64_t ticket, uint64_t task, struct mark **mark, baton_error *err)
{
    stream_lock(stream);
    int32_t status = stream_mark_locked(stream, ticket, task, err);
    if (!status) {
        atomic_fetch_add_explicit(&stream->mark->references, 1, memory_order_relaxed);
        *mark = stream->mark;
    }
    stream_unlock(stream);
    return status;
}

/* On failure others are told to synchronize on that thread, or wait on the host for all there is. */
void stream_settle_now(baton_stream *stream, uint64_t ticket)
{
    stream_lock(stream);
    if (!stream->capture && (!stream->mark || stream->mark->stamp < ticket))
        stream_record_locked(stream, NULL);
    stream_unlock(stream);
}
