local baton = require "baton"
local support = require "support"
local failure = support.failure

describe("arithmetic", function()
   local a, b = baton.array { { 1, 2 }, { 3, 4 } }, baton.array { { 10, 20 }, { 30, 40 } }

   it("works on elements", function()
      assert.same({ { 11, 22 }, { 33, 44 } }, (a + b):totable())
      assert.same({ { 9, 18 }, { 27, 36 } }, (b - a):totable())
      assert.same({ { 10, 40 }, { 90, 160 } }, (a * b):totable())
      assert.same({ { 10, 10 }, { 10, 10 } }, (b / a):totable())
      assert.same({ { -1, -2 }, { -3, -4 } }, (-a):totable())
   end)

   it("takes numbers on either side", function()
      assert.same({ { 0.5, 1 }, { 1.5, 2 } }, (a / 2):totable())
      assert.same({ { 9, 8 }, { 7, 6 } }, (10 - a):totable())
   end)

   it("stretches rows, columns and missing dimensions", function()
      assert.same({ { 11, 22 }, { 13, 24 } }, (a + baton.array { 10, 20 }):totable())
      assert.same({ { 11, 12 }, { 23, 24 } }, (a + baton.array { { 10 }, { 20 } }):totable())
      assert.same({ { 2, 3 }, { 3, 4 } }, (baton.array { { 1 }, { 2 } } + baton.array { 1, 2 }):totable())
      assert.matches("{2, 2} and {3} do not go together", tostring(failure(function() return a + baton.zeros(3) end)), 1, true)
   end)

   it("finds the type of the result", function()
      local function of(left, right)
         return (left + right).dtype
      end
      local i32, i64, f32, u8 = baton.ones(1, "i32"), baton.ones(1, "i64"), baton.ones(1, "f32"), baton.ones(1, "u8")
      assert.equal("i32", of(i32, u8))
      assert.equal("i64", of(i32, i64))
      assert.equal("f32", of(f32, u8))
      assert.equal("f64", of(f32, i32))
      assert.equal("f32", of(f32, 0.5))
      assert.equal("i32", of(i32, 2))
      assert.equal("f64", of(i32, 0.5))
      assert.equal("i64", of(i32, 2 ^ 40))
      assert.equal("f64", (i32 / i32).dtype)
      assert.same({ 1.5 }, (i32 + 0.5):totable())
      assert.matches("cast the array", tostring(failure(of, baton.zeros(1, "u64"), 1)))
   end)

   it("works in place, in the type of the array", function()
      local c = baton.array({ 1, 2 }, "i32")
      local memory = c.memory
      assert.same({ 6, 7 }, c:add(5):totable())
      assert.same({ 12, 14 }, c:multiply(2):totable())
      assert.same({ 11, 12 }, c:subtract(baton.array({ 1, 2 }, "f32")):totable())
      assert.same({ 5, 6 }, c:divide(2):totable())
      assert.equal(memory, c.memory)
   end)

   it("writes into a given array, on a given stream", function()
      local to, stream = baton.zeros { 2, 2 }, baton.stream()
      assert.equal(to, baton.multiply(a, 3, to, stream))
      assert.equal(stream:id(), to:inspect().owner)
      assert.same({ { 3, 6 }, { 9, 12 } }, to:totable())
   end)

   it("works on views, and refuses a result that lies partly over an operand", function()
      local c = baton.range(1, 6)
      assert.same({ 7, 7, 7 }, (c:slice(1, 3) + c:slice(6, 4, -1)):totable())
      assert.equal("BATON_ERR_OVERLAP", failure(baton.add, c:slice(1, 3), 1, c:slice(2, 4)).code)
   end)

   it("casts", function()
      assert.same({ 1, -1 }, baton.array({ 1.9, -1.9 }):cast("i32"):totable())
      assert.same({ true, false }, baton.array({ 0.5, 0 }):cast("bool"):totable())
      assert.same({ 1, 2 }, baton.array(baton.array({ 1, 2 }), "u8"):totable())
   end)

   it("makes ranges as a numeric for does", function()
      assert.same({ 1, 3, 5 }, baton.range(1, 6, 2):totable())
      assert.same({ 3, 2, 1 }, baton.range(3, 1, -1, "i64"):totable())
      assert.same({}, baton.range(2, 1):totable())
      assert.matches("step is 0", failure(baton.range, 1, 2, 0))
   end)

   it("fills with zeros, ones and other values", function()
      assert.same({ 0, 0 }, baton.zeros(2):totable())
      assert.same({ 1, 1 }, baton.ones(2, "i8"):totable())
      assert.same({ { 1, 2 } }, baton.full(1, { 1, 2 }, "c64"):totable())
      assert.same({ true }, baton.full(1, true, "bool"):totable())
   end)
end)
