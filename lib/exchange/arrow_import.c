/* Arrow data of other libraries, taken in. */
#include <stdlib.h>
#include <string.h>

#include "exchange/arrow.h"
#include "exchange/claim.h"
#include "stream/order.h"
#include "stream/wait.h"

/* Arrow's letter per dtype. It packs bool in bits; bf16 and complex numbers it does not know. */
static const struct { int32_t dtype; char letter; } letters[] = {
    { BATON_I8, 'c' }, { BATON_U8, 'C' }, { BATON_I16, 's' }, { BATON_U16, 'S' }, { BATON_I32, 'i' }, { BATON_U32, 'I' },
    { BATON_I64, 'l' }, { BATON_U64, 'L' }, { BATON_F16, 'e' }, { BATON_F32, 'f' }, { BATON_F64, 'g' },
};

char arrow_letter(int32_t dtype)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].dtype == dtype)
            return letters[i].letter;
    return 0;
}

int32_t arrow_dtype(const char *format)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (format[0] == letters[i].letter && !format[1])
            return letters[i].dtype;
    return 0;
}

/* The data that a structure was moved to; release is called once, after their last use. */
struct moved {
    struct arrow_array array;
};

static void moved_delete(void *user, uint64_t address)
{
    struct moved *moved = user;
    (void)address;
    moved->array.release(&moved->array);
    free(moved);
}

static int32_t read_dtype(const struct arrow_schema *schema, int32_t *dtype, baton_error *err)
{
    if (!schema || !schema->release || !schema->format)
        return fail(err, BATON_ERR_ARGUMENT, "the schema is NULL, or was released, or has no format");
    if (schema->dictionary)
        return fail(err, BATON_ERR_DTYPE, "dictionary-encoded Arrow data are not an array");
    *dtype = arrow_dtype(schema->format);
    if (!*dtype)
        return fail(err, BATON_ERR_DTYPE, "no dtype for Arrow's format '%.40s'", schema->format);
    if (schema->n_children)
        return fail(err, BATON_ERR_ARGUMENT, "the schema of a primitive type has %lld children", (long long)schema->n_children);
    return BATON_OK;
}

/* The size in "+w:SIZE"; -1: it is not written so. */
static int64_t list_size(const char *format)
{
    int64_t size = 0;
    if (strncmp(format, "+w:", 3) || !format[3])
        return -1;
    for (const char *digit = format + 3; *digit; digit++) {
        if (*digit < '0' || *digit > '9')
            return -1;
        size = size * 10 + (*digit - '0');
        if (size > INT32_MAX)
            return -1;
    }
    return size;
}

/* *rows: elements of each row of a fixed-size list, -1 for a primitive type. */
static int32_t read_schema(const struct arrow_schema *schema, int32_t *dtype, int64_t *rows, baton_error *err)
{
    *rows = schema && schema->release && schema->format ? list_size(schema->format) : -1;
    if (*rows < 0)
        return read_dtype(schema, dtype, err);
    if (schema->dictionary || schema->n_children != 1 || !schema->children || !schema->children[0])
        return fail(err, BATON_ERR_ARGUMENT, "the schema of a fixed-size list has exactly one child");
    return read_dtype(schema->children[0], dtype, err);
}

/* What holds for the array and its child alike. */
static int32_t check_array(const struct arrow_array *array, int64_t buffers, int64_t children, baton_error *err)
{
    if (!array || !array->release)
        return fail(err, BATON_ERR_ARGUMENT, "the Arrow array is NULL, or was released or moved");
    if (array->n_buffers != buffers || !array->buffers || array->n_children != children || (children && (!array->children || !array->children[0])))
        return fail(err, BATON_ERR_ARGUMENT, "%lld buffers and %lld children are not what the schema says", (long long)array->n_buffers,
                    (long long)array->n_children);
    if (array->dictionary)
        return fail(err, BATON_ERR_DTYPE, "dictionary-encoded Arrow data are not an array");
    if (array->null_count > 0 || array->null_count < -1 || (array->null_count && array->buffers[0]))
        return fail(err, BATON_ERR_KIND, "Arrow data with nulls are not an array");
    if (array->length < 0 || array->offset < 0)
        return fail(err, BATON_ERR_SHAPE, "length %lld at offset %lld", (long long)array->length, (long long)array->offset);
    return BATON_OK;
}

/* Where the data begin, and how many of the elements there are. */
struct run {
    const struct arrow_array *data;
    int64_t offset;
};

static int32_t read_rows(const struct arrow_array *array, int64_t row, struct run *run, baton_error *err)
{
    int64_t first, end;
    int32_t status = check_array(array, 1, 1, err);
    if (status || (status = check_array(array->children[0], 2, 0, err)))
        return status;
    run->data = array->children[0];
    if (__builtin_add_overflow(array->offset, array->length, &end) || __builtin_mul_overflow(end, row, &end) || end > run->data->length)
        return fail(err, BATON_ERR_BOUNDS, "the lists reach past the %lld elements of their child", (long long)run->data->length);
    first = array->offset * row;            /* <= end */
    if (__builtin_add_overflow(run->data->offset, first, &run->offset))
        return fail(err, BATON_ERR_BOUNDS, "the data reach past the address space");
    return BATON_OK;
}

static int32_t read_layout(const struct arrow_array *array, int32_t dtype, int64_t row, struct claim *claim, baton_error *err)
{
    struct run run = { array, array->offset };
    uint64_t bytes;
    int64_t shape[2] = { array->length, row };
    int32_t status = row < 0 ? check_array(array, 2, 0, err) : read_rows(array, row, &run, err);
    if (status)
        return status;
    if (__builtin_mul_overflow((uint64_t)run.offset, dtype_bytes(dtype), &bytes))
        return fail(err, BATON_ERR_BOUNDS, "the data reach past the address space");
    return claim_layout(claim, dtype, row < 0 ? 1 : 2, shape, NULL, (uint64_t)(uintptr_t)run.data->buffers[1], bytes, err);
}

static int32_t check(baton_runtime *runtime, const struct arrow_device_array *from, baton_stream **stream, baton_array **array, baton_error *err)
{
    int32_t status = runtime_check(runtime, err);
    if (status || (*stream && (status = stream_resolve(stream, err))))
        return status;
    if (!from || !array)
        return fail(err, BATON_ERR_ARGUMENT, from ? "array is NULL" : "device_array is NULL");
    if (from->reserved[0] || from->reserved[1] || from->reserved[2])
        return fail(err, BATON_ERR_VERSION, "a reserved member of the ArrowDeviceArray is not zero");
    return BATON_OK;
}

/* Nothing touches the data before *event has happened: by a wait of the stream; without one the device's own stream waits, and the host for it. */
static int32_t follow(const driver_event *event, const struct claim *claim, baton_stream *stream, baton_error *err)
{
    struct wait_how how = { .mode = BATON_WAIT_AUTO, .cause = BATON_HOST_WAIT_FOREIGN, .deadline_ns = WAIT_FOREVER, .operation = BATON_OP_FOREIGN };
    baton_stream *on = stream;
    int32_t status = on ? BATON_OK : stream_service(claim->device, &on, err);
    if (status || (status = order_wait_event(on, *event, err)))
        return status;
    return stream ? BATON_OK : wait_stream(on, stream_newest(on), &how, err);
}

static int32_t move(struct arrow_device_array *from, const struct claim *claim, baton_stream *stream, baton_array **array, baton_error *err)
{
    struct moved *moved = malloc(sizeof *moved);
    if (!moved)
        return fail(err, BATON_ERR_MEMORY, "no host memory for an Arrow array");
    int32_t status = from->sync_event ? follow(from->sync_event, claim, stream, err) : BATON_OK;
    moved->array = from->array;
    if (!status)
        status = claim_take(claim, from->sync_event ? stream : NULL, moved_delete, moved, 1, array, err);
    if (status) {
        free(moved);
        return status;
    }
    from->array.release = NULL;
    return BATON_OK;
}

int32_t baton_arrow_import(baton_runtime *runtime, void *device_array, const void *schema, baton_stream *stream, baton_array **array, baton_error *err)
{
    struct arrow_device_array *from = device_array;
    struct claim claim;
    int64_t row;
    int32_t dtype, status = check(runtime, from, &stream, array, err);
    if (status || (status = read_schema(schema, &dtype, &row, err)) || (status = read_layout(&from->array, dtype, row, &claim, err)) ||
        (status = claim_place(runtime, from->device_type, from->device_id, &claim, err)))
        return status;
    if (stream && stream->device->driver != claim.device->driver)
        return fail(err, BATON_ERR_STREAM, "the data and the stream belong to different drivers");
    return move(from, &claim, stream, array, err);
}
