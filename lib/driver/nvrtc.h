/* NVRTC, the CUDA C++ compiler: opened at run time, when it is first needed, and never closed.
 *
 * Which library: the one that BATON_NVRTC_LIBRARY names; else one that the process has loaded already; else what the
 * dynamic loader finds; else the one in the CUDA toolkit's usual place. Of several the newest that is not newer than the
 * driver, since a driver need not understand what a later major version makes. */
#ifndef BATON_DRIVER_NVRTC_H
#define BATON_DRIVER_NVRTC_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"

typedef struct nvrtc_handle *nvrtc_program;

/* ROW(verb, symbol, (parameters)): all return a result code, 0 for success. */
#define NVRTC_ROWS(ROW)                                                                                               \
    ROW(version, nvrtcVersion, (int *major, int *minor))                                                              \
    ROW(arch_count, nvrtcGetNumSupportedArchs, (int *count))                                                          \
    ROW(archs, nvrtcGetSupportedArchs, (int *archs))                                                                  \
    ROW(create, nvrtcCreateProgram,                                                                                   \
        (nvrtc_program *program, const char *source, const char *name, int count, const char *const *headers,         \
         const char *const *header_names))                                                                            \
    ROW(destroy, nvrtcDestroyProgram, (nvrtc_program *program))                                                       \
    ROW(add_expression, nvrtcAddNameExpression, (nvrtc_program program, const char *expression))                      \
    ROW(compile, nvrtcCompileProgram, (nvrtc_program program, int count, const char *const *options))                 \
    ROW(log_size, nvrtcGetProgramLogSize, (nvrtc_program program, size_t *bytes))                                     \
    ROW(log, nvrtcGetProgramLog, (nvrtc_program program, char *log))                                                  \
    ROW(cubin_size, nvrtcGetCUBINSize, (nvrtc_program program, size_t *bytes))                                        \
    ROW(cubin, nvrtcGetCUBIN, (nvrtc_program program, char *cubin))                                                   \
    ROW(ptx_size, nvrtcGetPTXSize, (nvrtc_program program, size_t *bytes))                                            \
    ROW(ptx, nvrtcGetPTX, (nvrtc_program program, char *ptx))                                                         \
    ROW(lowered_name, nvrtcGetLoweredName, (nvrtc_program program, const char *expression, const char **lowered))

/* Result codes that are told apart. */
enum {
    NVRTC_SUCCESS = 0, NVRTC_OUT_OF_MEMORY = 1, NVRTC_INVALID_INPUT = 3, NVRTC_INVALID_OPTION = 5, NVRTC_COMPILATION = 6,
    NVRTC_NAME_EXPRESSION_NOT_VALID = 10
};

enum { NVRTC_MOST_ARCHS = 64 };

struct nvrtc {
#define NVRTC_MEMBER(verb, symbol, parameters) int (*verb) parameters;
    NVRTC_ROWS(NVRTC_MEMBER)
#undef NVRTC_MEMBER
    const char *(*error_text)(int code);
    int major, minor;
    int arch_number;
    int arch_list[NVRTC_MOST_ARCHS];    /* ascending: 90 for compute capability 9.0 */
};

/* Any thread; blocks on the dynamic loader. driver_version: 1000 * major + 10 * minor. BATON_ERR_UNSUPPORTED, with what was
 * tried; a later call tries again. */
int32_t nvrtc_open(int driver_version, const struct nvrtc **nvrtc, baton_error *err);

/* What to compile: borrowed. */
struct nvrtc_source {
    const char *text, *name;
    const char *architecture;                   /* one more option; NULL: the options have it */
    const char *const *options, *const *expressions, *const *headers, *const *header_names;
    uint32_t option_count, expression_count, header_count;
    int cubin;                                  /* 0: PTX */
};

/* What came of it: each is cleared by its owner. */
enum { NVRTC_IMAGE, NVRTC_LOG, NVRTC_NAMES, NVRTC_RESULTS };

/* results[NVRTC_IMAGE] becomes the image; NVRTC_LOG the log as terminated text, also on failure (empty when there is none);
 * NVRTC_NAMES the lowered names of the expressions in order, each terminated. All are empty before. BATON_ERR_COMPILE: the
 * source is wrong; BATON_ERR_ARGUMENT: an option or expression is. The message has the log's first error. */
int32_t nvrtc_compile(const struct nvrtc *nvrtc, const struct nvrtc_source *source, struct bytes *results, baton_error *err);

/* The line of a log that tells the first error, or its first line; *length is without the line's end. */
const char *nvrtc_first_error(const char *log, int *length);

#endif
