local baton = require "baton"
local support = require "support"
local failure = support.failure

if not support.soft then return end -- the kernels are C functions

describe("a kernel", function()
   local add, describe_launch = support.kernel "add_number", support.kernel "describe"

   it("is launched with arrays and numbers", function()
      local a = baton.zeros(4, "f32")
      add:launch(4, a, 2.5)
      add:launch({ grid = 2 }, a, 1)
      assert.same({ 3.5, 3.5, 2.5, 2.5 }, a:totable())
   end)

   it("gets its grid, block and shared memory", function()
      local a = baton.zeros(7, "f32")
      describe_launch:launch({ grid = { 2, 3 }, block = { 4, 5, 6 }, shared = 128 }, a)
      assert.same({ 2, 3, 1, 4, 5, 6, 128 }, a:totable())
   end)

   it("works on the stream that is named, else on the coroutine's own", function()
      local s, t, a = baton.stream(), baton.stream(), baton.zeros(1, "f32")
      add:launch({ grid = 1, stream = s }, a, 1)
      assert.equal(s:id(), a:inspect().owner)
      baton.with_stream(t, function() add:launch(1, a, 1) end)
      assert.equal(t:id(), a:inspect().owner)
   end)

   it("takes options that were read once", function()
      local s, a = baton.stream(), baton.zeros(4, "f32")
      local options = baton.launch_options { grid = 2, stream = s }
      s:free()
      add:launch(options, a, 1)
      add:launch(options, a, 1)
      assert.same({ 2, 2, 0, 0 }, a:totable())
      options:free()
      assert.matches("freed launch options", tostring(failure(add.launch, add, options, a, 1)))
   end)

   it("is ordered between streams by its arrays' accesses", function()
      local copy = support.kernel "copy_floats"
      local s, t = baton.stream(), baton.stream()
      local x, y = baton.zeros(4, "f32", { stream = s }), baton.zeros(4, "f32", { stream = t })
      local gate = support.gate(s)
      add:launch({ grid = 4, stream = s }, x, 5)
      copy:launch({ grid = 4, stream = t }, y, x)
      assert.is_false(t:ready())
      gate:open()
      assert.same({ 5, 5, 5, 5 }, y:totable(t))
   end)

   it("tells its parameters, and what it needs", function()
      assert.same({ "inout", "f32" }, add:parameters())
      assert.equal(0, add:info().device)
      assert.is_true(add:info().most_threads > 0)
      assert.is_true(add:occupancy(32) >= 1)
      local threads, blocks = add:block_size()
      assert.is_true(threads >= 1 and blocks >= 1)
   end)

   it("refuses what it does not take", function()
      assert.matches("takes 2 arguments, not 1", tostring(failure(add.launch, add, 1, baton.zeros(1, "f32"))))
      assert.matches("baton.array expected, got number", tostring(failure(add.launch, add, 1, 5, 5)))
      assert.matches("no value for an element of type f32", tostring(failure(add.launch, add, 1, baton.zeros(1, "f32"), "x")))
      assert.matches("'in', 'out', 'inout' or an element type", tostring(failure(baton.host_kernel, support.test.kernels().nothing, "n", { "both" })))
      assert.matches("at most three", tostring(failure(add.launch, add, { grid = { 1, 1, 1, 1 } }, baton.zeros(1, "f32"), 1)))
   end)

   it("outlives its module's and its own other handles", function()
      local other = add:share()
      local mine = other:share()
      other:free()
      local a = baton.zeros(1, "f32")
      mine:launch(1, a, 3)
      assert.equal(3, a[1])
   end)

   it("of a device without compilers or loaders is refused with a reason", function()
      assert.equal("BATON_ERR_UNSUPPORTED", failure(baton.compile, "__global__ void f() {}", { name = "f.cu", options = { "-lineinfo" },
         expressions = { "f" }, headers = { ["a.h"] = "" }, no_cache = true }).code)
      local err = failure(baton.module, ".version 8.0\n")
      assert.is_string(err.code)
   end)
end)
