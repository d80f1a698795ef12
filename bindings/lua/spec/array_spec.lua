local baton = require "baton"
local support = require "support"
local failure = support.failure

describe("an array", function()
   it("tells its shape, type, strides and size", function()
      local a = baton.zeros({ 2, 3, 4 }, "f32")
      assert.same({ 2, 3, 4 }, a.shape)
      assert.same({ 12, 4, 1 }, a.strides)
      assert.equal("f32", a.dtype)
      assert.equal(3, a.ndim)
      assert.equal(24, a.size)
      assert.equal(96, a.bytes)
      assert.equal("device", a.kind)
      assert.equal(0, a.device)
      assert.equal(2, #a)
   end)

   it("has elements of f64 when nothing else is said", function()
      assert.equal("f64", baton.zeros(3).dtype)
      assert.equal(0.1, baton.array { 0.1 }[1])
   end)

   it("of one element may have no dimension", function()
      local a = baton.full({}, 7)
      assert.equal(0, a.ndim)
      assert.equal(7, a:item())
      assert.equal(7, a:totable())
   end)

   it("may be empty", function()
      local a = baton.zeros { 0, 3 }
      assert.same({}, a:totable())
      assert.equal(0, a.size)
      assert.equal("", a:download())
   end)

   it("is read and written by 1-based indices, from the end when they are negative", function()
      local a = baton.array { 10, 20, 30 }
      assert.equal(10, a[1])
      assert.equal(30, a[-1])
      a[2] = 21
      a[-1] = 31
      assert.same({ 10, 21, 31 }, a:totable())
   end)

   it("gives a row as a view", function()
      local a = baton.array { { 1, 2 }, { 3, 4 } }
      local row = a[2]
      assert.same({ 2 }, row.shape)
      row[1] = 30
      assert.same({ { 1, 2 }, { 30, 4 } }, a:totable())
      assert.equal(a.memory, row.memory)
   end)

   it("refuses indices outside of it, and says which", function()
      local a = baton.zeros(3)
      for _, index in ipairs { 0, 5, -4 } do
         assert.matches("index " .. index .. " is outside of dimension 1, which has 3", tostring(failure(function() return a[index] end)), 1, true)
      end
      assert.matches("whole number", tostring(failure(function() return a[1.5] end)))
      assert.matches("no 'colour'", tostring(failure(function() return a.colour end)))
      assert.matches("no field 'colour'", tostring(failure(function() a.colour = 1 end)))
   end)

   it("has nil right behind its end, as tables have, so that loops end", function()
      local a = baton.array { 3, 4 }
      assert.is_nil(a[3])
      assert.matches("outside", tostring(failure(function() a[3] = 1 end)))
      if not support.integers then return end -- ipairs is for tables only
      local seen = {}
      for i, value in ipairs(a) do seen[i] = value end
      assert.same({ 3, 4 }, seen)
   end)

   it("is sliced with first, last and step, backwards too", function()
      local a = baton.range(1, 10)
      assert.same({ 2, 3, 4 }, a:slice(2, 4):totable())
      assert.same({ 1, 4, 7, 10 }, a:slice(nil, nil, 3):totable())
      assert.same({ 10, 8, 6, 4, 2 }, a:slice(nil, nil, -2):totable())
      assert.same({ 9, 10 }, a:slice(-2):totable())
      assert.same({ 5, 4, 3 }, a:slice(5, 3, -1):totable())
      assert.same({}, a:slice(4, 3):totable())
   end)

   it("is cut in all dimensions by one table", function()
      local a = baton.range(1, 12):reshape(3, 4)
      assert.same({ { 1, 2 }, { 5, 6 } }, a:view({ { 1, 2 }, { 1, 2 } }):totable())
      assert.same({ 9, 10, 11, 12 }, a:view({ 3 }):totable())
      assert.same({ 2, 6, 10 }, a[{ true, 2 }]:totable())
      assert.same({ { 12, 11 }, { 8, 7 } }, a:view({ { -1, 2, -1 }, { 4, 3, -1 } }):totable())
      assert.equal(7, a:view({ 2, 3 }):item())
   end)

   it("takes numbers, tables, strings and arrays into a part", function()
      local a = baton.zeros({ 2, 3 }, "f32")
      a[1] = 5
      a[{ 2, { 1, 2 } }] = { 7, 8 }
      assert.same({ { 5, 5, 5 }, { 7, 8, 0 } }, a:totable())
      a[{ true, 3 }] = baton.array({ 1, 2 }, "f32")
      assert.same({ { 5, 5, 1 }, { 7, 8, 2 } }, a:totable())
      a[2] = a[1]:download()
      assert.same({ { 5, 5, 1 }, { 5, 5, 1 } }, a:totable())
   end)

   it("is reshaped, flattened, permuted, transposed and reinterpreted without a copy", function()
      local a = baton.range(1, 6, 1, "i32"):reshape { 2, 3 }
      assert.same({ { 1, 4 }, { 2, 5 }, { 3, 6 } }, a:transpose():totable())
      assert.same({ 3, 2 }, a:permute(2, 1).shape)
      assert.same({ 1, 2, 3, 4, 5, 6 }, a:flatten():totable())
      assert.same({ 2, 3, 1 }, a:reshape(2, -1, 1).shape)
      assert.same({ 2, 12 }, a:reinterpret("u8").shape)
      assert.equal(a.memory, a:reinterpret("u8").memory)
      assert.equal("BATON_ERR_SHAPE", failure(a.reshape, a, 4, 2).code)
      assert.matches("dimensions", tostring(failure(a.permute, a, 1, 3)))
   end)

   it("is cloned and copied", function()
      local a = baton.array { 1, 2 }
      local b = a:clone()
      b[1] = 5
      assert.same({ 1, 2 }, a:totable())
      assert.same({ 5, 2 }, a:copy(b):totable())
      assert.equal("BATON_ERR_SHAPE", failure(a.copy, a, baton.zeros(3)).code)
   end)

   it("of one dimension is resized", function()
      local a = baton.array { 1, 2, 3 }
      a:resize(5)
      assert.same({ 5 }, a.shape)
      assert.same({ 1, 2, 3 }, a:slice(1, 3):totable())
      assert.same({ 1 }, a:resize(1):totable())
   end)

   it("as text shows its type, shape and corners", function()
      local text = tostring(baton.range(1, 100):reshape(10, 10))
      assert.matches("f64 {10, 10}", text, 1, true)
      assert.matches("{1, 2, 3, 4, 5, 6, …}", text, 1, true)
      assert.equal("baton.array i32 {2} on device 0\n{1, 2}", tostring(baton.array({ 1, 2 }, "i32")))
      assert.matches("true", tostring(baton.array({ true }, "bool")))
      assert.matches("1%-2i", tostring(baton.array({ { 1, -2 } }, "c64")))
      local freed = baton.zeros(1)
      freed:free()
      assert.equal("baton.array (freed)", tostring(freed))
   end)

   it("lies in pinned or unified memory when asked to", function()
      for _, kind in ipairs { "host", "unified" } do
         local a = baton.full(3, 2, "f32", { kind = kind })
         assert.equal(kind, a.kind)
         assert.equal(2, support.test.peek(a:host_pointer("read"), 3))
      end
      assert.equal("BATON_ERR_KIND", failure(baton.zeros(1).host_pointer, baton.zeros(1)).code)
   end)

   it("may have strides of its own", function()
      local a = baton.empty({ 2, 2 }, "f32", { strides = { 1, 2 } })
      a:upload { { 1, 2 }, { 3, 4 } }
      assert.same({ { 1, 2 }, { 3, 4 } }, a:totable())
      assert.same({ 1, 3, 2, 4 }, a:transpose():flatten():totable())
   end)

   it("tells more about itself when inspected", function()
      local a = baton.zeros(4)
      local seen = a:inspect()
      assert.is_true(seen.contiguous)
      assert.is_true(seen.synchronizing)
      assert.is_false(seen.view)
      assert.equal(32, seen.memory_bytes)
      assert.equal(0, seen.lock_holder)
      assert.is_true(a:slice(2).inspect(a:slice(2)).view)
      assert.is_false(a:set_synchronizing(false):inspect().synchronizing)
   end)

   it("names what is wrong with an argument", function()
      assert.matches("'f31' is no element type", tostring(failure(baton.empty, 1, "f31")))
      assert.matches("baton.array expected, got table", tostring(failure(baton.zeros(1).copy, baton.zeros(1), {})))
      assert.matches("baton.stream expected", tostring(failure(baton.zeros(1).fill, baton.zeros(1), 1, "x")))
      assert.equal("BATON_ERR_SHAPE", failure(baton.empty, -1).code)
      assert.matches("no value for an element", tostring(failure(baton.full, 1, "x")))
   end)
end)

describe("an error of the library", function()
   it("is a table with a code, a status and a sentence, and as text says where", function()
      local err = failure(function() baton.zeros(2):copy(baton.zeros(3)) end)
      assert.equal("BATON_ERR_SHAPE", err.code)
      assert.equal(-5, err.status)
      assert.matches("^[^:]*array_spec.lua:%d+: the arrays' shapes differ %(BATON_ERR_SHAPE%)$", tostring(err))
      assert.matches("^seen: ", "seen: " .. err)
   end)
end)
