/* Exports behind an event of their own: the consumer waits for it wherever it likes. */
#include "memory/export_parts.h"
#include "stream/capture.h"

/* A capture began before the event could be recorded: look again. */
enum { CAPTURE_TURNED = 1000 };

void export_destroy_event(struct export *export)
{
    struct device *device = export->recorded;
    if (device && !device_usable(device, NULL))
        runtime_swallow(device->runtime, device->driver->event_destroy(export->event));
}

/* The stream that the event is recorded on, retained: the owner's, where all that a reader must follow is in order already, so that nothing has to wait for
 * anything; or the device's own, where the owner's cannot be recorded on. */
static int32_t event_stream(struct memory *memory, baton_stream **s, baton_error *err)
{
    int capturing = 0;
    baton_stream *owner;
    int32_t status = export_owner(memory, &owner, err);
    if (status)
        return status;
    int usable = owner && !stream_special(owner);
    if (usable)
        status = stream_foreign_capture(owner, &capturing, err);
    if (!status && usable && !capturing) {
        *s = owner;
        return BATON_OK;
    }
    stream_release(owner);
    if (!status)
        status = stream_service(memory->device, s, err);
    if (!status)
        stream_retain(*s);
    return status;
}

static int32_t make_event(struct export *export, struct device *device, baton_error *err)
{
    struct device_entry entry;
    int32_t status = device_enter(device, &entry, err);
    if (status)
        return status;
    int code = device->driver->event_create(&export->event, DRIVER_EVENT_DISABLE_TIMING);
    device_leave(device, &entry);
    if (code)
        return device_status(device, code, DRIVER_ROW_event_create, BATON_OP_FOREIGN, NULL, err);
    export->recorded = device;
    return BATON_OK;
}

/* Records while the memory is locked, so that nobody writes between the event and the export. CAPTURE_TURNED: the stream is captured by now. */
static int32_t record_on(struct export *export, baton_stream *s, baton_error *err)
{
    struct operation op;
    int32_t status = export_operate(export->memory, s, 0, BATON_READ, &op, err);
    if (status)
        return status;
    if (op.tracked || op.captured) {
        operation_failed(&op);
        return CAPTURE_TURNED;
    }
    int code = s->device->driver->event_record(export->event, s->native);
    if (code) {
        operation_failed(&op);
        return device_status(s->device, code, DRIVER_ROW_event_record, BATON_OP_FOREIGN, s, err);
    }
    export_count_locked(export, &export->memory->reading);
    operation_submitted(&op);
    return BATON_OK;
}

static int32_t start_event(struct export *export, baton_error *err)
{
    baton_stream *s;
    int32_t status;
    do {
        if ((status = event_stream(export->memory, &s, err)))
            return status;
        if (!(status = make_event(export, s->device, err)))
            status = record_on(export, s, err);
        if (status) {
            export_destroy_event(export);
            export->recorded = NULL;
        }
        stream_release(s);
    } while (status == CAPTURE_TURNED);
    return status;
}

int32_t export_make_event(struct memory *memory, struct export **export, baton_error *err)
{
    struct export *made = export_new(memory, err);
    return made ? export_finish(made, start_event(made, err), export) : BATON_ERR_MEMORY;
}
