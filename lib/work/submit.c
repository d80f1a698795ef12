#include "work/submit.h"

#include "stream/capture.h"

int32_t submit_check(baton_array *array, baton_stream **stream, baton_error *err)
{
    int32_t status = array_check(array, err);
    if (status || (status = stream_resolve(stream, err)))
        return status;
    if (array->memory->device->driver != (*stream)->device->driver)
        return fail(err, BATON_ERR_STREAM, "the array and the stream belong to different drivers");
    return BATON_OK;
}

int32_t submit_start(struct operation *op, baton_error *err)
{
    int32_t status = operation_begin(op, err);
    if (status) {
        operation_discard(op);
        return status;
    }
    status = device_enter_for(op->stream, &op->entry, err);
    if (status)
        operation_failed(op);
    return status;
}

int32_t submit_begin(struct operation *op, baton_stream *stream, int32_t kind, uint32_t flags, const struct submit_use *uses, uint32_t count, baton_error *err)
{
    int32_t status = BATON_OK;
    operation_init(op, stream, kind, 0);
    op->flags = flags;
    for (uint32_t i = 0; i < count && !status; i++)
        status = operation_add(op, uses[i].array->memory, uses[i].access, err);
    if (!status)
        return submit_start(op, err);
    operation_discard(op);
    return status;
}

void submit_drop(struct operation *op)
{
    device_leave_for(op->stream, &op->entry);
    operation_failed(op);
}

/* Inside a capture the record also says whether the capture survived. */
static int32_t submit_failed(struct operation *op, int code, enum driver_row row, baton_error *err)
{
    baton_error record = error_none();
    device_status(op->stream->device, code, row, op->kind, op->stream, &record);
    if (op->tracked)
        capture_note(op->tracked, op->stream, &record);
    operation_failed(op);
    return fail_with(err, &record);
}

int32_t submit_end(struct operation *op, int code, enum driver_row row, baton_error *err)
{
    device_leave_for(op->stream, &op->entry);
    if (code != DRIVER_SUCCESS)
        return submit_failed(op, code, row, err);
    operation_submitted(op);
    return BATON_OK;
}
