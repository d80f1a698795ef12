"""
    to_dlpack(x; stream = nothing)

A `DLManagedTensorVersioned *` (DLPack 1.x) over the array's memory; its deleter, which may be called from any thread, gives
the reference back. `stream` is the consumer's, made to follow the array's work on the device; without one the call waits.
The dimensions are reversed: row-major, as consumers expect.
"""
to_dlpack(x::BatonArray; stream::Union{Nothing,Stream} = nothing) =
    output((to, err) -> API.baton_dlpack_export(x, something(stream, C_NULL), to, err), Ptr{Cvoid})

"""
    from_dlpack(tensor; stream = nothing)

Takes over a `DLManagedTensorVersioned *`, whose deleter the library calls after the last use; work on `stream` may still use
it. When this throws, the tensor is still the caller's.
"""
function from_dlpack(tensor::Ptr{Cvoid}; stream::Union{Nothing,Stream} = nothing)
    handle = output((to, err) -> API.baton_dlpack_import(runtime(), tensor, something(stream, C_NULL), to, err), Ptr{API.baton_array})
    return adopt(handle)
end

"`adopt(handle)`: a `BatonArray` over a `baton_array *` of C code, whose reference it takes over, also when this throws."
function adopt(handle::Ptr{API.baton_array})
    try
        record = Ref(API.baton_array_info())
        status(err -> API.baton_array_info_read(handle, record, err))
        known = record[]
        N = Int(known.ndim)
        return BatonArray{element_types[known.dtype],N}(handle, ntuple(i -> Int(known.shape[N+1-i]), N))
    catch
        API.baton_array_release(handle)
        rethrow()
    end
end

# For baton_julia.h: addresses are passed as integers, so that C needs no Julia types.
function adopt_retained(address::UInt)
    handle = Ptr{API.baton_array}(address)
    API.baton_array_retain(handle)
    return adopt(handle)
end

array_handle(x) = x isa BatonArray ? UInt(x.handle) : UInt(0)
stream_handle(x) = x isa Stream ? UInt(x.handle) : UInt(0)
