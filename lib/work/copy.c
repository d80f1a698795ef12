#include <string.h>

#include "work/bounce.h"
#include "work/builtin.h"
#include "work/submit.h"

/* A copy after merging dimensions: one run of bytes, or a kernel's work. Holds all that is needed once the locks are taken: the operation keeps
 * the memories, not the arrays (O2). */
struct copy {
    struct layout to, from;     /* set when the arrays are not one run as they are */
    driver_context to_context, from_context;
    uint32_t element_bytes;
    uint64_t to_address, from_address, bytes, count;
    int one_run;
    int peer;                   /* the run goes from one device's memory to another's */
};

static int32_t check(baton_array *to, baton_array *from, baton_error *err)
{
    if (to->dtype != from->dtype)
        return fail(err, BATON_ERR_DTYPE, "cannot copy %s to %s", baton_dtype_name(from->dtype), baton_dtype_name(to->dtype));
    if (!layout_equal_shape(&to->layout, &from->layout))
        return fail(err, BATON_ERR_SHAPE, "the arrays' shapes differ");
    if (array_overlaps(to, from))
        return fail(err, BATON_ERR_OVERLAP, "the arrays overlap");
    if (!to->contiguous && layout_internally_overlaps(&to->layout))
        return fail(err, BATON_ERR_OVERLAP, "elements of the destination share a place");
    return BATON_OK;
}

static int both_on_devices(const baton_array *to, const baton_array *from)
{
    return to->memory->kind == BATON_DEVICE && from->memory->kind == BATON_DEVICE;
}

static void collapse(struct copy *copy, const baton_array *to, const baton_array *from)
{
    copy->count = (uint64_t)layout_elements(&to->layout);
    copy->to = to->layout;
    copy->from = from->layout;
    layout_collapse(&copy->to, &copy->from);
    copy->one_run = layout_contiguous(&copy->to) && layout_contiguous(&copy->from);
}

static void plan(struct copy *copy, const baton_array *to, const baton_array *from)
{
    copy->to_address = array_address(to);
    copy->from_address = array_address(from);
    copy->element_bytes = to->element_bytes;
    copy->bytes = to->bytes;
    copy->one_run = to->contiguous && from->contiguous;
    if (!copy->one_run)
        collapse(copy, to, from);
    copy->peer = copy->one_run && both_on_devices(to, from) && !device_same(to->memory->device, from->memory->device);
    if (copy->peer) {
        copy->to_context = to->memory->device->context;
        copy->from_context = from->memory->device->context;
    }
}

static int copy_run(const struct copy *copy, baton_stream *stream, enum driver_row *row)
{
    const struct driver *driver = stream->device->driver;
    *row = copy->peer ? DRIVER_ROW_copy_peer : DRIVER_ROW_copy;
    if (copy->peer)
        return driver->copy_peer(copy->to_address, copy->to_context, copy->from_address, copy->from_context, copy->bytes, stream->native);
    return driver->copy(copy->to_address, copy->from_address, copy->bytes, stream->native);
}

static int copy_strided(const struct copy *copy, driver_function function, baton_stream *stream, enum driver_row *row)
{
    uint64_t to = copy->to_address, from = copy->from_address;
    struct strided strided = { .ndim = (uint32_t)copy->to.ndim, .element_bytes = copy->element_bytes, .count = copy->count };
    void *parameters[] = { &to, &from, &strided };
    memcpy(strided.shape, copy->to.shape, sizeof strided.shape);
    memcpy(strided.to_strides, copy->to.strides, sizeof strided.to_strides);
    memcpy(strided.from_strides, copy->from.strides, sizeof strided.from_strides);
    *row = DRIVER_ROW_launch;
    return builtin_launch(function, stream, copy->count, parameters);
}

/* The driver itself carries a run from one device to another; everything else is work of the stream's device. */
static int32_t apart(const struct copy *copy, const baton_array *to, const baton_array *from, baton_stream *stream, int *needed, baton_error *err)
{
    *needed = 0;
    if (copy->peer || (to->memory->device == stream->device && from->memory->device == stream->device))
        return BATON_OK;
    int32_t status = bounce_needed(to, stream, needed, err);
    return status || *needed ? status : bounce_needed(from, stream, needed, err);
}

int32_t baton_copy(baton_array *to, baton_array *from, baton_stream *stream, baton_error *err)
{
    struct operation op;
    struct copy copy;
    driver_function function = NULL;
    enum driver_row row;
    int needed;
    int32_t status = submit_check(to, &stream, err);
    if (status || (status = submit_check(from, &stream, err)) || (status = check(to, from, err)))
        return status;
    plan(&copy, to, from);
    if (copy.bytes == 0)
        return BATON_OK;                    /* S1 */
    if ((status = apart(&copy, to, from, stream, &needed, err)))
        return status;
    if (needed)
        return bounce_copy(to, from, stream, err);
    if (!copy.one_run && (status = builtin_get(stream->device, BUILTIN_COPY, &function, err)))
        return status;
    int forth = from->memory->id < to->memory->id;      /* in their order, or operation_add looks for it */
    struct submit_use uses[2];
    uses[forth] = (struct submit_use) { to, BATON_WRITE };
    uses[!forth] = (struct submit_use) { from, BATON_READ };
    status = submit_begin(&op, stream, BATON_OP_COPY, (copy.peer ? OPERATION_PEER_COPY : 0u) | (copy.one_run ? 0u : OPERATION_KERNEL), uses, 2, err);
    if (status)
        return status;
    int code = copy.one_run ? copy_run(&copy, stream, &row) : copy_strided(&copy, function, stream, &row);
    return submit_end(&op, code, row, err);
}
