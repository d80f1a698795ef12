"""
GPU arrays that pass between tasks and streams in order, without stalling the host.

Every task has a stream of its own ([`Baton.stream`](@ref)); arrays are handed from task to task as they are, and the
device waits where it must. See README for a first program and for what waits on the host.
"""
module Baton

export BatonArray, BatonError

# The C library, call by call.
module API
using Preferences: @load_preference

const libbaton = @load_preference("library", "libbaton.so.0")

# A value of an isbits type, all bits zero.
function zeros_of(::Type{T}) where {T}
    value = Ref{T}()
    @ccall memset(value::Ptr{Cvoid}, 0::Cint, sizeof(T)::Csize_t)::Ptr{Cvoid}
    return value[]
end

include("api.jl")
end

include("errors.jl")
include("runtime.jl")
include("arrays.jl")
include("waiting.jl")
include("transfer.jl")
include("managed.jl")
include("graphs.jl")
include("kernels.jl")
include("broadcast.jl")
include("exchange.jl")
include("show.jl")

end
