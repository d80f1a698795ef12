/* Which NVRTC is opened, what is said when there is none, and what becomes of its answers. */
#include <dlfcn.h>

#include "driver/nvrtc.h"

#include "compile_support.h"

static const struct nvrtc *nvrtc;
static struct bytes results[NVRTC_RESULTS];

static void says(const char *part)
{
    ck_assert_msg(strstr(error.message, part) != NULL, "\"%s\" does not say \"%s\"", error.message, part);
}

START_TEST(the_library_that_the_environment_names_is_opened)
{
    ok(nvrtc_open(13000, &nvrtc, &error));
    ck_assert_int_eq(nvrtc->major, 12);
    ck_assert_int_eq(nvrtc->minor, 9);
    ck_assert_int_eq(nvrtc->arch_number, 3);
    ck_assert_int_eq(nvrtc->arch_list[0], 75);              /* ascending, whatever the library's order */
    ck_assert_int_eq(nvrtc->arch_list[2], 90);
}
END_TEST

START_TEST(a_library_that_is_missing_is_named)
{
    setenv("BATON_NVRTC_LIBRARY", "libnvrtc-of-nowhere.so", 1);
    refused(BATON_ERR_UNSUPPORTED, nvrtc_open(13000, &nvrtc, &error));
    says("BATON_NVRTC_LIBRARY names libnvrtc-of-nowhere.so");
}
END_TEST

START_TEST(a_library_is_not_looked_for_from_the_current_directory)
{
    setenv("BATON_NVRTC_LIBRARY", "./libm.so.6", 1);
    refused(BATON_ERR_UNSUPPORTED, nvrtc_open(13000, &nvrtc, &error));
    says("BATON_NVRTC_LIBRARY is neither a full path nor a plain name: ./libm.so.6");
}
END_TEST

START_TEST(a_library_that_is_no_nvrtc_is_refused_by_what_it_lacks)
{
    setenv("BATON_NVRTC_LIBRARY", "libm.so.6", 1);
    refused(BATON_ERR_UNSUPPORTED, nvrtc_open(13000, &nvrtc, &error));
    says("has no nvrtcVersion");
}
END_TEST

START_TEST(a_library_that_does_not_answer_is_refused)
{
    setenv("FAKE_NVRTC_VERSION", "none", 1);
    refused(BATON_ERR_UNSUPPORTED, nvrtc_open(13000, &nvrtc, &error));
    says("does not tell");
    unsetenv("FAKE_NVRTC_VERSION");
    setenv("FAKE_NVRTC_ARCHS", "", 1);
    refused(BATON_ERR_UNSUPPORTED, nvrtc_open(13000, &nvrtc, &error));
    unsetenv("FAKE_NVRTC_ARCHS");
    ok(nvrtc_open(13000, &nvrtc, &error));                  /* it may be tried again */
}
END_TEST

/* A library that is in the process already is told by its soname; the stand-in has none of NVRTC's. What is found otherwise depends on the machine. */
START_TEST(without_a_name_a_library_is_found_or_all_places_are_told)
{
    unsetenv("BATON_NVRTC_LIBRARY");
    void *loaded = dlopen("libnvrtc.so.13", RTLD_LAZY | RTLD_LOCAL);
    if (!loaded)
        loaded = dlopen("libnvrtc.so.12", RTLD_LAZY | RTLD_LOCAL);
    error = (baton_error)BATON_ERROR_INIT;
    int32_t status = nvrtc_open(13000, &nvrtc, &error);
    if (loaded)
        ck_assert_int_eq(status, BATON_OK);
    ck_assert(status == BATON_OK || status == BATON_ERR_UNSUPPORTED);
    if (status)
        says("libnvrtc.so.13");
    if (status)
        says("BATON_NVRTC_LIBRARY may name one");
    if (loaded)
        dlclose(loaded);
}
END_TEST

static int32_t compile(const char *text, const char *architecture, int cubin)
{
    struct nvrtc_source source = { .text = text, .name = "a.cu", .architecture = architecture, .cubin = cubin };
    ok(nvrtc_open(13000, &nvrtc, &error));
    error = (baton_error)BATON_ERROR_INIT;
    return nvrtc_compile(nvrtc, &source, results, &error);
}

START_TEST(machine_code_or_ptx_comes_as_it_is_asked_for)
{
    ok(compile("source", "-arch=sm_90", 1));
    ck_assert_mem_eq(results[NVRTC_IMAGE].data, "\x7f" "ELF", 4);
    bytes_clear(&results[NVRTC_IMAGE]);
    ok(compile("source", "-arch=compute_90", 0));
    ck_assert_str_eq((const char *)results[NVRTC_IMAGE].data, ".version 8.0\n-arch=compute_90\na.cu: source");
}
END_TEST

START_TEST(the_wrong_kind_is_no_result)
{
    refused(BATON_ERR_COMPILE, compile("source", "-arch=compute_90", 1));
    says("made no cubin");
}
END_TEST

START_TEST(results_of_the_compiler_have_statuses_of_their_own)
{
    const struct {
        const char *result;
        int32_t status;
    } rows[] = { { "1", BATON_ERR_MEMORY }, { "3", BATON_ERR_ARGUMENT }, { "5", BATON_ERR_ARGUMENT }, { "6", BATON_ERR_COMPILE },
                 { "7", BATON_ERR_COMPILE }, { "11", BATON_ERR_COMPILE }, { "99", BATON_ERR_COMPILE } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("FAKE_NVRTC_RESULT", rows[i].result, 1);
        refused(rows[i].status, compile("source", "-arch=sm_90", 1));
        says("NVRTC_ERROR_");
        bytes_clear(&results[NVRTC_LOG]);
    }
}
END_TEST

START_TEST(the_first_error_of_a_log_is_found)
{
    const struct {
        const char *log, *line;
    } rows[] = { { "", "" },
                 { "\n\n", "" },
                 { "only a line", "only a line" },
                 { "\r\n\nfirst\nsecond", "first" },
                 { "a warning: error_count is unused\nx.cu(3): error: bad\nmore: error: worse", "x.cu(3): error: bad" },
                 { "note\nptxas, line 5; error   : Unknown symbol\n", "ptxas, line 5; error   : Unknown symbol" },
                 { "x.cu(1): error #20: odd\r\n", "x.cu(1): error #20: odd" },
                 { "no such word but error", "no such word but error" },
                 { "errorerror: twice", "errorerror: twice" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int length = -1;
        const char *line = nvrtc_first_error(rows[i].log, &length);
        ck_assert_int_eq(length, (int)strlen(rows[i].line));
        ck_assert_int_eq(strncmp(line, rows[i].line, (size_t)length), 0);
    }
}
END_TEST

static void end(void)
{
    for (int i = 0; i < NVRTC_RESULTS; i++)
        bytes_clear(&results[i]);
    compile_end();
}

COMPILE_MAIN("nvrtc", compile_environment, end, the_library_that_the_environment_names_is_opened, a_library_that_is_missing_is_named,
             a_library_is_not_looked_for_from_the_current_directory, a_library_that_is_no_nvrtc_is_refused_by_what_it_lacks, a_library_that_does_not_answer_is_refused,
             without_a_name_a_library_is_found_or_all_places_are_told, machine_code_or_ptx_comes_as_it_is_asked_for, the_wrong_kind_is_no_result,
             results_of_the_compiler_have_statuses_of_their_own, the_first_error_of_a_log_is_found)
