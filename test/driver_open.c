/* Which driver a specification opens, and what is said when there is none. CUDA is played by test/fake_cuda.c. */
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baton.h"
#include "driver/instrument.h"
#include "driver/soft/soft.h"

static char why[232];

/* Where the build has put a module. */
static void use_cuda(const char *module)
{
    char path[4096];
    const char *build = getenv("top_builddir");
    char *real = realpath(build ? build : ".", NULL);
    snprintf(path, sizeof path, "%s/test/.libs/%s.so", real ? real : ".", module);
    free(real);
    setenv("BATON_CUDA_LIBRARY", path, 1);
}

static void setup(void)
{
    memset(why, '?', sizeof why - 1);
    unsetenv("BATON_DRIVER");
    setenv("BATON_CUDA_LIBRARY", "libcuda-of-nowhere.so", 1);
}

static void open_fails(const char *spec, int32_t status, const char *part)
{
    const struct driver *driver = NULL;
    ck_assert_int_eq(driver_open(spec, &driver, why, sizeof why), status);
    ck_assert_ptr_null(driver);
    ck_assert_msg(strstr(why, part) != NULL, "\"%s\" does not say \"%s\"", why, part);
}

static void devices_are(const struct driver *driver, int wanted)
{
    int count = 0;
    ck_assert_int_eq(driver->init(0), DRIVER_SUCCESS);
    ck_assert_int_eq(driver->device_count(&count), DRIVER_SUCCESS);
    ck_assert_int_eq(count, wanted);
}

START_TEST(soft_has_one_device_unless_told_otherwise)
{
    const struct driver *driver = NULL;
    ck_assert_int_eq(driver_open("soft", &driver, why, sizeof why), BATON_OK);
    ck_assert_str_eq(driver->name, "soft");
    ck_assert_str_eq(why, "");
    devices_are(driver, 1);
    driver_close(driver);
    ck_assert_int_eq(driver_open("soft:16", &driver, why, sizeof why), BATON_OK);
    devices_are(driver, 16);
    driver_close(driver);
}
END_TEST

START_TEST(other_specifications_are_refused_and_the_forms_are_named)
{
    static const char *const wrong[] = { "", "opencl", "CUDA", "cuda:0", "soft:", "soft:0", "soft:17", "soft:01",
                                         "soft:-1", "soft: 1", "soft:1x", "soft:4294967297", "softer", "auto " };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        open_fails(wrong[i], BATON_ERR_ARGUMENT, "write auto, cuda, soft, or soft:N with 1 to 16 devices");
}
END_TEST

START_TEST(another_number_of_devices_is_refused_while_the_machine_is_in_use)
{
    const struct driver *driver = NULL;
    ck_assert_int_eq(driver_open("soft:2", &driver, why, sizeof why), BATON_OK);
    open_fails("soft:3", BATON_ERR_BUSY, "in use with another number");
    driver_close(driver);
    ck_assert_int_eq(driver_open("soft:3", &driver, why, sizeof why), BATON_OK);
    driver_close(driver);
}
END_TEST

START_TEST(auto_without_cuda_is_soft_and_says_why)
{
    const struct driver *driver = NULL;
    ck_assert_int_eq(driver_open("auto", &driver, why, sizeof why), BATON_OK);
    ck_assert_str_eq(driver->name, "soft");
    ck_assert_msg(strstr(why, "libcuda-of-nowhere.so") != NULL, "%s", why);
    devices_are(driver, 1);
    driver_close(driver);
}
END_TEST

START_TEST(auto_is_cuda_when_it_has_a_device)
{
    const struct driver *driver = NULL;
    use_cuda("fake_cuda");
    ck_assert_int_eq(driver_open(NULL, &driver, why, sizeof why), BATON_OK);
    ck_assert_str_eq(driver->name, "cuda");
    ck_assert_str_eq(why, "");
    ck_assert_int_eq(driver->host_kernels, 0);
    devices_are(driver, 1);
    driver_close(driver);
}
END_TEST

START_TEST(the_environment_decides_for_auto_only)
{
    const struct driver *driver = NULL;
    use_cuda("fake_cuda");
    setenv("BATON_DRIVER", "soft:2", 1);
    ck_assert_int_eq(driver_open("auto", &driver, why, sizeof why), BATON_OK);
    ck_assert_str_eq(why, "BATON_DRIVER asks for soft:2.");
    devices_are(driver, 2);
    driver_close(driver);
    ck_assert_int_eq(driver_open("cuda", &driver, why, sizeof why), BATON_OK);
    ck_assert_str_eq(driver->name, "cuda");
    setenv("BATON_DRIVER", "nonsense", 1);
    open_fails("auto", BATON_ERR_ARGUMENT, "\"nonsense\" in BATON_DRIVER");
}
END_TEST

START_TEST(cuda_without_a_library_is_no_driver)
{
    open_fails("cuda", BATON_ERR_NO_DRIVER, "There is no CUDA driver: libcuda-of-nowhere.so");
}
END_TEST

START_TEST(a_library_that_is_not_cuda_is_no_driver)
{
    setenv("BATON_CUDA_LIBRARY", "libm.so.6", 1);
    open_fails("cuda", BATON_ERR_NO_DRIVER, "libm.so.6 is no CUDA driver");
    use_cuda("fake_cuda_bare");
    open_fails("cuda", BATON_ERR_NO_DRIVER, "it has no cuGetProcAddress_v2");
}
END_TEST

START_TEST(a_driver_before_twelve_is_too_old)
{
    use_cuda("fake_cuda");
    setenv("FAKE_CUDA_VERSION", "11080", 1);
    open_fails("cuda", BATON_ERR_NO_DRIVER, "supports CUDA 11.8, and 12.0 is the least");
}
END_TEST

START_TEST(a_missing_function_is_named)
{
    use_cuda("fake_cuda");
    setenv("FAKE_CUDA_MISSING", "cuStreamWaitEvent", 1);
    open_fails("cuda", BATON_ERR_NO_DRIVER, "has no cuStreamWaitEvent for CUDA 12.0");
}
END_TEST

START_TEST(a_driver_that_does_not_start_tells_its_code)
{
    use_cuda("fake_cuda");
    setenv("FAKE_CUDA_INIT", "999", 1);
    open_fails("cuda", BATON_ERR_NO_DRIVER, "CUDA_ERROR_UNKNOWN (999)");
}
END_TEST

START_TEST(a_driver_that_does_not_start_is_explained)
{
    static const struct { const char *code, *name, *advice; } known[] = {
        { "34", "CUDA_ERROR_STUB_LIBRARY (34)", "stub for linking" },
        { "46", "CUDA_ERROR_DEVICE_UNAVAILABLE (46)", "another process" },
        { "304", "CUDA_ERROR_OPERATING_SYSTEM (304)", "not permitted" },
        { "802", "CUDA_ERROR_SYSTEM_NOT_READY (802)", "fabric manager" },
        { "803", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)", "without a restart" },
        { "804", "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE (804)", "newer than the kernel's module" },
        { "999", "CUDA_ERROR_UNKNOWN (999)", "nvidia_uvm" },
    };
    use_cuda("fake_cuda");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        setenv("FAKE_CUDA_INIT", known[i].code, 1);
        open_fails("cuda", BATON_ERR_NO_DRIVER, "cannot start");
        open_fails("cuda", BATON_ERR_NO_DRIVER, known[i].name);
        open_fails("cuda", BATON_ERR_NO_DRIVER, known[i].advice);
        ck_assert_msg(why[strlen(why) - 1] == '.', "\"%s\" is cut off", why);
    }
}
END_TEST

START_TEST(a_driver_that_does_not_tell_its_version_is_explained)
{
    use_cuda("fake_cuda");
    setenv("FAKE_CUDA_TELL", "34", 1);
    open_fails("cuda", BATON_ERR_NO_DRIVER, "does not tell its version: CUDA_ERROR_STUB_LIBRARY (34)");
}
END_TEST

START_TEST(no_device_is_no_driver)
{
    use_cuda("fake_cuda");
    unsetenv("CUDA_VISIBLE_DEVICES");
    setenv("FAKE_CUDA_DEVICES", "0", 1);
    open_fails("cuda", BATON_ERR_NO_DRIVER, "finds no device");
    setenv("FAKE_CUDA_INIT", "100", 1);
    open_fails("cuda", BATON_ERR_NO_DRIVER, "finds no device.");
    setenv("CUDA_VISIBLE_DEVICES", "7", 1);
    open_fails("cuda", BATON_ERR_NO_DRIVER, "finds no device: CUDA_VISIBLE_DEVICES is \"7\"");
}
END_TEST

START_TEST(a_load_that_failed_may_be_tried_again)
{
    const struct driver *first = NULL, *second = NULL;
    open_fails("cuda", BATON_ERR_NO_DRIVER, "There is no CUDA driver");
    use_cuda("fake_cuda");
    ck_assert_int_eq(driver_open("cuda", &first, why, sizeof why), BATON_OK);
    setenv("BATON_CUDA_LIBRARY", "libcuda-of-nowhere.so", 1);
    ck_assert_int_eq(driver_open("cuda", &second, why, sizeof why), BATON_OK);      /* it is there already */
    ck_assert_ptr_eq(first, second);
}
END_TEST

START_TEST(a_newer_function_that_is_missing_is_not_supported)
{
    const struct driver *driver = NULL;
    size_t offset = 0, bytes = 0;
    use_cuda("fake_cuda");
    ck_assert_int_eq(driver_open("cuda", &driver, why, sizeof why), BATON_OK);
    ck_assert_int_eq(driver->function_parameter(NULL, 0, &offset, &bytes), DRIVER_NOT_SUPPORTED);
}
END_TEST

START_TEST(a_newer_function_that_is_there_is_used)
{
    const struct driver *driver = NULL;
    size_t offset = 0, bytes = 0;
    use_cuda("fake_cuda");
    setenv("FAKE_CUDA_VERSION", "12040", 1);
    ck_assert_int_eq(driver_open("cuda", &driver, why, sizeof why), BATON_OK);
    ck_assert_int_eq(driver->function_parameter(NULL, 0, &offset, &bytes), DRIVER_SUCCESS);
}
END_TEST

static void *cuda_load(void *unused)
{
    char text[232];
    (void)unused;
    return (void *)(uintptr_t)driver_cuda(text, sizeof text);
}

START_TEST(threads_that_load_at_once_get_the_same_driver)
{
    pthread_t threads[4];
    use_cuda("fake_cuda");
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, cuda_load, NULL), 0);
    for (int i = 0; i < 4; i++) {
        void *driver = NULL;
        ck_assert_int_eq(pthread_join(threads[i], &driver), 0);
        ck_assert_ptr_nonnull(driver);
        ck_assert_ptr_eq(driver, driver_cuda(why, sizeof why));
    }
}
END_TEST

START_TEST(an_open_driver_is_seen_through_the_instrument)
{
    const struct driver *driver = NULL;
    instrument_enable(1);
    ck_assert_int_eq(driver_open("soft:2", &driver, why, sizeof why), BATON_OK);
    devices_are(driver, 2);
    ck_assert_uint_eq(instrument_count(DRIVER_ROW_device_count), 1);
    driver_close(driver);
    use_cuda("fake_cuda");
    ck_assert_int_eq(driver_open("cuda", &driver, why, sizeof why), BATON_OK);
    devices_are(driver, 1);
    ck_assert_uint_eq(instrument_count(DRIVER_ROW_device_count), 2);
    instrument_enable(0);
    ck_assert_int_eq(driver_open("soft:3", &driver, why, sizeof why), BATON_OK);
    driver_close(driver);
}
END_TEST

static TCase *specification_tests(void)
{
    TCase *tests = tcase_create("specification");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, soft_has_one_device_unless_told_otherwise);
    tcase_add_test(tests, other_specifications_are_refused_and_the_forms_are_named);
    tcase_add_test(tests, another_number_of_devices_is_refused_while_the_machine_is_in_use);
    tcase_add_test(tests, auto_without_cuda_is_soft_and_says_why);
    tcase_add_test(tests, auto_is_cuda_when_it_has_a_device);
    tcase_add_test(tests, the_environment_decides_for_auto_only);
    tcase_add_test(tests, an_open_driver_is_seen_through_the_instrument);
    return tests;
}

static TCase *cuda_tests(void)
{
    TCase *tests = tcase_create("cuda");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, cuda_without_a_library_is_no_driver);
    tcase_add_test(tests, a_library_that_is_not_cuda_is_no_driver);
    tcase_add_test(tests, a_driver_before_twelve_is_too_old);
    tcase_add_test(tests, a_missing_function_is_named);
    tcase_add_test(tests, a_driver_that_does_not_start_tells_its_code);
    tcase_add_test(tests, a_driver_that_does_not_start_is_explained);
    tcase_add_test(tests, a_driver_that_does_not_tell_its_version_is_explained);
    tcase_add_test(tests, no_device_is_no_driver);
    tcase_add_test(tests, a_load_that_failed_may_be_tried_again);
    tcase_add_test(tests, a_newer_function_that_is_missing_is_not_supported);
    tcase_add_test(tests, a_newer_function_that_is_there_is_used);
    tcase_add_test(tests, threads_that_load_at_once_get_the_same_driver);
    return tests;
}

/* Every test needs a process of its own, since the driver is loaded once per process. */
int main(void)
{
    Suite *suite = suite_create("driver_open");
    suite_add_tcase(suite, specification_tests());
    suite_add_tcase(suite, cuda_tests());
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_FORK);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
