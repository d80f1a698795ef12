// C++11 reads baton.h, links the library, and lays the structs out as the library does.
#include "baton.h"

#include <cstddef>
#include <cstdio>
#include <cstring>

#define STRUCTS(S)                                                                                                 \
    S(baton_error) S(baton_runtime_options) S(baton_runtime_info) S(baton_device_info) S(baton_stats)              \
    S(baton_array_options) S(baton_view_options) S(baton_array_info) S(baton_operand) S(baton_argument)            \
    S(baton_launch_options) S(baton_host_launch) S(baton_host_parameter) S(baton_trace_entry)

#define MEMBERS(M)                                                                                                 \
    M(baton_error, status) M(baton_error, driver_code) M(baton_error, device) M(baton_error, message)              \
    M(baton_runtime_options, driver) M(baton_runtime_options, user) M(baton_runtime_options, reclaim)              \
    M(baton_stats, operations) M(baton_stats, host_waits) M(baton_stats, longest_lock_wait_ns)                     \
    M(baton_array_options, kind) M(baton_array_options, shape) M(baton_array_options, stream)                      \
    M(baton_view_options, start) M(baton_view_options, permutation) M(baton_view_options, shape_ndim)              \
    M(baton_array_info, memory_id) M(baton_array_info, shape) M(baton_array_info, strides)                         \
    M(baton_operand, access) M(baton_operand, address) M(baton_argument, data) M(baton_argument, access)           \
    M(baton_launch_options, grid) M(baton_launch_options, stream) M(baton_launch_options, scope)                   \
    M(baton_trace_entry, operation) M(baton_trace_entry, duration_ns)

static_assert(sizeof(baton_error) == 256, "the error record has 256 bytes");
static_assert(sizeof(baton_operand) == 24, "operands have 24 bytes and never grow");
static_assert(sizeof(baton_argument) == 24, "arguments have 24 bytes and never grow");
static_assert(offsetof(baton_error, struct_size) == 0, "struct_size comes first");
static_assert(offsetof(baton_array_options, struct_size) == 0, "struct_size comes first");
static_assert(offsetof(baton_launch_options, struct_size) == 0, "struct_size comes first");
static_assert(BATON_ERR_BUSY == -26, "statuses keep their numbers");

static bool same(const char *wanted, std::size_t offset, std::size_t size)
{
    const char *name;
    uint32_t at, bytes;
    for (uint32_t index = 0; baton_abi_layout(index, &name, &at, &bytes) == BATON_OK; index++)
        if (!std::strcmp(name, wanted) && at == offset && bytes == size)
            return true;
    std::printf("%s: C++ has offset %zu, size %zu\n", wanted, offset, size);
    return false;
}

int main()
{
    bool good = true;
#define COMPARE_STRUCT(type) good = same(#type, 0, sizeof(type)) && good;
    STRUCTS(COMPARE_STRUCT)
#define COMPARE_MEMBER(type, member) \
    good = same(#type "." #member, offsetof(type, member), sizeof(static_cast<type *>(nullptr)->member)) && good;
    MEMBERS(COMPARE_MEMBER)
    return good ? 0 : 1;
}
