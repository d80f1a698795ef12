/* A driver: one function pointer per row of table.h, and what the layers above must know to choose once.
 *
 * There are two, CUDA (cuda.c) and the software device (soft/). Both are process-wide. Above this folder nobody asks
 * which one it is: capabilities are data. */
#ifndef BATON_DRIVER_DRIVER_H
#define BATON_DRIVER_DRIVER_H

#include "driver/table.h"

enum driver_row {
#define DRIVER_ROW_ENUM(verb, symbol, version, parameters, arguments) DRIVER_ROW_##verb,
    DRIVER_ROWS(DRIVER_ROW_ENUM)
#undef DRIVER_ROW_ENUM
    DRIVER_ROW_COUNT
};

struct driver {
    const char *name;               /* "cuda" or "soft" */
    const void *builtin_image;      /* what module_load takes to get the library's own kernels (driver/builtin.h) */
    const void *arithmetic_image;   /* the same for driver/arithmetic.h */
    int host_kernels;               /* module_load also takes a struct soft_image: plain C functions as kernels */
#define DRIVER_ROW_MEMBER(verb, symbol, version, parameters, arguments) int (*verb) parameters;
    DRIVER_ROWS(DRIVER_ROW_MEMBER)
#undef DRIVER_ROW_MEMBER
};

/* Name of a row ("event_record") and of its CUDA symbol ("cuEventRecord"). Static storage. */
const char *driver_row_name(enum driver_row row);
const char *driver_row_symbol(enum driver_row row);

/* "CUDA_ERROR_ILLEGAL_ADDRESS" for 700; "unknown code" for a number not in types.h. Static storage. */
const char *driver_code_name(int code);

/* Nonzero when the code poisons its context: every later call on it fails. */
int driver_code_sticky(int code);

/* Nonzero when a call that gives something back may take the code for "gone with its context". */
int driver_code_gone(int code);

/* Opens the driver named by `spec`: "auto", "cuda", "soft" or "soft:N". Cheap when it is open already. On success *driver is
 * set and, for the software device, one reference on its machine is held: driver_close gives it back.
 * On failure a BATON_ERR_ status is returned and `why` holds one sentence.
 * With "auto", `why` holds after success the reason why CUDA was not taken, or "".
 * Any thread; may block on the dynamic loader and on cuInit. */
int32_t driver_open(const char *spec, const struct driver **driver, char *why, size_t why_bytes);
void driver_close(const struct driver *driver);

/* The library that an environment variable names: by a full path, or by a plain name for the dynamic loader to find. NULL: the variable is not set, or empty, or
 * the program is privileged. A path that depends on the current directory, which could be anybody's, is given out with *relative set, and not to be opened. */
const char *driver_library_named(const char *variable, int *relative);

/* cuda.c: the rows out of libcuda.so.1, loaded once and never unloaded. NULL with `why` filled when there is none. */
const struct driver *driver_cuda(char *why, size_t why_bytes);

#endif
