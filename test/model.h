/* A plain host model of layouts: where every element of a view lies in its parent, computed without the library. */
#ifndef BATON_TEST_MODEL_H
#define BATON_TEST_MODEL_H

#include "support.h"

enum { MODEL_DIMS = 4 };

struct model {
    int32_t ndim;
    int64_t shape[MODEL_DIMS], strides[MODEL_DIMS], offset;     /* elements of the parent */
};

/* An array with random bytes, a random view of it (sliced, reversed, permuted), and what both must hold. */
struct viewed {
    baton_array *parent, *view;
    struct model model;
    uint32_t element_bytes;
    uint64_t bytes;             /* of the parent */
    uint8_t *host;              /* of the parent, as expected */
};

/* A number of the sequence that the seed begins. */
uint64_t random_next(uint64_t *seed);
/* From low to high, both included. */
int64_t random_between(uint64_t *seed, int64_t low, int64_t high);
void random_bytes(uint64_t *seed, void *bytes, uint64_t count);

int64_t model_count(const struct model *model);
/* Where the i-th element in row-major order lies in the parent. */
int64_t model_index(const struct model *model, int64_t i);

baton_array *make_shaped(int32_t dtype, int32_t ndim, const int64_t *shape, baton_stream *stream);

/* A view of that shape. */
void viewed_make(struct viewed *viewed, uint64_t *seed, int32_t dtype, int32_t ndim, const int64_t *shape,
                 baton_stream *stream);
/* Neighbours from the start-th element on. */
void viewed_run(struct viewed *viewed, uint64_t *seed, int32_t dtype, int64_t start, int64_t count, baton_stream *stream);
/* The place of the view's i-th element in the expected bytes. */
uint8_t *viewed_at(const struct viewed *viewed, int64_t i);
/* Downloads the parent: exactly the expected bytes, in the view and around it. */
void viewed_expect(const struct viewed *viewed, baton_stream *stream);
void viewed_free(struct viewed *viewed);

#endif
