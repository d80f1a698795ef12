/* Modules from source. Driver and compiler are stand-ins: what the compiler is given comes back as names that a kernel may have. */
#include "compile_support.h"

static void says(const char *part)
{
    ck_assert_msg(strstr(error.message, part) != NULL, "\"%s\" does not say \"%s\"", error.message, part);
}

START_TEST(source_becomes_a_module_for_the_devices_architecture)
{
    ck_assert(compile_has("__global__ void saxpy()", NULL, "saxpy"));
    ck_assert(!compile_has("__global__ void saxpy()", NULL, "daxpy"));
    ck_assert(compile_has("a", NULL, "-arch=sm_90"));
    ck_assert(compile_has("a", NULL, "source.cu: a"));
}
END_TEST

START_TEST(options_name_and_headers_reach_the_compiler)
{
    baton_compile_options options = compile_options();
    options.name = "own.cu";
    options.options = (const char *const[]) { "-lineinfo", "-DN=4" };
    options.option_count = 2;
    options.headers = (const char *const[]) { "struct s;" };
    options.header_names = (const char *const[]) { "s.h" };
    options.header_count = 1;
    ck_assert(compile_has("a", &options, "own.cu: a"));
    ck_assert(compile_has("a", &options, "-lineinfo\n-DN=4\n-arch=sm_90"));
}
END_TEST

/* A cubin for a device that the compiler does not know is impossible, and PTX of the nearest older one runs there. */
START_TEST(a_device_newer_than_the_compiler_gets_the_newest_older_ptx)
{
    setenv("FAKE_CUDA_CAPABILITY", "103", 1);
    ck_assert(compile_has("a", NULL, ".version 8.0\n-arch=compute_90\n"));
    setenv("FAKE_CUDA_CAPABILITY", "86", 1);
    ck_assert(compile_has("a", NULL, ".version 8.0\n-arch=compute_80\n"));
    setenv("FAKE_CUDA_CAPABILITY", "80", 1);
    ck_assert(compile_has("a", NULL, "-arch=sm_80"));
    setenv("FAKE_CUDA_CAPABILITY", "61", 1);
    refused(BATON_ERR_UNSUPPORTED, compile_status("a", NULL));
    says("7.5 and newer, the device has 6.1");
}
END_TEST

START_TEST(an_architecture_of_ones_own_replaces_the_devices)
{
    baton_compile_options options = compile_options();
    const char *own[2] = { "-arch=sm_90a", NULL };
    options.options = own;
    options.option_count = 1;
    ck_assert(compile_has("a", &options, "-arch=sm_90a\nsource.cu"));
    own[0] = "--gpu-architecture=compute_80";
    ck_assert(!compile_has("a", &options, "-arch="));
    own[0] = "-arch";
    own[1] = "sm_80";
    options.option_count = 2;
    ck_assert(compile_has("a", &options, "-arch\nsm_80\nsource.cu"));
    options.option_count = 1;
    refused(BATON_ERR_ARGUMENT, compile_status("a", &options));
    own[0] = "-arch=lto_90";
    refused(BATON_ERR_ARGUMENT, compile_status("a", &options));
    says("'lto_90'");
    own[0] = "-architecture-of-nothing";                    /* another option: the compiler's business */
    ck_assert(compile_has("a", &options, "-arch=sm_90"));
}
END_TEST

START_TEST(wrong_source_is_an_error_with_the_first_line_and_the_whole_log)
{
    char log[16384];
    uint64_t needed = 0;
    baton_compile_options options = compile_options();
    options.log = log;
    options.log_bytes = sizeof log;
    options.log_needed = &needed;
    refused(BATON_ERR_COMPILE, compile_status("chatty #error", &options));
    ck_assert_str_eq(error.message, "source.cu(3): error: identifier \"y\" is undefined");
    ck_assert_uint_eq(strlen(log) + 1, needed);
    ck_assert_ptr_nonnull(strstr(log, "source.cu(99): warning"));
    ck_assert_ptr_nonnull(strstr(log, "1 error detected."));
}
END_TEST

START_TEST(a_log_that_is_too_long_is_cut_and_its_length_told)
{
    char whole[16384], log[100];
    uint64_t needed = 0;
    baton_compile_options options = compile_options();
    options.log = whole;
    options.log_bytes = sizeof whole;
    ok(compile_status("chatty", &options));
    memset(log, '?', sizeof log);
    options.log = log;
    options.log_bytes = 50;
    options.log_needed = &needed;
    ok(compile_status("chatty", &options));
    ck_assert_uint_eq(needed, strlen(whole) + 1);
    ck_assert_uint_eq(strlen(log), 49);
    ck_assert_int_eq(strncmp(log, whole, 49), 0);
    ck_assert_int_eq(log[50], '?');
    options.log = NULL;
    options.log_bytes = 0;
    needed = 0;
    ok(compile_status("chatty", &options));
    ck_assert_uint_eq(needed, strlen(whole) + 1);
}
END_TEST

/* Also where the compiler was not reached. */
START_TEST(without_a_log_the_text_is_empty)
{
    char log[8] = "before";
    uint64_t needed = 0;
    baton_compile_options options = compile_options();
    options.log = log;
    options.log_bytes = sizeof log;
    options.log_needed = &needed;
    ok(compile_status("a", &options));
    ck_assert_str_eq(log, "");
    ck_assert_uint_eq(needed, 1);
    strcpy(log, "before");
    setenv("FAKE_CUDA_CAPABILITY", "61", 1);
    refused(BATON_ERR_UNSUPPORTED, compile_status("a", &options));
    ck_assert_str_eq(log, "");
}
END_TEST

START_TEST(an_option_that_the_compiler_does_not_know_is_a_wrong_argument)
{
    baton_compile_options options = compile_options();
    options.options = (const char *const[]) { "-bad" };
    options.option_count = 1;
    refused(BATON_ERR_ARGUMENT, compile_status("a", &options));
    says("unrecognized option -bad found");
}
END_TEST

/* 0: the text ends within a character, or has a wrong byte. */
static int is_utf8(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        int more = *at < 0x80 ? 0 : *at >= 0xF0 ? 3 : *at >= 0xE0 ? 2 : *at >= 0xC0 ? 1 : -1;
        for (at++; more > 0; more--)
            if ((*at++ & 0xC0) != 0x80)
                return 0;
        if (more < 0)
            return 0;
    }
    return 1;
}

/* E1: the message is one sentence of UTF-8. */
START_TEST(a_message_that_is_too_long_is_cut_between_characters)
{
    static const char *const characters[] = { "x", "\u00e9", "\u20ac", "\U0001f600" };
    char option[600];
    const char *given = option;
    baton_compile_options options = compile_options();
    options.options = &given;
    options.option_count = 1;
    for (int i = 0; i < 4; i++)
        for (int shift = 0; shift < 4; shift++) {
            strcpy(option, "-bad   ");
            option[4 + shift] = 0;
            while (strlen(option) < 300)
                strcat(option, characters[i]);
            refused(BATON_ERR_ARGUMENT, compile_status("a", &options));
            ck_assert_msg(is_utf8(error.message) && strlen(error.message) >= sizeof error.message - 4, "%s", error.message);
        }
}
END_TEST

START_TEST(kernels_are_found_by_the_expressions_that_were_given)
{
    baton_compile_options options = compile_options();
    options.expressions = (const char *const[]) { "scale<float>", "shift<int>" };
    options.expression_count = 2;
    ck_assert(compile_has("a", &options, "scale<float>"));
    ck_assert(compile_has("a", &options, "shift<int>"));
    ck_assert(compile_has("a", &options, "_Zshift"));       /* the image's own name works too */
    ck_assert(!compile_has("a", &options, "scale<int>"));
    options.expressions = (const char *const[]) { "scale<float>", "nonsense<int>" };
    refused(BATON_ERR_ARGUMENT, compile_status("b", &options));
    says("NAME_EXPRESSION_NOT_VALID");
}
END_TEST

START_TEST(an_image_that_the_driver_refuses_tells_who_is_too_new)
{
    char log[200];
    baton_compile_options options = compile_options();
    options.log = log;
    options.log_bytes = sizeof log;
    refused(BATON_ERR_DRIVER, compile_status("refuse me", &options));
    ck_assert_int_eq(error.driver_code, DRIVER_INVALID_PTX);
    says("error   : no such thing");
    says("NVRTC 12.9 is newer than the driver (CUDA 12.0)");
    ck_assert_ptr_nonnull(strstr(log, "a first line\nptxas, line 7"));
    ck_assert_int_eq(cache_files(".baton"), 0);             /* and is not kept */
}
END_TEST

START_TEST(what_is_no_image_does_not_reach_the_driver)
{
    setenv("FAKE_NVRTC_DAMAGE", "1", 1);
    counting_start();
    refused(BATON_ERR_ARGUMENT, compile_status("a", NULL));
    says("neither cubin nor fatbin");
    ck_assert_uint_eq(calls(DRIVER_ROW_module_load_ex), 0);
}
END_TEST

START_TEST(a_missing_compiler_is_said)
{
    setenv("BATON_NVRTC_LIBRARY", "libnvrtc-of-nowhere.so", 1);
    refused(BATON_ERR_UNSUPPORTED, compile_status("a", NULL));
    says("libnvrtc-of-nowhere.so");
}
END_TEST

/* Of clusters and cooperative grids, an older device has neither. */
START_TEST(a_device_that_cannot_launch_so_is_unsupported)
{
    static const char ptx[] = ".version 8.0 kernel";
    baton_launch_options options = { .struct_size = sizeof options, .cluster = { 1 } };
    baton_module *module;
    baton_kernel *kernel;
    ok(baton_module_load(runtime, 0, ptx, sizeof ptx, &module, &error));
    ok(baton_module_kernel(module, "kernel", &kernel, &error));
    options.stream = make_stream();
    setenv("FAKE_CUDA_LACKS", "120", 1);
    refused(BATON_ERR_UNSUPPORTED, baton_launch(kernel, &options, NULL, 0, &error));
    says("clusters");
    setenv("FAKE_CUDA_LACKS", "95", 1);
    options.flags = BATON_LAUNCH_COOPERATIVE;
    refused(BATON_ERR_UNSUPPORTED, baton_launch(kernel, &options, NULL, 0, &error));
    says("cooperative grids");
    unsetenv("FAKE_CUDA_LACKS");
    ok(baton_launch(kernel, &options, NULL, 0, &error));
    baton_stream_release(options.stream);
    baton_kernel_release(kernel);
    baton_module_release(module);
}
END_TEST

START_TEST(the_software_device_points_to_host_functions)
{
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
    support_reopen(&(baton_runtime_options) { .struct_size = sizeof(baton_runtime_options), .driver = "soft" });
    refused(BATON_ERR_UNSUPPORTED, compile_status("a", NULL));
    says("baton_kernel_host");
    ck_assert_int_eq(compile_count(), 0);
}
END_TEST

/* E1 */
START_TEST(impossible_options_are_refused)
{
    const char *const strings[] = { "a", NULL };
    baton_module *module = NULL;
#define OPTIONS(status, ...)                                        \
    do {                                                            \
        baton_compile_options bad = compile_options();              \
        __VA_ARGS__;                                                \
        refused(status, compile_status("a", &bad));                 \
    } while (0)
    OPTIONS(BATON_ERR_VERSION, bad.flags = 2);
    OPTIONS(BATON_ERR_VERSION, bad.reserved[3] = 1);
    OPTIONS(BATON_ERR_VERSION, bad.reserved32 = 1);
    OPTIONS(BATON_ERR_VERSION, bad.struct_size = 8);
    OPTIONS(BATON_ERR_ARGUMENT, bad.option_count = 1);
    OPTIONS(BATON_ERR_ARGUMENT, bad.options = strings; bad.option_count = 2);
    OPTIONS(BATON_ERR_ARGUMENT, bad.options = strings; bad.option_count = UINT32_MAX);
    OPTIONS(BATON_ERR_ARGUMENT, bad.expressions = strings; bad.expression_count = 2);
    OPTIONS(BATON_ERR_ARGUMENT, bad.headers = strings; bad.header_count = 1);
    OPTIONS(BATON_ERR_ARGUMENT, bad.header_names = strings; bad.header_count = 1);
    OPTIONS(BATON_ERR_ARGUMENT, bad.log_bytes = 1);
    refused(BATON_ERR_ARGUMENT, baton_module_compile(runtime, 0, NULL, NULL, &module, &error));
    refused(BATON_ERR_ARGUMENT, baton_module_compile(runtime, 0, "a", NULL, NULL, &error));
    refused(BATON_ERR_DEVICE, baton_module_compile(runtime, 5, "a", NULL, &module, &error));
    ck_assert_int_eq(compile_count(), 0);
}
END_TEST

static void begin(void)
{
    instrument_enable(1);
    compile_begin();
}

COMPILE_MAIN("compile", begin, compile_end, source_becomes_a_module_for_the_devices_architecture, options_name_and_headers_reach_the_compiler,
             a_device_newer_than_the_compiler_gets_the_newest_older_ptx, an_architecture_of_ones_own_replaces_the_devices,
             wrong_source_is_an_error_with_the_first_line_and_the_whole_log, a_log_that_is_too_long_is_cut_and_its_length_told,
             without_a_log_the_text_is_empty, an_option_that_the_compiler_does_not_know_is_a_wrong_argument,
             a_message_that_is_too_long_is_cut_between_characters, kernels_are_found_by_the_expressions_that_were_given, an_image_that_the_driver_refuses_tells_who_is_too_new,
             what_is_no_image_does_not_reach_the_driver, a_missing_compiler_is_said, a_device_that_cannot_launch_so_is_unsupported,
             the_software_device_points_to_host_functions, impossible_options_are_refused)
