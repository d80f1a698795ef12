Base.show(io::IO, s::Stream) = s.handle == C_NULL ? print(io, "Baton.Stream(freed)") : print(io, "Baton.Stream(", id(s), ")")

# Only a display reads the elements, which waits; what logs and errors print does not.
function Base.show(io::IO, x::BatonArray{T,N}) where {T,N}
    print(io, "BatonArray{", T, ", ", N, "}(", x.handle == C_NULL ? "freed" : join(size(x), " × "), ")")
end

function Base.show(io::IO, ::MIME"text/plain", x::BatonArray)
    if x.handle == C_NULL || isempty(x) || capturing()
        return show(io, x)
    end
    print(io, Base.dims2string(size(x)), " ", typeof(x), ":\n")
    Base.print_array(IOContext(io, :typeinfo => eltype(x)), Array(x))
end
