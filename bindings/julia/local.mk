# Used from where it stands, or by Pkg; only the header for C is installed.
include_HEADERS += bindings/julia/baton_julia.h

EXTRA_DIST += \
    bindings/julia/COVERAGE \
    bindings/julia/Project.toml \
    bindings/julia/README \
    bindings/julia/ext/BatonAdaptExt.jl \
    bindings/julia/ext/BatonCUDAExt.jl \
    bindings/julia/ext/BatonDLPackExt.jl \
    bindings/julia/ext/BatonGPUArraysCoreExt.jl \
    bindings/julia/src/Baton.jl \
    bindings/julia/src/api.jl \
    bindings/julia/src/arrays.jl \
    bindings/julia/src/broadcast.jl \
    bindings/julia/src/errors.jl \
    bindings/julia/src/exchange.jl \
    bindings/julia/src/graphs.jl \
    bindings/julia/src/kernels.jl \
    bindings/julia/src/managed.jl \
    bindings/julia/src/runtime.jl \
    bindings/julia/src/show.jl \
    bindings/julia/src/transfer.jl \
    bindings/julia/src/waiting.jl \
    bindings/julia/test/runtests.jl \
    bindings/julia/tools/coverage \
    bindings/julia/tools/generate
