using Preferences: @load_preference, @set_preferences!

# One runtime per process, opened when it is first needed: never while the package is precompiled.
const runtime_lock = ReentrantLock()
const runtime_pointer = Ref{Ptr{API.baton_runtime}}(C_NULL)

driver_name() = get(ENV, "BATON_DRIVER", @load_preference("driver", "auto"))

function open_runtime()
    opened = Ref{Ptr{API.baton_runtime}}(C_NULL)
    driver = driver_name()
    GC.@preserve driver begin
        # No call waits for an array: whoever holds it may need this thread to go on.
        options = Ref(API.baton_runtime_options(flags = API.BATON_RUNTIME_TRY, driver = Cstring(pointer(driver))))
        status(err -> API.baton_runtime_open(options, opened, err))
    end
    atexit(close_runtime)
    return opened[]
end

# Arrays that are still alive stay valid; their finalizers only release.
function close_runtime()
    closing = @lock runtime_lock begin
        pointer = runtime_pointer[]
        runtime_pointer[] = C_NULL
        pointer
    end
    closing == C_NULL || API.baton_runtime_close(closing, C_NULL)
    return nothing
end

"The runtime of this process. The first call opens it (blocks): the driver is the preference `driver`, or `BATON_DRIVER`."
runtime() = @lock runtime_lock begin
    runtime_pointer[] == C_NULL && (runtime_pointer[] = open_runtime())
    runtime_pointer[]
end

"`library!(path)`: from the next start of Julia on, the library at this path is used."
library!(path::AbstractString) = @set_preferences!("library" => String(path))

"`driver!(name)`: from the next start of Julia on, `\"auto\"`, `\"cuda\"`, `\"soft\"` or `\"soft:N\"` is used."
driver!(name::AbstractString) = @set_preferences!("driver" => String(name))

"""
    Stream(; device = 0, priority = 0)

A queue of the device. Its operations run in order; it is given back by the collector or `finalize`, which never block.
"""
mutable struct Stream
    handle::Ptr{API.baton_stream}
    Stream(handle::Ptr{API.baton_stream}) = finalizer(release!, new(handle))
end

function release!(s::Stream)
    API.baton_stream_release(s.handle)
    s.handle = C_NULL
    return nothing
end

Stream(; device::Integer = 0, priority::Integer = 0) =
    Stream(output((to, err) -> API.baton_stream_create(runtime(), device, 0, priority, to, err), Ptr{API.baton_stream}))

"`Stream(native; device = 0)`: the stream that other code names by its number (a `CUstream`; 0 and 1: the legacy stream)."
Stream(native::Integer; device::Integer = 0) =
    Stream(output((to, err) -> API.baton_stream_adopt(runtime(), device, native, to, err), Ptr{API.baton_stream}))

Base.unsafe_convert(::Type{Ptr{API.baton_stream}}, s::Stream) = s.handle

"The stream's number for foreign code. From now on it may hold work that Baton did not submit."
native(s::Stream) = output((to, err) -> API.baton_stream_native(s, to, err), UInt64)

"The ordinal of the stream's device."
device(s::Stream) = Int(output((to, err) -> API.baton_stream_device(s, to, err), Int32))

"A number of the stream's own, unique in the process."
id(s::Stream) = output((to, err) -> API.baton_stream_id(s, to, err), UInt64)

"""
    stream()

The stream of the running task; made at the first call. It goes with the task from thread to thread; the thread counts for
nothing.
"""
stream() = get!(task_stream, task_local_storage(), :baton_stream)::Stream

function task_stream()
    made = Stream()
    status(err -> API.baton_stream_set_task(made, objectid(current_task()), err))
    return made
end

"`stream(f, s)`: calls `f()` with `s` as the task's stream."
stream(f, s::Stream) = task_local_storage(f, :baton_stream, s)

"`follow!(after, before)`: what is submitted to `after` from now on runs behind the work already on `before`."
function follow!(after::Stream, before::Stream)
    status(err -> API.baton_stream_follow(after, before, err))
    return after
end

"Counts since the runtime was opened: an `API.baton_stats`."
function stats()
    counts = Ref(API.baton_stats())
    status(err -> API.baton_stats_read(runtime(), counts, err))
    return counts[]
end

"How many times the host has waited for the device, by any cause."
host_waits() = Int(sum(stats().host_waits))

"`\"cuda\"` or `\"soft\"`."
function driver()
    info = Ref(API.baton_runtime_info())
    status(err -> API.baton_runtime_info_read(runtime(), info, err))
    return text_of(info[].driver)
end
