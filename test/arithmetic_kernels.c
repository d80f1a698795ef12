/* The bodies of the arithmetic kernels as CUDA runs them, by many threads that divide the steps, and the same kernels in both images. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver/cast_kernels.h"
#include "driver/soft/soft.h"

enum { THREADS = 3, ROWS = 7, COLUMNS = 8 };

static const char *const names[] = { ARITHMETIC_ELEMENTWISE(f32), ARITHMETIC_ELEMENTWISE(f64), ARITHMETIC_ELEMENTWISE(i32), ARITHMETIC_ELEMENTWISE(i64),
                                     ARITHMETIC_CAST, ARITHMETIC_RANGE };
enum { NAMES = sizeof names / sizeof *names };

START_TEST(both_devices_have_the_kernels_under_the_same_names)
{
    ck_assert_uint_eq(soft_arithmetic_image.count, NAMES);
    for (int i = 0; i < NAMES; i++) {
        char entry[64];
        snprintf(entry, sizeof entry, ".entry %s(", names[i]);
        ck_assert_ptr_nonnull(strstr(cuda_arithmetic_image, entry));
        ck_assert_str_eq(soft_arithmetic_image.kernels[i].name, names[i]);
    }
    ck_assert_ptr_eq(strstr(cuda_arithmetic_image, ".version 8.0\n"), cuda_arithmetic_image);       /* what CUDA 12.0 reads */
}
END_TEST

/* The race check of the software device relies on it. */
START_TEST(the_image_declares_what_is_written_and_what_is_read)
{
    for (int i = 0; i < NAMES; i++) {
        const struct soft_kernel *kernel = &soft_arithmetic_image.kernels[i];
        ck_assert_uint_eq(kernel->parameters[0].access, 2);
        for (uint32_t p = 1; p + 1 < kernel->count; p++)
            ck_assert_uint_eq(kernel->parameters[p].access, 1);
        ck_assert_uint_eq(kernel->parameters[kernel->count - 1].access, 0);
    }
}
END_TEST

static void set_dimension(struct walk_dimension *dimension, int64_t extent, int64_t to, int64_t left, int64_t right)
{
    uint32_t shift = 0;
    while ((int64_t)1 << shift < extent)
        shift++;
    *dimension = (struct walk_dimension) { .extent = extent, .strides = { to, left, right }, .shift = shift };
    dimension->multiplier = (uint32_t)((((((uint64_t)1 << shift) - (uint64_t)extent) << 32) / (uint64_t)extent) + 1);
}

START_TEST(division_by_multiplication_is_exact)
{
    static const uint32_t extents[] = { 1, 2, 3, 5, 7, 10, 641, 65535, 65536, 65537, 6700417, 1073741823, 1073741824, 1073741825, INT32_MAX };
    for (size_t e = 0; e < sizeof extents / sizeof *extents; e++) {
        struct walk_dimension dimension;
        set_dimension(&dimension, extents[e], 0, 0, 0);
        for (uint64_t quotient = 0; quotient * extents[e] <= INT32_MAX; quotient += 1 + INT32_MAX / extents[e] / 1000)
            for (int64_t near = -1; near <= 1; near++) {
                int64_t index = (int64_t)(quotient * extents[e]) + near;
                if (index >= 0 && index <= INT32_MAX)
                    ck_assert_uint_eq(walk_divide((uint32_t)index, &dimension), (uint32_t)index / extents[e]);
            }
    }
}
END_TEST

/* matrix += column, by lanes or one by one, with narrow indices or wide ones: what is done twice or not at all shows. */
static void matrix_run(int lanes, int narrow)
{
    enum { STRIDE = COLUMNS + 4 };
    static _Alignas(16) int32_t matrix[ROWS][STRIDE];
    int32_t column[ROWS];
    struct elementwise how = { .walk = { .ndim = 2, .narrow = (uint32_t)narrow, .lanes = (uint32_t)lanes, .packed = 3, .apart = { 4, 4, 0 }, .count = (uint64_t)(ROWS * COLUMNS / lanes) },
                               .function = BATON_ADD };
    set_dimension(&how.walk.dimensions[0], ROWS, sizeof *matrix, sizeof *matrix, sizeof *column);
    set_dimension(&how.walk.dimensions[1], COLUMNS / lanes, 4 * lanes, 4 * lanes, 0);
    for (int i = 0; i < ROWS; i++) {
        column[i] = 1000 * (i + 1);
        for (int k = 0; k < STRIDE; k++)
            matrix[i][k] = k;
    }
    for (uint64_t thread = 0; thread < THREADS; thread++)
        elementwise_i32((char *)matrix, (char *)matrix, (char *)column, &how, thread, THREADS);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < STRIDE; k++)
            ck_assert_int_eq(matrix[i][k], k < COLUMNS ? 1000 * (i + 1) + k : k);
}

START_TEST(threads_divide_the_steps)
{
    for (int narrow = 0; narrow < 2; narrow++) {
        matrix_run(1, narrow);
        matrix_run(4, narrow);
    }
}
END_TEST

/* Three elements before the steps, two behind, and a thread more than there are steps. */
START_TEST(what_is_left_over_is_divided_too)
{
    static _Alignas(16) float values[4 * 4];
    static _Alignas(16) int32_t wholes[4 * 4];
    enum { HEAD = 3, STEPS = 2, TAIL = 2, ALL = HEAD + CAST_LANES * STEPS + TAIL };
    struct cast how = { .walk = { .ndim = 1, .narrow = 1, .lanes = CAST_LANES, .head = HEAD, .tail = TAIL, .packed = 3, .apart = { sizeof *wholes, sizeof *values }, .count = STEPS }, .to = BATON_I32, .from = BATON_F32 };
    set_dimension(&how.walk.dimensions[0], STEPS, CAST_LANES * sizeof *wholes, CAST_LANES * sizeof *values, 0);
    for (int i = 0; i < 16; i++)
        values[i] = (float)i;
    for (uint64_t thread = 0; thread < THREADS; thread++)
        cast_run((char *)(wholes + 4), (char *)(values + 4), &how, thread, THREADS);
    for (int i = 0; i < 16; i++)
        ck_assert(wholes[i] == (i >= 4 - HEAD && i < 4 - HEAD + ALL ? i : 0));
}
END_TEST

/* Lanes of two, of which the first begins with element 1, and one element behind the last: all that is not the range is left alone. */
START_TEST(a_range_is_divided_too)
{
    enum { HEAD = 1, STEPS = 4, TAIL = 1, ALL = HEAD + 2 * STEPS + TAIL };
    static _Alignas(16) double values[ALL + 3];
    struct range how = { .walk = { .ndim = 1, .narrow = 1, .lanes = 2, .head = HEAD, .tail = TAIL, .packed = 1, .apart = { sizeof *values }, .count = STEPS },
                         .start = { .f64 = 1 }, .step = { .f64 = 2 }, .dtype = BATON_F64 };
    set_dimension(&how.walk.dimensions[0], STEPS, 2 * sizeof *values, 0, 0);
    for (uint64_t thread = 0; thread < THREADS; thread++)
        range_run((char *)(values + 2), &how, thread, THREADS);
    ck_assert(values[0] == 0 && values[ALL + 1] == 0 && values[ALL + 2] == 0);
    for (int i = 0; i < ALL; i++)
        ck_assert(values[1 + i] == 1 + 2 * i);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("arithmetic_kernels");
    TCase *tests = tcase_create("arithmetic_kernels");
    tcase_add_test(tests, both_devices_have_the_kernels_under_the_same_names);
    tcase_add_test(tests, the_image_declares_what_is_written_and_what_is_read);
    tcase_add_test(tests, division_by_multiplication_is_exact);
    tcase_add_test(tests, threads_divide_the_steps);
    tcase_add_test(tests, what_is_left_over_is_divided_too);
    tcase_add_test(tests, a_range_is_divided_too);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
