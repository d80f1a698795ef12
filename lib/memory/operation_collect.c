/* Operations inside a capture of the library's: they add to its set, and change nothing else (S2, C4). */
#include "memory/operation_parts.h"
#include "memory/take.h"
#include "stream/capture.h"

static void retain_memory(void *memory)
{
    memory_retain(memory);
}

static void release_memory(void *memory)
{
    memory_release(memory);
}

/* S2, C4: the memory joins the capture's set, and nothing else changes. */
int32_t operation_collect_item(struct operation *op, const struct operation_item *item, baton_error *err)
{
    int32_t status = take_check(op, item, err);
    if (!status)
        status = operation_reach(op, item->memory, err);
    return status ? status : capture_use(op->tracked, op->step, item->memory, retain_memory, release_memory, item->access, err);
}

int32_t operation_collect(struct operation *op, baton_error *err)
{
    int32_t status = capture_step(op->tracked, op->kind, op->stream, &op->step, err);
    int made = !status;
    for (uint32_t i = 0; i < op->count && !status; i++)
        status = operation_collect_item(op, &op->items[i], err);
    if (status && made)
        capture_unstep(op->tracked, op->step);
    return status;
}

int32_t operation_keep(struct operation *op, void *object, void (*retain)(void *), void (*release)(void *), baton_error *err)
{
    return op->tracked ? capture_use(op->tracked, op->step, object, retain, release, 0, err) : BATON_OK;
}
