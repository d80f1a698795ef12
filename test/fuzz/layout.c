/* Shapes and strides of any size, and what becomes of them: held against sums that cannot overflow, and against every element where they are few. */
#include "array/layout.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { FEW = 512, STEPS = 6 };

typedef __int128 wide;

static int is_empty(const struct layout *layout)
{
    for (int32_t i = 0; i < layout->ndim; i++)
        if (!layout->shape[i])
            return 1;
    return 0;
}

static wide count_of(const struct layout *layout)
{
    wide count = 1;
    for (int32_t i = 0; i < layout->ndim; i++)
        count *= layout->shape[i];
    return is_empty(layout) ? 0 : count;
}

static void span_of(const struct layout *layout, wide *low, wide *high)
{
    *low = *high = layout->offset;
    for (int32_t i = 0; i < layout->ndim; i++) {
        wide reach = layout->shape[i] > 1 ? (wide)(layout->shape[i] - 1) * layout->strides[i] : 0;
        *(reach < 0 ? low : high) += reach;
    }
}

/* What the header promises of every layout. */
static void check(const struct layout *layout)
{
    wide low, high;
    must(layout->ndim >= 0 && layout->ndim <= LAYOUT_MAX_DIMS);
    for (int32_t i = 0; i < layout->ndim; i++)
        must(layout->shape[i] >= 0);
    wide count = count_of(layout);
    must(count <= INT64_MAX && layout_elements(layout) == (int64_t)count);
    if (!count)
        return;
    span_of(layout, &low, &high);
    must(low >= INT64_MIN && high <= INT64_MAX);
}

static void check_bytes(const struct layout *layout, uint32_t size)
{
    int64_t low_bytes, high_bytes, bytes;
    wide low, high;
    span_of(layout, &low, &high);
    if (!layout_bytes(layout, size, &bytes))
        must(bytes == count_of(layout) * size);
    else
        must(count_of(layout) * size > INT64_MAX);
    if (layout_extent(layout, size, &low_bytes, &high_bytes))
        must(low * size < INT64_MIN || (high + 1) * size > INT64_MAX || is_empty(layout));
    else if (!is_empty(layout))
        must(low_bytes == low * size && high_bytes == (high + 1) * size);
    else
        must(low_bytes == high_bytes);
}

/* The place of every element in row-major order; 0 when they are many. */
static int64_t places_of(const struct layout *layout, int64_t *places)
{
    int64_t count = layout_elements(layout);
    if (count > FEW)
        return 0;
    for (int64_t n = 0; n < count; n++) {
        int64_t rest = n;
        places[n] = layout->offset;
        for (int32_t i = layout->ndim - 1; i >= 0; i--) {
            places[n] += layout->shape[i] > 1 ? rest % layout->shape[i] * layout->strides[i] : 0;
            rest /= layout->shape[i];
        }
    }
    return count;
}

static void check_same_places(const struct layout *a, const struct layout *b)
{
    int64_t left[FEW], right[FEW], count = places_of(a, left);
    must(layout_elements(a) == layout_elements(b));
    if (count)
        must(places_of(b, right) == count && !memcmp(left, right, (size_t)count * sizeof *left));
}

static int ascending(const void *a, const void *b)
{
    return (*(const int64_t *)a > *(const int64_t *)b) - (*(const int64_t *)a < *(const int64_t *)b);
}

static void check_overlap(const struct layout *layout)
{
    int64_t places[FEW], count = places_of(layout, places);
    int said = layout_internally_overlaps(layout);
    if (!count)
        return;
    qsort(places, (size_t)count, sizeof *places, ascending);
    for (int64_t i = 1; i < count && !said; i++)
        must(places[i] != places[i - 1]);
    if (layout_owns_no_overlap(layout))
        must(!said);
}

/* The other order of walking visits the same places. */
static void check_order(const struct layout *layout)
{
    struct layout ordered = *layout;
    int64_t left[FEW], right[FEW], count;
    if (is_empty(layout))
        return;
    layout_order(&(struct layout *) { &ordered }, 1);
    check(&ordered);
    if (!(count = places_of(layout, left)))
        return;
    must(places_of(&ordered, right) == count);
    qsort(left, (size_t)count, sizeof *left, ascending);
    qsort(right, (size_t)count, sizeof *right, ascending);
    must(!memcmp(left, right, (size_t)count * sizeof *left));
}

static void check_all(const struct layout *layout, struct input *input)
{
    static const uint32_t sizes[] = { 1, 2, 4, 8, 16 };
    struct layout collapsed = *layout;
    char text[40];
    check(layout);
    check_bytes(layout, sizes[take_byte(input) % 5]);
    layout_collapse(&collapsed, NULL);
    check(&collapsed);
    check_same_places(layout, &collapsed);
    check_overlap(layout);
    check_order(layout);
    must(strlen(layout_shape_text(layout, text, sizeof text)) < sizeof text);
}

static int32_t read_numbers(struct input *input, int64_t *numbers)
{
    int32_t count = take_byte(input) % 20;
    for (int32_t i = 0; i < LAYOUT_MAX_DIMS; i++)
        numbers[i] = i < count ? take_number(input) : 0;
    return count == 19 ? (int32_t)take_number(input) : count;
}

static int32_t make(struct input *input, struct layout *layout)
{
    int64_t shape[LAYOUT_MAX_DIMS], strides[LAYOUT_MAX_DIMS];
    int32_t ndim = read_numbers(input, shape);
    int with_strides = read_numbers(input, strides) > 0;
    return layout_make(ndim, shape, with_strides ? strides : NULL, layout);
}

static int32_t slice(struct input *input, struct layout *layout)
{
    int64_t start[LAYOUT_MAX_DIMS], count[LAYOUT_MAX_DIMS], step[LAYOUT_MAX_DIMS];
    uint8_t given = take_byte(input);
    wide low, high, new_low, new_high;
    struct layout before = *layout;
    read_numbers(input, start);
    read_numbers(input, count);
    int32_t ndim = read_numbers(input, step);
    span_of(layout, &low, &high);
    int32_t status = layout_slice(layout, given & 8 ? ndim : layout->ndim, given & 1 ? start : NULL, given & 2 ? count : NULL, given & 4 ? step : NULL, layout);
    span_of(layout, &new_low, &new_high);
    if (!status && !is_empty(layout))
        must(!is_empty(&before) && new_low >= low && new_high <= high && count_of(layout) <= count_of(&before));
    return status;
}

static int32_t permute(struct input *input, struct layout *layout)
{
    int32_t permutation[LAYOUT_MAX_DIMS];
    wide count = count_of(layout);
    for (int32_t i = 0; i < LAYOUT_MAX_DIMS; i++)
        permutation[i] = (int32_t)take_number(input);
    int32_t status = layout_permute(layout, permutation, layout);
    must(count_of(layout) == count);
    return status;
}

static int32_t reshape(struct input *input, struct layout *layout)
{
    int64_t shape[LAYOUT_MAX_DIMS];
    struct layout before = *layout;
    int32_t ndim = read_numbers(input, shape), status = layout_reshape(layout, ndim, shape, layout);
    if (!status)
        check_same_places(&before, layout);
    return status;
}

static int32_t reinterpret(struct input *input, struct layout *layout)
{
    uint32_t from = 1u << take_byte(input) % 5, to = 1u << take_byte(input) % 5;
    wide low, high, new_low, new_high;
    struct layout before = *layout;
    int32_t status = layout_reinterpret(layout, from, to, layout);
    if (status || is_empty(&before))
        return status;
    span_of(&before, &low, &high);
    span_of(layout, &new_low, &new_high);
    must(count_of(&before) * from == count_of(layout) * to && new_low * to == low * from && (new_high + 1) * to == (high + 1) * from);
    return status;
}

static int32_t broadcast(struct input *input, struct layout *layout)
{
    struct layout to;
    wide low, high, new_low, new_high;
    if (make(input, &to))
        return BATON_ERR_SHAPE;
    span_of(layout, &low, &high);
    int32_t status = layout_broadcast(layout, &to, layout);
    span_of(layout, &new_low, &new_high);
    if (!status)
        must(layout_equal_shape(layout, &to) && (is_empty(layout) || (new_low == low && new_high == high)));
    return status;
}

void fuzz_one(struct input *input)
{
    static int32_t (*const steps[])(struct input *, struct layout *) = { slice, permute, reshape, reinterpret, broadcast };
    struct layout layout;
    if (make(input, &layout))
        return;
    check_all(&layout, input);
    for (int i = 0; i < STEPS && input->at < input->count; i++) {
        struct layout before = layout;
        if (steps[take_byte(input) % 5](input, &layout))
            must(before.ndim == layout.ndim && !memcmp(before.shape, layout.shape, (size_t)before.ndim * sizeof *before.shape));
        check_all(&layout, input);
    }
}

void fuzz_begin(void)
{
}

void fuzz_end(void)
{
}
