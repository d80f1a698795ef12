#include "driver/soft/row.h"

#include <string.h>

#include "driver/soft/capture.h"
#include "driver/soft/check.h"
#include "driver/soft/heap.h"

int soft_memory_info(size_t *free_bytes, size_t *total_bytes)
{
    struct soft_context *context;
    uint64_t used;
    ROW_ENTER();
    ROW_TRY(soft_context_get(&context));
    ROW_REQUIRE(free_bytes && total_bytes, DRIVER_INVALID_VALUE);
    used = soft_machine.used[context->device];
    *total_bytes = soft_machine.memory;
    *free_bytes = used < soft_machine.memory ? soft_machine.memory - used : 0;
    ROW_LEAVE();
}

/* Lock held. The patterned part is small: fresh memory is touched as little as possible. */
static int memory_new(enum soft_memory kind, size_t bytes, struct soft_block **block)
{
    struct soft_context *context;
    int code = soft_context_get(&context);
    if (!code && !bytes)
        code = DRIVER_INVALID_VALUE;
    if (!code)
        code = soft_capture_forbids();
    if (!code)
        code = soft_block_new(kind, context->device, bytes, block);
    if (!code)
        memset((void *)(uintptr_t)(*block)->address, SOFT_POISON_ALLOC, bytes < 1 << 20 ? bytes : 1 << 20);
    return code;
}

int soft_alloc(driver_address *address, size_t bytes)
{
    struct soft_block *block;
    ROW_ENTER();
    ROW_REQUIRE(address, DRIVER_INVALID_VALUE);
    ROW_TRY(memory_new(SOFT_DEVICE_MEMORY, bytes, &block));
    *address = block->address;
    ROW_LEAVE();
}

int soft_alloc_managed(driver_address *address, size_t bytes, unsigned int flags)
{
    struct soft_block *block;
    ROW_ENTER();
    ROW_REQUIRE(address && flags == DRIVER_ATTACH_GLOBAL, DRIVER_INVALID_VALUE);
    ROW_TRY(memory_new(SOFT_MANAGED_MEMORY, bytes, &block));
    *address = block->address;
    ROW_LEAVE();
}

int soft_host_alloc(void **address, size_t bytes, unsigned int flags)
{
    struct soft_block *block;
    ROW_ENTER();
    ROW_REQUIRE(address && flags <= 7, DRIVER_INVALID_VALUE);
    if (!bytes) {
        *address = NULL;
        return soft_leave(DRIVER_SUCCESS);
    }
    ROW_TRY(memory_new(SOFT_PINNED_MEMORY, bytes, &block));
    *address = (void *)(uintptr_t)block->address;
    ROW_LEAVE();
}

/* Lock held. Work that may still use the memory is waited for, as CUDA does. */
static int memory_free(driver_address address, int pinned)
{
    struct soft_block *block = soft_block_find(address);
    int code;
    if (!block || block->address != address || !block->live || (block->kind == SOFT_PINNED_MEMORY) != pinned)
        return DRIVER_INVALID_VALUE;
    code = block->context->sticky;
    if (!code)
        code = soft_capture_forbids();
    if (!code)
        code = soft_context_drain(block->context);
    if (code)
        return code;
    block = soft_block_find(address);       /* another thread may have freed it during the wait */
    if (!block || !block->live)
        return DRIVER_INVALID_VALUE;
    if (block->pool) {
        block->pool->used -= block->capacity;
        block->live = 0;
        block->next = block->pool->cache;
        block->pool->cache = block;
    } else {
        soft_block_delete(block);
    }
    return DRIVER_SUCCESS;
}

int soft_free(driver_address address)
{
    ROW_ENTER();
    ROW_TRY(address ? memory_free(address, 0) : DRIVER_SUCCESS);
    ROW_LEAVE();
}

int soft_host_free(void *address)
{
    ROW_ENTER();
    ROW_TRY(address ? memory_free((uintptr_t)address, 1) : DRIVER_SUCCESS);
    ROW_LEAVE();
}

int soft_pointer_attribute(void *value, driver_pointer_attribute attribute, driver_address address)
{
    const struct soft_block *block;
    ROW_ENTER();
    block = soft_block_find(address);
    ROW_REQUIRE(value && block && block->live, DRIVER_INVALID_VALUE);
    ROW_TRY(block->context->sticky);
    switch (attribute) {
    case DRIVER_POINTER_CONTEXT:
        *(driver_context *)value = block->pool ? NULL : block->context;     /* a pool is its device's */
        break;
    case DRIVER_POINTER_MEMORY_TYPE:
        *(unsigned int *)value = block->kind == SOFT_PINNED_MEMORY ? DRIVER_MEMORY_HOST : DRIVER_MEMORY_DEVICE;
        break;
    case DRIVER_POINTER_IS_MANAGED:
        *(unsigned int *)value = block->kind == SOFT_MANAGED_MEMORY;
        break;
    case DRIVER_POINTER_DEVICE_ORDINAL:
        *(int *)value = block->device;
        break;
    case DRIVER_POINTER_RANGE_START:
        *(driver_address *)value = block->address;
        break;
    case DRIVER_POINTER_RANGE_BYTES:
        *(size_t *)value = block->bytes;
        break;
    default:
        return soft_leave(DRIVER_INVALID_VALUE);
    }
    ROW_LEAVE();
}
