/* Structs that cross the public interface and grow with it: each begins with a uint32_t struct_size set by the
 * caller.
 *
 * Older clients pass a smaller struct, newer ones a larger one. A member that this library does not know must be
 * zero. */
#ifndef BATON_BASE_OPTIONS_H
#define BATON_BASE_OPTIONS_H

#include <string.h>

#include "baton.h"

/* Copies the caller's options to *own, with zero for what the caller does not know; own's struct_size becomes own_size.
 * BATON_ERR_VERSION: the caller's struct_size is below least_size or absurd, or an unknown member is set.
 * `what` names the struct in the message. *own is written only on success. */
__attribute__((cold)) int32_t options_read_other(void *own, uint32_t own_size, const void *callers, uint32_t least_size, const char *what,
                           baton_error *err);

/* The caller knows the same struct: the usual case. */
static inline int32_t options_read(void *own, uint32_t own_size, const void *callers, uint32_t least_size, const char *what,
                                   baton_error *err)
{
    uint32_t size = 0;
    if (callers)
        memcpy(&size, callers, sizeof size);
    if (size != own_size)
        return options_read_other(own, own_size, callers, least_size, what, err);
    memcpy(own, callers, own_size);
    return BATON_OK;
}

/* Copies *own to the caller's struct as far as its struct_size reaches; struct_size itself is kept. */
int32_t options_write(void *callers, const void *own, uint32_t own_size, const char *what, baton_error *err);

#endif
