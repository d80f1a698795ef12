/* Between arrays and the host's own memory (O4). Strided arrays, and those that the stream's device does not reach, go through a contiguous one on
 * that device. */
#include <string.h>

#include "memory/foreign.h"
#include "stream/wait.h"
#include "work/bounce.h"
#include "work/submit.h"

static struct wait_how how_for(int32_t cause, int32_t operation, const baton_stream *stream)
{
    return (struct wait_how) { .mode = BATON_WAIT_AUTO, .cause = cause, .deadline_ns = WAIT_FOREVER, .operation = operation,
                               .task = atomic_load(&stream->task) };
}

static int32_t check(baton_array *array, const void *host, uint64_t bytes, baton_stream **stream, baton_error *err)
{
    int32_t status = submit_check(array, stream, err);
    if (status)
        return status;
    if (bytes != array->bytes)
        return fail(err, BATON_ERR_BOUNDS, "%llu bytes are given, the array has %llu", (unsigned long long)bytes, (unsigned long long)array->bytes);
    if (!host && bytes)
        return fail(err, BATON_ERR_ARGUMENT, "host is NULL");
    return BATON_OK;
}

/* Memory that the device reads itself is not copied aside at submission, as ordinary host memory is. */
static int32_t device_reads(baton_stream *stream, const void *host, int *reads, baton_error *err)
{
    struct device_entry entry;
    unsigned int type = 0;
    int32_t status = device_enter(stream->device, &entry, err);
    if (status)
        return status;
    int code = stream->device->driver->pointer_attribute(&type, DRIVER_POINTER_MEMORY_TYPE, (driver_address)(uintptr_t)host);
    device_leave(stream->device, &entry);
    *reads = code == DRIVER_SUCCESS;
    return code == DRIVER_INVALID_VALUE ? BATON_OK : device_status(stream->device, code, DRIVER_ROW_pointer_attribute, BATON_OP_UPLOAD, stream, err);
}

/* The graph copies at every launch, so it copies from memory of its own, which lives as long as it does. */
static int32_t upload_captured(baton_array *to, const void *host, uint64_t bytes, baton_stream *stream, baton_error *err)
{
    baton_array *source;
    void *address;
    baton_array_options options = { .struct_size = sizeof options, .device = stream->device->ordinal, .kind = BATON_HOST, .dtype = to->dtype,
                                    .ndim = to->layout.ndim, .shape = to->layout.shape };
    int32_t status = baton_array_create(stream->runtime, &options, &source, err);
    if (status)
        return status;
    status = baton_array_host_pointer(source, BATON_WRITE, &address, err);
    if (!status) {
        memcpy(address, host, bytes);
        status = baton_copy(to, source, stream, err);
    }
    baton_array_release(source);
    return status;
}

/* The long wait comes before any lock is taken: the driver's copy between ordinary and other host memory blocks until it is done. */
static int32_t wait_before(baton_array *array, int writes_only, const struct wait_how *how, baton_stream *stream, baton_error *err)
{
    int32_t status = BATON_OK;
    if (atomic_load(&array->memory->synchronizing))
        status = memory_wait(array->memory, stream, writes_only, how, err);
    return status ? status : wait_stream(stream, stream_newest(stream), how, err);
}

/* A stream that somebody else captures cannot be waited for, and its copy will be the graph's. */
static int32_t wait_before_upload(baton_array *to, const struct wait_how *how, baton_stream *stream, baton_error *err)
{
    int capturing = 0;
    int32_t status = stream_foreign_capture(stream, &capturing, err);
    return status || capturing ? status : wait_before(to, 0, how, stream, err);
}

/* Behind a copy that the device makes by itself. When the wait fails it is tried once more: the host's memory is to be the caller's again, also with an error.
 * The call names the stream: what could not be recorded behind the copy can be now. */
static int32_t wait_copied(baton_stream *stream, uint64_t ticket, const struct wait_how *how, baton_error *err)
{
    stream_settle(stream, ticket);
    int32_t status = wait_stream(stream, ticket, how, err);
    if (status)
        wait_stream(stream, ticket, how, NULL);
    return status;
}

static int32_t upload_run(baton_array *to, const void *host, uint64_t bytes, baton_stream *stream, baton_error *err)
{
    struct operation op;
    struct wait_how how = how_for(BATON_HOST_WAIT_UPLOAD, BATON_OP_UPLOAD, stream);
    int direct = 0;
    uint64_t address = array_address(to);           /* once the locks are taken, only the memory is sure to be there (O2) */
    enum driver_row row = to->memory->kind == BATON_DEVICE ? DRIVER_ROW_copy_to_device : DRIVER_ROW_copy;
    int32_t status = device_reads(stream, host, &direct, err);
    if (!status && !direct && row == DRIVER_ROW_copy)
        status = wait_before_upload(to, &how, stream, err);
    if (status || (status = submit_begin(&op, stream, BATON_OP_UPLOAD, 0, &(struct submit_use) { to, BATON_WRITE }, 1, err)))
        return status;
    if (op.tracked) {                       /* since just now */
        submit_drop(&op);
        return upload_captured(to, host, bytes, stream, err);
    }
    const struct driver *driver = stream->device->driver;
    int code = row == DRIVER_ROW_copy ? driver->copy(address, (driver_address)(uintptr_t)host, bytes, stream->native)
                                      : driver->copy_to_device(address, host, bytes, stream->native);
    int captured = op.captured;
    status = submit_end(&op, code, row, err);
    if (status || captured || (!direct && row != DRIVER_ROW_copy))
        return status;
    return wait_copied(stream, stream_submitted(stream), &how, err);
}

static int32_t upload_staged(baton_array *to, const void *host, uint64_t bytes, baton_stream *stream, baton_error *err)
{
    baton_array *staging;
    int32_t status = array_staging(to, stream, &staging, err);
    if (status)
        return status;
    status = upload_run(staging, host, bytes, stream, err);
    if (!status)
        status = baton_copy(to, staging, stream, err);
    baton_array_release(staging);
    return status;
}

/* Whether the driver's own copy can move it: one run, within reach. */
static int32_t is_direct(const baton_array *array, baton_stream *stream, int *direct, baton_error *err)
{
    int apart;
    int32_t status = bounce_needed(array, stream, &apart, err);
    *direct = array->contiguous && !status && !apart;
    return status;
}

int32_t baton_upload(baton_array *to, const void *host, uint64_t bytes, baton_stream *stream, baton_error *err)
{
    int direct;
    int32_t status = check(to, host, bytes, &stream, err);
    if (status || bytes == 0)
        return status;
    if (stream_tracked(stream))
        return upload_captured(to, host, bytes, stream, err);
    if ((status = is_direct(to, stream, &direct, err)))
        return status;
    return direct ? upload_run(to, host, bytes, stream, err) : upload_staged(to, host, bytes, stream, err);
}

/* A download cannot be part of a capture: its result would be due before the graph has run. */
static int32_t captured(baton_error *err)
{
    return fail(err, BATON_ERR_CAPTURE, "the stream is being captured: a download cannot complete there");
}

static int32_t submit_download(void *host, uint64_t bytes, baton_array *from, baton_stream *stream, uint64_t *ticket, baton_error *err)
{
    struct operation op;
    enum driver_row row = from->memory->kind == BATON_DEVICE ? DRIVER_ROW_copy_to_host : DRIVER_ROW_copy;
    int32_t status = submit_begin(&op, stream, BATON_OP_DOWNLOAD, 0, &(struct submit_use) { from, BATON_READ }, 1, err);
    if (status)
        return status;
    if (op.tracked) {                       /* since just now */
        submit_drop(&op);
        return captured(err);
    }
    const struct driver *driver = stream->device->driver;
    int code = row == DRIVER_ROW_copy ? driver->copy((driver_address)(uintptr_t)host, array_address(from), bytes, stream->native)
                                      : driver->copy_to_host(host, array_address(from), bytes, stream->native);
    status = submit_end(&op, code, row, err);
    *ticket = stream_submitted(stream);
    return status;
}

static int32_t download_run(void *host, uint64_t bytes, baton_array *from, baton_stream *stream, baton_error *err)
{
    struct wait_how how = how_for(BATON_HOST_WAIT_DOWNLOAD, BATON_OP_DOWNLOAD, stream);
    uint64_t ticket;
    int32_t status = wait_before(from, 1, &how, stream, err);
    if (!status)
        status = submit_download(host, bytes, from, stream, &ticket, err);
    return status ? status : wait_copied(stream, ticket, &how, err);
}

/* The array itself, or a contiguous copy on the stream's device; one reference for the caller. */
static int32_t contiguous(baton_array *from, baton_stream *stream, baton_array **run, baton_error *err)
{
    int direct;
    int32_t status = is_direct(from, stream, &direct, err);
    if (status)
        return status;
    if (direct) {
        *run = from;
        return baton_array_retain(from);
    }
    status = array_staging(from, stream, run, err);
    if (status || (status = baton_copy(*run, from, stream, err)) == BATON_OK)
        return status;
    baton_array_release(*run);
    return status;
}

static int32_t check_not_captured(baton_stream *stream, baton_error *err)
{
    int capturing;
    int32_t status = stream_foreign_capture(stream, &capturing, err);
    if (!status && (capturing || stream_tracked(stream)))
        return captured(err);
    return status;
}

int32_t baton_download(void *host, uint64_t bytes, baton_array *from, baton_stream *stream, baton_error *err)
{
    baton_array *run;
    int32_t status = check(from, host, bytes, &stream, err);
    if (status || bytes == 0 || (status = check_not_captured(stream, err)) || (status = contiguous(from, stream, &run, err)))
        return status;
    status = download_run(host, bytes, run, stream, err);
    baton_array_release(run);
    return status;
}

/* Without a fence the caller could not know when `host` is its own again: then the copy is waited for. */
static int32_t fence_or_wait(const struct use *use, baton_fence **fence, baton_error *err)
{
    struct wait_how how = how_for(BATON_HOST_WAIT_DOWNLOAD, BATON_OP_DOWNLOAD, use->stream);
    int32_t status = fence_make(use->stream->runtime, use, 1, fence, err);
    if (status)
        wait_copied(use->stream, use->ticket, &how, NULL);
    return status;
}

/* Into ordinary memory the driver's copy blocks until it is done: then the long wait comes first, with no lock held (H4). */
static int32_t wait_if_ordinary(const void *host, baton_array *from, baton_stream *stream, baton_error *err)
{
    struct wait_how how = how_for(BATON_HOST_WAIT_DOWNLOAD, BATON_OP_DOWNLOAD, stream);
    int direct = 0;
    int32_t status = device_reads(stream, host, &direct, err);
    return status || direct ? status : wait_before(from, 1, &how, stream, err);
}

int32_t baton_download_async(void *host, uint64_t bytes, baton_array *from, baton_stream *stream, baton_fence **fence, baton_error *err)
{
    baton_array *run;
    struct use use = { .ticket = 0 };
    int32_t status = check(from, host, bytes, &stream, err);
    if (status)
        return status;
    if (!fence)
        return fail(err, BATON_ERR_ARGUMENT, "fence is NULL");
    if (bytes == 0)
        return fence_make(stream->runtime, NULL, 0, fence, err);
    if ((status = check_not_captured(stream, err)) || (status = contiguous(from, stream, &run, err)))
        return status;
    use.stream = stream;
    status = wait_if_ordinary(host, run, stream, err);
    if (!status)
        status = submit_download(host, bytes, run, stream, &use.ticket, err);
    baton_array_release(run);
    return status ? status : fence_or_wait(&use, fence, err);
}
