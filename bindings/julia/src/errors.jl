"""
    BatonError

What the library says of a failed call: `status` (`"BATON_ERR_BOUNDS"`), `message`, `operation`, and `record`, the whole
`API.baton_error`. An error of work that was submitted earlier has `asynchronous` set.
"""
struct BatonError <: Exception
    status::String
    message::String
    operation::String
    asynchronous::Bool
    record::API.baton_error
end

# The text in a terminated array of characters.
text_of(bytes::NTuple{N,UInt8}) where {N} =
    String(UInt8[bytes[i] for i in 1:something(findfirst(==(0x00), bytes), N + 1)-1])

function BatonError(status::Integer, record::API.baton_error)
    name = unsafe_string(API.baton_status_name(status))
    operation = unsafe_string(API.baton_operation_name(record.operation))
    return BatonError(name, text_of(record.message), operation, record.origin == API.BATON_ORIGIN_ASYNC, record)
end

function Base.showerror(io::IO, e::BatonError)
    print(io, "BatonError: ", e.message, " (", e.status)
    e.record.operation == API.BATON_OP_NONE || print(io, " in ", e.operation)
    e.asynchronous && print(io, ", from work submitted earlier")
    print(io, ")")
end

"""
    status(call, also...)

`call(err)` is a call of the library; its status is returned when it is OK or among `also`, any other is thrown. While another
task holds an array, other tasks run and the call is made again; what this task holds itself, in `with_managed`, is refused.
"""
function status(call, also::Int32...)
    err = Ref(API.baton_error())
    while true
        code = call(err)
        (code == API.BATON_OK || code in also) && return code
        code == API.BATON_WOULD_BLOCK || throw(BatonError(code, err[]))
        holds(scope(), err[].memory_id) && throw(BatonError(API.BATON_ERR_WOULD_DEADLOCK, err[]))
        yield()
    end
end

# The same for calls with one output of type T, which is returned.
function output(call, ::Type{T}) where {T}
    value = Ref{T}()
    status(err -> call(value, err))
    return value[]
end
