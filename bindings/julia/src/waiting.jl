using FileWatching: poll_fd

"A moment in the work of an array or a stream, which can be asked and waited for."
mutable struct Fence
    handle::Ptr{API.baton_fence}
    Fence(handle::Ptr{API.baton_fence}) = finalizer(release!, new(handle))
end

function release!(f::Fence)
    API.baton_fence_release(f.handle)
    f.handle = C_NULL
    return nothing
end

Base.unsafe_convert(::Type{Ptr{API.baton_fence}}, f::Fence) = f.handle

"`fence(x)`, `fence(stream)`: all work that is outstanding now. Wait for it with `wait`, or ask with `isready`."
fence(x::BatonArray) = Fence(output((to, err) -> API.baton_array_fence(x, to, err), Ptr{API.baton_fence}))
fence(s::Stream) = Fence(output((to, err) -> API.baton_stream_fence(s, to, err), Ptr{API.baton_fence}))

"Whether all that the fence stands for has finished. Never waits."
Base.isready(f::Fence) = status(err -> API.baton_fence_query(f, err), API.BATON_NOT_READY) == API.BATON_OK

const looks_before_sleep = 16

"""
    wait(fence)

Other tasks run meanwhile: a few looks with a `yield` in between, then a wait for the fence's descriptor. No thread of
Julia's is blocked.
"""
function Base.wait(f::Fence)
    for _ in 1:looks_before_sleep
        isready(f) && return nothing
        yield()
    end
    descriptor = output((to, err) -> API.baton_fence_descriptor(f, to, err), Int32)
    GC.@preserve f poll_fd(RawFD(descriptor); readable = true)
    status(err -> API.baton_fence_wait(f, API.BATON_UNLIMITED, API.BATON_WAIT_AUTO, err))
    return nothing
end

"""
    synchronize(x::BatonArray)
    synchronize(stream = Baton.stream())

Waits until every tracked use of the array, or everything submitted to the stream so far, has finished, and throws what
failed there. Other tasks run meanwhile.
"""
function synchronize(x::BatonArray)
    wait(fence(x))
    status(err -> API.baton_array_synchronize(x, API.BATON_WAIT_AUTO, err))
    return nothing
end

function synchronize(s::Stream = stream())
    wait(fence(s))
    status(err -> API.baton_stream_synchronize(s, API.BATON_WAIT_AUTO, err))
    return nothing
end

"Whether nothing is outstanding on the array. Never waits."
Base.isready(x::BatonArray) = status(err -> API.baton_array_query(x, err), API.BATON_NOT_READY) == API.BATON_OK
