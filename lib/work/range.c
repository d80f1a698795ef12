#include <string.h>

#include "work/builtin.h"
#include "work/elements.h"

int32_t baton_range(baton_array *to, const void *start, const void *step, uint64_t bytes, baton_stream *stream, baton_error *err)
{
    struct operation op;
    struct elements elements;
    struct range how;
    driver_function kernel;
    int32_t status = elements_to(&elements, to, &stream, err);
    if (status || (status = elements_dtype(to, "the array", err)))
        return status;
    if (!start || !step || bytes != to->element_bytes)
        return fail(err, BATON_ERR_ARGUMENT, "start is %s, step %s, of %llu bytes each; the elements have %u", start ? "given" : "NULL",
                    step ? "given" : "NULL", (unsigned long long)bytes, to->element_bytes);
    if (elements_none(&elements))
        return BATON_OK;                    /* S1 */
    memcpy(&how.start, start, bytes);
    memcpy(&how.step, step, bytes);
    how.dtype = (uint32_t)to->dtype;
    elements_walk_in_order(&elements, LANES_BYTES / to->element_bytes, &how.walk);
    if ((status = builtin_get(stream->device, BUILTIN_RANGE, &kernel, err)) ||
        (status = submit_begin(&op, stream, BATON_OP_LAUNCH, 0, elements.uses, elements.used, err)))
        return status;
    void *parameters[] = { &elements.addresses[0], &how };
    return submit_end(&op, builtin_launch(kernel, stream, how.walk.count, parameters), DRIVER_ROW_launch, err);
}
