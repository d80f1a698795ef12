# The Lua binding is built by its own Makefile, once for each Lua; scripts/lua-test does that for the tests.
include_HEADERS += bindings/lua/baton_lua.h

EXTRA_DIST += \
    bindings/lua/.luacheckrc \
    bindings/lua/COVERAGE \
    bindings/lua/Makefile \
    bindings/lua/README \
    bindings/lua/baton-0.1.0-1.rockspec \
    bindings/lua/examples \
    bindings/lua/library \
    bindings/lua/lua \
    bindings/lua/spec \
    bindings/lua/src \
    bindings/lua/test \
    bindings/lua/tools
