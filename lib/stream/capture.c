#include <stdlib.h>

#include "stream/capture_parts.h"

static void capture_unref(struct capture *capture)
{
    if (atomic_fetch_sub_explicit(&capture->references, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < capture->stream_count; i++)
        stream_release(capture->streams[i]);
    free(capture->streams);
    capture_set_release(&capture->set);
    pthread_mutex_destroy(&capture->lock);
    free(capture);
}

int32_t capture_reserve(struct capture *capture, baton_error *err)
{
    pthread_mutex_lock(&capture->lock);
    int room = capture->stream_count < capture->stream_capacity;
    if (!room) {
        uint32_t wanted = capture->stream_capacity + 8;
        baton_stream **grown = realloc(capture->streams, wanted * sizeof(baton_stream *));
        if (grown) {
            capture->streams = grown;
            capture->stream_capacity = wanted;
            room = 1;
        }
    }
    pthread_mutex_unlock(&capture->lock);
    return room ? BATON_OK : fail(err, BATON_ERR_MEMORY, "no host memory for a capture's streams");
}

void capture_add(struct capture *capture, baton_stream *stream)
{
    stream_retain(stream);
    pthread_mutex_lock(&capture->lock);
    capture->streams[capture->stream_count++] = stream;
    pthread_mutex_unlock(&capture->lock);
    atomic_fetch_add_explicit(&capture->references, 1, memory_order_relaxed);
    stream->capture = capture;
    atomic_store_explicit(&stream->capturing, 1, memory_order_release);
}

static struct capture *capture_new(baton_stream *stream)
{
    struct capture *capture = calloc(1, sizeof *capture);
    if (!capture)
        return NULL;
    atomic_init(&capture->references, 1);
    capture->device = stream->device;
    capture->origin = stream;
    capture->task = atomic_load(&stream->task);
    capture->broken = error_none();
    pthread_mutex_init(&capture->lock, NULL);
    return capture;
}

int32_t capture_mark_locked(baton_stream *stream, baton_error *err)
{
    uint64_t ticket = stream_submitted(stream);
    if (ticket == 0 || stream_exposed(stream))
        ticket = stream_ticket(stream, BATON_OP_CAPTURE);   /* nothing yet: the event still has to be there; or work without tickets (P6) */
    return stream_lent(stream) ? stream_record_locked(stream, err) : stream_mark_locked(stream, ticket, 0, err);
}

static int32_t begin_locked(struct capture *capture, baton_stream *stream, int32_t mode, baton_error *err)
{
    struct device_entry entry;
    int32_t status = capture_mark_locked(stream, err);
    if (status || (status = device_enter(stream->device, &entry, err)))
        return status;
    int code = stream->device->driver->capture_begin(stream->native, (driver_capture_mode)mode);
    device_leave(stream->device, &entry);
    status = device_status(stream->device, code, DRIVER_ROW_capture_begin, BATON_OP_CAPTURE, stream, err);
    if (!status)
        capture_add(capture, stream);
    return status;
}

static int32_t begin_check(baton_stream *stream, int32_t mode, baton_error *err)
{
    int foreign;
    if (mode < DRIVER_CAPTURE_GLOBAL || mode > DRIVER_CAPTURE_RELAXED)
        return fail(err, BATON_ERR_ARGUMENT, "unknown capture mode %d", mode);
    if (stream_special(stream))
        return fail(err, BATON_ERR_STREAM, "the legacy and the per-thread stream cannot be captured here");
    int32_t status = stream_foreign_capture(stream, &foreign, err);
    if (!status && (foreign || stream_tracked(stream)))
        return fail(err, BATON_ERR_CAPTURE, "stream %llu is being captured already", (unsigned long long)stream->id);
    return status;
}

int32_t capture_begin(baton_stream *stream, int32_t mode, baton_error *err)
{
    int32_t status = begin_check(stream, mode, err);
    struct capture *capture = status ? NULL : capture_new(stream);
    if (!capture)
        return status ? status : fail(err, BATON_ERR_MEMORY, "no host memory for a capture");
    atomic_fetch_add(&stream->runtime->captures, 1);    /* before it begins: no drain starts meanwhile */
    status = capture_reserve(capture, err);
    if (!status && !(status = submission_hold(stream, err))) {
        stream_lock(stream);
        status = stream->capture ? fail(err, BATON_ERR_CAPTURE, "the stream is being captured already") : begin_locked(capture, stream, mode, err);
        stream_unlock(stream);
        submission_release(stream);
    }
    if (status)
        atomic_fetch_sub(&stream->runtime->captures, 1);
    capture_unref(capture);                 /* the streams that take part keep it */
    return status;
}

static void clear_stream(baton_stream *stream)
{
    stream_lock(stream);
    stream->capture = NULL;
    atomic_store_explicit(&stream->capturing, 0, memory_order_release);
    stream_unlock(stream);
}

/* All leave before the first may submit again, so that nobody meets half a capture. Every stream is turned. */
static void clear_all(struct capture *capture)
{
    for (uint32_t i = 0; i < capture->stream_count; i++)
        clear_stream(capture->streams[i]);
    for (uint32_t i = 0; i < capture->stream_count; i++) {
        submission_release(capture->streams[i]);
        capture_unref(capture);             /* the caller's own reference remains */
    }
}

static baton_stream *stream_at(struct capture *capture, uint32_t index)
{
    pthread_mutex_lock(&capture->lock);
    baton_stream *stream = index < capture->stream_count ? capture->streams[index] : NULL;
    pthread_mutex_unlock(&capture->lock);
    return stream;
}

/* Only submissions on streams of the capture bring others in, and those are held back one after the other: in the end no stream joins or leaves. */
static int32_t turn_all(struct capture *capture, baton_error *err)
{
    baton_stream *stream;
    int32_t status = BATON_OK;
    uint32_t turned = 0;
    while (!status && (stream = stream_at(capture, turned))) {
        status = submission_hold(stream, err);
        turned += !status;
    }
    if (!status && capture->origin->capture != capture)
        status = fail(err, BATON_ERR_CAPTURE, "the capture on stream %llu has ended already", (unsigned long long)capture->origin->id);
    while (status && turned > 0)
        submission_release(stream_at(capture, --turned));
    return status;
}

/* The capture that ends, with a reference; NULL: the stream is not the origin of one. */
static struct capture *capture_of(baton_stream *stream)
{
    stream_lock(stream);
    struct capture *capture = stream->capture && stream->capture->origin == stream ? stream->capture : NULL;
    if (capture)
        atomic_fetch_add_explicit(&capture->references, 1, memory_order_relaxed);
    stream_unlock(stream);
    return capture;
}

static int driver_captures(baton_stream *stream)
{
    driver_capture_status status = DRIVER_CAPTURE_STATUS_NONE;
    return stream->device->driver->capture_status(stream->native, &status) || status != DRIVER_CAPTURE_STATUS_NONE;
}

/* The driver refused to end the capture and may go on with it. If it does not give in, each later operation has to ask. */
static void end_by_force(struct capture *capture, baton_stream *stream)
{
    driver_graph left = NULL;
    if (device_usable(stream->device, NULL) || !driver_captures(stream))
        return;
    if (!stream->device->driver->capture_end(stream->native, &left))
        runtime_swallow(stream->runtime, stream->device->driver->graph_destroy(left));
    for (uint32_t i = 0; driver_captures(stream) && i < capture->stream_count; i++)
        atomic_store_explicit(&capture->streams[i]->exposed, 1, memory_order_relaxed);
}

/* Needs no context, so it is also called when there is none to be had. */
static int32_t end_native(struct capture *capture, baton_stream *stream, driver_graph *graph, baton_error *err)
{
    struct device_entry entry;
    int outside = device_enter(stream->device, &entry, NULL) != BATON_OK;
    int32_t status = device_usable(stream->device, err);
    if (status)
        return status;
    int code = stream->device->driver->capture_end(stream->native, graph);
    if (code)
        end_by_force(capture, stream);
    if (!outside)
        device_leave(stream->device, &entry);
    if (code && capture->broken.status)
        return fail_with(err, &capture->broken);        /* the call that broke it says more than the end */
    return device_status(stream->device, code, DRIVER_ROW_capture_end, BATON_OP_CAPTURE, stream, err);
}

int32_t capture_end(baton_stream *stream, driver_graph *graph, struct capture_set *set, baton_error *err)
{
    struct capture *capture = capture_of(stream);
    if (!capture)
        return fail(err, BATON_ERR_CAPTURE, "no capture began on stream %llu", (unsigned long long)stream->id);
    int32_t status = turn_all(capture, err);
    if (status) {
        capture_unref(capture);
        return status;
    }
    *graph = NULL;
    status = end_native(capture, stream, graph, err);
    clear_all(capture);
    atomic_fetch_sub(&stream->runtime->captures, 1);
    if (!status) {
        *set = capture->set;
        capture->set = (struct capture_set) { .item_count = 0 };
    }
    capture_unref(capture);
    return status;
}

void capture_abandon(baton_stream *stream)
{
    struct capture_set set;
    driver_graph graph = NULL;
    if (capture_end(stream, &graph, &set, NULL))
        return;
    runtime_swallow(stream->runtime, stream->device->driver->graph_destroy(graph));
    capture_set_release(&set);
}
