/* The end of a memory: when its bytes may go back, and in whose order. */
#include "memory/memory_parts.h"
#include "memory/pool.h"
#include "stream/capture.h"
#include "stream/order.h"
#include "stream/wait.h"

/* What was queued on a device that is lost will not run any more. */
static int over(const struct use *use)
{
    return device_usable(use->stream->device, NULL) != BATON_OK;
}

/* The free lies behind every reader: the owner's stream follows them on the device. */
static int32_t order_readers(struct memory *memory, baton_stream *stream)
{
    struct use uses[MEMORY_USES];
    int32_t status = BATON_OK;
    uint32_t count = memory_uses_locked(memory, stream, 0, uses);
    for (uint32_t i = 0; i < count && !status; i++)
        if (!over(&uses[i]) && order_need(stream, uses[i].stream, uses[i].ticket) == ORDER_WAIT)
            status = stream_out_of_reach(uses[i].stream, uses[i].ticket) ? BATON_NOT_READY : order_wait(stream, uses[i].stream, uses[i].ticket, NULL);
    uses_release(uses, count);
    return status;
}

int32_t memory_finished(struct memory *memory)
{
    struct use uses[MEMORY_USES];
    int32_t status = memory_unnamed(memory, BATON_WRITE) ? query_everything(memory->device) : BATON_OK;
    uint32_t count = memory_uses_locked(memory, NULL, 0, uses);
    for (uint32_t i = 0; i < count && !status; i++) {
        struct mark *mark;
        if (over(&uses[i]))
            continue;
        status = stream_out_of_reach(uses[i].stream, uses[i].ticket) ? BATON_NOT_READY : BATON_OK;
        if (status)
            break;
        status = stream_mark(uses[i].stream, uses[i].ticket, 0, &mark, NULL);
        if (status)
            break;
        status = wait_query(uses[i].stream, mark, BATON_OP_FREE, NULL);
        mark_release(mark);
    }
    uses_release(uses, count);
    return status;
}

/* The stream in whose order device memory is given back: its last owner's, unless only one thread can record there, or nobody any more. */
static int32_t free_stream(struct memory *memory, baton_stream **stream)
{
    *stream = memory->owner.stream;
    if (*stream && (*stream)->kind == STREAM_ORDINARY && !stream_lent(*stream) && device_same((*stream)->device, memory->device))
        return BATON_OK;
    return stream_service(memory->device, stream, NULL);
}

/* Device memory: a free in stream order, behind every reader. BATON_NOT_READY while somebody else captures that stream. */
static int32_t give_back(struct memory *memory)
{
    baton_stream *stream = NULL;
    int capturing = 0;
    if (memory->kind != BATON_DEVICE)
        return pool_free(memory->device, memory->kind, memory->address, atomic_load(&memory->charge), NULL);
    int32_t status = free_stream(memory, &stream);
    if (status || (status = stream_foreign_capture(stream, &capturing, NULL)))
        return status;
    if (submission_enter(stream) || capturing)
        status = BATON_NOT_READY;
    if (!status)
        status = order_readers(memory, stream);
    if (!status)
        status = pool_free(memory->device, memory->kind, memory->address, atomic_load(&memory->charge), stream);
    submission_leave(stream);
    return status;
}

int32_t memory_retire(struct memory *memory)
{
    int lost = device_usable(memory->device, NULL) != BATON_OK;
    int must_be_finished = memory->foreign || memory->kind != BATON_DEVICE || memory->capturer || memory->export_count || memory_unnamed(memory, BATON_WRITE) ||
                           (memory->escaped && stream_lent(memory->owner.stream));
    int32_t status = !lost && must_be_finished ? memory_finished(memory) : BATON_OK;
    if (status)
        return status;
    if (memory->foreign && memory->deleter)
        memory->deleter(memory->user, memory->address);
    if (memory->foreign || memory->bytes == 0)
        return BATON_OK;
    if (lost)
        return pool_free(memory->device, memory->kind, memory->address, atomic_load(&memory->charge), NULL);
    return give_back(memory);
}

void memory_forget_uses(struct memory *memory)
{
    stream_release(memory->owner.stream);
    stream_release(memory->capturer);
    uses_release(memory->readers, memory->reader_count);
    uses_release(memory->pending, memory->pending_count);
    for (uint32_t i = 0; i < memory->export_count; i++)
        stream_release(memory->exports[i].stream);
    memory->owner = (struct use) { .stream = NULL };
    memory->capturer = NULL;
    memory->escaped = 0;
    memory->reader_count = memory->pending_count = memory->export_count = 0;
}
