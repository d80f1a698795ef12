#include "base/options.h"

#include <string.h>

#include "base/status.h"

/* Nothing real is larger: more is an uninitialized struct_size, and reading so far behind it could fault. */
enum { MOST_BYTES = 65536, LEAST_OUTPUT_BYTES = 8 };

static uint32_t struct_size(const void *callers)
{
    uint32_t size;
    memcpy(&size, callers, sizeof size);
    return size;
}

static int all_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i])
            return 0;
    return 1;
}

int32_t options_read_other(void *own, uint32_t own_size, const void *callers, uint32_t least_size, const char *what,
                           baton_error *err)
{
    if (!callers)
        return fail(err, BATON_ERR_ARGUMENT, "%s is NULL", what);
    uint32_t size = struct_size(callers);
    if (size < least_size || size > MOST_BYTES || size % sizeof(uint64_t))     /* a size in the middle of a member is none */
        return fail(err, BATON_ERR_VERSION, "%s: struct_size is %u; the struct has at least %u bytes, in eights", what, size,
                    least_size);
    uint32_t known = size < own_size ? size : own_size;
    if (!all_zero((const unsigned char *)callers + known, size - known))
        return fail(err, BATON_ERR_VERSION, "%s: a member that this version of the library does not know is set", what);
    memset(own, 0, own_size);
    memcpy(own, callers, known);
    memcpy(own, &own_size, sizeof own_size);
    return BATON_OK;
}

int32_t options_write(void *callers, const void *own, uint32_t own_size, const char *what, baton_error *err)
{
    if (!callers)
        return fail(err, BATON_ERR_ARGUMENT, "%s is NULL", what);
    uint32_t size = struct_size(callers);
    if (size < LEAST_OUTPUT_BYTES)
        return fail(err, BATON_ERR_VERSION, "%s: struct_size is %u; set it to the struct's size before the call", what,
                    size);
    uint32_t known = size < own_size ? size : own_size;
    memcpy((char *)callers + sizeof size, (const char *)own + sizeof size, known - sizeof size);
    return BATON_OK;
}
