/* The arrays of an elementwise operation: checked, stretched to one shape, and laid out for the kernels of
 * driver/arithmetic.h. */
#ifndef BATON_WORK_ELEMENTS_H
#define BATON_WORK_ELEMENTS_H

#include "driver/arithmetic.h"
#include "work/submit.h"

/* The kernels' types: f32, f64, i32 and i64. BATON_ERR_DTYPE for an array of another. */
int32_t elements_dtype(const baton_array *array, const char *name, baton_error *err);

/* Operand 0 is written. Holds what is needed once the locks are taken: the operation keeps the memories, not the
 * arrays (O2). */
struct elements {
    int32_t count;                              /* operands */
    uint32_t used;                              /* of `uses`: those that are arrays */
    struct layout layouts[WALK_OPERANDS];
    uint64_t addresses[WALK_OPERANDS];          /* 0: a value; else, after elements_walk, of the first step */
    uint32_t element_bytes[WALK_OPERANDS];
    struct submit_use uses[WALK_OPERANDS];
};

/* Begins with the array that is written, and finds the stream. */
int32_t elements_to(struct elements *elements, baton_array *to, baton_stream **stream, baton_error *err);
/* Adds an array that is read; `name` is for messages. Its elements lie apart from the written ones or exactly under them. */
int32_t elements_from(struct elements *elements, baton_array *from, const char *name, baton_stream **stream, baton_error *err);
void elements_value(struct elements *elements);

static inline int elements_none(const struct elements *elements)
{
    return layout_elements(&elements->layouts[0]) == 0;
}

/* How a kernel visits them, which handles `lanes` elements at once where it can; at least one element. */
void elements_walk(struct elements *elements, uint32_t lanes, struct walk *walk);
/* The same for the written array alone, in row-major order. */
void elements_walk_in_order(struct elements *elements, uint32_t lanes, struct walk *walk);

#endif
