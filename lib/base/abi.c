#include "baton.h"

#define ABI_VERSION 1

/* S(struct) M(struct, member): every public struct and member, in the order of baton_ffi.h. */
#define ABI_ROWS(S, M)                                                                                           \
    S(baton_error) M(baton_error, struct_size) M(baton_error, status) M(baton_error, driver_code)                \
        M(baton_error, origin) M(baton_error, operation) M(baton_error, level) M(baton_error, device)            \
        M(baton_error, stream_id) M(baton_error, memory_id) M(baton_error, tag) M(baton_error, ticket_first)     \
        M(baton_error, ticket_last) M(baton_error, message)                                                      \
    S(baton_runtime_options) M(baton_runtime_options, struct_size) M(baton_runtime_options, flags)               \
        M(baton_runtime_options, driver) M(baton_runtime_options, user) M(baton_runtime_options, yield)          \
        M(baton_runtime_options, before_block) M(baton_runtime_options, after_block)                             \
        M(baton_runtime_options, reclaim) M(baton_runtime_options, reserved)                                     \
    S(baton_runtime_info) M(baton_runtime_info, struct_size) M(baton_runtime_info, devices)                      \
        M(baton_runtime_info, driver_version) M(baton_runtime_info, reserved) M(baton_runtime_info, driver)      \
        M(baton_runtime_info, reason)                                                                            \
    S(baton_device_info) M(baton_device_info, struct_size) M(baton_device_info, device)                          \
        M(baton_device_info, compute_major) M(baton_device_info, compute_minor)                                  \
        M(baton_device_info, multiprocessors) M(baton_device_info, concurrent_managed)                           \
        M(baton_device_info, total_bytes) M(baton_device_info, limit_bytes) M(baton_device_info, live_bytes)     \
        M(baton_device_info, deferred_bytes) M(baton_device_info, name)                                          \
    S(baton_stats) M(baton_stats, struct_size) M(baton_stats, reserved) M(baton_stats, operations)               \
        M(baton_stats, device_waits) M(baton_stats, records) M(baton_stats, elided_same)                         \
        M(baton_stats, elided_covered) M(baton_stats, elided_complete) M(baton_stats, host_waits)                \
        M(baton_stats, host_blocked_ns) M(baton_stats, allocations) M(baton_stats, frees)                        \
        M(baton_stats, live_bytes) M(baton_stats, deferred_bytes) M(baton_stats, live_arrays)                    \
        M(baton_stats, graph_launches) M(baton_stats, graph_memories) M(baton_stats, graph_waits) M(baton_stats, faults_swallowed) M(baton_stats, longest_lock_wait_ns) M(baton_stats, cached_bytes) \
        M(baton_stats, cache_hits)  \
    S(baton_array_options) M(baton_array_options, struct_size) M(baton_array_options, flags)                     \
        M(baton_array_options, device) M(baton_array_options, kind) M(baton_array_options, dtype)                \
        M(baton_array_options, ndim) M(baton_array_options, shape) M(baton_array_options, strides)               \
        M(baton_array_options, stream) M(baton_array_options, level) M(baton_array_options, read_only)           \
        M(baton_array_options, reserved)                                                                         \
    S(baton_view_options) M(baton_view_options, struct_size) M(baton_view_options, dtype)                        \
        M(baton_view_options, ndim) M(baton_view_options, reserved32) M(baton_view_options, start)               \
        M(baton_view_options, count) M(baton_view_options, step) M(baton_view_options, permutation)              \
        M(baton_view_options, shape) M(baton_view_options, shape_ndim) M(baton_view_options, reserved33)         \
        M(baton_view_options, reserved)                                                                          \
    S(baton_array_info) M(baton_array_info, struct_size) M(baton_array_info, dtype) M(baton_array_info, ndim)    \
        M(baton_array_info, kind) M(baton_array_info, device) M(baton_array_info, flags)                         \
        M(baton_array_info, memory_id) M(baton_array_info, elements) M(baton_array_info, bytes)                  \
        M(baton_array_info, offset_bytes) M(baton_array_info, memory_bytes) M(baton_array_info, owner_stream_id) \
        M(baton_array_info, pending_stream_id) M(baton_array_info, readers) M(baton_array_info, lock_holder)     \
        M(baton_array_info, shape) M(baton_array_info, strides)                                                  \
    S(baton_operand) M(baton_operand, array) M(baton_operand, access) M(baton_operand, reserved)                 \
        M(baton_operand, address)                                                                                \
    S(baton_argument) M(baton_argument, array) M(baton_argument, data) M(baton_argument, bytes)                  \
        M(baton_argument, access)                                                                                \
    S(baton_launch_options) M(baton_launch_options, struct_size) M(baton_launch_options, flags)                  \
        M(baton_launch_options, grid) M(baton_launch_options, block) M(baton_launch_options, shared_bytes)       \
        M(baton_launch_options, reserved32) M(baton_launch_options, stream) M(baton_launch_options, scope)       \
        M(baton_launch_options, cluster) M(baton_launch_options, reserved33)                                     \
    S(baton_host_launch) M(baton_host_launch, grid) M(baton_host_launch, block)                                  \
        M(baton_host_launch, shared_bytes) M(baton_host_launch, reserved)                                        \
    S(baton_host_parameter) M(baton_host_parameter, bytes) M(baton_host_parameter, access)                       \
    S(baton_compile_options) M(baton_compile_options, struct_size) M(baton_compile_options, flags)               \
        M(baton_compile_options, name) M(baton_compile_options, options) M(baton_compile_options, expressions)   \
        M(baton_compile_options, headers) M(baton_compile_options, header_names)                                 \
        M(baton_compile_options, option_count) M(baton_compile_options, expression_count)                        \
        M(baton_compile_options, header_count) M(baton_compile_options, reserved32)                              \
        M(baton_compile_options, log) M(baton_compile_options, log_bytes) M(baton_compile_options, log_needed)   \
        M(baton_compile_options, tag) M(baton_compile_options, cache) M(baton_compile_options, cache_bytes)      \
        M(baton_compile_options, reserved)                                                                       \
    S(baton_kernel_info) M(baton_kernel_info, struct_size) M(baton_kernel_info, device)                          \
        M(baton_kernel_info, parameters) M(baton_kernel_info, registers) M(baton_kernel_info, most_threads)      \
        M(baton_kernel_info, binary_version) M(baton_kernel_info, ptx_version) M(baton_kernel_info, reserved)    \
        M(baton_kernel_info, shared_bytes) M(baton_kernel_info, most_shared_bytes)                               \
        M(baton_kernel_info, constant_bytes) M(baton_kernel_info, local_bytes)                                   \
    S(baton_graph_info) M(baton_graph_info, struct_size) M(baton_graph_info, device) M(baton_graph_info, steps)    \
        M(baton_graph_info, memories) M(baton_graph_info, written)                                               \
    S(baton_dlpack_options) M(baton_dlpack_options, struct_size) M(baton_dlpack_options, flags)                  \
        M(baton_dlpack_options, stream) M(baton_dlpack_options, reserved)                                        \
    S(baton_interface_info) M(baton_interface_info, struct_size) M(baton_interface_info, read_only)              \
        M(baton_interface_info, address) M(baton_interface_info, stream) M(baton_interface_info, typestr)        \
        M(baton_interface_info, device) M(baton_interface_info, device_type) M(baton_interface_info, ndim)       \
        M(baton_interface_info, contiguous) M(baton_interface_info, shape) M(baton_interface_info, strides)      \
    S(baton_trace_entry) M(baton_trace_entry, time_ns) M(baton_trace_entry, stream_id)                           \
        M(baton_trace_entry, ticket) M(baton_trace_entry, other_stream_id) M(baton_trace_entry, other_ticket)    \
        M(baton_trace_entry, operation) M(baton_trace_entry, host_cause) M(baton_trace_entry, duration_ns)

struct abi_entry {
    const char *name;
    uint32_t offset, size;
};

static const struct abi_entry entries[] = {
#define ABI_STRUCT(type) { #type, 0, sizeof(type) },
#define ABI_MEMBER(type, member) { #type "." #member, offsetof(type, member), sizeof(((type *)NULL)->member) },
    ABI_ROWS(ABI_STRUCT, ABI_MEMBER)
#undef ABI_MEMBER
#undef ABI_STRUCT
};

uint32_t baton_version(void)
{
    return 10000 * BATON_VERSION_MAJOR + 100 * BATON_VERSION_MINOR + BATON_VERSION_PATCH;
}

uint32_t baton_abi_version(void)
{
    return ABI_VERSION;
}

int32_t baton_abi_layout(uint32_t index, const char **name, uint32_t *offset, uint32_t *size)
{
    if (!name || !offset || !size)
        return BATON_ERR_ARGUMENT;
    if (index >= sizeof entries / sizeof entries[0])
        return BATON_ERR_BOUNDS;
    *name = entries[index].name;
    *offset = entries[index].offset;
    *size = entries[index].size;
    return BATON_OK;
}
