# adapt(BatonArray, x) puts the arrays in x on the device; adapt(Array, x) brings them back.
module BatonAdaptExt

using Adapt: Adapt
using Baton: Baton, BatonArray

Adapt.adapt_storage(::Type{BatonArray}, x::AbstractArray) = x isa BatonArray ? x : BatonArray(x)
Adapt.adapt_storage(::Type{BatonArray{T}}, x::AbstractArray) where {T} = x isa BatonArray{T} ? x : BatonArray{T}(x)
Adapt.adapt_storage(::Type{Array}, x::BatonArray) = Array(x)

end
