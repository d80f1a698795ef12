#include "memory/cache.h"

#include <stdlib.h>

#define NDEBUG                  /* the lists' own checks would end the process */
#include <utlist.h>

#include "memory/memory_parts.h"
#include "memory/pool.h"
#include "stream/order.h"

enum {
    BUCKETS = 64,
    LOOKED_AT = 16,             /* blocks of a bucket that a request compares */
    MOST_BLOCKS = 8192,
    SHARE_OF_DEVICE = 16,       /* blocks are kept up to this part of the device's memory */
    SHARE_OF_CACHE = 4,         /* … and none that is more than this part of that */
    PUTS_PER_LOOK = 8,
    STEPS_PER_LOOK = 16,
    CACHE_LOCKED = 2
};

struct cache {
    struct lock lock;                       /* a leaf but for streams' locks; guards what follows, and writing the device's counts */
    struct memory *buckets[BUCKETS];        /* by size, newest first */
    struct memory *blocks;                  /* all of them, oldest first */
    struct memory *used;                    /* of these, with uses that nobody has seen the end of, oldest first */
    uint64_t limit_bytes, count;
};

/* Held for a few changes of lists, and never by who asks for it. */
static void cache_lock(struct cache *cache)
{
    const struct lock_policy policy = { .yield = NULL };
    if (!lock_try(&cache->lock, CACHE_LOCKED))
        lock_acquire(&cache->lock, CACHE_LOCKED, &policy);
}

static uint64_t rounded(uint64_t bytes)
{
    return (bytes + CACHE_GRAIN - 1) / CACHE_GRAIN;
}

static struct memory **bucket_of(struct cache *cache, uint64_t bytes)
{
    return &cache->buckets[(rounded(bytes) * 0x9E3779B97F4A7C15u) >> 58];
}

static void add(_Atomic uint64_t *sum, uint64_t n)
{
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + n, memory_order_relaxed);
}

static void insert_locked(struct cache *cache, struct memory *memory)
{
    struct memory **bucket = bucket_of(cache, memory->bytes);
    DL_PREPEND2(*bucket, memory, alike_before, alike_after);
    DL_APPEND2(cache->blocks, memory, older, newer);
    memory->has_uses = memory->owner.stream || memory->reader_count;
    if (memory->has_uses)
        DL_APPEND2(cache->used, memory, used_before, used_after);
    cache->count++;
    add(&memory->device->cached_bytes, memory->bytes);
}

static void remove_locked(struct cache *cache, struct memory *memory)
{
    struct memory **bucket = bucket_of(cache, memory->bytes);
    DL_DELETE2(*bucket, memory, alike_before, alike_after);
    DL_DELETE2(cache->blocks, memory, older, newer);
    if (memory->has_uses)
        DL_DELETE2(cache->used, memory, used_before, used_after);
    cache->count--;
    add(&memory->device->cached_bytes, 0 - memory->bytes);
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

/* Made at the first use. NULL when the host has no memory for it. */
static struct cache *cache_of(struct device *device)
{
    struct cache *cache = atomic_load_explicit(&device->cache, memory_order_acquire);
    if (cache)
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
static int keepable(struct memory *memory)
{
    if (memory->kind != BATON_DEVICE) {
        if (memory_finished(memory))
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
static int cacheable(struct memory *memory)
{
    const baton_runtime *runtime = memory->runtime;
    if (memory->foreign || memory->disposed || !memory->bytes || memory->capturer || memory->export_count ||
        memory_unnamed(memory, BATON_WRITE) || runtime->options.flags & BATON_RUNTIME_NO_CACHE || atomic_load_explicit(&runtime->closed, memory_order_relaxed) ||
        device_usable(memory->device, NULL))
        return 0;
    return keepable(memory);
}

/* NULL when no more than that is there. */
static struct memory *take_oldest(struct cache *cache, uint64_t keep_bytes, uint64_t keep_count)
{
    cache_lock(cache);
    struct memory *oldest = cache->blocks;
    if (oldest && atomic_load(&oldest->device->cached_bytes) <= keep_bytes && cache->count <= keep_count)
        oldest = NULL;
    if (oldest)
        remove_locked(cache, oldest);
    lock_release(&cache->lock);
    return oldest;
}

static void insert(struct cache *cache, struct memory *memory)
{
    cache_lock(cache);
    insert_locked(cache, memory);
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
    if (cache)
        shrink(cache, keep_bytes, keep_bytes ? MOST_BLOCKS : 0);
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
        remove_locked(cache, oldest);
        if (over) {
            memory_forget_uses(oldest);
            insert_locked(cache, oldest);
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

int cache_put(struct memory *memory)
{
    struct device *device = memory->device;
    memory_forget_gone_locked(memory);
    struct cache *cache = cacheable(memory) ? cache_of(device) : NULL;
    if (!cache || memory->bytes > cache->limit_bytes / SHARE_OF_CACHE)
        return 0;
    settle(memory);
    atomic_store_explicit(&memory->charge, 0, memory_order_relaxed);
    cache_lock(cache);
    add(&device->cache_puts, 1);
    add(&device->cache_put_bytes, memory->bytes);
    insert_locked(cache, memory);
    int look = atomic_load_explicit(&device->cache_puts, memory_order_relaxed) % PUTS_PER_LOOK == 0, many = cache->count > MOST_BLOCKS;
    lock_release(&cache->lock);
    if (look)
        look_at_oldest(cache);
    if (many || atomic_load(&device->cached_bytes) > cache->limit_bytes)
        shrink(cache, cache->limit_bytes, MOST_BLOCKS);         /* and no further: whoever drains for all would be gone for long */
    return 1;
}

/* The stream need not wait for any use of the block. */
static int ready(const struct memory *memory, baton_stream *stream)
{
    if (memory->owner.stream && !order_follows(stream, memory->owner.stream, memory->owner.ticket))
        return 0;
    for (uint32_t i = 0; i < memory->reader_count; i++)
        if (!order_follows(stream, memory->readers[i].stream, memory->readers[i].ticket))
            return 0;
    return 1;
}

/* The newest block that fits and is ready, or the last one looked at that fits, when none is. */
static struct memory *find_locked(struct cache *cache, const struct memory_options *options, int *is_ready)
{
    struct memory *fits = NULL, *block = *bucket_of(cache, options->bytes);
    *is_ready = 0;
    for (int i = 0; block && i < LOOKED_AT && !*is_ready; i++, block = block->alike_after)
        if (rounded(block->bytes) == rounded(options->bytes) && block->kind == options->kind) {
            fits = block;
            *is_ready = ready(block, options->stream);
        }
    return fits;
}

/* The device holds the block already: only what it is larger now is new. */
static int reserve(struct memory *memory, uint64_t bytes)
{
    if (bytes > memory->bytes)
        return pool_reserve(memory->device, bytes - memory->bytes);
    if (bytes < memory->bytes)
        atomic_fetch_sub(&memory->device->held_bytes, memory->bytes - bytes);
    return 1;
}

static void renew(struct memory *memory, const struct memory_options *options)
{
    memory_name(memory);
    memory->bytes = options->bytes;
    atomic_store_explicit(&memory->charge, options->bytes, memory_order_relaxed);
    runtime_retain(memory->runtime);
}

/* What was found busy may have finished since somebody last looked. During captures nobody looks. */
static int has_finished(struct memory *memory)
{
    if (atomic_load(&memory->runtime->captures) || memory_finished(memory))
        return 0;
    memory_forget_uses(memory);
    return 1;
}

static void put_back(struct cache *cache, struct memory *memory)
{
    cache_lock(cache);
    insert_locked(cache, memory);
    add(&memory->device->cache_hits, (uint64_t)-1);
    lock_release(&cache->lock);
}

struct memory *cache_take(const struct memory_options *options, int any)
{
    struct cache *cache = atomic_load_explicit(&options->device->cache, memory_order_acquire);
    int is_ready;
    if (!cache)
        return NULL;
    cache_lock(cache);
    struct memory *found = find_locked(cache, options, &is_ready);
    if (found) {
        remove_locked(cache, found);
        add(&options->device->cache_hits, 1);
    }
    lock_release(&cache->lock);
    if (!found)
        return NULL;
    if ((!is_ready && !any && !has_finished(found)) || !reserve(found, options->bytes)) {
        put_back(cache, found);
        return NULL;
    }
    renew(found, options);
    return found;
}
