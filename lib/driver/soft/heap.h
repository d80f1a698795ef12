/* Memory: blocks of host memory that stand for device, pinned and managed memory, and the stream-ordered pools that
 * cache them. */
#ifndef BATON_DRIVER_SOFT_HEAP_H
#define BATON_DRIVER_SOFT_HEAP_H

#include "driver/soft/queue.h"

enum soft_memory { SOFT_DEVICE_MEMORY, SOFT_PINNED_MEMORY, SOFT_MANAGED_MEMORY };

struct soft_access {
    uint64_t low, high;             /* bytes within the block */
    uint64_t tick;
    uint32_t slot;
    uint32_t write;
};

struct soft_block {
    driver_address address;
    uint64_t bytes;                 /* as asked for */
    uint64_t capacity;              /* as taken */
    enum soft_memory kind;
    int device;
    int live;                       /* 0: freed, in its pool's cache */
    struct soft_context *context;
    struct soft_pool *pool;         /* NULL: plain allocation */
    struct soft_block *next;        /* in the cache */
    struct soft_operation *freed;   /* the free, retained; NULL: long done */
    uint32_t freed_slot;
    uint64_t freed_tick;
    struct soft_access *accesses;   /* those that a later use must still follow */
    uint32_t access_count, access_capacity;
};

struct soft_pool {
    struct soft_handle handle;
    int device;
    uint32_t access;                /* bit per device that may touch its memory */
    int destroyed;                  /* by the caller; stays until its memory is back */
    uint64_t threshold, reserved, used, maximum;
    struct soft_block *cache;
    struct soft_pool *next;
};

/* Whether work on that context's device may touch the block: a pool's memory if the pool lets the device, other memory of a
 * device if the context was given access to it. */
static inline int soft_block_reached(const struct soft_block *block, const struct soft_context *context)
{
    uint32_t bits = block->pool ? block->pool->access >> context->device : context->peers >> block->device;
    return block->kind != SOFT_DEVICE_MEMORY || block->device == context->device || (bits & 1U);
}

/* The block that holds the address, freed ones in a cache included. */
struct soft_block *soft_block_find(driver_address address);
/* Takes memory from the device; releases cached blocks of the device's pools when that is needed. */
int soft_block_new(enum soft_memory kind, int device, uint64_t bytes, struct soft_block **block);
void soft_block_delete(struct soft_block *block);
void soft_blocks_clear(struct soft_context *context);

/* Releases cached blocks whose free is done until no more than `keep` bytes are reserved. */
void soft_pool_shrink(struct soft_pool *pool, uint64_t keep);
/* What a synchronization does: every pool of the device shrinks to its threshold. */
void soft_pools_settle(int device);
/* Every pool of the device gives up what it caches and can. */
void soft_pools_empty(int device);
void soft_pool_delete(struct soft_pool *pool);

#endif
