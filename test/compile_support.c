#include "compile_support.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATHS = 8, PATH_BYTES = 1024 };

char folder[PATH_BYTES - 256];

const char *compile_path(const char *name)
{
    static char paths[PATHS][PATH_BYTES];
    static int next;
    char *path = paths[next++ % PATHS];
    snprintf(path, PATH_BYTES, "%s/%.200s", folder, name);
    return path;
}

static void name_module(const char *variable, const char *module)
{
    char path[PATH_BYTES];
    const char *build = getenv("top_builddir");
    char *real = realpath(build ? build : ".", NULL);
    snprintf(path, sizeof path, "%s/test/.libs/%s.so", real ? real : ".", module);
    free(real);
    setenv(variable, path, 1);
}

void compile_folder(void)
{
    const char *where = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/baton-compile.XXXXXX", where ? where : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("BATON_CACHE_DIR", CACHE, 1);
}

void compile_environment(void)
{
    compile_folder();
    name_module("BATON_CUDA_LIBRARY", "fake_cuda");
    name_module("BATON_NVRTC_LIBRARY", "fake_nvrtc");
    setenv("FAKE_NVRTC_COUNT", compile_path("count"), 1);
    error = (baton_error)BATON_ERROR_INIT;
}

void compile_begin(void)
{
    compile_environment();
    support_reopen(&(baton_runtime_options) { .struct_size = sizeof(baton_runtime_options), .driver = "cuda" });
}

static void remove_all(const char *path)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    char inner[PATH_BYTES];
    while (directory && (entry = readdir(directory))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (unlink(inner))
            remove_all(inner);
    }
    if (directory)
        closedir(directory);
    rmdir(path);
}

void compile_end(void)
{
    if (runtime)
        ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
    remove_all(folder);
}

int compile_count(void)
{
    struct stat status;
    return stat(compile_path("count"), &status) ? 0 : (int)status.st_size;
}

static int look(const char *suffix, char *last)
{
    DIR *directory = opendir(CACHE);
    struct dirent *entry;
    int count = 0;
    while (directory && (entry = readdir(directory))) {
        size_t length = strlen(entry->d_name), end = strlen(suffix);
        if (length < end || strcmp(entry->d_name + length - end, suffix) || entry->d_name[0] == 0)
            continue;
        if (last)
            snprintf(last, PATH_BYTES, "cache/%s", entry->d_name);
        count++;
    }
    if (directory)
        closedir(directory);
    return count;
}

int cache_files(const char *suffix)
{
    return look(suffix, NULL);
}

const char *cache_file(void)
{
    char last[PATH_BYTES];
    ck_assert_int_eq(look(".baton", last), 1);
    return compile_path(last);
}

baton_compile_options compile_options(void)
{
    return (baton_compile_options) { .struct_size = sizeof(baton_compile_options) };
}

int32_t compile_status(const char *source, const baton_compile_options *options)
{
    baton_module *module;
    error = (baton_error)BATON_ERROR_INIT;
    int32_t status = baton_module_compile(runtime, 0, source, options, &module, &error);
    if (!status)
        baton_module_release(module);
    return status;
}

int compile_ran(const char *source, const baton_compile_options *options)
{
    int before = compile_count();
    ok(compile_status(source, options));
    return compile_count() - before;
}

int compile_has(const char *source, const baton_compile_options *options, const char *name)
{
    baton_module *module;
    baton_kernel *kernel;
    ok(baton_module_compile(runtime, 0, source, options, &module, &error));
    int32_t status = baton_module_kernel(module, name, &kernel, &error);
    if (!status)
        baton_kernel_release(kernel);
    baton_module_release(module);
    return status == BATON_OK;
}

int compile_main(const char *name, const support_test *tests, size_t count, void (*begin)(void), void (*end)(void))
{
    Suite *suite = suite_create(name);
    TCase *group = tcase_create(name);
    tcase_add_checked_fixture(group, begin, end);
    tcase_set_timeout(group, 120);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(group, tests[i]);
    suite_add_tcase(suite, group);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
