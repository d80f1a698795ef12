/* An array: a reference-counted handle on a memory, with an element type and a layout. Views share the memory: its lock, its owner, its switch. */
#ifndef BATON_ARRAY_ARRAY_H
#define BATON_ARRAY_ARRAY_H

#include "array/dtype.h"
#include "array/layout.h"
#include "memory/export.h"

struct baton_array {
    struct handle handle;
    struct deferred node;
    baton_runtime *runtime;         /* retained */
    struct memory *memory;          /* retained until the last release; changes at resize only */
    int32_t dtype;
    uint32_t element_bytes;
    int is_view;
    struct layout layout;           /* fixed at birth, but for resize */
    _Atomic(struct export *) interface;     /* its address was given to consumers that are done only when the handle is; NULL: not */
};

/* A live handle whose device can be used. */
int32_t array_check(const baton_array *array, baton_error *err);

/* Address of the element with all indices 0. */
static inline uint64_t array_address(const baton_array *array)
{
    return array->memory->address + (uint64_t)(array->layout.offset * (int64_t)array->element_bytes);
}

/* Bytes of all elements, without gaps. */
static inline uint64_t array_bytes(const baton_array *array)
{
    return (uint64_t)layout_elements(&array->layout) * array->element_bytes;
}

/* A contiguous array of the same shape and dtype on the stream's device, for staging; one reference for the caller. */
int32_t array_staging(const baton_array *like, baton_stream *stream, baton_array **array, baton_error *err);

/* A handle on a memory, whose reference it takes over on success. */
int32_t array_make(struct memory *memory, int32_t dtype, const struct layout *layout, int is_view, baton_array **array, baton_error *err);

/* What the driver knows about an address: BATON_DEVICE, BATON_UNIFIED, or BATON_HOST for pinned and ordinary host memory. */
int32_t array_detect_kind(struct device *device, uint64_t address, int32_t *kind, baton_error *err);

/* Nonzero when the two may share an element. Exact for equal strides that nest (the usual blocks and rows of one parent). */
int array_overlaps(const baton_array *a, const baton_array *b);

#endif
