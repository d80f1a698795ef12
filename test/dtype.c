/* Element types and their exchange with DLPack. */
#include <check.h>
#include <stdlib.h>

#include "array/dtype.h"

START_TEST(every_dtype_has_a_name_and_its_size)
{
    ck_assert_str_eq(baton_dtype_name(BATON_BOOL), "bool");
    ck_assert_str_eq(baton_dtype_name(BATON_F32), "f32");
    ck_assert_str_eq(baton_dtype_name(BATON_C128), "c128");
    ck_assert_uint_eq(baton_dtype_size(BATON_BOOL), 1);
    ck_assert_uint_eq(baton_dtype_size(BATON_BF16), 2);
    ck_assert_uint_eq(baton_dtype_size(BATON_F32), 4);
    ck_assert_uint_eq(baton_dtype_size(BATON_C64), 8);
    ck_assert_uint_eq(baton_dtype_size(BATON_C128), 16);
}
END_TEST

START_TEST(numbers_that_are_no_dtype_have_size_zero)
{
    const int32_t strangers[] = { 0, -1, BATON_C128 + 1, INT32_MAX, INT32_MIN };
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++) {
        uint8_t code = 77, bits = 77;
        ck_assert_uint_eq(dtype_bytes(strangers[i]), 0);
        ck_assert_str_eq(baton_dtype_name(strangers[i]), "unknown");
        ck_assert_int_eq(dtype_to_dlpack(strangers[i], &code, &bits), BATON_ERR_DTYPE);
        ck_assert_uint_eq(code, 77);
    }
}
END_TEST

START_TEST(every_dtype_returns_from_dlpack_as_itself)
{
    for (int32_t dtype = BATON_BOOL; dtype <= BATON_C128; dtype++) {
        uint8_t code, bits;
        int32_t back = 0;
        ck_assert_int_eq(dtype_to_dlpack(dtype, &code, &bits), BATON_OK);
        ck_assert_uint_eq(bits, 8 * dtype_bytes(dtype));
        ck_assert_int_eq(dtype_from_dlpack(code, bits, 1, &back), BATON_OK);
        ck_assert_int_eq(back, dtype);
    }
}
END_TEST

START_TEST(dlpack_codes_are_the_published_ones)
{
    const struct { int32_t dtype; uint8_t code, bits; } known[] = {
        { BATON_I32, 0, 32 },  { BATON_U8, 1, 8 },   { BATON_F16, 2, 16 },
        { BATON_BF16, 4, 16 }, { BATON_C64, 5, 64 }, { BATON_BOOL, 6, 8 },
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint8_t code, bits;
        ck_assert_int_eq(dtype_to_dlpack(known[i].dtype, &code, &bits), BATON_OK);
        ck_assert_uint_eq(code, known[i].code);
        ck_assert_uint_eq(bits, known[i].bits);
    }
}
END_TEST

START_TEST(dlpack_types_without_counterpart_are_refused)
{
    int32_t dtype = 77;
    ck_assert_int_eq(dtype_from_dlpack(2, 32, 4, &dtype), BATON_ERR_DTYPE);     /* vector of four */
    ck_assert_int_eq(dtype_from_dlpack(2, 32, 0, &dtype), BATON_ERR_DTYPE);
    ck_assert_int_eq(dtype_from_dlpack(0, 4, 1, &dtype), BATON_ERR_DTYPE);      /* four-bit integer */
    ck_assert_int_eq(dtype_from_dlpack(3, 64, 1, &dtype), BATON_ERR_DTYPE);     /* opaque handle */
    ck_assert_int_eq(dtype, 77);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dtype");
    TCase *tests = tcase_create("dtype");
    tcase_add_test(tests, every_dtype_has_a_name_and_its_size);
    tcase_add_test(tests, numbers_that_are_no_dtype_have_size_zero);
    tcase_add_test(tests, every_dtype_returns_from_dlpack_as_itself);
    tcase_add_test(tests, dlpack_codes_are_the_published_ones);
    tcase_add_test(tests, dlpack_types_without_counterpart_are_refused);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
