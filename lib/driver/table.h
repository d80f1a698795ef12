/* One row per driver function. Everything else follows from these rows: the struct of function pointers, the loader,
 * the software device's list, the journal, the counters and the fault points.
 *
 *   ROW(verb, CUDA symbol, least CUDA version (1000 * major + 10 * minor), (parameters), (arguments))
 *
 * Order of parameters and result codes are CUDA's. The symbol is the base name that cuGetProcAddress takes; with the
 * version it picks the ABI of that function. A row whose version is above 12000 may be absent: see driver.h. */
#ifndef BATON_DRIVER_TABLE_H
#define BATON_DRIVER_TABLE_H

#include "driver/types.h"

#define DRIVER_ROWS(ROW)                                                                                                  \
    /* process and devices */                                                                                             \
    ROW(init, cuInit, 12000, (unsigned int flags), (flags))                                                               \
    ROW(version, cuDriverGetVersion, 12000, (int *version), (version))                                                    \
    ROW(device_count, cuDeviceGetCount, 12000, (int *count), (count))                                                     \
    ROW(device_get, cuDeviceGet, 12000, (driver_device *device, int ordinal), (device, ordinal))                          \
    ROW(device_name, cuDeviceGetName, 12000, (char *name, int bytes, driver_device device), (name, bytes, device))        \
    ROW(device_memory, cuDeviceTotalMem, 12000, (size_t *bytes, driver_device device), (bytes, device))                   \
    ROW(device_attribute, cuDeviceGetAttribute, 12000,                                                                    \
        (int *value, driver_device_attribute attribute, driver_device device), (value, attribute, device))                \
    ROW(device_can_access_peer, cuDeviceCanAccessPeer, 12000,                                                             \
        (int *can, driver_device device, driver_device peer), (can, device, peer))                                        \
    /* contexts */                                                                                                        \
    ROW(primary_retain, cuDevicePrimaryCtxRetain, 12000,                                                                  \
        (driver_context *context, driver_device device), (context, device))                                               \
    ROW(primary_release, cuDevicePrimaryCtxRelease, 12000, (driver_device device), (device))                              \
    ROW(context_current, cuCtxGetCurrent, 12000, (driver_context *context), (context))                                    \
    ROW(context_push, cuCtxPushCurrent, 12000, (driver_context context), (context))                                       \
    ROW(context_pop, cuCtxPopCurrent, 12000, (driver_context *context), (context))                                        \
    ROW(context_set, cuCtxSetCurrent, 12000, (driver_context context), (context))                                         \
    ROW(context_id, cuCtxGetId, 12000, (driver_context context, unsigned long long *id), (context, id))                   \
    ROW(context_enable_peer, cuCtxEnablePeerAccess, 12000,                                                                \
        (driver_context peer, unsigned int flags), (peer, flags))                                                         \
    ROW(context_priorities, cuCtxGetStreamPriorityRange, 12000, (int *least, int *greatest), (least, greatest))           \
    /* streams */                                                                                                         \
    ROW(stream_create, cuStreamCreateWithPriority, 12000,                                                                 \
        (driver_stream *stream, unsigned int flags, int priority), (stream, flags, priority))                             \
    ROW(stream_destroy, cuStreamDestroy, 12000, (driver_stream stream), (stream))                                         \
    ROW(stream_id, cuStreamGetId, 12000, (driver_stream stream, unsigned long long *id), (stream, id))                    \
    ROW(stream_context, cuStreamGetCtx, 12000, (driver_stream stream, driver_context *context), (stream, context))        \
    ROW(stream_query, cuStreamQuery, 12000, (driver_stream stream), (stream))                                             \
    ROW(stream_synchronize, cuStreamSynchronize, 12000, (driver_stream stream), (stream))                                 \
    ROW(stream_wait_event, cuStreamWaitEvent, 12000,                                                                      \
        (driver_stream stream, driver_event event, unsigned int flags), (stream, event, flags))                           \
    ROW(event_create, cuEventCreate, 12000, (driver_event *event, unsigned int flags), (event, flags))                    \
    ROW(event_destroy, cuEventDestroy, 12000, (driver_event event), (event))                                              \
    ROW(event_record, cuEventRecord, 12000, (driver_event event, driver_stream stream), (event, stream))                  \
    ROW(event_query, cuEventQuery, 12000, (driver_event event), (event))                                                  \
    ROW(event_synchronize, cuEventSynchronize, 12000, (driver_event event), (event))                                      \
    /* memory */                                                                                                          \
    ROW(memory_info, cuMemGetInfo, 12000, (size_t *free_bytes, size_t *total_bytes), (free_bytes, total_bytes))           \
    ROW(pool_create, cuMemPoolCreate, 12000,                                                                              \
        (driver_pool *pool, const driver_pool_properties *properties), (pool, properties))                                \
    ROW(pool_destroy, cuMemPoolDestroy, 12000, (driver_pool pool), (pool))                                                \
    ROW(pool_trim, cuMemPoolTrimTo, 12000, (driver_pool pool, size_t keep_bytes), (pool, keep_bytes))                     \
    ROW(pool_set, cuMemPoolSetAttribute, 12000,                                                                           \
        (driver_pool pool, driver_pool_attribute attribute, void *value), (pool, attribute, value))                       \
    ROW(pool_get, cuMemPoolGetAttribute, 12000,                                                                           \
        (driver_pool pool, driver_pool_attribute attribute, void *value), (pool, attribute, value))                       \
    ROW(pool_access, cuMemPoolSetAccess, 12000,                                                                           \
        (driver_pool pool, const driver_pool_access *access, size_t count), (pool, access, count))                        \
    ROW(alloc_async, cuMemAllocFromPoolAsync, 12000,                                                                      \
        (driver_address *address, size_t bytes, driver_pool pool, driver_stream stream), (address, bytes, pool, stream))  \
    ROW(free_async, cuMemFreeAsync, 12000, (driver_address address, driver_stream stream), (address, stream))             \
    ROW(alloc, cuMemAlloc, 12000, (driver_address *address, size_t bytes), (address, bytes))                              \
    ROW(alloc_managed, cuMemAllocManaged, 12000,                                                                          \
        (driver_address *address, size_t bytes, unsigned int flags), (address, bytes, flags))                             \
    ROW(free, cuMemFree, 12000, (driver_address address), (address))                                                      \
    ROW(host_alloc, cuMemHostAlloc, 12000, (void **address, size_t bytes, unsigned int flags), (address, bytes, flags))   \
    ROW(host_free, cuMemFreeHost, 12000, (void *address), (address))                                                      \
    ROW(pointer_attribute, cuPointerGetAttribute, 12000,                                                                  \
        (void *value, driver_pointer_attribute attribute, driver_address address), (value, attribute, address))           \
    /* work */                                                                                                            \
    ROW(copy, cuMemcpyAsync, 12000,                                                                                       \
        (driver_address to, driver_address from, size_t bytes, driver_stream stream), (to, from, bytes, stream))          \
    ROW(copy_to_device, cuMemcpyHtoDAsync, 12000,                                                                         \
        (driver_address to, const void *from, size_t bytes, driver_stream stream), (to, from, bytes, stream))             \
    ROW(copy_to_host, cuMemcpyDtoHAsync, 12000,                                                                           \
        (void *to, driver_address from, size_t bytes, driver_stream stream), (to, from, bytes, stream))                   \
    ROW(copy_peer, cuMemcpyPeerAsync, 12000,                                                                              \
        (driver_address to, driver_context to_context, driver_address from, driver_context from_context, size_t bytes,    \
         driver_stream stream), (to, to_context, from, from_context, bytes, stream))                                      \
    ROW(fill8, cuMemsetD8Async, 12000,                                                                                    \
        (driver_address to, unsigned char value, size_t count, driver_stream stream), (to, value, count, stream))         \
    ROW(fill16, cuMemsetD16Async, 12000,                                                                                  \
        (driver_address to, unsigned short value, size_t count, driver_stream stream), (to, value, count, stream))        \
    ROW(fill32, cuMemsetD32Async, 12000,                                                                                  \
        (driver_address to, unsigned int value, size_t count, driver_stream stream), (to, value, count, stream))          \
    ROW(module_load, cuModuleLoadData, 12000, (driver_module *module, const void *image), (module, image))                \
    ROW(module_load_ex, cuModuleLoadDataEx, 12000,                                                                        \
        (driver_module *module, const void *image, unsigned int count, driver_jit_option *options, void **values),        \
        (module, image, count, options, values))                                                                          \
    ROW(module_unload, cuModuleUnload, 12000, (driver_module module), (module))                                           \
    ROW(module_function, cuModuleGetFunction, 12000,                                                                      \
        (driver_function *function, driver_module module, const char *name), (function, module, name))                    \
    ROW(function_attribute, cuFuncGetAttribute, 12000,                                                                    \
        (int *value, driver_function_attribute attribute, driver_function function), (value, attribute, function))        \
    ROW(function_set, cuFuncSetAttribute, 12000,                                                                          \
        (driver_function function, driver_function_attribute attribute, int value), (function, attribute, value))         \
    ROW(function_parameter, cuFuncGetParamInfo, 12040,                                                                    \
        (driver_function function, size_t index, size_t *offset, size_t *bytes), (function, index, offset, bytes))        \
    ROW(launch, cuLaunchKernel, 12000,                                                                                    \
        (driver_function function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,   \
         unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, driver_stream stream, void **parameters,  \
         void **extra),                                                                                                   \
        (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, parameters, extra))           \
    ROW(launch_ex, cuLaunchKernelEx, 12000,                                                                               \
        (const driver_launch_config *config, driver_function function, void **parameters, void **extra),                  \
        (config, function, parameters, extra))                                                                            \
    ROW(occupancy_blocks, cuOccupancyMaxActiveBlocksPerMultiprocessor, 12000,                                             \
        (int *blocks, driver_function function, int threads, size_t shared_bytes),                                        \
        (blocks, function, threads, shared_bytes))                                                                        \
    ROW(occupancy_block_size, cuOccupancyMaxPotentialBlockSize, 12000,                                                    \
        (int *grid, int *threads, driver_function function, driver_shared_of_threads shared_of_threads,                   \
         size_t shared_bytes, int most_threads), (grid, threads, function, shared_of_threads, shared_bytes, most_threads))\
    ROW(launch_host, cuLaunchHostFunc, 12000,                                                                             \
        (driver_stream stream, driver_host_function function, void *user), (stream, function, user))                      \
    /* capture and graphs */                                                                                              \
    ROW(capture_exchange, cuThreadExchangeStreamCaptureMode, 12000, (driver_capture_mode *mode), (mode))                  \
    ROW(capture_status, cuStreamIsCapturing, 12000, (driver_stream stream, driver_capture_status *status),                \
        (stream, status))                                                                                                 \
    ROW(capture_begin, cuStreamBeginCapture, 12000, (driver_stream stream, driver_capture_mode mode), (stream, mode))     \
    ROW(capture_end, cuStreamEndCapture, 12000, (driver_stream stream, driver_graph *graph), (stream, graph))             \
    ROW(capture_info, cuStreamGetCaptureInfo, 12000,                                                                      \
        (driver_stream stream, driver_capture_status *status, driver_capture_id *id, driver_graph *graph,                 \
         const driver_graph_node **dependencies, size_t *count), (stream, status, id, graph, dependencies, count))        \
    ROW(capture_update, cuStreamUpdateCaptureDependencies, 12000,                                                         \
        (driver_stream stream, driver_graph_node *dependencies, size_t count, unsigned int flags),                        \
        (stream, dependencies, count, flags))                                                                             \
    ROW(graph_add_child, cuGraphAddChildGraphNode, 12000,                                                                 \
        (driver_graph_node *node, driver_graph graph, const driver_graph_node *dependencies, size_t count,                \
         driver_graph child), (node, graph, dependencies, count, child))                                                  \
    ROW(graph_destroy, cuGraphDestroy, 12000, (driver_graph graph), (graph))                                              \
    ROW(graph_instantiate, cuGraphInstantiateWithFlags, 12000,                                                            \
        (driver_graph_exec *exec, driver_graph graph, unsigned long long flags), (exec, graph, flags))                    \
    ROW(graph_update, cuGraphExecUpdate, 12000,                                                                           \
        (driver_graph_exec exec, driver_graph graph, driver_update_result *result), (exec, graph, result))                \
    ROW(graph_launch, cuGraphLaunch, 12000, (driver_graph_exec exec, driver_stream stream), (exec, stream))               \
    ROW(graph_exec_destroy, cuGraphExecDestroy, 12000, (driver_graph_exec exec), (exec))

#endif
