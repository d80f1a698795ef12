/* Layouts of operands: stretched to a common shape, and walked in an order that is one for all. */
#include "layout_support.h"

START_TEST(trailing_dimensions_correspond)
{
    struct layout to = made(3, EXTENTS(2, 3, 4), NULL), row = made(1, EXTENTS(4), NULL), column = made(2, EXTENTS(3, 1), NULL);
    struct layout scalar = made(0, NULL, NULL), out;
    row.offset = 7;
    ck_assert_int_eq(layout_broadcast(&row, &to, &out), BATON_OK);
    ck_assert(layout_equal_shape(&out, &to));
    ASSERT_NUMBERS(out.strides, 0, 0, 1);
    ck_assert_int_eq(out.offset, 7);
    ck_assert_int_eq(layout_broadcast(&column, &to, &out), BATON_OK);
    ASSERT_NUMBERS(out.strides, 0, 1, 0);
    ck_assert_int_eq(layout_broadcast(&scalar, &to, &out), BATON_OK);
    ASSERT_NUMBERS(out.strides, 0, 0, 0);
    ck_assert_int_eq(layout_broadcast(&to, &to, &out), BATON_OK);
    ASSERT_NUMBERS(out.strides, 12, 4, 1);
}
END_TEST

START_TEST(other_extents_and_more_dimensions_are_refused)
{
    struct layout to = made(2, EXTENTS(2, 3), NULL), one = made(1, EXTENTS(1), NULL), none = made(2, EXTENTS(0, 3), NULL);
    struct layout wrong = made(1, EXTENTS(2), NULL), deep = made(3, EXTENTS(1, 2, 3), NULL), out = { .ndim = 77 };
    ck_assert_int_eq(layout_broadcast(&wrong, &to, &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_broadcast(&deep, &to, &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_broadcast(&to, &one, &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(layout_broadcast(&none, &to, &out), BATON_ERR_SHAPE);
    ck_assert_int_eq(out.ndim, 77);
    ck_assert_int_eq(layout_broadcast(&one, &none, &out), BATON_OK);
    ck_assert_int_eq(layout_elements(&out), 0);
}
END_TEST

/* Whatever way an array lies, work on it alone, or on it and one that lies alike, is one run. */
START_TEST(a_transposed_and_reversed_array_is_a_run)
{
    struct layout a = made(3, EXTENTS(2, 3, 4), NULL), b;
    ck_assert_int_eq(layout_permute(&a, (const int32_t[]) { 2, 0, 1 }, &a), BATON_OK);
    ck_assert_int_eq(layout_slice(&a, 3, EXTENTS(3, 0, 2), NULL, EXTENTS(-1, 1, -1), &a), BATON_OK);
    b = a;
    layout_order((struct layout *const[]) { &a, &b }, 2);
    ck_assert_int_eq(a.ndim, 1);
    ASSERT_NUMBERS(a.shape, 24);
    ASSERT_NUMBERS(a.strides, 1);
    ck_assert_int_eq(a.offset, 0);
    ck_assert_int_eq(b.ndim, 1);
    ck_assert_int_eq(b.offset, 0);
}
END_TEST

static int position_compare(const void *a, const void *b)
{
    int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
    return (first > second) - (first < second);
}

/* Every element of the first is still met by the same element of the second: the pairs are the same, in another order. */
START_TEST(elements_keep_their_partners)
{
    struct layout a = made(3, EXTENTS(2, 3, 4), NULL), b = made(3, EXTENTS(2, 3, 4), EXTENTS(1, 100, 7));
    int64_t in_a[MOST_ELEMENTS], in_b[MOST_ELEMENTS], before[24], after[24];
    ck_assert_int_eq(layout_permute(&a, (const int32_t[]) { 0, 1, 2 }, &a), BATON_OK);
    ck_assert_int_eq(layout_slice(&a, 3, EXTENTS(1, 0, 3), NULL, EXTENTS(-1, 1, -1), &a), BATON_OK);
    enumerate(&a, in_a);
    enumerate(&b, in_b);
    for (int i = 0; i < 24; i++)
        before[i] = 10000 * in_a[i] + in_b[i];
    layout_order((struct layout *const[]) { &a, &b }, 2);
    ck_assert_int_eq(enumerate(&a, in_a), 24);
    enumerate(&b, in_b);
    for (int i = 0; i < 24; i++)
        after[i] = 10000 * in_a[i] + in_b[i];
    for (int i = 0; i < 24; i++)
        ck_assert_int_eq(in_a[i], i);                   /* the first one's strides descend */
    qsort(before, 24, sizeof *before, position_compare);
    ck_assert_mem_eq(before, after, sizeof before);
}
END_TEST

START_TEST(a_shape_is_told_in_the_room_there_is)
{
    struct layout scalar = made(0, NULL, NULL), one = made(1, EXTENTS(5), NULL), two = made(2, EXTENTS(12, 345), NULL);
    char text[10];
    ck_assert_str_eq(layout_shape_text(&scalar, text, sizeof text), "()");
    ck_assert_str_eq(layout_shape_text(&one, text, sizeof text), "(5)");
    ck_assert_str_eq(layout_shape_text(&two, text, sizeof text), "(12, 345)");
    ck_assert_str_eq(layout_shape_text(&two, text, 9), "(12,...)");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("layout_order");
    TCase *tests = tcase_create("layout_order");
    tcase_add_test(tests, trailing_dimensions_correspond);
    tcase_add_test(tests, other_extents_and_more_dimensions_are_refused);
    tcase_add_test(tests, a_transposed_and_reversed_array_is_a_run);
    tcase_add_test(tests, elements_keep_their_partners);
    tcase_add_test(tests, a_shape_is_told_in_the_room_there_is);
    suite_add_tcase(suite, tests);
    return layout_suite_run(suite);
}
