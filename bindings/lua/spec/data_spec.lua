local baton = require "baton"
local support = require "support"
local failure = support.failure

describe("host data", function()
   it("of every type comes back as it went in", function()
      local values = {
         bool = { true, false }, i8 = { -128, 127 }, i16 = { -32768, 32767 }, i32 = { -2147483648, 2147483647 },
         i64 = { -9007199254740992, 9007199254740992 }, u8 = { 0, 255 }, u16 = { 0, 65535 }, u32 = { 0, 4294967295 },
         u64 = { 0, 9007199254740992 }, f16 = { -65504, 0.0999755859375 }, bf16 = { -256, 0.10009765625 },
         f32 = { 16777216, -0.5 }, f64 = { 0.1, -1e300 }, c64 = { { 1, -2 }, { 0.5, 0 } }, c128 = { { 0.1, 1e200 }, { 0, 0 } },
      }
      for dtype, list in pairs(values) do
         assert.same(list, baton.array(list, dtype):totable(), dtype)
      end
   end)

   it("of 16 bits is rounded to the nearest, ties to even, and keeps what is no number", function()
      local a = baton.array({ 2049, 2051, 65520, -1 / 0, 2 ^ -24, 2 ^ -26, 65519 }, "f16"):totable()
      assert.same({ 2048, 2052, 1 / 0, -1 / 0, 2 ^ -24, 0, 65504 }, a)
      local nan = baton.array({ 0 / 0 }, "bf16")[1]
      assert.is_true(nan ~= nan)
      assert.equal(2 ^ 127, baton.array({ 2 ^ 127 }, "bf16")[1])
   end)

   it("that does not fit its type is an error", function()
      for _, case in ipairs { { 256, "u8" },
         { -1, "u16" }, { 1.5, "i32" }, { 128, "i8" }, { 2, "bool" }, { "1", "f64" }, { 2 ^ 63, "i64" }, { 0 / 0, "i32" } } do
         assert.matches("no value for an element of type " .. case[2], tostring(failure(baton.array, { case[1] }, case[2])))
      end
   end)

   it("in tables of different lengths is an error that says where", function()
      assert.matches("a table of 2 values expected in dimension 2, got 1", tostring(failure(baton.array, { { 1, 2 }, { 3 } })))
      assert.matches("expected in dimension 2, got number", tostring(failure(baton.array, { { 1, 2 }, 3 })))
      assert.matches("16 dimensions", tostring(failure(baton.array, (function()
         local nested = 1
         for _ = 1, 20 do nested = { nested } end
         return nested
      end)())))
   end)

   it("is taken from strings and given as strings", function()
      local a = baton.array("\1\0\2\0\3\0", "u16", { shape = { 3 } })
      assert.same({ 1, 2, 3 }, a:totable())
      assert.equal("\1\0\2\0\3\0", a:download())
      assert.same({ 2 }, baton.array("\1\0\2\0", "u16").shape)
      assert.matches("6.* bytes expected", tostring(failure(a.upload, a, "\1")))
   end)

   it("of a transposed array is in the order of its rows", function()
      local a = baton.array({ { 1, 2 }, { 3, 4 } }, "u8"):transpose()
      assert.equal("\1\3\2\4", a:download())
      a:upload("\5\6\7\8")
      assert.same({ { 5, 7 }, { 6, 8 } }, a:transpose():totable())
   end)

   it("of 64 bits is exact, or an error", function()
      local big = baton.array("\1\0\0\0\0\0\32\0", "i64") -- 2^53 + 1
      if support.integers then
         assert.equal(math.tointeger(2 ^ 53) + 1, big[1])
         assert.equal(-1, baton.array(("\255"):rep(8), "u64")[1])
         assert.equal(("\255"):rep(8), baton.array({ -1 }, "u64"):download())
      elseif support.jit then
         assert.is_true(big[1] == require("ffi").cast("int64_t", 2 ^ 53) + 1)
      else
         assert.matches("does not fit this Lua's numbers", tostring(failure(function() return big[1] end)))
      end
      assert.equal("\1\0\0\0\0\0\32\0", big:download())
   end)

   it("downloads into pinned memory without blocking", function()
      local a, host = baton.range(1, 4, 1, "f32"), baton.empty(4, "f32", { kind = "host" })
      local fence = a:download_async(host)
      assert.is_true(fence:wait())
      assert.equal(4, support.test.peek(host:host_pointer(), 4))
      assert.matches("same size", tostring(failure(a.download_async, a, baton.empty(3, "f32", { kind = "host" }))))
      assert.equal("BATON_ERR_KIND", failure(a.download_async, a, baton.empty(4, "f32")).code)
   end)
end)

if support.jit then
   local ffi = require "ffi"
   describe("LuaJIT's cdata", function()
      it("is host data with a type and a shape of its own", function()
         local a = baton.array(ffi.new("float[2][3]", { { 1, 2, 3 }, { 4, 5, 6 } }))
         assert.equal("f32", a.dtype)
         assert.same({ { 1, 2, 3 }, { 4, 5, 6 } }, a:totable())
         assert.same({ 7, 8 }, baton.array(ffi.new("int64_t[?]", 2, 7, 8)):totable())
         assert.same({ 1, 2 }, baton.array(ffi.new("uint8_t[2]", 1, 2), "u8"):totable())
      end)

      it("behind a pointer is host data when type and shape are said", function()
         local data = ffi.new("double[3]", 1, 2, 3)
         assert.same({ 2, 3 }, baton.array(ffi.cast("double *", data) + 1, "f64", { shape = 2 }):totable())
         assert.matches("shape and element type", tostring(failure(baton.array, ffi.cast("double *", data))))
      end)

      it("takes what is downloaded", function()
         local into = ffi.new("float[2]")
         baton.array({ 3, 4 }, "f32"):download(into)
         assert.equal(4, into[1])
         assert.matches("8 bytes expected, got 12", tostring(failure(baton.zeros(1).download, baton.zeros(1), ffi.new("float[3]"))))
      end)

      it("holds integers that numbers cannot", function()
         local most_unsigned = ffi.cast("uint64_t", 0) - 1
         local most = ffi.cast("int64_t", most_unsigned / 2)
         local a = baton.array({ most, ffi.cast("int64_t", -1) }, "i64")
         assert.is_true(a[1] == most)
         assert.is_true(baton.array({ most_unsigned }, "u64")[1] == most_unsigned)
         assert.matches("no value", tostring(failure(baton.array, { most_unsigned }, "i64")))
         assert.matches("no value", tostring(failure(baton.array, { ffi.cast("int64_t", -1) }, "u64")))
      end)

      if not support.soft then return end
      it("is memory that an array wraps", function()
         local data = ffi.new("float[2]", 1, 2)
         local a = baton.wrap(data, 2, "f32", { kind = "host" })
         assert.same({ 1, 2 }, a:totable())
         a:upload { 4, 5 }
         assert.equal(5, data[1])
      end)
   end)
end
