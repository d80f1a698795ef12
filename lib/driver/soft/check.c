#include "driver/soft/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/soft/capture.h"

enum { CHECK_ACCESSES = 256 };      /* kept per block; beyond it the oldest is forgotten */

void soft_problem(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(soft_machine.problem, sizeof soft_machine.problem, format, arguments);
    va_end(arguments);
    soft_machine.problems++;
}

/* Whether everything later on the queue comes after the tick. A task's own uses are one step, in no need of an order. */
static int check_ordered(const struct soft_queue *queue, uint32_t slot, uint64_t tick)
{
    if (slot == queue->clock_slot && tick == soft_machine.ticks[slot] + 1)
        return 1;
    return soft_clock_at(&queue->clock, slot) >= tick;
}

static int access_overlaps(const struct soft_access *access, uint64_t low, uint64_t high)
{
    return access->low < high && low < access->high;
}

static void check_conflicts(struct soft_queue *queue, struct soft_block *block, uint64_t low, uint64_t high,
                            uint32_t access)
{
    for (uint32_t i = 0; i < block->access_count; i++) {
        const struct soft_access *old = &block->accesses[i];
        if (!access_overlaps(old, low, high) || !(old->write || (access & SOFT_WRITE)))
            continue;
        if (check_ordered(queue, old->slot, old->tick))
            continue;
        soft_problem("%s of %#llx on stream %llu is not ordered after an earlier %s",
                     access & SOFT_WRITE ? "write" : "read", block->address + low, queue->id,
                     old->write ? "write" : "read");
        return;
    }
}

/* An access is of no more interest when whoever follows the new one follows it as well. */
static int access_covered(const struct soft_queue *queue, const struct soft_access *old, uint64_t low, uint64_t high,
                          uint32_t access)
{
    if (soft_clock_at(&soft_machine.host, old->slot) >= old->tick)
        return 1;
    return low <= old->low && old->high <= high && ((access & SOFT_WRITE) || !old->write) &&
           check_ordered(queue, old->slot, old->tick);
}

static void check_prune(struct soft_queue *queue, struct soft_block *block, uint64_t low, uint64_t high,
                        uint32_t access)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < block->access_count; i++)
        if (!access_covered(queue, &block->accesses[i], low, high, access))
            block->accesses[kept++] = block->accesses[i];
    block->access_count = kept;
    if (kept < CHECK_ACCESSES)
        return;
    memmove(block->accesses, block->accesses + 1, (kept - 1) * sizeof *block->accesses);
    block->access_count--;
}

static int check_room(struct soft_block *block)
{
    uint32_t capacity = block->access_capacity ? 2 * block->access_capacity : 4;
    struct soft_access *accesses;
    if (block->access_count < block->access_capacity)
        return 1;
    accesses = realloc(block->accesses, capacity * sizeof *accesses);
    if (!accesses)
        return 0;
    block->accesses = accesses;
    block->access_capacity = capacity;
    return 1;
}

void soft_check_use(struct soft_queue *queue, struct soft_block *block, uint64_t low, uint64_t high, uint32_t access)
{
    check_conflicts(queue, block, low, high, access);
    check_prune(queue, block, low, high, access);
    if (!check_room(block))
        return;
    block->accesses[block->access_count++] = (struct soft_access) {
        .low = low, .high = high, .slot = queue->clock_slot, .tick = soft_machine.ticks[queue->clock_slot] + 1,
        .write = access & SOFT_WRITE
    };
}

static int check_one(struct soft_queue *queue, const struct soft_use *use)
{
    struct soft_block *block = soft_block_find(use->address);
    uint64_t low, high;
    if (!block) {
        soft_problem("use of %#llx, which is no memory of the device, on stream %llu", use->address, queue->id);
        return DRIVER_ILLEGAL_ADDRESS;
    }
    low = use->bytes ? use->address - block->address : 0;
    high = use->bytes ? low + use->bytes : block->bytes;
    if (!block->live) {
        soft_problem("use of freed memory %#llx on stream %llu", use->address, queue->id);
        return DRIVER_SUCCESS;      /* its bytes are still there, as on a real device */
    }
    if (high > block->bytes || use->address - block->address >= block->bytes) {
        soft_problem("use of %#llx past the end of its allocation on stream %llu", use->address, queue->id);
        return DRIVER_ILLEGAL_ADDRESS;
    }
    soft_check_use(queue, block, low, high, use->access);
    if (use->anywhere || soft_block_reached(block, queue->context))
        return DRIVER_SUCCESS;
    soft_problem("use of %#llx of device %d on device %d without peer access", use->address, block->device,
                 queue->context->device);
    return DRIVER_ILLEGAL_ADDRESS;
}

int soft_check_task(struct soft_queue *queue, const struct soft_task *task)
{
    int fault = DRIVER_SUCCESS;
    if (task->kind == SOFT_TASK_GRAPH) {
        const struct soft_program *program = task->as.program;
        for (size_t i = 0; i < program->count && !fault; i++)
            if (program->nodes[i]->task)
                fault = soft_check_task(queue, program->nodes[i]->task);
        return fault;
    }
    for (uint32_t i = 0; i < task->use_count && !fault; i++)
        if (task->uses[i].access)
            fault = check_one(queue, &task->uses[i]);
    return fault;
}

void soft_check_host(const struct soft_clock *clock)
{
    soft_clock_join(&soft_machine.host, clock);
    soft_machine.host_version++;
}

void soft_check_submit(struct soft_queue *queue)
{
    if (queue->host_version == soft_machine.host_version)
        return;
    soft_clock_join(&queue->clock, &soft_machine.host);
    queue->host_version = soft_machine.host_version;
}
