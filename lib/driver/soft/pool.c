#include "driver/soft/heap.h"

#include <stdlib.h>

#include "driver/soft/capture.h"
#include "driver/soft/check.h"
#include "driver/soft/row.h"

enum { POISON_BYTES = 16 << 20 };   /* at most, from the start of a block */

static struct soft_task *task_poison(const struct soft_block *block, unsigned char value)
{
    struct soft_task *task =
        soft_task_fill(block->address, value, 1, block->bytes < POISON_BYTES ? block->bytes : POISON_BYTES);
    if (task) {
        task->uses[0].bytes = 0;
        task->uses[0].anywhere = 1;
    }
    return task;
}

/* ---- pools */

static void pool_unlink(struct soft_pool *pool)
{
    struct soft_pool **link = &soft_machine.pools;
    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
    soft_handle_remove(&pool->handle);
    free(pool);
}

void soft_pool_shrink(struct soft_pool *pool, uint64_t keep)
{
    struct soft_block **link = &pool->cache, *block;
    while ((block = *link) && pool->reserved > keep) {
        if (block->freed && !block->freed->done) {
            link = &block->next;
            continue;
        }
        *link = block->next;
        pool->reserved -= block->capacity;
        soft_block_delete(block);
    }
    if (pool->destroyed && !pool->reserved)
        pool_unlink(pool);
}

/* Plain allocations whose asynchronous free is done. */
static void doomed_sweep(void)
{
    struct soft_block **link = &soft_machine.doomed, *block;
    while ((block = *link)) {
        if (!block->freed->done) {
            link = &block->next;
            continue;
        }
        *link = block->next;
        soft_block_delete(block);
    }
}

void soft_pools_settle(int device)
{
    doomed_sweep();
    for (struct soft_pool *pool = soft_machine.pools, *next; pool; pool = next) {
        next = pool->next;
        if (pool->device == device)
            soft_pool_shrink(pool, pool->destroyed ? 0 : pool->threshold);
    }
}

void soft_pools_empty(int device)
{
    for (struct soft_pool *pool = soft_machine.pools, *next; pool; pool = next) {
        next = pool->next;
        if (pool->device == device)
            soft_pool_shrink(pool, 0);
    }
}

void soft_pool_delete(struct soft_pool *pool)
{
    size_t i = soft_machine.block_count;
    while (i--)
        if (soft_machine.blocks[i]->pool == pool)
            soft_block_delete(soft_machine.blocks[i]);
    pool_unlink(pool);
}

static struct soft_pool *pool_get(driver_pool handle)
{
    struct soft_pool *pool = soft_handle_find(handle, SOFT_POOL);
    return pool && !pool->destroyed ? pool : NULL;
}

static int properties_valid(const driver_pool_properties *properties)
{
    return properties->allocation_type == DRIVER_ALLOCATION_PINNED && !properties->handle_types &&
           properties->location_type == DRIVER_LOCATION_DEVICE && soft_device_valid(properties->location_id);
}

int soft_pool_create(driver_pool *out, const driver_pool_properties *properties)
{
    struct soft_pool *pool;
    ROW_ENTER();
    ROW_REQUIRE(out && properties && properties_valid(properties), DRIVER_INVALID_VALUE);
    ROW_TRY(soft_capture_forbids());
    pool = calloc(1, sizeof *pool);
    ROW_REQUIRE(pool, DRIVER_OUT_OF_MEMORY);
    pool->device = properties->location_id;
    pool->access = 1U << pool->device;
    pool->maximum = properties->max_size ? properties->max_size : UINT64_MAX;
    if (soft_handle_add(&pool->handle, SOFT_POOL, pool, NULL)) {
        free(pool);
        return soft_leave(DRIVER_OUT_OF_MEMORY);
    }
    pool->next = soft_machine.pools;
    soft_machine.pools = pool;
    *out = pool;
    ROW_LEAVE();
}

int soft_pool_destroy(driver_pool handle)
{
    struct soft_pool *pool;
    ROW_ENTER();
    pool = pool_get(handle);
    ROW_REQUIRE(pool, DRIVER_INVALID_VALUE);
    ROW_TRY(soft_machine.contexts[pool->device].sticky);
    ROW_TRY(soft_capture_forbids());
    pool->destroyed = 1;
    soft_pool_shrink(pool, 0);
    ROW_LEAVE();
}

int soft_pool_trim(driver_pool handle, size_t keep_bytes)
{
    struct soft_pool *pool;
    ROW_ENTER();
    pool = pool_get(handle);
    ROW_REQUIRE(pool, DRIVER_INVALID_VALUE);
    ROW_TRY(soft_machine.contexts[pool->device].sticky);
    ROW_TRY(soft_capture_forbids());
    soft_pool_shrink(pool, keep_bytes);
    ROW_LEAVE();
}

int soft_pool_set(driver_pool handle, driver_pool_attribute attribute, void *value)
{
    struct soft_pool *pool;
    ROW_ENTER();
    pool = pool_get(handle);
    ROW_REQUIRE(pool && value && attribute == DRIVER_POOL_RELEASE_THRESHOLD, DRIVER_INVALID_VALUE);
    pool->threshold = *(const uint64_t *)value;
    ROW_LEAVE();
}

int soft_pool_get(driver_pool handle, driver_pool_attribute attribute, void *value)
{
    struct soft_pool *pool;
    ROW_ENTER();
    pool = pool_get(handle);
    ROW_REQUIRE(pool && value, DRIVER_INVALID_VALUE);
    if (attribute == DRIVER_POOL_RELEASE_THRESHOLD)
        *(uint64_t *)value = pool->threshold;
    else if (attribute == DRIVER_POOL_RESERVED_CURRENT)
        *(uint64_t *)value = pool->reserved;
    else if (attribute == DRIVER_POOL_USED_CURRENT)
        *(uint64_t *)value = pool->used;
    else
        return soft_leave(DRIVER_INVALID_VALUE);
    ROW_LEAVE();
}

/* The own device's access cannot be taken away. */
static int access_valid(const struct soft_pool *pool, const driver_pool_access *access)
{
    int device = access->location_id, all = access->flags == DRIVER_ACCESS_READ_WRITE;
    if (access->location_type != DRIVER_LOCATION_DEVICE || !soft_device_valid(device) || (access->flags && !all))
        return DRIVER_INVALID_VALUE;
    if (device == pool->device)
        return all ? DRIVER_SUCCESS : DRIVER_INVALID_VALUE;
    return soft_machine.barred[device] >> pool->device & 1U ? DRIVER_INVALID_DEVICE : DRIVER_SUCCESS;
}

int soft_pool_access(driver_pool handle, const driver_pool_access *access, size_t count)
{
    struct soft_pool *pool;
    ROW_ENTER();
    pool = pool_get(handle);
    ROW_REQUIRE(pool && access, DRIVER_INVALID_VALUE);
    for (size_t i = 0; i < count; i++)
        ROW_TRY(access_valid(pool, &access[i]));
    for (size_t i = 0; i < count; i++) {
        uint32_t bit = 1U << access[i].location_id;
        pool->access = access[i].flags ? pool->access | bit : pool->access & ~bit;
    }
    ROW_LEAVE();
}

/* ---- stream-ordered allocation */

/* A cached block may be used on the queue when its free is done, or comes first in the queue's order. */
static int block_reusable(const struct soft_block *block, const struct soft_queue *queue, uint64_t bytes)
{
    if (block->capacity < bytes || block->capacity > 2 * bytes + 512)
        return 0;
    return !block->freed || block->freed->done ||
           soft_clock_at(&queue->clock, block->freed_slot) >= block->freed_tick;
}

static struct soft_block *cache_take(struct soft_pool *pool, const struct soft_queue *queue, uint64_t bytes)
{
    struct soft_block **best = NULL, *block;
    for (struct soft_block **link = &pool->cache; *link; link = &(*link)->next)
        if (block_reusable(*link, queue, bytes) && (!best || (*link)->capacity < (*best)->capacity))
            best = link;
    if (!best)
        return NULL;
    block = *best;
    *best = block->next;
    block->bytes = bytes;
    block->live = 1;
    block->access_count = 0;
    soft_operation_release(block->freed);
    block->freed = NULL;
    return block;
}

static int pool_take(struct soft_pool *pool, const struct soft_queue *queue, uint64_t bytes, struct soft_block **out)
{
    int code;
    *out = cache_take(pool, queue, bytes);
    if (*out)
        return DRIVER_SUCCESS;
    if (bytes > pool->maximum || pool->reserved > pool->maximum - bytes)
        return DRIVER_OUT_OF_MEMORY;
    code = soft_block_new(SOFT_DEVICE_MEMORY, pool->device, bytes, out);
    if (code)
        return code;
    (*out)->pool = pool;
    pool->reserved += (*out)->capacity;
    return DRIVER_SUCCESS;
}

/* Into its pool's cache; a plain allocation waits for its free among the doomed. */
static void block_retire(struct soft_block *block)
{
    struct soft_block **list = block->pool ? &block->pool->cache : &soft_machine.doomed;
    block->live = 0;
    block->next = *list;
    *list = block;
}

int soft_alloc_async(driver_address *address, size_t bytes, driver_pool handle, driver_stream stream)
{
    struct soft_pool *pool;
    struct soft_queue *queue;
    struct soft_block *block;
    int code;
    ROW_ENTER();
    ROW_TRY(soft_queue_get(stream, &queue));
    pool = pool_get(handle);
    ROW_REQUIRE(address && pool, DRIVER_INVALID_VALUE);
    ROW_REQUIRE(!queue->capture, DRIVER_NOT_SUPPORTED);
    ROW_TRY(soft_capture_forbids());
    if (!bytes) {
        *address = 0;
        return soft_leave(DRIVER_SUCCESS);
    }
    ROW_TRY(pool_take(pool, queue, bytes, &block));
    code = soft_submit(queue, task_poison(block, SOFT_POISON_ALLOC));
    if (code) {
        block_retire(block);
        return soft_leave(code);
    }
    pool->used += block->capacity;
    *address = block->address;
    ROW_LEAVE();
}

static int block_free_async(struct soft_block *block, struct soft_queue *queue)
{
    struct soft_task *task = task_poison(block, SOFT_POISON_FREE);
    struct soft_operation *freed;
    int code = task ? soft_queue_push(queue, task, NULL, &freed) : DRIVER_OUT_OF_MEMORY;
    if (code) {
        soft_task_release(task);
        return code;
    }
    block->freed = freed;
    block->freed_slot = queue->clock_slot;
    block->freed_tick = soft_machine.ticks[queue->clock_slot];
    if (block->pool)
        block->pool->used -= block->capacity;
    block_retire(block);
    return DRIVER_SUCCESS;
}

int soft_free_async(driver_address address, driver_stream stream)
{
    struct soft_queue *queue;
    struct soft_block *block;
    ROW_ENTER();
    ROW_TRY(soft_queue_get(stream, &queue));
    if (!address)
        return soft_leave(DRIVER_SUCCESS);
    block = soft_block_find(address);
    ROW_REQUIRE(block && block->address == address && block->kind == SOFT_DEVICE_MEMORY, DRIVER_INVALID_VALUE);
    if (!block->live) {
        soft_problem("second free of %#llx", address);
        return soft_leave(DRIVER_INVALID_VALUE);
    }
    ROW_REQUIRE(!queue->capture, DRIVER_INVALID_VALUE);     /* not of an allocation in the same graph */
    ROW_TRY(soft_capture_implicit(queue));
    ROW_TRY(soft_capture_forbids());
    ROW_TRY(block_free_async(block, queue));
    ROW_LEAVE();
}
