/* The end of every operation: what the driver said about the submission decides how the memories are published (S6, S7). */
#ifndef BATON_WORK_SUBMIT_H
#define BATON_WORK_SUBMIT_H

#include "array/array.h"
#include "memory/operation.h"

/* An array and how the operation uses it. */
struct submit_use {
    baton_array *array;
    uint32_t access;
};

/* Begins an operation over the arrays. On failure everything is as before. */
int32_t submit_begin(struct operation *op, baton_stream *stream, int32_t kind, uint32_t flags, const struct submit_use *uses, uint32_t count, baton_error *err);

/* The same for an operation that has been filled already; on failure it is discarded. */
__attribute__((hot)) int32_t submit_start(struct operation *op, baton_error *err);

/* Gives up an operation that has begun, before its submission. */
void submit_drop(struct operation *op);

/* `code` is what the driver's `row` returned. Unlocks in any case. */
__attribute__((hot)) int32_t submit_end(struct operation *op, int code, enum driver_row row, baton_error *err);

/* Both arrays' checks that hold for every operation: live handles, one driver, a stream. */
int32_t submit_check(baton_array *array, baton_stream **stream, baton_error *err);

#endif
