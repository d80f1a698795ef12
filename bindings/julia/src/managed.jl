const accesses = (read = API.BATON_READ, write = API.BATON_WRITE, read_write = API.BATON_READ_WRITE)

# A scope that is open in this task, and how it and those around it hold which arrays.
struct Scope
    handle::Ptr{API.baton_scope}
    stream::Stream
    held::Dict{Ptr{API.baton_array},Symbol}
    memories::Vector{UInt64}
end

holds(::Nothing, memory) = false
holds(s::Scope, memory) = memory in s.memories

# The innermost scope of the running task, or nothing.
scope() = get(task_local_storage(), :baton_scope, nothing)::Union{Nothing,Scope}

operand(x::BatonArray) = operand(x => :read_write)
operand((x, access)::Pair{<:BatonArray,Symbol}) = API.baton_operand(array = x.handle, access = accesses[access])
access_of(::BatonArray) = :read_write
access_of((_, access)::Pair{<:BatonArray,Symbol}) = access
array_of(x::BatonArray) = x
array_of((x, _)::Pair{<:BatonArray}) = x
typed(::BatonArray{T}, address) where {T} = Ptr{T}(address % UInt)

"""
    with_managed(f, arrays; stream = Baton.stream())

Calls `f(pointers...)` with the device addresses of the arrays, while their memory is this task's, ordered behind all
earlier uses on the device: nothing waits on the host. `f` submits work to `stream` with code of its own and returns; what
comes later is ordered behind that work. An array is used for reading and writing, or as said: `x => :read`.

The memory is given back when `f` returns and when it throws. In `f`, a call of foreign code that takes a `Ptr` gets the raw
address of such an array; `f` should not wait for other tasks that want the same arrays. A nested call names its parent by
itself. Kernels of `launch` may use the arrays too; Baton's other operations on them are refused until `f` has returned. When
another task holds one of the arrays, other tasks run until it is free.
"""
function with_managed(f, arrays; stream::Stream = stream())
    list = arrays isa Union{BatonArray,Pair} ? (arrays,) : arrays
    operands = API.baton_operand[operand(entry) for entry in list]
    parent = scope()
    opened = GC.@preserve list begin_scope(operands, stream, parent)
    try
        here = inside(parent, opened, stream, list)
        pointers = [typed(array_of(entry), operands[i].address) for (i, entry) in enumerate(list)]
        result = task_local_storage(() -> f(pointers...), :baton_scope, here)
        status(err -> API.baton_scope_end(opened, err))
        return result
    finally
        API.baton_scope_release(opened)     # aborts one that is still open
    end
end

function begin_scope(operands, stream, parent)
    above = parent === nothing ? Ptr{API.baton_scope}(C_NULL) : parent.handle
    return output(Ptr{API.baton_scope}) do to, err
        API.baton_scope_begin(stream, above, operands, length(operands), API.BATON_SCOPE_TRY, to, err)
    end
end

# What is held in there: the arrays of the list, and what those around it hold.
function inside(parent, opened, stream, list)
    held = parent === nothing ? Dict{Ptr{API.baton_array},Symbol}() : copy(parent.held)
    memories = parent === nothing ? UInt64[] : copy(parent.memories)
    for entry in list
        held[array_of(entry).handle] = access_of(entry)
        push!(memories, info(array_of(entry)).memory_id)
    end
    return Scope(opened, stream, held, memories)
end

"""
    address(x; access, stream = Baton.stream())

The device address for code that Baton does not submit. In `with_managed` the raw address of an array that it holds, without
a wait; else the call waits until other streams' work on the array has finished. `access` is as the array is held, or
`:read_write`. Keep `x` alive while the address is used.
"""
function address(x::BatonArray; access::Union{Nothing,Symbol} = nothing, stream::Stream = stream())
    here = scope()
    if here !== nothing
        held = accesses[something(access, get(here.held, x.handle, :read_write))]
        return output((to, err) -> API.baton_scope_pointer(here.handle, x, held, to, err), UInt64)
    end
    isready(x) || capturing(stream) || wait(fence(x))
    wanted = accesses[something(access, :read_write)]
    return output((to, err) -> API.baton_array_pointer(x, stream, wanted, to, err), UInt64)
end

Base.unsafe_convert(::Type{Ptr{T}}, x::BatonArray{T}) where {T<:Element} = Ptr{T}(address(x) % UInt)
Base.unsafe_convert(::Type{Ptr{Cvoid}}, x::BatonArray) = Ptr{Cvoid}(address(x) % UInt)
Base.pointer(x::BatonArray{T}) where {T} = Ptr{T}(address(x) % UInt)

"`note_use!(x; access, stream)`: foreign work that was submitted to the stream before this call uses the array."
function note_use!(x::BatonArray; access::Symbol = :read_write, stream::Stream = stream())
    status(err -> API.baton_array_note_use(x, stream, accesses[access], err))
    return x
end
