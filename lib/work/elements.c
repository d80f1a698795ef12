#include "work/elements.h"

enum { SHAPE_TEXT = 64 };

int32_t elements_dtype(const baton_array *array, const char *name, baton_error *err)
{
    switch (array->dtype) {
    case BATON_F32: case BATON_F64: case BATON_I32: case BATON_I64: return BATON_OK;
    default: return fail(err, BATON_ERR_DTYPE, "%s is of %s: only f32, f64, i32 and i64 can be computed with", name, baton_dtype_name(array->dtype));
    }
}

/* Its layout is there already. */
static void put(struct elements *elements, baton_array *array, uint32_t access)
{
    int32_t k = elements->count++;
    elements->addresses[k] = array_address(array);
    elements->element_bytes[k] = array->element_bytes;
    elements->uses[elements->used++] = (struct submit_use) { array, access };
}

int32_t elements_to(struct elements *elements, baton_array *to, baton_stream **stream, baton_error *err)
{
    int32_t status = submit_check(to, stream, err);
    if (status)
        return status;
    if (layout_internally_overlaps(&to->layout))
        return fail(err, BATON_ERR_OVERLAP, "elements of the destination share a place");
    elements->count = 0;
    elements->used = 0;
    layout_broadcast(&to->layout, &to->layout, &elements->layouts[0]);
    put(elements, to, BATON_WRITE);
    return BATON_OK;
}

/* Each element of one lies exactly over the corresponding element of the other. */
static int lies_over(const baton_array *to, const baton_array *from, const struct layout *stretched)
{
    if (array_address(to) != array_address(from) || to->element_bytes != from->element_bytes)
        return 0;
    for (int32_t i = 0; i < to->layout.ndim; i++)
        if (to->layout.shape[i] > 1 && to->layout.strides[i] != stretched->strides[i])
            return 0;
    return 1;
}

int32_t elements_from(struct elements *elements, baton_array *from, const char *name, baton_stream **stream, baton_error *err)
{
    baton_array *to = elements->uses[0].array;
    char shape[SHAPE_TEXT], wanted[SHAPE_TEXT];
    struct layout *stretched = &elements->layouts[elements->count];
    int32_t status = submit_check(from, stream, err);
    if (status)
        return status;
    if (layout_broadcast(&from->layout, &to->layout, stretched))
        return fail(err, BATON_ERR_SHAPE, "%s has the shape %s, which does not broadcast to %s", name,
                    layout_shape_text(&from->layout, shape, sizeof shape), layout_shape_text(&to->layout, wanted, sizeof wanted));
    if (array_overlaps(to, from) && !lies_over(to, from, stretched))
        return fail(err, BATON_ERR_OVERLAP, "%s and the destination overlap, and are not the same elements", name);
    put(elements, from, BATON_READ);
    return BATON_OK;
}

void elements_value(struct elements *elements)
{
    static const struct layout one = { .ndim = 0 };
    int32_t k = elements->count++;
    layout_broadcast(&one, &elements->layouts[0], &elements->layouts[k]);
    elements->addresses[k] = 0;
    elements->element_bytes[k] = 0;
}

/* ---- several neighbours at once */

/* The stride of the last dimension, in bytes; 0 for a value. */
static int64_t inner_stride(const struct elements *elements, int32_t k)
{
    return elements->layouts[k].strides[elements->layouts[k].ndim - 1] * (int64_t)elements->element_bytes[k];
}

/* What an address must be a multiple of to be read or written with all lanes at once. */
static uint64_t alignment(const struct elements *elements, int32_t k, uint32_t lanes)
{
    uint32_t bytes = lanes * elements->element_bytes[k];
    return bytes < LANES_BYTES ? bytes : LANES_BYTES;
}

/* Whether the outer dimensions lead to places as well aligned as the first. */
static int outer_aligned(const struct elements *elements, int32_t k, uint32_t lanes)
{
    const struct layout *layout = &elements->layouts[k];
    for (int32_t d = 0; d < layout->ndim - 1; d++)
        if ((uint64_t)(layout->strides[d] * (int64_t)elements->element_bytes[k]) % alignment(elements, k, lanes))
            return 0;
    return 1;
}

/* Neighbours that can be moved at once, in every step. */
static int packed(const struct elements *elements, int32_t k, uint32_t lanes, uint32_t head)
{
    int64_t element_bytes = elements->element_bytes[k];
    return element_bytes && inner_stride(elements, k) == element_bytes &&
           (elements->addresses[k] + (uint64_t)head * (uint64_t)element_bytes) % alignment(elements, k, lanes) == 0 && outer_aligned(elements, k, lanes);
}

/* Elements of a run before the first well-aligned one of the destination. */
static uint32_t head_of(const struct elements *elements, uint32_t lanes)
{
    uint64_t wanted = alignment(elements, 0, lanes), past = elements->addresses[0] % wanted;
    if (elements->layouts[0].ndim > 1 || elements->layouts[0].strides[0] != 1 || !past)
        return 0;
    return (uint32_t)((wanted - past) / elements->element_bytes[0]);
}

static void set_lanes(const struct elements *elements, uint32_t lanes, struct walk *walk)
{
    const struct layout *to = &elements->layouts[0];
    int64_t inner = to->shape[to->ndim - 1];
    uint32_t head = head_of(elements, lanes);
    walk->lanes = 1;
    walk->head = walk->tail = walk->packed = 0;
    if (to->ndim == 1 ? inner < (int64_t)head + (int64_t)lanes : inner % (int64_t)lanes != 0)
        return;                                 /* only a run may have elements left over */
    walk->lanes = lanes;
    walk->head = head;
    walk->tail = (uint32_t)((inner - (int64_t)head) % (int64_t)lanes);
    for (int32_t k = 0; k < elements->count; k++)
        walk->packed |= (uint32_t)packed(elements, k, lanes, head) << k;
}

/* ---- the kernels' parameter */

/* Rounded up, 2^32 * (2^shift - extent) / extent + 1 with 2^shift >= extent: index * multiplier / 2^32 + index, divided by 2^shift, is exact below 2^31. */
static void set_divisor(struct walk_dimension *dimension)
{
    uint64_t extent = (uint64_t)dimension->extent;
    dimension->shift = extent > 1 ? 32 - (uint32_t)__builtin_clz((uint32_t)(extent - 1)) : 0;
    dimension->multiplier = (uint32_t)(((((uint64_t)1 << dimension->shift) - extent) << 32) / extent + 1);
}

static void write_walk(const struct elements *elements, struct walk *walk)
{
    const struct layout *to = &elements->layouts[0];
    uint64_t left_over = walk->head + walk->tail;
    walk->ndim = (uint32_t)to->ndim;
    walk->count = ((uint64_t)layout_elements(to) - left_over) / walk->lanes;
    walk->narrow = walk->count <= INT32_MAX;
    for (int32_t k = 0; k < WALK_OPERANDS; k++)
        walk->apart[k] = k < elements->count ? inner_stride(elements, k) : 0;
    for (uint32_t d = 0; d < walk->ndim; d++) {
        struct walk_dimension *dimension = &walk->dimensions[d];
        uint32_t scale = d == walk->ndim - 1 ? walk->lanes : 1;
        *dimension = (struct walk_dimension) { .extent = (to->shape[d] - (int64_t)left_over) / scale };
        for (int32_t k = 0; k < elements->count; k++)
            dimension->strides[k] = elements->layouts[k].strides[d] * (int64_t)elements->element_bytes[k] * (int64_t)scale;
        if (walk->narrow && d > 0)
            set_divisor(dimension);
    }
}

/* A single element is a run of one. */
static void give_dimension(struct elements *elements)
{
    for (int32_t k = 0; k < elements->count && elements->layouts[0].ndim == 0; k++) {
        elements->layouts[k].shape[0] = 1;
        elements->layouts[k].strides[0] = 1;
    }
    for (int32_t k = 0; k < elements->count; k++)
        elements->layouts[k].ndim += elements->layouts[k].ndim == 0;
}

/* What turning the dimensions round has moved. */
static void move_addresses(struct elements *elements, const int64_t *offsets)
{
    for (int32_t k = 0; k < elements->count; k++)
        elements->addresses[k] += (uint64_t)((elements->layouts[k].offset - offsets[k]) * (int64_t)elements->element_bytes[k]);
}

static void set_walk(struct elements *elements, uint32_t lanes, struct walk *walk)
{
    set_lanes(elements, lanes, walk);
    write_walk(elements, walk);
    for (int32_t k = 0; k < elements->count; k++)
        elements->addresses[k] += (uint64_t)((int64_t)walk->head * walk->apart[k]);
}

void elements_walk(struct elements *elements, uint32_t lanes, struct walk *walk)
{
    int64_t offsets[WALK_OPERANDS];
    for (int32_t k = 0; k < elements->count; k++)
        offsets[k] = elements->layouts[k].offset;
    layout_order((struct layout *const[]) { &elements->layouts[0], &elements->layouts[1], &elements->layouts[2] }, elements->count);
    give_dimension(elements);
    move_addresses(elements, offsets);
    set_walk(elements, lanes, walk);
}

void elements_walk_in_order(struct elements *elements, uint32_t lanes, struct walk *walk)
{
    layout_collapse(&elements->layouts[0], NULL);
    give_dimension(elements);
    set_walk(elements, lanes, walk);
}
