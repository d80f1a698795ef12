# Arrays for CUDA.jl's calls: a CuPtr is what Ptr is elsewhere, and streams pass both ways.
module BatonCUDAExt

using Baton: Baton, BatonArray
using CUDA: CUDA, CuArray, CuPtr, CuStream

# The raw address in with_managed; else the call waits for other streams' work on the array.
Base.unsafe_convert(::Type{CuPtr{T}}, x::BatonArray{T}) where {T} = CuPtr{T}(UInt(Baton.address(x)))
Base.unsafe_convert(::Type{CuPtr{Cvoid}}, x::BatonArray) = CuPtr{Cvoid}(UInt(Baton.address(x)))

"A stream of CUDA.jl's, on the task's device there, as one of Baton's, so that both submit to the same. Keep `s` as long."
Baton.Stream(s::CuStream) = Baton.Stream(UInt64(UInt(s.handle)); device = CUDA.deviceid())

"""
    with_managed(f, CuArray, arrays)

As `with_managed`, on CUDA.jl's stream of this task; `f` gets `CuArray`s over the memory, good until it returns.
"""
function Baton.with_managed(f, ::Type{CuArray}, arrays)
    list = arrays isa Union{BatonArray,Pair} ? (arrays,) : arrays
    return Baton.with_managed(list; stream = Baton.Stream(CUDA.stream())) do pointers...    # the task keeps that stream
        f(map((p, x) -> wrap(p, Baton.array_of(x)), pointers, Tuple(list))...)
    end
end

wrap(address::Ptr, x::BatonArray{T}) where {T} = unsafe_wrap(CuArray, CuPtr{T}(UInt(address)), size(x))

end
