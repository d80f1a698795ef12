/* What the parts of export.c share. */
#ifndef BATON_MEMORY_EXPORT_PARTS_H
#define BATON_MEMORY_EXPORT_PARTS_H

#include "memory/export.h"
#include "memory/operation.h"

struct export {
    struct deferred node;
    struct memory *memory;      /* retained */
    baton_stream *stream;       /* the consumer's; retained; NULL: not known */
    baton_stream *place;        /* the same when the memory lists it … */
    struct unnamed *unnamed;    /* … else where the consumer is counted; NULL: nowhere, the memory is empty */
    struct device *recorded;    /* the device of `event`; NULL: there is none */
    driver_event event;
    struct export *older;       /* ends with this one */
};

/* Not started yet; NULL, with the error filled, when the host is out of memory. */
struct export *export_new(struct memory *memory, baton_error *err);
/* Frees it when status says that it did not start; else it is the caller's. */
int32_t export_finish(struct export *made, int32_t status, struct export **export);

/* An operation of the consumer's on s, begun: the memory is locked until it is submitted, or has failed. */
int32_t export_operate(struct memory *memory, baton_stream *s, uint32_t flags, uint32_t access, struct operation *op, baton_error *err);

/* The consumer is one of those; the memory is locked. */
void export_count_locked(struct export *export, struct unnamed *unnamed);

/* Does nothing when there is none. */
void export_destroy_event(struct export *export);

#endif
