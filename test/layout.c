/* Shape and stride arithmetic, held against enumeration of every index. */
#include "layout_support.h"

static int repeats(const struct layout *layout)
{
    int64_t positions[MOST_ELEMENTS];
    int64_t count = enumerate(layout, positions);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < i; j++)
            if (positions[i] == positions[j])
                return 1;
    return 0;
}

START_TEST(row_major_strides_follow_from_the_shape)
{
    struct layout layout = made(3, EXTENTS(2, 3, 4), NULL), scalar = made(0, NULL, NULL);
    ASSERT_NUMBERS(layout.strides, 12, 4, 1);
    ck_assert_int_eq(layout_elements(&layout), 24);
    ck_assert_int_eq(layout_elements(&scalar), 1);
    ck_assert(layout_contiguous(&layout));
    ck_assert(layout_contiguous(&scalar));
}
END_TEST

START_TEST(impossible_shapes_are_refused)
{
    struct layout layout = { .ndim = 77 };
    int64_t many[LAYOUT_MAX_DIMS + 1] = { 0 };
    ck_assert_int_eq(layout_make(-1, many, NULL, &layout), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_make(LAYOUT_MAX_DIMS + 1, many, NULL, &layout), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_make(2, EXTENTS(3, -1), NULL, &layout), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_make(1, NULL, NULL, &layout), BATON_ERR_ARGUMENT);
    ck_assert_int_eq(layout_make(2, EXTENTS(INT64_MAX, 2), NULL, &layout), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_make(3, EXTENTS(INT64_MAX, 2, 0), NULL, &layout), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_make(1, EXTENTS(3), EXTENTS(INT64_MAX), &layout), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_make(2, EXTENTS(2, 2), EXTENTS(INT64_MAX, 1), &layout), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_make(2, EXTENTS(3, 2), EXTENTS(INT64_MIN / 2, -1), &layout), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_make(1, EXTENTS(2), EXTENTS(INT64_MIN), &layout), BATON_ERR_SHAPE);        /* has no counterpart */
    ck_assert_int_eq(layout.ndim, 77);
    ck_assert_int_eq(layout_make(LAYOUT_MAX_DIMS, many, NULL, &layout), BATON_OK);
}
END_TEST

START_TEST(byte_counts_past_the_largest_number_are_refused)
{
    struct layout layout = made(1, EXTENTS(INT64_MAX / 4), NULL);
    int64_t bytes = 77, low = 77, high = 77;
    ck_assert_int_eq(layout_bytes(&layout, 8, &bytes), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_extent(&layout, 8, &low, &high), BATON_ERR_SHAPE);
    ck_assert_int_eq(bytes + low + high, 3 * 77);
    ck_assert_int_eq(layout_bytes(&layout, 4, &bytes), BATON_OK);
    ck_assert_int_eq(bytes, INT64_MAX / 4 * 4);
    ck_assert_int_eq(layout_extent(&layout, 4, &low, &high), BATON_OK);
    ck_assert_int_eq(high, bytes);
}
END_TEST

START_TEST(the_extent_holds_exactly_the_elements)
{
    for (int round = 0; round < 500; round++) {
        struct layout view = drawn_view();
        int64_t positions[MOST_ELEMENTS], count = enumerate(&view, positions), low, high;
        int64_t least = INT64_MAX, most = INT64_MIN;
        for (int64_t i = 0; i < count; i++) {
            least = positions[i] < least ? positions[i] : least;
            most = positions[i] > most ? positions[i] : most;
        }
        ck_assert_int_eq(layout_extent(&view, 4, &low, &high), BATON_OK);
        ck_assert_int_eq(low, 4 * least);
        ck_assert_int_eq(high, 4 * most + 4);
    }
    struct layout empty = made(2, EXTENTS(0, 5), NULL);
    int64_t low = 77, high = 78;
    ck_assert_int_eq(layout_extent(&empty, 4, &low, &high), BATON_OK);
    ck_assert_int_eq(low, high);
}
END_TEST

START_TEST(collapsing_keeps_every_element_in_order)
{
    for (int round = 0; round < 2000; round++) {
        struct layout a = drawn_view(), b = made(a.ndim, a.shape, NULL);
        struct layout alone = a, small_a = a, small_b = b;
        layout_collapse(&alone, NULL);
        assert_same_elements(&a, &alone);
        layout_collapse(&small_a, &small_b);
        ck_assert(layout_equal_shape(&small_a, &small_b));
        assert_same_elements(&a, &small_a);
        assert_same_elements(&b, &small_b);
    }
}
END_TEST

START_TEST(collapsing_leaves_one_run_where_there_is_one)
{
    struct layout whole = made(4, EXTENTS(2, 1, 3, 4), NULL), one = made(3, EXTENTS(1, 1, 1), NULL);
    struct layout rows = made(3, EXTENTS(2, 3, 4), EXTENTS(30, 10, 1)), packed = made(3, EXTENTS(2, 3, 4), NULL);
    struct layout empty = made(3, EXTENTS(2, 0, 4), NULL);
    layout_collapse(&whole, NULL);
    ck_assert_int_eq(whole.ndim, 1);
    ck_assert_int_eq(whole.shape[0], 24);
    layout_collapse(&rows, &packed);
    ck_assert_int_eq(rows.ndim, 2);
    ASSERT_NUMBERS(rows.shape, 6, 4);
    ASSERT_NUMBERS(packed.strides, 4, 1);
    layout_collapse(&one, NULL);
    ck_assert_int_eq(one.ndim, 0);
    layout_collapse(&empty, NULL);
    ck_assert_int_eq(empty.ndim, 1);
    ck_assert_int_eq(layout_elements(&empty), 0);
}
END_TEST

START_TEST(overlap_is_exact_for_two_dimensions_and_never_missed)
{
    int overlapping = 0;
    for (int round = 0; round < 4000; round++) {
        int64_t shape[3], strides[3];
        int32_t ndim = (int32_t)drawn(1, 3);
        for (int32_t i = 0; i < ndim; i++) {
            shape[i] = drawn(1, 5);
            strides[i] = drawn(-9, 9);
        }
        struct layout layout = made(ndim, shape, strides);
        int expected = repeats(&layout), found = layout_internally_overlaps(&layout) != 0;
        overlapping += expected;
        ck_assert_msg(found >= expected, "round %d: an overlap was missed", round);
        if (ndim <= 2)
            ck_assert_int_eq(found, expected);
    }
    ck_assert_int_gt(overlapping, 500);
}
END_TEST

START_TEST(new_memory_needs_positive_strides_without_overlap)
{
    struct layout packed = made(2, EXTENTS(3, 4), NULL), padded = made(2, EXTENTS(3, 4), EXTENTS(8, 2));
    struct layout backwards = made(1, EXTENTS(3), EXTENTS(-1)), broadcast = made(1, EXTENTS(3), EXTENTS(0));
    struct layout window = made(2, EXTENTS(3, 4), EXTENTS(1, 1)), single = made(2, EXTENTS(1, 3), EXTENTS(0, 1));
    struct layout empty = made(2, EXTENTS(0, 3), EXTENTS(1, 1));
    ck_assert(layout_owns_no_overlap(&packed));
    ck_assert(layout_owns_no_overlap(&padded));
    ck_assert(layout_owns_no_overlap(&single));
    ck_assert(layout_owns_no_overlap(&empty));
    ck_assert(!layout_owns_no_overlap(&backwards));
    ck_assert(!layout_owns_no_overlap(&broadcast));
    ck_assert(!layout_owns_no_overlap(&window));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("layout");
    TCase *tests = tcase_create("layout");
    tcase_add_test(tests, row_major_strides_follow_from_the_shape);
    tcase_add_test(tests, impossible_shapes_are_refused);
    tcase_add_test(tests, byte_counts_past_the_largest_number_are_refused);
    tcase_add_test(tests, the_extent_holds_exactly_the_elements);
    tcase_add_test(tests, collapsing_keeps_every_element_in_order);
    tcase_add_test(tests, collapsing_leaves_one_run_where_there_is_one);
    tcase_add_test(tests, overlap_is_exact_for_two_dimensions_and_never_missed);
    tcase_add_test(tests, new_memory_needs_positive_strides_without_overlap);
    suite_add_tcase(suite, tests);
    return layout_suite_run(suite);
}
