"The array's elements on the host. Waits for what is outstanding on it; other tasks run meanwhile."
Base.Array(x::BatonArray{T,N}) where {T,N} = copyto!(Array{T,N}(undef, size(x)), x)
Base.collect(x::BatonArray) = Array(x)
Base.Array{T}(x::BatonArray) where {T} = convert(Array{T}, Array(x))

# Copies of the host copy whole arrays; where lengths differ, the first elements, as Base does.
function same_shape(to, from)
    size(to) == size(from) && return to, from
    length(from) <= length(to) || throw(BoundsError(to, length(from)))
    return view(vec(to), 1:length(from)), vec(from)
end

Base.vec(x::BatonArray) = reshape(x, (length(x),))

"""
    copyto!(to, from; stream = Baton.stream())

To a `BatonArray`: submits the copy and returns; `from` may be changed at once. To an `Array`: waits.
"""
function Base.copyto!(to::BatonArray{T}, from::Array{T}; stream::Stream = stream()) where {T}
    target, _ = same_shape(to, from)
    status(err -> API.baton_upload(target, from, sizeof(from), stream, err))
    return to
end

Base.copyto!(to::BatonArray{T}, from::AbstractArray; options...) where {T} =
    copyto!(to, convert(Array{T}, from isa Array ? from : collect(from)); options...)

function Base.copyto!(to::Array{T}, from::BatonArray{T}; stream::Stream = stream()) where {T}
    length(from) <= length(to) || throw(BoundsError(to, length(from)))
    capturing(stream) || wait(fence(from))
    status(err -> API.baton_download(to, length(from) * sizeof(T), from, stream, err))
    return to
end

Base.copyto!(to::Array, from::BatonArray; options...) = copyto!(to, Array(from))

function Base.copyto!(to::BatonArray{T}, from::BatonArray{T}; stream::Stream = stream()) where {T}
    target, source = same_shape(to, from)
    status(err -> API.baton_copy(target, source, stream, err))
    return to
end

# Between element types: a cast on the device; complex numbers have none.
function Base.copyto!(to::BatonArray, from::BatonArray; stream::Stream = stream())
    target, source = same_shape(to, from)
    status(err -> API.baton_cast(target, source, stream, err))
    return to
end

"Every element becomes `value`. Submits and returns."
function Base.fill!(x::BatonArray{T}, value; stream::Stream = stream()) where {T}
    one = Ref(convert(T, value))
    status(err -> API.baton_fill(x, one, sizeof(T), stream, err))
    return x
end

"`arange(T, n; start = 0, step = 1)`: `start`, `start + step`, … as a `BatonArray{T,1}`."
function arange(::Type{T}, n::Integer; start = zero(T), step = one(T), stream::Stream = stream()) where {T}
    x = BatonArray{T}(undef, n; stream)
    from, by = Ref(convert(T, start)), Ref(convert(T, step))
    status(err -> API.baton_range(x, from, by, sizeof(T), stream, err))
    return x
end
