#include "stream/stream.h"

#include <stdlib.h>

#include "base/process.h"

/* The native stream may still have work queued: the driver finishes it. A nonzero status: not now. */
static int32_t destroy_native(baton_stream *stream)
{
    struct device_entry entry;
    if (stream->wrapped || device_usable(stream->device, NULL))
        return BATON_OK;
    int32_t status = device_enter(stream->device, &entry, NULL);
    if (status)
        return status == BATON_ERR_POISONED ? BATON_OK : status;
    runtime_swallow(stream->runtime, stream->device->driver->stream_destroy(stream->native));
    device_leave(stream->device, &entry);
    return BATON_OK;
}

static enum deferred_result stream_reclaim(struct deferred *node)
{
    baton_stream *stream = (baton_stream *)((char *)node - offsetof(baton_stream, node));
    baton_runtime *runtime = stream->runtime;
    if (destroy_native(stream))
        return DEFERRED_LATER;
    for (baton_stream *own = stream->threads, *next; own; own = next) {
        next = own->next_thread;
        stream_release(own);
    }
    if (stream->deleter)
        stream->deleter(stream->user, (uint64_t)(uintptr_t)stream->native);
    stream_unregister(stream);
    stream_count(stream, &stream->runtime->retired);
    mark_release(stream->mark);
    handle_free(&stream->handle);
    runtime_release(runtime);
    return DEFERRED_DONE;
}

void stream_release(baton_stream *stream)
{
    if (stream && handle_release(&stream->handle, HANDLE_STREAM))
        runtime_defer(stream->runtime, &stream->node);
}

void stream_lock_contended(baton_stream *stream)
{
    const struct lock_policy policy = { .yield = NULL };
    lock_acquire(&stream->lock, STREAM_LOCKED, &policy);    /* held for a few driver calls, and never by who asks for it */
}

static baton_stream *stream_new(struct device *device, enum stream_kind kind, int wrapped)
{
    baton_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    handle_init(&stream->handle, HANDLE_STREAM);
    stream->node.reclaim = stream_reclaim;
    stream->runtime = device->runtime;
    stream->device = device;
    stream->kind = kind;
    stream->wrapped = wrapped;
    atomic_init(&stream->exposed, wrapped);
    return stream;
}

static void stream_discard(baton_stream *stream)
{
    handle_free(&stream->handle);
}

/* Gives the finished object its id and its place in the registry. */
static int32_t stream_publish(baton_stream *stream, baton_error *err)
{
    if (!stream_register(stream))
        return fail(err, BATON_ERR_MEMORY, "no host memory to register a stream");
    runtime_retain(stream->runtime);
    return BATON_OK;
}

static baton_stream *find_thread_locked(baton_stream *stream, uint64_t thread)
{
    for (baton_stream *own = stream->threads; own; own = own->next_thread)
        if (own->thread == thread)
            return own;
    return NULL;
}

static int32_t make_thread_locked(baton_stream *stream, uint64_t thread, baton_stream **own, baton_error *err)
{
    baton_stream *made = stream_new(stream->device, STREAM_PER_THREAD, 1);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for a stream");
    made->native = stream->native;
    made->thread = thread;
    atomic_init(&made->task, atomic_load(&stream->task));
    int32_t status = stream_publish(made, err);
    if (status) {
        stream_discard(made);
        return status;
    }
    made->next_thread = stream->threads;
    stream->threads = made;
    *own = made;
    return BATON_OK;
}

int32_t stream_of_thread(baton_stream **stream, baton_error *err)
{
    baton_stream *given = *stream;
    int32_t status = BATON_OK;
    stream_lock(given);
    baton_stream *own = find_thread_locked(given, process_thread());
    if (!own)
        status = make_thread_locked(given, process_thread(), &own, err);
    stream_unlock(given);
    if (!status)
        *stream = own;
    return status;
}

void stream_retain(baton_stream *stream)
{
    atomic_fetch_add_explicit(&stream->handle.references, 1, memory_order_relaxed);
}

static int clamp_priority(const struct device *device, int32_t priority)
{
    if (priority < device->priority_greatest)
        return device->priority_greatest;
    return priority > device->priority_least ? device->priority_least : priority;
}

static int32_t create_native(baton_stream *stream, int priority, baton_error *err)
{
    struct device_entry entry;
    int32_t status = device_enter(stream->device, &entry, err);
    if (status)
        return status;
    int code = stream->device->driver->stream_create(&stream->native, DRIVER_STREAM_NON_BLOCKING, priority);
    device_leave(stream->device, &entry);
    return device_status(stream->device, code, DRIVER_ROW_stream_create, BATON_OP_STREAM, NULL, err);
}

static int32_t stream_make(struct device *device, int32_t priority, baton_stream **stream, baton_error *err)
{
    baton_stream *made = stream_new(device, STREAM_ORDINARY, 0);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for a stream");
    int32_t status = create_native(made, clamp_priority(device, priority), err);
    if (status)
        goto discard;
    status = stream_publish(made, err);
    if (status)
        goto destroy;
    *stream = made;
    return BATON_OK;
destroy:
    destroy_native(made);
discard:
    stream_discard(made);
    return status;
}

int32_t stream_service(struct device *device, baton_stream **stream, baton_error *err)
{
    int32_t status = BATON_OK;
    pthread_mutex_lock(&device->lock);
    if (!device->service && !(status = stream_make(device, 0, &device->service, err)))
        atomic_fetch_add(&device->runtime->services, 1);
    if (!status)
        *stream = device->service;
    pthread_mutex_unlock(&device->lock);
    return status;
}

int32_t baton_stream_create(baton_runtime *runtime, int32_t ordinal, uint32_t flags, int32_t priority, baton_stream **stream, baton_error *err)
{
    struct device *device;
    int32_t status = runtime_check(runtime, err);
    if (status)
        return status;
    if (!stream || flags)
        return fail(err, BATON_ERR_ARGUMENT, stream ? "unknown stream flags 0x%x" : "stream is NULL", flags);
    status = device_get(runtime, ordinal, &device, err);
    return status ? status : stream_make(device, priority, stream, err);
}

static enum stream_kind kind_of(uint64_t native)
{
    if (native == BATON_STREAM_PER_THREAD)
        return STREAM_PER_THREAD;
    return native <= BATON_STREAM_LEGACY ? STREAM_LEGACY : STREAM_ORDINARY;
}

/* A stream made elsewhere must belong to the device that its wrapper names. */
static int32_t check_foreign(baton_stream *stream, baton_error *err)
{
    driver_context context = NULL;
    if (stream->kind != STREAM_ORDINARY)
        return BATON_OK;
    int code = stream->device->driver->stream_context(stream->native, &context);
    if (code)
        return device_status(stream->device, code, DRIVER_ROW_stream_context, BATON_OP_STREAM, NULL, err);
    if (context == stream->device->context)
        return BATON_OK;
    return fail(err, BATON_ERR_DEVICE, "the stream does not belong to the primary context of device %d", stream->device->ordinal);
}

int32_t stream_wrap(struct device *device, uint64_t native, uint64_t adopted, baton_stream **stream, baton_error *err)
{
    baton_stream *made = stream_new(device, kind_of(native), 1);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for a stream");
    made->native = made->kind == STREAM_LEGACY ? DRIVER_STREAM_LEGACY : (driver_stream)(uintptr_t)native;
    made->adopted = adopted;
    atomic_init(&made->lent, adopted && made->kind == STREAM_ORDINARY);
    int32_t status = check_foreign(made, err);
    status = status ? status : stream_publish(made, err);
    if (status)
        stream_discard(made);
    else
        *stream = made;
    return status;
}

int32_t baton_stream_wrap(baton_runtime *runtime, int32_t ordinal, uint64_t native, baton_stream **stream, baton_error *err)
{
    struct device *device;
    int32_t status = runtime_check(runtime, err);
    if (status || (status = device_get(runtime, ordinal, &device, err)))
        return status;
    return stream ? stream_wrap(device, native, 0, stream, err) : fail(err, BATON_ERR_ARGUMENT, "stream is NULL");
}

int32_t baton_stream_retain(baton_stream *stream)
{
    return handle_retain(stream ? &stream->handle : NULL, HANDLE_STREAM);
}

void baton_stream_release(baton_stream *stream)
{
    stream_release(stream);
}

int32_t baton_stream_native(baton_stream *stream, uint64_t *native, baton_error *err)
{
    int32_t status = stream_check(stream, err);
    if (status)
        return status;
    if (!native)
        return fail(err, BATON_ERR_ARGUMENT, "native is NULL");
    atomic_store_explicit(&stream->exposed, 1, memory_order_relaxed);
    *native = (uint64_t)(uintptr_t)stream->native;
    return BATON_OK;
}

int32_t baton_stream_id(baton_stream *stream, uint64_t *id, baton_error *err)
{
    int32_t status = handle_check(stream ? &stream->handle : NULL, HANDLE_STREAM, "stream", err);
    if (status)
        return status;
    if (!id)
        return fail(err, BATON_ERR_ARGUMENT, "id is NULL");
    *id = stream->id;
    return BATON_OK;
}

int32_t baton_stream_device(baton_stream *stream, int32_t *device, baton_error *err)
{
    int32_t status = handle_check(stream ? &stream->handle : NULL, HANDLE_STREAM, "stream", err);
    if (status)
        return status;
    if (!device)
        return fail(err, BATON_ERR_ARGUMENT, "device is NULL");
    *device = stream->device->ordinal;
    return BATON_OK;
}

int32_t baton_stream_set_task(baton_stream *stream, uint64_t tag, baton_error *err)
{
    int32_t status = handle_check(stream ? &stream->handle : NULL, HANDLE_STREAM, "stream", err);
    if (!status)
        atomic_store(&stream->task, tag);
    return status;
}
