local baton = require "baton"
local support = require "support"
local test, failure = support.test, support.failure

describe("an array's memory", function()
   it("goes when the array is freed, at once and only once", function()
      support.collect()
      local live = baton.stats().live_bytes
      local a = baton.zeros(1000)
      assert.equal(live + 8000, baton.stats().live_bytes)
      a:free()
      a:free()
      baton.drain()
      assert.equal(live, baton.stats().live_bytes)
      assert.matches("got a freed one", tostring(failure(function() return a.shape end)))
   end)

   it("goes when the array is collected", function()
      support.collect()
      local live = baton.stats().live_bytes
      coroutine.wrap(function() baton.zeros(1000) end)()
      support.collect()
      assert.equal(live, baton.stats().live_bytes)
   end)

   it("stays while a view or a shared handle does", function()
      local a = baton.full(4, 3)
      local view, shared = a:slice(2, 3), a:share()
      a:free()
      assert.same({ 3, 3 }, view:totable())
      assert.same({ 3, 3, 3, 3 }, shared:totable())
   end)

   it("of many arrays is given back in one call", function()
      local list = { baton.zeros(1), baton.zeros(1) }
      list[1]:free()
      baton.free_all(list)
      assert.matches("freed", tostring(list[2]))
   end)

   it("is given back though others hold handles when it is disposed of", function()
      local a = baton.zeros(4)
      local other = a:share()
      assert.is_true(a:dispose())
      assert.equal("BATON_ERR_HANDLE", failure(other.fill, other, 1).code)
   end)

   if _VERSION == "Lua 5.4" then
      it("goes at the end of a block that closes the array", function()
         local seen = load([[
            local baton = require "baton"
            local kept
            do
               local a <close> = baton.zeros(1)
               kept = a
            end
            return tostring(kept)]])()
         assert.equal("baton.array (freed)", seen)
      end)
   end
end)

describe("garbage", function()
   local MEGABYTE = 1024 * 1024

   local function with_limit(bytes, f)
      support.collect()
      baton.memory_limit(baton.device_info().live_bytes + bytes)
      local ok, err = pcall(f)
      baton.memory_limit(0)
      assert(ok, tostring(err))
   end

   it("alone never ends in an error", function()
      with_limit(10 * MEGABYTE, function()
         for _ = 1, 500 do baton.empty(MEGABYTE, "u8") end
      end)
   end)

   it("of arithmetic never does, nor that of clones", function()
      with_limit(10 * MEGABYTE, function()
         local a = baton.ones(MEGABYTE / 8)
         for _ = 1, 50 do a = a + a:clone() - 1 end
         assert.equal(1, a[1])
      end)
   end)

   it("of resizing never does", function()
      with_limit(10 * MEGABYTE, function()
         for i = 1, 200 do baton.empty(1, "u8"):resize(MEGABYTE + i) end
      end)
   end)

   it("that a stopped collector leaves is collected when the device is short", function()
      collectgarbage "stop"
      local ok, err = pcall(with_limit, 4 * MEGABYTE, function()
         for _ = 1, 100 do baton.empty(MEGABYTE, "u8") end
      end)
      collectgarbage "restart"
      assert(ok, tostring(err))
   end)

   if _VERSION == "Lua 5.4" then
      it("of the generational collector never ends in an error", function()
         collectgarbage "generational"
         local ok, err = pcall(with_limit, 4 * MEGABYTE, function()
            for _ = 1, 300 do baton.empty(MEGABYTE, "u8") end
         end)
         collectgarbage "incremental"
         assert(ok, tostring(err))
      end)
   end

   it("steps the collector by the bytes of arrays", function()
      support.collect()
      local live, most = baton.stats().live_bytes, 0
      local limit = baton.device_info().total_bytes / 4
      local piece = math.floor(limit / 100)
      for _ = 1, 400 do
         baton.empty(piece, "u8")
         most = math.max(most, baton.stats().live_bytes - live)
      end
      assert.is_true(most < limit)
   end)

   it("that is none is an error with the numbers", function()
      support.collect()
      baton.memory_limit(baton.device_info().live_bytes + MEGABYTE)
      local kept = baton.empty(MEGABYTE / 2, "u8")
      local err = failure(baton.empty, MEGABYTE, "u8")
      baton.memory_limit(0)
      assert.equal("BATON_ERR_OOM", err.code)
      assert.equal(MEGABYTE / 2, kept.bytes)
      baton.trim()
   end)
end)

if support.soft then describe("foreign memory", function() -- memory of malloc, which a GPU does not know
   it("is given back by its deleter, once, after the last use", function()
      local address, deleter = test.memory(16)
      local deleted = test.deleted()
      local a = baton.wrap(address, 4, "f32", { kind = "host", deleter = deleter })
      a:upload { 1, 2, 3, 4 }
      assert.equal(4, test.peek(address, 4))
      assert.is_true(a:inspect().foreign)
      a:free()
      baton.drain()
      assert.equal(deleted + 1, test.deleted())
   end)

   it("that is read-only is not written", function()
      local a = baton.wrap(test.memory(16), 4, "f32", { kind = "host", read_only = true })
      assert.is_true(a:inspect().read_only)
      assert.is_string(failure(a.fill, a, 1).code)
   end)

   it("refuses two ways to be given back", function()
      local address, deleter = test.memory(16)
      assert.matches("either owner or deleter", tostring(failure(baton.wrap, address, 4, "f32", { owner = {}, deleter = deleter, kind = "host" })))
   end)
end) end

if support.soft then describe("an address", function()
   it("for foreign code waits for other streams' work", function()
      local s, a = baton.stream(), baton.zeros(2, "f32")
      a:fill(4, s)
      local address = a:pointer("read")
      assert.equal(4, test.peek(address, 2))
      assert.equal(a, a:note_use(s, "write"))
      assert.is_true(a:inspect().escaped)
   end)
end) end

describe("wrapped memory", function()
   it("is of the kind that the driver says when none is named", function()
      local host = baton.zeros(4, "f32", { kind = "host" })
      local view = baton.wrap(host:host_pointer(), 4, "f32", { owner = host })
      assert.equal("host", view.kind)
      view:fill(2):synchronize()
      assert.same({ 2, 2, 2, 2 }, host:totable())
   end)
end)
