/* What the layout tests share: every position that a layout names, by enumeration, and drawn layouts. */
#ifndef BATON_TEST_LAYOUT_SUPPORT_H
#define BATON_TEST_LAYOUT_SUPPORT_H

#include <check.h>
#include <stdlib.h>

#include "array/layout.h"

#define EXTENTS(...) (const int64_t[]) { __VA_ARGS__ }
#define ASSERT_NUMBERS(actual, ...) \
    assert_numbers(actual, EXTENTS(__VA_ARGS__), sizeof EXTENTS(__VA_ARGS__) / sizeof(int64_t))
enum { MOST_ELEMENTS = 4096 };

static inline struct layout made(int32_t ndim, const int64_t *shape, const int64_t *strides)
{
    struct layout layout;
    ck_assert_int_eq(layout_make(ndim, shape, strides, &layout), BATON_OK);
    return layout;
}

/* The position of every element, in row-major order of the indices. */
static inline int64_t enumerate(const struct layout *layout, int64_t positions[MOST_ELEMENTS])
{
    int64_t count = layout_elements(layout);
    ck_assert_int_le(count, MOST_ELEMENTS);
    for (int64_t n = 0; n < count; n++) {
        int64_t rest = n;
        positions[n] = layout->offset;
        for (int32_t i = layout->ndim - 1; i >= 0; i--) {
            positions[n] += rest % layout->shape[i] * layout->strides[i];
            rest /= layout->shape[i];
        }
    }
    return count;
}

static inline void assert_same_elements(const struct layout *a, const struct layout *b)
{
    int64_t in_a[MOST_ELEMENTS], in_b[MOST_ELEMENTS];
    int64_t count = enumerate(a, in_a);
    ck_assert_int_eq(enumerate(b, in_b), count);
    ck_assert_mem_eq(in_a, in_b, (size_t)count * sizeof in_a[0]);
}

static inline void assert_numbers(const int64_t *actual, const int64_t *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(actual[i], expected[i]);
}

static uint64_t drawn_state = 1;

static inline int64_t drawn(int64_t low, int64_t high)
{
    drawn_state = drawn_state * 6364136223846793005u + 1442695040888963407u;
    return low + (int64_t)((drawn_state >> 33) % (uint64_t)(high - low + 1));
}

/* A slice of a permutation of an array of up to four dimensions. */
static inline struct layout drawn_view(void)
{
    int64_t shape[4], start[4], count[4], step[4];
    int32_t permutation[4] = { 0, 1, 2, 3 }, ndim = (int32_t)drawn(0, 4);
    for (int32_t i = 0; i < ndim; i++) {
        int32_t other = (int32_t)drawn(0, i), moved = permutation[other];
        permutation[other] = permutation[i];
        permutation[i] = moved;
        shape[i] = drawn(1, 6);
    }
    struct layout view = made(ndim, shape, NULL);
    ck_assert_int_eq(layout_permute(&view, permutation, &view), BATON_OK);
    for (int32_t i = 0; i < ndim; i++) {
        int64_t extent = view.shape[i];
        step[i] = drawn(0, 2) ? 1 : drawn(0, 1) ? 2 : -1;
        start[i] = step[i] < 0 ? extent - 1 : drawn(0, 3) ? 0 : extent / 2;
        count[i] = drawn(0, 3) ? (step[i] < 0 ? extent : (extent - start[i] + step[i] - 1) / step[i]) : 1;
    }
    ck_assert_int_eq(layout_slice(&view, ndim, start, count, step, &view), BATON_OK);
    return view;
}

static inline int layout_suite_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
