#include "driver/soft/heap.h"

#include <stdlib.h>
#include <string.h>

/* The index of the first block that starts above the address. */
static size_t block_above(driver_address address)
{
    size_t low = 0, high = soft_machine.block_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (soft_machine.blocks[middle]->address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct soft_block *soft_block_find(driver_address address)
{
    size_t above = block_above(address);
    struct soft_block *block = above ? soft_machine.blocks[above - 1] : NULL;
    return block && address - block->address < block->capacity ? block : NULL;
}

static int blocks_reserve(void)
{
    size_t capacity = soft_machine.block_capacity ? 2 * soft_machine.block_capacity : 64;
    struct soft_block **blocks;
    if (soft_machine.block_count < soft_machine.block_capacity)
        return DRIVER_SUCCESS;
    blocks = realloc(soft_machine.blocks, capacity * sizeof(struct soft_block *));
    if (!blocks)
        return DRIVER_OUT_OF_MEMORY;
    soft_machine.blocks = blocks;
    soft_machine.block_capacity = capacity;
    return DRIVER_SUCCESS;
}

static void block_insert(struct soft_block *block)
{
    size_t at = block_above(block->address);
    memmove(&soft_machine.blocks[at + 1], &soft_machine.blocks[at],
            (soft_machine.block_count - at) * sizeof(struct soft_block *));
    soft_machine.blocks[at] = block;
    soft_machine.block_count++;
}

static int device_has_room(int device, uint64_t bytes)
{
    uint64_t used = soft_machine.used[device];
    return used <= soft_machine.memory && bytes <= soft_machine.memory - used;
}

/* Pinned memory is the host's and not counted. */
static int device_reserve(int device, uint64_t bytes)
{
    if (!device_has_room(device, bytes))
        soft_pools_settle(device);
    if (!device_has_room(device, bytes))
        soft_pools_empty(device);
    if (!device_has_room(device, bytes))
        return DRIVER_OUT_OF_MEMORY;
    soft_machine.used[device] += bytes;
    return DRIVER_SUCCESS;
}

int soft_block_new(enum soft_memory kind, int device, uint64_t bytes, struct soft_block **out)
{
    uint64_t capacity = (bytes + 511) / 512 * 512;
    struct soft_block *block;
    void *memory;
    if (bytes > UINT64_MAX - 511 || blocks_reserve())
        return DRIVER_OUT_OF_MEMORY;
    if (kind != SOFT_PINNED_MEMORY && device_reserve(device, capacity))
        return DRIVER_OUT_OF_MEMORY;
    block = calloc(1, sizeof *block);
    memory = aligned_alloc(512, capacity);
    if (!block || !memory)
        goto free_both;
    *block = (struct soft_block) {
        .address = (uintptr_t)memory, .bytes = bytes, .capacity = capacity, .kind = kind, .device = device, .live = 1,
        .context = &soft_machine.contexts[device]
    };
    block_insert(block);
    *out = block;
    return DRIVER_SUCCESS;
free_both:
    free(block);
    free(memory);
    if (kind != SOFT_PINNED_MEMORY)
        soft_machine.used[device] -= capacity;
    return DRIVER_OUT_OF_MEMORY;
}

void soft_block_delete(struct soft_block *block)
{
    size_t at = block_above(block->address) - 1;
    soft_machine.block_count--;
    memmove(&soft_machine.blocks[at], &soft_machine.blocks[at + 1],
            (soft_machine.block_count - at) * sizeof(struct soft_block *));
    if (block->kind != SOFT_PINNED_MEMORY)
        soft_machine.used[block->device] -= block->capacity;
    soft_operation_release(block->freed);
    free(block->accesses);
    free((void *)(uintptr_t)block->address);
    free(block);
}

void soft_blocks_clear(struct soft_context *context)
{
    size_t i;
    soft_pools_settle(context->device);     /* its work is done, and so are its frees */
    i = soft_machine.block_count;
    while (i--)
        if (soft_machine.blocks[i]->live && soft_machine.blocks[i]->context == context && !soft_machine.blocks[i]->pool)
            soft_block_delete(soft_machine.blocks[i]);
}
