-- Writes lua/baton/cdef.lua, which is include/baton_ffi.h without comments, or compares it: lua tools/cdef.lua HEADER [FILE]
local header, file = arg[1], arg[2]
local WIDTH = 140

-- One declaration after another, each on as few lines as it needs.
local function wrapped(text)
   local lines, line = {}, ""
   for word in text:gmatch("%S+") do
      if #line + #word >= WIDTH then
         lines[#lines + 1], line = line, "   "
      end
      line = line == "" and word or line .. " " .. word
   end
   lines[#lines + 1] = line
   return table.concat(lines, "\n")
end

local input = assert(io.open(header))
local text = input:read("*a"):gsub("/%*.-%*/", "")
input:close()
local declarations, depth, first = {}, 0, 1
for at, sign in text:gmatch("()([{};])") do
   depth = depth + (sign == "{" and 1 or sign == "}" and -1 or 0)
   if sign == ";" and depth == 0 then
      declarations[#declarations + 1] = wrapped(text:sub(first, at))
      first = at + 1
   end
end
local made = "-- Generated from include/baton_ffi.h by tools/cdef.lua: do not edit.\nreturn [[\n" .. table.concat(declarations, "\n") .. "\n]]\n"

if not file then
   io.write(made)
   return
end
local kept = assert(io.open(file)):read("*a")
if kept ~= made then
   io.stderr:write(file, " differs from ", header, ": lua tools/cdef.lua ", header, " >", file, "\n")
   os.exit(1)
end
