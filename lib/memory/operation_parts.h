/* What the files of an operation share. Not for other folders. */
#ifndef BATON_MEMORY_OPERATION_PARTS_H
#define BATON_MEMORY_OPERATION_PARTS_H

#include "memory/operation.h"

/* 0 becomes read-write; BATON_ERR_ARGUMENT for what is no access. */
int32_t operation_access(uint32_t *access, baton_error *err);

/* The memory's item; NULL: none. The pointer is valid until the next insert. */
struct operation_item *operation_find(const struct operation *op, const struct memory *memory);
int32_t operation_insert(struct operation *op, struct memory *memory, uint32_t access, struct operation_item **item, baton_error *err);

/* Whether waiting for this memory's lock keeps the ascending order over the enclosing scopes' locks. */
int operation_in_order(const struct operation *op, const struct memory *memory);
int32_t operation_lock_item(struct operation *op, struct operation_item *item, int ordered, baton_error *err);
void operation_unlock(struct operation *op);

/* S12: without peer access the work would fault on the device. */
int32_t operation_reach(struct operation *op, const struct memory *memory, baton_error *err);

/* Adds one item, or all, to the set of the capture that the stream takes part in. */
int32_t operation_collect_item(struct operation *op, const struct operation_item *item, baton_error *err);
int32_t operation_collect(struct operation *op, baton_error *err);

#endif
