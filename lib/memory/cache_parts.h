/* What the files of the cache share. Not for other files. */
#ifndef BATON_MEMORY_CACHE_PARTS_H
#define BATON_MEMORY_CACHE_PARTS_H

#include "memory/cache.h"
#include "memory/memory_parts.h"
#include "memory/pool.h"

enum { CACHE_BUCKETS = 64 };

struct cache {
    struct lock lock;                       /* a leaf but for streams' locks; guards what follows, and writing the device's counts */
    struct memory *buckets[CACHE_BUCKETS];  /* by size, newest first */
    struct memory *blocks;                  /* all of them, oldest first */
    struct memory *used;                    /* of these, with uses that nobody has seen the end of, oldest first */
    uint64_t limit_bytes, count;
    uint64_t next_id, last_id;              /* numbers for blocks that are handed out */
    uint64_t references;                    /* on the runtime: of blocks that came, for those that go */
};

/* Held for a few changes of lists, and never by who asks for it. */
void cache_lock(struct cache *cache);
/* CACHE_AT_ONCE: zero instead of a wait. */
int cache_lock_how(struct cache *cache, enum cache_how how);

void cache_insert_locked(struct cache *cache, struct memory *memory);
void cache_remove_locked(struct cache *cache, struct memory *memory);

/* Blocks of one number of grains serve each other's requests. */
static inline uint64_t cache_rounded(uint64_t bytes)
{
    return (bytes + CACHE_GRAIN - 1) / CACHE_GRAIN;
}

static inline struct memory **cache_bucket_of(struct cache *cache, uint64_t bytes)
{
    return &cache->buckets[(cache_rounded(bytes) * 0x9E3779B97F4A7C15u) >> 58];
}

/* To and from counts that are written with the lock held. */
static inline void cache_add(_Atomic uint64_t *sum, uint64_t n)
{
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + n, memory_order_relaxed);
}
static inline void cache_subtract(_Atomic uint64_t *sum, uint64_t n)
{
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) - n, memory_order_relaxed);
}

#endif
