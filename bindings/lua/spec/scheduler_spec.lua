local baton = require "baton"
local support = require "support"
local failure = support.failure

describe("a scheduler", function()
   it("lets others run while a task waits for the GPU", function()
      local tasks, order = baton.scheduler(), {}
      local s = baton.stream()
      local gate = support.gate(s)
      tasks:spawn(function()
         baton.await(s)
         order[#order + 1] = "waited"
      end)
      tasks:spawn(function()
         order[#order + 1] = "other"
         gate:open()
      end)
      tasks:run()
      assert.same({ "other", "waited" }, order)
   end)

   it("gives each task a stream of its own, and uses it again later", function()
      local tasks, streams = baton.scheduler(), {}
      local function note() streams[#streams + 1] = baton.current():id() end
      tasks:spawn(note)
      tasks:spawn(note)
      tasks:run()
      tasks:spawn(note)
      tasks:run()
      assert.not_equal(streams[1], streams[2])
      assert.is_true(streams[3] == streams[1] or streams[3] == streams[2])
   end)

   it("passes arguments in, results out, and waits for other tasks", function()
      local tasks = baton.scheduler()
      local adder = tasks:spawn(function(a, b) return a + b, nil end, "adder", 2, 3)
      local seen
      tasks:spawn(function() seen = select("#", baton.await(adder)) .. ":" .. (adder:join()) end)
      tasks:run()
      assert.equal("2:5", seen)
      assert.equal(5, (adder:join()))
   end)

   it("runs downloads of tasks without blocking the thread", function()
      local tasks, order, s = baton.scheduler(), {}, baton.stream()
      local a = baton.zeros(2)
      local gate = support.gate(s)
      a:fill(6, s)
      tasks:spawn(function()
         assert.same({ 6, 6 }, a:totable())
         order[#order + 1] = "data"
      end)
      tasks:spawn(function()
         order[#order + 1] = "open"
         gate:open()
      end)
      tasks:run()
      assert.same({ "open", "data" }, order)
   end)

   it("sleeps until work is done when nobody can go on", function()
      local tasks, s = baton.scheduler(), baton.stream()
      s:gate(0.2) -- opens when its time is over
      local done
      tasks:spawn(function()
         baton.await(s)
         done = true
      end)
      tasks:run()
      assert.is_true(done)
   end)

   it("raises an error that nobody asked for after the others are done", function()
      local tasks, reason, ran = baton.scheduler(), {}, false
      local failed = tasks:spawn(function() error(reason) end)
      tasks:spawn(function() ran = true end)
      assert.equal(reason, failure(tasks.run, tasks))
      assert.is_true(ran)
      assert.equal(reason, failure(failed.join, failed))
      tasks:run()
   end)

   it("gives a task's error to the task that waits for it", function()
      if support.plain_5_1 then return end -- pcall is no place to yield from
      local tasks, reason, seen = baton.scheduler(), {}, nil
      local failed = tasks:spawn(function() error(reason) end)
      tasks:spawn(function()
         local _, err = pcall(failed.join, failed)
         seen = err
      end)
      tasks:run()
      assert.equal(reason, seen)
   end)

   it("tells tasks that wait for each other", function()
      local tasks = baton.scheduler()
      local one, two
      one = tasks:spawn(function() two:join() end, "one")
      two = tasks:spawn(function() one:join() end, "two")
      assert.matches("wait", tostring(failure(tasks.run, tasks)))
   end)

   it("cancels a task, and what it holds is released", function()
      local tasks, a = baton.scheduler(), baton.zeros(1)
      if support.plain_5_1 then return end -- managed is no place to yield from
      local task = tasks:spawn(function() baton.managed(nil, { a }, function() coroutine.yield() end) end)
      tasks:step()
      assert.is_true(a:inspect().lock_holder ~= 0)
      task:cancel()
      assert.is_true(task.cancelled)
      if not coroutine.close then support.collect() end
      assert.equal(0, a:inspect().lock_holder)
      tasks:run()
   end)

   it("steps, for those who have a loop of their own", function()
      local tasks, count = baton.scheduler(), 0
      tasks:spawn(function()
         for _ = 1, 3 do
            count = count + 1
            coroutine.yield()
         end
      end)
      assert.equal(1, tasks:step(0))
      assert.equal(1, count)
      while tasks:step(0) > 0 do assert.is_true(count <= 3) end
      assert.equal(3, count)
   end)
end)

describe("baton.await", function()
   it("outside of a task blocks", function()
      local a = baton.full(3, 1)
      assert.equal(a, baton.await(a))
      assert.is_true(a:ready())
      local fence = a:fence()
      assert.equal(fence, baton.await(fence))
   end)

   it("uses another scheduler's yield when it is told how", function()
      local s = baton.stream()
      local gate = support.gate(s)
      local fence = s:fence()
      baton.set_yield(function(waited)
         coroutine.yield(waited)
         return true
      end)
      local co = coroutine.create(function() return baton.await(fence) end)
      local _, waited = coroutine.resume(co)
      assert.equal(fence, waited)
      gate:open()
      fence:wait()
      local _, result = coroutine.resume(co)
      baton.set_yield(nil)
      assert.equal(fence, result)
      assert.equal("dead", coroutine.status(co))
   end)
end)
