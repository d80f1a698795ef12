#include "driver/soft/row.h"

#include <string.h>

#include "driver/soft/module.h"
#include "driver/soft/queue.h"

enum { LAUNCH_THREADS = 1024, LAUNCH_SHARED = 228 * 1024 };

static int grid_valid(const struct soft_grid *grid)
{
    uint64_t threads = (uint64_t)grid->block[0] * grid->block[1] * grid->block[2];
    if (!grid->grid[0] || !grid->grid[1] || !grid->grid[2] || grid->grid[1] > 65535 || grid->grid[2] > 65535)
        return 0;
    return threads && grid->block[0] <= LAUNCH_THREADS && grid->block[1] <= LAUNCH_THREADS &&
           grid->block[2] <= 64 && threads <= LAUNCH_THREADS && grid->shared_bytes <= LAUNCH_SHARED;
}

/* NULL may be passed for memory that a kernel leaves alone. */
static void task_note_use(struct soft_use *use, const struct soft_parameter *parameter, const void *value)
{
    *use = (struct soft_use) { .access = 0 };
    if (!parameter->access || parameter->bytes != sizeof use->address)
        return;
    memcpy(&use->address, value, sizeof use->address);
    use->access = use->address ? parameter->access : 0;
}

/* Copies the arguments: the caller's may be gone when the kernel runs. */
static struct soft_task *task_kernel(const struct soft_function *function, const struct soft_grid *grid,
                                     void **parameters)
{
    uint32_t count = function->count;
    size_t table = (count * sizeof(void *) + 15) / 16 * 16;
    size_t bytes = count ? soft_function_offset(function, count - 1) + function->parameters[count - 1].bytes : 0;
    struct soft_task *task = soft_task_new(SOFT_TASK_KERNEL, count, table + bytes);
    if (!task)
        return NULL;
    task->as.kernel.function = function->function;
    task->as.kernel.grid = *grid;
    task->as.kernel.arguments = (void **)(void *)task->extra;
    for (uint32_t i = 0; i < count; i++) {
        unsigned char *value = task->extra + table + soft_function_offset(function, i);
        memcpy(value, parameters[i], function->parameters[i].bytes);
        task->as.kernel.arguments[i] = value;
        task_note_use(&task->uses[i], &function->parameters[i], value);
    }
    return task;
}

static int parameters_given(const struct soft_function *function, void **parameters)
{
    for (uint32_t i = 0; i < function->count; i++)
        if (!parameters || !parameters[i])
            return 0;
    return 1;
}

int soft_launch(driver_function handle, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                driver_stream stream, void **parameters, void **extra)
{
    struct soft_grid grid = {
        .grid = { grid_x, grid_y, grid_z }, .block = { block_x, block_y, block_z }, .shared_bytes = shared_bytes
    };
    struct soft_function *function;
    struct soft_queue *queue;
    ROW_ENTER();
    function = soft_handle_find(handle, SOFT_FUNCTION);
    ROW_REQUIRE(function, DRIVER_INVALID_HANDLE);
    ROW_TRY(function->context->sticky);
    ROW_TRY(soft_queue_get(stream, &queue));
    ROW_REQUIRE(queue->context == function->context, DRIVER_INVALID_HANDLE);
    ROW_REQUIRE(grid_valid(&grid) && !extra && parameters_given(function, parameters), DRIVER_INVALID_VALUE);
    ROW_TRY(soft_submit(queue, task_kernel(function, &grid, parameters)));
    ROW_LEAVE();
}

int soft_launch_host(driver_stream stream, driver_host_function function, void *user)
{
    struct soft_queue *queue;
    struct soft_task *task;
    ROW_ENTER();
    ROW_REQUIRE(function, DRIVER_INVALID_VALUE);
    ROW_TRY(soft_queue_get(stream, &queue));
    task = soft_task_new(SOFT_TASK_HOST, 0, 0);
    if (task) {
        task->as.host.function = function;
        task->as.host.user = user;
    }
    ROW_TRY(soft_submit(queue, task));
    ROW_LEAVE();
}
