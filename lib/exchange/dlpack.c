#include "exchange/dlpack.h"

#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/place.h"
#include "memory/export.h"

/* ---- out */

struct exported {
    struct dlpack_managed managed;      /* first: the consumer's pointer */
    baton_array *array;                 /* one reference */
    struct export *export;
    int64_t shape[LAYOUT_MAX_DIMS], strides[LAYOUT_MAX_DIMS];
};

/* Called by the consumer from any thread, in any state: no lock, no driver call. */
static void exported_delete(struct dlpack_managed *managed)
{
    struct exported *exported = (struct exported *)managed;
    export_end(exported->export);
    baton_array_release(exported->array);
    free(exported);
}

static int32_t device_type(const struct memory *memory)
{
    if (memory->kind == BATON_HOST)
        return memory->device->driver->host_kernels ? DLPACK_CPU : DLPACK_CUDA_HOST;
    if (memory->device->driver->host_kernels)
        return DLPACK_CPU;              /* the software device's memory is the host's */
    return memory->kind == BATON_UNIFIED ? DLPACK_CUDA_MANAGED : DLPACK_CUDA;
}

static void describe(struct exported *exported)
{
    baton_array *array = exported->array;
    struct dlpack_tensor *tensor = &exported->managed.tensor;
    memcpy(exported->shape, array->layout.shape, sizeof exported->shape);
    memcpy(exported->strides, array->layout.strides, sizeof exported->strides);
    exported->managed.major = DLPACK_MAJOR;
    exported->managed.minor = DLPACK_MINOR;
    exported->managed.deleter = exported_delete;
    exported->managed.flags = array->memory->read_only ? DLPACK_READ_ONLY : 0;
    tensor->data = layout_elements(&array->layout) ? (void *)(uintptr_t)array_address(array) : NULL;
    tensor->device_type = device_type(array->memory);
    tensor->device_id = tensor->device_type == DLPACK_CUDA ? array->memory->device->ordinal : 0;
    tensor->ndim = array->layout.ndim;
    tensor->lanes = 1;
    dtype_to_dlpack(array->dtype, &tensor->code, &tensor->bits);    /* every dtype has a counterpart */
    tensor->shape = exported->shape;
    tensor->strides = exported->strides;
}

int32_t baton_dlpack_export(baton_array *array, baton_stream *stream, void **managed, baton_error *err)
{
    int32_t status = array_check(array, err);
    if (status || (stream && (status = stream_resolve(&stream, err))))
        return status;
    if (!managed)
        return fail(err, BATON_ERR_ARGUMENT, "managed is NULL");
    if (stream && stream->device->driver != array->memory->device->driver)
        return fail(err, BATON_ERR_STREAM, "the array and the stream belong to different drivers");
    struct exported *made = calloc(1, sizeof *made);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for a DLPack tensor");
    status = export_make(array->memory, stream, &made->export, err);
    if (status) {
        free(made);
        return status;
    }
    made->array = array;
    baton_array_retain(array);
    describe(made);
    *managed = &made->managed;
    return BATON_OK;
}

/* ---- in */

/* What a foreign tensor says about itself, checked: nothing of it is trusted. */
struct imported {
    struct layout layout;       /* offset from the lowest address in use */
    struct device *device;
    uint64_t address, bytes;    /* from the lowest address in use */
    int32_t dtype, kind;
};

static void imported_delete(void *user, uint64_t address)
{
    struct dlpack_managed *managed = user;
    (void)address;
    if (managed->deleter)
        managed->deleter(managed);
}

static int32_t read_layout(const struct dlpack_tensor *tensor, struct imported *imported, baton_error *err)
{
    int64_t low, high, size;
    if (tensor->ndim < 0 || tensor->ndim > LAYOUT_MAX_DIMS || (tensor->ndim && !tensor->shape))
        return fail(err, BATON_ERR_SHAPE, "the tensor has %d dimensions (0 to %d), or no shape", tensor->ndim, LAYOUT_MAX_DIMS);
    int32_t status = dtype_from_dlpack(tensor->code, tensor->bits, tensor->lanes, &imported->dtype);
    if (status)
        return fail(err, status, "no dtype for code %u, %u bits, %u lanes", tensor->code, tensor->bits, tensor->lanes);
    uint32_t element = dtype_bytes(imported->dtype);
    if (layout_make(tensor->ndim, tensor->shape, tensor->strides, &imported->layout) || layout_bytes(&imported->layout, element, &size) ||
        layout_extent(&imported->layout, element, &low, &high))
        return fail(err, BATON_ERR_SHAPE, "the tensor's shape and strides are not an array's");
    imported->layout.offset = -low / (int64_t)element;
    imported->bytes = (uint64_t)(high - low);
    imported->address = (uint64_t)(uintptr_t)tensor->data;
    if (imported->bytes && !tensor->data)
        return fail(err, BATON_ERR_ARGUMENT, "the tensor has elements, but no data");
    if (__builtin_add_overflow(imported->address, tensor->byte_offset, &imported->address) || __builtin_add_overflow(imported->address, low, &imported->address))
        return fail(err, BATON_ERR_BOUNDS, "the tensor reaches past the address space");
    if (imported->address % (element < 8 ? element : 8))
        return fail(err, BATON_ERR_ARGUMENT, "the tensor's data is not aligned to its elements");
    return BATON_OK;
}

static int32_t kind_of(int32_t type)
{
    switch (type) {
    case DLPACK_CPU:
    case DLPACK_CUDA_HOST: return BATON_HOST;
    case DLPACK_CUDA: return BATON_DEVICE;
    case DLPACK_CUDA_MANAGED: return BATON_UNIFIED;
    default: return 0;
    }
}

/* The kind is what the driver says; where the tensor claims another one, only host memory of the software device may differ. */
static int32_t read_place(baton_runtime *runtime, const struct dlpack_tensor *tensor, struct imported *imported, baton_error *err)
{
    struct place place;
    int32_t claimed = kind_of(tensor->device_type);
    if (!claimed)
        return fail(err, BATON_ERR_DEVICE, "DLPack device type %d is not supported", tensor->device_type);
    int32_t status = device_get(runtime, claimed == BATON_DEVICE ? tensor->device_id : 0, &imported->device, err);
    imported->kind = claimed;
    if (status || imported->bytes == 0)
        return status;
    status = place_detect(imported->device, imported->address, &place, err);
    if (status)
        return status;
    imported->kind = place.kind;
    if (imported->kind != claimed && !(imported->device->driver->host_kernels && tensor->device_type == DLPACK_CPU))
        return fail(err, BATON_ERR_KIND, "the tensor says device type %d, but the driver says memory kind %d", tensor->device_type, imported->kind);
    if (claimed != BATON_DEVICE && place.device >= 0)       /* a tensor of another kind does not name a device */
        status = device_get(runtime, place.device, &imported->device, err);
    return status ? status : place_check(&place, imported->device, imported->address, imported->bytes, err);
}

static int32_t check_managed(const struct dlpack_managed *managed, baton_error *err)
{
    if (!managed)
        return fail(err, BATON_ERR_ARGUMENT, "managed is NULL");
    if (managed->major != DLPACK_MAJOR)
        return fail(err, BATON_ERR_VERSION, "DLPack version %u.%u: only %d.x is understood", managed->major, managed->minor, DLPACK_MAJOR);
    return BATON_OK;
}

int32_t baton_dlpack_import(baton_runtime *runtime, void *foreign, baton_stream *stream, baton_array **array, baton_error *err)
{
    struct dlpack_managed *managed = foreign;
    struct imported in;
    struct memory *memory;
    int32_t status = runtime_check(runtime, err);
    if (status || (status = check_managed(managed, err)) || (stream && (status = stream_resolve(&stream, err))))
        return status;
    if (!array)
        return fail(err, BATON_ERR_ARGUMENT, "array is NULL");
    if ((status = read_layout(&managed->tensor, &in, err)) || (status = read_place(runtime, &managed->tensor, &in, err)))
        return status;
    if (stream && stream->device->driver != in.device->driver)
        return fail(err, BATON_ERR_STREAM, "the tensor and the stream belong to different drivers");
    struct memory_options options = { .device = in.device, .stream = stream, .kind = in.kind, .bytes = in.bytes };
    status = memory_wrap(&options, in.address, imported_delete, managed, managed->flags & DLPACK_READ_ONLY ? 1 : 0, &memory, err);
    if (status)
        return status;
    status = array_make(memory, in.dtype, &in.layout, 0, array, err);
    if (status) {
        memory->deleter = NULL;         /* the caller still owns the tensor */
        memory_release(memory);
    }
    return status;
}
