-- LuaJIT reads include/baton_ffi.h unchanged and lays every struct out as the library does.
local ffi = require("ffi")
local top = os.getenv("top_srcdir") or (arg[0]:gsub("[^/]*$", "") .. "..")
local build = os.getenv("top_builddir") or "."

if os.getenv("SANITIZE") == "yes" then
    print("skipped: a sanitized library does not load into an ordinary interpreter")
    os.exit(77)
end

local file = assert(io.open(top .. "/include/baton_ffi.h"))
local text = file:read("*a")
file:close()
ffi.cdef(text)
local lib = ffi.load(build .. "/.libs/libbaton.so")

local problems, structs, members = 0, 0, 0
local function compare(what, expected, found)
    if expected ~= found then
        problems = problems + 1
        print(("%s: LuaJIT has %s, the library %s"):format(what, tostring(expected), tostring(found)))
    end
end

local name, offset, size = ffi.new("const char *[1]"), ffi.new("uint32_t[1]"), ffi.new("uint32_t[1]")
local index = 0
while lib.baton_abi_layout(index, name, offset, size) == lib.BATON_OK do
    local full = ffi.string(name[0])
    local struct, member = full:match("^([%w_]+)%.?([%w_]*)$")
    if member == "" then
        structs = structs + 1
        compare("size of " .. full, ffi.sizeof(struct), size[0])
    else
        members = members + 1
        compare("offset of " .. full, ffi.offsetof(struct, member), offset[0])
    end
    index = index + 1
end

local declared = select(2, text:gsub("typedef struct baton_[%w_]+ {", ""))
compare("number of structs", declared, structs)
for called in text:gmatch("\n[%w_]+ %*?(baton_[%w_]+)%(") do
    if not pcall(function() return lib[called] end) then
        problems = problems + 1
        print(called .. " is not in the library")
    end
end
print(("%d structs and %d members compared"):format(structs, members))
os.exit(problems == 0 and 0 or 1)
