#include "array/array.h"

#include "array/place.h"
#include "base/options.h"
#include "memory/foreign.h"

enum {
    OPTIONS_LEAST = offsetof(baton_array_options, level),
    VIEW_LEAST = offsetof(baton_view_options, permutation),
    DRAINED_PER_CREATE = 16,
    KIND_ASK = 0                            /* wrap: the driver knows */
};

static int32_t options_check(const baton_array_options *options, baton_array_options *own, baton_error *err)
{
    int32_t status = options_read(own, sizeof *own, options, OPTIONS_LEAST, "baton_array_options", err);
    if (status)
        return status;
    if (own->reserved[0] || own->reserved[1])
        return fail(err, BATON_ERR_VERSION, "reserved member of baton_array_options is not zero");
    if (own->flags & ~(uint32_t)(BATON_ALLOC_NO_HOOK | BATON_ALLOC_TRY))
        return fail(err, BATON_ERR_ARGUMENT, "unknown array flags 0x%x", own->flags);
    if (own->kind < KIND_ASK || own->kind > BATON_UNIFIED)
        return fail(err, BATON_ERR_KIND, "unknown memory kind %d", own->kind);
    if (!dtype_bytes(own->dtype))
        return fail(err, BATON_ERR_DTYPE, "unknown dtype %d", own->dtype);
    if (own->level < 0 || own->level > 2)
        return fail(err, BATON_ERR_ARGUMENT, "level %d is not 0, 1 or 2", own->level);
    if (own->read_only < 0 || own->read_only > 1)
        return fail(err, BATON_ERR_ARGUMENT, "read_only %d is not 0 or 1", own->read_only);
    return BATON_OK;
}

static int32_t layout_check(const baton_array_options *options, struct layout *layout, int64_t *bytes, baton_error *err)
{
    int64_t low, size;
    if (options->ndim > 0 && !options->shape)
        return fail(err, BATON_ERR_ARGUMENT, "shape is NULL for %d dimensions", options->ndim);
    int32_t status = layout_make(options->ndim, options->shape, options->strides, layout);
    if (status)
        return fail(err, status, "%d dimensions (0 to %d) of these extents are not an array's shape", options->ndim, LAYOUT_MAX_DIMS);
    status = layout_bytes(layout, dtype_bytes(options->dtype), &size);
    low = 0;
    *bytes = size;
    if (!status && options->strides)
        status = layout_extent(layout, dtype_bytes(options->dtype), &low, bytes);
    if (status || low < 0)
        return fail(err, BATON_ERR_SHAPE, "the array would reach past the address space, or below its start");
    return BATON_OK;
}

/* The stream that the options name, on the options' device, or the device's own. */
static int32_t stream_of(const baton_array_options *options, struct device *device, baton_stream **stream, baton_error *err)
{
    *stream = options->stream;
    if (!options->stream)
        return stream_service(device, stream, err);
    int32_t status = stream_resolve(stream, err);
    if (status)
        return status;
    if (!device_same((*stream)->device, device))
        return fail(err, BATON_ERR_DEVICE, "the stream belongs to device %d, the array to device %d", (*stream)->device->ordinal, device->ordinal);
    return BATON_OK;
}

/* To use it, or the stream, for the first time or at all takes driver calls. */
static int needs_driver(const baton_runtime *runtime, const baton_array_options *own)
{
    int first = own->device >= 0 && own->device < runtime->device_count && !atomic_load_explicit(&runtime->devices[own->device].ready, memory_order_acquire);
    return first || !own->stream || stream_lent(own->stream) || stream_special(own->stream);
}

/* Finds the device and the stream, and gives back some of what waits for that. */
static int32_t create_start(baton_runtime *runtime, const baton_array_options *own, struct memory_options *wanted, baton_error *err)
{
    int at_once = (own->flags & BATON_ALLOC_TRY) != 0;
    int32_t status = at_once && own->stream ? stream_check(own->stream, err) : BATON_OK;
    if (!status && at_once && needs_driver(runtime, own))
        status = fail(err, BATON_WOULD_BLOCK, "only on an ordinary stream of the library's, and a device in use, is an array made at once");
    if (status || (status = device_get(runtime, own->device, &wanted->device, err)) || (status = stream_of(own, wanted->device, &wanted->stream, err)))
        return status;
    if (!at_once)
        runtime_drain(runtime, DRAINED_PER_CREATE);
    else if (runtime_drain_by(runtime, DRAINED_PER_CREATE, array_reclaim_at_once))
        status = fail(err, BATON_WOULD_BLOCK, "something waits to be given back, which takes driver calls");
    return status;
}

/* Makes the first handle, or gives the memory back. */
static int32_t array_over(struct memory *memory, int32_t dtype, const struct layout *layout, baton_array **array, baton_error *err)
{
    if ((*array = array_again(memory, dtype, layout)))
        return BATON_OK;
    int32_t status = array_make(memory, dtype, layout, 0, array, err);
    if (status)
        memory_release(memory);
    return status;
}

int32_t baton_array_create(baton_runtime *runtime, const baton_array_options *options, baton_array **array, baton_error *err)
{
    baton_array_options own;
    struct layout layout;
    struct memory *memory;
    struct memory_options wanted;
    int64_t bytes;
    int32_t status = runtime_check(runtime, err);
    if (status)
        return status;
    if (!array)
        return fail(err, BATON_ERR_ARGUMENT, "array is NULL");
    if ((status = options_check(options, &own, err)) || (status = layout_check(&own, &layout, &bytes, err)))
        return status;
    if (own.read_only)
        return fail(err, BATON_ERR_ARGUMENT, "a new array cannot be read-only");
    if (own.strides && !layout_owns_no_overlap(&layout))
        return fail(err, BATON_ERR_SHAPE, "strides of a new array are positive, and no two elements share a place");
    wanted = (struct memory_options) { .kind = own.kind ? own.kind : BATON_DEVICE, .bytes = (uint64_t)bytes, .flags = own.flags, .level = own.level };
    if ((status = create_start(runtime, &own, &wanted, err)) || (status = memory_create(&wanted, &memory, err)))
        return status;
    return array_over(memory, own.dtype, &layout, array, err);
}

int32_t array_staging(const baton_array *like, baton_stream *stream, baton_array **array, baton_error *err)
{
    baton_array_options options = { .struct_size = sizeof options, .device = stream->device->ordinal, .dtype = like->dtype,
                                    .ndim = like->layout.ndim, .shape = like->layout.shape, .stream = stream };
    return baton_array_create(stream->runtime, &options, array, err);
}

/* Settles the kind where it was left open, and refuses what was declared wrongly. */
static int32_t place_settle(struct memory_options *given, uint64_t address, baton_error *err)
{
    struct place place;
    int32_t status = place_detect(given->device, address, &place, err);
    if (status)
        return status;
    if (given->kind == KIND_ASK)
        given->kind = place.kind;
    given->pageable = place.kind == BATON_HOST && !place.known;
    if (given->kind != place.kind)
        return fail(err, BATON_ERR_KIND, "the address is declared as kind %d, but the driver says kind %d", given->kind, place.kind);
    return place_check(&place, given->device, address, given->bytes, err);
}

static int32_t address_check(uint64_t address, uint64_t bytes, uint32_t element_bytes, baton_error *err)
{
    uint32_t alignment = element_bytes < 8 ? element_bytes : 8;
    if (address % alignment)
        return fail(err, BATON_ERR_ARGUMENT, "the address is not aligned to %u bytes", alignment);
    if (bytes > UINT64_MAX - address)
        return fail(err, BATON_ERR_BOUNDS, "the array would reach past the address space");
    return BATON_OK;
}

int32_t baton_array_wrap(baton_runtime *runtime, const baton_array_options *options, uint64_t address, baton_deleter deleter, void *user, baton_array **array,
                         baton_error *err)
{
    baton_array_options own;
    struct layout layout;
    struct memory *memory;
    struct memory_options given;
    int64_t bytes;
    int32_t status = runtime_check(runtime, err);
    if (status)
        return status;
    if (!array)
        return fail(err, BATON_ERR_ARGUMENT, "array is NULL");
    if ((status = options_check(options, &own, err)) || (status = layout_check(&own, &layout, &bytes, err)))
        return status;
    if (bytes && !address)
        return fail(err, BATON_ERR_ARGUMENT, "address is NULL");
    given = (struct memory_options) { .kind = own.kind, .bytes = (uint64_t)bytes };
    if ((status = address_check(address, given.bytes, dtype_bytes(own.dtype), err)) || (status = device_get(runtime, own.device, &given.device, err)))
        return status;
    if (bytes && (status = place_settle(&given, address, err)))
        return status;
    if (given.kind == KIND_ASK)
        given.kind = BATON_DEVICE;          /* no bytes: nothing to ask about */
    if (own.stream && (status = stream_of(&own, given.device, &given.stream, err)))
        return status;
    status = memory_wrap(&given, address, deleter, user, own.read_only, &memory, err);
    if (status)
        return status;
    status = array_make(memory, own.dtype, &layout, 0, array, err);
    if (status) {
        memory->deleter = NULL;         /* the caller still owns the bytes */
        memory_release(memory);
    }
    return status;
}

static int32_t reinterpret(const baton_array *array, int32_t dtype, struct layout *layout, baton_error *err)
{
    if (!dtype_bytes(dtype))
        return fail(err, BATON_ERR_DTYPE, "unknown dtype %d", dtype);
    int32_t status = layout_reinterpret(layout, array->element_bytes, dtype_bytes(dtype), layout);
    return status ? fail(err, status, "the last dimension is not contiguous, or not a whole number of %s elements", baton_dtype_name(dtype)) : BATON_OK;
}

static int32_t permutation_check(const int32_t *permutation, int32_t ndim, baton_error *err)
{
    uint32_t seen = 0;
    for (int32_t i = 0; i < ndim; i++)
        if (permutation[i] < 0 || permutation[i] >= ndim || seen >> permutation[i] & 1)
            return fail(err, BATON_ERR_ARGUMENT, "permutation names a dimension twice, or one that is not there");
        else
            seen |= 1u << permutation[i];
    return BATON_OK;
}

static int32_t view_layout(const baton_array *array, const baton_view_options *options, struct layout *layout, baton_error *err)
{
    int32_t status = BATON_OK;
    *layout = array->layout;
    if (options->start || options->count || options->step || options->permutation) {
        if (options->ndim != layout->ndim)
            return fail(err, BATON_ERR_SHAPE, "the view gives %d dimensions, the array has %d", options->ndim, layout->ndim);
        status = layout_slice(layout, options->ndim, options->start, options->count, options->step, layout);
        if (status)
            return fail(err, status, "the slice reaches outside the array, or has a step of 0");
    }
    if (options->dtype && (status = reinterpret(array, options->dtype, layout, err)))
        return status;
    if (options->permutation) {
        if ((status = permutation_check(options->permutation, layout->ndim, err)))
            return status;
        status = layout_permute(layout, options->permutation, layout);
    }
    if (!status && options->shape && (status = layout_reshape(layout, options->shape_ndim, options->shape, layout)))
        return fail(err, status, "the view cannot have that shape without a copy");
    return status;
}

int32_t baton_array_view(baton_array *array, const baton_view_options *options, baton_array **view, baton_error *err)
{
    baton_view_options own;
    struct layout layout;
    int32_t status = array_check(array, err);
    if (status)
        return status;
    if (!view)
        return fail(err, BATON_ERR_ARGUMENT, "view is NULL");
    status = options_read(&own, sizeof own, options, VIEW_LEAST, "baton_view_options", err);
    if (status)
        return status;
    if (own.reserved32 || own.reserved33 || own.reserved[0] || own.reserved[1])
        return fail(err, BATON_ERR_VERSION, "reserved member of baton_view_options is not zero");
    status = view_layout(array, &own, &layout, err);
    if (status)
        return status;
    memory_retain(array->memory);
    status = array_make(array->memory, own.dtype ? own.dtype : array->dtype, &layout, 1, view, err);
    if (status)
        memory_release(array->memory);
    return status;
}
