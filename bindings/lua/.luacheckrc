std = "min"
max_line_length = 160
exclude_files = { "lua/baton/cdef.lua" }
files["spec"] = { std = "min+busted" }
files["lua/baton/task.lua"] = { read_globals = { "jit" } }
files["library"] = { ignore = { "211", "212", "213" } }
