/* The kernels of elementwise arithmetic, casts and ranges: their names and the parameters that they take by value.
 *
 * They are a module of their own (struct driver, arithmetic_image), loaded at the first use: a program that only moves
 * arrays does not wait for their compilation. C and CUDA C++ include this file and agree on the layout; both compile
 * the same bodies (arithmetic_kernels.h). Parameters, in order:
 *
 *   baton_elementwise_TYPE   char *to, const char *left, const char *right, struct elementwise
 *   baton_cast_elements      char *to, const char *from, struct cast
 *   baton_range_elements     char *to, struct range
 *
 * TYPE is f32, f64, i32 or i64. Addresses are aligned to the element size; left or right is 0 where the operand is a
 * value. The destination names each element once and shares none with a source, unless it lies exactly over it. Any
 * number of threads, along the first axis of grid and block, ARITHMETIC_BLOCK at most per block, does the whole work. */
#ifndef BATON_DRIVER_ARITHMETIC_H
#define BATON_DRIVER_ARITHMETIC_H

#include "driver/builtin.h"

#define ARITHMETIC_ELEMENTWISE(type) "baton_elementwise_" #type
#define ARITHMETIC_CAST              "baton_cast_elements"
#define ARITHMETIC_RANGE             "baton_range_elements"

#define ARITHMETIC_BLOCK 256

enum {
    WALK_OPERANDS = 3,
    LANES_BYTES = 16,           /* what a thread loads or stores at once */
    CAST_LANES = 4,             /* where no element has more than 4 bytes */
    CAST_LANES_WIDE = 2
};

struct walk_dimension {
    int64_t extent;                     /* steps */
    int64_t strides[WALK_OPERANDS];     /* bytes from one step to the next, of either sign; 0 repeats the element */
    uint32_t multiplier, shift;         /* index / extent = (high word of index * multiplier + index) >> shift */
};

/* How the elements of up to three arrays of one shape are visited. A step handles `lanes` neighbours of the last
 * dimension at once. With one dimension, elements may be left over before and behind the steps. */
struct walk {
    uint32_t ndim;                      /* 1 to 16 */
    uint32_t narrow;                    /* 1: count is below 2^31 */
    uint32_t lanes;                     /* elements per step: 1, or what the kernel handles at once */
    uint32_t packed;                    /* bit k: operand k's lanes are neighbours, aligned to be moved at once */
    uint32_t head, tail;                /* elements before the first step and behind the last, each below `lanes` */
    uint64_t count;                     /* steps: the product of the extents; at least 1 */
    int64_t apart[WALK_OPERANDS];       /* bytes from one lane to the next */
    struct walk_dimension dimensions[BUILTIN_DIMENSIONS];       /* the last index runs fastest */
};

union element {
    float f32;
    double f64;
    int32_t i32;
    int64_t i64;
};

struct elementwise {
    struct walk walk;                   /* to, left, right; lanes 1 or of LANES_BYTES */
    union element left, right;          /* the values of operands that are no arrays */
    uint32_t function;                  /* BATON_ADD ... */
    uint32_t reserved;
};

struct cast {
    struct walk walk;                   /* to, from; lanes 1, or CAST_LANES or CAST_LANES_WIDE */
    uint32_t to, from;                  /* dtypes */
};

struct range {
    struct walk walk;                   /* to, in row-major order; lanes 1 or of LANES_BYTES */
    union element start, step;
    uint32_t dtype;
    uint32_t reserved;
};

BUILTIN_ASSERT(sizeof(struct walk) == 696, "struct walk is the same in C and CUDA C++");
BUILTIN_ASSERT(sizeof(struct elementwise) == 720, "struct elementwise is the same in C and CUDA C++");
BUILTIN_ASSERT(sizeof(struct cast) == 704, "struct cast is the same in C and CUDA C++");
BUILTIN_ASSERT(sizeof(struct range) == 720, "struct range is the same in C and CUDA C++");

#ifndef __cplusplus
/* As the images of builtin.h. */
extern const char *const cuda_arithmetic_image;
extern const struct soft_image soft_arithmetic_image;
#endif

#endif
