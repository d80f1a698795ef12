#include "stream/wait.h"

#include <time.h>

#include "base/process.h"
#include "stream/blocker.h"

/* How long AUTO spins before it blocks: waits shorter than this wake as fast as a spinning query. */
enum { SPIN_NS = 50000, NAP_LEAST_NS = 20000, NAP_MOST_NS = 1000000 };

int32_t wait_mode_check(int32_t mode, baton_error *err)
{
    if (mode == BATON_WAIT_AUTO || mode == BATON_WAIT_SPIN || mode == BATON_WAIT_BLOCK)
        return BATON_OK;
    return fail(err, BATON_ERR_ARGUMENT, "unknown wait mode %d", mode);
}

/* A hook of the embedder, unless its runtime is closed. */
static int32_t call_hook(baton_runtime *runtime, int32_t (*hook)(void *user), baton_error *err)
{
    if (!hook || atomic_load_explicit(&runtime->closed, memory_order_relaxed))
        return BATON_OK;
    return hook(runtime->options.user) ? fail(err, BATON_ERR_HOOK, "a hook returned nonzero") : BATON_OK;
}

static int32_t query(baton_stream *stream, struct mark *mark, int32_t operation, baton_error *err)
{
    struct device_entry entry;
    int32_t status = device_enter(mark->device, &entry, err);
    if (status)
        return status;
    int code = mark->device->driver->event_query(mark->event);
    device_leave(mark->device, &entry);
    if (code == DRIVER_NOT_READY)
        return BATON_NOT_READY;
    return device_status(mark->device, code, DRIVER_ROW_event_query, operation, stream, err);
}

int32_t wait_query(baton_stream *stream, struct mark *mark, int32_t operation, baton_error *err)
{
    int32_t status = stream_done(stream, mark->stamp) ? BATON_OK : query(stream, mark, operation, err);
    if (!status)
        stream_complete(stream, mark->stamp, &mark->clock);
    return status;
}

static uint64_t spin_end(const struct wait_how *how, uint64_t start)
{
    if (how->mode == BATON_WAIT_SPIN)
        return how->deadline_ns;
    uint64_t end = how->mode == BATON_WAIT_AUTO ? start + SPIN_NS : start;
    return end < how->deadline_ns ? end : how->deadline_ns;
}

static int32_t spin(baton_stream *stream, struct mark *mark, const struct wait_how *how, uint64_t end, baton_error *err)
{
    int32_t status;
    while ((status = query(stream, mark, how->operation, err)) == BATON_NOT_READY && process_now() < end)
        ;
    return status;
}

/* With a yield hook the thread runs other tasks instead of blocking. */
static int32_t yield(baton_stream *stream, struct mark *mark, const struct wait_how *how, baton_error *err)
{
    int32_t status;
    while ((status = query(stream, mark, how->operation, err)) == BATON_NOT_READY && process_now() < how->deadline_ns) {
        int32_t hooked = call_hook(stream->runtime, stream->runtime->options.yield, err);
        if (hooked)
            return hooked;
    }
    return status;
}

static int32_t nap(baton_stream *stream, struct mark *mark, const struct wait_how *how, baton_error *err)
{
    int32_t status;
    long pause = NAP_LEAST_NS;
    while ((status = query(stream, mark, how->operation, err)) == BATON_NOT_READY) {
        uint64_t now = process_now();
        if (now >= how->deadline_ns)
            return BATON_NOT_READY;
        uint64_t left = how->deadline_ns - now;
        struct timespec rest = { .tv_nsec = left < (uint64_t)pause ? (long)left : pause };
        nanosleep(&rest, NULL);
        pause = pause * 2 < NAP_MOST_NS ? pause * 2 : NAP_MOST_NS;
    }
    return status;
}

/* The driver's own wait: also once the work is done, so that it does its bookkeeping and reports errors. */
static int32_t synchronize(baton_stream *stream, struct mark *mark, int32_t operation, baton_error *err)
{
    struct device_entry entry;
    int32_t status = device_enter(mark->device, &entry, err);
    if (status)
        return status;
    int code = mark->device->driver->event_synchronize(mark->event);
    device_leave(mark->device, &entry);
    return device_status(mark->device, code, DRIVER_ROW_event_synchronize, operation, stream, err);
}

/* Sleeps on the driver's side, without busy CPU. */
static int32_t sleep_until_done(baton_stream *stream, struct mark *mark, int32_t operation, baton_error *err)
{
    struct device_entry entry;
    enum driver_row row;
    int32_t status = device_enter(mark->device, &entry, err);
    if (status)
        return status;
    int code = blocker_wait(mark->device, mark, &row);
    device_leave(mark->device, &entry);
    return device_status(mark->device, code, row, operation, stream, err);
}

static int32_t block(baton_stream *stream, struct mark *mark, const struct wait_how *how, baton_error *err)
{
    baton_runtime *runtime = stream->runtime;
    if (runtime->options.yield && !atomic_load_explicit(&runtime->closed, memory_order_relaxed))
        return yield(stream, mark, how, err);
    int32_t status = call_hook(runtime, runtime->options.before_block, err);
    if (status)
        return status;
    status = how->deadline_ns == WAIT_FOREVER ? sleep_until_done(stream, mark, how->operation, err) : nap(stream, mark, how, err);
    int32_t hooked = call_hook(runtime, runtime->options.after_block, status < 0 ? NULL : err);
    return status < 0 ? status : hooked ? hooked : status;
}

static void account(baton_stream *stream, const struct wait_how *how, uint64_t start, uint64_t ticket)
{
    baton_runtime *runtime = stream->runtime;
    uint64_t spent = process_now() - start;
    atomic_fetch_add_explicit(&runtime->host_waits[how->cause], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&runtime->host_blocked_ns, spent, memory_order_relaxed);
    if (!trace_on(&runtime->trace))
        return;
    baton_trace_entry entry = { .time_ns = start, .stream_id = 0, .other_stream_id = stream->id, .other_ticket = ticket,
                                .operation = BATON_OP_WAIT, .host_cause = how->cause, .duration_ns = spent };
    trace_write(&runtime->trace, &entry);
}

static int32_t wait_for_event(baton_stream *stream, struct mark *mark, const struct wait_how *how, uint64_t start, baton_error *err)
{
    int32_t status = spin(stream, mark, how, spin_end(how, start), err);
    if (status == BATON_NOT_READY && process_now() < how->deadline_ns)
        status = block(stream, mark, how, err);
    if (status == BATON_NOT_READY)
        return BATON_TIMEOUT;
    return status ? status : synchronize(stream, mark, how->operation, err);
}

int32_t wait_mark(baton_stream *stream, struct mark *mark, const struct wait_how *how, baton_error *err)
{
    uint64_t start = process_now();
    if (stream_done(stream, mark->stamp))
        return BATON_OK;
    int32_t status = wait_for_event(stream, mark, how, start, err);
    account(stream, how, start, mark->stamp);
    if (!status)
        stream_complete(stream, mark->stamp, &mark->clock);
    return status;
}

int32_t wait_stream(baton_stream *stream, uint64_t ticket, const struct wait_how *how, baton_error *err)
{
    struct mark *mark;
    int32_t status = device_usable(stream->device, err);
    if (status || stream_done(stream, ticket))
        return status;
    if (stream_out_of_reach(stream, ticket))
        return wait_everything(stream->device, how, err);
    status = stream_mark(stream, ticket, how->task, &mark, err);
    if (status)
        return status;
    status = wait_mark(stream, mark, how, err);
    mark_release(mark);
    return status;
}

/* A captured stream has no progress of its own; asking the driver would break the capture. */
static int32_t check_untracked(const baton_stream *stream, baton_error *err)
{
    if (!stream_tracked(stream))
        return BATON_OK;
    return fail(err, BATON_ERR_CAPTURE, "stream %llu is being captured: it cannot be waited for until the capture has ended", (unsigned long long)stream->id);
}

int32_t baton_stream_synchronize(baton_stream *stream, int32_t mode, baton_error *err)
{
    struct wait_how how = { .mode = mode, .cause = BATON_HOST_WAIT_SYNCHRONIZE, .deadline_ns = WAIT_FOREVER,
                            .operation = BATON_OP_SYNCHRONIZE };
    int32_t status = wait_mode_check(mode, err);
    if (status || (status = stream_resolve(&stream, err)) || (status = check_untracked(stream, err)))
        return status;
    return wait_stream(stream, stream_newest(stream), &how, err);
}

int32_t wait_closing(baton_stream *stream, int promised, baton_error *err)
{
    struct wait_how how = { .mode = BATON_WAIT_AUTO, .cause = BATON_HOST_WAIT_SYNCHRONIZE, .deadline_ns = WAIT_FOREVER,
                            .operation = BATON_OP_SYNCHRONIZE };
    int32_t status = check_untracked(stream, err);
    return status ? status : wait_stream(stream, promised && stream_lent(stream) ? stream_promised(stream) : stream_newest(stream), &how, err);
}

int32_t baton_stream_query(baton_stream *stream, baton_error *err)
{
    struct mark *mark;
    int32_t status = stream_resolve(&stream, err);
    if (status || (status = check_untracked(stream, err)))
        return status;
    uint64_t ticket = stream_newest(stream);
    if (stream_done(stream, ticket))
        return BATON_OK;
    status = stream_mark(stream, ticket, 0, &mark, err);
    if (status)
        return status;
    status = wait_query(stream, mark, BATON_OP_SYNCHRONIZE, err);
    mark_release(mark);
    return status;
}
