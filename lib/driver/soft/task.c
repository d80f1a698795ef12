#include "driver/soft/task.h"

#include <stdlib.h>
#include <string.h>

#include "driver/soft/program.h"

struct soft_task *soft_task_new(enum soft_task_kind kind, uint32_t uses, size_t extra)
{
    size_t head = (sizeof(struct soft_task) + uses * sizeof(struct soft_use) + 15) / 16 * 16;
    struct soft_task *task;
    if (extra > SIZE_MAX - head - 16)
        return NULL;
    task = malloc(head + extra);
    if (!task)
        return NULL;
    *task = (struct soft_task) { .references = 1, .kind = kind, .use_count = uses };
    task->uses = (struct soft_use *)(task + 1);
    task->extra = (unsigned char *)task + head;
    return task;
}

struct soft_task *soft_task_fill(driver_address to, uint32_t value, uint32_t width, size_t count)
{
    struct soft_task *task = soft_task_new(SOFT_TASK_FILL, 1, 0);
    if (!task)
        return NULL;
    task->as.fill.to = (void *)(uintptr_t)to;
    task->as.fill.value = value;
    task->as.fill.width = width;
    task->as.fill.count = count;
    task->uses[0] = (struct soft_use) { .address = to, .bytes = count * width, .access = SOFT_WRITE };
    return task;
}

struct soft_task *soft_task_graph(struct soft_program *program)
{
    struct soft_task *task = program ? soft_task_new(SOFT_TASK_GRAPH, 0, 0) : NULL;
    if (task)
        task->as.program = program;
    else
        soft_program_release(program);
    return task;
}

void soft_task_release(struct soft_task *task)
{
    if (!task || --task->references)
        return;
    if (task->kind == SOFT_TASK_GRAPH)
        soft_program_release(task->as.program);
    free(task);
}

static void task_fill(void *to, uint32_t value, uint32_t width, size_t count)
{
    if (width == 1) {
        memset(to, (int)value, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (width == 2)
            ((uint16_t *)to)[i] = (uint16_t)value;
        else
            ((uint32_t *)to)[i] = value;
}

void soft_task_run(const struct soft_task *task)
{
    int old;
    switch (task->kind) {
    case SOFT_TASK_COPY:
        memmove(task->as.copy.to, task->as.copy.from, task->as.copy.bytes);
        break;
    case SOFT_TASK_FILL:
        task_fill(task->as.fill.to, task->as.fill.value, task->as.fill.width, task->as.fill.count);
        break;
    case SOFT_TASK_KERNEL:
        old = soft_thread_inside(1);
        task->as.kernel.function(&task->as.kernel.grid, task->as.kernel.arguments);
        soft_thread_inside(old);
        break;
    case SOFT_TASK_HOST:
        old = soft_thread_inside(1);
        task->as.host.function(task->as.host.user);
        soft_thread_inside(old);
        break;
    case SOFT_TASK_GRAPH:
        soft_program_run(task->as.program);
        break;
    }
}
