#include "exchange/claim.h"

#include "array/place.h"

int32_t place_type(const struct memory *memory)
{
    if (memory->device->driver->host_kernels)
        return PLACE_CPU;
    if (memory->kind == BATON_HOST)
        return PLACE_CUDA_HOST;
    return memory->kind == BATON_UNIFIED ? PLACE_CUDA_MANAGED : PLACE_CUDA;
}

int32_t claim_layout(struct claim *claim, int32_t dtype, int32_t ndim, const int64_t *shape, const int64_t *strides, uint64_t data, uint64_t offset, baton_error *err)
{
    int64_t low, high, size, span;
    uint32_t element = dtype_bytes(dtype);
    if (ndim < 0 || ndim > LAYOUT_MAX_DIMS || (ndim && !shape))
        return fail(err, BATON_ERR_SHAPE, "there are %d dimensions (0 to %d), or no shape", ndim, LAYOUT_MAX_DIMS);
    if (layout_make(ndim, shape, strides, &claim->layout) || layout_bytes(&claim->layout, element, &size) ||
        layout_extent(&claim->layout, element, &low, &high) || __builtin_sub_overflow(high, low, &span))
        return fail(err, BATON_ERR_SHAPE, "shape and strides are not an array's");
    claim->dtype = dtype;
    claim->layout.offset = -low / (int64_t)element;
    claim->bytes = (uint64_t)span;
    if (claim->bytes && !data)
        return fail(err, BATON_ERR_ARGUMENT, "there are elements, but no data");
    if (__builtin_add_overflow(data, offset, &claim->address) || __builtin_add_overflow(claim->address, low, &claim->address) ||
        claim->bytes > UINT64_MAX - claim->address)
        return fail(err, BATON_ERR_BOUNDS, "the data reach past the address space");
    if (claim->address % (element < 8 ? element : 8))
        return fail(err, BATON_ERR_ARGUMENT, "the data are not aligned to their elements");
    return BATON_OK;
}

static int32_t kind_of(int32_t type)
{
    switch (type) {
    case PLACE_CPU:
    case PLACE_CUDA_HOST: return BATON_HOST;
    case PLACE_CUDA: return BATON_DEVICE;
    case PLACE_CUDA_MANAGED: return BATON_UNIFIED;
    default: return 0;
    }
}

/* Kind and device as the driver knows them; ordinary host memory is nobody's, and the device stays. */
static int32_t find_place(baton_runtime *runtime, struct claim *claim, struct place *place, baton_error *err)
{
    int32_t status = place_detect(claim->device, claim->address, place, err);
    if (status)
        return status;
    claim->kind = place->kind;
    claim->pageable = place->kind == BATON_HOST && !place->known;
    return place->device >= 0 ? device_get(runtime, place->device, &claim->device, err) : BATON_OK;
}

int32_t claim_place(baton_runtime *runtime, int32_t type, int64_t id, struct claim *claim, baton_error *err)
{
    struct place place;
    int32_t claimed = kind_of(type);
    if (!claimed)
        return fail(err, BATON_ERR_DEVICE, "device type %d is not supported", type);
    if (claimed == BATON_DEVICE && (id < 0 || id > INT32_MAX))
        return fail(err, BATON_ERR_DEVICE, "there is no device %lld", (long long)id);
    int32_t status = device_get(runtime, claimed == BATON_DEVICE ? (int32_t)id : 0, &claim->device, err);
    claim->kind = claimed;
    claim->pageable = 0;
    if (status || claim->bytes == 0)
        return status;
    struct device *named = claim->device;
    if ((status = find_place(runtime, claim, &place, err)))
        return status;
    if (claim->kind != claimed && !(claim->device->driver->host_kernels && type == PLACE_CPU))
        return fail(err, BATON_ERR_KIND, "device type %d is claimed, but the driver says memory kind %d", type, claim->kind);
    if (claimed == BATON_DEVICE && claim->device != named)
        return fail(err, BATON_ERR_DEVICE, "device %d is claimed, but the memory is on device %d", named->ordinal, claim->device->ordinal);
    return place_check(&place, claim->device, claim->address, claim->bytes, err);
}

int32_t claim_find(baton_runtime *runtime, int32_t fallback, struct claim *claim, baton_error *err)
{
    struct place place;
    int32_t status = device_get(runtime, claim->bytes ? 0 : fallback, &claim->device, err);
    claim->kind = BATON_DEVICE;
    claim->pageable = 0;
    if (status || claim->bytes == 0)
        return status;
    if ((status = find_place(runtime, claim, &place, err)))
        return status;
    if (!place.known)
        return fail(err, BATON_ERR_KIND, "the driver does not know the address");
    return place_check(&place, claim->device, claim->address, claim->bytes, err);
}

int32_t claim_take(const struct claim *claim, baton_stream *stream, baton_deleter deleter, void *user, int read_only, baton_array **array, baton_error *err)
{
    struct memory_options options = { .device = claim->device, .stream = stream, .kind = claim->kind, .bytes = claim->bytes,
                                      .pageable = claim->pageable, .arrived = 1 };
    struct memory *memory;
    if (stream && stream->device->driver != claim->device->driver)
        return fail(err, BATON_ERR_STREAM, "the memory and the stream belong to different drivers");
    int32_t status = memory_wrap(&options, claim->address, deleter, user, read_only, &memory, err);
    if (status)
        return status;
    status = array_make(memory, claim->dtype, &claim->layout, 0, array, err);
    if (status) {
        memory->deleter = NULL;         /* the caller still owns it */
        memory_release(memory);
    }
    return status;
}
