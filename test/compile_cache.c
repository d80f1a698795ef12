/* The cache of compiled modules: taken only for exactly the same question, and never a cause of failure. */
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile_support.h"

START_TEST(the_same_source_is_compiled_once)
{
    char log[16384] = "";
    baton_compile_options options = compile_options();
    options.log = log;
    options.log_bytes = sizeof log;
    ck_assert_int_eq(compile_ran("chatty kernel", &options), 1);
    log[0] = 0;
    ck_assert_int_eq(compile_ran("chatty kernel", &options), 0);
    ck_assert_ptr_nonnull(strstr(log, "source.cu(99): warning"));       /* the warnings come again */
    ck_assert(compile_has("chatty kernel", &options, "kernel"));
    ck_assert_int_eq(compile_count(), 1);
}
END_TEST

START_TEST(expressions_work_from_the_cache_too)
{
    baton_compile_options options = compile_options();
    options.expressions = (const char *const[]) { "scale<float>" };
    options.expression_count = 1;
    ck_assert(compile_has("a", &options, "scale<float>"));
    ck_assert(compile_has("a", &options, "scale<float>"));
    ck_assert_int_eq(compile_count(), 1);
}
END_TEST

/* Each in a run of its own: driver and compiler are asked once per process. */
static void in_a_child(void (*body)(void))
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (!child) {
        support_reopen(&(baton_runtime_options) { .struct_size = sizeof(baton_runtime_options), .driver = "cuda" });
        body();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

static void compile_a(void)
{
    ok(compile_status("a", NULL));
}

START_TEST(another_driver_compiler_or_architecture_is_another_question)
{
    in_a_child(compile_a);
    in_a_child(compile_a);
    ck_assert_int_eq(compile_count(), 1);
    setenv("FAKE_CUDA_VERSION", "12080", 1);
    in_a_child(compile_a);
    ck_assert_int_eq(compile_count(), 2);
    setenv("FAKE_NVRTC_VERSION", "12.8", 1);
    in_a_child(compile_a);
    ck_assert_int_eq(compile_count(), 3);
    setenv("FAKE_CUDA_CAPABILITY", "80", 1);
    in_a_child(compile_a);
    ck_assert_int_eq(compile_count(), 4);
    in_a_child(compile_a);
    ck_assert_int_eq(compile_count(), 4);
}
END_TEST

START_TEST(whatever_the_result_depends_on_is_part_of_the_question)
{
    const char *const one[] = { "-DA", "-DB" }, *const other[] = { "-DA-DB" }, *const header[] = { "int a;" }, *const text[] = { "int b;" };
    baton_compile_options plain = compile_options();
    ck_assert_int_eq(compile_ran("a", NULL), 1);
    ck_assert_int_eq(compile_ran("a", &plain), 0);
    ck_assert_int_eq(compile_ran("b", &plain), 1);
#define ANOTHER(...)                                        \
    do {                                                    \
        baton_compile_options options = plain;              \
        __VA_ARGS__;                                        \
        ck_assert_int_eq(compile_ran("a", &options), 1);    \
        ck_assert_int_eq(compile_ran("a", &options), 0);    \
    } while (0)
    ANOTHER(options.name = "b");
    ANOTHER(options.options = one; options.option_count = 1);
    ANOTHER(options.options = one; options.option_count = 2);
    ANOTHER(options.options = other; options.option_count = 1);
    ANOTHER(options.expressions = one; options.expression_count = 1);
    ANOTHER(options.headers = header; options.header_names = one; options.header_count = 1);
    ANOTHER(options.headers = text; options.header_names = one; options.header_count = 1);
    ANOTHER(options.headers = text; options.header_names = other; options.header_count = 1);
    ANOTHER(options.tag = "");
    ANOTHER(options.tag = "1");
}
END_TEST

/* What stands in files may change without notice. */
START_TEST(sources_that_read_files_are_not_kept)
{
    static const char *const reading[] = {
        "#include <a.h>", "#include \"a.h\"", " # include<a.h>", "#/* */include <a.h>", "#\\\ninclude <a.h>", "#incl\\\nude <a.h>", "#include NAME",
        "%:include <a.h>", "?\?=include <a.h>", "#include_next <a.h>", "#import <a.h>", "#embed \"a\"", "#if __has_include(<a.h>)", "#define A\n#include <b.h>"
    };
    static const char *const harmless[] = { "#define include", "// include <a.h>", "#pragma once", "a % b ? c : d", "#", "include <a.h>", "#includes", "#ifdef embed" };
    for (size_t i = 0; i < sizeof reading / sizeof *reading; i++) {
        ck_assert_msg(compile_ran(reading[i], NULL) && compile_ran(reading[i], NULL), "%s", reading[i]);
        ck_assert_int_eq(cache_files(".baton"), 0);
    }
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        ck_assert_msg(compile_ran(harmless[i], NULL) && !compile_ran(harmless[i], NULL), "%s", harmless[i]);
}
END_TEST

START_TEST(options_that_read_files_are_not_kept)
{
    static const char *const reading[] = { "-include=a.h", "--pre-include=a.h", "-include", "--options-file=x", "-optf", "-pch", "--use-pch=a", "--create-pch=b", "@x" };
    baton_compile_options options = compile_options();
    options.option_count = 1;
    for (size_t i = 0; i < sizeof reading / sizeof *reading; i++) {
        options.options = &reading[i];
        ck_assert_msg(compile_ran("a", &options) && compile_ran("a", &options), "%s", reading[i]);
    }
    options.options = (const char *const[]) { "-I/anywhere/pch" };      /* nothing is included from there */
    ck_assert(compile_ran("a", &options) && !compile_ran("a", &options));
}
END_TEST

START_TEST(given_headers_or_a_tag_make_includes_known)
{
    baton_compile_options options = compile_options();
    const char *headers[] = { "int a;" };
    options.headers = headers;
    options.header_names = (const char *const[]) { "a.h" };
    options.header_count = 1;
    ck_assert_int_eq(compile_ran("#include <a.h>", &options), 1);
    ck_assert_int_eq(compile_ran("#include <a.h>", &options), 0);
    ck_assert_int_eq(compile_ran("#include \"a.h\" /* */", &options), 1);
    ck_assert_int_eq(compile_ran("#include \"a.h\" /* */", &options), 0);
    ck_assert(compile_ran("#include <aa.h>", &options) && compile_ran("#include <aa.h>", &options));
    headers[0] = "#include <b.h>";
    ck_assert(compile_ran("#include <a.h>", &options) && compile_ran("#include <a.h>", &options));
    options.tag = "digest of b.h";
    ck_assert_int_eq(compile_ran("#include <a.h>", &options), 1);
    ck_assert_int_eq(compile_ran("#include <a.h>", &options), 0);
}
END_TEST

START_TEST(the_cache_can_be_left_out_or_put_elsewhere)
{
    baton_compile_options options = compile_options();
    ck_assert_int_eq(compile_ran("a", &options), 1);
    options.flags = BATON_COMPILE_NO_CACHE;
    ck_assert_int_eq(compile_ran("a", &options), 1);
    ck_assert_int_eq(compile_ran("b", &options), 1);
    options.flags = 0;
    ck_assert_int_eq(compile_ran("b", &options), 1);
    options.cache = compile_path("other");
    ck_assert_int_eq(compile_ran("a", &options), 1);
    ck_assert_int_eq(compile_ran("a", &options), 0);
    ck_assert_int_eq(access(compile_path("other"), R_OK), 0);
}
END_TEST

START_TEST(a_cache_that_cannot_be_written_is_no_error)
{
    baton_compile_options options = compile_options();
    options.cache = "/proc/no/such/place";
    ck_assert_int_eq(compile_ran("a", &options), 1);
    ck_assert_int_eq(compile_ran("a", &options), 1);
    unsetenv("BATON_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    ck_assert_int_eq(compile_ran("b", NULL), 1);
    ck_assert_int_eq(compile_ran("b", NULL), 1);
}
END_TEST

START_TEST(a_damaged_result_is_made_again)
{
    ck_assert_int_eq(compile_ran("a", NULL), 1);
    ck_assert_int_eq(truncate(cache_file(), 100), 0);
    ck_assert_int_eq(compile_ran("a", NULL), 1);
    ck_assert_int_eq(compile_ran("a", NULL), 0);
}
END_TEST

/* The driver's opinion of an image may change where its version does not. */
START_TEST(a_result_that_no_longer_loads_is_made_again)
{
    ck_assert_int_eq(compile_ran("a", NULL), 1);
    instrument_fail(DRIVER_ROW_module_load_ex, 1, DRIVER_INVALID_IMAGE, 0);
    ck_assert_int_eq(compile_ran("a", NULL), 1);
    ck_assert_int_eq(compile_ran("a", NULL), 0);
    instrument_fail(DRIVER_ROW_module_load_ex, 1, DRIVER_INVALID_IMAGE, 1);
    refused(BATON_ERR_DRIVER, compile_status("a", NULL));
    instrument_reset();
}
END_TEST

START_TEST(the_cache_stays_within_its_bound)
{
    baton_compile_options options = compile_options();
    struct stat status;
    char source[16];
    ok(compile_status("source 0", &options));
    ck_assert_int_eq(stat(cache_file(), &status), 0);
    options.cache_bytes = 4 * (uint64_t)status.st_size + 10;
    for (int i = 1; i < 10; i++) {
        snprintf(source, sizeof source, "source %d", i);
        ok(compile_status(source, &options));
        ck_assert_int_le(cache_files(".baton"), 4);
    }
    ck_assert_int_eq(cache_files(".baton"), 4);
    ck_assert_int_eq(compile_ran(source, &options), 0);     /* the newest is among them */
}
END_TEST

START_TEST(what_failed_is_not_kept)
{
    refused(BATON_ERR_COMPILE, compile_status("#error", NULL));
    refused(BATON_ERR_COMPILE, compile_status("#error", NULL));
    ck_assert_int_eq(compile_count(), 2);
    ck_assert_int_eq(cache_files(".baton"), 0);
}
END_TEST

static void *compile_often(void *unused)
{
    static const char *const sources[] = { "kernel one", "kernel two", "kernel three" }, *const names[] = { "one", "two", "three" };
    (void)unused;
    for (int i = 0; i < 60; i++)
        ck_assert(compile_has(sources[i % 3], NULL, names[i % 3]));
    return NULL;
}

static void compile_on_threads(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, compile_often, NULL), 0);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}

/* At first all of them compile; afterwards nobody does. */
START_TEST(threads_and_processes_compile_the_same_source)
{
    pid_t children[3];
    int status;
    for (int i = 0; i < 3; i++) {
        fflush(NULL);
        children[i] = fork();
        ck_assert_int_ge(children[i], 0);
        if (!children[i]) {
            support_reopen(&(baton_runtime_options) { .struct_size = sizeof(baton_runtime_options), .driver = "cuda" });
            compile_on_threads();
            _exit(0);
        }
    }
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_int_ge(compile_count(), 3);
    ck_assert_int_le(compile_count(), 3 * 3 * 4);
    ck_assert_int_eq(cache_files(".baton"), 3);
    ck_assert_int_eq(cache_files(".part"), 0);
}
END_TEST

/* Tests that fork open the runtime in the children: a driver does not survive a fork. */
static void begin(void)
{
    instrument_enable(1);
    compile_begin();
}


int main(void)
{
    const support_test alone[] = {
        the_same_source_is_compiled_once, expressions_work_from_the_cache_too, whatever_the_result_depends_on_is_part_of_the_question,
        sources_that_read_files_are_not_kept, options_that_read_files_are_not_kept, given_headers_or_a_tag_make_includes_known,
        the_cache_can_be_left_out_or_put_elsewhere, a_cache_that_cannot_be_written_is_no_error, a_damaged_result_is_made_again,
        a_result_that_no_longer_loads_is_made_again, the_cache_stays_within_its_bound, what_failed_is_not_kept
    };
    const support_test together[] = { another_driver_compiler_or_architecture_is_another_question, threads_and_processes_compile_the_same_source };
    int failed = compile_main("compile cache", alone, sizeof alone / sizeof *alone, begin, compile_end);
    return compile_main("compile cache: processes", together, sizeof together / sizeof *together, compile_environment, compile_end) || failed;
}
