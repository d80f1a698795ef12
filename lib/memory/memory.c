#include <stdlib.h>

#include "memory/cache.h"
#include "memory/memory_parts.h"
#include "memory/pool.h"

void memory_retain(struct memory *memory)
{
    atomic_fetch_add_explicit(&memory->handle.references, 1, memory_order_relaxed);
}

static void charge_deferred(struct memory *memory)
{
    atomic_fetch_add_explicit(&memory->device->dropped_bytes, atomic_load_explicit(&memory->charge, memory_order_relaxed), memory_order_relaxed);
}

int memory_drop(struct memory *memory)
{
    int last = handle_release(&memory->handle, HANDLE_MEMORY);
    if (last)
        charge_deferred(memory);
    return last;
}

void memory_drop_last(struct memory *memory)
{
    atomic_store_explicit(&memory->handle.references, 0, memory_order_relaxed);
    charge_deferred(memory);
}

void memory_release(struct memory *memory)
{
    if (memory && memory_drop(memory))
        runtime_defer(memory->runtime, &memory->node);
}

struct lock_policy memory_lock_policy(baton_runtime *runtime, int try_only)
{
    int closed = atomic_load_explicit(&runtime->closed, memory_order_relaxed);
    return (struct lock_policy) { .try_only = try_only || runtime->options.flags & BATON_RUNTIME_TRY, .yield = closed ? NULL : runtime->options.yield,
                                  .user = runtime->options.user, .longest_wait_ns = &runtime->longest_lock_wait_ns };
}

/* Which memory it is tells a task that asks whether it holds that itself. */
static int32_t held_elsewhere(const struct memory *memory, baton_error *err)
{
    baton_error record = error_none();
    fail(&record, BATON_WOULD_BLOCK, "memory %llu is held by a scope or an operation: try again once that has ended", (unsigned long long)memory->id);
    record.memory_id = memory->id;
    return fail_with(err, &record);
}

int32_t memory_lock(struct memory *memory, uint64_t token, const struct lock_policy *policy, baton_error *err)
{
    int32_t status = lock_acquire(&memory->lock, token, policy);
    switch (status) {
    case BATON_OK:
        return status;
    case BATON_WOULD_BLOCK:
        return held_elsewhere(memory, err);
    case BATON_ERR_HOOK:
        return fail(err, status, "the yield hook returned nonzero");
    default:
        return fail(err, status, "memory %llu is locked by scope %llx, which was begun on this thread: end it first",
                    (unsigned long long)memory->id, (unsigned long long)lock_holder(&memory->lock));
    }
}

/* Nobody is left to submit foreign work: the ticket drawn just now was the last. A capturer that may be gone is like a consumer that is. */
static void settle_foreign(struct memory *memory)
{
    memory->escaped = 0;
    if (!memory->capturer || !stream_lent(memory->capturer) || memory->export_count == MEMORY_EXPORTS)
        return;
    memory->exports[memory->export_count++] = (struct consumer) { .stream = memory->capturer, .ticket = stream_foreign_ticket(memory->capturer) };
    memory->capturer = NULL;
}

enum deferred_result memory_reclaim(struct memory *memory, enum cache_how how)
{
    baton_runtime *runtime = memory->runtime;
    if (!lock_is_free(&memory->lock))
        return DEFERRED_LATER;      /* an operation on its way still uses it (O2) */
    struct device *device = memory->device;
    uint64_t charge = atomic_load(&memory->charge);
    if (cache_put(memory, how))         /* from now on it may be somebody else's */
        return DEFERRED_DONE;
    if (how == CACHE_AT_ONCE)
        return DEFERRED_LATER;
    if (!memory->disposed && memory_retire(memory)) {
        settle_foreign(memory);
        return DEFERRED_LATER;
    }
    atomic_fetch_sub_explicit(&device->dropped_bytes, charge, memory_order_relaxed);
    memory_forget_uses(memory);
    memory_free(memory);
    runtime_release(runtime);
    return DEFERRED_DONE;
}

static enum deferred_result reclaim_node(struct deferred *node)
{
    return memory_reclaim((struct memory *)((char *)node - offsetof(struct memory, node)), CACHE_FULLY);
}

static int exported(const struct memory *memory)
{
    for (uint32_t i = 0; i < memory->export_count; i++)
        if (memory->exports[i].live)
            return 1;
    return memory->unnamed.count > memory->unnamed.over || memory->reading.count > memory->reading.over;
}

/* Closes the memory to every later use, or opens it again: the lock of closed memory is held by nobody for long. */
static int32_t set_disposed(struct memory *memory, int disposed, baton_error *err)
{
    struct lock_policy policy = memory_lock_policy(memory->runtime, 0);
    policy.try_only &= disposed;
    int32_t status = memory_lock(memory, lock_token(), &policy, err);
    if (status)
        return status;
    if (disposed && memory->disposed)
        status = BATON_NOT_READY;
    else if (disposed && exported(memory))
        status = fail(err, BATON_ERR_BUSY, "the memory is exported to another library, which has not given it back yet");
    else
        memory->disposed = (uint8_t)disposed;
    lock_release(&memory->lock);
    return status;
}

int32_t memory_dispose(struct memory *memory, baton_error *err)
{
    int32_t status = set_disposed(memory, 1, err);
    if (status)
        return status == BATON_NOT_READY ? BATON_OK : status;       /* it was disposed of before */
    status = memory_retire(memory);                                        /* with no lock held: a deleter may be called */
    if (status) {
        set_disposed(memory, 0, NULL);
        return status < 0 ? fail(err, status, "the memory could not be given back now") : status;
    }
    atomic_store(&memory->charge, 0);
    memory_forget_uses(memory);
    memory_changed_locked(memory);
    return BATON_OK;
}

uint64_t memory_ids(uint64_t count)
{
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, count, memory_order_relaxed) + 1;
}

void memory_free(struct memory *memory)
{
    free(memory->spare);
    handle_free(&memory->handle);
}

static struct memory *memory_new(const struct memory_options *options)
{
    struct memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return NULL;
    handle_init(&memory->handle, HANDLE_MEMORY);
    memory->id = memory_ids(1);
    memory->node.reclaim = reclaim_node;
    memory->runtime = options->device->runtime;
    memory->device = options->device;
    memory->kind = options->kind;
    memory->bytes = options->bytes;
    atomic_init(&memory->synchronizing, 1);
    runtime_retain(memory->runtime);
    return memory;
}

static void memory_discard(struct memory *memory)
{
    baton_runtime *runtime = memory->runtime;
    memory_free(memory);
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

static int32_t create_new(const struct memory_options *options, struct memory **memory, baton_error *err)
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

/* A block that is still busy elsewhere, when there is no room for a new one. */
static struct memory *last_resort(const struct memory_options *options)
{
    if (!atomic_load(&options->device->cached_bytes) || pool_has_room(options))
        return NULL;
    return cache_take(options, CACHE_ANY);
}

int32_t memory_create(const struct memory_options *options, struct memory **memory, baton_error *err)
{
    int at_once = (options->flags & BATON_ALLOC_TRY) != 0;
    struct memory *block = options->bytes ? cache_take(options, at_once ? CACHE_AT_ONCE : CACHE_FULLY) : NULL;
    if (!block && options->bytes && at_once)
        return fail(err, BATON_WOULD_BLOCK, "no block of the cache can serve for %llu bytes at once", (unsigned long long)options->bytes);
    if (!block && options->bytes)
        block = last_resort(options);
    if (!block)
        return create_new(options, memory, err);
    *memory = block;
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
    made->read_only = (uint8_t)read_only;
    made->pageable = (uint8_t)options->pageable;
    if (options->stream) {
        uint64_t ticket = stream_ticket(options->stream, BATON_OP_FOREIGN);
        stream_settle(options->stream, ticket);
        memory_publish_write_locked(made, options->stream, ticket);
        made->escaped = !options->arrived || !stream_lent(options->stream);     /* P4 */
        memory_changed_locked(made);
    }
    *memory = made;
    return BATON_OK;
}
