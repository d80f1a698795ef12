#include "memory/operation.h"

#include <stdlib.h>
#include <string.h>

#include "memory/take.h"

void operation_init(struct operation *op, baton_stream *stream, int32_t kind, uint64_t token)
{
    op->token = token ? token : (uint64_t)(uintptr_t)op;
    op->stream = stream;
    op->parent = NULL;
    op->kind = kind;
    op->flags = 0;
    op->count = op->locked = 0;
    op->captured = 0;
    op->capacity = OPERATION_INLINE;
    op->items = op->few;
}

static int grow(struct operation *op)
{
    struct operation_item *items = malloc(2 * (size_t)op->capacity * sizeof *items);
    if (!items)
        return 0;
    memcpy(items, op->items, op->count * sizeof *items);
    if (op->items != op->few)
        free(op->items);
    op->items = items;
    op->capacity *= 2;
    return 1;
}

/* Keeps the items sorted by memory id, which is the lock order; operands mostly come few and in order. */
static uint32_t position(const struct operation *op, const struct memory *memory)
{
    uint32_t at = op->count;
    while (at > 0 && op->items[at - 1].memory->id > memory->id)
        at--;
    return at;
}

static struct operation_item *find(const struct operation *op, const struct memory *memory)
{
    uint32_t at = position(op, memory);
    return at > 0 && op->items[at - 1].memory == memory ? &op->items[at - 1] : NULL;
}

uint32_t operation_holds(const struct operation *op, const struct memory *memory)
{
    for (; op; op = op->parent) {
        const struct operation_item *item = find(op, memory);
        if (item)
            return item->access;
    }
    return 0;
}

static int32_t access_check(uint32_t *access, baton_error *err)
{
    if (*access == 0)
        *access = BATON_READ_WRITE;
    return *access <= BATON_READ_WRITE ? BATON_OK : fail(err, BATON_ERR_ARGUMENT, "unknown access %u", *access);
}

static int32_t insert(struct operation *op, struct memory *memory, uint32_t access, struct operation_item **item, baton_error *err)
{
    if (op->count == op->capacity && !grow(op))
        return fail(err, BATON_ERR_MEMORY, "no host memory for %u operands", op->count + 1);
    uint32_t at = position(op, memory);
    memmove(&op->items[at + 1], &op->items[at], (op->count - at) * sizeof *op->items);
    memory_retain(memory);
    op->items[at] = (struct operation_item) { .memory = memory, .access = access };
    op->count++;
    *item = &op->items[at];
    return BATON_OK;
}

int32_t operation_add(struct operation *op, struct memory *memory, uint32_t access, baton_error *err)
{
    int32_t status = access_check(&access, err);
    if (status || memory->bytes == 0)       /* S1 */
        return status;
    struct operation_item *item = find(op, memory);
    if (!item)
        return insert(op, memory, access, &item, err);
    item->access |= access;
    return BATON_OK;
}

/* An enclosing scope on the same stream lends its lock (W4). */
static int32_t inherit(struct operation *op, struct operation_item *item, baton_error *err)
{
    item->inherited = 0;
    for (struct operation *outer = op->parent; outer; outer = outer->parent) {
        if (!find(outer, item->memory))
            continue;
        if (outer->stream != op->stream)
            return fail(err, BATON_ERR_NESTED_STREAM, "memory %llu belongs to an enclosing scope on stream %llu, whose work is not submitted yet",
                        (unsigned long long)item->memory->id, (unsigned long long)outer->stream->id);
        item->inherited = 1;
    }
    return BATON_OK;
}

static void unlock_all(struct operation *op)
{
    while (op->locked > 0) {
        struct operation_item *item = &op->items[--op->locked];
        if (!item->inherited)
            lock_release(&item->memory->lock);
    }
}

/* Whether waiting for this lock keeps the ascending order, also over the enclosing scopes' locks. */
static int in_order(const struct operation *op, const struct memory *memory)
{
    for (const struct operation *outer = op->parent; outer; outer = outer->parent)
        if (outer->count && outer->items[outer->count - 1].memory->id > memory->id)
            return 0;
    return 1;
}

static int32_t lock_item(struct operation *op, struct operation_item *item, int ordered, baton_error *err)
{
    int32_t status = inherit(op, item, err);
    if (status || item->inherited)
        return status;
    struct lock_policy policy = memory_lock_policy(op->stream->runtime, op->flags & OPERATION_TRY || !ordered);
    return memory_lock(item->memory, op->token, &policy, err);
}

static int32_t lock_all(struct operation *op, baton_error *err)
{
    for (; op->locked < op->count; op->locked++) {
        struct operation_item *item = &op->items[op->locked];
        int32_t status = lock_item(op, item, in_order(op, item->memory), err);
        if (status) {
            unlock_all(op);
            return status;
        }
    }
    return BATON_OK;
}

static int32_t plan_all(struct operation *op, struct needs *needs, baton_error *err)
{
    int32_t status = BATON_OK;
    for (uint32_t i = 0; i < op->count && !status; i++)
        status = take_plan_locked(op, &op->items[i], needs, err);
    return status;
}

/* S12: without peer access the work would fault on the device. */
static int32_t reach(struct operation *op, const struct memory *memory, baton_error *err)
{
    if (device_same(memory->device, op->stream->device) || op->flags & OPERATION_PEER_COPY || memory->kind != BATON_DEVICE)
        return BATON_OK;
    return device_reach(op->stream->device, memory->device, err);
}

static int32_t order_all(struct operation *op, const struct needs *needs, baton_error *err)
{
    int32_t status = BATON_OK;
    for (uint32_t i = 0; i < op->count && !status; i++)
        status = reach(op, op->items[i].memory, err);
    return status ? status : take_order(op, needs, err);
}

/* The host-wait of S9 to S12, done with no lock held: snapshot, release, wait; the caller locks and looks again. */
static int32_t wait_unlocked(struct operation *op, const struct needs *needs, baton_error *err)
{
    if (op->flags & OPERATION_NO_HOST_WAIT)
        return BATON_NOT_READY;
    if (op->parent)
        return fail(err, BATON_ERR_SCOPE_OPEN, "memory would have to be waited for while an enclosing scope holds its locks: take it before the scope");
    for (uint32_t i = 0; i < op->count; i++)
        op->items[i].waited = op->items[i].memory->version + 1;
    unlock_all(op);
    return take_wait(op, needs, err);
}

static int32_t take_all(struct operation *op, struct needs *needs, baton_error *err)
{
    for (;;) {
        int32_t status = lock_all(op, err);
        if (status)
            return status;
        status = plan_all(op, needs, err);
        if (!status && !needs->host)
            status = order_all(op, needs, err);
        if (!needs->host || status) {
            if (status)
                unlock_all(op);
            return status;
        }
        status = wait_unlocked(op, needs, err);
        unlock_all(op);
        if (status)
            return status;
        needs_clear(needs);
    }
}

int32_t operation_begin(struct operation *op, baton_error *err)
{
    struct needs needs;
    int32_t status = stream_foreign_capture(op->stream, &op->captured, err);
    if (status)
        return status;
    needs_init(&needs);
    status = take_all(op, &needs, err);
    needs_free(&needs);
    return status;
}

/* Takes one item while the others are held: nothing may be host-waited for. */
static int32_t take_one(struct operation *op, struct operation_item *item, baton_error *err)
{
    struct needs needs;
    needs_init(&needs);
    int32_t status = take_plan_locked(op, item, &needs, err);
    if (!status && needs.host)
        status = fail(err, BATON_ERR_SCOPE_OPEN, "memory would have to be waited for while the scope holds its locks: begin the scope with it");
    if (!status)
        status = reach(op, item->memory, err);
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
    int32_t status = take_one(op, item, err);
    if (status)
        item->access = before;
    return status;
}

static int32_t extend_new(struct operation *op, struct memory *memory, uint32_t access, baton_error *err)
{
    struct operation_item *item;
    int ordered = (op->count == 0 || op->items[op->count - 1].memory->id < memory->id) && in_order(op, memory);
    int32_t status = insert(op, memory, access, &item, err);
    if (status)
        return status;
    status = lock_item(op, item, ordered, err);
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

int32_t operation_extend(struct operation *op, struct memory *memory, uint32_t access, baton_error *err)
{
    int32_t status = access_check(&access, err);
    if (status || memory->bytes == 0)
        return status;
    struct operation_item *item = find(op, memory);
    return item ? extend_held(op, item, access, err) : extend_new(op, memory, access, err);
}

void operation_discard(struct operation *op)
{
    for (uint32_t i = 0; i < op->count; i++)
        memory_release(op->items[i].memory);
    if (op->items != op->few)
        free(op->items);
    op->items = op->few;
    op->count = 0;
}

static void taint(struct memory *memory, baton_stream *stream)
{
    if (memory->capturer != stream) {
        stream_retain(stream);
        stream_release(memory->capturer);
        memory->capturer = stream;
    }
    memory_changed_locked(memory);
}

/* Consumers without a stream that are gone: everything was waited for since. */
static void forget_unnamed(struct operation_item *item)
{
    struct memory *memory = item->memory;
    if (memory->unnamed_over && item->waited == memory->version + 1) {
        memory->exports_unnamed -= memory->unnamed_over;
        memory->unnamed_over = 0;
    }
}

static void publish(struct operation *op, struct operation_item *item, uint64_t ticket, int submitted)
{
    forget_unnamed(item);
    if (op->captured)
        taint(item->memory, op->stream);
    else if (item->access & BATON_WRITE)
        memory_publish_write_locked(item->memory, op->stream, ticket);
    else if (submitted)
        memory_publish_read_locked(item->memory, op->stream, ticket);
}

static void finish(struct operation *op, uint64_t ticket, int submitted)
{
    for (uint32_t i = 0; i < op->count; i++)
        publish(op, &op->items[i], ticket, submitted);
    if (!op->captured)
        stream_settle(op->stream, ticket);
    unlock_all(op);
    operation_discard(op);
}

void operation_submitted(struct operation *op)
{
    uint64_t ticket = op->captured ? 0 : stream_ticket(op->stream, op->kind);
    if (!op->captured)
        counters_add(&op->stream->counters, COUNT_OPERATIONS, 1);
    finish(op, ticket, 1);
}

void operation_expose(struct operation *op)
{
    uint64_t ticket = stream_ticket(op->stream, BATON_OP_FOREIGN);
    for (uint32_t i = 0; i < op->count; i++) {
        struct memory *memory = op->items[i].memory;
        memory_publish_write_locked(memory, op->stream, ticket);
        memory->escaped = 1;
        memory_changed_locked(memory);
    }
    stream_settle(op->stream, ticket);
    unlock_all(op);
    operation_discard(op);
}

void operation_failed(struct operation *op)
{
    finish(op, atomic_load_explicit(&op->stream->submitted, memory_order_acquire), 0);
}
