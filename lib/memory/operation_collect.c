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

static int32_t check(struct operation *op, const struct operation_item *item, baton_error *err)
{
    int32_t status = take_check(op, item, err);
    return status ? status : operation_reach(op, item->memory, err);
}

static int32_t use(struct operation *op, const struct operation_item *item, baton_error *err)
{
    return capture_use(op->tracked, op->step, item->memory, retain_memory, release_memory, item->access, err);
}

/* S2, C4: the memory joins the capture's set, and nothing else changes. */
int32_t operation_collect_item(struct operation *op, const struct operation_item *item, baton_error *err)
{
    int32_t status = check(op, item, err);
    return status ? status : use(op, item, err);
}

/* What is refused leaves nothing in the set: a launch of the graph would take it. */
int32_t operation_collect(struct operation *op, baton_error *err)
{
    int32_t status = BATON_OK;
    for (uint32_t i = 0; i < op->count && !status; i++)
        status = check(op, &op->items[i], err);
    if (status || (status = capture_step(op->tracked, op->kind, op->stream, &op->step, err)))
        return status;
    for (uint32_t i = 0; i < op->count && !status; i++)
        status = use(op, &op->items[i], err);
    if (status)
        capture_unstep(op->tracked, op->step);
    return status;
}

int32_t operation_keep(struct operation *op, void *object, void (*retain)(void *), void (*release)(void *), baton_error *err)
{
    return op->tracked ? capture_use(op->tracked, op->step, object, retain, release, 0, err) : BATON_OK;
}
