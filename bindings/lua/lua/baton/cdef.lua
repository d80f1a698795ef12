-- Generated from include/baton_ffi.h by tools/cdef.lua: do not edit.
return [[
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
enum { BATON_OK = 0, BATON_WOULD_BLOCK = 1, BATON_NOT_READY = 2, BATON_OOM_RETRY = 3, BATON_TIMEOUT = 4, BATON_ERR_ARGUMENT = -1,
    BATON_ERR_HANDLE = -2, BATON_ERR_VERSION = -3, BATON_ERR_DTYPE = -4, BATON_ERR_SHAPE = -5, BATON_ERR_BOUNDS = -6, BATON_ERR_OVERLAP =
    -7, BATON_ERR_KIND = -8, BATON_ERR_DEVICE = -9, BATON_ERR_PEER = -10, BATON_ERR_STREAM = -11, BATON_ERR_THREAD = -12, BATON_ERR_MEMORY =
    -13, BATON_ERR_OOM = -14, BATON_ERR_UNSUPPORTED = -15, BATON_ERR_NO_DRIVER = -16, BATON_ERR_DRIVER = -17, BATON_ERR_POISONED = -18,
    BATON_ERR_CAPTURE = -19, BATON_ERR_NESTED_STREAM = -20, BATON_ERR_WOULD_DEADLOCK = -21, BATON_ERR_SCOPE_OPEN = -22, BATON_ERR_HOOK =
    -23, BATON_ERR_FORKED = -24, BATON_ERR_CLOSED = -25, BATON_ERR_BUSY = -26, BATON_ERR_TOPOLOGY = -27, BATON_ERR_COMPILE = -28 };
enum { BATON_ORIGIN_CALL = 0, BATON_ORIGIN_ASYNC = 1, BATON_ORIGIN_TEARDOWN = 2 };
enum { BATON_BOOL = 1, BATON_I8 = 2, BATON_I16 = 3, BATON_I32 = 4, BATON_I64 = 5, BATON_U8 = 6, BATON_U16 = 7, BATON_U32 = 8, BATON_U64 = 9,
    BATON_F16 = 10, BATON_BF16 = 11, BATON_F32 = 12, BATON_F64 = 13, BATON_C64 = 14, BATON_C128 = 15 };
enum { BATON_DEVICE = 1, BATON_HOST = 2, BATON_UNIFIED = 3 };
enum { BATON_READ = 1, BATON_WRITE = 2, BATON_READ_WRITE = 3 };
enum { BATON_WAIT_AUTO = 0, BATON_WAIT_SPIN = 1, BATON_WAIT_BLOCK = 2 };
enum { BATON_ADD = 1, BATON_SUBTRACT = 2, BATON_MULTIPLY = 3, BATON_DIVIDE = 4 };
enum { BATON_STREAM_LEGACY = 1, BATON_STREAM_PER_THREAD = 2 };
enum { BATON_CAPTURE_GLOBAL = 0, BATON_CAPTURE_THREAD_LOCAL = 1, BATON_CAPTURE_RELAXED = 2 };
enum { BATON_RUN_CAPTURED = 1, BATON_RUN_UPDATED = 2, BATON_RUN_REBUILT = 3, BATON_RUN_EAGER = 4 };
enum { BATON_RUNTIME_HOST_WAIT = 1, BATON_RUNTIME_NO_CACHE = 2, BATON_RUNTIME_PEER_EVENTS = 4, BATON_RUNTIME_TRY = 8, BATON_SCOPE_TRY = 1,
    BATON_ALLOC_NO_HOOK = 1, BATON_ALLOC_TRY = 2, BATON_LAUNCH_COOPERATIVE = 1, BATON_COMPILE_NO_CACHE = 1, BATON_DLPACK_LEGACY = 1,
    BATON_DLPACK_COPY = 2, BATON_DLPACK_UNORDERED = 4, BATON_DLPACK_HOST = 8, BATON_UNLIMITED = -1 };
enum { BATON_ARRAY_SYNCHRONIZING = 1, BATON_ARRAY_TAINTED = 2, BATON_ARRAY_ESCAPED = 4, BATON_ARRAY_CONTIGUOUS = 8, BATON_ARRAY_VIEW = 16,
    BATON_ARRAY_FOREIGN = 32, BATON_ARRAY_READ_ONLY = 64 };
enum { BATON_OP_NONE = 0, BATON_OP_ALLOC = 1, BATON_OP_FREE = 2, BATON_OP_COPY = 3, BATON_OP_UPLOAD = 4, BATON_OP_DOWNLOAD = 5,
    BATON_OP_FILL = 6, BATON_OP_LAUNCH = 7, BATON_OP_SCOPE = 8, BATON_OP_POINTER = 9, BATON_OP_WAIT = 10, BATON_OP_GATE = 11,
    BATON_OP_SYNCHRONIZE = 12, BATON_OP_FOREIGN = 13, BATON_OP_MODULE = 14, BATON_OP_STREAM = 15, BATON_OP_CAPTURE = 16, BATON_OP_GRAPH = 17
    };
enum { BATON_HOST_WAIT_SYNCHRONIZE = 0, BATON_HOST_WAIT_DOWNLOAD = 1, BATON_HOST_WAIT_FOREIGN = 2, BATON_HOST_WAIT_HOST_POINTER = 3,
    BATON_HOST_WAIT_UNIFIED = 4, BATON_HOST_WAIT_SPECIAL = 5, BATON_HOST_WAIT_DEVICE = 6, BATON_HOST_WAIT_TAINTED = 7,
    BATON_HOST_WAIT_EXPORT = 8, BATON_HOST_WAIT_POLICY = 9, BATON_HOST_WAIT_RECLAIM = 10, BATON_HOST_WAIT_UPLOAD = 11,
    BATON_HOST_WAIT_CAUSES = 12 };
typedef struct baton_error { uint32_t struct_size; int32_t status; int32_t driver_code; int32_t origin; int32_t operation; int32_t level;
    uint64_t device; uint64_t stream_id; uint64_t memory_id; uint64_t tag; uint64_t ticket_first; uint64_t ticket_last; char message[184]; }
    baton_error;
typedef struct baton_runtime_options { uint32_t struct_size; uint32_t flags; const char *driver; void *user; int32_t (*yield)(void *user);
    int32_t (*before_block)(void *user); int32_t (*after_block)(void *user); int32_t (*reclaim)(void *user, int32_t level, uint64_t bytes);
    uint64_t reserved[4]; } baton_runtime_options;
typedef struct baton_runtime_info { uint32_t struct_size; int32_t devices; int32_t driver_version; uint32_t reserved; char driver[16]; char
    reason[232]; } baton_runtime_info;
typedef struct baton_device_info { uint32_t struct_size; int32_t device; int32_t compute_major, compute_minor; int32_t multiprocessors;
    int32_t concurrent_managed; uint64_t total_bytes; uint64_t limit_bytes; uint64_t live_bytes; uint64_t deferred_bytes; char name[64]; }
    baton_device_info;
typedef struct baton_stats { uint32_t struct_size; uint32_t reserved; uint64_t operations; uint64_t device_waits; uint64_t records; uint64_t
    elided_same; uint64_t elided_covered; uint64_t elided_complete; uint64_t host_waits[12]; uint64_t host_blocked_ns; uint64_t allocations,
    frees; uint64_t live_bytes, deferred_bytes, live_arrays; uint64_t graph_launches; uint64_t graph_memories; uint64_t graph_waits;
    uint64_t faults_swallowed; uint64_t longest_lock_wait_ns; uint64_t cached_bytes; uint64_t cache_hits; } baton_stats;
typedef struct baton_array_options { uint32_t struct_size; uint32_t flags; int32_t device; int32_t kind; int32_t dtype; int32_t ndim; const
    int64_t *shape; const int64_t *strides; baton_stream *stream; int32_t level; int32_t read_only; uint64_t reserved[2]; }
    baton_array_options;
typedef struct baton_view_options { uint32_t struct_size; int32_t dtype; int32_t ndim; int32_t reserved32; const int64_t *start; const
    int64_t *count; const int64_t *step; const int32_t *permutation; const int64_t *shape; int32_t shape_ndim; int32_t reserved33; uint64_t
    reserved[2]; } baton_view_options;
typedef struct baton_array_info { uint32_t struct_size; int32_t dtype; int32_t ndim; int32_t kind; int32_t device; uint32_t flags; uint64_t
    memory_id; uint64_t elements; uint64_t bytes; uint64_t offset_bytes; uint64_t memory_bytes; uint64_t owner_stream_id; uint64_t
    pending_stream_id; uint64_t readers; uint64_t lock_holder; int64_t shape[16]; int64_t strides[16]; } baton_array_info;
typedef struct baton_operand { baton_array *array; uint32_t access; uint32_t reserved; uint64_t address; } baton_operand;
typedef struct baton_argument { baton_array *array; const void *data; uint32_t bytes; uint32_t access; } baton_argument;
typedef struct baton_launch_options { uint32_t struct_size; uint32_t flags; uint32_t grid[3]; uint32_t block[3]; uint32_t shared_bytes;
    uint32_t reserved32; baton_stream *stream; baton_scope *scope; uint32_t cluster[3]; uint32_t reserved33; } baton_launch_options;
typedef struct baton_host_launch { uint32_t grid[3]; uint32_t block[3]; uint32_t shared_bytes; uint32_t reserved; } baton_host_launch;
typedef struct baton_host_parameter { uint32_t bytes; uint32_t access; } baton_host_parameter;
typedef void (*baton_host_kernel)(const baton_host_launch *launch, void *const *arguments);
typedef void (*baton_deleter)(void *user, uint64_t address);
typedef int32_t (*baton_managed_function)(void *user, baton_stream *stream, const baton_operand *operands, uint64_t count);
typedef struct baton_compile_options { uint32_t struct_size; uint32_t flags; const char *name; const char *const *options; const char *const
    *expressions; const char *const *headers; const char *const *header_names; uint32_t option_count; uint32_t expression_count; uint32_t
    header_count; uint32_t reserved32; char *log; uint64_t log_bytes; uint64_t *log_needed; const char *tag; const char *cache; uint64_t
    cache_bytes; uint64_t reserved[4]; } baton_compile_options;
typedef struct baton_kernel_info { uint32_t struct_size; int32_t device; int32_t parameters; int32_t registers; int32_t most_threads;
    int32_t binary_version; int32_t ptx_version; int32_t reserved; uint64_t shared_bytes; uint64_t most_shared_bytes; uint64_t
    constant_bytes; uint64_t local_bytes; } baton_kernel_info;
typedef struct baton_graph_info { uint32_t struct_size; int32_t device; uint64_t steps; uint64_t memories; uint64_t written; }
    baton_graph_info;
typedef struct baton_dlpack_options { uint32_t struct_size; uint32_t flags; baton_stream *stream; uint64_t reserved[2]; }
    baton_dlpack_options;
typedef struct baton_interface_info { uint32_t struct_size; int32_t read_only; uint64_t address; uint64_t stream; char typestr[8]; int32_t
    device; int32_t device_type; int32_t ndim; int32_t contiguous; int64_t shape[16]; int64_t strides[16]; } baton_interface_info;
typedef int32_t (*baton_captured_function)(void *user, baton_stream *stream);
typedef struct baton_trace_entry { uint64_t time_ns; uint64_t stream_id; uint64_t ticket; uint64_t other_stream_id; uint64_t other_ticket;
    int32_t operation; int32_t host_cause; uint64_t duration_ns; } baton_trace_entry;
uint32_t baton_version(void);
uint32_t baton_abi_version(void);
const char *baton_status_name(int32_t status);
const char *baton_operation_name(int32_t operation);
const char *baton_dtype_name(int32_t dtype);
const char *baton_host_wait_name(int32_t cause);
uint32_t baton_dtype_size(int32_t dtype);
int32_t baton_abi_layout(uint32_t index, const char **name, uint32_t *offset, uint32_t *size);
int32_t baton_process_copies(void);
int32_t baton_runtime_open(const baton_runtime_options *options, baton_runtime **runtime, baton_error *err);
int32_t baton_runtime_close(baton_runtime *runtime, baton_error *err);
int32_t baton_runtime_info_read(baton_runtime *runtime, baton_runtime_info *info, baton_error *err);
int32_t baton_device_count(baton_runtime *runtime, int32_t *count, baton_error *err);
int32_t baton_device_info_read(baton_runtime *runtime, int32_t device, baton_device_info *info, baton_error *err);
int32_t baton_stats_read(baton_runtime *runtime, baton_stats *stats, baton_error *err);
int32_t baton_drain(baton_runtime *runtime, uint64_t most, uint64_t *freed_bytes, baton_error *err);
int32_t baton_trim(baton_runtime *runtime, int32_t device, uint64_t keep_bytes, baton_error *err);
int32_t baton_set_memory_limit(baton_runtime *runtime, int32_t device, uint64_t bytes, baton_error *err);
int32_t baton_trace_start(baton_runtime *runtime, uint32_t capacity, baton_error *err);
int32_t baton_trace_read(baton_runtime *runtime, baton_trace_entry *entries, uint32_t capacity, uint32_t *count, baton_error *err);
int32_t baton_stream_create(baton_runtime *runtime, int32_t device, uint32_t flags, int32_t priority, baton_stream **stream, baton_error
    *err);
int32_t baton_stream_wrap(baton_runtime *runtime, int32_t device, uint64_t native, baton_stream **stream, baton_error *err);
int32_t baton_stream_adopt(baton_runtime *runtime, int32_t device, uint64_t native, baton_stream **stream, baton_error *err);
int32_t baton_stream_keep(baton_stream *stream, baton_deleter deleter, void *user, baton_error *err);
int32_t baton_stream_lent(baton_stream *stream, int32_t *lent, baton_error *err);
int32_t baton_stream_retain(baton_stream *stream);
void baton_stream_release(baton_stream *stream);
int32_t baton_stream_native(baton_stream *stream, uint64_t *native, baton_error *err);
int32_t baton_stream_id(baton_stream *stream, uint64_t *id, baton_error *err);
int32_t baton_stream_device(baton_stream *stream, int32_t *device, baton_error *err);
int32_t baton_stream_set_task(baton_stream *stream, uint64_t tag, baton_error *err);
int32_t baton_stream_query(baton_stream *stream, baton_error *err);
int32_t baton_stream_synchronize(baton_stream *stream, int32_t mode, baton_error *err);
int32_t baton_stream_follow(baton_stream *after, baton_stream *before, baton_error *err);
int32_t baton_array_create(baton_runtime *runtime, const baton_array_options *options, baton_array **array, baton_error *err);
int32_t baton_array_wrap(baton_runtime *runtime, const baton_array_options *options, uint64_t address, baton_deleter deleter, void *user,
    baton_array **array, baton_error *err);
int32_t baton_array_view(baton_array *array, const baton_view_options *options, baton_array **view, baton_error *err);
int32_t baton_array_resize(baton_array *array, int64_t elements, baton_stream *stream, baton_error *err);
int32_t baton_array_retain(baton_array *array);
void baton_array_release(baton_array *array);
void baton_array_release_n(baton_array *const *arrays, uint64_t count);
int32_t baton_array_dispose(baton_array *array, baton_error *err);
int32_t baton_array_info_read(baton_array *array, baton_array_info *info, baton_error *err);
int32_t baton_array_synchronize(baton_array *array, int32_t mode, baton_error *err);
int32_t baton_array_wait(baton_array *array, baton_stream *stream, int32_t mode, baton_error *err);
int32_t baton_array_query(baton_array *array, baton_error *err);
int32_t baton_array_set_synchronizing(baton_array *array, int32_t on, baton_error *err);
int32_t baton_array_pointer(baton_array *array, baton_stream *stream, uint32_t access, uint64_t *address, baton_error *err);
int32_t baton_array_host_pointer(baton_array *array, uint32_t access, void **address, baton_error *err);
int32_t baton_array_note_use(baton_array *array, baton_stream *stream, uint32_t access, baton_error *err);
int32_t baton_copy(baton_array *to, baton_array *from, baton_stream *stream, baton_error *err);
int32_t baton_upload(baton_array *to, const void *host, uint64_t bytes, baton_stream *stream, baton_error *err);
int32_t baton_download(void *host, uint64_t bytes, baton_array *from, baton_stream *stream, baton_error *err);
int32_t baton_download_async(void *host, uint64_t bytes, baton_array *from, baton_stream *stream, baton_fence **fence, baton_error *err);
int32_t baton_fill(baton_array *array, const void *value, uint64_t bytes, baton_stream *stream, baton_error *err);
int32_t baton_elementwise(int32_t function, baton_array *to, const baton_argument *left, const baton_argument *right, baton_stream *stream,
    baton_error *err);
int32_t baton_cast(baton_array *to, baton_array *from, baton_stream *stream, baton_error *err);
int32_t baton_range(baton_array *to, const void *start, const void *step, uint64_t bytes, baton_stream *stream, baton_error *err);
int32_t baton_module_load(baton_runtime *runtime, int32_t device, const void *image, uint64_t bytes, baton_module **module, baton_error
    *err);
int32_t baton_module_compile(baton_runtime *runtime, int32_t device, const char *source, const baton_compile_options *options, baton_module
    **module, baton_error *err);
int32_t baton_module_retain(baton_module *module);
void baton_module_release(baton_module *module);
int32_t baton_module_kernel(baton_module *module, const char *name, baton_kernel **kernel, baton_error *err);
int32_t baton_kernel_host(baton_runtime *runtime, int32_t device, baton_host_kernel function, const char *name, const baton_host_parameter
    *parameters, uint32_t count, baton_kernel **kernel, baton_error *err);
int32_t baton_kernel_retain(baton_kernel *kernel);
void baton_kernel_release(baton_kernel *kernel);
int32_t baton_kernel_info_read(baton_kernel *kernel, baton_kernel_info *info, baton_error *err);
int32_t baton_kernel_occupancy(baton_kernel *kernel, uint32_t block_threads, uint32_t shared_bytes, uint32_t *blocks, baton_error *err);
int32_t baton_kernel_block_size(baton_kernel *kernel, uint32_t shared_bytes, uint32_t most_threads, uint32_t *block_threads, uint32_t
    *grid_blocks, baton_error *err);
int32_t baton_launch(baton_kernel *kernel, const baton_launch_options *options, const baton_argument *arguments, uint32_t count, baton_error
    *err);
int32_t baton_scope_begin(baton_stream *stream, baton_scope *parent, baton_operand *operands, uint64_t count, uint32_t flags, baton_scope
    **scope, baton_error *err);
int32_t baton_scope_add(baton_scope *scope, baton_operand *operand, baton_error *err);
int32_t baton_scope_pointer(baton_scope *scope, baton_array *array, uint32_t access, uint64_t *address, baton_error *err);
int32_t baton_scope_end(baton_scope *scope, baton_error *err);
void baton_scope_abort(baton_scope *scope);
void baton_scope_release(baton_scope *scope);
int32_t baton_with_managed(baton_stream *stream, baton_operand *operands, uint64_t count, baton_managed_function function, void *user,
    baton_error *err);
int32_t baton_capture_begin(baton_stream *stream, int32_t mode, baton_error *err);
int32_t baton_capture_end(baton_stream *stream, baton_graph **graph, baton_error *err);
int32_t baton_capture_abandon(baton_stream *stream, baton_error *err);
int32_t baton_capture_active(baton_stream *stream, int32_t *active, baton_error *err);
int32_t baton_graph_retain(baton_graph *graph);
void baton_graph_release(baton_graph *graph);
int32_t baton_graph_info_read(baton_graph *graph, baton_graph_info *info, baton_error *err);
int32_t baton_graph_dot(baton_graph *graph, char *text, uint64_t bytes, uint64_t *needed, baton_error *err);
int32_t baton_graph_instantiate(baton_graph *graph, baton_executable **executable, baton_error *err);
int32_t baton_graph_update(baton_executable *executable, baton_graph *graph, baton_error *err);
int32_t baton_graph_launch(baton_executable *executable, baton_stream *stream, baton_error *err);
int32_t baton_executable_retain(baton_executable *executable);
void baton_executable_release(baton_executable *executable);
int32_t baton_capture_run(baton_stream *stream, int32_t mode, baton_captured_function function, void *user, baton_executable **executable,
    int32_t *outcome, baton_error *reason, baton_error *err);
int32_t baton_array_fence(baton_array *array, baton_fence **fence, baton_error *err);
int32_t baton_stream_fence(baton_stream *stream, baton_fence **fence, baton_error *err);
int32_t baton_fence_query(baton_fence *fence, baton_error *err);
int32_t baton_fence_wait(baton_fence *fence, int64_t timeout_ns, int32_t mode, baton_error *err);
int32_t baton_fence_descriptor(baton_fence *fence, int32_t *descriptor, baton_error *err);
int32_t baton_fence_retain(baton_fence *fence);
void baton_fence_release(baton_fence *fence);
int32_t baton_gate_create(baton_stream *stream, uint64_t limit_ns, baton_gate **gate, baton_error *err);
int32_t baton_gate_open(baton_gate *gate, baton_error *err);
void baton_gate_release(baton_gate *gate);
int32_t baton_dlpack_export(baton_array *array, baton_stream *stream, void **managed, baton_error *err);
int32_t baton_dlpack_export_with(baton_array *array, const baton_dlpack_options *options, void **managed, baton_error *err);
int32_t baton_dlpack_device(baton_array *array, int32_t *type, int32_t *id, baton_error *err);
int32_t baton_dlpack_import(baton_runtime *runtime, void *managed, baton_stream *stream, baton_array **array, baton_error *err);
int32_t baton_dlpack_import_legacy(baton_runtime *runtime, void *managed, baton_stream *stream, baton_array **array, baton_error *err);
int32_t baton_arrow_export(baton_array *array, void *device_array, void *schema, baton_error *err);
int32_t baton_arrow_import(baton_runtime *runtime, void *device_array, const void *schema, baton_stream *stream, baton_array **array,
    baton_error *err);
int32_t baton_interface_export(baton_array *array, baton_interface_info *info, baton_error *err);
int32_t baton_interface_import(baton_runtime *runtime, const baton_interface_info *info, baton_deleter deleter, void *user, baton_array
    **array, baton_error *err);
]]
