/* The end of an operation: publish what the submission made true, then unlock. */
#include <stdlib.h>

#include "memory/operation_parts.h"
#include "stream/capture.h"

static void submission_over(struct operation *op)
{
    if (op->begun)
        submission_leave(op->stream);
    op->begun = 0;
    if (op->same)
        counters_add(&op->stream->counters, COUNT_SAME, op->same);
}

/* The submission's ticket ends it, too. */
static uint64_t last_ticket(struct operation *op)
{
    if (op->captured || op->tracked)
        return 0;
    op->begun = 0;
    return stream_submission_ticket(op->stream, op->kind);
}

void operation_discard(struct operation *op)
{
    for (uint32_t i = 0; i < op->count && op->kept; i++)
        memory_release(op->items[i].memory);
    op->kept = 0;
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

static void forget(struct unnamed *unnamed)
{
    unnamed->count -= unnamed->over;
    unnamed->over = 0;
}

/* Consumers without a stream that are gone: everything was waited for since. */
static void forget_unnamed(struct operation_item *item)
{
    struct memory *memory = item->memory;
    if (item->waited != memory->version + 1 || !memory_unnamed(memory, item->access))
        return;
    forget(&memory->unnamed);
    forget(&memory->reading);
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

/* Still the stream's own, where a write changes its ticket only, or one that was handed over or read. */
static void publish_owned(struct memory *memory, baton_stream *stream, uint64_t ticket, uint32_t access, int submitted)
{
    if (!(access & BATON_WRITE)) {
        if (submitted)
            memory_publish_read_locked(memory, stream, ticket);
    } else if (memory->owner.stream == stream && !memory->reader_count) {
        memory->owner.ticket = ticket;
        memory->version++;
    } else {
        memory_publish_write_locked(memory, stream, ticket);
    }
}

/* One pass over what one pass has locked. */
static void finish_owned(struct operation *op, uint64_t ticket, int submitted)
{
    if (ticket)
        stream_settle(op->stream, ticket);
    submission_over(op);
    for (uint32_t i = 0; i < op->count; i++) {
        struct memory *memory = op->items[i].memory;
        publish_owned(memory, op->stream, ticket, op->items[i].access, submitted);
        lock_release(&memory->lock);
    }
    op->locked = 0;
    if (op->items != op->few)
        operation_discard(op);
}

static void finish(struct operation *op, uint64_t ticket, int submitted)
{
    for (uint32_t i = 0; i < op->count && !op->tracked; i++)
        publish(op, &op->items[i], ticket, submitted);
    if (ticket)
        stream_settle(op->stream, ticket);
    submission_over(op);
    operation_unlock(op);
    operation_discard(op);
}

void operation_submitted(struct operation *op)
{
    uint64_t ticket = last_ticket(op);
    if (op->goes_on)
        finish_owned(op, ticket, 1);
    else
        finish(op, ticket, 1);
}

void operation_expose(struct operation *op)
{
    uint64_t ticket = op->tracked ? 0 : stream_ticket(op->stream, BATON_OP_FOREIGN);
    for (uint32_t i = 0; i < op->count && !op->tracked; i++) {
        struct memory *memory = op->items[i].memory;
        memory_publish_write_locked(memory, op->stream, ticket);
        memory->escaped = 1;
        memory_changed_locked(memory);
    }
    if (ticket)
        stream_settle(op->stream, ticket);
    submission_over(op);
    operation_unlock(op);
    operation_discard(op);
}

void operation_withdraw(struct operation *op)
{
    stream_settle(op->stream, stream_ticket(op->stream, BATON_OP_FOREIGN));
    submission_over(op);
    operation_unlock(op);
    operation_discard(op);
}

void operation_failed(struct operation *op)
{
    uint64_t ticket = 0;
    if (op->tracked)
        capture_unstep(op->tracked, op->step);
    else if (!op->captured)
        ticket = op->waits ? stream_ticket(op->stream, BATON_OP_WAIT) : stream_submitted(op->stream);
    finish(op, ticket, 0);
}
