/* Which block a request is handed. */
#include "memory/cache_parts.h"
#include "stream/order.h"

enum {
    LOOKED_AT = 16,             /* blocks of a bucket that a request compares */
    IDS = 64                    /* numbers drawn at once */
};

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
    struct memory *fits = NULL, *block = *cache_bucket_of(cache, options->bytes);
    *is_ready = 0;
    for (int i = 0; block && i < LOOKED_AT && !*is_ready; i++, block = block->alike_after)
        if (cache_rounded(block->bytes) == cache_rounded(options->bytes) && block->kind == options->kind) {
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
    handle_init(&memory->handle, HANDLE_MEMORY);
    memory->bytes = options->bytes;
    atomic_store_explicit(&memory->charge, options->bytes, memory_order_relaxed);
}

/* A new number, and a reference on the runtime. */
static void equip_locked(struct cache *cache, struct memory *memory)
{
    if (cache->next_id == cache->last_id) {
        cache->next_id = memory_ids(IDS);
        cache->last_id = cache->next_id + IDS;
    }
    memory->id = cache->next_id++;
    if (cache->references)
        cache->references--;
    else
        runtime_retain(memory->runtime);
}

static void take_locked(struct cache *cache, struct memory *memory)
{
    cache_remove_locked(cache, memory);
    equip_locked(cache, memory);
    cache_add(&memory->device->cache_hits, 1);
    cache_add(&memory->device->cache_handles, memory->spare != NULL);
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
    cache_insert_locked(cache, memory);
    cache->references++;
    cache_subtract(&memory->device->cache_hits, 1);
    cache_subtract(&memory->device->cache_handles, memory->spare != NULL);
    lock_release(&cache->lock);
}

/* A block that the stream would have to wait for. */
static int serves(struct memory *busy, enum cache_how how)
{
    return how == CACHE_ANY || (how == CACHE_FULLY && has_finished(busy));
}

struct memory *cache_take(const struct memory_options *options, enum cache_how how)
{
    struct cache *cache = atomic_load_explicit(&options->device->cache, memory_order_acquire);
    int is_ready;
    if (!cache || !cache_lock_how(cache, how))
        return NULL;
    struct memory *found = find_locked(cache, options, &is_ready);
    if (found)
        take_locked(cache, found);
    lock_release(&cache->lock);
    if (!found)
        return NULL;
    if ((!is_ready && !serves(found, how)) || !reserve(found, options->bytes)) {
        put_back(cache, found);
        return NULL;
    }
    renew(found, options);
    return found;
}
