/* O10: slices, permutations, reshapes and reinterpretations, held against enumeration of every index. */
#include "layout_support.h"

START_TEST(a_slice_takes_the_elements_it_names)
{
    struct layout base = made(2, EXTENTS(4, 5), NULL), out;
    int64_t positions[MOST_ELEMENTS];
    ck_assert_int_eq(layout_slice(&base, 2, EXTENTS(1, 0), EXTENTS(2, 3), EXTENTS(2, 2), &out), BATON_OK);
    ck_assert_int_eq(enumerate(&out, positions), 6);
    ASSERT_NUMBERS(positions, 5, 7, 9, 15, 17, 19);
    ck_assert_int_eq(layout_slice(&base, 2, EXTENTS(3, 4), NULL, EXTENTS(-2, -4), &out), BATON_OK);
    ck_assert_int_eq(enumerate(&out, positions), 4);
    ASSERT_NUMBERS(positions, 19, 15, 9, 5);
    ck_assert_int_eq(layout_slice(&out, 2, EXTENTS(1, 0), NULL, EXTENTS(-1, 1), &out), BATON_OK);
    ck_assert_int_eq(enumerate(&out, positions), 4);
    ASSERT_NUMBERS(positions, 9, 5, 19, 15);
    ck_assert_int_eq(layout_slice(&base, 0, NULL, NULL, NULL, &out), BATON_OK);
    assert_same_elements(&base, &out);
}
END_TEST

START_TEST(a_slice_may_be_empty_and_stays_inside_the_memory)
{
    struct layout base = made(1, EXTENTS(5), NULL), out;
    ck_assert_int_eq(layout_slice(&base, 1, EXTENTS(5), NULL, NULL, &out), BATON_OK);
    ck_assert_int_eq(layout_elements(&out), 0);
    ck_assert_int_eq(out.offset, 0);
    ck_assert_int_eq(layout_slice(&base, 1, EXTENTS(2), EXTENTS(0), EXTENTS(-1), &out), BATON_OK);
    ck_assert_int_eq(layout_elements(&out), 0);
    ck_assert_int_eq(layout_slice(&out, 1, NULL, NULL, EXTENTS(-1), &out), BATON_OK);
    ck_assert_int_eq(layout_elements(&out), 0);
    struct layout none = made(2, EXTENTS(INT64_MAX / 2, 0), NULL);          /* its bytes would not fit, were there any */
    ck_assert_int_eq(layout_slice(&none, 2, EXTENTS(INT64_MAX / 4, 0), NULL, NULL, &out), BATON_OK);
    ck_assert_int_eq(layout_elements(&out), 0);
    ck_assert_int_eq(out.offset, 0);
}
END_TEST

START_TEST(slices_past_the_bounds_are_refused)
{
    const struct { int64_t start, count, step; int32_t status; } cases[] = {
        { 0, 6, 1, BATON_ERR_BOUNDS },          { -1, 1, 1, BATON_ERR_BOUNDS },       { 5, 1, 1, BATON_ERR_BOUNDS },
        { 6, 0, 1, BATON_ERR_BOUNDS },          { 0, 4, 2, BATON_ERR_BOUNDS },        { 0, 2, -1, BATON_ERR_BOUNDS },
        { 4, 6, -1, BATON_ERR_BOUNDS },         { 0, -1, 1, BATON_ERR_BOUNDS },       { 0, 1, 0, BATON_ERR_ARGUMENT },
        { 1, INT64_MAX, 1, BATON_ERR_BOUNDS },  { 1, 2, INT64_MAX, BATON_ERR_BOUNDS },
        { 4, 2, INT64_MIN, BATON_ERR_BOUNDS },  { 4, 1, INT64_MIN, BATON_OK },        { 4, 1, INT64_MAX, BATON_OK },
    };
    struct layout base = made(1, EXTENTS(5), NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct layout out = { .ndim = 77 };
        int32_t status = layout_slice(&base, 1, &cases[i].start, &cases[i].count, &cases[i].step, &out);
        ck_assert_msg(status == cases[i].status, "case %zu: status %d", i, status);
        ck_assert_int_eq(out.ndim, status ? 77 : 1);
    }
    struct layout out;
    ck_assert_int_eq(layout_slice(&base, 2, EXTENTS(0, 0), NULL, NULL, &out), BATON_ERR_SHAPE);
}
END_TEST

START_TEST(permuting_moves_dimensions_and_refuses_what_is_no_permutation)
{
    struct layout base = made(3, EXTENTS(2, 3, 4), NULL), out = { .ndim = 77 };
    ck_assert_int_eq(layout_permute(&base, (const int32_t[]) { 0, 0, 1 }, &out), BATON_ERR_ARGUMENT);
    ck_assert_int_eq(layout_permute(&base, (const int32_t[]) { 0, 1, 3 }, &out), BATON_ERR_ARGUMENT);
    ck_assert_int_eq(layout_permute(&base, (const int32_t[]) { 0, -1, 2 }, &out), BATON_ERR_ARGUMENT);
    ck_assert_int_eq(out.ndim, 77);
    ck_assert_int_eq(layout_permute(&base, (const int32_t[]) { 2, 0, 1 }, &out), BATON_OK);
    ASSERT_NUMBERS(out.shape, 4, 2, 3);
    ASSERT_NUMBERS(out.strides, 1, 12, 4);
    ck_assert(!layout_contiguous(&out));
}
END_TEST

START_TEST(a_reshape_that_succeeds_keeps_every_element_in_order)
{
    int succeeded = 0;
    for (int round = 0; round < 3000; round++) {
        struct layout view = drawn_view(), out;
        int64_t shape[5], left = layout_elements(&view);
        int32_t ndim = 0;
        for (; ndim < 4; ndim++) {
            shape[ndim] = drawn(1, 6);
            if (left % shape[ndim])
                shape[ndim] = 1;
            left /= shape[ndim];
        }
        shape[ndim++] = drawn(0, 1) ? -1 : left;
        if (layout_reshape(&view, ndim, shape, &out) != BATON_OK) {
            ck_assert(!layout_contiguous(&view));
            continue;
        }
        succeeded++;
        assert_same_elements(&view, &out);
    }
    ck_assert_int_gt(succeeded, 1000);
}
END_TEST

START_TEST(a_reshape_is_a_view_whenever_strides_can_express_it)
{
    struct layout rows, transposed, out, base = made(2, EXTENTS(4, 6), NULL);
    ck_assert_int_eq(layout_slice(&base, 2, NULL, EXTENTS(4, 3), NULL, &rows), BATON_OK);
    ck_assert_int_eq(layout_reshape(&rows, 3, EXTENTS(2, 2, 3), &out), BATON_OK);
    assert_same_elements(&rows, &out);
    ck_assert_int_eq(layout_reshape(&rows, 1, EXTENTS(12), &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_permute(&base, (const int32_t[]) { 1, 0 }, &transposed), BATON_OK);
    ck_assert_int_eq(layout_reshape(&transposed, 3, EXTENTS(3, 2, 4), &out), BATON_OK);
    assert_same_elements(&transposed, &out);
    ck_assert_int_eq(layout_reshape(&transposed, 2, EXTENTS(4, 6), &out), BATON_ERR_SHAPE);
    struct layout broadcast = made(2, EXTENTS(3, 4), EXTENTS(0, 0));
    ck_assert_int_eq(layout_reshape(&broadcast, 1, EXTENTS(-1), &out), BATON_OK);
    ck_assert_int_eq(out.shape[0], 12);
}
END_TEST

START_TEST(reshapes_of_no_and_of_one_element_follow_the_counts)
{
    struct layout empty = made(2, EXTENTS(0, 3), NULL), one = made(0, NULL, NULL), out = { .ndim = 77 };
    ck_assert_int_eq(layout_reshape(&empty, 2, EXTENTS(0, -1), &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_reshape(&empty, 0, NULL, &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_reshape(&one, 2, EXTENTS(-1, -1), &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_reshape(&one, 2, EXTENTS(1, -2), &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_reshape(&one, 1, EXTENTS(0), &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_reshape(&one, 2, EXTENTS(INT64_MAX, 3), &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_reshape(&one, 17, EXTENTS(1), &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(out.ndim, 77);
    ck_assert_int_eq(layout_reshape(&empty, 2, EXTENTS(7, 0), &out), BATON_OK);
    ck_assert_int_eq(layout_reshape(&empty, 2, EXTENTS(-1, 3), &out), BATON_OK);
    ck_assert_int_eq(out.shape[0], 0);
    ck_assert_int_eq(layout_reshape(&one, 3, EXTENTS(1, -1, 1), &out), BATON_OK);
    ck_assert_int_eq(out.shape[1], 1);
    ck_assert_int_eq(layout_reshape(&out, 0, NULL, &out), BATON_OK);
    ck_assert_int_eq(out.ndim, 0);
}
END_TEST

START_TEST(reinterpreting_scales_the_last_dimension)
{
    struct layout base = made(2, EXTENTS(3, 4), NULL), out;
    base.offset = 2;
    ck_assert_int_eq(layout_reinterpret(&base, 4, 8, &out), BATON_OK);
    ASSERT_NUMBERS(out.shape, 3, 2);
    ASSERT_NUMBERS(out.strides, 2, 1);
    ck_assert_int_eq(out.offset, 1);
    ck_assert_int_eq(layout_reinterpret(&out, 8, 1, &out), BATON_OK);
    ASSERT_NUMBERS(out.shape, 3, 16);
    ck_assert_int_eq(out.offset, 8);
}
END_TEST

START_TEST(reinterpreting_refuses_fractions_and_gaps)
{
    struct layout scalar = made(0, NULL, NULL), odd = made(1, EXTENTS(3), NULL), out = { .ndim = 77 };
    struct layout padded = made(2, EXTENTS(2, 2), EXTENTS(3, 1)), columns = made(2, EXTENTS(2, 2), EXTENTS(1, 2));
    struct layout shifted = made(1, EXTENTS(4), NULL), wide = made(2, EXTENTS(INT64_MAX / 2, 2), EXTENTS(0, 1));
    shifted.offset = 1;
    ck_assert_int_eq(layout_reinterpret(&scalar, 4, 2, &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_reinterpret(&odd, 4, 8, &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_reinterpret(&padded, 4, 8, &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_reinterpret(&columns, 4, 2, &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_reinterpret(&shifted, 4, 8, &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_reinterpret(&wide, 8, 1, &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_reinterpret(&odd, 0, 4, &out), BATON_ERR_DTYPE);
    ck_assert_int_eq(out.ndim, 77);
    ck_assert_int_eq(layout_reinterpret(&columns, 4, 4, &out), BATON_OK);
    assert_same_elements(&columns, &out);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("layout_view");
    TCase *tests = tcase_create("layout_view");
    tcase_add_test(tests, a_slice_takes_the_elements_it_names);
    tcase_add_test(tests, a_slice_may_be_empty_and_stays_inside_the_memory);
    tcase_add_test(tests, slices_past_the_bounds_are_refused);
    tcase_add_test(tests, permuting_moves_dimensions_and_refuses_what_is_no_permutation);
    tcase_add_test(tests, a_reshape_that_succeeds_keeps_every_element_in_order);
    tcase_add_test(tests, a_reshape_is_a_view_whenever_strides_can_express_it);
    tcase_add_test(tests, reshapes_of_no_and_of_one_element_follow_the_counts);
    tcase_add_test(tests, reinterpreting_scales_the_last_dimension);
    tcase_add_test(tests, reinterpreting_refuses_fractions_and_gaps);
    suite_add_tcase(suite, tests);
    return layout_suite_run(suite);
}
