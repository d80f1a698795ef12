#include <string.h>

#include "work/builtin.h"
#include "work/elements.h"

static enum builtin kernel_of(int32_t dtype)
{
    switch (dtype) {
    case BATON_F32: return BUILTIN_F32;
    case BATON_F64: return BUILTIN_F64;
    case BATON_I32: return BUILTIN_I32;
    default: return BUILTIN_I64;
    }
}

/* One raw value, in the dtype of `to`. */
static int32_t add_value(struct elements *elements, const baton_argument *argument, const char *name, union element *value, baton_error *err)
{
    uint32_t bytes = elements->element_bytes[0];
    if (!argument->data || argument->bytes != bytes)
        return fail(err, BATON_ERR_ARGUMENT, "%s is neither an array nor a value of %u bytes", name, bytes);
    memcpy(value, argument->data, bytes);
    elements_value(elements);
    return BATON_OK;
}

static int32_t add_operand(struct elements *elements, const baton_argument *argument, const char *name, union element *value, baton_stream **stream, baton_error *err)
{
    const baton_array *to = elements->uses[0].array;
    if (!argument)
        return fail(err, BATON_ERR_ARGUMENT, "%s is NULL", name);
    if (!argument->array)
        return add_value(elements, argument, name, value, err);
    if (argument->data || argument->bytes)
        return fail(err, BATON_ERR_ARGUMENT, "%s is both an array and a value", name);
    if (argument->access & ~(uint32_t)BATON_READ)
        return fail(err, BATON_ERR_ARGUMENT, "%s is only read, and its access is %u", name, argument->access);
    int32_t status = array_check(argument->array, err);
    if (status)
        return status;
    if (argument->array->dtype != to->dtype)
        return fail(err, BATON_ERR_DTYPE, "%s is of %s, the destination of %s: cast it first", name, baton_dtype_name(argument->array->dtype),
                    baton_dtype_name(to->dtype));
    return elements_from(elements, argument->array, name, stream, err);
}

int32_t baton_elementwise(int32_t function, baton_array *to, const baton_argument *left, const baton_argument *right, baton_stream *stream, baton_error *err)
{
    struct operation op;
    struct elements elements;
    struct elementwise how;
    driver_function kernel;
    int32_t status = elements_to(&elements, to, &stream, err);
    if (status || (status = elements_dtype(to, "the destination", err)))
        return status;
    if (function < BATON_ADD || function > BATON_DIVIDE)
        return fail(err, BATON_ERR_ARGUMENT, "unknown function %d", function);
    if ((status = add_operand(&elements, left, "left", &how.left, &stream, err)) ||
        (status = add_operand(&elements, right, "right", &how.right, &stream, err)))
        return status;
    if (elements_none(&elements))
        return BATON_OK;                    /* S1 */
    how.function = (uint32_t)function;
    elements_walk(&elements, LANES_BYTES / elements.element_bytes[0], &how.walk);
    if ((status = builtin_get(stream->device, kernel_of(to->dtype), &kernel, err)) ||
        (status = submit_begin(&op, stream, BATON_OP_LAUNCH, 0, elements.uses, elements.used, err)))
        return status;
    void *parameters[] = { &elements.addresses[0], &elements.addresses[1], &elements.addresses[2], &how };
    return submit_end(&op, builtin_launch(kernel, stream, how.walk.count, parameters), DRIVER_ROW_launch, err);
}
