# Bindings list their files here.
include bindings/lua/local.mk
