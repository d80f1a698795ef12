#include "work/submit.h"

static int32_t check(baton_array *array, int64_t elements, baton_stream **stream, baton_error *err)
{
    int32_t status = submit_check(array, stream, err);
    if (status)
        return status;
    if (elements < 0)
        return fail(err, BATON_ERR_SHAPE, "%lld elements", (long long)elements);
    if (array->layout.ndim != 1 || array->is_view || array->memory->foreign || !array->contiguous)
        return fail(err, BATON_ERR_KIND, "only contiguous 1-D arrays that own their memory can be resized");
    return BATON_OK;
}

/* The first `elements` of an array, as a view. */
static int32_t head(baton_array *array, int64_t elements, baton_array **view, baton_error *err)
{
    baton_view_options options = { .struct_size = sizeof options, .ndim = 1, .count = &elements };
    return baton_array_view(array, &options, view, err);
}

static int32_t copy_head(baton_array *to, baton_array *from, int64_t elements, baton_stream *stream, baton_error *err)
{
    baton_array *target, *source;
    int32_t status = head(to, elements, &target, err);
    if (status)
        return status;
    status = head(from, elements, &source, err);
    if (!status) {
        status = baton_copy(target, source, stream, err);
        baton_array_release(source);
    }
    baton_array_release(target);
    return status;
}

int32_t baton_array_resize(baton_array *array, int64_t elements, baton_stream *stream, baton_error *err)
{
    baton_array *grown;
    int32_t status = check(array, elements, &stream, err);
    if (status)
        return status;
    int64_t kept = elements < array->layout.shape[0] ? elements : array->layout.shape[0];
    baton_array_options options = { .struct_size = sizeof options, .device = array->memory->device->ordinal, .kind = array->memory->kind,
                                    .dtype = array->dtype, .ndim = 1, .shape = &elements };
    options.stream = device_same(stream->device, array->memory->device) ? stream : NULL;
    status = baton_array_create(array->runtime, &options, &grown, err);
    if (status)
        return status;
    atomic_store(&grown->memory->synchronizing, atomic_load(&array->memory->synchronizing));     /* S13 survives */
    status = copy_head(grown, array, kept, stream, err);
    if (!status) {
        struct memory *old = array->memory;
        array->memory = grown->memory;
        array_set_layout(array, &grown->layout);
        grown->memory = old;
    }
    baton_array_release(grown);
    return status;
}
