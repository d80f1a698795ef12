#include "memory/cache_parts.h"

#include <stdlib.h>

#define NDEBUG                  /* the lists' own checks would end the process */
#include <utlist.h>

enum {
    MOST_BLOCKS = 8192,
    SHARE_OF_DEVICE = 16,       /* blocks are kept up to this part of the device's memory */
    SHARE_OF_CACHE = 4,         /* … and none that is more than this part of that */
    PUTS_PER_LOOK = 8,
    STEPS_PER_LOOK = 16,
    CACHE_LOCKED = 2
};

void cache_lock(struct cache *cache)
{
    const struct lock_policy policy = { .yield = NULL };
    if (!lock_try(&cache->lock, CACHE_LOCKED))
        lock_acquire(&cache->lock, CACHE_LOCKED, &policy);
}

int cache_lock_how(struct cache *cache, enum cache_how how)
{
    if (how == CACHE_AT_ONCE)
        return lock_try(&cache->lock, CACHE_LOCKED);
    cache_lock(cache);
    return 1;
}

void cache_insert_locked(struct cache *cache, struct memory *memory)
{
    struct memory **bucket = cache_bucket_of(cache, memory->bytes);
    DL_PREPEND2(*bucket, memory, alike_before, alike_after);
    DL_APPEND2(cache->blocks, memory, older, newer);
    memory->has_uses = memory->owner.stream || memory->reader_count;
    if (memory->has_uses)
        DL_APPEND2(cache->used, memory, used_before, used_after);
    cache->count++;
    cache_add(&memory->device->cached_bytes, memory->bytes);
}

void cache_remove_locked(struct cache *cache, struct memory *memory)
{
    struct memory **bucket = cache_bucket_of(cache, memory->bytes);
    DL_DELETE2(*bucket, memory, alike_before, alike_after);
    DL_DELETE2(cache->blocks, memory, older, newer);
    if (memory->has_uses)
        DL_DELETE2(cache->used, memory, used_before, used_after);
    cache->count--;
    cache_subtract(&memory->device->cached_bytes, memory->bytes);
}

static void destroy(struct device *device)
{
    struct cache *cache = atomic_load(&device->cache);
    free(cache);
}

static struct cache *cache_new(struct device *device)
{
    size_t total = 0;
    struct cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    runtime_swallow(device->runtime, device->driver->device_memory(&total, device->native));
    cache->limit_bytes = total / SHARE_OF_DEVICE;
    return cache;
}

/* Made at the first use, which takes a driver call. NULL when that may not be, or the host has no memory for it. */
static struct cache *cache_of(struct device *device, enum cache_how how)
{
    struct cache *cache = atomic_load_explicit(&device->cache, memory_order_acquire);
    if (cache || how == CACHE_AT_ONCE)
        return cache;
    pthread_mutex_lock(&device->lock);
    cache = atomic_load_explicit(&device->cache, memory_order_relaxed);
    if (!cache && (cache = cache_new(device))) {
        device->cache_shrink = cache_shrink;
        device->cache_destroy = destroy;
        atomic_store_explicit(&device->cache, cache, memory_order_release);
    }
    pthread_mutex_unlock(&device->lock);
    return cache;
}

/* The library's own: a stream made elsewhere may end as soon as nobody but the cache names it. */
static int ours(const struct memory *memory, const struct use *use)
{
    return !use->stream->wrapped && device_same(use->stream->device, memory->device);
}

static int known_finished(const struct memory *memory)
{
    int done = !memory->owner.stream || stream_done(memory->owner.stream, memory->owner.ticket);
    for (uint32_t i = 0; i < memory->reader_count; i++)
        done = done && stream_done(memory->readers[i].stream, memory->readers[i].ticket);
    return done;
}

/* Its uses are over, or on streams that the cache may keep. What the host may touch without asking a stream is kept only when they are over. */
static int keepable(struct memory *memory, enum cache_how how)
{
    if (memory->kind != BATON_DEVICE) {
        if (how == CACHE_AT_ONCE || memory_finished(memory))
            return 0;
        memory_forget_uses(memory);
        return 1;
    }
    int good = !memory->owner.stream || ours(memory, &memory->owner);
    for (uint32_t i = 0; i < memory->reader_count; i++)
        good = good && ours(memory, &memory->readers[i]);
    if (good || memory->escaped || !known_finished(memory))
        return good;
    memory_forget_uses(memory);
    return 1;
}

/* Nobody else may still touch it. */
static int cacheable(struct memory *memory, enum cache_how how)
{
    const baton_runtime *runtime = memory->runtime;
    if ((how == CACHE_AT_ONCE && memory->escaped) || memory->foreign || memory->disposed || !memory->bytes || memory->capturer || memory->export_count ||
        memory_unnamed(memory, BATON_WRITE) || runtime->options.flags & BATON_RUNTIME_NO_CACHE || device_usable(memory->device, NULL))
        return 0;
    return keepable(memory, how);
}

/* NULL when no more than that is there. */
static struct memory *take_oldest(struct cache *cache, uint64_t keep_bytes, uint64_t keep_count)
{
    cache_lock(cache);
    struct memory *oldest = cache->blocks;
    if (oldest && atomic_load(&oldest->device->cached_bytes) <= keep_bytes && cache->count <= keep_count)
        oldest = NULL;
    if (oldest)
        cache_remove_locked(cache, oldest);
    lock_release(&cache->lock);
    return oldest;
}

/* Those on the runtime: it may be gone after this. */
static void release_references(struct cache *cache, baton_runtime *runtime)
{
    cache_lock(cache);
    uint64_t count = cache->references;
    cache->references = 0;
    lock_release(&cache->lock);
    for (; count > 0; count--)
        runtime_release(runtime);
}

static void insert(struct cache *cache, struct memory *memory)
{
    cache_lock(cache);
    cache_insert_locked(cache, memory);
    lock_release(&cache->lock);
}

static void shrink(struct cache *cache, uint64_t keep_bytes, uint64_t keep_count)
{
    struct memory *oldest;
    while ((oldest = take_oldest(cache, keep_bytes, keep_count))) {
        if (memory_retire(oldest)) {
            insert(cache, oldest);
            return;
        }
        atomic_fetch_sub(&oldest->device->held_bytes, oldest->bytes);
        memory_forget_uses(oldest);
        memory_free(oldest);
    }
}

void cache_shrink(struct device *device, uint64_t keep_bytes)
{
    struct cache *cache = atomic_load_explicit(&device->cache, memory_order_acquire);
    if (!cache)
        return;
    shrink(cache, keep_bytes, keep_bytes ? MOST_BLOCKS : 0);
    if (!keep_bytes)
        release_references(cache, device->runtime);
}

/* The oldest blocks with uses let go of those that are known to be over. Returns, out of the cache, the first whose uses are not; NULL: none is left, or the others
 * come at the next look. */
static struct memory *let_go_finished(struct cache *cache)
{
    struct memory *unknown = NULL;
    cache_lock(cache);
    for (int i = 0; i < STEPS_PER_LOOK && cache->used && !unknown; i++) {
        struct memory *oldest = cache->used;
        int over = known_finished(oldest);
        cache_remove_locked(cache, oldest);
        if (over) {
            memory_forget_uses(oldest);
            cache_insert_locked(cache, oldest);
        } else {
            unknown = oldest;
        }
    }
    lock_release(&cache->lock);
    return unknown;
}

/* Lets go of streams whose work on the oldest blocks has finished: a block keeps no stream that nobody else needs. Asks the driver once at most. */
static void look_at_oldest(struct cache *cache)
{
    struct memory *unknown = let_go_finished(cache);
    if (!unknown)
        return;
    memory_finished(unknown);               /* if so, the next look knows it */
    insert(cache, unknown);
}

/* Foreign work without tickets lies behind the ticket drawn here, for the last reference is gone (P4). */
static void settle(struct memory *memory)
{
    if (memory->escaped)
        memory->owner.ticket = stream_foreign_ticket(memory->owner.stream);
    memory->escaped = 0;
    atomic_store_explicit(&memory->synchronizing, 1, memory_order_relaxed);
}

/* What one block more asks for, beside its place. */
enum { LOOK = 1, SHRINK = 2, CLOSED = 4 };
static int chores_locked(const struct cache *cache, const struct memory *memory)
{
    const struct device *device = memory->device;
    uint64_t puts = atomic_load_explicit(&device->cache_puts, memory_order_relaxed) + 1;
    uint64_t bytes = atomic_load_explicit(&device->cached_bytes, memory_order_relaxed) + memory->bytes;
    int closed = atomic_load_explicit(&memory->runtime->closed, memory_order_relaxed);
    return (puts % PUTS_PER_LOOK == 0 && cache->used ? LOOK : 0) | (cache->count >= MOST_BLOCKS || bytes > cache->limit_bytes ? SHRINK : 0) | (closed ? CLOSED : 0);
}

int cache_put(struct memory *memory, enum cache_how how)
{
    struct device *device = memory->device;
    memory_forget_gone_locked(memory);
    struct cache *cache = cacheable(memory, how) ? cache_of(device, how) : NULL;
    if (!cache || memory->bytes > cache->limit_bytes / SHARE_OF_CACHE || !cache_lock_how(cache, how))
        return 0;
    int chores = chores_locked(cache, memory), put = !(chores & CLOSED) && (how != CACHE_AT_ONCE || !chores);
    if (put) {
        settle(memory);
        atomic_store_explicit(&memory->charge, 0, memory_order_relaxed);
        cache_insert_locked(cache, memory);
        cache->references++;
        cache_add(&device->cache_puts, 1);
        cache_add(&device->cache_put_bytes, memory->bytes);
    }
    lock_release(&cache->lock);
    if (put && chores & LOOK)
        look_at_oldest(cache);
    if (put && chores & SHRINK)
        shrink(cache, cache->limit_bytes, MOST_BLOCKS);         /* and no further: whoever drains for all would be gone for long */
    return put;
}
