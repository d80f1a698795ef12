const Element = Union{Bool,Int8,Int16,Int32,Int64,UInt8,UInt16,UInt32,UInt64,Float16,Core.BFloat16,Float32,Float64,
    ComplexF32,ComplexF64}

const dtypes = Dict{DataType,Int32}(
    Bool => API.BATON_BOOL, Int8 => API.BATON_I8, Int16 => API.BATON_I16, Int32 => API.BATON_I32,
    Int64 => API.BATON_I64, UInt8 => API.BATON_U8, UInt16 => API.BATON_U16, UInt32 => API.BATON_U32,
    UInt64 => API.BATON_U64, Float16 => API.BATON_F16, Core.BFloat16 => API.BATON_BF16, Float32 => API.BATON_F32,
    Float64 => API.BATON_F64, ComplexF32 => API.BATON_C64, ComplexF64 => API.BATON_C128)
const element_types = Dict(number => T for (T, number) in dtypes)
const kinds = (device = API.BATON_DEVICE, host = API.BATON_HOST, unified = API.BATON_UNIFIED)

"""
    BatonArray{T}(undef, dims...; kind = :device, stream = Baton.stream())
    BatonArray(host_array)

An array in the memory of a device (`kind` `:host` is pinned memory, `:unified` memory of both). Column-major, as Julia's
own: the library sees the dimensions in reverse. The collector gives memory back in stream order, without waiting;
`Baton.unsafe_free!` does so at once.

It is an `AbstractArray`, and no `AbstractGPUArray`: what that stands for is dense (a view is a `BatonArray` with any strides),
and run by GPUArrays.jl's own kernels, for which there is no back end here. An extension could not change that: a type's
supertype is fixed where the type is defined. Code for either is written for `AbstractArray`, or by way of Adapt.
"""
mutable struct BatonArray{T<:Element,N} <: AbstractArray{T,N}
    handle::Ptr{API.baton_array}
    dims::NTuple{N,Int}
    # Takes over one reference.
    BatonArray{T,N}(handle::Ptr{API.baton_array}, dims::NTuple{N,Int}) where {T,N} = finalizer(release!, new{T,N}(handle, dims))
end

# All that a finalizer does: this never blocks, never enters the driver, and runs on any thread in any state.
function release!(x::BatonArray)
    API.baton_array_release(x.handle)
    x.handle = C_NULL
    return nothing
end

BatonArray{T}(::UndefInitializer, dims::NTuple{N,Integer}; options...) where {T,N} = BatonArray{T,N}(undef, dims; options...)
BatonArray{T}(::UndefInitializer, dims::Integer...; options...) where {T} = BatonArray{T}(undef, dims; options...)
BatonArray{T,N}(::UndefInitializer, dims::Integer...; options...) where {T,N} = BatonArray{T,N}(undef, dims; options...)

function BatonArray{T,N}(::UndefInitializer, dims::NTuple{N,Integer}; kind::Symbol = :device, stream::Stream = stream()) where {T,N}
    shape = Int64[reverse(dims)...]
    return BatonArray{T,N}(create(dtypes[T], shape, kinds[kind], stream), Int.(dims))
end

const patience = 10.0       # seconds, for memory that is on its way back

# When memory is short, the library asks for a collection: first of young garbage, then of all.
function create(dtype, shape, kind, stream)
    made = Ref{Ptr{API.baton_array}}(C_NULL)
    level, frees, start = Int32(0), typemax(UInt64), time()
    while true
        err = Ref(API.baton_error())
        code = GC.@preserve shape stream begin
            options = Ref(API.baton_array_options(flags = API.BATON_ALLOC_NO_HOOK, device = device(stream), kind = kind,
                dtype = dtype, ndim = length(shape), shape = pointer(shape), stream = stream.handle, level = level))
            API.baton_array_create(runtime(), options, made, err)
        end
        code == API.BATON_OK && return made[]
        if code == API.BATON_OOM_RETRY
            level, frees = err[].level, stats().frees
            GC.gc(level > 1)
        elseif code == API.BATON_ERR_OOM && time() < start + patience && on_its_way(err[], frees, stream)
            level = Int32(0)
            yield()
        else
            throw(BatonError(code, err[]))
        end
    end
end

# Whether others may give memory back yet: a task whose capture keeps what was released, a thread that still runs finalizers.
function on_its_way(record, frees, stream)
    record.operation == API.BATON_OP_CAPTURE && return !capturing(stream)
    now = stats()
    return now.deferred_bytes > 0 || now.frees != frees
end

BatonArray(from::AbstractArray{T,N}) where {T,N} = copyto!(BatonArray{T,N}(undef, size(from)), from)
BatonArray{T}(from::AbstractArray{S,N}) where {T,S,N} = copyto!(BatonArray{T,N}(undef, size(from)), from)

Base.size(x::BatonArray) = x.dims
Base.similar(::BatonArray, ::Type{T}, dims::Dims{N}) where {T<:Element,N} = BatonArray{T,N}(undef, dims)
Base.similar(::Type{<:BatonArray{T}}, dims::Dims{N}) where {T,N} = BatonArray{T,N}(undef, dims)
Base.copy(x::BatonArray) = copyto!(similar(x), x)
Base.elsize(::Type{<:BatonArray{T}}) where {T} = sizeof(T)

# As an argument of the library: no wait, no change of owner. The array is rooted by the call.
Base.unsafe_convert(::Type{Ptr{API.baton_array}}, x::BatonArray) = x.handle

"What the library knows of the array: an `API.baton_array_info`. Shape and strides are row-major: reversed."
function info(x::BatonArray)
    record = Ref(API.baton_array_info())
    status(err -> API.baton_array_info_read(x, record, err))
    return record[]
end

Base.strides(x::BatonArray{T,N}) where {T,N} = (known = info(x); ntuple(i -> Int(known.strides[N+1-i]), N))

"""
    unsafe_free!(x)

Gives the array's reference back now; an array that owns its memory gives the memory back too, in stream order, though
views of it remain (they fail from then on). Never waits. `x` cannot be used afterwards.
"""
function unsafe_free!(x::BatonArray)
    x.handle == C_NULL && return nothing
    if info(x).flags & API.BATON_ARRAY_VIEW == 0
        status(err -> API.baton_array_dispose(x, err), API.BATON_NOT_READY)
    end
    finalize(x)
    return nothing
end

# ---- views: over the same memory, ordered with it

function view_of(x::BatonArray, ::Type{T}, dims::Dims{N}, options, kept...) where {T,N}
    handle = GC.@preserve kept output((to, err) -> API.baton_array_view(x, options, to, err), Ptr{API.baton_array})
    return BatonArray{T,N}(handle, dims)
end

function Base.reshape(x::BatonArray{T}, dims::Dims) where {T}
    prod(dims) == length(x) || throw(DimensionMismatch("$dims do not have $(length(x)) elements"))
    shape = Int64[reverse(dims)...]
    options = GC.@preserve shape Ref(API.baton_view_options(shape = pointer(shape), shape_ndim = length(dims)))
    return view_of(x, T, dims, options, shape)
end

function Base.permutedims(x::BatonArray{T,N}, order) where {T,N}
    isperm(order) && length(order) == N || throw(ArgumentError("$order is no permutation of 1:$N"))
    permutation = Int32[N - order[N+1-i] for i in 1:N]
    options = Ref(API.baton_view_options(ndim = N, permutation = pointer(permutation)))
    turned = view_of(x, T, ntuple(i -> size(x, order[i]), N), options, permutation)
    return copy(turned)
end

Base.view(x::BatonArray{T,N}, indices::Vararg{Union{Colon,Integer,OrdinalRange{<:Integer,<:Integer}},N}) where {T,N} =
    sliced(x, map((i, axis) -> i isa Colon ? axis : i, indices, axes(x)))

function sliced(x::BatonArray{T,N}, indices) where {T,N}
    checkbounds(x, indices...)
    back = reverse(indices)
    start = Int64[isempty(i) ? 0 : first(i) - 1 for i in back]
    count = Int64[length(i) for i in back]
    steps = Int64[i isa Integer ? 1 : step(i) for i in back]
    dims = Tuple(Int[length(i) for i in indices if !(i isa Integer)])
    shape = Int64[reverse(dims)...]
    GC.@preserve start count steps shape begin
        cut = Ref(API.baton_view_options(ndim = N, start = pointer(start), count = pointer(count), step = pointer(steps)))
        whole = view_of(x, T, length.(indices), cut)
        length(dims) == N && return whole
        dropped = Ref(API.baton_view_options(shape = pointer(shape), shape_ndim = length(dims)))
        return view_of(whole, T, dims, dropped)
    end
end

Base.getindex(x::BatonArray{T,N}, indices::Vararg{Union{Colon,Integer,OrdinalRange{<:Integer,<:Integer}},N}) where {T,N} =
    copy(view(x, indices...))

# ---- single elements: each is a transfer, and is for a look, not for a loop

# Called with the name of what is about to touch one element; an extension replaces it.
const scalar_check = Ref{Any}(nothing)
about_to_touch(name::Symbol) = scalar_check[] === nothing ? nothing : scalar_check[](name)

function Base.getindex(x::BatonArray{T,N}, indices::Vararg{Integer,N}) where {T,N}
    about_to_touch(:getindex)
    return only(Array(view(x, map(i -> i:i, indices)...)))
end

function Base.setindex!(x::BatonArray{T,N}, value, indices::Vararg{Integer,N}) where {T,N}
    about_to_touch(:setindex!)
    fill!(view(x, map(i -> i:i, indices)...), value)
    return x
end
