#include "memory/foreign.h"

#include "memory/operation.h"

/* One short look or change; waits for the lock, with the thread's own scope as a clear error. */
static int32_t look(struct memory *memory, uint64_t *token, baton_error *err)
{
    struct lock_policy policy = memory_lock_policy(memory->runtime, 0);
    *token = lock_token();
    int32_t status = memory_lock(memory, *token, &policy, err);
    if (status == BATON_ERR_WOULD_DEADLOCK)
        return fail(err, BATON_ERR_SCOPE_OPEN, "memory %llu belongs to an open scope of this thread: end it before waiting",
                    (unsigned long long)memory->id);
    if (!status && memory->disposed) {
        lock_release(&memory->lock);
        return fail(err, BATON_ERR_HANDLE, "the array's memory was disposed of");
    }
    return status;
}

static int32_t wait_uses(const struct use *uses, uint32_t count, const struct wait_how *how, baton_error *err)
{
    int32_t status = BATON_OK;
    for (uint32_t i = 0; i < count && !status; i++)
        status = wait_stream(uses[i].stream, uses[i].ticket, how, err);
    return status;
}

/* Snapshot, release, wait. On success *version is the memory's at the snapshot. The lock is held on entry and not on return. */
static int32_t wait_snapshot(struct memory *memory, baton_stream *except, int writes_only, const struct wait_how *how,
                             uint64_t *version, baton_error *err)
{
    struct use uses[MEMORY_USES];
    uint32_t count = memory_uses_locked(memory, except, writes_only, uses);
    int unnamed = memory->exports_unnamed != 0;
    *version = memory->version;
    lock_release(&memory->lock);
    int32_t status = wait_uses(uses, count, how, err);
    if (!status && unnamed)
        status = wait_everything(memory->device, how, err);
    uses_release(uses, count);
    return status;
}

int32_t memory_wait(struct memory *memory, baton_stream *except, int writes_only, const struct wait_how *how, baton_error *err)
{
    uint64_t token, version;
    int32_t status = look(memory, &token, err);
    if (status)
        return status;
    status = wait_snapshot(memory, except, writes_only, how, &version, err);
    if (status || look(memory, &token, NULL))
        return status;
    memory_prune_locked(memory);
    lock_release(&memory->lock);
    return BATON_OK;
}

static void expose_locked(struct memory *memory, baton_stream *s)
{
    memory_publish_write_locked(memory, s, stream_ticket(s, BATON_OP_FOREIGN));
    memory_prune_locked(memory);
    memory->escaped = 1;
    memory_changed_locked(memory);
}

/* True when nothing has to be waited for before s may have the address. */
static int exposable_locked(struct memory *memory, baton_stream *s)
{
    struct use uses[MEMORY_USES];
    if (!atomic_load_explicit(&memory->synchronizing, memory_order_relaxed))
        return 1;                                           /* S13 */
    uint32_t count = memory_uses_locked(memory, s, 0, uses);
    uses_release(uses, count);
    return count == 0 && !memory->exports_unnamed;
}

int32_t memory_expose(struct memory *memory, baton_stream *s, uint32_t access, baton_error *err)
{
    struct wait_how how = { .mode = BATON_WAIT_AUTO, .cause = BATON_HOST_WAIT_FOREIGN, .deadline_ns = WAIT_FOREVER, .operation = BATON_OP_POINTER };
    uint64_t token, version = UINT64_MAX;
    if (memory->read_only && access & BATON_WRITE)
        return fail(err, BATON_ERR_KIND, "the memory is read-only");
    for (;;) {
        int32_t status = look(memory, &token, err);
        if (status)
            return status;
        if (memory->version == version || exposable_locked(memory, s))
            break;
        status = wait_snapshot(memory, s, 0, &how, &version, err);
        if (status)
            return status;
    }
    expose_locked(memory, s);
    lock_release(&memory->lock);
    return BATON_OK;
}

/* s is made to follow the other uses on the device, so that whoever follows s from now on follows them all. */
int32_t memory_note_use(struct memory *memory, baton_stream *s, baton_error *err)
{
    struct operation op;
    operation_init(&op, s, BATON_OP_FOREIGN, 0);
    int32_t status = operation_add(&op, memory, memory->read_only ? BATON_READ : BATON_READ_WRITE, err);
    if (!status)
        status = operation_begin(&op, err);
    if (status || op.captured) {
        status ? operation_discard(&op) : operation_submitted(&op);
        return status;
    }
    operation_expose(&op);
    return BATON_OK;
}

int32_t memory_fence(struct memory *memory, baton_fence **fence, baton_error *err)
{
    struct use uses[MEMORY_USES];
    uint64_t token;
    int32_t status = look(memory, &token, err);
    if (status)
        return status;
    uint32_t count = memory_uses_locked(memory, NULL, 0, uses);
    lock_release(&memory->lock);
    status = fence_make(memory->runtime, uses, count, fence, err);
    uses_release(uses, count);
    return status;
}

int32_t memory_query(struct memory *memory, baton_error *err)
{
    baton_fence *fence;
    int32_t status = memory_fence(memory, &fence, err);
    if (status)
        return status;
    status = baton_fence_query(fence, err);
    baton_fence_release(fence);
    return status;
}
