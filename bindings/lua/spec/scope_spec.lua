local baton = require "baton"
local support = require "support"
local failure, peek, poke = support.failure, support.test.peek, support.test.poke

local function unlocked(array) return array:inspect().lock_holder == 0 end

describe("baton.managed", function()
   local s = baton.stream()

   it("gives addresses that work on the stream may use, and returns what the function returns", function()
      local a, b = baton.full(4, 1, "f32"), baton.full(4, 2, "f32")
      local x, y = baton.managed(s, { a, baton.read(b) }, function(pointers, scope)
         assert.equal(2, #pointers)
         assert.is_true(scope:is_open())
         assert.is_true(baton.current() == s)
         assert.is_false(unlocked(a))
         return "x", nil
      end)
      assert.equal("x", x)
      assert.is_nil(y)
      assert.is_true(unlocked(a))
      assert.equal(s:id(), a:inspect().owner)
      assert.is_false(baton.current() == s)
   end)

   it("releases when the function fails, and passes the error on", function()
      local a, reason = baton.zeros(4), {}
      assert.equal(reason, failure(baton.managed, s, { a }, function() error(reason) end))
      assert.is_true(unlocked(a))
      assert.is_false(baton.current() == s)
      a:fill(1)
   end)

   if coroutine.close then
      it("releases when its coroutine is closed", function()
         local a = baton.zeros(4)
         local co = coroutine.create(function() baton.managed(s, { a }, coroutine.yield) end)
         assert.is_true(coroutine.resume(co))
         assert.is_false(unlocked(a))
         assert.is_true(coroutine.close(co))
         assert.is_true(unlocked(a))
      end)
   end

   if not support.plain_5_1 then
      it("releases when its coroutine is collected", function()
         local a = baton.zeros(4)
         local function begin()
            assert.is_true(coroutine.resume(coroutine.create(function() baton.managed(s, { a }, coroutine.yield) end)))
         end
         begin()
         assert.is_false(unlocked(a))
         support.collect()
         assert.is_true(unlocked(a))
      end)
   end

   it("waits for other streams on the device only", function()
      local t, a = baton.stream(), baton.zeros(4, "f32")
      local gate = support.gate(t)
      a:fill(3, t)
      local waits = support.host_waits()
      baton.managed(s, { a }, function() end)
      assert.equal(waits, support.host_waits())
      gate:open()
      assert.same({ 3, 3, 3, 3 }, a:totable(s))
   end)

   it("is nested on the same stream, and refused on another", function()
      local a, b, t = baton.zeros(4), baton.zeros(4), baton.stream()
      baton.managed(s, { a }, function(outer)
         baton.managed(s, { a, b }, function(inner) assert.equal(outer[1], inner[1]) end)
         assert.equal("BATON_ERR_NESTED_STREAM", failure(baton.managed, t, { a }, function() end).code)
         assert.is_false(unlocked(a))
         assert.is_true(unlocked(b))
      end)
      assert.is_true(unlocked(a))
   end)

   if support.soft then
      it("holds what kernels are launched on within it", function()
         local add, a = support.kernel "add_number", baton.zeros(2, "f32")
         baton.managed(s, { a }, function(pointers)
            add:launch(2, a, 5)
            s:synchronize()
            assert.equal(5, peek(pointers[1], 2))
            poke(pointers[1], 2, 6)
         end)
         assert.same({ 5, 6 }, a:totable())
      end)
   end

   it("takes more arrays, and gives their addresses", function()
      local a, b, c = baton.zeros(1), baton.zeros(1), baton.zeros(1)
      baton.managed(s, { a }, function(pointers, scope)
         assert.equal(pointers[1], scope:pointer(a))
         assert.is_userdata(scope:add(b, "read"))
         assert.is_false(unlocked(b))
         assert.is_userdata(scope:pointer(c, "read"))
         assert.is_true(unlocked(c))
      end)
      assert.is_true(unlocked(b))
   end)

   it("refuses what is no list of arrays", function()
      assert.matches("table expected", tostring(failure(baton.managed, s, 5, function() end)))
      assert.matches("baton.array expected", tostring(failure(baton.managed, s, { 5 }, function() end)))
      assert.matches("baton.read, write or update", tostring(failure(baton.managed, s, { {} }, function() end)))
   end)
end)

describe("a scope", function()
   it("ends by hand, once", function()
      local a = baton.zeros(2)
      local scope = baton.scope(baton.current(), { a })
      assert.equal(1, #scope:pointers())
      scope:finish()
      scope:finish()
      scope:abort()
      assert.is_true(unlocked(a))
      assert.matches("has ended", tostring(failure(scope.pointers, scope)))
   end)

   it("is given up when it is freed", function()
      local a = baton.zeros(2)
      local scope = baton.scope(nil, { a })
      scope:free()
      assert.is_true(unlocked(a))
      assert.is_false(scope:is_open())
   end)
end)

describe("baton.with_managed", function()
   it("does it in one call of the library, and passes results and errors", function()
      local a, s = baton.full(2, 4, "f32"), baton.stream()
      assert.equal("done", baton.with_managed(s, { baton.read(a) }, function(pointers)
         assert.equal(1, #pointers)
         return "done"
      end))
      local reason = {}
      assert.equal(reason, failure(baton.with_managed, s, { a }, function() error(reason) end))
      assert.is_true(unlocked(a))
   end)
end)

describe("two coroutines that want the same array", function()
   it("take turns in a scheduler", function()
      local tasks, a, order = baton.scheduler(), baton.zeros(1, "f32"), {}
      for i = 1, 3 do
         tasks:spawn(function()
            local scope = baton.scope(nil, { a })
            order[#order + 1] = "in " .. i
            local gate = support.gate(baton.current())
            local fence = baton.current():fence()
            gate:open()
            baton.await(fence)
            order[#order + 1] = "out " .. i
            scope:finish()
            a:add(1)
         end)
      end
      tasks:run()
      assert.same({ "in 1", "out 1", "in 2", "out 2", "in 3", "out 3" }, order)
      assert.equal(3, a[1])
   end)

   it("take turns for fills and launches too", function()
      local tasks, a = baton.scheduler(), baton.zeros(1)
      tasks:spawn(function()
         local scope = baton.scope(nil, { a })
         baton.await(baton.current())
         coroutine.yield()
         scope:finish()
      end)
      tasks:spawn(function() a:fill(7) end)
      tasks:run()
      assert.equal(7, a[1])
   end)

   it("outside of a scheduler get an error that names both", function()
      local a, scope = baton.zeros(1), nil
      local co = coroutine.create(function() scope = baton.scope(nil, { a }) end)
      assert(coroutine.resume(co))
      local err = failure(a.fill, a, 1)
      assert.equal("BATON_ERR_WOULD_DEADLOCK", err.code)
      assert.matches("the main program wants memory " .. a.memory .. ", which " .. tostring(co):gsub("%p", "%%%0") .. " holds", err.message)
      scope:finish()
      a:fill(1)
   end)

   it("that wait for each other get an error that names both, and the others go on", function()
      local tasks, a, b = baton.scheduler(), baton.zeros(1), baton.zeros(1)
      local function taker(first, second)
         return function()
            local held = baton.scope(nil, { first })
            coroutine.yield()
            local ok, err = pcall(baton.scope, nil, { second })
            held:free()
            return ok, err
         end
      end
      local one, two = tasks:spawn(taker(a, b), "one"), tasks:spawn(taker(b, a), "two")
      if support.plain_5_1 then return end -- pcall is no place to yield from
      tasks:run()
      local ok_one, err_one = one:join()
      local ok_two, err_two = two:join()
      assert.is_true(ok_one ~= ok_two)
      local err = ok_one and err_two or err_one
      assert.equal("BATON_ERR_WOULD_DEADLOCK", err.code)
      assert.matches("one", tostring(err))
      assert.matches("two", tostring(err))
   end)

   it("one of which never lets go get an error instead of waiting for ever", function()
      local tasks, a = baton.scheduler(), baton.zeros(1)
      local scope = baton.scope(nil, { a })
      local task = tasks:spawn(function() a:fill(2) end, "late")
      local err = failure(tasks.run, tasks)
      assert.equal("late", err.wanted_by)
      assert.equal("the main program", err.held_by)
      assert.is_true(task.done)
      scope:finish()
   end)

   it("are told by indices too, which never yield", function()
      local a, scope = baton.zeros(2), nil
      local co = coroutine.create(function() scope = baton.scope(nil, { a }) end)
      assert(coroutine.resume(co))
      for _, use in ipairs { function() return a[1] end, function() a[1] = 2 end } do
         local err = failure(use)
         assert.equal("BATON_ERR_WOULD_DEADLOCK", err.code)
         assert.equal("the main program", err.wanted_by)
         assert.equal(tostring(co), err.held_by)
      end
      scope:finish()
   end)

   it("are told when it is their own scope", function()
      local a = baton.zeros(1)
      local err = failure(baton.managed, nil, { a }, function() a:fill(1) end)
      assert.equal("BATON_ERR_WOULD_DEADLOCK", err.code)
      assert.matches("an open scope of its own", err.message)
   end)
end)
