#include "work/builtin.h"
#include "work/elements.h"

static int32_t real_check(const baton_array *array, const char *name, baton_error *err)
{
    if (array->dtype != BATON_C64 && array->dtype != BATON_C128)
        return BATON_OK;
    return fail(err, BATON_ERR_DTYPE, "%s is of %s: complex numbers cannot be cast", name, baton_dtype_name(array->dtype));
}

int32_t baton_cast(baton_array *to, baton_array *from, baton_stream *stream, baton_error *err)
{
    struct operation op;
    struct elements elements;
    struct cast how;
    driver_function kernel;
    int32_t status = elements_to(&elements, to, &stream, err);
    if (status || (status = elements_from(&elements, from, "the source", &stream, err)) ||
        (status = real_check(to, "the destination", err)) || (status = real_check(from, "the source", err)))
        return status;
    if (elements_none(&elements))
        return BATON_OK;                    /* S1 */
    how.to = (uint32_t)to->dtype;
    how.from = (uint32_t)from->dtype;
    elements_walk(&elements, to->element_bytes > 4 || from->element_bytes > 4 ? CAST_LANES_WIDE : CAST_LANES, &how.walk);
    if ((status = builtin_get(stream->device, BUILTIN_CAST, &kernel, err)) ||
        (status = submit_begin(&op, stream, BATON_OP_LAUNCH, 0, elements.uses, elements.used, err)))
        return status;
    void *parameters[] = { &elements.addresses[0], &elements.addresses[1], &how };
    return submit_end(&op, builtin_launch(kernel, stream, how.walk.count, parameters), DRIVER_ROW_launch, err);
}
