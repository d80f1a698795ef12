"Code on a device."
mutable struct KernelModule
    handle::Ptr{API.baton_module}
    KernelModule(handle::Ptr{API.baton_module}) = finalizer(release!, new(handle))
end

"A function of a module; keeps the module."
mutable struct Kernel
    handle::Ptr{API.baton_kernel}
    Kernel(handle::Ptr{API.baton_kernel}) = finalizer(release!, new(handle))
end

function release!(m::KernelModule)
    API.baton_module_release(m.handle)
    m.handle = C_NULL
    return nothing
end

function release!(k::Kernel)
    API.baton_kernel_release(k.handle)
    k.handle = C_NULL
    return nothing
end

Base.unsafe_convert(::Type{Ptr{API.baton_module}}, m::KernelModule) = m.handle
Base.unsafe_convert(::Type{Ptr{API.baton_kernel}}, k::Kernel) = k.handle

"`load(image; device = 0)`: PTX (a `String`), cubin or fatbin (bytes). Waits for the driver."
function load(image::Union{String,Vector{UInt8}}; device::Integer = 0)
    bytes = image isa String ? sizeof(image) + 1 : length(image)     # text goes with its terminator
    return GC.@preserve image begin
        KernelModule(output((to, err) -> API.baton_module_load(runtime(), device, pointer(image), bytes, to, err), Ptr{API.baton_module}))
    end
end

"`compile(source; device = 0)`: CUDA C++, through NVRTC and its cache. The error's message is the compiler's first."
compile(source::AbstractString; device::Integer = 0) =
    KernelModule(output((to, err) -> API.baton_module_compile(runtime(), device, source, C_NULL, to, err), Ptr{API.baton_module}))

"`kernel(module, name)`: the function of that name in the image."
kernel(m::KernelModule, name::AbstractString) =
    Kernel(output((to, err) -> API.baton_module_kernel(m, name, to, err), Ptr{API.baton_kernel}))

# (keeper, argument): the argument points into the keeper.
argument(x::BatonArray) = argument(x => :read_write)
argument((x, access)::Pair{<:BatonArray,Symbol}) = x, API.baton_argument(array = x.handle, access = accesses[access])
function argument(value::T) where {T}
    isbitstype(T) || throw(ArgumentError("a kernel argument is a BatonArray or a value of plain bits, not a $T"))
    kept = Ref(value)
    return kept, API.baton_argument(data = Base.unsafe_convert(Ptr{Cvoid}, kept), bytes = sizeof(T))
end

dimensions(d) = (all = (d..., 0, 0); (UInt32(all[1]), UInt32(all[2]), UInt32(all[3])))

"""
    launch(kernel, arguments...; grid, block, shared = 0, stream = Baton.stream())

Submits the kernel and returns. Arguments are arrays, `x => :read` and the like, and plain values of exactly the type that the
kernel takes. In `with_managed`, arrays that it holds may be among them.
"""
function launch(k::Kernel, arguments...; grid = 1, block = 1, shared::Integer = 0, stream::Stream = stream())
    kept = map(argument, arguments)
    list = API.baton_argument[entry for (_, entry) in kept]
    here = scope()
    GC.@preserve kept stream begin
        options = Ref(API.baton_launch_options(grid = dimensions(grid), block = dimensions(block), shared_bytes = shared,
            stream = stream.handle, scope = here === nothing ? C_NULL : here.handle))
        status(err -> API.baton_launch(k, options, list, length(list), err))
    end
    return nothing
end
