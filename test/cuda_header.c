/* Compiled only where the CUDA toolkit is: holds every row, code and constant of lib/driver against cuda.h. */
#include "driver/table.h"

#include <cudaTypedefs.h>

/* Newer headers give these names to functions with edge data; the table asks for those of CUDA 11.3. */
#undef cuStreamGetCaptureInfo
#undef cuStreamUpdateCaptureDependencies
#define cuStreamGetCaptureInfo (*(PFN_cuStreamGetCaptureInfo_v11030)NULL)
#define cuStreamUpdateCaptureDependencies (*(PFN_cuStreamUpdateCaptureDependencies_v11030)NULL)

#define COMPARE_ROW(verb, symbol, version, parameters, arguments)                         \
    _Static_assert(__builtin_types_compatible_p(__typeof__(symbol), CUresult parameters), \
                   #verb " differs from " #symbol);
DRIVER_ROWS(COMPARE_ROW)

#define CUDA_ERROR_SUCCESS CUDA_SUCCESS
#define COMPARE_CODE(name, number, sticky) _Static_assert(CUDA_ERROR_##name == (number), #name);
DRIVER_CODES(COMPARE_CODE)

#define COMPARE(ours, theirs) _Static_assert((unsigned long long)(ours) == (unsigned long long)(theirs), #ours);
COMPARE(DRIVER_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING)
COMPARE(DRIVER_EVENT_BLOCKING_SYNC, CU_EVENT_BLOCKING_SYNC)
COMPARE(DRIVER_EVENT_DISABLE_TIMING, CU_EVENT_DISABLE_TIMING)
COMPARE(DRIVER_EVENT_WAIT_EXTERNAL, CU_EVENT_WAIT_EXTERNAL)
COMPARE(DRIVER_HOST_ALLOC_PORTABLE, CU_MEMHOSTALLOC_PORTABLE)
COMPARE(DRIVER_ATTACH_GLOBAL, CU_MEM_ATTACH_GLOBAL)
COMPARE(DRIVER_ALLOCATION_PINNED, CU_MEM_ALLOCATION_TYPE_PINNED)
COMPARE(DRIVER_LOCATION_DEVICE, CU_MEM_LOCATION_TYPE_DEVICE)
COMPARE(DRIVER_ACCESS_READ_WRITE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
COMPARE(DRIVER_POOL_RELEASE_THRESHOLD, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
COMPARE(DRIVER_POOL_RESERVED_CURRENT, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)
COMPARE(DRIVER_POOL_USED_CURRENT, CU_MEMPOOL_ATTR_USED_MEM_CURRENT)
COMPARE(DRIVER_DEVICE_UNIFIED_ADDRESSING, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING)
COMPARE(DRIVER_DEVICE_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
COMPARE(DRIVER_DEVICE_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
COMPARE(DRIVER_DEVICE_MANAGED_MEMORY, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY)
COMPARE(DRIVER_DEVICE_CONCURRENT_MANAGED, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)
COMPARE(DRIVER_DEVICE_MULTIPROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
COMPARE(DRIVER_DEVICE_MEMORY_POOLS, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)
COMPARE(DRIVER_POINTER_CONTEXT, CU_POINTER_ATTRIBUTE_CONTEXT)
COMPARE(DRIVER_POINTER_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
COMPARE(DRIVER_POINTER_IS_MANAGED, CU_POINTER_ATTRIBUTE_IS_MANAGED)
COMPARE(DRIVER_POINTER_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
COMPARE(DRIVER_POINTER_RANGE_START, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)
COMPARE(DRIVER_POINTER_RANGE_BYTES, CU_POINTER_ATTRIBUTE_RANGE_SIZE)
COMPARE(DRIVER_MEMORY_HOST, CU_MEMORYTYPE_HOST)
COMPARE(DRIVER_MEMORY_DEVICE, CU_MEMORYTYPE_DEVICE)
COMPARE(DRIVER_FUNCTION_MAX_THREADS, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
COMPARE(DRIVER_FUNCTION_STATIC_SHARED, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
COMPARE(DRIVER_FUNCTION_CONSTANT, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)
COMPARE(DRIVER_FUNCTION_LOCAL, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
COMPARE(DRIVER_FUNCTION_REGISTERS, CU_FUNC_ATTRIBUTE_NUM_REGS)
COMPARE(DRIVER_FUNCTION_PTX_VERSION, CU_FUNC_ATTRIBUTE_PTX_VERSION)
COMPARE(DRIVER_FUNCTION_BINARY_VERSION, CU_FUNC_ATTRIBUTE_BINARY_VERSION)
COMPARE(DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
COMPARE(DRIVER_FUNCTION_ANY_CLUSTER, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
COMPARE(DRIVER_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BUFFER)
COMPARE(DRIVER_JIT_ERROR_LOG_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
COMPARE(DRIVER_LAUNCH_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
COMPARE(DRIVER_LAUNCH_CLUSTER, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
COMPARE(DRIVER_DEVICE_COOPERATIVE_LAUNCH, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)
COMPARE(DRIVER_DEVICE_SHARED_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
COMPARE(DRIVER_DEVICE_CLUSTER_LAUNCH, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)
COMPARE(DRIVER_CAPTURE_GLOBAL, CU_STREAM_CAPTURE_MODE_GLOBAL)
COMPARE(DRIVER_CAPTURE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
COMPARE(DRIVER_CAPTURE_RELAXED, CU_STREAM_CAPTURE_MODE_RELAXED)
COMPARE(DRIVER_CAPTURE_SET_DEPENDENCIES, CU_STREAM_SET_CAPTURE_DEPENDENCIES)
COMPARE(DRIVER_CAPTURE_STATUS_NONE, CU_STREAM_CAPTURE_STATUS_NONE)
COMPARE(DRIVER_CAPTURE_STATUS_ACTIVE, CU_STREAM_CAPTURE_STATUS_ACTIVE)
COMPARE(DRIVER_CAPTURE_STATUS_INVALIDATED, CU_STREAM_CAPTURE_STATUS_INVALIDATED)

#define COMPARE_TYPE(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #ours);
#define COMPARE_MEMBER(ours, member, theirs, other)                                                           \
    _Static_assert(offsetof(ours, member) == offsetof(theirs, other), #ours "." #member);                     \
    _Static_assert(sizeof((ours *)0)->member == sizeof((theirs *)0)->other, #ours "." #member);
COMPARE_TYPE(struct driver_pool_properties, CUmemPoolProps)
COMPARE_MEMBER(struct driver_pool_properties, allocation_type, CUmemPoolProps, allocType)
COMPARE_MEMBER(struct driver_pool_properties, handle_types, CUmemPoolProps, handleTypes)
COMPARE_MEMBER(struct driver_pool_properties, location_type, CUmemPoolProps, location.type)
COMPARE_MEMBER(struct driver_pool_properties, location_id, CUmemPoolProps, location.id)
COMPARE_MEMBER(struct driver_pool_properties, security_attributes, CUmemPoolProps, win32SecurityAttributes)
COMPARE_MEMBER(struct driver_pool_properties, max_size, CUmemPoolProps, maxSize)
COMPARE_TYPE(struct driver_pool_access, CUmemAccessDesc)
COMPARE_MEMBER(struct driver_pool_access, location_type, CUmemAccessDesc, location.type)
COMPARE_MEMBER(struct driver_pool_access, location_id, CUmemAccessDesc, location.id)
COMPARE_MEMBER(struct driver_pool_access, flags, CUmemAccessDesc, flags)
COMPARE_TYPE(struct driver_update_result, CUgraphExecUpdateResultInfo)
COMPARE_MEMBER(struct driver_update_result, result, CUgraphExecUpdateResultInfo, result)
COMPARE_MEMBER(struct driver_update_result, error_node, CUgraphExecUpdateResultInfo, errorNode)
COMPARE_MEMBER(struct driver_update_result, error_from_node, CUgraphExecUpdateResultInfo, errorFromNode)
COMPARE_TYPE(struct driver_launch_attribute, CUlaunchAttribute)
COMPARE_MEMBER(struct driver_launch_attribute, id, CUlaunchAttribute, id)
COMPARE_MEMBER(struct driver_launch_attribute, value.cooperative, CUlaunchAttribute, value.cooperative)
COMPARE_MEMBER(struct driver_launch_attribute, value.cluster, CUlaunchAttribute, value.clusterDim)
COMPARE_TYPE(struct driver_launch_config, CUlaunchConfig)
COMPARE_MEMBER(struct driver_launch_config, grid[0], CUlaunchConfig, gridDimX)
COMPARE_MEMBER(struct driver_launch_config, grid[2], CUlaunchConfig, gridDimZ)
COMPARE_MEMBER(struct driver_launch_config, block[0], CUlaunchConfig, blockDimX)
COMPARE_MEMBER(struct driver_launch_config, block[2], CUlaunchConfig, blockDimZ)
COMPARE_MEMBER(struct driver_launch_config, shared_bytes, CUlaunchConfig, sharedMemBytes)
COMPARE_MEMBER(struct driver_launch_config, stream, CUlaunchConfig, hStream)
COMPARE_MEMBER(struct driver_launch_config, attributes, CUlaunchConfig, attrs)
COMPARE_MEMBER(struct driver_launch_config, count, CUlaunchConfig, numAttrs)

/* What the types are without cuda.h. */
COMPARE_TYPE(int, CUdevice)
COMPARE_TYPE(unsigned long long, CUdeviceptr)
COMPARE_TYPE(void *, CUstream)
COMPARE_TYPE(unsigned int, CUdevice_attribute)
COMPARE_TYPE(unsigned int, CUpointer_attribute)
COMPARE_TYPE(unsigned int, CUfunction_attribute)
COMPARE_TYPE(unsigned int, CUmemPool_attribute)
COMPARE_TYPE(unsigned int, CUjit_option)
COMPARE_TYPE(unsigned int, CUstreamCaptureMode)
COMPARE_TYPE(unsigned int, CUstreamCaptureStatus)
COMPARE_TYPE(void *, CUgraphNode)
COMPARE_TYPE(uint64_t, cuuint64_t)
COMPARE_TYPE(int, CUresult)
_Static_assert(__builtin_types_compatible_p(driver_host_function, CUhostFn), "driver_host_function");

int main(void)
{
    return 0;
}
