#include "driver/soft/row.h"

#include <string.h>

#include "driver/soft/module.h"
#include "driver/soft/queue.h"

/* What is past 2^64 is as good as 2^64 - 1: too many. */
static uint64_t product(const uint32_t *sizes)
{
    uint64_t result;
    return __builtin_mul_overflow((uint64_t)sizes[0] * sizes[1], sizes[2], &result) ? UINT64_MAX : result;
}

static int grid_valid(const struct soft_function *function, const struct soft_grid *grid)
{
    uint64_t threads = product(grid->block);
    if (!grid->grid[0] || !grid->grid[1] || !grid->grid[2] || grid->grid[1] > 65535 || grid->grid[2] > 65535)
        return 0;
    return threads && grid->block[0] <= SOFT_BLOCK_THREADS && grid->block[1] <= SOFT_BLOCK_THREADS &&
           grid->block[2] <= 64 && threads <= SOFT_BLOCK_THREADS && grid->shared_bytes <= (uint32_t)function->dynamic_shared;
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

/* Every block of a cluster is resident at once, and every block of a cooperative grid. */
static int special_check(const struct soft_function *function, const struct soft_grid *grid, const struct driver_launch_attribute *attribute)
{
    const unsigned int *cluster = attribute->value.cluster;
    uint64_t room = SOFT_MULTIPROCESSORS * (uint64_t)soft_function_blocks(function, product(grid->block), grid->shared_bytes);
    if (attribute->id == DRIVER_LAUNCH_COOPERATIVE)
        return attribute->value.cooperative && product(grid->grid) > room ? DRIVER_COOPERATIVE_LAUNCH_TOO_LARGE : DRIVER_SUCCESS;
    if (attribute->id != DRIVER_LAUNCH_CLUSTER)
        return DRIVER_INVALID_VALUE;
    for (int i = 0; i < 3; i++)
        if (!cluster[i] || cluster[i] > SOFT_CLUSTER_ANY || grid->grid[i] % cluster[i])
            return DRIVER_INVALID_VALUE;
    return product(cluster) > (function->any_cluster ? SOFT_CLUSTER_ANY : SOFT_CLUSTER) ? DRIVER_INVALID_CLUSTER_SIZE : DRIVER_SUCCESS;
}

/* Entered. */
static int launch(driver_function handle, const struct soft_grid *grid, driver_stream stream, void **parameters, void **extra,
                  const struct driver_launch_attribute *attributes, unsigned int count)
{
    struct soft_queue *queue;
    struct soft_function *function = soft_handle_find(handle, SOFT_FUNCTION);
    ROW_REQUIRE(function, DRIVER_INVALID_HANDLE);
    ROW_TRY(function->context->sticky);
    ROW_TRY(soft_queue_get(stream, &queue));
    ROW_REQUIRE(queue->context == function->context, DRIVER_INVALID_HANDLE);
    ROW_REQUIRE(grid_valid(function, grid) && !extra && parameters_given(function, parameters), DRIVER_INVALID_VALUE);
    for (unsigned int i = 0; i < count; i++)
        ROW_TRY(special_check(function, grid, &attributes[i]));
    ROW_TRY(soft_submit(queue, task_kernel(function, grid, parameters)));
    ROW_LEAVE();
}

int soft_launch(driver_function handle, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                driver_stream stream, void **parameters, void **extra)
{
    struct soft_grid grid = {
        .grid = { grid_x, grid_y, grid_z }, .block = { block_x, block_y, block_z }, .shared_bytes = shared_bytes
    };
    ROW_ENTER();
    return launch(handle, &grid, stream, parameters, extra, NULL, 0);
}

int soft_launch_ex(const driver_launch_config *config, driver_function handle, void **parameters, void **extra)
{
    struct soft_grid grid = { .shared_bytes = config ? config->shared_bytes : 0 };
    ROW_ENTER();
    ROW_REQUIRE(config && (config->attributes || !config->count), DRIVER_INVALID_VALUE);
    memcpy(grid.grid, config->grid, sizeof grid.grid);
    memcpy(grid.block, config->block, sizeof grid.block);
    return launch(handle, &grid, config->stream, parameters, extra, config->attributes, config->count);
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
