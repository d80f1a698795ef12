-- How each function of the header is reached from Lua: lua tools/coverage.lua HEADER FOLDER [TABLE]. Follows the calls in FOLDER/src from
-- the functions that are registered for Lua. Prints the table, or compares it; a function that nothing reaches is a failure.
local header, folder, kept = arg[1], arg[2], arg[3]

local function read(name)
   local file = assert(io.open(name))
   local text = file:read("*a")
   file:close()
   return text
end

local function plain(text) return (text:gsub("/%*.-%*/", " ")) end

-- ---- the header's functions, in its order

local declared = {}
for name in plain(read(header)):gsub("typedef[^;{]*;", ""):gmatch("[%s%*](baton_[%w_]+)%s*%b();") do declared[#declared + 1] = name end

-- ---- the binding's functions and what each mentions. Functions are static: their names count within their file.

local functions = {} -- "file:name" -> { text = body, file = file }
local registered = {} -- "file:name" -> name in Lua
local exported = {} -- name -> "file:name"

-- The owner and end of every function in a file: definitions begin at a line's start and end with a brace there.
local function scan(file, text)
   for kind in text:gmatch("CLASS_OWN%((%w+)%)") do
      functions[file .. ":own_" .. kind] = { file = file, text = ("baton_%s_retain baton_%s_release"):format(kind, kind) }
      registered[file .. ":own_" .. kind] = kind .. ":share, free"
   end
   for names, body in text:gmatch("\n([%w_][^\n;{}]*%b())%s*(%b{})") do
      local name = names:match("([%w_]+)%s*%b()$")
      functions[file .. ":" .. name] = { file = file, text = body }
      if not names:match("^static ") then exported[name] = file .. ":" .. name end
   end
   for name, f in text:gmatch('{ "([%w_]+)", ([%w_]+) }') do registered[file .. ":" .. f] = name end
   for f, name in text:gmatch('pushcfunction%(L, ([%w_]+)%);%s*lua_setfield%(L, %-2, "([%w_]+)"%)') do registered[file .. ":" .. f] = name end
   for f, name in text:gmatch("struct class [%w_]+ = { \"baton.(%w+)\", [%w_]+, ([%w_]+) }") do registered[file .. ":" .. name] = f .. ":free" end
   for name, push in text:gmatch("\nASK%(([%w_]+), (.-)%)\n") do
      functions[file .. ":ask_" .. name] = { file = file, text = push .. " array_info " }
   end
end

local list = io.popen("ls " .. folder .. "/src/*.c")
for name in list:lines() do scan(name:match("([%w_]+)%.c$"), "\n" .. plain(read(name))) end
list:close()
functions["load"] = { file = "state", text = plain(read(folder .. "/src/state.c")):match("luaopen_baton_core.*") }

-- ---- who reaches what

local reached = {} -- baton_name -> { names in Lua }
local function visit(key, label, seen)
   local f = functions[key]
   if not f or seen[key] then return end
   seen[key] = true
   for word in f.text:gmatch("[%a_][%w_]*") do
      if word:match("^baton_") then
         reached[word] = reached[word] or {}
         reached[word][label] = true
      end
      visit(functions[f.file .. ":" .. word] and f.file .. ":" .. word or exported[word], label, seen)
   end
end
for key, label in pairs(registered) do visit(key, label, {}) end
for _, key in ipairs { "state:state_finish", "state:luaopen_baton_core", "runtime:part_runtime" } do visit(key, "require", {}) end

-- ---- the table

local lines, missing = { "How each function of include/baton_ffi.h is reached from Lua. Made by tools/coverage.lua: do not edit.",
   "On LuaJIT, each is also in require(\"baton.ffi\").C.", "" }, {}
for _, name in ipairs(declared) do
   local labels, found = {}, reached[name] or {}
   for label in pairs(found) do
      if label ~= "require" or next(found, next(found)) == nil then labels[#labels + 1] = label end
   end
   table.sort(labels, function(a, b) return #a ~= #b and #a < #b or #a == #b and a < b end)
   if #labels == 0 then missing[#missing + 1] = name end
   lines[#lines + 1] = ("%-32s %s"):format(name, table.concat(labels, ", ", 1, math.min(#labels, 4)) .. (#labels > 4 and ", …" or ""))
end
lines[#lines + 1] = ""
lines[#lines + 1] = ("%d of %d functions"):format(#declared - #missing, #declared)
local made = table.concat(lines, "\n") .. "\n"

for _, name in ipairs(missing) do io.stderr:write(name, " is not reached from Lua\n") end
if not kept then
   io.write(made)
elseif read(kept) ~= made then
   io.stderr:write(kept, " is out of date: lua tools/coverage.lua ", header, " ", folder, " >", kept, "\n")
   os.exit(1)
end
os.exit(#missing == 0 and 0 or 1)
