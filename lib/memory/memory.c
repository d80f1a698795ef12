#include "memory/memory.h"

#include <stdlib.h>

#include "memory/pool.h"
#include "stream/capture.h"
#include "stream/order.h"
#include "stream/wait.h"

static struct memory *memory_of(struct deferred *node)
{
    return (struct memory *)((char *)node - offsetof(struct memory, node));
}

void memory_retain(struct memory *memory)
{
    atomic_fetch_add_explicit(&memory->handle.references, 1, memory_order_relaxed);
}

void memory_release(struct memory *memory)
{
    if (!memory || !handle_release(&memory->handle, HANDLE_MEMORY))
        return;
    atomic_fetch_add_explicit(&memory->device->deferred_bytes, atomic_load(&memory->charge), memory_order_relaxed);
    runtime_defer(memory->runtime, &memory->node);
}

struct lock_policy memory_lock_policy(baton_runtime *runtime, int try_only)
{
    int closed = atomic_load_explicit(&runtime->closed, memory_order_relaxed);
    return (struct lock_policy) { .try_only = try_only, .yield = closed ? NULL : runtime->options.yield,
                                  .user = runtime->options.user, .longest_wait_ns = &runtime->longest_lock_wait_ns };
}

int32_t memory_lock(struct memory *memory, uint64_t token, const struct lock_policy *policy, baton_error *err)
{
    int32_t status = lock_acquire(&memory->lock, token, policy);
    switch (status) {
    case BATON_OK:
    case BATON_WOULD_BLOCK:
        return status;
    case BATON_ERR_HOOK:
        return fail(err, status, "the yield hook returned nonzero");
    default:
        return fail(err, status, "memory %llu is locked by scope %llx, which was begun on this thread: end it first",
                    (unsigned long long)memory->id, (unsigned long long)lock_holder(&memory->lock));
    }
}

/* What was queued on a device that is lost will not run any more. */
static int over(const struct use *use)
{
    return device_usable(use->stream->device, NULL) != BATON_OK;
}

/* The free lies behind every reader: the owner's stream follows them on the device. */
static int32_t order_readers(struct memory *memory, baton_stream *stream)
{
    struct use uses[MEMORY_USES];
    int32_t status = BATON_OK;
    uint32_t count = memory_uses_locked(memory, stream, 0, uses);
    for (uint32_t i = 0; i < count && !status; i++)
        if (!over(&uses[i]) && order_need(stream, uses[i].stream, uses[i].ticket) == ORDER_WAIT)
            status = order_wait(stream, uses[i].stream, uses[i].ticket, NULL);
    uses_release(uses, count);
    return status;
}

/* Whether every use has finished. Never waits: asks the driver once per unfinished use. */
static int32_t query_uses(struct memory *memory)
{
    struct use uses[MEMORY_USES];
    int32_t status = memory_unnamed(memory, BATON_WRITE) ? query_everything(memory->device) : BATON_OK;
    uint32_t count = memory_uses_locked(memory, NULL, 0, uses);
    for (uint32_t i = 0; i < count && !status; i++) {
        struct mark *mark;
        if (over(&uses[i]))
            continue;
        status = stream_mark(uses[i].stream, uses[i].ticket, 0, &mark, NULL);
        if (status)
            break;
        status = wait_query(uses[i].stream, mark, BATON_OP_FREE, NULL);
        mark_release(mark);
    }
    uses_release(uses, count);
    return status;
}

/* The stream in whose order device memory is given back: its last owner's, unless only one thread can record there. */
static int32_t free_stream(struct memory *memory, baton_stream **stream)
{
    *stream = memory->owner.stream;
    if (*stream && (*stream)->kind == STREAM_ORDINARY && device_same((*stream)->device, memory->device))
        return BATON_OK;
    return stream_service(memory->device, stream, NULL);
}

/* Device memory: a free in stream order, behind every reader. BATON_NOT_READY while somebody else captures that stream. */
static int32_t give_back(struct memory *memory)
{
    baton_stream *stream = NULL;
    int capturing = 0;
    if (memory->kind != BATON_DEVICE)
        return pool_free(memory->device, memory->kind, memory->address, memory->bytes, NULL);
    int32_t status = free_stream(memory, &stream);
    if (status || (status = stream_foreign_capture(stream, &capturing, NULL)))
        return status;
    if (submission_enter(stream) || capturing)
        status = BATON_NOT_READY;
    if (!status)
        status = order_readers(memory, stream);
    if (!status)
        status = pool_free(memory->device, memory->kind, memory->address, memory->bytes, stream);
    submission_leave(stream);
    return status;
}

/* Gives the bytes back, or a nonzero status: too early, or the driver refused for now. Nobody else can use the memory meanwhile. */
static int32_t retire(struct memory *memory)
{
    int lost = device_usable(memory->device, NULL) != BATON_OK;
    int must_be_finished = memory->foreign || memory->kind != BATON_DEVICE || memory->capturer || memory_unnamed(memory, BATON_WRITE);
    int32_t status = !lost && must_be_finished ? query_uses(memory) : BATON_OK;
    if (status)
        return status;
    if (memory->foreign && memory->deleter)
        memory->deleter(memory->user, memory->address);
    if (memory->foreign || memory->bytes == 0)
        return BATON_OK;
    if (lost)
        return pool_free(memory->device, memory->kind, memory->address, memory->bytes, NULL);
    return give_back(memory);
}

static void forget_uses(struct memory *memory)
{
    stream_release(memory->owner.stream);
    stream_release(memory->capturer);
    uses_release(memory->readers, memory->reader_count);
    uses_release(memory->pending, memory->pending_count);
    for (uint32_t i = 0; i < memory->export_count; i++)
        stream_release(memory->exports[i]);
    memory->owner = (struct use) { .stream = NULL };
    memory->capturer = NULL;
    memory->escaped = 0;
    memory->reader_count = memory->pending_count = memory->export_count = 0;
}

static enum deferred_result memory_reclaim(struct deferred *node)
{
    struct memory *memory = memory_of(node);
    baton_runtime *runtime = memory->runtime;
    if (!memory->disposed && retire(memory)) {
        memory->escaped = 0;        /* nobody is left to submit foreign work: the ticket drawn just now was the last */
        return DEFERRED_LATER;
    }
    atomic_fetch_sub_explicit(&memory->device->deferred_bytes, atomic_load(&memory->charge), memory_order_relaxed);
    forget_uses(memory);
    handle_free(&memory->handle);
    runtime_release(runtime);
    return DEFERRED_DONE;
}

static int exported(const struct memory *memory)
{
    return memory->export_count || memory->unnamed.count > memory->unnamed.over || memory->reading.count > memory->reading.over;
}

/* Closes the memory to every later use, or opens it again. */
static int32_t set_disposed(struct memory *memory, int disposed, baton_error *err)
{
    struct lock_policy policy = memory_lock_policy(memory->runtime, 0);
    int32_t status = memory_lock(memory, lock_token(), &policy, err);
    if (status)
        return status;
    if (disposed && memory->disposed)
        status = BATON_NOT_READY;
    else if (disposed && exported(memory))
        status = fail(err, BATON_ERR_BUSY, "the memory is exported to another library, which has not given it back yet");
    else
        memory->disposed = disposed;
    lock_release(&memory->lock);
    return status;
}

int32_t memory_dispose(struct memory *memory, baton_error *err)
{
    int32_t status = set_disposed(memory, 1, err);
    if (status)
        return status == BATON_NOT_READY ? BATON_OK : status;       /* it was disposed of before */
    status = retire(memory);                                        /* with no lock held: a deleter may be called */
    if (status) {
        set_disposed(memory, 0, NULL);
        return status < 0 ? fail(err, status, "the memory could not be given back now") : status;
    }
    atomic_store(&memory->charge, 0);
    forget_uses(memory);
    memory_changed_locked(memory);
    return BATON_OK;
}

static struct memory *memory_new(const struct memory_options *options)
{
    static _Atomic uint64_t last;
    struct memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return NULL;
    handle_init(&memory->handle, HANDLE_MEMORY);
    memory->node.reclaim = memory_reclaim;
    memory->runtime = options->device->runtime;
    memory->device = options->device;
    memory->id = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    memory->kind = options->kind;
    memory->bytes = options->bytes;
    atomic_init(&memory->synchronizing, 1);
    runtime_retain(memory->runtime);
    return memory;
}

static void memory_discard(struct memory *memory)
{
    baton_runtime *runtime = memory->runtime;
    handle_free(&memory->handle);
    runtime_release(runtime);
}

/* C9: memory for a captured stream comes from outside the capture, on the device's own stream. */
static int32_t alloc(struct memory_options *on, uint64_t *address, uint64_t *ticket, baton_error *err)
{
    int32_t status = pool_alloc(on, address, ticket, err);
    if (status != BATON_ERR_CAPTURE)
        return status;
    status = stream_service(on->device, &on->stream, err);
    return status ? status : pool_alloc(on, address, ticket, err);
}

int32_t memory_create(const struct memory_options *options, struct memory **memory, baton_error *err)
{
    struct memory *made = memory_new(options);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for an array");
    struct memory_options on = *options;
    uint64_t ticket = 0;
    int32_t status = options->bytes ? alloc(&on, &made->address, &ticket, err) : BATON_OK;
    if (status) {
        memory_discard(made);
        return status;
    }
    atomic_init(&made->charge, options->bytes);
    if (ticket)                             /* the allocation itself is work on the stream */
        memory_publish_write_locked(made, on.stream, ticket);
    *memory = made;
    return BATON_OK;
}

int32_t memory_wrap(const struct memory_options *options, uint64_t address, baton_deleter deleter, void *user, int read_only, struct memory **memory,
                    baton_error *err)
{
    struct memory *made = memory_new(options);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for an array");
    made->foreign = 1;
    made->address = address;
    made->deleter = deleter;
    made->user = user;
    made->read_only = read_only;
    if (options->stream) {
        memory_publish_write_locked(made, options->stream, stream_ticket(options->stream, BATON_OP_FOREIGN));
        made->escaped = 1;                                      /* P4 */
        memory_changed_locked(made);
    }
    *memory = made;
    return BATON_OK;
}
