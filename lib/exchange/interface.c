/* The CUDA array interface, both ways. Here the producer names a stream, and the consumer orders itself behind it. */
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "exchange/claim.h"

enum { INFO_LEAST = offsetof(baton_interface_info, strides) + 16 * sizeof(int64_t) };      /* the struct as it first was */

/* What NumPy calls the types, without the byte order. */
static const struct { int32_t dtype; char kind; uint32_t bytes; } names[] = {
    { BATON_BOOL, 'b', 1 }, { BATON_I8, 'i', 1 }, { BATON_I16, 'i', 2 }, { BATON_I32, 'i', 4 }, { BATON_I64, 'i', 8 },
    { BATON_U8, 'u', 1 }, { BATON_U16, 'u', 2 }, { BATON_U32, 'u', 4 }, { BATON_U64, 'u', 8 }, { BATON_F16, 'f', 2 },
    { BATON_F32, 'f', 4 }, { BATON_F64, 'f', 8 }, { BATON_C64, 'c', 8 }, { BATON_C128, 'c', 16 },
};

static const char native_order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';

static int32_t write_type(int32_t dtype, char *text, size_t bytes, baton_error *err)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].dtype == dtype) {
            snprintf(text, bytes, "%c%c%u", names[i].bytes == 1 ? '|' : native_order, names[i].kind, names[i].bytes);
            return BATON_OK;
        }
    return fail(err, BATON_ERR_DTYPE, "the interface has no name for %s", baton_dtype_name(dtype));
}

static int32_t read_type(const char *text, size_t bytes, int32_t *dtype, baton_error *err)
{
    char own[sizeof ((baton_interface_info *)NULL)->typestr + 1] = "";
    memcpy(own, text, bytes);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char wanted[8];
        snprintf(wanted, sizeof wanted, "%c%u", names[i].kind, names[i].bytes);
        int order = own[0] == native_order || own[0] == '=' || (own[0] == '|' && names[i].bytes == 1) || ((own[0] == '<' || own[0] == '>') && names[i].bytes == 1);
        if (order && !strcmp(own + 1, wanted)) {
            *dtype = names[i].dtype;
            return BATON_OK;
        }
    }
    return fail(err, BATON_ERR_DTYPE, "no dtype for the type '%s'", own);
}

/* ---- out
 *
 * The consumer reads the description and goes on by itself: it waits for the named stream, or submits to it, now or much later, and no deleter will tell when it is
 * done. What it can be held to is the protocol: it keeps the handle that it read, and what it does is ordered on the stream that the handle named. So this is a
 * live export (P5) to that stream, which ends with the handle; that the stream is always the same keeps true what earlier consumers were told.
 *
 * It names the last owner's stream, and makes it follow readers and other exports on the device: then everything pending lies before whatever the consumer
 * queues there or waits for there, and the host does not wait. P4 alone would not do: the library's next operation on the stream ends an escape, while a consumer
 * that works on the stream goes on after it. */

/* Made for the array's memory and put in its place; another thread may have been faster. */
static int32_t add(baton_array *array, struct export *older, baton_error *err)
{
    struct export *made;
    baton_stream *s;
    int32_t status = export_owner(array->memory, &s, err);
    if (status)
        return status;
    if (!s && !(status = stream_service(array->memory->device, &s, err)))
        stream_retain(s);
    if (status)
        return status;
    status = export_make(array->memory, s, &made, err);
    stream_release(s);
    if (status)
        return status;
    export_chain(made, older);
    if (atomic_compare_exchange_strong(&array->interface, &older, made))
        return BATON_OK;
    export_chain(made, NULL);
    export_end(made);
    return BATON_OK;
}

/* After a resize the array's memory is another one; the old one stays exported. */
static int32_t expose(baton_array *array, baton_stream **stream, baton_error *err)
{
    struct export *found = atomic_load_explicit(&array->interface, memory_order_acquire);
    int known = found && export_is_of(found, array->memory);
    int32_t status = known ? BATON_OK : add(array, found, err);
    if (status)
        return status;
    found = atomic_load_explicit(&array->interface, memory_order_acquire);
    *stream = export_stream(found);             /* lives as long as the handle */
    return export_follow(found, err);
}

static void describe(const baton_array *array, baton_interface_info *info)
{
    info->read_only = array->memory->read_only;
    info->address = layout_elements(&array->layout) ? array_address(array) : 0;
    info->device = array->memory->device->ordinal;
    info->device_type = place_type(array->memory);
    info->ndim = array->layout.ndim;
    info->contiguous = layout_contiguous(&array->layout);
    for (int32_t i = 0; i < info->ndim; i++) {
        info->shape[i] = array->layout.shape[i];
        /* Where there is one element or none the stride means nothing, and may be any number: it wraps. */
        info->strides[i] = (int64_t)((uint64_t)array->layout.strides[i] * array->element_bytes);
    }
}

int32_t baton_interface_export(baton_array *array, baton_interface_info *info, baton_error *err)
{
    baton_interface_info own = { .struct_size = sizeof own };
    baton_stream *stream;
    int32_t status = array_check(array, err);
    if (status || (status = write_type(array->dtype, own.typestr, sizeof own.typestr, err)))
        return status;
    if (!info || info->struct_size < INFO_LEAST)
        return fail(err, info ? BATON_ERR_VERSION : BATON_ERR_ARGUMENT, info ? "baton_interface_info is too small" : "info is NULL");
    if ((status = expose(array, &stream, err)) || (status = baton_stream_native(stream, &own.stream, err)))
        return status;
    describe(array, &own);
    return options_write(info, &own, sizeof own, "baton_interface_info", err);
}

/* ---- in */

static int32_t read_layout(const baton_interface_info *info, struct claim *claim, baton_error *err)
{
    int64_t strides[LAYOUT_MAX_DIMS];
    int32_t dtype = 0, status = read_type(info->typestr, sizeof info->typestr, &dtype, err);
    if (status)
        return status;
    if (info->ndim < 0 || info->ndim > LAYOUT_MAX_DIMS)
        return fail(err, BATON_ERR_SHAPE, "there are %d dimensions (0 to %d)", info->ndim, LAYOUT_MAX_DIMS);
    for (int32_t i = 0; i < info->ndim && !info->contiguous; i++) {
        if (info->strides[i] % (int64_t)dtype_bytes(dtype))
            return fail(err, BATON_ERR_SHAPE, "a stride of %lld bytes is not a whole number of elements", (long long)info->strides[i]);
        strides[i] = info->strides[i] / (int64_t)dtype_bytes(dtype);
    }
    return claim_layout(claim, dtype, info->ndim, info->shape, info->contiguous ? NULL : strides, info->address, 0, err);
}

static int32_t check(const baton_interface_info *info, baton_array **array, baton_error *err)
{
    if (!array)
        return fail(err, BATON_ERR_ARGUMENT, "array is NULL");
    if (info->read_only < 0 || info->read_only > 1 || info->contiguous < 0 || info->contiguous > 1)
        return fail(err, BATON_ERR_ARGUMENT, "read_only and contiguous are 0 or 1");
    return BATON_OK;
}

int32_t baton_interface_import(baton_runtime *runtime, const baton_interface_info *info, baton_deleter deleter, void *user, baton_array **array, baton_error *err)
{
    baton_interface_info own;
    struct claim claim;
    baton_stream *adopted = NULL, *stream;
    int32_t status = runtime_check(runtime, err);
    if (status || (status = options_read(&own, sizeof own, info, INFO_LEAST, "baton_interface_info", err)) || (status = check(&own, array, err)) ||
        (status = read_layout(&own, &claim, err)) || (status = claim_find(runtime, own.device, &claim, err)))
        return status;
    if (own.stream && (status = baton_stream_adopt(runtime, claim.device->ordinal, own.stream, &adopted, err)))
        return status;
    stream = adopted;
    if (adopted)
        status = stream_resolve(&stream, err);
    if (!status)
        status = claim_take(&claim, stream, deleter, user, own.read_only, array, err);
    stream_release(adopted);
    return status;
}
