#include "driver/soft/row.h"

#include <string.h>

#include "driver/soft/check.h"
#include "driver/soft/heap.h"

/* One end of a copy. */
struct copy_end {
    driver_address address;
    struct soft_block *block;       /* NULL: pageable host memory */
};

static struct copy_end end_of(driver_address address)
{
    return (struct copy_end) { .address = address, .block = soft_block_find(address) };
}

static int end_valid(const struct copy_end *end, size_t bytes)
{
    const struct soft_block *block = end->block;
    if (!block)
        return end->address != 0;
    if (end->address - block->address <= block->bytes && bytes <= block->bytes - (end->address - block->address))
        return 1;
    soft_problem("copy or fill of %zu bytes at %#llx goes past the end of its allocation", bytes, end->address);
    return 0;
}

static int end_reached(const struct copy_end *end, const struct soft_context *context)
{
    return !end->block || soft_block_reached(end->block, context);
}

static struct soft_use end_use(const struct copy_end *end, size_t bytes, uint32_t access, uint32_t anywhere)
{
    return (struct soft_use) {
        .address = end->address, .bytes = bytes, .access = end->block ? access : 0, .anywhere = anywhere
    };
}

/* A pageable source is read at once, so that the caller may reuse it. A capture reads it at every launch instead. */
static struct soft_task *task_copy(const struct soft_queue *queue, const struct copy_end *to,
                                   const struct copy_end *from, size_t bytes, uint32_t anywhere)
{
    int snapshot = !from->block && !queue->capture;
    const void *source = (const void *)(uintptr_t)from->address;
    struct soft_task *task = soft_task_new(SOFT_TASK_COPY, 2, snapshot ? bytes : 0);
    if (!task)
        return NULL;
    task->as.copy.to = (void *)(uintptr_t)to->address;
    task->as.copy.from = snapshot ? memcpy(task->extra, source, bytes) : source;
    task->as.copy.bytes = bytes;
    task->uses[0] = end_use(from, bytes, SOFT_READ, anywhere);
    task->uses[1] = end_use(to, bytes, SOFT_WRITE, anywhere);
    return task;
}

/* Between host memories the driver copies on the host, when the stream has come to it, unless all of it is pinned. */
static int waits(const struct copy_end *to, const struct copy_end *from)
{
    return !to->block || (!from->block && to->block->kind == SOFT_PINNED_MEMORY);
}

/* Lock held. Returns when the data is there if the destination is pageable, or both ends are the host's. */
static int copy_submit(struct soft_queue *queue, struct copy_end to, struct copy_end from, size_t bytes,
                       uint32_t anywhere)
{
    struct soft_context *context = queue->context;
    int code;
    if (!bytes)
        return DRIVER_SUCCESS;
    if (!end_valid(&to, bytes) || !end_valid(&from, bytes))
        return DRIVER_INVALID_VALUE;
    if (!anywhere && (!end_reached(&to, context) || !end_reached(&from, context)))
        return DRIVER_INVALID_VALUE;
    code = soft_submit(queue, task_copy(queue, &to, &from, bytes, anywhere));
    if (code || !waits(&to, &from) || queue->capture)
        return code;
    code = soft_queue_wait(queue);
    return code ? code : context->sticky;
}

int soft_copy(driver_address to, driver_address from, size_t bytes, driver_stream stream)
{
    struct soft_queue *queue;
    ROW_ENTER();
    ROW_TRY(soft_queue_get(stream, &queue));
    ROW_TRY(copy_submit(queue, end_of(to), end_of(from), bytes, 0));
    ROW_LEAVE();
}

int soft_copy_to_device(driver_address to, const void *from, size_t bytes, driver_stream stream)
{
    struct soft_queue *queue;
    ROW_ENTER();
    ROW_TRY(soft_queue_get(stream, &queue));
    ROW_REQUIRE(!bytes || soft_block_find(to), DRIVER_INVALID_VALUE);
    ROW_TRY(copy_submit(queue, end_of(to), end_of((uintptr_t)from), bytes, 0));
    ROW_LEAVE();
}

int soft_copy_to_host(void *to, driver_address from, size_t bytes, driver_stream stream)
{
    struct soft_queue *queue;
    ROW_ENTER();
    ROW_TRY(soft_queue_get(stream, &queue));
    ROW_REQUIRE(!bytes || soft_block_find(from), DRIVER_INVALID_VALUE);
    ROW_TRY(copy_submit(queue, end_of((uintptr_t)to), end_of(from), bytes, 0));
    ROW_LEAVE();
}

int soft_copy_peer(driver_address to, driver_context to_context, driver_address from, driver_context from_context,
                   size_t bytes, driver_stream stream)
{
    struct soft_queue *queue;
    ROW_ENTER();
    ROW_TRY(soft_queue_get(stream, &queue));
    ROW_REQUIRE(soft_handle_find(to_context, SOFT_CONTEXT), DRIVER_INVALID_CONTEXT);
    ROW_REQUIRE(soft_handle_find(from_context, SOFT_CONTEXT), DRIVER_INVALID_CONTEXT);
    ROW_REQUIRE(!bytes || (soft_block_find(to) && soft_block_find(from)), DRIVER_INVALID_VALUE);
    ROW_TRY(copy_submit(queue, end_of(to), end_of(from), bytes, 1));
    ROW_LEAVE();
}

static int fill(driver_address to, uint32_t value, uint32_t width, size_t count, driver_stream stream)
{
    struct soft_queue *queue;
    struct copy_end end;
    ROW_ENTER();
    ROW_TRY(soft_queue_get(stream, &queue));
    if (!count)
        return soft_leave(DRIVER_SUCCESS);
    end = end_of(to);
    ROW_REQUIRE(end.block && count <= SIZE_MAX / width && to % width == 0, DRIVER_INVALID_VALUE);
    ROW_REQUIRE(end_valid(&end, count * width) && end_reached(&end, queue->context), DRIVER_INVALID_VALUE);
    ROW_TRY(soft_submit(queue, soft_task_fill(to, value, width, count)));
    ROW_LEAVE();
}

int soft_fill8(driver_address to, unsigned char value, size_t count, driver_stream stream)
{
    return fill(to, value, 1, count, stream);
}

int soft_fill16(driver_address to, unsigned short value, size_t count, driver_stream stream)
{
    return fill(to, value, 2, count, stream);
}

int soft_fill32(driver_address to, unsigned int value, size_t count, driver_stream stream)
{
    return fill(to, value, 4, count, stream);
}
