/* A library in the place of libcuda.so.1 that is partial, says what cannot be, or lies where anybody could have put it. CUDA is played by test/fake_cuda.c. */
#include <stdio.h>
#include <unistd.h>

#include "driver/driver.h"

#include "compile_support.h"

static void open_fails(const char *part)
{
    const struct driver *driver = NULL;
    char why[232];
    ck_assert_int_eq(driver_open("cuda", &driver, why, sizeof why), BATON_ERR_NO_DRIVER);
    ck_assert_ptr_null(driver);
    ck_assert_msg(strstr(why, part) != NULL, "\"%s\" does not say \"%s\"", why, part);
}

static void begin(void)
{
    compile_environment();
    unsetenv("BATON_DRIVER");
}

/* Whoever can write to the current directory would choose what runs. */
START_TEST(a_library_is_not_looked_for_from_the_current_directory)
{
    static const char *const relative[] = { "./fake_cuda.so", "fake/cuda.so", "../fake_cuda.so", "fake_cuda.so/" };
    for (size_t i = 0; i < sizeof relative / sizeof *relative; i++) {
        setenv("BATON_CUDA_LIBRARY", relative[i], 1);
        open_fails("BATON_CUDA_LIBRARY is neither a full path nor a plain name");
        open_fails(relative[i]);
    }
}
END_TEST

/* There is one that would open, and the program stands beside it. */
START_TEST(a_driver_in_the_current_directory_is_not_opened)
{
    char *path = strdup(getenv("BATON_CUDA_LIBRARY"));
    ck_assert_int_eq(access(path, R_OK), 0);
    *strrchr(path, '/') = '\0';
    ck_assert_int_eq(chdir(path), 0);
    free(path);
    setenv("BATON_CUDA_LIBRARY", "./fake_cuda.so", 1);
    open_fails("neither a full path nor a plain name");
    setenv("BATON_CUDA_LIBRARY", "fake_cuda.so", 1);
    open_fails("There is no CUDA driver: fake_cuda.so");
}
END_TEST

START_TEST(a_number_of_devices_that_cannot_be_is_no_driver)
{
    static const char *const counts[] = { "-1", "4097", "2147483647", "-2147483648" };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        setenv("FAKE_CUDA_DEVICES", counts[i], 1);
        open_fails("which cannot be");
        open_fails(counts[i]);
    }
}
END_TEST

#define ROW_SINCE(verb, symbol, version, parameters, arguments) { #symbol, version },
static const struct { const char *symbol; int since; } rows[] = { DRIVER_ROWS(ROW_SINCE) };

START_TEST(each_function_of_the_least_version_is_missed_by_name)
{
    char wanted[128];
    int missed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].since > 12000)
            continue;
        setenv("FAKE_CUDA_MISSING", rows[i].symbol, 1);
        snprintf(wanted, sizeof wanted, "has no %s for CUDA 12.0", rows[i].symbol);
        open_fails(wanted);
        missed++;
    }
    ck_assert_int_gt(missed, 60);
}
END_TEST

/* Whatever every function answers, opening a runtime and asking it ends with a sentence, and nothing is left behind (E1). */
START_TEST(a_driver_whose_every_call_fails_is_reported_and_let_go)
{
    static const char *const codes[] = { "1", "2", "3", "201", "700", "719", "999", "-1", "2147483647" };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        baton_runtime_options options = { .struct_size = sizeof options, .driver = "cuda" };
        baton_device_info info = { .struct_size = sizeof info };
        baton_stream *stream = NULL;
        baton_runtime *opened;
        unsetenv("FAKE_CUDA_RESULT");
        error = (baton_error)BATON_ERROR_INIT;
        ok(baton_runtime_open(&options, &opened, &error));
        setenv("FAKE_CUDA_RESULT", codes[i], 1);
        ck_assert_int_lt(baton_stream_create(opened, 0, 0, 0, &stream, &error), 0);
        ck_assert_ptr_null(stream);
        ck_assert_int_ne(error.message[0], 0);
        error = (baton_error)BATON_ERROR_INIT;
        ck_assert_int_lt(baton_device_info_read(opened, 0, &info, &error), 0);
        ck_assert_int_ne(error.message[0], 0);
        ok(baton_runtime_close(opened, &error));
    }
}
END_TEST

COMPILE_MAIN("driver_hostile", begin, compile_end, a_library_is_not_looked_for_from_the_current_directory, a_driver_in_the_current_directory_is_not_opened,
             a_number_of_devices_that_cannot_be_is_no_driver, each_function_of_the_least_version_is_missed_by_name,
             a_driver_whose_every_call_fails_is_reported_and_let_go)
