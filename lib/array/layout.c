#include "array/layout.h"

#include <stddef.h>
#include <string.h>

static int layout_empty(const struct layout *layout)
{
    for (int32_t i = 0; i < layout->ndim; i++)
        if (layout->shape[i] == 0)
            return 1;
    return 0;
}

/* Least and greatest index of an element, [low, high]; at least one element. A reach of INT64_MIN is none: walked the other way (layout_order), the
 * dimension would have a stride past INT64_MAX. */
static int32_t layout_span(const struct layout *layout, int64_t *low, int64_t *high)
{
    int64_t reach, least = layout->offset, greatest = layout->offset;
    for (int32_t i = 0; i < layout->ndim; i++) {
        if (layout->shape[i] <= 1)
            continue;
        if (__builtin_mul_overflow(layout->shape[i] - 1, layout->strides[i], &reach) || reach == INT64_MIN)
            return BATON_ERR_SHAPE;
        int64_t *end = reach < 0 ? &least : &greatest;
        if (__builtin_add_overflow(*end, reach, end))
            return BATON_ERR_SHAPE;
    }
    *low = least;
    *high = greatest;
    return BATON_OK;
}

/* Shape and row-major strides. Zero extents count as one, so that the strides exist. */
static int32_t set_row_major(struct layout *layout, const int64_t *shape)
{
    int64_t stride = 1;
    for (int32_t i = layout->ndim - 1; i >= 0; i--) {
        layout->shape[i] = shape[i];
        layout->strides[i] = stride;
        if (shape[i] < 0 || (shape[i] > 0 && __builtin_mul_overflow(stride, shape[i], &stride)))
            return BATON_ERR_SHAPE;
    }
    return BATON_OK;
}

/* Row-major elements span what their number says, which has been checked. */
static int32_t check_span(const struct layout *layout)
{
    int64_t low, high;
    return layout_span(layout, &low, &high);
}

int32_t layout_make(int32_t ndim, const int64_t *shape, const int64_t *strides, struct layout *layout)
{
    struct layout made;
    if (ndim < 0 || ndim > LAYOUT_MAX_DIMS)
        return BATON_ERR_SHAPE;
    if (ndim > 0 && !shape)
        return BATON_ERR_ARGUMENT;
    made.ndim = ndim;
    made.offset = 0;
    int32_t status = set_row_major(&made, shape);
    for (int32_t i = 0; strides && i < ndim; i++)
        made.strides[i] = strides[i];
    if (!status && strides)
        status = check_span(&made);
    if (!status)
        layout_assign(layout, &made);
    return status;
}

int64_t layout_elements(const struct layout *layout)
{
    int64_t elements = 1;
    for (int32_t i = 0; i < layout->ndim; i++)
        (void)__builtin_mul_overflow(elements, layout->shape[i], &elements);     /* only beside an extent of 0 */
    return elements;
}

int32_t layout_bytes(const struct layout *layout, uint32_t element_bytes, int64_t *bytes)
{
    int64_t product;
    if (__builtin_mul_overflow(layout_elements(layout), (int64_t)element_bytes, &product))
        return BATON_ERR_SHAPE;
    *bytes = product;
    return BATON_OK;
}

int32_t layout_extent(const struct layout *layout, uint32_t element_bytes, int64_t *low_bytes, int64_t *high_bytes)
{
    int64_t low = layout->offset, last = layout->offset, size = (int64_t)element_bytes, end;
    int empty = layout_empty(layout);
    int32_t status = empty ? BATON_OK : layout_span(layout, &low, &last);
    if (status)
        return status;
    if (__builtin_mul_overflow(low, size, &low) || __builtin_mul_overflow(last, size, &last) ||
        __builtin_add_overflow(last, empty ? 0 : size, &end))
        return BATON_ERR_SHAPE;
    *low_bytes = low;
    *high_bytes = end;
    return BATON_OK;
}

int layout_contiguous(const struct layout *layout)
{
    int64_t stride = 1;
    int gaps = 0;
    for (int32_t i = layout->ndim - 1; i >= 0; i--) {
        if (layout->shape[i] == 0)
            return 1;
        gaps |= layout->shape[i] != 1 && layout->strides[i] != stride;
        (void)__builtin_mul_overflow(stride, layout->shape[i], &stride);         /* as above */
    }
    return !gaps;
}

int layout_equal_shape(const struct layout *a, const struct layout *b)
{
    return a->ndim == b->ndim && memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) == 0;
}

/* Magnitudes, since INT64_MIN has no counterpart. */
static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

struct dimension {
    uint64_t extent, stride;
};

/* The dimensions with more than one element, smallest stride first; returns how many. */
static int32_t dimensions_by_stride(const struct layout *layout, struct dimension sorted[LAYOUT_MAX_DIMS])
{
    int32_t count = 0;
    for (int32_t i = 0; i < layout->ndim; i++) {
        struct dimension next = { (uint64_t)layout->shape[i], magnitude(layout->strides[i]) };
        int32_t at = count;
        if (next.extent <= 1)
            continue;
        for (; at > 0 && sorted[at - 1].stride > next.stride; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = next;
        count++;
    }
    return count;
}

/* Each stride steps past everything that the smaller dimensions reach. The sum stays below 2^64, since layout_span fits
 * int64_t on either side. */
static int dimensions_nest(const struct dimension *sorted, int32_t count)
{
    uint64_t reach = 0;
    for (int32_t i = 0; i < count; i++) {
        if (sorted[i].stride <= reach)
            return 0;
        reach += (sorted[i].extent - 1) * sorted[i].stride;
    }
    return 1;
}

/* i * a.stride == j * b.stride has a solution within the extents. */
static int pair_overlaps(struct dimension a, struct dimension b)
{
    uint64_t divisor = common_divisor(a.stride, b.stride);
    return b.stride / divisor < a.extent && a.stride / divisor < b.extent;
}

int layout_internally_overlaps(const struct layout *layout)
{
    struct dimension sorted[LAYOUT_MAX_DIMS];
    if (layout_contiguous(layout))
        return 0;
    int32_t count = dimensions_by_stride(layout, sorted);
    if (dimensions_nest(sorted, count))
        return 0;
    return count != 2 || sorted[0].stride == 0 || pair_overlaps(sorted[0], sorted[1]);
}

int layout_owns_no_overlap(const struct layout *layout)
{
    for (int32_t i = 0; i < layout->ndim; i++)
        if (layout->shape[i] > 1 && layout->strides[i] <= 0)
            return 0;
    return !layout_internally_overlaps(layout);
}
