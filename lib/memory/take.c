#include "memory/take.h"

#include <stdlib.h>
#include <string.h>

#include "stream/order.h"
#include "stream/wait.h"

void needs_clear(struct needs *needs)
{
    for (uint32_t i = 0; i < needs->count; i++)
        if (needs->items[i].cause >= 0)
            stream_release(needs->items[i].stream);
    needs->count = needs->host = 0;
}

void needs_drop(struct needs *needs)
{
    needs_clear(needs);
    if (needs->items != needs->few)
        free(needs->items);
}

static int needs_grow(struct needs *needs)
{
    struct need *items = malloc(2 * (size_t)needs->capacity * sizeof *items);
    if (!items)
        return 0;
    memcpy(items, needs->items, needs->count * sizeof *items);
    if (needs->items != needs->few)
        free(needs->items);
    needs->items = items;
    needs->capacity *= 2;
    return 1;
}

/* Coalesces per stream: one record and one wait hand over any number of memories. */
static int32_t needs_add(struct needs *needs, baton_stream *stream, uint64_t ticket, int32_t cause, baton_error *err)
{
    for (uint32_t i = 0; i < needs->count; i++)
        if (needs->items[i].stream == stream && (needs->items[i].cause < 0) == (cause < 0)) {
            if (needs->items[i].ticket < ticket)
                needs->items[i].ticket = ticket;
            return BATON_OK;
        }
    if (needs->count == needs->capacity && !needs_grow(needs))
        return fail(err, BATON_ERR_MEMORY, "no host memory to list the streams to wait for");
    if (stream && cause >= 0)
        stream_retain(stream);
    needs->items[needs->count++] = (struct need) { stream, ticket, cause };
    needs->host += cause >= 0;
    return BATON_OK;
}

/* Why a use on `before` cannot be followed on the device; -1: it can. */
static int32_t host_cause(const struct operation *op, const struct memory *memory, const struct use *use)
{
    const baton_stream *before = use->stream;
    if (op->stream->runtime->options.flags & BATON_RUNTIME_HOST_WAIT)
        return BATON_HOST_WAIT_POLICY;
    if (memory->kind != BATON_DEVICE)
        return BATON_HOST_WAIT_UNIFIED;                                 /* S11 */
    if (before->kind == STREAM_PER_THREAD || op->stream->kind == STREAM_PER_THREAD)
        return BATON_HOST_WAIT_SPECIAL;                                 /* S10 */
    if (!device_same(before->device, op->stream->device) && !(op->stream->runtime->options.flags & BATON_RUNTIME_PEER_EVENTS))
        return BATON_HOST_WAIT_DEVICE;                                  /* S12 */
    if (stream_out_of_reach(before, use->ticket))
        return BATON_HOST_WAIT_EXPORT;                                  /* P5 */
    return -1;
}

/* Another memory has asked for as much, to be waited for on the device. */
static int needed_already(const struct needs *needs, const struct use *use)
{
    for (uint32_t i = 0; i < needs->count; i++)
        if (needs->items[i].stream == use->stream && needs->items[i].cause < 0 && needs->items[i].ticket >= use->ticket)
            return 1;
    return 0;
}

static int32_t plan_use(struct operation *op, const struct memory *memory, const struct use *use, struct needs *needs, baton_error *err)
{
    if (use->stream == op->stream) {
        op->same++;
        return BATON_OK;
    }
    stream_prefetch(use->stream);
    int32_t cause = host_cause(op, memory, use);
    if (cause < 0 && needed_already(needs, use))
        return BATON_OK;
    enum order_need need = order_need(op->stream, use->stream, use->ticket);
    if (need == ORDER_COMPLETE || (need == ORDER_COVERED && cause < 0))
        return BATON_OK;
    return needs_add(needs, use->stream, use->ticket, cause, err);
}

/* The host has waited for whatever may use the memory, and nobody has used it since: this operation, or the scope around it, which has held the lock ever since. */
static int waited(const struct operation_item *item)
{
    return item->taken || item->waited == item->memory->version + 1;
}

/* The same of what foreign code may have submitted to the stream: all that can be known of it, or, on a lent stream, all but what is recorded. */
static int waited_for(const struct operation *op, const struct operation_item *item, baton_stream *stream)
{
    struct use newest = { .stream = stream, .ticket = UINT64_MAX };
    return waited(item) && host_cause(op, item->memory, &newest) >= 0;
}

static int follows_record(const struct operation *op, const struct memory *memory, baton_stream *stream)
{
    struct use recorded = { .stream = stream };
    return stream_lent(stream) && host_cause(op, memory, &recorded) < 0;
}

static int32_t plan_exports(struct operation *op, struct operation_item *item, struct needs *needs, baton_error *err)
{
    struct memory *memory = item->memory;
    int32_t status = BATON_OK;
    memory_forget_gone_locked(memory);
    int waits = !(op->flags & OPERATION_NO_HOST_WAIT);          /* else those that cannot be followed on the device are left to the next operation */
    for (uint32_t i = 0; i < memory->export_count && !status; i++) {
        const struct consumer *consumer = &memory->exports[i];
        struct use use = { .stream = consumer->stream };
        int over = waited_for(op, item, use.stream);
        if (over && !follows_record(op, memory, use.stream))
            continue;
        use.ticket = over && consumer->live ? stream_newest(use.stream) : consumer_ticket(consumer);
        if (waits || use.stream == op->stream || !stream_out_of_reach(use.stream, use.ticket))
            status = plan_use(op, memory, &use, needs, err);
    }
    if (!status && memory_unnamed(memory, item->access) && waits && !waited(item))
        status = needs_add(needs, NULL, 0, BATON_HOST_WAIT_EXPORT, err);
    return status;
}

/* S9: nothing is known about when the captured work runs, so the host waits for all that may be it, each time. */
static int32_t plan_tainted(struct operation *op, struct operation_item *item, struct needs *needs, baton_error *err)
{
    struct memory *memory = item->memory;
    struct use uses[MEMORY_USES];
    int32_t status = BATON_OK;
    if (waited(item) || memory->capturer == op->stream)
        return BATON_OK;
    uint32_t count = memory_uses_locked(memory, op->stream, 0, uses);
    for (uint32_t i = 0; i < count && !status; i++)
        status = needs_add(needs, uses[i].stream, uses[i].ticket, BATON_HOST_WAIT_TAINTED, err);
    uses_release(uses, count);
    return status;
}

static int32_t plan_readers(struct operation *op, struct memory *memory, struct needs *needs, baton_error *err)
{
    int32_t status = BATON_OK;
    for (uint32_t i = 0; i < memory->reader_count && !status; i++)
        status = plan_use(op, memory, &memory->readers[i], needs, err);
    return status;
}

static int by_kernel(const struct operation *op)
{
    return op->kind == BATON_OP_LAUNCH || op->kind == BATON_OP_FILL || op->flags & OPERATION_KERNEL;
}

int32_t take_check(const struct operation *op, const struct operation_item *item, baton_error *err)
{
    const struct memory *memory = item->memory;
    if (memory->disposed)
        return fail(err, BATON_ERR_HANDLE, "the array's memory was disposed of");
    if (memory->read_only && item->access & BATON_WRITE)
        return fail(err, BATON_ERR_KIND, "the memory is read-only");
    if (memory->pageable && by_kernel(op))
        return fail(err, BATON_ERR_KIND, "kernels do not reach ordinary memory of the host: copy it to the device, or pin it");
    if (memory->device->driver != op->stream->device->driver)
        return fail(err, BATON_ERR_STREAM, "the array and the stream belong to different drivers");
    return BATON_OK;
}

/* S6: a ninth reader follows the oldest and takes its place. */
static int32_t plan_room(struct operation *op, struct memory *memory, struct needs *needs, baton_error *err)
{
    for (uint32_t i = 0; i < memory->reader_count; i++)
        if (memory->readers[i].stream == op->stream)
            return BATON_OK;
    return plan_use(op, memory, &memory->readers[0], needs, err);
}

/* The same stream's work, which another memory already made the operation follow on the device. */
static int asked_already(const struct operation *op, const struct memory *memory, const struct needs *needs)
{
    const struct need *first = needs->items;
    return needs->count && first->stream == memory->owner.stream && first->cause < 0 && first->ticket >= memory->owner.ticket &&
           memory->kind == BATON_DEVICE && take_plain(op, memory);
}

int32_t take_plan_locked(struct operation *op, struct operation_item *item, struct needs *needs, baton_error *err)
{
    struct memory *memory = item->memory;
    if (asked_already(op, memory, needs))
        return BATON_OK;
    int32_t status = take_check(op, item, err);
    if (status || op->captured || !atomic_load_explicit(&memory->synchronizing, memory_order_relaxed))
        return status;                                                  /* S2, S13 */
    if (memory->escaped && !waited_for(op, item, memory->owner.stream))
        memory->owner.ticket = stream_foreign_ticket(memory->owner.stream);   /* P4 */
    int waits = !(op->flags & OPERATION_NO_HOST_WAIT);
    if (memory->capturer && waits && (status = plan_tainted(op, item, needs, err)))
        return status;
    if (memory->owner.stream && (status = plan_use(op, memory, &memory->owner, needs, err)))
        return status;
    if (item->access & BATON_WRITE && memory->reader_count && (status = plan_readers(op, memory, needs, err)))
        return status;
    if (item->access == BATON_READ && memory->reader_count == MEMORY_READERS && (status = plan_room(op, memory, needs, err)))
        return status;
    return memory->export_count || memory_unnamed(memory, item->access) ? plan_exports(op, item, needs, err) : BATON_OK;
}

/* The newest first: a wait for a reader often covers the writer that the reader followed. The operation's ticket lies behind the waits; they have their own
 * where it has none, or may be long in coming. */
int32_t take_order(struct operation *op, const struct needs *needs, baton_error *err)
{
    int32_t status = BATON_OK;
    for (uint32_t left = needs->count; left > 0 && !status; left--) {
        const struct need *need = &needs->items[left - 1];
        if (left < needs->count && order_need(op->stream, need->stream, need->ticket) != ORDER_WAIT)
            continue;
        status = order_queue(op->stream, need->stream, need->ticket, err);
        op->waits += !status;
    }
    if (op->waits && (status || op->kind == BATON_OP_SCOPE))
        stream_ticket(op->stream, BATON_OP_WAIT);
    return status;
}

int32_t take_follow(struct operation *op, baton_error *err)
{
    if (order_need(op->stream, op->before.stream, op->before.ticket) != ORDER_WAIT)
        return BATON_OK;
    int32_t status = order_queue(op->stream, op->before.stream, op->before.ticket, err);
    op->waits += !status;
    return status;
}

int32_t take_wait(struct operation *op, const struct needs *needs, baton_error *err)
{
    int32_t status = BATON_OK;
    for (uint32_t i = 0; i < needs->count && !status; i++) {
        const struct need *need = &needs->items[i];
        struct wait_how how = { .mode = BATON_WAIT_AUTO, .cause = need->cause, .deadline_ns = WAIT_FOREVER,
                                .operation = op->kind, .task = atomic_load(&op->stream->task) };
        if (need->cause < 0)
            continue;
        status = need->stream ? wait_stream(need->stream, need->ticket, &how, err)
                              : wait_everything(op->stream->device, &how, err);
    }
    return status;
}
