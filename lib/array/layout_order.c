/* Layouts of operands: stretched to one shape, and walked in the best order. */
#include <stdio.h>

#include "array/layout.h"

int32_t layout_broadcast(const struct layout *layout, const struct layout *to, struct layout *out)
{
    int32_t missing = to->ndim - layout->ndim;
    for (int32_t i = 0; i < layout->ndim; i++)
        if (missing < 0 || (layout->shape[i] != 1 && layout->shape[i] != to->shape[missing + i]))
            return BATON_ERR_SHAPE;
    for (int32_t i = to->ndim - 1; i >= 0; i--) {       /* downwards: out may be layout */
        out->strides[i] = i < missing || layout->shape[i - missing] == 1 ? 0 : layout->strides[i - missing];
        out->shape[i] = to->shape[i];
    }
    out->ndim = to->ndim;
    out->offset = layout->offset;
    return BATON_OK;
}

static int64_t negated(int64_t value)
{
    return (int64_t)(0 - (uint64_t)value);
}

/* Lets every layout begin at the other end of the dimension. */
static void walk_backwards(struct layout *const *layouts, int32_t count, int32_t dimension)
{
    for (int32_t k = 0; k < count; k++) {
        layouts[k]->offset += (layouts[k]->shape[dimension] - 1) * layouts[k]->strides[dimension];
        layouts[k]->strides[dimension] = negated(layouts[k]->strides[dimension]);
    }
}

static void swap_dimensions(struct layout *layout, int32_t a, int32_t b)
{
    int64_t extent = layout->shape[a], stride = layout->strides[a];
    layout->shape[a] = layout->shape[b];
    layout->strides[a] = layout->strides[b];
    layout->shape[b] = extent;
    layout->strides[b] = stride;
}

/* Moves a dimension before those of the sorted ones that have smaller strides. */
static void sort_in(struct layout *const *layouts, int32_t count, int32_t dimension)
{
    for (int32_t d = dimension; d > 0 && layouts[0]->strides[d - 1] < layouts[0]->strides[d]; d--)
        for (int32_t k = 0; k < count; k++)
            swap_dimensions(layouts[k], d - 1, d);
}

void layout_order(struct layout *const *layouts, int32_t count)
{
    layout_collapse_all(layouts, count);        /* leaves no extent of 1, whose stride could be anything */
    for (int32_t d = 0; d < layouts[0]->ndim; d++) {
        if (layouts[0]->strides[d] < 0)
            walk_backwards(layouts, count, d);
        sort_in(layouts, count, d);
    }
    layout_collapse_all(layouts, count);
}

const char *layout_shape_text(const struct layout *layout, char *text, size_t bytes)
{
    static const char cut[] = "...)";
    size_t used = (size_t)snprintf(text, bytes, "(");
    for (int32_t i = 0; i < layout->ndim && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, i ? ", %lld" : "%lld", (long long)layout->shape[i]);
    if (used + sizeof ")" <= bytes)
        snprintf(text + used, bytes - used, ")");
    else
        snprintf(text + bytes - sizeof cut, sizeof cut, "%s", cut);
    return text;
}
