/* The rows and result codes of the driver table. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"
#include "driver/soft/soft.h"

START_TEST(every_row_has_the_name_of_its_verb_and_of_its_symbol)
{
    ck_assert_str_eq(driver_row_name(DRIVER_ROW_event_record), "event_record");
    ck_assert_str_eq(driver_row_symbol(DRIVER_ROW_event_record), "cuEventRecord");
    ck_assert_str_eq(driver_row_name(DRIVER_ROW_COUNT), "unknown");
    ck_assert_str_eq(driver_row_symbol(DRIVER_ROW_COUNT), "unknown");
    for (int row = 0; row < DRIVER_ROW_COUNT; row++)
        ck_assert_msg(strncmp(driver_row_symbol((enum driver_row)row), "cu", 2) == 0, "row %d", row);
}
END_TEST

START_TEST(no_row_is_there_twice)
{
    for (int a = 0; a < DRIVER_ROW_COUNT; a++)
        for (int b = 0; b < a; b++)
            ck_assert_str_ne(driver_row_symbol((enum driver_row)a), driver_row_symbol((enum driver_row)b));
}
END_TEST

START_TEST(no_row_asks_for_less_than_cuda_twelve)
{
#define CHECK_VERSION(verb, symbol, version, parameters, arguments)                 \
    ck_assert_msg(version >= 12000 && version % 10 == 0, #verb ": %d", version);
    DRIVER_ROWS(CHECK_VERSION)
#undef CHECK_VERSION
}
END_TEST

START_TEST(the_software_device_has_every_row)
{
    const struct driver *soft = soft_driver();
    ck_assert_str_eq(soft->name, "soft");
    ck_assert_int_eq(soft->host_kernels, 1);
    ck_assert_ptr_nonnull(soft->builtin_image);
#define CHECK_ROW(verb, symbol, version, parameters, arguments) ck_assert_msg(soft->verb != NULL, #verb);
    DRIVER_ROWS(CHECK_ROW)
#undef CHECK_ROW
}
END_TEST

START_TEST(codes_have_the_names_of_cuda)
{
    ck_assert_str_eq(driver_code_name(DRIVER_SUCCESS), "CUDA_SUCCESS");
    ck_assert_str_eq(driver_code_name(700), "CUDA_ERROR_ILLEGAL_ADDRESS");
    ck_assert_str_eq(driver_code_name(908), "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD");
    ck_assert_str_eq(driver_code_name(12345), "unknown code");
    ck_assert_str_eq(driver_code_name(-1), "unknown code");
}
END_TEST

/* E2: exactly these poison their context. */
START_TEST(the_sticky_codes_are_the_ones_after_which_a_context_is_lost)
{
    static const int sticky[] = { 214, 700, 702, 710, 714, 715, 716, 717, 718, 719, 999 };
    size_t found = 0;
    for (int code = -1; code <= 1000; code++)
        if (driver_code_sticky(code)) {
            ck_assert_uint_lt(found, sizeof sticky / sizeof *sticky);
            ck_assert_int_eq(code, sticky[found++]);
        }
    ck_assert_uint_eq(found, sizeof sticky / sizeof *sticky);
}
END_TEST

START_TEST(what_went_with_its_context_is_gone)
{
    ck_assert_int_ne(driver_code_gone(DRIVER_DEINITIALIZED), 0);
    ck_assert_int_ne(driver_code_gone(DRIVER_CONTEXT_IS_DESTROYED), 0);
    ck_assert_int_ne(driver_code_gone(DRIVER_INVALID_CONTEXT), 0);
    ck_assert_int_ne(driver_code_gone(DRIVER_ILLEGAL_ADDRESS), 0);
    ck_assert_int_eq(driver_code_gone(DRIVER_SUCCESS), 0);
    ck_assert_int_eq(driver_code_gone(DRIVER_INVALID_VALUE), 0);
    ck_assert_int_eq(driver_code_gone(DRIVER_NOT_READY), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("driver_table");
    TCase *tests = tcase_create("driver_table");
    tcase_add_test(tests, every_row_has_the_name_of_its_verb_and_of_its_symbol);
    tcase_add_test(tests, no_row_is_there_twice);
    tcase_add_test(tests, no_row_asks_for_less_than_cuda_twelve);
    tcase_add_test(tests, the_software_device_has_every_row);
    tcase_add_test(tests, codes_have_the_names_of_cuda);
    tcase_add_test(tests, the_sticky_codes_are_the_ones_after_which_a_context_is_lost);
    tcase_add_test(tests, what_went_with_its_context_is_gone);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
