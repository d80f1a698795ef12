/* Layout: where the elements of an array lie. Shape, strides and offset, and the arithmetic of views.
 *
 * Pure: no locks, no driver, no allocation. Statuses are returned, results are written only on success, and an
 * output may be the same object as an input. Every sum and product is checked: a layout that one of these functions
 * made has fewer than 2^63 elements, and the index of each of them fits int64_t. */
#ifndef BATON_ARRAY_LAYOUT_H
#define BATON_ARRAY_LAYOUT_H

#include <stddef.h>

#include "baton.h"

#define LAYOUT_MAX_DIMS 16

/* Entries from ndim on have no value. The stride of a dimension with at most one element has no meaning, and nothing depends on it. */
struct layout {
    int32_t ndim;                       /* 0: one element */
    int64_t offset;                     /* elements from the memory's start to the element at index 0…0 */
    int64_t shape[LAYOUT_MAX_DIMS];     /* extents, >= 0 */
    int64_t strides[LAYOUT_MAX_DIMS];   /* elements; may be negative or 0 in views */
};

/* Copies what is in use: the whole struct is large, and most arrays have few dimensions. */
static inline void layout_assign(struct layout *to, const struct layout *from)
{
    to->ndim = from->ndim;
    to->offset = from->offset;
    for (int32_t i = 0; i < from->ndim; i++) {
        to->shape[i] = from->shape[i];
        to->strides[i] = from->strides[i];
    }
}

/* A layout at offset 0; strides NULL: row-major. BATON_ERR_SHAPE: ndim or an extent is out of range, or the product
 * of the extents is too large (zeros left out, so that the row-major strides exist). */
int32_t layout_make(int32_t ndim, const int64_t *shape, const int64_t *strides, struct layout *layout);

int64_t layout_elements(const struct layout *layout);
/* Elements times element size. BATON_ERR_SHAPE when it is past INT64_MAX. */
int32_t layout_bytes(const struct layout *layout, uint32_t element_bytes, int64_t *bytes);
/* The range [low, high) of bytes, from the memory's start, that holds every element; low == high when there is none.
 * low may be negative for strides from outside: the caller holds it against the memory. */
int32_t layout_extent(const struct layout *layout, uint32_t element_bytes, int64_t *low_bytes, int64_t *high_bytes);

/* Row-major without gaps. */
int layout_contiguous(const struct layout *layout);
int layout_equal_shape(const struct layout *a, const struct layout *b);
/* Nonzero when two indices may name the same element. Exact for two dimensions and when the dimensions nest (each
 * stride steps past all smaller dimensions); any other layout counts as overlapping. */
int layout_internally_overlaps(const struct layout *layout);
/* May describe new memory: strides positive, no overlap. */
int layout_owns_no_overlap(const struct layout *layout);

/* start, count and step as in baton_view_options; each may be NULL. BATON_ERR_SHAPE: ndim is not the layout's.
 * BATON_ERR_BOUNDS: an element outside. BATON_ERR_ARGUMENT: step 0. A dimension with count 0 does not move the
 * offset, and nothing does where there were no elements before. */
int32_t layout_slice(const struct layout *layout, int32_t ndim, const int64_t *start, const int64_t *count,
                     const int64_t *step, struct layout *out);
/* Dimension i of the result is dimension permutation[i]. */
int32_t layout_permute(const struct layout *layout, const int32_t *permutation, struct layout *out);
/* The same elements in row-major order under another shape; one extent may be -1. BATON_ERR_SHAPE when the number of
 * elements differs or a copy would be needed. */
int32_t layout_reshape(const struct layout *layout, int32_t ndim, const int64_t *shape, struct layout *out);
/* The same bytes as elements of another size: the last dimension scales. BATON_ERR_SHAPE when it is not contiguous,
 * or when it, the offset or another stride is not a whole number of new elements. */
int32_t layout_reinterpret(const struct layout *layout, uint32_t from_bytes, uint32_t to_bytes, struct layout *out);
/* In place, for elementwise work on a, or on a and b (of equal shape) together: drops extents of 1 and merges
 * neighbours that form one run in both. The order of the elements is kept. Without elements: one dimension of extent
 * 0. */
void layout_collapse(struct layout *a, struct layout *b);
/* The same for any number of layouts of one shape, with elements. */
void layout_collapse_all(struct layout *const *layouts, int32_t count);
/* The same where the order of the elements is free: dimensions are moved, and walked backwards, so that the first layout's strides
 * descend and are positive. */
void layout_order(struct layout *const *layouts, int32_t count);

/* Stretched to the extents of `to` by strides of 0: trailing dimensions correspond, and a missing one has extent 1. BATON_ERR_SHAPE when another extent differs. */
int32_t layout_broadcast(const struct layout *layout, const struct layout *to, struct layout *out);

/* "(2, 3)" for messages, shortened with "..." when bytes are few; returns text. */
const char *layout_shape_text(const struct layout *layout, char *text, size_t bytes);

#endif
