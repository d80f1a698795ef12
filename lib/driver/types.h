/* The driver's own types and constants, under names that do not collide with cuda.h.
 *
 * Nothing here needs the CUDA toolkit. With BATON_CHECK_AGAINST_CUDA the types come from cuda.h itself, so
 * that a compile-only test can hold every row of table.h against the real prototypes. */
#ifndef BATON_DRIVER_TYPES_H
#define BATON_DRIVER_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef BATON_CHECK_AGAINST_CUDA
#include <cuda.h>
typedef CUdevice driver_device;
typedef CUcontext driver_context;
typedef CUstream driver_stream;
typedef CUevent driver_event;
typedef CUdeviceptr driver_address;
typedef CUmodule driver_module;
typedef CUfunction driver_function;
typedef CUgraph driver_graph;
typedef CUgraphNode driver_graph_node;
typedef cuuint64_t driver_capture_id;
typedef CUgraphExec driver_graph_exec;
typedef CUmemoryPool driver_pool;
typedef CUmemPoolProps driver_pool_properties;
typedef CUmemAccessDesc driver_pool_access;
typedef CUdevice_attribute driver_device_attribute;
typedef CUpointer_attribute driver_pointer_attribute;
typedef CUfunction_attribute driver_function_attribute;
typedef CUmemPool_attribute driver_pool_attribute;
typedef CUstreamCaptureMode driver_capture_mode;
typedef CUstreamCaptureStatus driver_capture_status;
typedef CUgraphExecUpdateResultInfo driver_update_result;
typedef CUjit_option driver_jit_option;
typedef CUlaunchConfig driver_launch_config;
typedef CUoccupancyB2DSize driver_shared_of_threads;
#else
typedef int driver_device;
typedef void *driver_context;
typedef void *driver_stream;
typedef void *driver_event;
typedef unsigned long long driver_address;
typedef void *driver_module;
typedef void *driver_function;
typedef void *driver_graph;
typedef void *driver_graph_node;
typedef uint64_t driver_capture_id;
typedef void *driver_graph_exec;
typedef void *driver_pool;
typedef unsigned int driver_device_attribute;
typedef unsigned int driver_pointer_attribute;
typedef unsigned int driver_function_attribute;
typedef unsigned int driver_pool_attribute;
typedef unsigned int driver_capture_mode;
typedef unsigned int driver_capture_status;
typedef unsigned int driver_jit_option;
typedef size_t (*driver_shared_of_threads)(int threads);

typedef struct driver_pool_properties driver_pool_properties;
typedef struct driver_pool_access driver_pool_access;
typedef struct driver_update_result driver_update_result;
typedef struct driver_launch_config driver_launch_config;
#endif

/* CUmemPoolProps, field for field (of CUDA 12.0; later ones take names from `reserved`). */
struct driver_pool_properties {
    unsigned int allocation_type;   /* DRIVER_ALLOCATION_PINNED */
    unsigned int handle_types;      /* 0: not exported to other processes */
    unsigned int location_type;     /* DRIVER_LOCATION_DEVICE */
    int location_id;                /* device ordinal */
    void *security_attributes;      /* NULL */
    size_t max_size;                /* bytes; 0: the driver's default */
    unsigned short usage;           /* 0 */
    unsigned char reserved[54];     /* zero */
};

/* CUmemAccessDesc, field for field: how a device may use a pool's memory. */
struct driver_pool_access {
    unsigned int location_type;     /* DRIVER_LOCATION_DEVICE */
    int location_id;                /* device ordinal */
    unsigned int flags;             /* DRIVER_ACCESS_... */
};

/* CUgraphExecUpdateResultInfo, field for field. */
struct driver_update_result {
    unsigned int result;
    void *error_node;
    void *error_from_node;
};

/* CUlaunchAttribute, field for field; of the values only those that are used here. */
struct driver_launch_attribute {
    unsigned int id;                /* DRIVER_LAUNCH_... */
    char pad[4];
    union {
        char bytes[64];
        int cooperative;
        unsigned int cluster[3];    /* blocks */
    } value;
};

/* CUlaunchConfig, field for field. */
struct driver_launch_config {
    unsigned int grid[3], block[3];
    unsigned int shared_bytes;
    driver_stream stream;
    struct driver_launch_attribute *attributes;
    unsigned int count;
};

typedef void (*driver_host_function)(void *user);

/* Special stream handles. NULL is the legacy default stream too. */
#define DRIVER_STREAM_LEGACY     ((driver_stream)(uintptr_t)0x1)
#define DRIVER_STREAM_PER_THREAD ((driver_stream)(uintptr_t)0x2)

/* Result codes, under CUDA's numbers: CODE(name, number, sticky). After a sticky code the context is lost: every later call
 * returns it again. */
#define DRIVER_CODES(CODE)                      \
    CODE(SUCCESS, 0, 0)                         \
    CODE(INVALID_VALUE, 1, 0)                   \
    CODE(OUT_OF_MEMORY, 2, 0)                   \
    CODE(NOT_INITIALIZED, 3, 0)                 \
    CODE(DEINITIALIZED, 4, 0)                   \
    CODE(STUB_LIBRARY, 34, 0)                   \
    CODE(DEVICE_UNAVAILABLE, 46, 0)             \
    CODE(NO_DEVICE, 100, 0)                     \
    CODE(INVALID_DEVICE, 101, 0)                \
    CODE(INVALID_IMAGE, 200, 0)                 \
    CODE(INVALID_CONTEXT, 201, 0)               \
    CODE(ECC_UNCORRECTABLE, 214, 1)             \
    CODE(PEER_ACCESS_UNSUPPORTED, 217, 0)       \
    CODE(INVALID_PTX, 218, 0)                   \
    CODE(JIT_COMPILER_NOT_FOUND, 221, 0)        \
    CODE(UNSUPPORTED_PTX_VERSION, 222, 0)       \
    CODE(JIT_COMPILATION_DISABLED, 223, 0)      \
    CODE(NO_BINARY_FOR_GPU, 209, 0)             \
    CODE(OPERATING_SYSTEM, 304, 0)              \
    CODE(INVALID_HANDLE, 400, 0)                \
    CODE(ILLEGAL_STATE, 401, 0)                 \
    CODE(NOT_FOUND, 500, 0)                     \
    CODE(NOT_READY, 600, 0)                     \
    CODE(ILLEGAL_ADDRESS, 700, 1)               \
    CODE(LAUNCH_OUT_OF_RESOURCES, 701, 0)       \
    CODE(LAUNCH_TIMEOUT, 702, 1)                \
    CODE(PEER_ACCESS_ALREADY_ENABLED, 704, 0)   \
    CODE(PEER_ACCESS_NOT_ENABLED, 705, 0)       \
    CODE(TOO_MANY_PEERS, 711, 0)                \
    CODE(CONTEXT_IS_DESTROYED, 709, 0)          \
    CODE(ASSERT, 710, 1)                        \
    CODE(HARDWARE_STACK_ERROR, 714, 1)          \
    CODE(ILLEGAL_INSTRUCTION, 715, 1)           \
    CODE(MISALIGNED_ADDRESS, 716, 1)            \
    CODE(INVALID_ADDRESS_SPACE, 717, 1)         \
    CODE(INVALID_PC, 718, 1)                    \
    CODE(LAUNCH_FAILED, 719, 1)                 \
    CODE(COOPERATIVE_LAUNCH_TOO_LARGE, 720, 0)  \
    CODE(NOT_PERMITTED, 800, 0)                 \
    CODE(NOT_SUPPORTED, 801, 0)                 \
    CODE(SYSTEM_NOT_READY, 802, 0)              \
    CODE(SYSTEM_DRIVER_MISMATCH, 803, 0)        \
    CODE(COMPAT_NOT_SUPPORTED_ON_DEVICE, 804, 0) \
    CODE(STREAM_CAPTURE_UNSUPPORTED, 900, 0)    \
    CODE(STREAM_CAPTURE_INVALIDATED, 901, 0)    \
    CODE(STREAM_CAPTURE_MERGE, 902, 0)          \
    CODE(STREAM_CAPTURE_UNMATCHED, 903, 0)      \
    CODE(STREAM_CAPTURE_UNJOINED, 904, 0)       \
    CODE(STREAM_CAPTURE_ISOLATION, 905, 0)      \
    CODE(STREAM_CAPTURE_IMPLICIT, 906, 0)       \
    CODE(CAPTURED_EVENT, 907, 0)                \
    CODE(STREAM_CAPTURE_WRONG_THREAD, 908, 0)   \
    CODE(GRAPH_EXEC_UPDATE_FAILURE, 910, 0)     \
    CODE(INVALID_CLUSTER_SIZE, 912, 0)          \
    CODE(UNKNOWN, 999, 1)

enum driver_code {
#define DRIVER_CODE_ENUM(name, number, sticky) DRIVER_##name = number,
    DRIVER_CODES(DRIVER_CODE_ENUM)
#undef DRIVER_CODE_ENUM
};

enum {
    DRIVER_STREAM_NON_BLOCKING = 1,         /* cuStreamCreate: does not synchronize with the legacy stream */
    DRIVER_EVENT_BLOCKING_SYNC = 1,
    DRIVER_EVENT_DISABLE_TIMING = 2,
    DRIVER_EVENT_WAIT_EXTERNAL = 1,         /* cuStreamWaitEvent */
    DRIVER_HOST_ALLOC_PORTABLE = 1,         /* cuMemHostAlloc */
    DRIVER_ATTACH_GLOBAL = 1,               /* cuMemAllocManaged */
    DRIVER_ALLOCATION_PINNED = 1,
    DRIVER_LOCATION_DEVICE = 1,
    DRIVER_ACCESS_READ_WRITE = 3,           /* cuMemPoolSetAccess */

    DRIVER_POOL_RELEASE_THRESHOLD = 4,      /* uint64_t */
    DRIVER_POOL_RESERVED_CURRENT = 5,       /* uint64_t */
    DRIVER_POOL_USED_CURRENT = 7,           /* uint64_t */

    DRIVER_DEVICE_UNIFIED_ADDRESSING = 41,
    DRIVER_DEVICE_MAJOR = 75,
    DRIVER_DEVICE_MINOR = 76,
    DRIVER_DEVICE_MANAGED_MEMORY = 83,
    DRIVER_DEVICE_CONCURRENT_MANAGED = 89,
    DRIVER_DEVICE_MULTIPROCESSORS = 16,
    DRIVER_DEVICE_COOPERATIVE_LAUNCH = 95,
    DRIVER_DEVICE_SHARED_PER_BLOCK = 97,    /* the most that a kernel can be allowed, static and dynamic */
    DRIVER_DEVICE_MEMORY_POOLS = 115,
    DRIVER_DEVICE_CLUSTER_LAUNCH = 120,

    DRIVER_POINTER_CONTEXT = 1,             /* driver_context */
    DRIVER_POINTER_MEMORY_TYPE = 2,         /* unsigned int: DRIVER_MEMORY_... */
    DRIVER_POINTER_IS_MANAGED = 8,          /* unsigned int */
    DRIVER_POINTER_DEVICE_ORDINAL = 9,      /* int */
    DRIVER_POINTER_RANGE_START = 11,        /* driver_address: of the allocation that holds the address */
    DRIVER_POINTER_RANGE_BYTES = 12,        /* size_t */
    DRIVER_MEMORY_HOST = 1,
    DRIVER_MEMORY_DEVICE = 2,

    DRIVER_FUNCTION_MAX_THREADS = 0,
    DRIVER_FUNCTION_STATIC_SHARED = 1,
    DRIVER_FUNCTION_CONSTANT = 2,
    DRIVER_FUNCTION_LOCAL = 3,
    DRIVER_FUNCTION_REGISTERS = 4,
    DRIVER_FUNCTION_PTX_VERSION = 5,
    DRIVER_FUNCTION_BINARY_VERSION = 6,
    DRIVER_FUNCTION_MAX_DYNAMIC_SHARED = 8,
    DRIVER_FUNCTION_ANY_CLUSTER = 14,       /* more than 8 blocks in a cluster are allowed */

    DRIVER_JIT_ERROR_LOG = 5,               /* char * */
    DRIVER_JIT_ERROR_LOG_BYTES = 6,         /* unsigned int, by value */

    DRIVER_LAUNCH_COOPERATIVE = 2,
    DRIVER_LAUNCH_CLUSTER = 4,

    DRIVER_CAPTURE_GLOBAL = 0,
    DRIVER_CAPTURE_THREAD_LOCAL = 1,
    DRIVER_CAPTURE_RELAXED = 2,
    DRIVER_CAPTURE_SET_DEPENDENCIES = 1,    /* cuStreamUpdateCaptureDependencies: replaces them */
    DRIVER_CAPTURE_STATUS_NONE = 0,
    DRIVER_CAPTURE_STATUS_ACTIVE = 1,
    DRIVER_CAPTURE_STATUS_INVALIDATED = 2
};

#endif
