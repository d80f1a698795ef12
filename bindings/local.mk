# Bindings list their files here. They are built by the tools of their languages, against the installed library.
include bindings/julia/local.mk
include bindings/lua/local.mk
include bindings/python/local.mk
include bindings/tcl/local.mk
