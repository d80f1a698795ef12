/* An array: a reference-counted handle on a memory, with an element type and a layout. Views share the memory: its lock, its owner, its switch. */
#ifndef BATON_ARRAY_ARRAY_H
#define BATON_ARRAY_ARRAY_H

#include "array/dtype.h"
#include "array/layout.h"
#include "memory/export.h"

struct baton_array {
    struct handle handle;
    struct memory *memory;          /* retained until the last release; changes at resize only */
    int32_t dtype;
    uint32_t element_bytes;
    uint64_t bytes;                 /* of all elements, without gaps */
    int contiguous;                 /* row-major */
    int is_view;
    _Atomic(struct export *) interface;     /* its address was given to consumers that are done only when the handle is; NULL: not */
    baton_runtime *runtime;         /* the memory keeps it; retained with the release of an array that is not its memory's last */
    struct deferred node;
    int ends_memory;                /* the last release: no reference on the memory is left, and the drain reclaims both */
    struct layout layout;           /* fixed at birth, like dtype, sizes and contiguous, but for resize */
};

/* A live handle whose device can be used. */
static inline int32_t array_check(const baton_array *array, baton_error *err)
{
    int32_t status = handle_check(array ? &array->handle : NULL, HANDLE_ARRAY, "array", err);
    return status ? status : device_usable(array->memory->device, err);
}

/* Address of the element with all indices 0. */
static inline uint64_t array_address(const baton_array *array)
{
    return array->memory->address + (uint64_t)(array->layout.offset * (int64_t)array->element_bytes);
}

/* A contiguous array of the same shape and dtype on the stream's device, for staging; one reference for the caller. */
int32_t array_staging(const baton_array *like, baton_stream *stream, baton_array **array, baton_error *err);

/* A handle on a memory, whose reference it takes over on success. */
int32_t array_make(struct memory *memory, int32_t dtype, const struct layout *layout, int is_view, baton_array **array, baton_error *err);

/* The handle that a block from the cache has kept, as the first one on that memory; NULL when it kept none. */
baton_array *array_again(struct memory *memory, int32_t dtype, const struct layout *layout);

/* What a drain calls that may not enter the driver: what it gives back goes into the cache, and all else is left. */
enum deferred_result array_reclaim_at_once(struct deferred *node);

/* Another layout for the handle. */
void array_set_layout(baton_array *array, const struct layout *layout);

/* Nonzero when the two may share an element. Exact for equal strides that nest (the usual blocks and rows of one parent). */
int array_overlaps(const baton_array *a, const baton_array *b);

#endif
