#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "memory/operation_parts.h"
#include "memory/take.h"
#include "stream/capture.h"

/* A capture began or ended on the stream before the submission could: look again. */
enum { CAPTURE_TURNED = 1000 };

void operation_init(struct operation *op, baton_stream *stream, int32_t kind, uint64_t token)
{
    op->token = token ? token : (uint64_t)(uintptr_t)op;
    op->stream = stream;
    op->parent = NULL;
    op->kind = kind;
    op->flags = 0;
    op->count = op->locked = op->waits = op->same = 0;
    op->captured = op->begun = op->kept = op->goes_on = 0;
    op->tracked = NULL;
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

struct operation_item *operation_find(const struct operation *op, const struct memory *memory)
{
    uint32_t at = position(op, memory);
    return at > 0 && op->items[at - 1].memory == memory ? &op->items[at - 1] : NULL;
}

uint32_t operation_holds(const struct operation *op, const struct memory *memory)
{
    for (; op; op = op->parent) {
        const struct operation_item *item = operation_find(op, memory);
        if (item)
            return item->access;
    }
    return 0;
}

int32_t operation_access(uint32_t *access, baton_error *err)
{
    if (*access == 0)
        *access = BATON_READ_WRITE;
    return *access <= BATON_READ_WRITE ? BATON_OK : fail(err, BATON_ERR_ARGUMENT, "unknown access %u", *access);
}

int32_t operation_insert(struct operation *op, struct memory *memory, uint32_t access, struct operation_item **item, baton_error *err)
{
    if (op->count == op->capacity && !grow(op))
        return fail(err, BATON_ERR_MEMORY, "no host memory for %u operands", op->count + 1);
    uint32_t at = position(op, memory);
    if (at < op->count)
        memmove(&op->items[at + 1], &op->items[at], (op->count - at) * sizeof *op->items);
    if (op->kept)
        memory_retain(memory);
    op->items[at] = (struct operation_item) { .memory = memory, .access = access };
    op->count++;
    *item = &op->items[at];
    return BATON_OK;
}

int32_t operation_add(struct operation *op, struct memory *memory, uint32_t access, baton_error *err)
{
    int32_t status = operation_access(&access, err);
    if (status || memory->bytes == 0 || operation_append(op, memory, access))     /* S1 */
        return status;
    struct operation_item *item = operation_find(op, memory);
    if (!item)
        return operation_insert(op, memory, access, &item, err);
    item->access |= access;
    return BATON_OK;
}

void operation_keep_memories(struct operation *op)
{
    for (uint32_t i = 0; i < op->count && !op->kept; i++)
        memory_retain(op->items[i].memory);
    op->kept = 1;
}

/* An enclosing scope on the same stream lends its lock (W4), and what it has waited for. */
static int32_t inherit(struct operation *op, struct operation_item *item, baton_error *err)
{
    item->inherited = item->taken = 0;
    for (struct operation *outer = op->parent; outer; outer = outer->parent) {
        const struct operation_item *found = operation_find(outer, item->memory);
        if (!found)
            continue;
        if (outer->stream != op->stream)
            return fail(err, BATON_ERR_NESTED_STREAM, "memory %llu belongs to an enclosing scope on stream %llu, whose work is not submitted yet",
                        (unsigned long long)item->memory->id, (unsigned long long)outer->stream->id);
        item->inherited = 1;
        item->taken = (int16_t)(item->taken || (!outer->captured && (item->access & ~found->access) == 0));
    }
    return BATON_OK;
}

void operation_unlock(struct operation *op)
{
    while (op->locked > 0) {
        struct operation_item *item = &op->items[--op->locked];
        if (!item->inherited)
            lock_release(&item->memory->lock);
    }
}

/* Whether waiting for this lock keeps the ascending order, also over the enclosing scopes' locks. */
int operation_in_order(const struct operation *op, const struct memory *memory)
{
    for (const struct operation *outer = op->parent; outer; outer = outer->parent)
        if (outer->count && outer->items[outer->count - 1].memory->id > memory->id)
            return 0;
    return 1;
}

int32_t operation_lock_item(struct operation *op, struct operation_item *item, int ordered, baton_error *err)
{
    int32_t status = inherit(op, item, err);
    if (status || item->inherited)
        return status;
    struct lock_policy policy = memory_lock_policy(op->stream->runtime, op->flags & OPERATION_TRY || !ordered);
    return memory_lock(item->memory, op->token, &policy, err);
}

/* Without a wait. In the same pass: whether every memory is the stream's own already (S4), or handed over by one other, so that there is nothing to plan. */
static int lock_at_once(struct operation *op)
{
    uint32_t plain = 0, own = 0;
    op->goes_on = 0;
    op->before.stream = NULL;
    if (op->parent || op->kept)
        return 0;
    for (; op->locked < op->count; op->locked++) {
        const struct operation_item *item = &op->items[op->locked];
        struct memory *memory = item->memory;
        if (!lock_try(&memory->lock, op->token))
            return 0;
        uint32_t owned = take_owned(op, memory);
        plain += owned || take_handed(op, memory);
        own += owned;
        if (memory->concerns && item->access & BATON_WRITE)
            own++;                          /* its own read: where there is more, this is not asked for */
    }
    op->own = own;
    op->goes_on = plain == op->count;
    return 1;
}

static int32_t lock_all(struct operation *op, baton_error *err)
{
    if (lock_at_once(op))
        return BATON_OK;
    operation_keep_memories(op);
    for (uint32_t i = 0; i < op->locked; i++)
        lock_name(&op->items[i].memory->lock);
    for (; op->locked < op->count; op->locked++) {
        struct operation_item *item = &op->items[op->locked];
        int32_t status = operation_lock_item(op, item, operation_in_order(op, item->memory), err);
        if (status) {
            operation_unlock(op);
            return status;
        }
    }
    return BATON_OK;
}

static int32_t plan_all(struct operation *op, struct needs *needs, baton_error *err)
{
    int32_t status = BATON_OK;
    if (op->goes_on) {
        op->same += op->own;
        return BATON_OK;
    }
    for (uint32_t i = 0; i < op->count && !status; i++)
        status = take_plan_locked(op, &op->items[i], needs, err);
    return status;
}

/* S12: without peer access the work would fault on the device. */
int32_t operation_reach(struct operation *op, const struct memory *memory, baton_error *err)
{
    if (device_same(memory->device, op->stream->device) || op->flags & OPERATION_PEER_COPY || memory->kind != BATON_DEVICE)
        return BATON_OK;
    return device_reach(op->stream->device, memory->device, err);
}

static int32_t order_all(struct operation *op, const struct needs *needs, baton_error *err)
{
    int32_t status = BATON_OK;
    if (op->goes_on)
        return op->before.stream ? take_follow(op, err) : BATON_OK;
    for (uint32_t i = 0; i < op->count && !status; i++)
        if (op->items[i].memory->device != op->stream->device)
            status = operation_reach(op, op->items[i].memory, err);
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
    operation_keep_memories(op);
    operation_unlock(op);
    return take_wait(op, needs, err);
}

/* From here to the ticket no capture begins or ends on the stream. */
static int32_t submit(struct operation *op, const struct needs *needs, baton_error *err)
{
    int32_t status = submission_enter(op->stream) ? CAPTURE_TURNED : order_all(op, needs, err);
    if (status)
        submission_leave(op->stream);
    else
        op->begun = 1;
    return status;
}

static int32_t take_all(struct operation *op, struct needs *needs, baton_error *err)
{
    for (;;) {
        int32_t status = lock_all(op, err);
        if (status)
            return status;
        status = plan_all(op, needs, err);
        if (!status && !needs->host)
            status = submit(op, needs, err);
        if (!needs->host || status) {
            if (status)
                operation_unlock(op);
            return status;
        }
        status = wait_unlocked(op, needs, err);
        operation_unlock(op);
        if (status)
            return status;
        needs_clear(needs);
    }
}

static int32_t take(struct operation *op, baton_error *err)
{
    struct needs needs;
    needs_init(&needs);
    int32_t status = take_all(op, &needs, err);
    needs_free(&needs);
    return status;
}

/* CAPTURE_TURNED, too, when the capture ended before the operation could join it: look again. */
static int32_t join_capture(struct operation *op, baton_error *err)
{
    op->goes_on = 0;
    op->tracked = submission_enter(op->stream);
    int32_t status = op->tracked ? operation_collect(op, err) : CAPTURE_TURNED;
    if (status) {
        submission_leave(op->stream);
        op->tracked = NULL;
    }
    op->begun = !status;
    return status;
}

/* As part of a submission: otherwise a capture of the library's that is just beginning would look like somebody else's. */
static int32_t look_for_capture(struct operation *op, baton_error *err)
{
    if (!stream_exposed(op->stream))
        return BATON_OK;
    submission_enter(op->stream);
    int32_t status = stream_foreign_capture(op->stream, &op->captured, err);
    submission_leave(op->stream);
    return status;
}

int32_t operation_begin(struct operation *op, baton_error *err)
{
    int32_t status = look_for_capture(op, err);
    if (status)
        return status;
    do      /* the stream may change sides until the submission is under way */
        status = stream_tracked(op->stream) ? join_capture(op, err) : take(op, err);
    while (status == CAPTURE_TURNED);
    return status;
}
