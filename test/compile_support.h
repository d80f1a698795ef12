/* For tests of compilation: a driver that does nothing (fake_cuda.c), a compiler that repeats what it is given (fake_nvrtc.c), and a cache folder of the test's
 * own. */
#ifndef BATON_TEST_COMPILE_SUPPORT_H
#define BATON_TEST_COMPILE_SUPPORT_H

#include "support.h"

/* The test's folder, without a trailing slash; in it the cache is CACHE. */
extern char folder[];
#define CACHE (compile_path("cache"))

/* Fixtures: environment and folder; with begin, also `runtime` on the stand-in for CUDA. */
void compile_folder(void);          /* only the folder and the cache in it */
void compile_environment(void);
void compile_begin(void);
void compile_end(void);

/* folder/name, in one of a few buffers that are used in turn. */
const char *compile_path(const char *name);

/* Compilations that have been run in this test, by any process. */
int compile_count(void);

/* Files in the cache with this suffix. */
int cache_files(const char *suffix);
/* The path of the only one; the test fails when there is none or more. */
const char *cache_file(void);

baton_compile_options compile_options(void);
/* What compiling returns; a module that is made is given back. */
int32_t compile_status(const char *source, const baton_compile_options *options);
/* Compiles, which must succeed, and says whether the compiler was run. */
int compile_ran(const char *source, const baton_compile_options *options);
/* Whether the module of this source has a kernel of the name. */
int compile_has(const char *source, const baton_compile_options *options, const char *name);

int compile_main(const char *name, const support_test *tests, size_t count, void (*begin)(void), void (*end)(void));
#define COMPILE_MAIN(name, begin, end, ...)                                                     \
    int main(void)                                                                              \
    {                                                                                           \
        const support_test tests[] = { __VA_ARGS__ };                                           \
        return compile_main(name, tests, sizeof tests / sizeof *tests, begin, end);             \
    }

#endif
