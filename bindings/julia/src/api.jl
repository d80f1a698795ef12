# Generated from include/baton_ffi.h by tools/generate: do not edit.
# Names and arguments are the header's; it says what each call does. Calls that may enter the driver or wait are GC-safe.

mutable struct baton_runtime end
mutable struct baton_stream end
mutable struct baton_array end
mutable struct baton_scope end
mutable struct baton_fence end
mutable struct baton_module end
mutable struct baton_kernel end
mutable struct baton_gate end
mutable struct baton_graph end
mutable struct baton_executable end

const baton_host_kernel = Ptr{Cvoid}
const baton_deleter = Ptr{Cvoid}
const baton_managed_function = Ptr{Cvoid}
const baton_captured_function = Ptr{Cvoid}

const BATON_OK = Int32(0)
const BATON_WOULD_BLOCK = Int32(1)
const BATON_NOT_READY = Int32(2)
const BATON_OOM_RETRY = Int32(3)
const BATON_TIMEOUT = Int32(4)
const BATON_ERR_ARGUMENT = Int32(-1)
const BATON_ERR_HANDLE = Int32(-2)
const BATON_ERR_VERSION = Int32(-3)
const BATON_ERR_DTYPE = Int32(-4)
const BATON_ERR_SHAPE = Int32(-5)
const BATON_ERR_BOUNDS = Int32(-6)
const BATON_ERR_OVERLAP = Int32(-7)
const BATON_ERR_KIND = Int32(-8)
const BATON_ERR_DEVICE = Int32(-9)
const BATON_ERR_PEER = Int32(-10)
const BATON_ERR_STREAM = Int32(-11)
const BATON_ERR_THREAD = Int32(-12)
const BATON_ERR_MEMORY = Int32(-13)
const BATON_ERR_OOM = Int32(-14)
const BATON_ERR_UNSUPPORTED = Int32(-15)
const BATON_ERR_NO_DRIVER = Int32(-16)
const BATON_ERR_DRIVER = Int32(-17)
const BATON_ERR_POISONED = Int32(-18)
const BATON_ERR_CAPTURE = Int32(-19)
const BATON_ERR_NESTED_STREAM = Int32(-20)
const BATON_ERR_WOULD_DEADLOCK = Int32(-21)
const BATON_ERR_SCOPE_OPEN = Int32(-22)
const BATON_ERR_HOOK = Int32(-23)
const BATON_ERR_FORKED = Int32(-24)
const BATON_ERR_CLOSED = Int32(-25)
const BATON_ERR_BUSY = Int32(-26)
const BATON_ERR_TOPOLOGY = Int32(-27)
const BATON_ERR_COMPILE = Int32(-28)
const BATON_ORIGIN_CALL = Int32(0)
const BATON_ORIGIN_ASYNC = Int32(1)
const BATON_ORIGIN_TEARDOWN = Int32(2)
const BATON_BOOL = Int32(1)
const BATON_I8 = Int32(2)
const BATON_I16 = Int32(3)
const BATON_I32 = Int32(4)
const BATON_I64 = Int32(5)
const BATON_U8 = Int32(6)
const BATON_U16 = Int32(7)
const BATON_U32 = Int32(8)
const BATON_U64 = Int32(9)
const BATON_F16 = Int32(10)
const BATON_BF16 = Int32(11)
const BATON_F32 = Int32(12)
const BATON_F64 = Int32(13)
const BATON_C64 = Int32(14)
const BATON_C128 = Int32(15)
const BATON_DEVICE = Int32(1)
const BATON_HOST = Int32(2)
const BATON_UNIFIED = Int32(3)
const BATON_READ = Int32(1)
const BATON_WRITE = Int32(2)
const BATON_READ_WRITE = Int32(3)
const BATON_WAIT_AUTO = Int32(0)
const BATON_WAIT_SPIN = Int32(1)
const BATON_WAIT_BLOCK = Int32(2)
const BATON_ADD = Int32(1)
const BATON_SUBTRACT = Int32(2)
const BATON_MULTIPLY = Int32(3)
const BATON_DIVIDE = Int32(4)
const BATON_STREAM_LEGACY = Int32(1)
const BATON_STREAM_PER_THREAD = Int32(2)
const BATON_CAPTURE_GLOBAL = Int32(0)
const BATON_CAPTURE_THREAD_LOCAL = Int32(1)
const BATON_CAPTURE_RELAXED = Int32(2)
const BATON_RUN_CAPTURED = Int32(1)
const BATON_RUN_UPDATED = Int32(2)
const BATON_RUN_REBUILT = Int32(3)
const BATON_RUN_EAGER = Int32(4)
const BATON_RUNTIME_HOST_WAIT = Int32(1)
const BATON_RUNTIME_NO_CACHE = Int32(2)
const BATON_RUNTIME_PEER_EVENTS = Int32(4)
const BATON_RUNTIME_TRY = Int32(8)
const BATON_SCOPE_TRY = Int32(1)
const BATON_ALLOC_NO_HOOK = Int32(1)
const BATON_ALLOC_TRY = Int32(2)
const BATON_LAUNCH_COOPERATIVE = Int32(1)
const BATON_COMPILE_NO_CACHE = Int32(1)
const BATON_DLPACK_LEGACY = Int32(1)
const BATON_DLPACK_COPY = Int32(2)
const BATON_DLPACK_UNORDERED = Int32(4)
const BATON_DLPACK_HOST = Int32(8)
const BATON_UNLIMITED = Int32(-1)
const BATON_ARRAY_SYNCHRONIZING = Int32(1)
const BATON_ARRAY_TAINTED = Int32(2)
const BATON_ARRAY_ESCAPED = Int32(4)
const BATON_ARRAY_CONTIGUOUS = Int32(8)
const BATON_ARRAY_VIEW = Int32(16)
const BATON_ARRAY_FOREIGN = Int32(32)
const BATON_ARRAY_READ_ONLY = Int32(64)
const BATON_OP_NONE = Int32(0)
const BATON_OP_ALLOC = Int32(1)
const BATON_OP_FREE = Int32(2)
const BATON_OP_COPY = Int32(3)
const BATON_OP_UPLOAD = Int32(4)
const BATON_OP_DOWNLOAD = Int32(5)
const BATON_OP_FILL = Int32(6)
const BATON_OP_LAUNCH = Int32(7)
const BATON_OP_SCOPE = Int32(8)
const BATON_OP_POINTER = Int32(9)
const BATON_OP_WAIT = Int32(10)
const BATON_OP_GATE = Int32(11)
const BATON_OP_SYNCHRONIZE = Int32(12)
const BATON_OP_FOREIGN = Int32(13)
const BATON_OP_MODULE = Int32(14)
const BATON_OP_STREAM = Int32(15)
const BATON_OP_CAPTURE = Int32(16)
const BATON_OP_GRAPH = Int32(17)
const BATON_HOST_WAIT_SYNCHRONIZE = Int32(0)
const BATON_HOST_WAIT_DOWNLOAD = Int32(1)
const BATON_HOST_WAIT_FOREIGN = Int32(2)
const BATON_HOST_WAIT_HOST_POINTER = Int32(3)
const BATON_HOST_WAIT_UNIFIED = Int32(4)
const BATON_HOST_WAIT_SPECIAL = Int32(5)
const BATON_HOST_WAIT_DEVICE = Int32(6)
const BATON_HOST_WAIT_TAINTED = Int32(7)
const BATON_HOST_WAIT_EXPORT = Int32(8)
const BATON_HOST_WAIT_POLICY = Int32(9)
const BATON_HOST_WAIT_RECLAIM = Int32(10)
const BATON_HOST_WAIT_UPLOAD = Int32(11)
const BATON_HOST_WAIT_CAUSES = Int32(12)

struct baton_error
    struct_size::UInt32
    status::Int32
    driver_code::Int32
    origin::Int32
    operation::Int32
    level::Int32
    device::UInt64
    stream_id::UInt64
    memory_id::UInt64
    tag::UInt64
    ticket_first::UInt64
    ticket_last::UInt64
    message::NTuple{184, UInt8}
end
baton_error(; struct_size = sizeof(baton_error), status = 0, driver_code = 0, origin = 0, operation = 0, level = 0,
        device = 0, stream_id = 0, memory_id = 0, tag = 0, ticket_first = 0, ticket_last = 0,
        message = zeros_of(NTuple{184, UInt8})) =
    baton_error(struct_size, status, driver_code, origin, operation, level, device, stream_id, memory_id, tag,
        ticket_first, ticket_last, message)

struct baton_runtime_options
    struct_size::UInt32
    flags::UInt32
    driver::Cstring
    user::Ptr{Cvoid}
    yield::Ptr{Cvoid}
    before_block::Ptr{Cvoid}
    after_block::Ptr{Cvoid}
    reclaim::Ptr{Cvoid}
    reserved::NTuple{4, UInt64}
end
baton_runtime_options(; struct_size = sizeof(baton_runtime_options), flags = 0, driver = Cstring(C_NULL),
        user = C_NULL, yield = C_NULL, before_block = C_NULL, after_block = C_NULL, reclaim = C_NULL,
        reserved = zeros_of(NTuple{4, UInt64})) =
    baton_runtime_options(struct_size, flags, driver, user, yield, before_block, after_block, reclaim, reserved)

struct baton_runtime_info
    struct_size::UInt32
    devices::Int32
    driver_version::Int32
    reserved::UInt32
    driver::NTuple{16, UInt8}
    reason::NTuple{232, UInt8}
end
baton_runtime_info(; struct_size = sizeof(baton_runtime_info), devices = 0, driver_version = 0, reserved = 0,
        driver = zeros_of(NTuple{16, UInt8}), reason = zeros_of(NTuple{232, UInt8})) =
    baton_runtime_info(struct_size, devices, driver_version, reserved, driver, reason)

struct baton_device_info
    struct_size::UInt32
    device::Int32
    compute_major::Int32
    compute_minor::Int32
    multiprocessors::Int32
    concurrent_managed::Int32
    total_bytes::UInt64
    limit_bytes::UInt64
    live_bytes::UInt64
    deferred_bytes::UInt64
    name::NTuple{64, UInt8}
end
baton_device_info(; struct_size = sizeof(baton_device_info), device = 0, compute_major = 0, compute_minor = 0,
        multiprocessors = 0, concurrent_managed = 0, total_bytes = 0, limit_bytes = 0, live_bytes = 0,
        deferred_bytes = 0, name = zeros_of(NTuple{64, UInt8})) =
    baton_device_info(struct_size, device, compute_major, compute_minor, multiprocessors, concurrent_managed,
        total_bytes, limit_bytes, live_bytes, deferred_bytes, name)

struct baton_stats
    struct_size::UInt32
    reserved::UInt32
    operations::UInt64
    device_waits::UInt64
    records::UInt64
    elided_same::UInt64
    elided_covered::UInt64
    elided_complete::UInt64
    host_waits::NTuple{12, UInt64}
    host_blocked_ns::UInt64
    allocations::UInt64
    frees::UInt64
    live_bytes::UInt64
    deferred_bytes::UInt64
    live_arrays::UInt64
    graph_launches::UInt64
    graph_memories::UInt64
    graph_waits::UInt64
    faults_swallowed::UInt64
    longest_lock_wait_ns::UInt64
    cached_bytes::UInt64
    cache_hits::UInt64
end
baton_stats(; struct_size = sizeof(baton_stats), reserved = 0, operations = 0, device_waits = 0, records = 0,
        elided_same = 0, elided_covered = 0, elided_complete = 0, host_waits = zeros_of(NTuple{12, UInt64}),
        host_blocked_ns = 0, allocations = 0, frees = 0, live_bytes = 0, deferred_bytes = 0, live_arrays = 0,
        graph_launches = 0, graph_memories = 0, graph_waits = 0, faults_swallowed = 0, longest_lock_wait_ns = 0,
        cached_bytes = 0, cache_hits = 0) =
    baton_stats(struct_size, reserved, operations, device_waits, records, elided_same, elided_covered,
        elided_complete, host_waits, host_blocked_ns, allocations, frees, live_bytes, deferred_bytes, live_arrays,
        graph_launches, graph_memories, graph_waits, faults_swallowed, longest_lock_wait_ns, cached_bytes,
        cache_hits)

struct baton_array_options
    struct_size::UInt32
    flags::UInt32
    device::Int32
    kind::Int32
    dtype::Int32
    ndim::Int32
    shape::Ptr{Int64}
    strides::Ptr{Int64}
    stream::Ptr{baton_stream}
    level::Int32
    read_only::Int32
    reserved::NTuple{2, UInt64}
end
baton_array_options(; struct_size = sizeof(baton_array_options), flags = 0, device = 0, kind = 0, dtype = 0,
        ndim = 0, shape = C_NULL, strides = C_NULL, stream = C_NULL, level = 0, read_only = 0,
        reserved = zeros_of(NTuple{2, UInt64})) =
    baton_array_options(struct_size, flags, device, kind, dtype, ndim, shape, strides, stream, level, read_only,
        reserved)

struct baton_view_options
    struct_size::UInt32
    dtype::Int32
    ndim::Int32
    reserved32::Int32
    start::Ptr{Int64}
    count::Ptr{Int64}
    step::Ptr{Int64}
    permutation::Ptr{Int32}
    shape::Ptr{Int64}
    shape_ndim::Int32
    reserved33::Int32
    reserved::NTuple{2, UInt64}
end
baton_view_options(; struct_size = sizeof(baton_view_options), dtype = 0, ndim = 0, reserved32 = 0, start = C_NULL,
        count = C_NULL, step = C_NULL, permutation = C_NULL, shape = C_NULL, shape_ndim = 0, reserved33 = 0,
        reserved = zeros_of(NTuple{2, UInt64})) =
    baton_view_options(struct_size, dtype, ndim, reserved32, start, count, step, permutation, shape, shape_ndim,
        reserved33, reserved)

struct baton_array_info
    struct_size::UInt32
    dtype::Int32
    ndim::Int32
    kind::Int32
    device::Int32
    flags::UInt32
    memory_id::UInt64
    elements::UInt64
    bytes::UInt64
    offset_bytes::UInt64
    memory_bytes::UInt64
    owner_stream_id::UInt64
    pending_stream_id::UInt64
    readers::UInt64
    lock_holder::UInt64
    shape::NTuple{16, Int64}
    strides::NTuple{16, Int64}
end
baton_array_info(; struct_size = sizeof(baton_array_info), dtype = 0, ndim = 0, kind = 0, device = 0, flags = 0,
        memory_id = 0, elements = 0, bytes = 0, offset_bytes = 0, memory_bytes = 0, owner_stream_id = 0,
        pending_stream_id = 0, readers = 0, lock_holder = 0, shape = zeros_of(NTuple{16, Int64}),
        strides = zeros_of(NTuple{16, Int64})) =
    baton_array_info(struct_size, dtype, ndim, kind, device, flags, memory_id, elements, bytes, offset_bytes,
        memory_bytes, owner_stream_id, pending_stream_id, readers, lock_holder, shape, strides)

struct baton_operand
    array::Ptr{baton_array}
    access::UInt32
    reserved::UInt32
    address::UInt64
end
baton_operand(; array = C_NULL, access = 0, reserved = 0, address = 0) =
    baton_operand(array, access, reserved, address)

struct baton_argument
    array::Ptr{baton_array}
    data::Ptr{Cvoid}
    bytes::UInt32
    access::UInt32
end
baton_argument(; array = C_NULL, data = C_NULL, bytes = 0, access = 0) =
    baton_argument(array, data, bytes, access)

struct baton_launch_options
    struct_size::UInt32
    flags::UInt32
    grid::NTuple{3, UInt32}
    block::NTuple{3, UInt32}
    shared_bytes::UInt32
    reserved32::UInt32
    stream::Ptr{baton_stream}
    scope::Ptr{baton_scope}
    cluster::NTuple{3, UInt32}
    reserved33::UInt32
end
baton_launch_options(; struct_size = sizeof(baton_launch_options), flags = 0, grid = zeros_of(NTuple{3, UInt32}),
        block = zeros_of(NTuple{3, UInt32}), shared_bytes = 0, reserved32 = 0, stream = C_NULL, scope = C_NULL,
        cluster = zeros_of(NTuple{3, UInt32}), reserved33 = 0) =
    baton_launch_options(struct_size, flags, grid, block, shared_bytes, reserved32, stream, scope, cluster,
        reserved33)

struct baton_host_launch
    grid::NTuple{3, UInt32}
    block::NTuple{3, UInt32}
    shared_bytes::UInt32
    reserved::UInt32
end
baton_host_launch(; grid = zeros_of(NTuple{3, UInt32}), block = zeros_of(NTuple{3, UInt32}), shared_bytes = 0,
        reserved = 0) =
    baton_host_launch(grid, block, shared_bytes, reserved)

struct baton_host_parameter
    bytes::UInt32
    access::UInt32
end
baton_host_parameter(; bytes = 0, access = 0) =
    baton_host_parameter(bytes, access)

struct baton_compile_options
    struct_size::UInt32
    flags::UInt32
    name::Cstring
    options::Ptr{Cstring}
    expressions::Ptr{Cstring}
    headers::Ptr{Cstring}
    header_names::Ptr{Cstring}
    option_count::UInt32
    expression_count::UInt32
    header_count::UInt32
    reserved32::UInt32
    log::Cstring
    log_bytes::UInt64
    log_needed::Ptr{UInt64}
    tag::Cstring
    cache::Cstring
    cache_bytes::UInt64
    reserved::NTuple{4, UInt64}
end
baton_compile_options(; struct_size = sizeof(baton_compile_options), flags = 0, name = Cstring(C_NULL),
        options = C_NULL, expressions = C_NULL, headers = C_NULL, header_names = C_NULL, option_count = 0,
        expression_count = 0, header_count = 0, reserved32 = 0, log = Cstring(C_NULL), log_bytes = 0,
        log_needed = C_NULL, tag = Cstring(C_NULL), cache = Cstring(C_NULL), cache_bytes = 0,
        reserved = zeros_of(NTuple{4, UInt64})) =
    baton_compile_options(struct_size, flags, name, options, expressions, headers, header_names, option_count,
        expression_count, header_count, reserved32, log, log_bytes, log_needed, tag, cache, cache_bytes, reserved)

struct baton_kernel_info
    struct_size::UInt32
    device::Int32
    parameters::Int32
    registers::Int32
    most_threads::Int32
    binary_version::Int32
    ptx_version::Int32
    reserved::Int32
    shared_bytes::UInt64
    most_shared_bytes::UInt64
    constant_bytes::UInt64
    local_bytes::UInt64
end
baton_kernel_info(; struct_size = sizeof(baton_kernel_info), device = 0, parameters = 0, registers = 0,
        most_threads = 0, binary_version = 0, ptx_version = 0, reserved = 0, shared_bytes = 0, most_shared_bytes = 0,
        constant_bytes = 0, local_bytes = 0) =
    baton_kernel_info(struct_size, device, parameters, registers, most_threads, binary_version, ptx_version,
        reserved, shared_bytes, most_shared_bytes, constant_bytes, local_bytes)

struct baton_graph_info
    struct_size::UInt32
    device::Int32
    steps::UInt64
    memories::UInt64
    written::UInt64
end
baton_graph_info(; struct_size = sizeof(baton_graph_info), device = 0, steps = 0, memories = 0, written = 0) =
    baton_graph_info(struct_size, device, steps, memories, written)

struct baton_dlpack_options
    struct_size::UInt32
    flags::UInt32
    stream::Ptr{baton_stream}
    reserved::NTuple{2, UInt64}
end
baton_dlpack_options(; struct_size = sizeof(baton_dlpack_options), flags = 0, stream = C_NULL,
        reserved = zeros_of(NTuple{2, UInt64})) =
    baton_dlpack_options(struct_size, flags, stream, reserved)

struct baton_interface_info
    struct_size::UInt32
    read_only::Int32
    address::UInt64
    stream::UInt64
    typestr::NTuple{8, UInt8}
    device::Int32
    device_type::Int32
    ndim::Int32
    contiguous::Int32
    shape::NTuple{16, Int64}
    strides::NTuple{16, Int64}
end
baton_interface_info(; struct_size = sizeof(baton_interface_info), read_only = 0, address = 0, stream = 0,
        typestr = zeros_of(NTuple{8, UInt8}), device = 0, device_type = 0, ndim = 0, contiguous = 0,
        shape = zeros_of(NTuple{16, Int64}), strides = zeros_of(NTuple{16, Int64})) =
    baton_interface_info(struct_size, read_only, address, stream, typestr, device, device_type, ndim, contiguous,
        shape, strides)

struct baton_trace_entry
    time_ns::UInt64
    stream_id::UInt64
    ticket::UInt64
    other_stream_id::UInt64
    other_ticket::UInt64
    operation::Int32
    host_cause::Int32
    duration_ns::UInt64
end
baton_trace_entry(; time_ns = 0, stream_id = 0, ticket = 0, other_stream_id = 0, other_ticket = 0, operation = 0,
        host_cause = 0, duration_ns = 0) =
    baton_trace_entry(time_ns, stream_id, ticket, other_stream_id, other_ticket, operation, host_cause, duration_ns)

baton_version() =
    @ccall libbaton.baton_version()::UInt32
baton_abi_version() =
    @ccall libbaton.baton_abi_version()::UInt32
baton_status_name(status) =
    @ccall libbaton.baton_status_name(status::Int32)::Cstring
baton_operation_name(operation) =
    @ccall libbaton.baton_operation_name(operation::Int32)::Cstring
baton_dtype_name(dtype) =
    @ccall libbaton.baton_dtype_name(dtype::Int32)::Cstring
baton_host_wait_name(cause) =
    @ccall libbaton.baton_host_wait_name(cause::Int32)::Cstring
baton_dtype_size(dtype) =
    @ccall libbaton.baton_dtype_size(dtype::Int32)::UInt32
baton_abi_layout(index, name, offset, size) =
    @ccall libbaton.baton_abi_layout(index::UInt32, name::Ptr{Cstring}, offset::Ptr{UInt32},
        size::Ptr{UInt32})::Int32
baton_process_copies() =
    @ccall libbaton.baton_process_copies()::Int32
baton_runtime_open(options, runtime, err) =
    @ccall gc_safe=true libbaton.baton_runtime_open(options::Ptr{baton_runtime_options},
        runtime::Ptr{Ptr{baton_runtime}}, err::Ptr{baton_error})::Int32
baton_runtime_close(runtime, err) =
    @ccall gc_safe=true libbaton.baton_runtime_close(runtime::Ptr{baton_runtime}, err::Ptr{baton_error})::Int32
baton_runtime_info_read(runtime, info, err) =
    @ccall libbaton.baton_runtime_info_read(runtime::Ptr{baton_runtime}, info::Ptr{baton_runtime_info},
        err::Ptr{baton_error})::Int32
baton_device_count(runtime, count, err) =
    @ccall libbaton.baton_device_count(runtime::Ptr{baton_runtime}, count::Ptr{Int32}, err::Ptr{baton_error})::Int32
baton_device_info_read(runtime, device, info, err) =
    @ccall gc_safe=true libbaton.baton_device_info_read(runtime::Ptr{baton_runtime}, device::Int32,
        info::Ptr{baton_device_info}, err::Ptr{baton_error})::Int32
baton_stats_read(runtime, stats, err) =
    @ccall libbaton.baton_stats_read(runtime::Ptr{baton_runtime}, stats::Ptr{baton_stats},
        err::Ptr{baton_error})::Int32
baton_drain(runtime, most, freed_bytes, err) =
    @ccall gc_safe=true libbaton.baton_drain(runtime::Ptr{baton_runtime}, most::UInt64, freed_bytes::Ptr{UInt64},
        err::Ptr{baton_error})::Int32
baton_trim(runtime, device, keep_bytes, err) =
    @ccall gc_safe=true libbaton.baton_trim(runtime::Ptr{baton_runtime}, device::Int32, keep_bytes::UInt64,
        err::Ptr{baton_error})::Int32
baton_set_memory_limit(runtime, device, bytes, err) =
    @ccall libbaton.baton_set_memory_limit(runtime::Ptr{baton_runtime}, device::Int32, bytes::UInt64,
        err::Ptr{baton_error})::Int32
baton_trace_start(runtime, capacity, err) =
    @ccall libbaton.baton_trace_start(runtime::Ptr{baton_runtime}, capacity::UInt32, err::Ptr{baton_error})::Int32
baton_trace_read(runtime, entries, capacity, count, err) =
    @ccall libbaton.baton_trace_read(runtime::Ptr{baton_runtime}, entries::Ptr{baton_trace_entry}, capacity::UInt32,
        count::Ptr{UInt32}, err::Ptr{baton_error})::Int32
baton_stream_create(runtime, device, flags, priority, stream, err) =
    @ccall gc_safe=true libbaton.baton_stream_create(runtime::Ptr{baton_runtime}, device::Int32, flags::UInt32,
        priority::Int32, stream::Ptr{Ptr{baton_stream}}, err::Ptr{baton_error})::Int32
baton_stream_wrap(runtime, device, native, stream, err) =
    @ccall gc_safe=true libbaton.baton_stream_wrap(runtime::Ptr{baton_runtime}, device::Int32, native::UInt64,
        stream::Ptr{Ptr{baton_stream}}, err::Ptr{baton_error})::Int32
baton_stream_adopt(runtime, device, native, stream, err) =
    @ccall gc_safe=true libbaton.baton_stream_adopt(runtime::Ptr{baton_runtime}, device::Int32, native::UInt64,
        stream::Ptr{Ptr{baton_stream}}, err::Ptr{baton_error})::Int32
baton_stream_keep(stream, deleter, user, err) =
    @ccall libbaton.baton_stream_keep(stream::Ptr{baton_stream}, deleter::baton_deleter, user::Ptr{Cvoid},
        err::Ptr{baton_error})::Int32
baton_stream_lent(stream, lent, err) =
    @ccall libbaton.baton_stream_lent(stream::Ptr{baton_stream}, lent::Ptr{Int32}, err::Ptr{baton_error})::Int32
baton_stream_retain(stream) =
    @ccall libbaton.baton_stream_retain(stream::Ptr{baton_stream})::Int32
baton_stream_release(stream) =
    @ccall libbaton.baton_stream_release(stream::Ptr{baton_stream})::Cvoid
baton_stream_native(stream, native, err) =
    @ccall libbaton.baton_stream_native(stream::Ptr{baton_stream}, native::Ptr{UInt64}, err::Ptr{baton_error})::Int32
baton_stream_id(stream, id, err) =
    @ccall libbaton.baton_stream_id(stream::Ptr{baton_stream}, id::Ptr{UInt64}, err::Ptr{baton_error})::Int32
baton_stream_device(stream, device, err) =
    @ccall libbaton.baton_stream_device(stream::Ptr{baton_stream}, device::Ptr{Int32}, err::Ptr{baton_error})::Int32
baton_stream_set_task(stream, tag, err) =
    @ccall libbaton.baton_stream_set_task(stream::Ptr{baton_stream}, tag::UInt64, err::Ptr{baton_error})::Int32
baton_stream_query(stream, err) =
    @ccall gc_safe=true libbaton.baton_stream_query(stream::Ptr{baton_stream}, err::Ptr{baton_error})::Int32
baton_stream_synchronize(stream, mode, err) =
    @ccall gc_safe=true libbaton.baton_stream_synchronize(stream::Ptr{baton_stream}, mode::Int32,
        err::Ptr{baton_error})::Int32
baton_stream_follow(after, before, err) =
    @ccall gc_safe=true libbaton.baton_stream_follow(after::Ptr{baton_stream}, before::Ptr{baton_stream},
        err::Ptr{baton_error})::Int32
baton_array_create(runtime, options, array, err) =
    @ccall gc_safe=true libbaton.baton_array_create(runtime::Ptr{baton_runtime}, options::Ptr{baton_array_options},
        array::Ptr{Ptr{baton_array}}, err::Ptr{baton_error})::Int32
baton_array_wrap(runtime, options, address, deleter, user, array, err) =
    @ccall gc_safe=true libbaton.baton_array_wrap(runtime::Ptr{baton_runtime}, options::Ptr{baton_array_options},
        address::UInt64, deleter::baton_deleter, user::Ptr{Cvoid}, array::Ptr{Ptr{baton_array}},
        err::Ptr{baton_error})::Int32
baton_array_view(array, options, view, err) =
    @ccall libbaton.baton_array_view(array::Ptr{baton_array}, options::Ptr{baton_view_options},
        view::Ptr{Ptr{baton_array}}, err::Ptr{baton_error})::Int32
baton_array_resize(array, elements, stream, err) =
    @ccall gc_safe=true libbaton.baton_array_resize(array::Ptr{baton_array}, elements::Int64,
        stream::Ptr{baton_stream}, err::Ptr{baton_error})::Int32
baton_array_retain(array) =
    @ccall libbaton.baton_array_retain(array::Ptr{baton_array})::Int32
baton_array_release(array) =
    @ccall libbaton.baton_array_release(array::Ptr{baton_array})::Cvoid
baton_array_release_n(arrays, count) =
    @ccall libbaton.baton_array_release_n(arrays::Ptr{Ptr{baton_array}}, count::UInt64)::Cvoid
baton_array_dispose(array, err) =
    @ccall gc_safe=true libbaton.baton_array_dispose(array::Ptr{baton_array}, err::Ptr{baton_error})::Int32
baton_array_info_read(array, info, err) =
    @ccall libbaton.baton_array_info_read(array::Ptr{baton_array}, info::Ptr{baton_array_info},
        err::Ptr{baton_error})::Int32
baton_array_synchronize(array, mode, err) =
    @ccall gc_safe=true libbaton.baton_array_synchronize(array::Ptr{baton_array}, mode::Int32,
        err::Ptr{baton_error})::Int32
baton_array_wait(array, stream, mode, err) =
    @ccall gc_safe=true libbaton.baton_array_wait(array::Ptr{baton_array}, stream::Ptr{baton_stream}, mode::Int32,
        err::Ptr{baton_error})::Int32
baton_array_query(array, err) =
    @ccall gc_safe=true libbaton.baton_array_query(array::Ptr{baton_array}, err::Ptr{baton_error})::Int32
baton_array_set_synchronizing(array, on, err) =
    @ccall libbaton.baton_array_set_synchronizing(array::Ptr{baton_array}, on::Int32, err::Ptr{baton_error})::Int32
baton_array_pointer(array, stream, access, address, err) =
    @ccall gc_safe=true libbaton.baton_array_pointer(array::Ptr{baton_array}, stream::Ptr{baton_stream},
        access::UInt32, address::Ptr{UInt64}, err::Ptr{baton_error})::Int32
baton_array_host_pointer(array, access, address, err) =
    @ccall gc_safe=true libbaton.baton_array_host_pointer(array::Ptr{baton_array}, access::UInt32,
        address::Ptr{Ptr{Cvoid}}, err::Ptr{baton_error})::Int32
baton_array_note_use(array, stream, access, err) =
    @ccall gc_safe=true libbaton.baton_array_note_use(array::Ptr{baton_array}, stream::Ptr{baton_stream},
        access::UInt32, err::Ptr{baton_error})::Int32
baton_copy(to, from, stream, err) =
    @ccall gc_safe=true libbaton.baton_copy(to::Ptr{baton_array}, from::Ptr{baton_array}, stream::Ptr{baton_stream},
        err::Ptr{baton_error})::Int32
baton_upload(to, host, bytes, stream, err) =
    @ccall gc_safe=true libbaton.baton_upload(to::Ptr{baton_array}, host::Ptr{Cvoid}, bytes::UInt64,
        stream::Ptr{baton_stream}, err::Ptr{baton_error})::Int32
baton_download(host, bytes, from, stream, err) =
    @ccall gc_safe=true libbaton.baton_download(host::Ptr{Cvoid}, bytes::UInt64, from::Ptr{baton_array},
        stream::Ptr{baton_stream}, err::Ptr{baton_error})::Int32
baton_download_async(host, bytes, from, stream, fence, err) =
    @ccall gc_safe=true libbaton.baton_download_async(host::Ptr{Cvoid}, bytes::UInt64, from::Ptr{baton_array},
        stream::Ptr{baton_stream}, fence::Ptr{Ptr{baton_fence}}, err::Ptr{baton_error})::Int32
baton_fill(array, value, bytes, stream, err) =
    @ccall gc_safe=true libbaton.baton_fill(array::Ptr{baton_array}, value::Ptr{Cvoid}, bytes::UInt64,
        stream::Ptr{baton_stream}, err::Ptr{baton_error})::Int32
baton_elementwise(function_, to, left, right, stream, err) =
    @ccall gc_safe=true libbaton.baton_elementwise(function_::Int32, to::Ptr{baton_array}, left::Ptr{baton_argument},
        right::Ptr{baton_argument}, stream::Ptr{baton_stream}, err::Ptr{baton_error})::Int32
baton_cast(to, from, stream, err) =
    @ccall gc_safe=true libbaton.baton_cast(to::Ptr{baton_array}, from::Ptr{baton_array}, stream::Ptr{baton_stream},
        err::Ptr{baton_error})::Int32
baton_range(to, start, step, bytes, stream, err) =
    @ccall gc_safe=true libbaton.baton_range(to::Ptr{baton_array}, start::Ptr{Cvoid}, step::Ptr{Cvoid},
        bytes::UInt64, stream::Ptr{baton_stream}, err::Ptr{baton_error})::Int32
baton_module_load(runtime, device, image, bytes, module_, err) =
    @ccall gc_safe=true libbaton.baton_module_load(runtime::Ptr{baton_runtime}, device::Int32, image::Ptr{Cvoid},
        bytes::UInt64, module_::Ptr{Ptr{baton_module}}, err::Ptr{baton_error})::Int32
baton_module_compile(runtime, device, source, options, module_, err) =
    @ccall gc_safe=true libbaton.baton_module_compile(runtime::Ptr{baton_runtime}, device::Int32, source::Cstring,
        options::Ptr{baton_compile_options}, module_::Ptr{Ptr{baton_module}}, err::Ptr{baton_error})::Int32
baton_module_retain(module_) =
    @ccall libbaton.baton_module_retain(module_::Ptr{baton_module})::Int32
baton_module_release(module_) =
    @ccall libbaton.baton_module_release(module_::Ptr{baton_module})::Cvoid
baton_module_kernel(module_, name, kernel, err) =
    @ccall gc_safe=true libbaton.baton_module_kernel(module_::Ptr{baton_module}, name::Cstring,
        kernel::Ptr{Ptr{baton_kernel}}, err::Ptr{baton_error})::Int32
baton_kernel_host(runtime, device, function_, name, parameters, count, kernel, err) =
    @ccall gc_safe=true libbaton.baton_kernel_host(runtime::Ptr{baton_runtime}, device::Int32,
        function_::baton_host_kernel, name::Cstring, parameters::Ptr{baton_host_parameter}, count::UInt32,
        kernel::Ptr{Ptr{baton_kernel}}, err::Ptr{baton_error})::Int32
baton_kernel_retain(kernel) =
    @ccall libbaton.baton_kernel_retain(kernel::Ptr{baton_kernel})::Int32
baton_kernel_release(kernel) =
    @ccall libbaton.baton_kernel_release(kernel::Ptr{baton_kernel})::Cvoid
baton_kernel_info_read(kernel, info, err) =
    @ccall gc_safe=true libbaton.baton_kernel_info_read(kernel::Ptr{baton_kernel}, info::Ptr{baton_kernel_info},
        err::Ptr{baton_error})::Int32
baton_kernel_occupancy(kernel, block_threads, shared_bytes, blocks, err) =
    @ccall gc_safe=true libbaton.baton_kernel_occupancy(kernel::Ptr{baton_kernel}, block_threads::UInt32,
        shared_bytes::UInt32, blocks::Ptr{UInt32}, err::Ptr{baton_error})::Int32
baton_kernel_block_size(kernel, shared_bytes, most_threads, block_threads, grid_blocks, err) =
    @ccall gc_safe=true libbaton.baton_kernel_block_size(kernel::Ptr{baton_kernel}, shared_bytes::UInt32,
        most_threads::UInt32, block_threads::Ptr{UInt32}, grid_blocks::Ptr{UInt32}, err::Ptr{baton_error})::Int32
baton_launch(kernel, options, arguments, count, err) =
    @ccall gc_safe=true libbaton.baton_launch(kernel::Ptr{baton_kernel}, options::Ptr{baton_launch_options},
        arguments::Ptr{baton_argument}, count::UInt32, err::Ptr{baton_error})::Int32
baton_scope_begin(stream, parent, operands, count, flags, scope, err) =
    @ccall gc_safe=true libbaton.baton_scope_begin(stream::Ptr{baton_stream}, parent::Ptr{baton_scope},
        operands::Ptr{baton_operand}, count::UInt64, flags::UInt32, scope::Ptr{Ptr{baton_scope}},
        err::Ptr{baton_error})::Int32
baton_scope_add(scope, operand, err) =
    @ccall gc_safe=true libbaton.baton_scope_add(scope::Ptr{baton_scope}, operand::Ptr{baton_operand},
        err::Ptr{baton_error})::Int32
baton_scope_pointer(scope, array, access, address, err) =
    @ccall gc_safe=true libbaton.baton_scope_pointer(scope::Ptr{baton_scope}, array::Ptr{baton_array},
        access::UInt32, address::Ptr{UInt64}, err::Ptr{baton_error})::Int32
baton_scope_end(scope, err) =
    @ccall gc_safe=true libbaton.baton_scope_end(scope::Ptr{baton_scope}, err::Ptr{baton_error})::Int32
baton_scope_abort(scope) =
    @ccall libbaton.baton_scope_abort(scope::Ptr{baton_scope})::Cvoid
baton_scope_release(scope) =
    @ccall libbaton.baton_scope_release(scope::Ptr{baton_scope})::Cvoid
baton_with_managed(stream, operands, count, function_, user, err) =
    @ccall gc_safe=true libbaton.baton_with_managed(stream::Ptr{baton_stream}, operands::Ptr{baton_operand},
        count::UInt64, function_::baton_managed_function, user::Ptr{Cvoid}, err::Ptr{baton_error})::Int32
baton_capture_begin(stream, mode, err) =
    @ccall gc_safe=true libbaton.baton_capture_begin(stream::Ptr{baton_stream}, mode::Int32,
        err::Ptr{baton_error})::Int32
baton_capture_end(stream, graph, err) =
    @ccall gc_safe=true libbaton.baton_capture_end(stream::Ptr{baton_stream}, graph::Ptr{Ptr{baton_graph}},
        err::Ptr{baton_error})::Int32
baton_capture_abandon(stream, err) =
    @ccall gc_safe=true libbaton.baton_capture_abandon(stream::Ptr{baton_stream}, err::Ptr{baton_error})::Int32
baton_capture_active(stream, active, err) =
    @ccall libbaton.baton_capture_active(stream::Ptr{baton_stream}, active::Ptr{Int32}, err::Ptr{baton_error})::Int32
baton_graph_retain(graph) =
    @ccall libbaton.baton_graph_retain(graph::Ptr{baton_graph})::Int32
baton_graph_release(graph) =
    @ccall libbaton.baton_graph_release(graph::Ptr{baton_graph})::Cvoid
baton_graph_info_read(graph, info, err) =
    @ccall libbaton.baton_graph_info_read(graph::Ptr{baton_graph}, info::Ptr{baton_graph_info},
        err::Ptr{baton_error})::Int32
baton_graph_dot(graph, text, bytes, needed, err) =
    @ccall libbaton.baton_graph_dot(graph::Ptr{baton_graph}, text::Cstring, bytes::UInt64, needed::Ptr{UInt64},
        err::Ptr{baton_error})::Int32
baton_graph_instantiate(graph, executable, err) =
    @ccall gc_safe=true libbaton.baton_graph_instantiate(graph::Ptr{baton_graph},
        executable::Ptr{Ptr{baton_executable}}, err::Ptr{baton_error})::Int32
baton_graph_update(executable, graph, err) =
    @ccall gc_safe=true libbaton.baton_graph_update(executable::Ptr{baton_executable}, graph::Ptr{baton_graph},
        err::Ptr{baton_error})::Int32
baton_graph_launch(executable, stream, err) =
    @ccall gc_safe=true libbaton.baton_graph_launch(executable::Ptr{baton_executable}, stream::Ptr{baton_stream},
        err::Ptr{baton_error})::Int32
baton_executable_retain(executable) =
    @ccall libbaton.baton_executable_retain(executable::Ptr{baton_executable})::Int32
baton_executable_release(executable) =
    @ccall libbaton.baton_executable_release(executable::Ptr{baton_executable})::Cvoid
baton_capture_run(stream, mode, function_, user, executable, outcome, reason, err) =
    @ccall gc_safe=true libbaton.baton_capture_run(stream::Ptr{baton_stream}, mode::Int32,
        function_::baton_captured_function, user::Ptr{Cvoid}, executable::Ptr{Ptr{baton_executable}},
        outcome::Ptr{Int32}, reason::Ptr{baton_error}, err::Ptr{baton_error})::Int32
baton_array_fence(array, fence, err) =
    @ccall gc_safe=true libbaton.baton_array_fence(array::Ptr{baton_array}, fence::Ptr{Ptr{baton_fence}},
        err::Ptr{baton_error})::Int32
baton_stream_fence(stream, fence, err) =
    @ccall gc_safe=true libbaton.baton_stream_fence(stream::Ptr{baton_stream}, fence::Ptr{Ptr{baton_fence}},
        err::Ptr{baton_error})::Int32
baton_fence_query(fence, err) =
    @ccall gc_safe=true libbaton.baton_fence_query(fence::Ptr{baton_fence}, err::Ptr{baton_error})::Int32
baton_fence_wait(fence, timeout_ns, mode, err) =
    @ccall gc_safe=true libbaton.baton_fence_wait(fence::Ptr{baton_fence}, timeout_ns::Int64, mode::Int32,
        err::Ptr{baton_error})::Int32
baton_fence_descriptor(fence, descriptor, err) =
    @ccall gc_safe=true libbaton.baton_fence_descriptor(fence::Ptr{baton_fence}, descriptor::Ptr{Int32},
        err::Ptr{baton_error})::Int32
baton_fence_retain(fence) =
    @ccall libbaton.baton_fence_retain(fence::Ptr{baton_fence})::Int32
baton_fence_release(fence) =
    @ccall libbaton.baton_fence_release(fence::Ptr{baton_fence})::Cvoid
baton_gate_create(stream, limit_ns, gate, err) =
    @ccall gc_safe=true libbaton.baton_gate_create(stream::Ptr{baton_stream}, limit_ns::UInt64,
        gate::Ptr{Ptr{baton_gate}}, err::Ptr{baton_error})::Int32
baton_gate_open(gate, err) =
    @ccall libbaton.baton_gate_open(gate::Ptr{baton_gate}, err::Ptr{baton_error})::Int32
baton_gate_release(gate) =
    @ccall libbaton.baton_gate_release(gate::Ptr{baton_gate})::Cvoid
baton_dlpack_export(array, stream, managed, err) =
    @ccall gc_safe=true libbaton.baton_dlpack_export(array::Ptr{baton_array}, stream::Ptr{baton_stream},
        managed::Ptr{Ptr{Cvoid}}, err::Ptr{baton_error})::Int32
baton_dlpack_export_with(array, options, managed, err) =
    @ccall gc_safe=true libbaton.baton_dlpack_export_with(array::Ptr{baton_array},
        options::Ptr{baton_dlpack_options}, managed::Ptr{Ptr{Cvoid}}, err::Ptr{baton_error})::Int32
baton_dlpack_device(array, type, id, err) =
    @ccall libbaton.baton_dlpack_device(array::Ptr{baton_array}, type::Ptr{Int32}, id::Ptr{Int32},
        err::Ptr{baton_error})::Int32
baton_dlpack_import(runtime, managed, stream, array, err) =
    @ccall gc_safe=true libbaton.baton_dlpack_import(runtime::Ptr{baton_runtime}, managed::Ptr{Cvoid},
        stream::Ptr{baton_stream}, array::Ptr{Ptr{baton_array}}, err::Ptr{baton_error})::Int32
baton_dlpack_import_legacy(runtime, managed, stream, array, err) =
    @ccall gc_safe=true libbaton.baton_dlpack_import_legacy(runtime::Ptr{baton_runtime}, managed::Ptr{Cvoid},
        stream::Ptr{baton_stream}, array::Ptr{Ptr{baton_array}}, err::Ptr{baton_error})::Int32
baton_arrow_export(array, device_array, schema, err) =
    @ccall gc_safe=true libbaton.baton_arrow_export(array::Ptr{baton_array}, device_array::Ptr{Cvoid},
        schema::Ptr{Cvoid}, err::Ptr{baton_error})::Int32
baton_arrow_import(runtime, device_array, schema, stream, array, err) =
    @ccall gc_safe=true libbaton.baton_arrow_import(runtime::Ptr{baton_runtime}, device_array::Ptr{Cvoid},
        schema::Ptr{Cvoid}, stream::Ptr{baton_stream}, array::Ptr{Ptr{baton_array}}, err::Ptr{baton_error})::Int32
baton_interface_export(array, info, err) =
    @ccall gc_safe=true libbaton.baton_interface_export(array::Ptr{baton_array}, info::Ptr{baton_interface_info},
        err::Ptr{baton_error})::Int32
baton_interface_import(runtime, info, deleter, user, array, err) =
    @ccall gc_safe=true libbaton.baton_interface_import(runtime::Ptr{baton_runtime}, info::Ptr{baton_interface_info},
        deleter::baton_deleter, user::Ptr{Cvoid}, array::Ptr{Ptr{baton_array}}, err::Ptr{baton_error})::Int32
