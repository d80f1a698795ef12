/* From a driver's result to a status, and the record of a fault that poisons a device (E2). */
#include <stdio.h>

#include "stream/stream.h"

/* Collects the streams with unfinished work into one sentence. */
struct suspects {
    struct device *device;
    baton_error *record;
    const baton_stream *first;
    size_t used;
};

static void add_text(struct suspects *suspects, const char *text)
{
    size_t room = sizeof suspects->record->message - suspects->used;
    int length = snprintf(suspects->record->message + suspects->used, room, "%s", text);
    if (length > 0)
        suspects->used += (size_t)length < room ? (size_t)length : room - 1;
}

static void add_kinds(struct suspects *suspects, baton_stream *stream, uint64_t first, uint64_t last)
{
    uint32_t seen = 0;
    for (uint64_t ticket = first; ticket <= last; ticket++) {
        uint64_t slot = atomic_load_explicit(&stream->ring[ticket % STREAM_RING], memory_order_relaxed);
        if (slot >> 8 == ticket)
            seen |= 1u << (slot & 31);
    }
    for (int32_t kind = 0; kind < 32; kind++)
        if (seen >> kind & 1) {
            add_text(suspects, " ");
            add_text(suspects, baton_operation_name(kind));
        }
}

static void add_stream(baton_stream *stream, void *user)
{
    struct suspects *suspects = user;
    uint64_t done = atomic_load(&stream->completed), last = stream_submitted(stream);
    char text[96];
    if (!device_same(stream->device, suspects->device) || done >= last)     /* of other runtimes too: one of theirs may be it */
        return;
    uint64_t first = last - done > STREAM_RING ? last - STREAM_RING + 1 : done + 1;
    snprintf(text, sizeof text, "; stream %llu tickets %llu to %llu:", (unsigned long long)stream->id,
             (unsigned long long)done + 1, (unsigned long long)last);
    add_text(suspects, text);
    add_kinds(suspects, stream, first, last);
    if (suspects->first)
        return;
    suspects->first = stream;
    suspects->record->stream_id = stream->id;
    suspects->record->tag = atomic_load(&stream->task);
    suspects->record->ticket_first = done + 1;
    suspects->record->ticket_last = last;
}

static void poison(struct device *device, int code, enum driver_row row, int32_t operation)
{
    int expected = 0;
    char text[96];
    if (!atomic_compare_exchange_strong(&device->poisoned, &expected, 1))
        return;
    baton_error *record = &device->poison;
    *record = error_none();
    record->status = BATON_ERR_POISONED;
    record->driver_code = code;
    record->origin = BATON_ORIGIN_ASYNC;
    record->operation = operation;
    record->device = (uint64_t)device->ordinal;
    struct suspects suspects = { .device = device, .record = record };
    snprintf(text, sizeof text, "device %d is lost: %s seen by %s", device->ordinal, driver_code_name(code),
             driver_row_name(row));
    add_text(&suspects, text);
    stream_each(NULL, add_stream, &suspects);
    atomic_store_explicit(&device->poisoned, 2, memory_order_release);
}

int32_t device_failed(struct device *device, int code, enum driver_row row, int32_t operation, baton_stream *stream,
                      baton_error *err)
{
    if (code == DRIVER_SUCCESS)
        return BATON_OK;
    if (driver_code_sticky(code))
        poison(device, code, row, operation);
    if (driver_code_sticky(code) && atomic_load_explicit(&device->poisoned, memory_order_acquire) == 2)
        return fail_with(err, &device->poison);
    baton_error record = error_none();
    record.status = code == DRIVER_OUT_OF_MEMORY ? BATON_ERR_OOM : BATON_ERR_DRIVER;
    record.driver_code = code;
    record.operation = operation;
    record.device = (uint64_t)device->ordinal;
    record.stream_id = stream ? stream->id : 0;
    record.tag = stream ? atomic_load(&stream->task) : 0;
    snprintf(record.message, sizeof record.message, "%s on device %d: %s returned %s", baton_operation_name(operation),
             device->ordinal, driver_row_symbol(row), driver_code_name(code));
    return fail_with(err, &record);
}

int32_t device_returned(struct device *device, int32_t result, const char *what, baton_error *err)
{
    int32_t lost = result == BATON_ERR_POISONED ? device_usable(device, err) : BATON_OK;
    return lost ? lost : fail(err, result, "%s returned %d", what, result);
}
