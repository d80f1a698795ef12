/* Arrays given out as DLPack tensors. */
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "exchange/claim.h"
#include "exchange/dlpack.h"

enum {
    FLAGS = BATON_DLPACK_LEGACY | BATON_DLPACK_COPY | BATON_DLPACK_UNORDERED | BATON_DLPACK_HOST,
    OPTIONS_LEAST = offsetof(baton_dlpack_options, reserved)
};

struct exported {
    union {
        struct dlpack_managed versioned;
        struct dlpack_legacy legacy;
    } managed;                          /* first: the consumer's pointer */
    baton_array *array;                 /* one reference */
    struct export *export;
    int64_t shape[LAYOUT_MAX_DIMS], strides[LAYOUT_MAX_DIMS];
};

/* What is to be given out, and how. */
struct request {
    baton_array *array;
    baton_stream *stream;               /* resolved, or NULL */
    uint32_t flags;
    int copied;                         /* the array is a copy that nobody else knows */
};

/* Called by the consumer from any thread, in any state: no lock, no driver call. */
static void exported_end(struct exported *exported)
{
    export_end(exported->export);
    baton_array_release(exported->array);
    free(exported);
}

static void versioned_delete(struct dlpack_managed *managed)
{
    exported_end((struct exported *)managed);
}

static void legacy_delete(struct dlpack_legacy *managed)
{
    exported_end((struct exported *)managed);
}

static void device_of(const baton_array *array, int32_t *type, int32_t *id)
{
    *type = place_type(array->memory);
    *id = *type == PLACE_CUDA ? array->memory->device->ordinal : 0;
}

static void describe(const struct request *request, struct exported *exported, struct dlpack_tensor *tensor)
{
    const baton_array *array = request->array;
    memcpy(exported->shape, array->layout.shape, sizeof exported->shape);
    memcpy(exported->strides, array->layout.strides, sizeof exported->strides);
    tensor->data = layout_elements(&array->layout) ? (void *)(uintptr_t)array_address(array) : NULL;
    device_of(array, &tensor->device_type, &tensor->device_id);
    if (request->flags & BATON_DLPACK_HOST)
        tensor->device_type = PLACE_CPU;
    tensor->ndim = array->layout.ndim;
    tensor->lanes = 1;
    dtype_to_dlpack(array->dtype, &tensor->code, &tensor->bits);    /* every dtype has a counterpart */
    tensor->shape = exported->shape;
    tensor->strides = exported->strides;
}

static void describe_managed(const struct request *request, struct exported *exported)
{
    struct dlpack_managed *managed = &exported->managed.versioned;
    if (request->flags & BATON_DLPACK_LEGACY) {
        exported->managed.legacy.deleter = legacy_delete;
        describe(request, exported, &exported->managed.legacy.tensor);
        return;
    }
    managed->major = DLPACK_MAJOR;
    managed->minor = DLPACK_MINOR;
    managed->deleter = versioned_delete;
    managed->flags = (request->array->memory->read_only ? DLPACK_READ_ONLY : 0u) | (request->copied ? DLPACK_IS_COPIED : 0u);
    describe(request, exported, &managed->tensor);
}

/* A copy that no stream is known for is complete, whatever the consumer promised: it cannot know the stream that made it. */
static int32_t start(const struct request *request, struct export **export, baton_error *err)
{
    if (request->flags & BATON_DLPACK_UNORDERED && !request->copied)
        return export_make_unordered(request->array->memory, export, err);
    return export_make(request->array->memory, request->stream, export, err);
}

static int32_t give_out(const struct request *request, void **managed, baton_error *err)
{
    if (request->array->memory->read_only && request->flags & BATON_DLPACK_LEGACY)
        return fail(err, BATON_ERR_KIND, "a legacy tensor cannot say that the array is read-only: export a copy, or a versioned tensor");
    struct exported *made = calloc(1, sizeof *made);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for a DLPack tensor");
    int32_t status = start(request, &made->export, err);
    if (status) {
        free(made);
        return status;
    }
    made->array = request->array;
    baton_array_retain(made->array);
    describe_managed(request, made);
    *managed = &made->managed;
    return BATON_OK;
}

static int32_t check_uncaptured(baton_stream *stream, baton_error *err)
{
    int foreign;
    int32_t status = stream_foreign_capture(stream, &foreign, err);
    if (!status && (foreign || stream_tracked(stream)))
        return fail(err, BATON_ERR_CAPTURE, "the consumer's stream is being captured: a copy made there would not exist before the graph is launched");
    return status;
}

/* Of the same kind, or of the host's; on the consumer's stream where that can be, else on the device's own. */
static int32_t make_copy(const struct request *request, baton_array **copy, baton_error *err)
{
    const struct memory *memory = request->array->memory;
    baton_stream *on = request->stream;
    int32_t status = BATON_OK;
    if (!on || !device_same(on->device, memory->device))
        status = stream_service(memory->device, &on, err);
    if (status || (status = check_uncaptured(on, err)))
        return status;
    baton_array_options options = { .struct_size = sizeof options, .device = memory->device->ordinal, .dtype = request->array->dtype,
                                    .kind = request->flags & BATON_DLPACK_HOST ? BATON_HOST : memory->kind,
                                    .ndim = request->array->layout.ndim, .shape = request->array->layout.shape, .stream = on };
    status = baton_array_create(memory->runtime, &options, copy, err);
    if (!status && (status = baton_copy(*copy, request->array, on, err)))
        baton_array_release(*copy);
    return status;
}

static int32_t give_out_copy(struct request *request, void **managed, baton_error *err)
{
    baton_array *copy;
    int32_t status = make_copy(request, &copy, err);
    if (status)
        return status;
    request->array = copy;
    request->copied = 1;
    status = give_out(request, managed, err);
    baton_array_release(copy);
    return status;
}

static int needs_copy(const struct request *request)
{
    return request->flags & BATON_DLPACK_COPY || (request->flags & BATON_DLPACK_HOST && place_type(request->array->memory) == PLACE_CUDA);
}

static int32_t check(struct request *request, void **managed, baton_error *err)
{
    int32_t status = array_check(request->array, err);
    if (status || (request->stream && (status = stream_resolve(&request->stream, err))))
        return status;
    if (!managed)
        return fail(err, BATON_ERR_ARGUMENT, "managed is NULL");
    if (request->flags & ~(uint32_t)FLAGS)
        return fail(err, BATON_ERR_ARGUMENT, "unknown DLPack flags 0x%x", request->flags);
    if (request->stream && request->flags & (BATON_DLPACK_UNORDERED | BATON_DLPACK_HOST))
        return fail(err, BATON_ERR_ARGUMENT, "a consumer that orders itself, or that is the CPU, has no stream");
    if (request->stream && request->stream->device->driver != request->array->memory->device->driver)
        return fail(err, BATON_ERR_STREAM, "the array and the stream belong to different drivers");
    return BATON_OK;
}

static int32_t export_as(struct request *request, void **managed, baton_error *err)
{
    int32_t status = check(request, managed, err);
    if (status)
        return status;
    return needs_copy(request) ? give_out_copy(request, managed, err) : give_out(request, managed, err);
}

int32_t baton_dlpack_export(baton_array *array, baton_stream *stream, void **managed, baton_error *err)
{
    struct request request = { .array = array, .stream = stream };
    return export_as(&request, managed, err);
}

int32_t baton_dlpack_export_with(baton_array *array, const baton_dlpack_options *options, void **managed, baton_error *err)
{
    baton_dlpack_options own;
    int32_t status = options_read(&own, sizeof own, options, OPTIONS_LEAST, "baton_dlpack_options", err);
    if (status)
        return status;
    if (own.reserved[0] || own.reserved[1])
        return fail(err, BATON_ERR_VERSION, "reserved member of baton_dlpack_options is not zero");
    struct request request = { .array = array, .stream = own.stream, .flags = own.flags };
    return export_as(&request, managed, err);
}

int32_t baton_dlpack_device(baton_array *array, int32_t *type, int32_t *id, baton_error *err)
{
    int32_t status = array_check(array, err);
    if (status)
        return status;
    if (!type || !id)
        return fail(err, BATON_ERR_ARGUMENT, type ? "id is NULL" : "type is NULL");
    device_of(array, type, id);
    return BATON_OK;
}
