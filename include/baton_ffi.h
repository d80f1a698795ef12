/* Baton: GPU arrays that pass between tasks and streams in order, without stalling the host.
 *
 * This file has no preprocessor line, so that cffi, LuaJIT and generators read it as it is; C and C++ include baton.h.
 *
 * Conventions
 *   Return value   a status: BATON_OK (0), positive for outcomes that are not errors, negative for errors.
 *   Outputs        come last before `err` and are written only on success. `err` is the caller's own record, may be NULL, and is
 *                  filled on every status below zero (and with BATON_OOM_RETRY and BATON_WOULD_BLOCK).
 *   Structs        start with struct_size, set by the caller to sizeof(the struct); reserved members are zero. A smaller struct of an older
 *                  client and a larger one of a newer client are both understood.
 *   Handles        are opaque and reference-counted. retain and release never block, never call the driver, and may be called from any
 *                  thread, finalizer or state. Every other function may be called from any thread; the words below say which block:
 *                    FAST    never enters the driver and takes no lock that is held for long
 *                    DRIVER  may enter the driver and wait for another thread that submits; does not wait for the GPU
 *                    BLOCKS  may wait for the GPU
 *                  A binding releases its runtime's own lock (GIL and the like) around DRIVER and BLOCKS.
 *   Rules          named like S4 or P1 are explained in doc/rules.md. */

typedef struct baton_runtime baton_runtime;
typedef struct baton_stream baton_stream;
typedef struct baton_array baton_array;
typedef struct baton_scope baton_scope;
typedef struct baton_fence baton_fence;
typedef struct baton_module baton_module;
typedef struct baton_kernel baton_kernel;
typedef struct baton_gate baton_gate;
typedef struct baton_graph baton_graph;
typedef struct baton_executable baton_executable;

/* ---------------------------------------------------------------- constants */

/* Statuses. */
enum {
    BATON_OK = 0,
    BATON_WOULD_BLOCK = 1,          /* a lock is held by another task and waiting was not allowed */
    BATON_NOT_READY = 2,            /* asked, not finished yet */
    BATON_OOM_RETRY = 3,            /* collect garbage to err->level, then call again with that level */
    BATON_TIMEOUT = 4,              /* the wait's time is over; nothing changed */

    BATON_ERR_ARGUMENT = -1,        /* NULL, unknown flag, impossible value */
    BATON_ERR_HANDLE = -2,          /* a handle that is freed or no handle of this kind */
    BATON_ERR_VERSION = -3,         /* struct_size too small, or a member this library does not know is set */
    BATON_ERR_DTYPE = -4,
    BATON_ERR_SHAPE = -5,
    BATON_ERR_BOUNDS = -6,
    BATON_ERR_OVERLAP = -7,
    BATON_ERR_KIND = -8,            /* memory of this kind cannot do that */
    BATON_ERR_DEVICE = -9,          /* no such device, or objects of different devices */
    BATON_ERR_PEER = -10,           /* the devices cannot reach each other's memory */
    BATON_ERR_STREAM = -11,         /* stream of another driver, or one that cannot do this */
    BATON_ERR_THREAD = -12,         /* must be called on the thread that used the per-thread stream */
    BATON_ERR_MEMORY = -13,         /* the host is out of memory */
    BATON_ERR_OOM = -14,            /* the device is out of memory, or the limit is reached */
    BATON_ERR_UNSUPPORTED = -15,
    BATON_ERR_NO_DRIVER = -16,      /* no driver, too old, or no device */
    BATON_ERR_DRIVER = -17,         /* the driver refused: see err->driver_code */
    BATON_ERR_POISONED = -18,       /* an earlier fault made the device's context unusable */
    BATON_ERR_CAPTURE = -19,        /* not possible while the stream is captured */
    BATON_ERR_NESTED_STREAM = -20,  /* a nested scope on another stream wants memory of its parent */
    BATON_ERR_WOULD_DEADLOCK = -21, /* this thread itself holds the lock it would wait for */
    BATON_ERR_SCOPE_OPEN = -22,     /* waiting for memory of one's own open scope */
    BATON_ERR_HOOK = -23,           /* an embedder's hook returned nonzero */
    BATON_ERR_FORKED = -24,         /* the driver does not survive a fork */
    BATON_ERR_CLOSED = -25,         /* the runtime is closed */
    BATON_ERR_BUSY = -26,
    BATON_ERR_TOPOLOGY = -27,       /* the graph's shape differs from the executable's: instantiate it instead */
    BATON_ERR_COMPILE = -28         /* the source does not compile: the log says why */
};

/* Where an error comes from (baton_error.origin). */
enum { BATON_ORIGIN_CALL = 0, BATON_ORIGIN_ASYNC = 1, BATON_ORIGIN_TEARDOWN = 2 };

/* Element types. */
enum {
    BATON_BOOL = 1,
    BATON_I8 = 2, BATON_I16 = 3, BATON_I32 = 4, BATON_I64 = 5,
    BATON_U8 = 6, BATON_U16 = 7, BATON_U32 = 8, BATON_U64 = 9,
    BATON_F16 = 10, BATON_BF16 = 11, BATON_F32 = 12, BATON_F64 = 13,
    BATON_C64 = 14, BATON_C128 = 15
};

/* Memory kinds. */
enum { BATON_DEVICE = 1, BATON_HOST = 2, BATON_UNIFIED = 3 };

/* Access. 0 where an access is asked for means read-write. */
enum { BATON_READ = 1, BATON_WRITE = 2, BATON_READ_WRITE = 3 };

/* Waiting (H1). AUTO spins briefly, then blocks. BLOCK uses no busy CPU. */
enum { BATON_WAIT_AUTO = 0, BATON_WAIT_SPIN = 1, BATON_WAIT_BLOCK = 2 };

/* Functions of baton_elementwise. */
enum { BATON_ADD = 1, BATON_SUBTRACT = 2, BATON_MULTIPLY = 3, BATON_DIVIDE = 4 };

/* Special streams for baton_stream_wrap: the driver's own handle values. */
enum { BATON_STREAM_LEGACY = 1, BATON_STREAM_PER_THREAD = 2 };

/* What a capture forbids while it lasts: unsafe calls of every thread (that has not relaxed its mode), of the capturing thread, or nothing. With the first two it
 * ends on the thread that began it. The library's own calls are never among the unsafe ones. */
enum { BATON_CAPTURE_GLOBAL = 0, BATON_CAPTURE_THREAD_LOCAL = 1, BATON_CAPTURE_RELAXED = 2 };

/* What baton_capture_run did. */
enum { BATON_RUN_CAPTURED = 1, BATON_RUN_UPDATED = 2, BATON_RUN_REBUILT = 3, BATON_RUN_EAGER = 4 };

/* Flags. */
enum {
    BATON_RUNTIME_HOST_WAIT = 1,    /* every hand-off waits on the host: the old way, for comparison and debugging */
    BATON_RUNTIME_NO_CACHE = 2,     /* what is released goes back to the driver at once, so that memory checkers see its end */
    BATON_RUNTIME_PEER_EVENTS = 4,  /* memory changes devices by a device wait, like streams of one device; without it by a host wait (S12) */
    BATON_RUNTIME_TRY = 8,          /* no call waits for an array that another task holds: BATON_WOULD_BLOCK, with memory_id in err */
    BATON_SCOPE_TRY = 1,            /* scope: never wait for a lock, return BATON_WOULD_BLOCK */
    BATON_ALLOC_NO_HOOK = 1,        /* create: BATON_OOM_RETRY instead of the reclaim hook */
    BATON_ALLOC_TRY = 2,            /* create: FAST. BATON_WOULD_BLOCK instead of entering the driver, waiting, or calling anything of the embedder's */
    BATON_LAUNCH_COOPERATIVE = 1,   /* launch: all blocks are resident at once, and may wait for each other */
    BATON_COMPILE_NO_CACHE = 1,     /* compile: neither looks into the cache nor keeps anything there */
    BATON_DLPACK_LEGACY = 1,        /* export: an unversioned DLManagedTensor, for consumers that name no max_version or one below 1 */
    BATON_DLPACK_COPY = 2,          /* export: always a contiguous copy, made on the stream, which is the consumer's alone */
    BATON_DLPACK_UNORDERED = 4,     /* export: the consumer sees to the order itself (stream -1); not with a stream. A copy is complete all the same */
    BATON_DLPACK_HOST = 8,          /* export: as memory of the CPU (dl_device (1, 0)), complete; device memory as a copy; not with a stream */
    BATON_UNLIMITED = -1            /* timeouts */
};

/* array_info.flags */
enum {
    BATON_ARRAY_SYNCHRONIZING = 1, BATON_ARRAY_TAINTED = 2, BATON_ARRAY_ESCAPED = 4, BATON_ARRAY_CONTIGUOUS = 8,
    BATON_ARRAY_VIEW = 16, BATON_ARRAY_FOREIGN = 32, BATON_ARRAY_READ_ONLY = 64
};

/* Operation kinds (baton_error.operation, baton_trace_entry.operation). */
enum {
    BATON_OP_NONE = 0, BATON_OP_ALLOC = 1, BATON_OP_FREE = 2, BATON_OP_COPY = 3, BATON_OP_UPLOAD = 4, BATON_OP_DOWNLOAD = 5, BATON_OP_FILL = 6,
    BATON_OP_LAUNCH = 7, BATON_OP_SCOPE = 8, BATON_OP_POINTER = 9, BATON_OP_WAIT = 10, BATON_OP_GATE = 11, BATON_OP_SYNCHRONIZE = 12,
    BATON_OP_FOREIGN = 13, BATON_OP_MODULE = 14, BATON_OP_STREAM = 15, BATON_OP_CAPTURE = 16, BATON_OP_GRAPH = 17
};

/* Why the host waited: index into baton_stats.host_waits. */
enum {
    BATON_HOST_WAIT_SYNCHRONIZE = 0,    /* the caller asked: synchronize, fence */
    BATON_HOST_WAIT_DOWNLOAD = 1,       /* data for the host (O4) */
    BATON_HOST_WAIT_FOREIGN = 2,        /* pointer for foreign code (P1) */
    BATON_HOST_WAIT_HOST_POINTER = 3,   /* host pointer (P2) */
    BATON_HOST_WAIT_UNIFIED = 4,        /* host or unified memory changed streams (S11) */
    BATON_HOST_WAIT_SPECIAL = 5,        /* per-thread stream (S10) */
    BATON_HOST_WAIT_DEVICE = 6,         /* memory changed devices (S12) */
    BATON_HOST_WAIT_TAINTED = 7,        /* used by an untracked capture (S9) */
    BATON_HOST_WAIT_EXPORT = 8,         /* live export without a stream (P5) */
    BATON_HOST_WAIT_POLICY = 9,         /* BATON_RUNTIME_HOST_WAIT */
    BATON_HOST_WAIT_RECLAIM = 10,       /* out of memory */
    BATON_HOST_WAIT_UPLOAD = 11,        /* the source is memory that the device reads itself (O4) */
    BATON_HOST_WAIT_CAUSES = 12
};

/* ---------------------------------------------------------------- structs */

/* What went wrong. The caller owns it; 256 bytes. */
typedef struct baton_error {
    uint32_t struct_size;
    int32_t  status;
    int32_t  driver_code;       /* the driver's result code, 0 when the driver was not involved */
    int32_t  origin;            /* BATON_ORIGIN_... */
    int32_t  operation;         /* BATON_OP_... */
    int32_t  level;             /* with BATON_OOM_RETRY: how thoroughly to collect, 1 or 2 */
    uint64_t device;            /* ordinal */
    uint64_t stream_id;         /* 0: no stream */
    uint64_t memory_id;         /* 0: no memory */
    uint64_t tag;               /* task tag of the stream */
    uint64_t ticket_first;      /* ORIGIN_ASYNC: the work under suspicion on that stream, first … */
    uint64_t ticket_last;       /* … to last ticket */
    char     message[184];      /* one sentence, UTF-8, terminated */
} baton_error;

/* Hooks run on the calling thread only, with no lock held; each may be NULL. They return 0, or nonzero to make the call fail with
 * BATON_ERR_HOOK; they must not jump out. */
typedef struct baton_runtime_options {
    uint32_t struct_size;
    uint32_t flags;                                     /* BATON_RUNTIME_... */
    const char *driver;                                 /* "auto" (NULL), "cuda", "soft", "soft:N" with N devices */
    void *user;                                         /* passed to the hooks */
    int32_t (*yield)(void *user);                       /* a lock is held by another task: let it run */
    int32_t (*before_block)(void *user);                /* this thread is about to wait for the GPU */
    int32_t (*after_block)(void *user);
    int32_t (*reclaim)(void *user, int32_t level, uint64_t bytes);  /* free garbage: level 1 young, 2 everything */
    uint64_t reserved[4];
} baton_runtime_options;

typedef struct baton_runtime_info {
    uint32_t struct_size;
    int32_t  devices;
    int32_t  driver_version;        /* 1000 * major + 10 * minor */
    uint32_t reserved;
    char     driver[16];            /* "cuda" or "soft" */
    char     reason[232];           /* with "auto": why it is not CUDA; else empty */
} baton_runtime_info;

typedef struct baton_device_info {
    uint32_t struct_size;
    int32_t  device;
    int32_t  compute_major, compute_minor;
    int32_t  multiprocessors;
    int32_t  concurrent_managed;    /* 1: host and device may touch unified memory at the same time */
    uint64_t total_bytes;
    uint64_t limit_bytes;           /* 0: no limit set */
    uint64_t live_bytes;            /* allocated by this runtime and in use */
    uint64_t deferred_bytes;        /* released, not given back yet */
    char     name[64];
} baton_device_info;

/* Counts since the runtime was opened; sums over its streams. */
typedef struct baton_stats {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t operations;            /* submitted by the library */
    uint64_t device_waits;          /* waits queued on the GPU */
    uint64_t records;               /* events recorded for them */
    uint64_t elided_same;           /* no wait: same stream */
    uint64_t elided_covered;        /* no wait: the stream already follows that work */
    uint64_t elided_complete;       /* no wait: known to be finished */
    uint64_t host_waits[12];        /* by cause: BATON_HOST_WAIT_... */
    uint64_t host_blocked_ns;       /* time spent in host waits */
    uint64_t allocations, frees;    /* of memory, also when the library's cache served them */
    uint64_t live_bytes, deferred_bytes, live_arrays;
    uint64_t graph_launches;
    uint64_t graph_memories;        /* taken by them, in all */
    uint64_t graph_waits;           /* device waits queued for them */
    uint64_t faults_swallowed;      /* errors met while giving things back */
    uint64_t longest_lock_wait_ns;
    uint64_t cached_bytes;          /* released and kept to be used again */
    uint64_t cache_hits;            /* allocations served from there, without the driver */
} baton_stats;

typedef struct baton_array_options {
    uint32_t struct_size;
    uint32_t flags;                 /* BATON_ALLOC_... */
    int32_t  device;                /* ordinal */
    int32_t  kind;                  /* BATON_DEVICE, BATON_HOST (pinned), BATON_UNIFIED. 0: create: BATON_DEVICE; wrap: what the driver says it is */
    int32_t  dtype;
    int32_t  ndim;                  /* 0 to 16; 0: one element */
    const int64_t *shape;           /* ndim extents, >= 0 */
    const int64_t *strides;         /* elements; NULL: row-major. create: positive, no overlap */
    baton_stream *stream;           /* create: first owner; NULL: the device's own stream. wrap: work on it may use the memory */
    int32_t  level;                 /* create: 0, or err->level after BATON_OOM_RETRY */
    int32_t  read_only;             /* wrap: 1: writes are refused */
    uint64_t reserved[2];
} baton_array_options;

/* A view: first slice (start, count, step per dimension), then reinterpret, permute or reshape as asked. */
typedef struct baton_view_options {
    uint32_t struct_size;
    int32_t  dtype;                 /* 0: unchanged; else reinterpret: the last dimension scales and must be contiguous */
    int32_t  ndim;                  /* entries in the arrays below */
    int32_t  reserved32;
    const int64_t *start;           /* NULL: 0. ndim = the array's */
    const int64_t *count;           /* NULL: all from start on */
    const int64_t *step;            /* NULL: 1; never 0; negative walks backwards from start */
    const int32_t *permutation;     /* NULL or a permutation of 0 … ndim-1 */
    const int64_t *shape;           /* NULL, or new extents (shape_ndim of them, one may be -1) */
    int32_t  shape_ndim;
    int32_t  reserved33;
    uint64_t reserved[2];
} baton_view_options;

/* A snapshot; members marked (hint) may be outdated when they are read. */
typedef struct baton_array_info {
    uint32_t struct_size;
    int32_t  dtype;
    int32_t  ndim;
    int32_t  kind;
    int32_t  device;
    uint32_t flags;                 /* BATON_ARRAY_..., (hint) */
    uint64_t memory_id;
    uint64_t elements;
    uint64_t bytes;                 /* elements times element size */
    uint64_t offset_bytes;          /* from the start of the memory */
    uint64_t memory_bytes;
    uint64_t owner_stream_id;       /* (hint) 0: none yet */
    uint64_t pending_stream_id;     /* (hint) 0: nothing pending */
    uint64_t readers;               /* (hint) streams that read since the last write */
    uint64_t lock_holder;           /* (hint) token of the scope or operation that holds the lock; 0: free */
    int64_t  shape[16];
    int64_t  strides[16];           /* elements */
} baton_array_info;

/* An operand of a scope; 24 bytes, never grows. */
typedef struct baton_operand {
    baton_array *array;
    uint32_t access;
    uint32_t reserved;
    uint64_t address;               /* output */
} baton_operand;

/* A kernel argument: an array (data NULL) or `bytes` raw bytes (array NULL); 24 bytes, never grows. */
typedef struct baton_argument {
    baton_array *array;
    const void *data;
    uint32_t bytes;
    uint32_t access;                /* of the array */
} baton_argument;

typedef struct baton_launch_options {
    uint32_t struct_size;
    uint32_t flags;                 /* BATON_LAUNCH_... */
    uint32_t grid[3];               /* blocks; 0 means 1 */
    uint32_t block[3];              /* threads per block; 0 means 1 */
    uint32_t shared_bytes;          /* dynamic shared memory per block; beyond 48 KiB the kernel is allowed it by the call */
    uint32_t reserved32;
    baton_stream *stream;
    baton_scope *scope;             /* NULL, or the open scope of this task that holds locks of the operands */
    uint32_t cluster[3];            /* blocks per cluster; all 0: no clusters, else 0 means 1. grid is a multiple of it */
    uint32_t reserved33;
} baton_launch_options;

/* Host functions as kernels, on the software device. Called once per launch, on a thread of the device. It must not call this library
 * and must not enter a language runtime. arguments[i] points to the i-th value; an array's value is its address (uint64_t). */
typedef struct baton_host_launch {
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t shared_bytes;
    uint32_t reserved;
} baton_host_launch;

typedef struct baton_host_parameter {
    uint32_t bytes;                 /* size of the value; 8 for an array */
    uint32_t access;                /* 0: plain value; else BATON_READ … : an array, used so */
} baton_host_parameter;

typedef void (*baton_host_kernel)(const baton_host_launch *launch, void *const *arguments);
typedef void (*baton_deleter)(void *user, uint64_t address);
typedef int32_t (*baton_managed_function)(void *user, baton_stream *stream, const baton_operand *operands, uint64_t count);

/* CUDA C++ source and what becomes of it. Strings and arrays are borrowed during the call; each array is NULL when its count is 0. */
typedef struct baton_compile_options {
    uint32_t struct_size;
    uint32_t flags;                     /* BATON_COMPILE_... */
    const char *name;                   /* of the source, in messages and line information; NULL: "source.cu" */
    const char *const *options;         /* NVRTC's, one string each ("-lineinfo"); -arch among them replaces the device's own architecture */
    const char *const *expressions;     /* C++ names of kernels ("scale<float>"): baton_module_kernel then takes them */
    const char *const *headers;         /* texts that the source may include … */
    const char *const *header_names;    /* … under these names */
    uint32_t option_count;
    uint32_t expression_count;
    uint32_t header_count;
    uint32_t reserved32;
    char *log;                          /* NULL, or log_bytes for the compiler's log, terminated, cut when it is longer; "" when there is none */
    uint64_t log_bytes;
    uint64_t *log_needed;               /* NULL, or where the whole log's length with its terminator goes */
    const char *tag;                    /* NULL, or what else the result depends on: with it, sources that include files are cached too */
    const char *cache;                  /* directory; NULL: $BATON_CACHE_DIR, else $XDG_CACHE_HOME/baton, else ~/.cache/baton */
    uint64_t cache_bytes;               /* the most that the cache may hold; 0: 256 MiB */
    uint64_t reserved[4];
} baton_compile_options;

typedef struct baton_kernel_info {
    uint32_t struct_size;
    int32_t  device;
    int32_t  parameters;            /* -1: the driver does not tell (before CUDA 12.4), or they are more than 64 */
    int32_t  registers;             /* per thread */
    int32_t  most_threads;          /* per block, with the kernel's registers */
    int32_t  binary_version;        /* 10 * major + minor of the architecture that its code is for */
    int32_t  ptx_version;           /* likewise of the PTX that it was made from; 0: unknown */
    int32_t  reserved;
    uint64_t shared_bytes;          /* static, per block */
    uint64_t most_shared_bytes;     /* dynamic, per block: what a launch may ask for */
    uint64_t constant_bytes;
    uint64_t local_bytes;           /* per thread: spilled registers and arrays */
} baton_kernel_info;

typedef struct baton_graph_info {
    uint32_t struct_size;
    int32_t  device;
    uint64_t steps;                 /* captured submissions */
    uint64_t memories;
    uint64_t written;               /* of these: written by the graph */
} baton_graph_info;

/* How to export to a DLPack consumer. */
typedef struct baton_dlpack_options {
    uint32_t struct_size;
    uint32_t flags;                 /* BATON_DLPACK_... */
    baton_stream *stream;           /* the consumer's; NULL: none is known */
    uint64_t reserved[2];
} baton_dlpack_options;

/* A __cuda_array_interface__, both ways. */
typedef struct baton_interface_info {
    uint32_t struct_size;
    int32_t  read_only;             /* 1: writes are refused */
    uint64_t address;               /* of the element with all indices 0; 0 without elements */
    uint64_t stream;                /* native handle: 1 legacy, 2 per-thread, else a CUstream; export: never 0; import: 0 for none */
    char     typestr[8];            /* "<f4" and the like, terminated */
    int32_t  device;                /* ordinal */
    int32_t  device_type;           /* export: DLPack's number; 1 is memory of the CPU (the software device's), which is no CUDA array */
    int32_t  ndim;
    int32_t  contiguous;            /* 1: row-major without gaps; import: then strides are not read */
    int64_t  shape[16];
    int64_t  strides[16];           /* bytes */
} baton_interface_info;

typedef int32_t (*baton_captured_function)(void *user, baton_stream *stream);

/* One line of the trace: an operation, or a wait of one stream for another. */
typedef struct baton_trace_entry {
    uint64_t time_ns;               /* monotonic clock */
    uint64_t stream_id;             /* the stream that works or waits */
    uint64_t ticket;                /* its ticket; BATON_OP_WAIT on the device: of what lies before it */
    uint64_t other_stream_id;       /* BATON_OP_WAIT: the stream waited for */
    uint64_t other_ticket;
    int32_t  operation;             /* BATON_OP_... */
    int32_t  host_cause;            /* -1: on the device; else BATON_HOST_WAIT_... */
    uint64_t duration_ns;           /* host waits: how long */
} baton_trace_entry;

/* ---------------------------------------------------------------- the library */

/* FAST. 10000 * major + 100 * minor + patch. */
uint32_t baton_version(void);
/* FAST. Grows by one with each change of the ABI. */
uint32_t baton_abi_version(void);
/* FAST. Static strings: "BATON_ERR_BOUNDS", "launch", "f32"; "unknown" for other numbers. */
const char *baton_status_name(int32_t status);
const char *baton_operation_name(int32_t operation);
const char *baton_dtype_name(int32_t dtype);
const char *baton_host_wait_name(int32_t cause);
/* FAST. Bytes per element; 0 for an unknown dtype. */
uint32_t baton_dtype_size(int32_t dtype);
/* FAST. The layout of every public struct, one entry per struct ("baton_error", offset 0, its size) and member ("baton_error.status", its offset and size),
 * for index 0, 1, … until BATON_ERR_BOUNDS. For tests of bindings. */
int32_t baton_abi_layout(uint32_t index, const char **name, uint32_t *offset, uint32_t *size);
/* FAST, but for the dynamic loader's lock. How often the library is loaded in this process. More than 1, as when a package brings a copy of its own: each copy has its own
 * runtimes and knows nothing of the other's arrays, so a handle must never be passed to another one; DLPack and the other ways of exchange may. */
int32_t baton_process_copies(void);

/* ---------------------------------------------------------------- runtime: one per interpreter or host application */

/* BLOCKS. options NULL: "auto", no hooks. The caller owns the runtime and closes it. */
int32_t baton_runtime_open(const baton_runtime_options *options, baton_runtime **runtime, baton_error *err);
/* BLOCKS. Waits for the runtime's streams, gives back what was released, and calls no hook any more. Handles that are still alive stay valid and usable, and
 * keep the driver open until they are released. The runtime pointer is not valid afterwards. */
int32_t baton_runtime_close(baton_runtime *runtime, baton_error *err);
/* FAST. */
int32_t baton_runtime_info_read(baton_runtime *runtime, baton_runtime_info *info, baton_error *err);
int32_t baton_device_count(baton_runtime *runtime, int32_t *count, baton_error *err);
/* DRIVER. */
int32_t baton_device_info_read(baton_runtime *runtime, int32_t device, baton_device_info *info, baton_error *err);
/* FAST. */
int32_t baton_stats_read(baton_runtime *runtime, baton_stats *stats, baton_error *err);
/* DRIVER. Gives back up to `most` released objects (0: all that are ready) in stream order; freed_bytes may be NULL. */
int32_t baton_drain(baton_runtime *runtime, uint64_t most, uint64_t *freed_bytes, baton_error *err);
/* BLOCKS. Returns unused pool memory beyond keep_bytes to the system. */
int32_t baton_trim(baton_runtime *runtime, int32_t device, uint64_t keep_bytes, baton_error *err);
/* FAST. Live and deferred bytes of one device stay at or below `bytes`; 0 removes the limit. */
int32_t baton_set_memory_limit(baton_runtime *runtime, int32_t device, uint64_t bytes, baton_error *err);
/* FAST. Keeps the newest `capacity` entries (0 stops). */
int32_t baton_trace_start(baton_runtime *runtime, uint32_t capacity, baton_error *err);
/* FAST. Moves up to `capacity` entries, oldest first, to `entries`. */
int32_t baton_trace_read(baton_runtime *runtime, baton_trace_entry *entries, uint32_t capacity, uint32_t *count, baton_error *err);

/* ---------------------------------------------------------------- streams */

/* DRIVER. A stream of the device, not ordered with the legacy stream. flags 0. priority: 0 default, lower numbers more urgent, clamped to the device's
 * range. The caller owns one reference. */
int32_t baton_stream_create(baton_runtime *runtime, int32_t device, uint32_t flags, int32_t priority, baton_stream **stream, baton_error *err);
/* DRIVER. A stream made elsewhere (its CUstream or cudaStream_t as a number), or BATON_STREAM_LEGACY / BATON_STREAM_PER_THREAD. It stays its maker's:
 * it must outlive the handle and every memory that names it, and is never destroyed here (S10, P6). */
int32_t baton_stream_wrap(baton_runtime *runtime, int32_t device, uint64_t native, baton_stream **stream, baton_error *err);
/* DRIVER. The handle for a stream that other code names by its number: the library's own stream, or the handle that an earlier call gave for it, or else a new one. 0 is the
 * legacy stream. The caller owns one reference. A stream made elsewhere is lent: its native handle is used only during calls that are given the handle made here, and
 * the stream may be destroyed after any of them (until a scope or a capture on it has ended). What others put there between such calls is waited for on the host
 * where it matters (P5), unless something keeps the stream. */
int32_t baton_stream_adopt(baton_runtime *runtime, int32_t device, uint64_t native, baton_stream **stream, baton_error *err);
/* FAST. The stream, of which the caller knows that it is alive, stays so until deleter(user, native) is called: once, on a thread inside a call to this library, when nothing
 * in the library names the stream any more; at once, where the stream is not lent. deleter NULL: it outlives the runtime. When the call fails, deleter is not called. */
int32_t baton_stream_keep(baton_stream *stream, baton_deleter deleter, void *user, baton_error *err);
/* FAST. *lent is 1 for a stream of baton_stream_adopt that nothing keeps, else 0. */
int32_t baton_stream_lent(baton_stream *stream, int32_t *lent, baton_error *err);
/* FAST. */
int32_t baton_stream_retain(baton_stream *stream);
void baton_stream_release(baton_stream *stream);
/* FAST. The native handle, for foreign code. From now on the stream may hold work that the library did not submit (P6). */
int32_t baton_stream_native(baton_stream *stream, uint64_t *native, baton_error *err);
/* FAST. Unique in the process, never reused. */
int32_t baton_stream_id(baton_stream *stream, uint64_t *id, baton_error *err);
int32_t baton_stream_device(baton_stream *stream, int32_t *device, baton_error *err);
/* FAST. Any number that names the task which uses the stream: it comes back in errors, and tells a capture its own task. */
int32_t baton_stream_set_task(baton_stream *stream, uint64_t tag, baton_error *err);
/* DRIVER. BATON_OK when everything submitted so far has finished, else BATON_NOT_READY. */
int32_t baton_stream_query(baton_stream *stream, baton_error *err);
/* BLOCKS. Until everything submitted before the call has finished (O8). mode BATON_WAIT_... */
int32_t baton_stream_synchronize(baton_stream *stream, int32_t mode, baton_error *err);
/* DRIVER. Work submitted to `after` from now on runs behind the work already on `before`; a wait on the device. */
int32_t baton_stream_follow(baton_stream *after, baton_stream *before, baton_error *err);

/* ---------------------------------------------------------------- arrays */

/* DRIVER (BLOCKS when memory is short: the ladder of doc/memory.md). A new array with undefined contents; the caller owns one reference.
 * With BATON_ALLOC_TRY it is FAST: BATON_WOULD_BLOCK where no cached block serves on the named stream, or something waits to be given back to the driver. */
int32_t baton_array_create(baton_runtime *runtime, const baton_array_options *options, baton_array **array, baton_error *err);
/* DRIVER. An array over memory that somebody else allocated. Where the driver can tell, BATON_ERR_KIND refuses another kind than it is, BATON_ERR_DEVICE memory of
 * another device, and BATON_ERR_BOUNDS an array that leaves the allocation. deleter (may be NULL) is called once, with user and the
 * address, on a thread inside a call to this library, after the last use has finished. When the call fails, the caller still owns the memory. */
int32_t baton_array_wrap(baton_runtime *runtime, const baton_array_options *options, uint64_t address, baton_deleter deleter, void *user, baton_array **array, baton_error *err);
/* FAST. A new array over the same memory. */
int32_t baton_array_view(baton_array *array, const baton_view_options *options, baton_array **view, baton_error *err);
/* DRIVER. 1-D arrays that own their memory: keeps the first min(old, new) elements, copied on `stream`. On failure the array is unchanged. Views keep the old memory.
 * Not at the same time as other calls on this handle. */
int32_t baton_array_resize(baton_array *array, int64_t elements, baton_stream *stream, baton_error *err);
/* FAST. */
int32_t baton_array_retain(baton_array *array);
void baton_array_release(baton_array *array);
void baton_array_release_n(baton_array *const *arrays, uint64_t count);
/* DRIVER. Gives the memory back now, in stream order, though references remain: they can only be released. Idempotent. BATON_NOT_READY, with nothing changed, when
 * the memory is in use and cannot be given back in stream order (host, unified, wrapped, or others may have used it on a lent stream), or its owner's stream is being
 * captured. */
int32_t baton_array_dispose(baton_array *array, baton_error *err);
/* FAST. */
int32_t baton_array_info_read(baton_array *array, baton_array_info *info, baton_error *err);
/* BLOCKS. Until every tracked use has finished; then the memory is clean (O7). */
int32_t baton_array_synchronize(baton_array *array, int32_t mode, baton_error *err);
/* BLOCKS. The same on behalf of the stream's task: BATON_ERR_CAPTURE when that task captures the stream that last used the memory (C3). */
int32_t baton_array_wait(baton_array *array, baton_stream *stream, int32_t mode, baton_error *err);
/* DRIVER. BATON_OK when nothing is outstanding, else BATON_NOT_READY. BATON_ERR_STREAM as for a fence. */
int32_t baton_array_query(baton_array *array, baton_error *err);
/* FAST. 0: this memory (and every view of it) is no longer waited for; its owner is still tracked (S13). */
int32_t baton_array_set_synchronizing(baton_array *array, int32_t on, baton_error *err);
/* BLOCKS. The address for code that the library does not submit: host-waits for other streams' work and for what is pending (P1). The
 * caller keeps the array alive while the address is used. */
int32_t baton_array_pointer(baton_array *array, baton_stream *stream, uint32_t access, uint64_t *address, baton_error *err);
/* BLOCKS. Host and unified memory only (P2). */
int32_t baton_array_host_pointer(baton_array *array, uint32_t access, void **address, baton_error *err);
/* DRIVER. Foreign work on `stream`, submitted before this call, uses the array (P4). */
int32_t baton_array_note_use(baton_array *array, baton_stream *stream, uint32_t access, baton_error *err);

/* ---------------------------------------------------------------- operations: order, submit, return */

/* DRIVER. Same shape and dtype; overlapping memory is refused. Between devices too, on any device's stream; BLOCKS, and is done on return, where the stream's
 * device has no access to the memory and the copy is no single run between two devices: it is staged in pinned memory then (S12). */
int32_t baton_copy(baton_array *to, baton_array *from, baton_stream *stream, baton_error *err);
/* DRIVER for device arrays; BLOCKS when a strided array, host memory or another device is involved. `bytes` is exactly the array's; `host` may be reused on return. */
int32_t baton_upload(baton_array *to, const void *host, uint64_t bytes, baton_stream *stream, baton_error *err);
/* BLOCKS. Complete on return. */
int32_t baton_download(void *host, uint64_t bytes, baton_array *from, baton_stream *stream, baton_error *err);
/* DRIVER; BLOCKS when `host` is ordinary memory or the array is strided or another device's (memory that the driver gave, and so can write by itself, does not). `host` stays valid and
 * untouched until the fence is ready. The caller owns the fence. */
int32_t baton_download_async(void *host, uint64_t bytes, baton_array *from, baton_stream *stream, baton_fence **fence, baton_error *err);
/* DRIVER. Every element becomes the `bytes` bytes at value: the element's size (1, 2, 4, 8 or 16). */
int32_t baton_fill(baton_array *array, const void *value, uint64_t bytes, baton_stream *stream, baton_error *err);

/* Elementwise work of the library's own: one launch, for elements of f32, f64, i32 and i64. An array that is read may have any strides, and is stretched to the shape of
 * `to` as in NumPy: trailing dimensions correspond, an extent of 1 or a missing dimension repeats (BATON_ERR_SHAPE otherwise). It lies apart from the elements of `to`, or
 * exactly under them, as in a += b (BATON_ERR_OVERLAP otherwise). Arrays without elements need no work, and none is submitted. */

/* DRIVER. to = left function right (BATON_ADD ...), in the dtype of `to`. left and right are arrays of that dtype (data NULL; access 0 or BATON_READ), or one raw value of it
 * (array NULL), which is copied. Integers wrap; their division truncates toward zero, x / 0 is 0, and the least number divided by -1 is itself. Floats follow IEEE 754. */
int32_t baton_elementwise(int32_t function, baton_array *to, const baton_argument *left, const baton_argument *right, baton_stream *stream, baton_error *err);
/* DRIVER. to = from in the dtype of `to`; either may have any dtype but c64 and c128. Floats become integers toward zero: NaN becomes 0, and what is out of range the nearest
 * number in it. Integers become narrower ones by their low bits. Numbers become floats rounded to the nearest, ties to even; what is too large becomes infinite. Bools are 0
 * and 1: every number but 0, NaN too, becomes 1. */
int32_t baton_cast(baton_array *to, baton_array *from, baton_stream *stream, baton_error *err);
/* DRIVER. Element i of `to`, in row-major order, becomes start + i * step, each of `bytes` bytes of its dtype, copied at the call. Floats are computed in f64, each from its own i;
 * integers wrap. */
int32_t baton_range(baton_array *to, const void *start, const void *step, uint64_t bytes, baton_stream *stream, baton_error *err);

/* BLOCKS. PTX, cubin or fatbin; PTX is terminated text. The image may be freed afterwards. An image that is cut short or no image is BATON_ERR_ARGUMENT; one that
 * the driver refuses BATON_ERR_DRIVER, with the first error of its translator. */
int32_t baton_module_load(baton_runtime *runtime, int32_t device, const void *image, uint64_t bytes, baton_module **module, baton_error *err);
/* BLOCKS. CUDA C++ (terminated text) for the device's architecture, through NVRTC, which is opened at the first call, and a cache on disk; options NULL: none.
 * BATON_ERR_COMPILE: the source is wrong, and the message is the first error; the log is written whatever the status, once there is one.
 * BATON_ERR_UNSUPPORTED: no NVRTC, or a device without compilers (baton_kernel_host). See doc/modules.md. */
int32_t baton_module_compile(baton_runtime *runtime, int32_t device, const char *source, const baton_compile_options *options, baton_module **module,
                             baton_error *err);
int32_t baton_module_retain(baton_module *module);
void baton_module_release(baton_module *module);
/* DRIVER. The kernel keeps its module. The name is the image's own (C++ names are mangled there), or an expression that the module was compiled with. */
int32_t baton_module_kernel(baton_module *module, const char *name, baton_kernel **kernel, baton_error *err);
/* DRIVER. A C function as a kernel, for the software device; parameters describe its arguments in order. */
int32_t baton_kernel_host(baton_runtime *runtime, int32_t device, baton_host_kernel function, const char *name, const baton_host_parameter *parameters,
                          uint32_t count, baton_kernel **kernel, baton_error *err);
int32_t baton_kernel_retain(baton_kernel *kernel);
void baton_kernel_release(baton_kernel *kernel);
/* DRIVER. What the kernel needs. */
int32_t baton_kernel_info_read(baton_kernel *kernel, baton_kernel_info *info, baton_error *err);
/* DRIVER. How many blocks of so many threads and bytes of dynamic shared memory one multiprocessor holds at a time; 0: none. A cooperative grid has at most this
 * number times the device's multiprocessors. */
int32_t baton_kernel_occupancy(baton_kernel *kernel, uint32_t block_threads, uint32_t shared_bytes, uint32_t *blocks, baton_error *err);
/* DRIVER. The number of threads per block, at most most_threads (0: no limit), that keeps most threads of the device busy, and the least number of blocks to fill it. */
int32_t baton_kernel_block_size(baton_kernel *kernel, uint32_t shared_bytes, uint32_t most_threads, uint32_t *block_threads, uint32_t *grid_blocks, baton_error *err);
/* DRIVER. One call locks, orders, launches, publishes and unlocks (O1, O6). A cooperative grid that cannot be resident is BATON_ERR_ARGUMENT. */
int32_t baton_launch(baton_kernel *kernel, const baton_launch_options *options, const baton_argument *arguments, uint32_t count, baton_error *err);

/* ---------------------------------------------------------------- scope: addresses for a library's own launches, without host waits */

/* DRIVER. Locks the operands' memories, orders `stream` behind their uses, and fills in the addresses, which only work on `stream` may use (W1, W5).
 * parent: NULL or the enclosing scope of the same task (W4). flags: BATON_SCOPE_TRY. The operands' arrays are retained. */
int32_t baton_scope_begin(baton_stream *stream, baton_scope *parent, baton_operand *operands, uint64_t count, uint32_t flags, baton_scope **scope, baton_error *err);
/* DRIVER. One more array; BATON_WOULD_BLOCK when its lock is held elsewhere and waiting could deadlock: end the scope and begin again with it. */
int32_t baton_scope_add(baton_scope *scope, baton_operand *operand, baton_error *err);
/* DRIVER. The address for foreign code: raw when the scope (or an enclosing one) holds the array, with no wait and no change of owner (P3); else
 * as baton_array_pointer on the scope's stream. */
int32_t baton_scope_pointer(baton_scope *scope, baton_array *array, uint32_t access, uint64_t *address, baton_error *err);
/* DRIVER. The work was submitted: publishes, unlocks, and gives back a few objects that were released. Inner scopes end first. */
int32_t baton_scope_end(baton_scope *scope, baton_error *err);
/* FAST. For error paths and finalizers: as end, since the work may have been submitted; does nothing to a scope that has ended. NULL is allowed. */
void baton_scope_abort(baton_scope *scope);
/* FAST. Gives the handle back, after an abort if the scope is still open. NULL is allowed. */
void baton_scope_release(baton_scope *scope);
/* DRIVER. begin, function, end; the locks are released also when function fails, and its nonzero result becomes the status. */
int32_t baton_with_managed(baton_stream *stream, baton_operand *operands, uint64_t count, baton_managed_function function, void *user, baton_error *err);

/* ---------------------------------------------------------------- captures and graphs */

/* DRIVER. From now on what is submitted to the stream, and to streams that are made to follow it (baton_stream_follow), becomes part of a graph; it takes no
 * ownership (C4). Other tasks go on using memory that the stream used before (C2); the task whose tag the stream has is refused waits for it (C3).
 * BATON_ERR_BUSY while a scope is open on the stream. mode BATON_CAPTURE_.... */
int32_t baton_capture_begin(baton_stream *stream, int32_t mode, baton_error *err);
/* DRIVER. On the stream that began it. Clears the capture whether it succeeds or not; when a call broke the capture, that call's error is returned (C5). The caller
 * owns the graph. BATON_ERR_BUSY, with the capture going on, while a scope is open in it. */
int32_t baton_capture_end(baton_stream *stream, baton_graph **graph, baton_error *err);
/* DRIVER. Ends it and drops what was captured. Does nothing when none is under way: for error paths. */
int32_t baton_capture_abandon(baton_stream *stream, baton_error *err);
/* FAST. 1 while the stream takes part in a capture that the library began. */
int32_t baton_capture_active(baton_stream *stream, int32_t *active, baton_error *err);

/* FAST. A graph keeps its memories, kernels and argument values. */
int32_t baton_graph_retain(baton_graph *graph);
void baton_graph_release(baton_graph *graph);
int32_t baton_graph_info_read(baton_graph *graph, baton_graph_info *info, baton_error *err);
/* FAST. The graph as DOT text: submissions, memories with their kind and owner stream, and who uses what how. *needed is its length with the terminator; text may
 * be NULL when bytes is 0, and is written only when it fits. */
int32_t baton_graph_dot(baton_graph *graph, char *text, uint64_t bytes, uint64_t *needed, baton_error *err);

/* BLOCKS on the driver. The executable keeps the graph. The caller owns it. */
int32_t baton_graph_instantiate(baton_graph *graph, baton_executable **executable, baton_error *err);
/* DRIVER. The executable takes the graph's place and set (C7). BATON_ERR_TOPOLOGY, with nothing changed, when the graphs' shapes differ. */
int32_t baton_graph_update(baton_executable *executable, baton_graph *graph, baton_error *err);
/* DRIVER. An operation like any other: takes the whole set on the stream, wherever it was captured (C6). On a captured stream it becomes part of that graph (C8). */
int32_t baton_graph_launch(baton_executable *executable, baton_stream *stream, baton_error *err);
int32_t baton_executable_retain(baton_executable *executable);
/* The last release may come while launches are in flight. */
void baton_executable_release(baton_executable *executable);

/* DRIVER. For loops: captures what `function` submits to the stream, makes (*executable NULL) or updates the executable, or makes it anew when the shape has changed,
 * and launches it on the stream. A body that cannot be captured is run again, eagerly, and *reason (may be NULL) says why. *outcome (may be NULL) is BATON_RUN_....
 * A nonzero status of the function itself ends the capture and is returned. */
int32_t baton_capture_run(baton_stream *stream, int32_t mode, baton_captured_function function, void *user, baton_executable **executable, int32_t *outcome,
                          baton_error *reason, baton_error *err);

/* ---------------------------------------------------------------- waiting without blocking */

/* DRIVER. A snapshot of what the array (or stream) depends on now. The caller owns it. BATON_ERR_STREAM: others may have used the memory on a lent stream, which only a
 * wait can follow. */
int32_t baton_array_fence(baton_array *array, baton_fence **fence, baton_error *err);
int32_t baton_stream_fence(baton_stream *stream, baton_fence **fence, baton_error *err);
/* DRIVER. BATON_OK or BATON_NOT_READY. */
int32_t baton_fence_query(baton_fence *fence, baton_error *err);
/* BLOCKS. timeout_ns BATON_UNLIMITED: no limit. BATON_TIMEOUT when it is over. */
int32_t baton_fence_wait(baton_fence *fence, int64_t timeout_ns, int32_t mode, baton_error *err);
/* DRIVER. A descriptor that becomes readable when the fence is ready or has failed; it belongs to the fence: do not close it. */
int32_t baton_fence_descriptor(baton_fence *fence, int32_t *descriptor, baton_error *err);
int32_t baton_fence_retain(baton_fence *fence);
void baton_fence_release(baton_fence *fence);

/* ---------------------------------------------------------------- gate: hold a stream, for tests of ordering */

/* DRIVER. Work submitted to the stream afterwards waits until the gate is opened, at most limit_ns (1 to 60 s). */
int32_t baton_gate_create(baton_stream *stream, uint64_t limit_ns, baton_gate **gate, baton_error *err);
/* FAST. Idempotent. */
int32_t baton_gate_open(baton_gate *gate, baton_error *err);
/* FAST. Opens it too. */
void baton_gate_release(baton_gate *gate);

/* ---------------------------------------------------------------- exchange: doc/exchange.md
 *
 * Out: the consumer gets the address itself and keeps a reference on the array, which its deleter or release callback gives back: from any thread, in any state,
 * after the runtime was closed too; that never blocks and never calls the driver. In: a structure that fails to be taken in stays the caller's, unchanged;
 * one that was taken in is given back once, by a call of this library on whichever thread, after its last use has finished. Nothing in it is trusted. */

/* DRIVER. *managed becomes a DLManagedTensorVersioned * (DLPack 1.x), whose deleter gives the reference back from any thread. stream is the
 * consumer's: it is made to follow the array's work on the device. NULL: BLOCKS until that work is done. While the export lives, the memory counts as used by that
 * stream (P5), with NULL by every stream. BATON_ERR_CAPTURE while the library captures the stream. */
int32_t baton_dlpack_export(baton_array *array, baton_stream *stream, void **managed, baton_error *err);
/* As baton_dlpack_export, in one of the protocol's other ways: BATON_DLPACK_.... BLOCKS without a stream, but for BATON_DLPACK_UNORDERED alone.
 * BATON_ERR_KIND: BATON_DLPACK_LEGACY cannot say that an array is read-only. */
int32_t baton_dlpack_export_with(baton_array *array, const baton_dlpack_options *options, void **managed, baton_error *err);
/* FAST. DLPack's device type and device id for the array, as an export would have them: 1 ordinary memory and all memory of the software device, 2 CUDA,
 * 3 pinned, 13 managed; the id is 0 for all but 2. */
int32_t baton_dlpack_device(baton_array *array, int32_t *type, int32_t *id, baton_error *err);
/* DRIVER. Takes over a DLManagedTensorVersioned *; work on `stream` (NULL: none) may still use it. On failure the caller still owns it: also with
 * BATON_ERR_VERSION, for another major version, of which only the deleter may be used. CPU tensors become host memory: copies and the host reach it, kernels
 * only if it is pinned (BATON_ERR_KIND). */
int32_t baton_dlpack_import(baton_runtime *runtime, void *managed, baton_stream *stream, baton_array **array, baton_error *err);
/* DRIVER. The same for a DLManagedTensor * of before DLPack 1.0: never read-only. */
int32_t baton_dlpack_import_legacy(baton_runtime *runtime, void *managed, baton_stream *stream, baton_array **array, baton_error *err);

/* DRIVER; BLOCKS where the memory is a CPU's to the consumer. Fills an ArrowDeviceArray and an ArrowSchema (NULL: not wanted) of the caller's, each with a release
 * callback: 1-D arrays as primitive arrays, 2-D arrays as fixed-size lists, C-contiguous, without nulls. sync_event is an event of this export's own, recorded
 * behind the array's last write; no stream waits and nothing blocks. Arrow data may only be read: until the release, reads of the library go on, and writes wait on
 * the host for every stream (P5). BATON_ERR_DTYPE for bool (bits in Arrow), bf16 and complex numbers. */
int32_t baton_arrow_export(baton_array *array, void *device_array, void *schema, baton_error *err);
/* DRIVER; without a stream BLOCKS until *sync_event has happened, if there is one. Moves an ArrowDeviceArray into a read-only array, whose memory `stream` uses behind
 * *sync_event, by a wait on the device. The schema stays the caller's. Primitive arrays, and fixed-size lists of those, without nulls.
 * BATON_ERR_CAPTURE while the stream is captured. */
int32_t baton_arrow_import(baton_runtime *runtime, void *device_array, const void *schema, baton_stream *stream, baton_array **array, baton_error *err);

/* DRIVER. What __cuda_array_interface__ (version 3) says. The stream it names covers every use of the memory so far, by waits on the device; consumers order
 * themselves behind it, or work on it. From the first call until the array's handle is gone, the memory counts as used by that stream (P5), and every call names the
 * same. BATON_ERR_DTYPE for bf16; BATON_ERR_CAPTURE while the library captures the named stream. The consumer keeps the handle. */
int32_t baton_interface_export(baton_array *array, baton_interface_info *info, baton_error *err);
/* DRIVER. An array over what such a description names. The stream in it counts as the memory's last user: the library's work follows it on the device; 0: nothing to
 * wait for (pass BATON_STREAM_LEGACY for descriptions older than version 3, which name none). device and device_type are not read, but for the device of an empty
 * array. deleter (may be NULL) as in baton_array_wrap. */
int32_t baton_interface_import(baton_runtime *runtime, const baton_interface_info *info, baton_deleter deleter, void *user, baton_array **array, baton_error *err);
