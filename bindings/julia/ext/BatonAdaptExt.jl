# adapt(BatonArray, x) puts the arrays in x on the device, wrapped ones too; adapt(Array, x) brings them back.
module BatonAdaptExt

using Adapt: Adapt
using Baton: Baton, BatonArray

# What is plain bits (a range) is good on a device as it is.
to_device(::Type{B}, x::A) where {B<:BatonArray,A<:AbstractArray} = isbitstype(A) || x isa B ? x : B(x)

Adapt.adapt_storage(::Type{BatonArray}, x::AbstractArray) = to_device(BatonArray, x)
Adapt.adapt_storage(::Type{BatonArray{T}}, x::AbstractArray) where {T} = to_device(BatonArray{T}, x)
Adapt.adapt_storage(::Type{Array}, x::BatonArray) = Array(x)
Adapt.adapt_storage(::Type{Array{T}}, x::BatonArray) where {T} = Array{T}(x)

end
