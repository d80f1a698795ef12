/* All that is on a device, whoever put it there: where a consumer named no stream, or one that the library must not touch. */
#include "stream/wait.h"

#include <stdlib.h>

#include "base/process.h"

static int32_t wait_legacy(struct device *device, int32_t operation, baton_error *err)
{
    struct device_entry entry;
    int32_t status = device_enter(device, &entry, err);
    if (status)
        return status;
    int code = device->driver->stream_synchronize(DRIVER_STREAM_LEGACY);
    device_leave(device, &entry);
    return device_status(device, code, DRIVER_ROW_stream_synchronize, operation, NULL, err);
}

/* Streams that the library does not know, too: the driver frees pinned memory only when the whole device is idle, and breaks no capture by it. */
static int32_t wait_idle(struct device *device, int32_t operation, baton_error *err)
{
    struct device_entry entry;
    void *pinned;
    enum driver_row row = DRIVER_ROW_host_alloc;
    int32_t status = device_enter(device, &entry, err);
    if (status)
        return status;
    int code = device->driver->host_alloc(&pinned, DEVICE_FLAG_BYTES, DRIVER_HOST_ALLOC_PORTABLE);
    if (!code) {
        row = DRIVER_ROW_host_free;
        code = device->driver->host_free(pinned);
        if (code && !driver_code_gone(code) && !driver_code_sticky(code))
            device_keep_flag(device, pinned);       /* it is still there */
    }
    device_leave(device, &entry);
    return device_status(device, code, row, operation, NULL, err);
}

/* What others have put on lent streams by now is over when everything is: draws the tickets that were promised for it. The array is the caller's; NULL: no memory. */
static uint64_t *draw_promised(const struct stream_list *list)
{
    uint64_t *tickets = calloc(list->count + 1, sizeof *tickets);
    for (size_t i = 0; i < list->count && tickets; i++)
        if (stream_lent(list->streams[i]) && !stream_tracked(list->streams[i]))
            tickets[i] = stream_ticket(list->streams[i], BATON_OP_FOREIGN);
    return tickets;
}

static int32_t wait_all(struct device *device, const struct stream_list *list, const struct wait_how *how, baton_error *err)
{
    int32_t status = BATON_OK;
    for (size_t i = 0; i < list->count && !status; i++)
        status = wait_stream(list->streams[i], stream_newest(list->streams[i]), how, err);
    if (!status)
        status = wait_legacy(device, how->operation, err);
    return status ? status : wait_idle(device, how->operation, err);
}

int32_t wait_everything(struct device *device, const struct wait_how *how, baton_error *err)
{
    struct stream_list list;
    int32_t status = stream_list_make(NULL, device, &list, err);
    if (status)
        return status;
    uint64_t *tickets = draw_promised(&list);
    status = tickets ? wait_all(device, &list, how, err) : fail(err, BATON_ERR_MEMORY, "no host memory to list the streams");
    for (size_t i = 0; i < list.count && !status; i++)
        if (tickets[i])
            stream_complete(list.streams[i], tickets[i], NULL);
    free(tickets);
    stream_list_free(&list);
    return status;
}

static int32_t query_native(struct device *device, driver_stream native)
{
    struct device_entry entry;
    int32_t status = device_enter(device, &entry, NULL);
    if (status)
        return status;
    int code = device->driver->stream_query(native);
    device_leave(device, &entry);
    return code == DRIVER_NOT_READY ? BATON_NOT_READY : device_status(device, code, DRIVER_ROW_stream_query, BATON_OP_FREE, NULL, NULL);
}

static int32_t query_ticket(baton_stream *stream, uint64_t ticket)
{
    struct mark *mark;
    if (stream_done(stream, ticket))
        return BATON_OK;
    int32_t status = stream_mark(stream, ticket, 0, &mark, NULL);
    if (status)
        return status;
    status = wait_query(stream, mark, BATON_OP_FREE, NULL);
    mark_release(mark);
    return status;
}

/* The stream itself where it may hold work without tickets (P6): an event for that would be a newer one each time. */
static int32_t query_stream(baton_stream *stream)
{
    int capturing;
    if (stream_tracked(stream))
        return BATON_NOT_READY;
    if (!stream_exposed(stream) || stream_lent(stream) || (stream->thread && stream->thread != process_thread()))
        return query_ticket(stream, stream_lent(stream) ? stream_newest(stream) : stream_submitted(stream));
    int32_t status = stream_foreign_capture(stream, &capturing, NULL);
    if (status || capturing)
        return status ? status : BATON_NOT_READY;
    return query_native(stream->device, stream->native);
}

int32_t query_everything(struct device *device)
{
    struct stream_list list;
    int32_t status = stream_list_make(NULL, device, &list, NULL);
    if (status)
        return status;
    for (size_t i = 0; i < list.count && !status; i++)
        if (!(status = device_usable(list.streams[i]->device, NULL)))
            status = query_stream(list.streams[i]);
    stream_list_free(&list);
    return status ? status : query_native(device, DRIVER_STREAM_LEGACY);
}
