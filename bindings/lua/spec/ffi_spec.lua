local support = require "support"
if not support.jit then return end

local baton = require "baton"
local fast = require "baton.ffi"
local ffi = require "ffi"
local failure = support.failure

describe("LuaJIT's layer", function()
   it("reads the handles of the same objects", function()
      local a = baton.zeros(3)
      local info = ffi.new("baton_array_info", { struct_size = ffi.sizeof("baton_array_info") })
      fast.check(fast.C.baton_array_info_read(fast.array(a), info, nil))
      assert.equal(3, tonumber(info.shape[0]))
      assert.matches("baton.stream expected", tostring(failure(fast.stream, a)))
      a:free()
      assert.matches("freed", tostring(failure(fast.array, a)))
   end)

   it("has the layout of the library's structs", function()
      for name, place in pairs(baton.layout()) do
         local struct, member = name:match("^([%w_]+)%.?([%w_]*)$")
         if member == "" then
            assert.equal(place[2], ffi.sizeof(struct), name)
         else
            assert.equal(place[1], ffi.offsetof(struct, member), name)
         end
      end
   end)

   it("fills, copies, uploads and downloads again and again", function()
      local a, b, host = baton.zeros(3, "f32"), baton.zeros(3, "f32"), ffi.new("float[3]", 1, 2, 3)
      local up, copy, down, fill = fast.upload(a, host), fast.copy(b, a), fast.download(b, host), fast.fill(a, 9)
      up()
      copy()
      fill()
      down()
      assert.same({ 1, 2, 3 }, { host[0], host[1], host[2] })
      assert.same({ 9, 9, 9 }, a:totable())
   end)

   it("keeps what a prepared call uses", function()
      local a, b = baton.zeros(1), baton.ones(1)
      local seen = a:share()
      local copy = fast.copy(a, b)
      a:free()
      b:free()
      support.collect()
      copy()
      assert.equal(1, seen[1])
   end)

   it("launches graphs", function()
      local s, a = baton.stream(), baton.zeros(1)
      local launch = fast.graph(baton.capture(s, function() a:add(1) end):instantiate(), s)
      for _ = 1, 10 do launch() end
      assert.equal(10, a[1])
   end)

   it("raises errors, and names who holds a lock", function()
      local a = baton.zeros(1)
      local fill = fast.fill(a, 1)
      local scope = baton.scope(nil, { a })
      local err = failure(fill)
      assert.equal("BATON_ERR_WOULD_DEADLOCK", err.code)
      assert.equal("the main program", err.held_by)
      scope:finish()
      fill()
      assert.equal("BATON_ERR_SHAPE", failure(fast.copy(a, baton.zeros(2))).code)
   end)

   it("takes turns in a scheduler", function()
      local tasks, a = baton.scheduler(), baton.zeros(1)
      local fill = fast.fill(a, 5)
      tasks:spawn(function()
         local scope = baton.scope(nil, { a })
         coroutine.yield()
         scope:finish()
      end)
      tasks:spawn(function() fill() end)
      tasks:run()
      assert.equal(5, a[1])
   end)

   if support.soft then
      it("launches kernels, whose arguments can be exchanged", function()
         local a, b = baton.zeros(2, "f32"), baton.zeros(2, "f32")
         local launch = fast.launch(support.kernel "add_number", { grid = 2 }, a, 1.5)
         launch()
         launch:set(2, 2)()
         launch:set(1, b)()
         assert.same({ 3.5, 3.5 }, a:totable())
         assert.same({ 2, 2 }, b:totable())
         assert.matches("takes 2 arguments", tostring(failure(fast.launch, support.kernel "add_number", 1, a)))
      end)

      -- With the compiler's usual idea of what is hot; the suite also runs with everything compiled at once.
      if os.getenv "BATON_TEST_HOT" then return end
      it("makes a hot loop that is one trace, without a call to the interpreter", function()
         local vmdef, util = require "jit.vmdef", require "jit.util"
         local a = baton.zeros(1, "f32")
         local s, t = baton.stream(), baton.stream()
         local there = fast.launch(support.kernel "add_number", { grid = 1, stream = s }, a, 1)
         local back = fast.launch(support.kernel "add_number", { grid = 1, stream = t }, a, 1)
         local started, stopped, aborted = {}, {}, {}
         local function watch(what, trace, func, _, code, reason)
            if what == "start" then
               started[trace] = util.funcinfo(func).loc
            elseif what == "stop" then
               stopped[trace] = util.traceinfo(trace).linktype
            elseif what == "abort" then
               reason = type(reason) == "function" and util.funcinfo(reason).loc or reason
               aborted[#aborted + 1] = vmdef.traceerr[code]:format(reason)
            end
         end
         jit.flush()
         local function ping_pong(n)
            for _ = 1, n do
               there()
               back()
            end
         end
         jit.attach(watch, "trace")
         ping_pong(2000)
         jit.attach(watch)
         assert.same({}, aborted)
         local loops = 0
         for trace, link in pairs(stopped) do
            loops = loops + (link == "loop" and started[trace]:match("ffi_spec") and 1 or 0)
         end
         assert.equal(1, loops)
         assert.equal(4000, a[1])
      end)
   end
end)
