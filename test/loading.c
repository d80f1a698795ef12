/* The library as a host program meets it that loads it by name: opened, used and closed again and again, by threads that live longer, and twice in one process. This
 * program itself is not linked with it. */
#include <check.h>
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "baton.h"

enum { PATH_BYTES = 1024, ROUNDS = 1000, ROUNDS_CUDA = 8 };     /* a context of CUDA takes seconds */

/* The functions that are used here. */
#define FUNCTIONS(F)                                                                                                                \
    F(process_copies) F(runtime_open) F(runtime_close) F(stream_create) F(stream_release) F(array_create) F(array_release) F(fill)   \
    F(download) F(stream_fence) F(fence_descriptor) F(fence_wait) F(fence_release)

struct library {
    void *handle;
#define MEMBER(name) __typeof__(baton_##name) *name;
    FUNCTIONS(MEMBER)
};

static char path[PATH_BYTES];

static void find_library(void)
{
    const char *build = getenv("top_builddir");
    snprintf(path, sizeof path, "%s/.libs/libbaton.so", build ? build : ".");
    if (access(path, R_OK) != 0)
        snprintf(path, sizeof path, "%s/libbaton.so", build ? build : ".");
}

static struct library load(const char *file, int how)
{
    struct library library = { .handle = dlopen(file, RTLD_NOW | how) };
    ck_assert_msg(library.handle != NULL, "%s", dlerror());
#define FIND(name)                                                      \
    void *symbol_##name = dlsym(library.handle, "baton_" #name);        \
    ck_assert_ptr_nonnull(symbol_##name);                               \
    memcpy(&library.name, &symbol_##name, sizeof symbol_##name);
    FUNCTIONS(FIND)
    return library;
}

/* A bit of everything that has threads, descriptors or data of a thread behind it. */
static int32_t use(const struct library *library)
{
    const char *driver = getenv("BATON_DRIVER");
    int64_t elements = 16;
    int32_t host[16], value = 5, descriptor;
    baton_runtime_options open = { .struct_size = sizeof open, .driver = driver && *driver ? driver : "soft:2" };
    baton_array_options make = { .struct_size = sizeof make, .dtype = BATON_I32, .ndim = 1, .shape = &elements };
    baton_runtime *runtime;
    baton_array *array;
    baton_stream *stream;
    baton_fence *fence;
    int32_t status = library->runtime_open(&open, &runtime, NULL);
    if (status || (status = library->stream_create(runtime, 0, 0, 0, &stream, NULL)) || (status = library->array_create(runtime, &make, &array, NULL)) ||
        (status = library->fill(array, &value, sizeof value, stream, NULL)) || (status = library->stream_fence(stream, &fence, NULL)) ||
        (status = library->fence_descriptor(fence, &descriptor, NULL)) || (status = library->download(host, sizeof host, array, stream, NULL)) ||
        (status = library->fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_AUTO, NULL)))
        return status;
    library->fence_release(fence);
    library->array_release(array);
    library->stream_release(stream);
    status = library->runtime_close(runtime, NULL);
    return status ? status : host[15] != value;
}

/* ---- again and again */

/* A thread that uses the library, and ends after it was closed. */
struct visitor {
    pthread_t thread;
    pthread_barrier_t used, closed;
    struct library library;
    int32_t status;
};

static void *visit(void *argument)
{
    struct visitor *visitor = argument;
    visitor->status = use(&visitor->library);
    pthread_barrier_wait(&visitor->used);
    pthread_barrier_wait(&visitor->closed);
    return NULL;
}

static void round_once(void)
{
    struct visitor visitor = { .library = load(path, RTLD_LOCAL) };
    pthread_barrier_init(&visitor.used, NULL, 2);
    pthread_barrier_init(&visitor.closed, NULL, 2);
    ck_assert_int_eq(pthread_create(&visitor.thread, NULL, visit, &visitor), 0);
    pthread_barrier_wait(&visitor.used);
    ck_assert_int_eq(visitor.status, BATON_OK);
    ck_assert_int_eq(dlclose(visitor.library.handle), 0);
    pthread_barrier_wait(&visitor.closed);
    ck_assert_int_eq(pthread_join(visitor.thread, NULL), 0);
    pthread_barrier_destroy(&visitor.used);
    pthread_barrier_destroy(&visitor.closed);
}

static int entries(const char *directory)
{
    int count = 0;
    DIR *opened = opendir(directory);
    ck_assert_ptr_nonnull(opened);
    while (readdir(opened))
        count++;
    closedir(opened);
    return count;
}

static int objects(void)
{
    char line[PATH_BYTES];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    ck_assert_ptr_nonnull(maps);
    while (fgets(line, sizeof line, maps))
        count += strstr(line, "libbaton") != NULL;
    fclose(maps);
    return count;
}

/* Nothing is left of a round: no descriptor, no thread, no second mapping. Closing never unmaps what a thread may still need. */
START_TEST(it_can_be_loaded_used_and_closed_a_thousand_times)
{
    const char *driver = getenv("BATON_DRIVER");
    int rounds = driver && !strcmp(driver, "cuda") ? ROUNDS_CUDA : ROUNDS, warm = rounds / 4 < 20 ? rounds / 4 : 20;
    for (int i = 0; i < warm; i++)
        round_once();
    int descriptors = entries("/proc/self/fd"), mapped = objects();
    for (int i = warm; i < rounds; i++)
        round_once();
    ck_assert_int_eq(entries("/proc/self/fd"), descriptors);
    ck_assert_int_eq(objects(), mapped);
    ck_assert_int_gt(mapped, 0);
}
END_TEST

static void exit_after_closing(void)
{
    struct library library = load(path, RTLD_LOCAL);
    int32_t status = use(&library);
    dlclose(library.handle);
    exit(status);
}

/* The process ends after the library was closed. */
START_TEST(a_process_ends_after_the_library_was_closed)
{
    int status;
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        exit_after_closing();
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}
END_TEST

/* ---- twice at the same time */

static void copy_file(const char *from, const char *to)
{
    char buffer[65536];
    size_t got;
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    ck_assert(in && out);
    while ((got = fread(buffer, 1, sizeof buffer, in)) > 0)
        ck_assert_uint_eq(fwrite(buffer, 1, got, out), got);
    fclose(in);
    ck_assert_int_eq(fclose(out), 0);
}

static void second_path(char *second, char *folder)
{
    const char *where = getenv("TMPDIR");
    snprintf(folder, PATH_BYTES / 2, "%s/baton-loading.XXXXXX", where ? where : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(second, PATH_BYTES, "%s/another.so", folder);
    copy_file(path, second);
}

/* Each copy counts them all, also those that were loaded for nobody else to see, and under another name; one that is opened twice is one. */
START_TEST(copies_of_the_library_in_one_process_are_counted)
{
    char folder[PATH_BYTES / 2], second[PATH_BYTES];
    struct library first = load(path, RTLD_LOCAL), again = load(path, RTLD_GLOBAL);
    ck_assert_int_eq(first.process_copies(), 1);
    second_path(second, folder);
    struct library other = load(second, RTLD_LOCAL);
    unlink(second);
    rmdir(folder);
    ck_assert(first.process_copies != other.process_copies);
    ck_assert_int_eq(first.process_copies(), 2);
    ck_assert_int_eq(other.process_copies(), 2);
    ck_assert_int_eq(use(&first), BATON_OK);
    ck_assert_int_eq(use(&other), BATON_OK);
    dlclose(again.handle);
    ck_assert_int_eq(other.process_copies(), 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("loading");
    TCase *group = tcase_create("loading");
    find_library();
    tcase_set_timeout(group, 120);
    tcase_add_test(group, it_can_be_loaded_used_and_closed_a_thousand_times);
    tcase_add_test(group, a_process_ends_after_the_library_was_closed);
    tcase_add_test(group, copies_of_the_library_in_one_process_are_counted);
    suite_add_tcase(suite, group);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
