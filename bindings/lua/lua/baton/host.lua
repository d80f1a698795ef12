-- LuaJIT's own data: cdata as host memory, and 64-bit integers as cdata. On other Luas there is nothing to do.
local core = require "baton.core"

local host = {}
local has_ffi, ffi = pcall(require, "ffi")
if not has_ffi or not rawget(_G, "jit") then
   function host.bytes(data) return data end
   return host
end

local int64, uint64 = ffi.typeof("int64_t"), ffi.typeof("uint64_t")
local int64_pointer, uint64_pointer = ffi.typeof("int64_t *"), ffi.typeof("uint64_t *")
local address = ffi.typeof("const void *")

-- From now on integers that doubles cannot hold come as cdata, and cdata numbers are taken.
core.wide(function(pointer, signed)
   return ffi.cast(signed and int64_pointer or uint64_pointer, pointer)[0]
end, function(value, pointer, signed)
   if ffi.istype(int64, value) then
      if not signed and value < 0 then return false end
   elseif ffi.istype(uint64, value) then
      if signed and ffi.cast(int64, value) < 0 then return false end
   else
      return false
   end
   ffi.cast(int64_pointer, pointer)[0] = ffi.cast(int64, value)
   return true
end)

local names = {
   ["bool"] = "bool", ["char"] = "i8", ["signed char"] = "i8", ["short"] = "i16", ["int"] = "i32", ["int64_t"] = "i64",
   ["unsigned char"] = "u8", ["unsigned short"] = "u16", ["unsigned int"] = "u32", ["uint64_t"] = "u64",
   ["float"] = "f32", ["double"] = "f64", ["complex float"] = "c64", ["complex"] = "c128", ["complex double"] = "c128",
}

-- The element type and the extents of an array in a cdata, or nil: a pointer tells neither.
function host.describe(data)
   local text = tostring(ffi.typeof(data)):match("^ctype<(.*)>$")
   if not text:find("[", 1, true) or text:find("*", 1, true) then return nil end
   local element, shape = text:match("^(.-)%s*[%(%[]"), {}
   for extent in text:gmatch("%[(%d+)%]") do shape[#shape + 1] = tonumber(extent) end
   if text:find("[?]", 1, true) then shape = { ffi.sizeof(data) / core.dtype_size(names[element] or "i8") } end
   return names[element], shape
end

-- A cdata as an address, when it is as large as it must be; other data as it is.
function host.bytes(data, bytes)
   if type(data) ~= "cdata" then return data end
   local text = tostring(ffi.typeof(data))
   if not text:find("*", 1, true) and not text:find("&", 1, true) and ffi.sizeof(data) ~= bytes then
      error(("a cdata of %d bytes expected, got %d"):format(bytes, ffi.sizeof(data)), 0)
   end
   return ffi.cast(address, data)
end

return host
