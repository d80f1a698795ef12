#include "memory/export.h"

#include <stdlib.h>

#include "memory/foreign.h"
#include "memory/operation.h"

struct export {
    struct deferred node;
    struct memory *memory;      /* retained */
    baton_stream *stream;       /* retained; NULL: counted as unnamed */
};

/* The consumer's stream, which may have work on the memory, becomes the last user and follows everybody else's. */
static int32_t operate(struct memory *memory, baton_stream *s, uint32_t flags, struct operation *op, baton_error *err)
{
    operation_init(op, s, BATON_OP_FOREIGN, 0);
    op->flags = flags;
    int32_t status = operation_add(op, memory, memory->read_only ? BATON_READ : BATON_READ_WRITE, err);
    if (!status)
        status = operation_begin(op, err);
    if (status)
        operation_discard(op);
    return status;
}

static void remove_locked(struct memory *memory, const baton_stream *s)
{
    for (uint32_t i = 0; i < memory->export_count; i++)
        if (memory->exports[i] == s) {
            stream_release(memory->exports[i]);
            memory->exports[i] = memory->exports[--memory->export_count];
            return;
        }
}

static int32_t end_named(struct export *export)
{
    struct operation op;
    if (device_usable(export->memory->device, NULL))
        return BATON_OK;
    int32_t status = operate(export->memory, export->stream, OPERATION_TRY | OPERATION_NO_HOST_WAIT, &op, NULL);
    if (!status && op.tracked) {            /* a capture began: the memory is not locked, and nothing is given back now */
        operation_failed(&op);
        status = BATON_NOT_READY;
    }
    if (status)
        return status;
    remove_locked(export->memory, export->stream);
    operation_submitted(&op);
    return BATON_OK;
}

static int32_t end_unnamed(struct export *export)
{
    struct lock_policy policy = memory_lock_policy(export->memory->runtime, 1);
    int32_t status = memory_lock(export->memory, lock_token(), &policy, NULL);
    if (status)
        return status;
    export->memory->unnamed_over++;
    memory_changed_locked(export->memory);
    lock_release(&export->memory->lock);
    return BATON_OK;
}

static enum deferred_result export_reclaim(struct deferred *node)
{
    struct export *export = (struct export *)((char *)node - offsetof(struct export, node));
    if (export->stream ? end_named(export) : end_unnamed(export))
        return DEFERRED_LATER;
    stream_release(export->stream);
    memory_release(export->memory);
    free(export);
    return DEFERRED_DONE;
}

void export_end(struct export *export)
{
    runtime_defer(export->memory->runtime, &export->node);
}

/* More named consumers than places: the surplus counts as being on every stream. */
static void add_locked(struct export *export, baton_stream *s)
{
    struct memory *memory = export->memory;
    if (s && memory->export_count < MEMORY_EXPORTS) {
        stream_retain(s);
        stream_retain(s);
        memory->exports[memory->export_count++] = s;
        export->stream = s;
    } else {
        memory->exports_unnamed++;
    }
    memory_changed_locked(memory);
}

static int32_t captured(baton_error *err)
{
    return fail(err, BATON_ERR_CAPTURE, "the consumer's stream is being captured: the order between it and this memory cannot be known");
}

static int32_t start_named(struct export *export, baton_stream *s, baton_error *err)
{
    struct operation op;
    int32_t status = stream_tracked(s) ? captured(err) : operate(export->memory, s, 0, &op, err);
    if (!status && op.tracked) {            /* since just now */
        operation_failed(&op);
        status = captured(err);
    }
    if (status)
        return status;
    if (export->memory->bytes)
        add_locked(export, s);
    operation_submitted(&op);
    return BATON_OK;
}

static int32_t start_unnamed(struct export *export, baton_error *err)
{
    struct wait_how how = { .mode = BATON_WAIT_AUTO, .cause = BATON_HOST_WAIT_FOREIGN, .deadline_ns = WAIT_FOREVER, .operation = BATON_OP_FOREIGN };
    struct lock_policy policy = memory_lock_policy(export->memory->runtime, 0);
    int32_t status = memory_wait(export->memory, NULL, 0, &how, err);
    if (status || (status = memory_lock(export->memory, lock_token(), &policy, err)))
        return status;
    add_locked(export, NULL);
    lock_release(&export->memory->lock);
    return BATON_OK;
}

int32_t export_make(struct memory *memory, baton_stream *s, struct export **export, baton_error *err)
{
    struct export *made = calloc(1, sizeof *made);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for an export");
    made->node.reclaim = export_reclaim;
    made->memory = memory;
    int32_t status = s ? start_named(made, s, err) : start_unnamed(made, err);
    if (status) {
        free(made);
        return status;
    }
    memory_retain(memory);
    *export = made;
    return BATON_OK;
}
