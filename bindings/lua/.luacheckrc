std = "max" -- everything that Lua 5.1 to 5.4 and LuaJIT have: the code asks before it uses what one lacks
max_line_length = 160
exclude_files = { "lua/baton/cdef.lua" }
files["spec"] = { std = "max+busted" }
files["test/thread.lua"] = { read_globals = { "here" } }
files["library"] = { ignore = { "211", "212", "213", "241" } }
