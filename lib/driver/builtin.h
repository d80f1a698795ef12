/* The library's own kernels: their names and the parameters that they take by value.
 *
 * Both drivers have them under the same names (struct driver, builtin_image). C and CUDA C++ include this file and agree
 * on the layout. Parameters, in order:
 *
 *   baton_copy_strided   uint64_t to, uint64_t from, struct strided
 *   baton_fill_strided   uint64_t to, struct fill_strided
 *   baton_gate           uint64_t flag, uint64_t limit_ns
 *
 * `to` and `from` are the addresses of the element with all indices 0; they are aligned to the element size, and to 8 for
 * 16-byte elements. Source and destination do not overlap, and no two indices name one element of the destination.
 * Any number of threads, along the first axis of grid and block, does the whole work.
 *
 * The gate holds its stream until the uint32_t at `flag`, in pinned host memory, is not zero, or until `limit_ns` have
 * passed since it began. It is one thread. */
#ifndef BATON_DRIVER_BUILTIN_H
#define BATON_DRIVER_BUILTIN_H

#include <stdint.h>

#define BUILTIN_COPY_STRIDED "baton_copy_strided"
#define BUILTIN_FILL_STRIDED "baton_fill_strided"
#define BUILTIN_GATE         "baton_gate"

#define BUILTIN_DIMENSIONS 16
#define BUILTIN_KERNELS    9        /* with those of arithmetic.h */

struct strided {
    uint32_t ndim;                              /* 0 to 16; 0: one element */
    uint32_t element_bytes;                     /* 1, 2, 4, 8 or 16 */
    uint64_t count;                             /* elements: the product of the extents */
    int64_t shape[BUILTIN_DIMENSIONS];          /* the last index runs fastest */
    int64_t to_strides[BUILTIN_DIMENSIONS];     /* elements, of either sign */
    int64_t from_strides[BUILTIN_DIMENSIONS];   /* elements, of either sign; 0 repeats the element */
};

struct fill_strided {
    uint32_t ndim;
    uint32_t element_bytes;
    uint64_t count;
    int64_t shape[BUILTIN_DIMENSIONS];
    int64_t strides[BUILTIN_DIMENSIONS];
    uint8_t value[16];                          /* the first element_bytes count */
};

#ifdef __cplusplus
#define BUILTIN_ASSERT static_assert
#else
#define BUILTIN_ASSERT _Static_assert
#endif
BUILTIN_ASSERT(sizeof(struct strided) == 400, "struct strided is the same in C and CUDA C++");
BUILTIN_ASSERT(sizeof(struct fill_strided) == 288, "struct fill_strided is the same in C and CUDA C++");

#ifndef __cplusplus
/* PTX text for module_load of the CUDA driver (cuda_builtin.c). */
extern const char *const cuda_builtin_image;

/* The same for the software device (soft/builtin.c). */
extern const struct soft_image soft_builtin_image;
#endif

#endif
