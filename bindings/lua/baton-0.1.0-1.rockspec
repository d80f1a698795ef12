rockspec_format = "3.0"
package = "baton"
version = "0.1.0-1"
source = { url = "file://." } -- this folder: luarocks make
description = {
   summary = "GPU arrays that pass between tasks and streams in order, without stalling the host",
   detailed = [[
      Arrays on a GPU, and streams of work. When a stream uses an array that another stream has worked on, it is made to
      wait for the right work, on the GPU, and the program goes on at once. For Lua 5.1 to 5.4 and LuaJIT, with a layer over
      LuaJIT's FFI for compiled loops, a scheduler for coroutines, and a C header for modules. Without a GPU the same
      programs run on a software device.]],
   license = "MIT",
   labels = { "gpu", "cuda", "arrays" },
}
dependencies = { "lua >= 5.1, < 5.5" }
external_dependencies = {
   BATON = { header = "baton.h", library = "baton" },
}
test_dependencies = { "busted" }
test = { type = "busted" }
build = {
   type = "builtin",
   modules = {
      ["baton.core"] = {
         sources = {
            "src/anchor.c", "src/arithmetic.c", "src/array.c", "src/array_view.c", "src/array_work.c", "src/compat.c",
            "src/compile.c", "src/data.c", "src/element.c", "src/error.c", "src/exchange.c", "src/fence.c", "src/graph.c", "src/kernel.c",
            "src/object.c", "src/pressure.c", "src/runtime.c", "src/scope.c", "src/state.c", "src/stream.c",
         },
         defines = { "_GNU_SOURCE" },
         incdirs = { "$(BATON_INCDIR)" },
         libdirs = { "$(BATON_LIBDIR)" },
         libraries = { "baton" },
      },
      ["baton"] = "lua/baton.lua",
      ["baton.arithmetic"] = "lua/baton/arithmetic.lua",
      ["baton.cdef"] = "lua/baton/cdef.lua",
      ["baton.ffi"] = "lua/baton/ffi.lua",
      ["baton.host"] = "lua/baton/host.lua",
      ["baton.scheduler"] = "lua/baton/scheduler.lua",
      ["baton.show"] = "lua/baton/show.lua",
      ["baton.task"] = "lua/baton/task.lua",
   },
   copy_directories = { "library", "examples" },
}
