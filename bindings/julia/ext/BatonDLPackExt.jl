# DLPack.share(x) for consumers that DLPack.jl knows (PyCall, PythonCall): it waits for the array's work, since that
# protocol names no stream. DLPack.jl keeps the array alive for the consumer.
module BatonDLPackExt

using Baton: Baton, BatonArray
using DLPack: DLPack

function DLPack.dldevice(x::BatonArray)
    type, number = Ref{Int32}(0), Ref{Int32}(0)
    Baton.status(err -> Baton.API.baton_dlpack_device(x, type, number, err))
    return DLPack.DLDevice(DLPack.DLDeviceType(type[]), number[])
end

function DLPack.share(x::BatonArray)
    Baton.synchronize(x)
    return DLPack.unsafe_share(x)
end

end
