/* Whether two arrays may share an element: exact where it matters (blocks of one parent), else careful. */
#include "array/array.h"

static int ranges_meet(const baton_array *a, const baton_array *b)
{
    int64_t a_low, a_high, b_low, b_high;
    if (layout_extent(&a->layout, a->element_bytes, &a_low, &a_high) || layout_extent(&b->layout, b->element_bytes, &b_low, &b_high))
        return 1;
    uint64_t a_base = a->memory->address, b_base = b->memory->address;
    if (a_low == a_high || b_low == b_high)
        return 0;
    return a_base + (uint64_t)a_low < b_base + (uint64_t)b_high && b_base + (uint64_t)b_low < a_base + (uint64_t)a_high;
}

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* Whether `distance` (elements) is a sum of steps along the dimensions, each taken fewer times than the larger extent allows. The strides descend, and each steps past
 * all that follow, so only two counts per dimension come into question. */
static int reachable(const struct layout *a, const struct layout *b, int32_t dimension, int64_t distance)
{
    if (dimension == a->ndim)
        return distance == 0;
    if (a->shape[dimension] == 1 && b->shape[dimension] == 1)       /* its stride means nothing */
        return reachable(a, b, dimension + 1, distance);
    int64_t steps = floor_divide(distance, a->strides[dimension]);
    for (int64_t count = steps; count <= steps + 1; count++)
        if (count < a->shape[dimension] && -count < b->shape[dimension] &&
            reachable(a, b, dimension + 1, distance - count * a->strides[dimension]))
            return 1;
    return 0;
}

/* Equal positive strides in descending order, each past the whole of the following dimensions of both. */
static int nest_alike(const struct layout *a, const struct layout *b)
{
    int64_t reach = 1;
    if (a->ndim != b->ndim)
        return 0;
    for (int32_t i = a->ndim - 1; i >= 0; i--) {
        int64_t extent = a->shape[i] > b->shape[i] ? a->shape[i] : b->shape[i], span;
        if (extent == 1)
            continue;
        if (a->strides[i] != b->strides[i] || a->strides[i] < reach || __builtin_mul_overflow(a->strides[i], extent - 1, &span) ||
            __builtin_add_overflow(reach, span, &reach))
            return 0;
    }
    return 1;
}

int array_overlaps(const baton_array *a, const baton_array *b)
{
    if (a->memory != b->memory && !a->memory->foreign && !b->memory->foreign)
        return 0;
    if (!ranges_meet(a, b))
        return 0;
    if (a->memory != b->memory || a->element_bytes != b->element_bytes || !nest_alike(&a->layout, &b->layout))
        return 1;
    return reachable(&a->layout, &b->layout, 0, b->layout.offset - a->layout.offset);
}
