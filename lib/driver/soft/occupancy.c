/* What a function needs of a multiprocessor, and how many of its blocks fit: the same simple figures for every function (module.h). */
#include "driver/soft/module.h"
#include "driver/soft/row.h"

static int attribute_value(const struct soft_function *function, driver_function_attribute attribute)
{
    switch (attribute) {
    case DRIVER_FUNCTION_MAX_THREADS: return SOFT_BLOCK_THREADS;
    case DRIVER_FUNCTION_STATIC_SHARED:
    case DRIVER_FUNCTION_CONSTANT:
    case DRIVER_FUNCTION_LOCAL: return 0;
    case DRIVER_FUNCTION_REGISTERS: return SOFT_REGISTERS;
    case DRIVER_FUNCTION_PTX_VERSION:
    case DRIVER_FUNCTION_BINARY_VERSION: return 90;
    case DRIVER_FUNCTION_MAX_DYNAMIC_SHARED: return function->dynamic_shared;
    case DRIVER_FUNCTION_ANY_CLUSTER: return function->any_cluster;
    default: return -1;
    }
}

int soft_function_attribute(int *value, driver_function_attribute attribute, driver_function handle)
{
    struct soft_function *function;
    ROW_ENTER();
    function = soft_handle_find(handle, SOFT_FUNCTION);
    ROW_REQUIRE(function, DRIVER_INVALID_HANDLE);
    ROW_TRY(function->context->sticky);
    ROW_REQUIRE(value && attribute_value(function, attribute) >= 0, DRIVER_INVALID_VALUE);
    *value = attribute_value(function, attribute);
    ROW_LEAVE();
}

int soft_function_set(driver_function handle, driver_function_attribute attribute, int value)
{
    struct soft_function *function;
    ROW_ENTER();
    function = soft_handle_find(handle, SOFT_FUNCTION);
    ROW_REQUIRE(function, DRIVER_INVALID_HANDLE);
    ROW_TRY(function->context->sticky);
    if (attribute == DRIVER_FUNCTION_MAX_DYNAMIC_SHARED && value >= 0 && value <= SOFT_SHARED_BLOCK)
        function->dynamic_shared = value;
    else if (attribute == DRIVER_FUNCTION_ANY_CLUSTER)
        function->any_cluster = value != 0;
    else
        return soft_leave(DRIVER_INVALID_VALUE);
    ROW_LEAVE();
}

int soft_function_blocks(const struct soft_function *function, uint64_t threads, size_t shared_bytes)
{
    uint64_t warps = (threads + SOFT_WARP - 1) / SOFT_WARP;
    if (!threads || threads > SOFT_BLOCK_THREADS || shared_bytes > (size_t)function->dynamic_shared)
        return 0;
    uint64_t blocks = SOFT_THREADS / (warps * SOFT_WARP);
    uint64_t by_shared = SOFT_SHARED / (shared_bytes + SOFT_SHARED_OWN);
    blocks = blocks < SOFT_BLOCKS ? blocks : SOFT_BLOCKS;
    return (int)(blocks < by_shared ? blocks : by_shared);
}

int soft_occupancy_blocks(int *blocks, driver_function handle, int threads, size_t shared_bytes)
{
    struct soft_function *function;
    ROW_ENTER();
    function = soft_handle_find(handle, SOFT_FUNCTION);
    ROW_REQUIRE(function, DRIVER_INVALID_HANDLE);
    ROW_TRY(function->context->sticky);
    ROW_REQUIRE(blocks && threads > 0, DRIVER_INVALID_VALUE);
    *blocks = soft_function_blocks(function, (uint64_t)threads, shared_bytes);
    ROW_LEAVE();
}

/* The largest block of those with which most threads are resident. */
int soft_occupancy_block_size(int *grid, int *threads, driver_function handle, driver_shared_of_threads shared_of_threads, size_t shared_bytes,
                              int most_threads)
{
    struct soft_function *function;
    int most = 0, best = 0, limit = most_threads > 0 && most_threads < SOFT_BLOCK_THREADS ? most_threads : SOFT_BLOCK_THREADS;
    ROW_ENTER();
    function = soft_handle_find(handle, SOFT_FUNCTION);
    ROW_REQUIRE(function, DRIVER_INVALID_HANDLE);
    ROW_TRY(function->context->sticky);
    ROW_REQUIRE(grid && threads && most_threads >= 0, DRIVER_INVALID_VALUE);
    for (int size = limit; size > 0; size = (size - 1) / SOFT_WARP * SOFT_WARP) {
        size_t shared = shared_of_threads ? shared_of_threads(size) : shared_bytes;
        int resident = size * soft_function_blocks(function, (uint64_t)size, shared);
        if (resident > most) {
            most = resident;
            best = size;
        }
    }
    *threads = best;
    *grid = best ? most / best * SOFT_MULTIPROCESSORS : 0;
    ROW_LEAVE();
}
