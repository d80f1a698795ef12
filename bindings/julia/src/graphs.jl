"What was captured; it keeps its arrays and kernels."
mutable struct Graph
    handle::Ptr{API.baton_graph}
    Graph(handle::Ptr{API.baton_graph}) = finalizer(release!, new(handle))
end

"A graph that can be launched."
mutable struct Executable
    handle::Ptr{API.baton_executable}
    Executable(handle::Ptr{API.baton_executable}) = finalizer(release!, new(handle))
end

function release!(g::Graph)
    API.baton_graph_release(g.handle)
    g.handle = C_NULL
    return nothing
end

function release!(e::Executable)
    API.baton_executable_release(e.handle)
    e.handle = C_NULL
    return nothing
end

Base.unsafe_convert(::Type{Ptr{API.baton_graph}}, g::Graph) = g.handle
Base.unsafe_convert(::Type{Ptr{API.baton_executable}}, e::Executable) = e.handle

"Whether the stream takes part in a capture."
capturing(s::Stream = stream()) = output((to, err) -> API.baton_capture_active(s, to, err), Int32) == 1

"""
    capture(f; stream = Baton.stream())

Records what `f()` submits to the stream, instead of running it, and returns the `Graph`. Other tasks may go on using the
same arrays; this task is refused waits for work that it has only captured. When `f` throws, the capture is dropped. The task
may change threads meanwhile.
"""
function capture(f; stream::Stream = stream())
    status(err -> API.baton_stream_set_task(stream, objectid(current_task()), err))
    status(err -> API.baton_capture_begin(stream, API.BATON_CAPTURE_RELAXED, err))
    try
        Baton.stream(f, stream)
    catch
        API.baton_capture_abandon(stream, C_NULL)
        rethrow()
    end
    return Graph(output((to, err) -> API.baton_capture_end(stream, to, err), Ptr{API.baton_graph}))
end

"An `Executable` of the graph. Waits for the driver."
instantiate(g::Graph) = Executable(output((to, err) -> API.baton_graph_instantiate(g, to, err), Ptr{API.baton_executable}))

"`update!(executable, graph)`: the graph takes the place of the executable's; an error when their shapes differ."
function update!(e::Executable, g::Graph)
    status(err -> API.baton_graph_update(e, g, err))
    return e
end

"`launch(executable; stream)`: an operation like any other, ordered with all uses of the graph's arrays."
function launch(e::Executable; stream::Stream = stream())
    status(err -> API.baton_graph_launch(e, stream, err))
    return nothing
end
