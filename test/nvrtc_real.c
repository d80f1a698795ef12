/* Against the real NVRTC, where one is found (BATON_NVRTC_LIBRARY, the loader, the toolkit); else skipped. Needs no GPU: the driver is a stand-in. */
#include <stdio.h>
#include <stdlib.h>

#include "driver/nvrtc.h"
#include "work/image.h"

#include "compile_support.h"

static const char saxpy[] =
    "extern \"C\" __global__ void saxpy(float a, const float *x, float *y, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        y[i] += a * x[i];\n"
    "}\n"
    "template <class T> __global__ void scale(T *x, T by) { x[threadIdx.x] *= by; }\n";

static const struct nvrtc *nvrtc;
static struct bytes results[NVRTC_RESULTS];

static int32_t compile(const char *text, const char *architecture)
{
    static const char *const expressions[] = { "scale<float>", "scale<int>" };
    struct nvrtc_source source = { .text = text, .name = "test.cu", .architecture = architecture, .cubin = !strncmp(architecture, "-arch=sm_", 9) };
    if (text == saxpy) {
        source.expressions = expressions;
        source.expression_count = 2;
    }
    ok(nvrtc_open(13000, &nvrtc, &error));
    error = (baton_error)BATON_ERROR_INIT;
    return nvrtc_compile(nvrtc, &source, results, &error);
}

static enum image_kind kind_of(const struct bytes *image)
{
    enum image_kind kind = 0;
    ok(image_check(image->data, image->count, &kind, &error));
    return kind;
}

static int contains(const struct bytes *bytes, const char *text)
{
    return memmem(bytes->data, bytes->count, text, strlen(text)) != NULL;
}

START_TEST(source_becomes_machine_code_with_its_kernels)
{
    ok(compile(saxpy, "-arch=sm_90"));
    ck_assert_int_eq(kind_of(&results[NVRTC_IMAGE]), IMAGE_CUBIN);
    ck_assert(contains(&results[NVRTC_IMAGE], "saxpy"));
    ck_assert_str_eq((const char *)results[NVRTC_NAMES].data, "_Z5scaleIfEvPT_S0_");
    ck_assert(contains(&results[NVRTC_NAMES], "_Z5scaleIiEvPT_S0_"));
    ck_assert(contains(&results[NVRTC_IMAGE], "_Z5scaleIfEvPT_S0_"));
}
END_TEST

START_TEST(source_becomes_ptx)
{
    ok(compile(saxpy, "-arch=compute_90"));
    ck_assert_int_eq(kind_of(&results[NVRTC_IMAGE]), IMAGE_PTX);
    ck_assert(contains(&results[NVRTC_IMAGE], ".visible .entry saxpy"));
    ck_assert(contains(&results[NVRTC_IMAGE], ".target sm_90"));
}
END_TEST

START_TEST(every_cut_of_a_real_image_is_refused)
{
    static const char *const architectures[] = { "-arch=sm_90", "-arch=compute_90" };
    for (int i = 0; i < 2; i++) {
        enum image_kind kind;
        bytes_clear(&results[NVRTC_IMAGE]);
        bytes_clear(&results[NVRTC_NAMES]);
        ok(compile(saxpy, architectures[i]));
        ck_assert_uint_gt(results[NVRTC_IMAGE].count, 500);
        for (size_t bytes = 0; bytes < results[NVRTC_IMAGE].count; bytes++)
            ck_assert_msg(image_check(results[NVRTC_IMAGE].data, bytes, &kind, NULL) == BATON_ERR_ARGUMENT, "%s: %zu bytes", architectures[i], bytes);
    }
}
END_TEST

START_TEST(real_errors_are_told_by_their_first_line)
{
    refused(BATON_ERR_COMPILE, compile("__global__ void f(int *x)\n{\n    int error_count;\n    *x = y;\n}\n", "-arch=sm_90"));
    ck_assert_str_eq(error.message, "test.cu(4): error: identifier \"y\" is undefined");
    ck_assert(contains(&results[NVRTC_LOG], "1 error detected"));
    bytes_clear(&results[NVRTC_LOG]);
    refused(BATON_ERR_ARGUMENT, compile("", "-arch=sm_1"));
    ck_assert_msg(strstr(error.message, "--gpu-architecture") != NULL, "%s", error.message);
    bytes_clear(&results[NVRTC_LOG]);
    refused(BATON_ERR_COMPILE, compile("#include <no_such_file.h>", "-arch=sm_90"));
    ck_assert_msg(strstr(error.message, "no_such_file.h") != NULL, "%s", error.message);
}
END_TEST

/* A hit is known by the reading of its file, as nobody counts what the real compiler does. */
START_TEST(a_real_module_comes_from_the_cache_the_second_time)
{
    baton_compile_options options = compile_options();
    options.expressions = (const char *const[]) { "scale<double>" };
    options.expression_count = 1;
    support_reopen(&(baton_runtime_options) { .struct_size = sizeof(baton_runtime_options), .driver = "cuda" });
    ok(compile_status(saxpy, &options));
    const char *path = cache_file();
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    fseek(file, 0, SEEK_END);
    ck_assert_int_gt(ftell(file), (long)sizeof saxpy);
    fclose(file);
    ok(compile_status(saxpy, &options));
    ck_assert_int_eq(cache_files(".baton"), 1);
}
END_TEST

static void begin(void)
{
    const char *named = getenv("TEST_NVRTC_LIBRARY");
    compile_environment();
    if (named)
        setenv("BATON_NVRTC_LIBRARY", named, 1);
    else
        unsetenv("BATON_NVRTC_LIBRARY");
}

static void end(void)
{
    for (int i = 0; i < NVRTC_RESULTS; i++)
        bytes_clear(&results[i]);
    compile_end();
}

int main(void)
{
    const support_test tests[] = { source_becomes_machine_code_with_its_kernels, source_becomes_ptx, every_cut_of_a_real_image_is_refused,
                                   real_errors_are_told_by_their_first_line, a_real_module_comes_from_the_cache_the_second_time };
    const char *own = getenv("BATON_NVRTC_LIBRARY");
    if (own)
        setenv("TEST_NVRTC_LIBRARY", own, 1);
    error = (baton_error)BATON_ERROR_INIT;
    if (nvrtc_open(13000, &nvrtc, &error)) {
        printf("skipped: nvrtc_real: all: %s\n", error.message);
        return NEEDS_SKIPPED;
    }
    return compile_main("nvrtc: the real one", tests, sizeof tests / sizeof *tests, begin, end);
}
