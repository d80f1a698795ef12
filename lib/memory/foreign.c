#include "memory/foreign.h"

#include "memory/operation.h"
#include "stream/capture.h"

enum { ROUNDS = 2 };            /* of waits for the host, before it is the device's turn */

static int32_t wait_to_look(struct memory *memory, uint64_t token, baton_error *err)
{
    struct lock_policy policy = memory_lock_policy(memory->runtime, 0);
    int32_t status = memory_lock(memory, token, &policy, err);
    if (status != BATON_ERR_WOULD_DEADLOCK)
        return status;
    return fail(err, BATON_ERR_SCOPE_OPEN, "memory %llu belongs to an open scope of this thread: end it before waiting", (unsigned long long)memory->id);
}

/* One short look or change; waits for the lock, with the thread's own scope as a clear error. The token is *token's address: it only has to differ from
 * those of others that live at the same time. */
static int32_t look(struct memory *memory, uint64_t *token, baton_error *err)
{
    int32_t status = BATON_OK;
    *token = (uint64_t)(uintptr_t)token;
    if (!lock_try(&memory->lock, *token))
        status = wait_to_look(memory, *token, err);
    if (!status && memory->disposed) {
        lock_release(&memory->lock);
        return fail(err, BATON_ERR_HANDLE, "the array's memory was disposed of");
    }
    return status;
}

/* Waits for the snapshot, with no lock held, and releases it. */
static int32_t wait_uses(struct memory *memory, struct use *uses, uint32_t count, int unnamed, const struct wait_how *how, baton_error *err)
{
    int32_t status = BATON_OK;
    for (uint32_t i = 0; i < count && !status; i++)
        status = wait_stream(uses[i].stream, uses[i].ticket, how, err);
    if (!status && unnamed)
        status = wait_everything(memory->device, how, err);
    uses_release(uses, count);
    return status;
}

int32_t memory_wait(struct memory *memory, baton_stream *except, int writes_only, const struct wait_how *how, baton_error *err)
{
    struct use uses[MEMORY_USES];
    uint64_t token;
    int32_t status = look(memory, &token, err);
    if (status)
        return status;
    uint32_t count = memory_uses_locked(memory, except, writes_only, uses);
    int unnamed = memory_unnamed(memory, writes_only ? BATON_READ : BATON_READ_WRITE);
    lock_release(&memory->lock);
    if (count == 0 && !unnamed)
        return BATON_OK;                                    /* H2 */
    status = wait_uses(memory, uses, count, unnamed, how, err);
    if (status || look(memory, &token, NULL))
        return status;
    memory_prune_locked(memory);
    lock_release(&memory->lock);
    return BATON_OK;
}

static void expose_locked(struct memory *memory, baton_stream *s)
{
    memory_publish_write_locked(memory, s, stream_foreign_ticket(s));
    memory_prune_locked(memory);
    memory->escaped = 1;
    memory_changed_locked(memory);
}

/* What has to be waited for before s may have the address. */
static uint32_t snapshot_locked(struct memory *memory, baton_stream *s, struct use *uses, int *unnamed)
{
    int waits = atomic_load_explicit(&memory->synchronizing, memory_order_relaxed);     /* S13 */
    *unnamed = waits && memory_unnamed(memory, BATON_READ_WRITE);
    return waits ? memory_uses_locked(memory, s, 0, uses) : 0;
}

/* An operation of foreign code, with nothing of the library's to submit. With `how`, the host then waits for what s was made to follow. */
static int32_t operate(struct memory *memory, baton_stream *s, int32_t kind, uint32_t access, const struct wait_how *how, baton_error *err)
{
    struct operation op;
    struct use uses[MEMORY_USES];
    uint32_t count = 0;
    int unnamed = 0;
    operation_init(&op, s, kind, 0);
    int32_t status = operation_add(&op, memory, access, err);
    if (!status)
        status = operation_begin(&op, err);
    if (status) {
        operation_discard(&op);
    } else if (op.captured) {
        operation_submitted(&op);
    } else {
        if (how)
            count = snapshot_locked(memory, s, uses, &unnamed);
        operation_expose(&op);
    }
    return count || unnamed ? wait_uses(memory, uses, count, unnamed, how, err) : status;
}

/* S12: the foreign code's work on s must reach it. */
static int32_t reach(const struct memory *memory, baton_stream *s, baton_error *err)
{
    return memory->kind != BATON_DEVICE || device_same(s->device, memory->device) ? BATON_OK : device_reach(s->device, memory->device, err);
}

/* While the host waits, others go on using the memory, and then there is more to wait for. After some rounds s takes it on the device first: others are behind s from
 * then on, and what is left to wait for has an end. */
int32_t memory_expose(struct memory *memory, baton_stream *s, uint32_t access, baton_error *err)
{
    struct wait_how how = { .mode = BATON_WAIT_AUTO, .cause = BATON_HOST_WAIT_FOREIGN, .deadline_ns = WAIT_FOREVER, .operation = BATON_OP_POINTER,
                            .task = atomic_load(&s->task) };
    struct use uses[MEMORY_USES];
    uint64_t token, version = UINT64_MAX;
    int unnamed, capturing;
    if (memory->read_only && access & BATON_WRITE)
        return fail(err, BATON_ERR_KIND, "the memory is read-only");
    int32_t status = reach(memory, s, err);
    for (int round = 0; !status; round++) {
        status = stream_foreign_capture(s, &capturing, err);
        if (!status && (capturing || stream_tracked(s)))
            return operate(memory, s, BATON_OP_POINTER, access, NULL, err);
        if (!status && round == ROUNDS)
            return operate(memory, s, BATON_OP_POINTER, memory->read_only ? BATON_READ : BATON_READ_WRITE, &how, err);
        if (status || (status = look(memory, &token, err)))
            return status;
        uint32_t count = memory->version == version ? 0 : snapshot_locked(memory, s, uses, &unnamed);
        if (memory->version == version || (count == 0 && !unnamed))
            break;
        version = memory->version;
        lock_release(&memory->lock);
        status = wait_uses(memory, uses, count, unnamed, &how, err);
    }
    if (status)
        return status;
    int captured = submission_enter(s) != NULL;
    if (!captured)
        expose_locked(memory, s);
    submission_leave(s);
    lock_release(&memory->lock);
    return captured ? operate(memory, s, BATON_OP_POINTER, access, NULL, err) : BATON_OK;
}

/* s is made to follow the other uses on the device, so that whoever follows s from now on follows them all. */
int32_t memory_note_use(struct memory *memory, baton_stream *s, baton_error *err)
{
    return operate(memory, s, BATON_OP_FOREIGN, memory->read_only ? BATON_READ : BATON_READ_WRITE, NULL, err);
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
