using Base.Broadcast: ArrayStyle, Broadcasted

# + - * / of arrays and numbers, nested as one likes: each is a launch of the library's own kernel, in the element type that
# Julia's promotion gives, for Float32, Float64, Int32 and Int64. Other functions need a kernel.

Base.BroadcastStyle(::Type{<:BatonArray}) = ArrayStyle{BatonArray}()

const Arithmetic = Union{Float32,Float64,Int32,Int64}
const functions = Dict{Any,Int32}(
    (+) => API.BATON_ADD, (-) => API.BATON_SUBTRACT, (*) => API.BATON_MULTIPLY, (/) => API.BATON_DIVIDE)

function Base.copy(b::Broadcasted{ArrayStyle{BatonArray}})
    T = Broadcast.combine_eltypes(b.f, b.args)
    T <: Arithmetic || throw(ArgumentError("$(b.f) of these arrays has elements of type $T, for which Baton has no kernel"))
    return copyto!(BatonArray{T}(undef, length.(axes(b))), b)
end

function Base.copyto!(to::BatonArray{T}, b::Broadcasted{ArrayStyle{BatonArray}}) where {T}
    b.f === identity && return assign!(to, value_of(only(b.args), T))
    # In the type that the function gives, and only then in that of `to`.
    Broadcast.combine_eltypes(b.f, b.args) === T || return copyto!(to, copy(b))
    return elementwise!(b.f, to, values_of(b.args, T)...)
end

assign!(to::BatonArray, number::Number) = fill!(to, number)
assign!(to::BatonArray, from::BatonArray) = size(to) == size(from) ? copyto!(to, from) : elementwise!(+, to, from)

Base.copyto!(to::BatonArray, b::Broadcasted{<:Broadcast.AbstractArrayStyle{0}}) = fill!(to, b[])

# What a function of one or two arguments is applied to, from left to right: a + b + c is (a + b) + c.
values_of(args, ::Type{T}) where {T} = map(arg -> value_of(arg, T), args)
value_of(number::Number, ::Type{T}) where {T} = convert(T, number)
value_of(one::Ref, ::Type{T}) where {T} = convert(T, one[])
value_of(x::BatonArray{T}, ::Type{T}) where {T} = x
value_of(x::BatonArray, ::Type{T}) where {T} = copyto!(BatonArray{T}(undef, size(x)), x)
value_of(x::AbstractArray, ::Type{T}) where {T} = BatonArray{T}(x)
value_of(b::Broadcasted, ::Type{T}) where {T} = value_of(Broadcast.materialize(b), T)

"`elementwise!(f, to, left, right)`: `to .= f.(left, right)` for `f` among + - * /; arrays are stretched as in broadcasting."
function elementwise!(f, to::BatonArray{T}, left, right; stream::Stream = stream()) where {T<:Arithmetic}
    haskey(functions, f) || throw(ArgumentError("Baton has kernels for + - * / only, not for $f"))
    left isa BatonArray || right isa BatonArray || return fill!(to, f(left, right); stream)
    (kept_left, a), (kept_right, b) = only_read(left, to), only_read(right, to)
    GC.@preserve kept_left kept_right begin
        status(err -> API.baton_elementwise(functions[f], to, Ref(a), Ref(b), stream, err))
    end
    return to
end

# One argument: times one or minus one, which is exact, also for -0.0.
elementwise!(f::Union{typeof(+),typeof(-),typeof(*)}, to::BatonArray{T}, value; options...) where {T<:Arithmetic} =
    elementwise!(*, to, value, f === (-) ? -one(T) : one(T); options...)

# More than two: through an array of its own, since `to` may be among them.
function elementwise!(f, to::BatonArray{T}, left, right, more...; options...) where {T<:Arithmetic}
    between = elementwise!(f, similar(to), left, right; options...)
    return elementwise!(f, to, between, more...; options...)
end

# Julia lines dimensions up at the first, the library, which sees them reversed, at its last: the same, once missing
# dimensions at Julia's end are the library's missing ones in front.
only_read(x::BatonArray, ::BatonArray) = argument(x => :read)
only_read(number, ::BatonArray{T}) where {T} = argument(convert(T, number))
