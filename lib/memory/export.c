#include "memory/export.h"

#include <stdlib.h>

#include "memory/export_parts.h"
#include "memory/foreign.h"
#include "stream/capture.h"

/* The consumer's stream, which may have work on the memory, becomes the last user and follows everybody else's. */
int32_t export_operate(struct memory *memory, baton_stream *s, uint32_t flags, uint32_t access, struct operation *op, baton_error *err)
{
    operation_init(op, s, BATON_OP_FOREIGN, 0);
    op->flags = flags;
    int32_t status = operation_add(op, memory, memory->read_only ? BATON_READ : access, err);
    if (!status)
        status = operation_begin(op, err);
    if (status)
        operation_discard(op);
    return status;
}

static uint32_t find_locked(const struct memory *memory, const baton_stream *s)
{
    uint32_t i = 0;
    while (i < memory->export_count && memory->exports[i].stream != s)
        i++;
    return i;
}

static void remove_locked(struct memory *memory, const baton_stream *s)
{
    uint32_t i = find_locked(memory, s);
    if (--memory->exports[i].live)
        return;
    stream_release(memory->exports[i].stream);
    memory->exports[i] = memory->exports[--memory->export_count];
}

static int32_t lock_to_end(struct memory *memory)
{
    struct lock_policy policy = memory_lock_policy(memory->runtime, 1);
    return memory_lock(memory, lock_token(), &policy, NULL);
}

/* The end is ordered nowhere: the consumer stays in the list until all that it can have left on its stream has finished. */
static void leave_locked(struct memory *memory, baton_stream *s)
{
    struct consumer *consumer = &memory->exports[find_locked(memory, s)];
    if (--consumer->live == 0)
        consumer->ticket = stream_foreign_ticket(s);
    memory_changed_locked(memory);
}

static int32_t leave(struct export *export)
{
    int32_t status = lock_to_end(export->memory);
    if (status)
        return status;
    leave_locked(export->memory, export->place);
    lock_release(&export->memory->lock);
    return BATON_OK;
}

/* Whether the consumer's stream cannot become the last user now: it may be gone, or foreign code has the address (P4), and the memory stays that code's. */
static int32_t is_apart(struct export *export, int *apart)
{
    int32_t status = lock_to_end(export->memory);
    if (status)
        return status;
    *apart = stream_lent(export->place) || export->memory->escaped;
    lock_release(&export->memory->lock);
    return BATON_OK;
}

static void end_operation(struct export *export, struct operation *op)
{
    struct memory *memory = export->memory;
    if (memory->escaped && !op->captured) {     /* since just now */
        leave_locked(memory, export->place);
        operation_withdraw(op);
    } else {
        remove_locked(memory, export->place);
        operation_submitted(op);
    }
}

static int32_t end_named(struct export *export)
{
    struct operation op;
    int apart;
    if (device_usable(export->memory->device, NULL))
        return BATON_OK;
    int32_t status = is_apart(export, &apart);
    if (status || apart)
        return status ? status : leave(export);
    status = export_operate(export->memory, export->place, OPERATION_TRY | OPERATION_NO_HOST_WAIT, BATON_READ_WRITE, &op, NULL);
    if (status == BATON_NOT_READY)              /* the host would have to wait for others */
        return leave(export);
    if (!status && op.tracked) {                /* a capture began: the memory is not locked, and nothing is given back now */
        operation_failed(&op);
        return BATON_NOT_READY;
    }
    if (!status)
        end_operation(export, &op);
    return status;
}

static int32_t end_unnamed(struct export *export)
{
    int32_t status = lock_to_end(export->memory);
    if (status)
        return status;
    export->unnamed->over++;
    memory_changed_locked(export->memory);
    lock_release(&export->memory->lock);
    return BATON_OK;
}

static enum deferred_result export_reclaim(struct deferred *node)
{
    struct export *export = (struct export *)((char *)node - offsetof(struct export, node));
    if ((export->place && end_named(export)) || (export->unnamed && end_unnamed(export)))
        return DEFERRED_LATER;
    export_destroy_event(export);
    stream_release(export->stream);
    memory_release(export->memory);
    free(export);
    return DEFERRED_DONE;
}

void export_end(struct export *export)
{
    while (export) {
        struct export *older = export->older;
        runtime_defer(export->memory->runtime, &export->node);      /* from here on it may be gone */
        export = older;
    }
}

void export_count_locked(struct export *export, struct unnamed *unnamed)
{
    export->unnamed = unnamed;
    unnamed->count++;
    memory_changed_locked(export->memory);
}

/* More named consumers than places: the surplus counts as being on every stream. */
static void add_locked(struct export *export)
{
    struct memory *memory = export->memory;
    memory_forget_gone_locked(memory);
    uint32_t i = find_locked(memory, export->stream);
    if (i == MEMORY_EXPORTS) {
        export_count_locked(export, &memory->unnamed);
        return;
    }
    if (i == memory->export_count) {
        stream_retain(export->stream);
        memory->exports[i] = (struct consumer) { .stream = export->stream };
        memory->export_count++;
    }
    memory->exports[i].live++;
    export->place = export->stream;
    memory_changed_locked(memory);
}

static int32_t captured(baton_error *err)
{
    return fail(err, BATON_ERR_CAPTURE, "the consumer's stream is being captured: the order between it and this memory cannot be known");
}

/* The stream follows the memory's uses; the memory stays locked until operation_submitted. */
static int32_t follow(struct memory *memory, baton_stream *s, struct operation *op, baton_error *err)
{
    int32_t status = stream_tracked(s) ? captured(err) : export_operate(memory, s, 0, BATON_READ_WRITE, op, err);
    if (!status && op->tracked) {           /* since just now */
        operation_failed(op);
        status = captured(err);
    }
    return status;
}

static int32_t start_named(struct export *export, baton_stream *s, baton_error *err)
{
    struct operation op;
    int32_t status = follow(export->memory, s, &op, err);
    if (status)
        return status;
    stream_retain(s);
    export->stream = s;
    if (export->memory->bytes)
        add_locked(export);
    operation_submitted(&op);
    return BATON_OK;
}

static int32_t start_unordered(struct export *export, struct unnamed *unnamed, baton_error *err)
{
    struct lock_policy policy = memory_lock_policy(export->memory->runtime, 0);
    int32_t status = memory_lock(export->memory, lock_token(), &policy, err);
    if (status)
        return status;
    if (export->memory->disposed)
        status = fail(err, BATON_ERR_HANDLE, "the array's memory was disposed of");
    else if (export->memory->bytes)
        export_count_locked(export, unnamed);
    lock_release(&export->memory->lock);
    return status;
}

static int32_t start_unnamed(struct export *export, struct unnamed *unnamed, baton_error *err)
{
    struct wait_how how = { .mode = BATON_WAIT_AUTO, .cause = BATON_HOST_WAIT_FOREIGN, .deadline_ns = WAIT_FOREVER, .operation = BATON_OP_FOREIGN };
    int32_t status = memory_wait(export->memory, NULL, unnamed == &export->memory->reading, &how, err);
    return status ? status : start_unordered(export, unnamed, err);
}

int32_t export_owner(struct memory *memory, baton_stream **owner, baton_error *err)
{
    struct lock_policy policy = memory_lock_policy(memory->runtime, 0);
    int32_t status = memory_lock(memory, lock_token(), &policy, err);
    if (status)
        return status;
    baton_stream *found = memory->owner.stream;
    if (found && (found->kind == STREAM_PER_THREAD || stream_tracked(found) || stream_lent(found)))
        found = NULL;
    if (found)
        stream_retain(found);
    lock_release(&memory->lock);
    *owner = found;
    return BATON_OK;
}

struct export *export_new(struct memory *memory, baton_error *err)
{
    struct export *made = calloc(1, sizeof *made);
    if (!made) {
        fail(err, BATON_ERR_MEMORY, "no host memory for an export");
        return NULL;
    }
    made->node.reclaim = export_reclaim;
    made->memory = memory;
    return made;
}

int32_t export_finish(struct export *made, int32_t status, struct export **export)
{
    if (status) {
        free(made);
        return status;
    }
    memory_retain(made->memory);
    *export = made;
    return BATON_OK;
}

int32_t export_make(struct memory *memory, baton_stream *s, struct export **export, baton_error *err)
{
    struct export *made = export_new(memory, err);
    if (!made)
        return BATON_ERR_MEMORY;
    return export_finish(made, s ? start_named(made, s, err) : start_unnamed(made, &memory->unnamed, err), export);
}

int32_t export_make_unordered(struct memory *memory, struct export **export, baton_error *err)
{
    struct export *made = export_new(memory, err);
    return made ? export_finish(made, start_unordered(made, &memory->unnamed, err), export) : BATON_ERR_MEMORY;
}

int32_t export_make_read(struct memory *memory, struct export **export, baton_error *err)
{
    struct export *made = export_new(memory, err);
    return made ? export_finish(made, start_unnamed(made, &memory->reading, err), export) : BATON_ERR_MEMORY;
}

driver_event *export_event(struct export *export)
{
    return &export->event;
}

baton_stream *export_stream(const struct export *export)
{
    return export->stream;
}

int export_is_of(const struct export *export, const struct memory *memory)
{
    return export->memory == memory;
}

void export_chain(struct export *export, struct export *older)
{
    export->older = older;
}

int32_t export_follow(struct export *export, baton_error *err)
{
    struct operation op;
    int32_t status = follow(export->memory, export->stream, &op, err);
    if (!status)
        operation_submitted(&op);
    return status;
}
