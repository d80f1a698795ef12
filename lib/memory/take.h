/* take (S1 to S14): which uses an operation must follow, and how. */
#ifndef BATON_MEMORY_TAKE_H
#define BATON_MEMORY_TAKE_H

#include "memory/operation.h"

/* One stream to be waited for, over all memories of an operation. */
struct need {
    baton_stream *stream;       /* NULL: every stream of the device. Retained for host waits; the locked memories keep the others */
    uint64_t ticket;            /* the highest that is needed */
    int32_t cause;              /* BATON_HOST_WAIT_..., or -1: on the device */
};

struct needs {
    uint32_t count, capacity, host;     /* host: how many are host waits */
    struct need *items;
    struct need few[16];
};

static inline void needs_init(struct needs *needs)
{
    needs->count = needs->host = 0;
    needs->capacity = sizeof needs->few / sizeof *needs->few;
    needs->items = needs->few;
}

void needs_clear(struct needs *needs);
void needs_drop(struct needs *needs);
static inline void needs_free(struct needs *needs)
{
    if (needs->count || needs->items != needs->few)
        needs_drop(needs);
}

/* The memory is locked, and nothing but its owner's last write is to be considered: the operation's own stream may have read it. */
static inline int take_plain(const struct operation *op, const struct memory *memory)
{
    return memory->device == op->stream->device && memory_unconcerned(memory, op->stream) && !memory_unnamed(memory, BATON_WRITE) && !memory->capturer &&
           !op->captured;
}

/* Its owner goes on with what it owns alone. */
static inline uint32_t take_owned(const struct operation *op, const struct memory *memory)
{
    return memory->owner.stream == op->stream && take_plain(op, memory);
}

/* Another stream's last write is all that it has to follow, and the device can: the same stream's for all such memories of an operation. */
static inline uint32_t take_handed(struct operation *op, const struct memory *memory)
{
    const baton_stream *owner = memory->owner.stream;
    if (!owner || (op->before.stream && op->before.stream != owner) || !take_plain(op, memory) || memory->kind != BATON_DEVICE || owner->device != memory->device ||
        owner->kind == STREAM_PER_THREAD || op->stream->kind == STREAM_PER_THREAD || stream_lent(owner) ||
        op->stream->runtime->options.flags & BATON_RUNTIME_HOST_WAIT || !atomic_load_explicit(&memory->synchronizing, memory_order_relaxed))
        return 0;
    if (!op->before.stream) {
        stream_prefetch(owner);
        op->before = memory->owner;
    } else if (op->before.ticket < memory->owner.ticket) {
        op->before.ticket = memory->owner.ticket;
    }
    return 1;
}

/* What makes the item unusable on the operation's stream. */
int32_t take_check(const struct operation *op, const struct operation_item *item, baton_error *err);

/* Adds what the item must follow on the operation's stream. The item's memory is locked. */
__attribute__((hot)) int32_t take_plan_locked(struct operation *op, struct operation_item *item, struct needs *needs, baton_error *err);

/* Queues the device waits (S5). */
__attribute__((hot)) int32_t take_order(struct operation *op, const struct needs *needs, baton_error *err);

/* Queues the wait for op->before, unless it is elided. */
__attribute__((hot)) int32_t take_follow(struct operation *op, baton_error *err);

/* Host-waits, with no lock held, for the host part of the needs. */
int32_t take_wait(struct operation *op, const struct needs *needs, baton_error *err);

#endif
