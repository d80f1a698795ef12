#include "array/layout.h"

#include <stddef.h>

/* ---- slice */

/* How many steps from start stay inside. */
static int64_t steps_inside(int64_t extent, int64_t start, int64_t step)
{
    if (start < 0 || start >= extent)
        return 0;
    if (step > 0)
        return (extent - 1 - start) / step + 1;
    uint64_t back = 0 - (uint64_t)step;
    return (int64_t)((uint64_t)start / back) + 1;
}

static int32_t slice_dimension(struct layout *out, int32_t i, int64_t start, const int64_t *count, int64_t step)
{
    int64_t extent = out->shape[i];
    if (step == 0)
        return BATON_ERR_ARGUMENT;
    if (start < 0 || start > extent)
        return BATON_ERR_BOUNDS;
    int64_t inside = steps_inside(extent, start, step);
    int64_t taken = count ? *count : inside;
    if (taken < 0 || taken > inside)
        return BATON_ERR_BOUNDS;
    out->shape[i] = taken;
    if (taken > 0)
        out->offset += start * out->strides[i];
    if (taken > 1)
        out->strides[i] *= step;
    return BATON_OK;
}

int32_t layout_slice(const struct layout *layout, int32_t ndim, const int64_t *start, const int64_t *count,
                     const int64_t *step, struct layout *out)
{
    struct layout made = *layout;
    if ((start || count || step) && ndim != layout->ndim)
        return BATON_ERR_SHAPE;
    for (int32_t i = 0; i < layout->ndim; i++) {
        int32_t status = slice_dimension(&made, i, start ? start[i] : 0, count ? &count[i] : NULL, step ? step[i] : 1);
        if (status)
            return status;
    }
    if (layout_elements(layout) == 0)
        made.offset = layout->offset;       /* strides of a layout without elements lead anywhere, also past the address space */
    *out = made;
    return BATON_OK;
}

int32_t layout_permute(const struct layout *layout, const int32_t *permutation, struct layout *out)
{
    struct layout made = *layout;
    uint32_t seen = 0;
    for (int32_t i = 0; i < layout->ndim; i++) {
        int32_t from = permutation[i];
        if (from < 0 || from >= layout->ndim || (seen & (1u << from)))
            return BATON_ERR_ARGUMENT;
        seen |= 1u << from;
        made.shape[i] = layout->shape[from];
        made.strides[i] = layout->strides[from];
    }
    *out = made;
    return BATON_OK;
}

/* ---- reshape */

/* Replaces the one -1 in made->shape by what is left of `elements`. */
static int32_t infer_extent(struct layout *made, int64_t elements)
{
    int64_t known = 1;
    int32_t missing = -1;
    for (int32_t i = 0; i < made->ndim; i++) {
        if (made->shape[i] == -1 && missing < 0)
            missing = i;
        else if (made->shape[i] < 0 || __builtin_mul_overflow(known, made->shape[i], &known))
            return BATON_ERR_SHAPE;
    }
    if (missing < 0)
        return known == elements ? BATON_OK : BATON_ERR_SHAPE;
    if (known == 0 || elements % known)
        return BATON_ERR_SHAPE;
    made->shape[missing] = elements / known;
    return BATON_OK;
}

/* Gives the elements of the runs (collapsed, so each is as long as it can be) to the new dimensions, last first: a new
 * dimension must lie within one run. */
static int32_t split_runs(const struct layout *runs, struct layout *made)
{
    int32_t run = runs->ndim - 1;
    int64_t left = run >= 0 ? runs->shape[run] : 1, stride = run >= 0 ? runs->strides[run] : 1;
    for (int32_t i = made->ndim - 1; i >= 0; i--) {
        if (left == 1 && made->shape[i] > 1 && run > 0) {
            run--;
            left = runs->shape[run];
            stride = runs->strides[run];
        }
        if (left % made->shape[i])
            return BATON_ERR_SHAPE;
        made->strides[i] = stride;
        left /= made->shape[i];
        if (left > 1)
            stride *= made->shape[i];
    }
    return BATON_OK;
}

int32_t layout_reshape(const struct layout *layout, int32_t ndim, const int64_t *shape, struct layout *out)
{
    struct layout made = { .ndim = ndim }, runs = *layout;
    int64_t elements = layout_elements(layout);
    if (ndim < 0 || ndim > LAYOUT_MAX_DIMS)
        return BATON_ERR_SHAPE;
    if (ndim > 0 && !shape)
        return BATON_ERR_ARGUMENT;
    for (int32_t i = 0; i < ndim; i++)
        made.shape[i] = shape[i];
    int32_t status = infer_extent(&made, elements);
    if (!status && elements > 0) {
        layout_collapse(&runs, NULL);
        status = split_runs(&runs, &made);
    } else if (!status) {
        status = layout_make(ndim, made.shape, NULL, &made);
    }
    if (status)
        return status;
    made.offset = layout->offset;
    *out = made;
    return BATON_OK;
}

/* ---- reinterpret */

/* value elements of from_bytes as elements of to_bytes, when that is a whole number. */
static int32_t rescale(int64_t value, uint32_t from_bytes, uint32_t to_bytes, int64_t *scaled)
{
    int64_t bytes;
    if (__builtin_mul_overflow(value, (int64_t)from_bytes, &bytes) || bytes % (int64_t)to_bytes)
        return BATON_ERR_SHAPE;
    *scaled = bytes / (int64_t)to_bytes;
    return BATON_OK;
}

static int32_t rescale_outer(struct layout *made, uint32_t from_bytes, uint32_t to_bytes)
{
    for (int32_t i = 0; i < made->ndim - 1; i++) {
        if (made->shape[i] <= 1)
            made->strides[i] = 1;
        else if (rescale(made->strides[i], from_bytes, to_bytes, &made->strides[i]))
            return BATON_ERR_SHAPE;
    }
    return BATON_OK;
}

static int32_t rescale_last(struct layout *made, uint32_t from_bytes, uint32_t to_bytes)
{
    int32_t last = made->ndim - 1;
    if (last < 0 || (made->shape[last] > 1 && made->strides[last] != 1))
        return BATON_ERR_SHAPE;
    made->strides[last] = 1;
    return rescale(made->shape[last], from_bytes, to_bytes, &made->shape[last]);
}

int32_t layout_reinterpret(const struct layout *layout, uint32_t from_bytes, uint32_t to_bytes, struct layout *out)
{
    struct layout scaled = *layout;
    int64_t low, high;
    if (from_bytes == 0 || to_bytes == 0)
        return BATON_ERR_DTYPE;
    if (from_bytes != to_bytes) {
        if (rescale(layout->offset, from_bytes, to_bytes, &scaled.offset) ||
            rescale_last(&scaled, from_bytes, to_bytes) || rescale_outer(&scaled, from_bytes, to_bytes))
            return BATON_ERR_SHAPE;
        struct layout checked;
        if (layout_make(scaled.ndim, scaled.shape, scaled.strides, &checked) ||
            layout_extent(&scaled, to_bytes, &low, &high))
            return BATON_ERR_SHAPE;
    }
    *out = scaled;
    return BATON_OK;
}

/* ---- collapse */

static int continues(const struct layout *layout, int32_t last, int32_t i)
{
    int64_t run;
    return !__builtin_mul_overflow(layout->shape[i], layout->strides[i], &run) && layout->strides[last] == run;
}

/* Writes dimension i behind the `count` dimensions kept so far, or into the last of them. */
static void keep_dimension(struct layout *layout, int32_t count, int32_t i, int merge)
{
    int32_t to = merge ? count - 1 : count;
    int64_t extent = merge ? layout->shape[to] * layout->shape[i] : layout->shape[i];
    layout->shape[to] = extent;
    layout->strides[to] = layout->strides[i];
}

static void collapse_to_nothing(struct layout *layout)
{
    layout->ndim = 1;
    layout->shape[0] = 0;
    layout->strides[0] = 1;
}

static int all_continue(struct layout *const *layouts, int32_t count, int32_t last, int32_t i)
{
    for (int32_t k = 0; k < count; k++)
        if (!continues(layouts[k], last, i))
            return 0;
    return 1;
}

void layout_collapse_all(struct layout *const *layouts, int32_t count)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < layouts[0]->ndim; i++) {
        if (layouts[0]->shape[i] == 1)
            continue;
        int merge = kept > 0 && all_continue(layouts, count, kept - 1, i);
        for (int32_t k = 0; k < count; k++)
            keep_dimension(layouts[k], kept, i, merge);
        kept += !merge;
    }
    for (int32_t k = 0; k < count; k++)
        layouts[k]->ndim = kept;
}

void layout_collapse(struct layout *a, struct layout *b)
{
    if (layout_elements(a) > 0) {
        layout_collapse_all((struct layout *const[]) { a, b }, b ? 2 : 1);
        return;
    }
    collapse_to_nothing(a);
    if (b)
        collapse_to_nothing(b);
}
