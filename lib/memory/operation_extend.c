/* Scopes that grow: one more memory while others are held. */
#include <string.h>

#include "memory/operation_parts.h"
#include "memory/take.h"

/* Takes one item while the others are held: nothing may be host-waited for. */
static int32_t take_one(struct operation *op, struct operation_item *item, baton_error *err)
{
    struct needs needs;
    needs_init(&needs);
    int32_t status = take_plan_locked(op, item, &needs, err);
    if (!status && needs.host)
        status = fail(err, BATON_ERR_SCOPE_OPEN, "memory would have to be waited for while the scope holds its locks: begin the scope with it");
    if (!status)
        status = operation_reach(op, item->memory, err);
    if (!status)
        status = take_order(op, &needs, err);
    needs_free(&needs);
    return status;
}

static void remove_item(struct operation *op, struct operation_item *item)
{
    struct memory *memory = item->memory;
    op->count--;
    memmove(item, item + 1, (size_t)(op->items + op->count - item) * sizeof *item);
    memory_release(memory);
}

static int32_t extend_held(struct operation *op, struct operation_item *item, uint32_t access, baton_error *err)
{
    uint32_t before = item->access;
    item->access |= access;
    int32_t status = op->tracked ? operation_collect_item(op, item, err) : take_one(op, item, err);
    if (status)
        item->access = before;
    return status;
}

static int32_t extend_new(struct operation *op, struct memory *memory, uint32_t access, baton_error *err)
{
    struct operation_item *item;
    int ordered = (op->count == 0 || op->items[op->count - 1].memory->id < memory->id) && operation_in_order(op, memory);
    int32_t status = operation_insert(op, memory, access, &item, err);
    if (status)
        return status;
    status = operation_lock_item(op, item, ordered, err);
    if (status)
        goto remove;
    status = take_one(op, item, err);
    if (status)
        goto unlock;
    op->locked++;
    return BATON_OK;
unlock:
    if (!item->inherited)
        lock_release(&memory->lock);
remove:
    remove_item(op, item);
    return status;
}

static int32_t extend_tracked(struct operation *op, struct memory *memory, uint32_t access, baton_error *err)
{
    struct operation_item *item;
    int32_t status = operation_insert(op, memory, access, &item, err);
    if (status)
        return status;
    status = operation_collect_item(op, item, err);
    if (status)
        remove_item(op, item);
    return status;
}

int32_t operation_extend(struct operation *op, struct memory *memory, uint32_t access, baton_error *err)
{
    int32_t status = operation_access(&access, err);
    if (status || memory->bytes == 0)
        return status;
    struct operation_item *item = operation_find(op, memory);
    if (op->tracked && !item)
        return extend_tracked(op, memory, access, err);
    return item ? extend_held(op, item, access, err) : extend_new(op, memory, access, err);
}
