-- What each Lua state of threads.c does: arrays, streams and garbage under a limit. Finalizers and collections stay on the thread.
local baton = require "baton"

local watched = 0
local function watch()
   local function finalizer()
      assert(here(), "a finalizer on another thread")
      watched = watched + 1
   end
   if newproxy then
      getmetatable(newproxy(true)).__gc = finalizer
   else
      setmetatable({}, { __gc = finalizer })
   end
end

baton.memory_limit(1024 * 1024)
local s, t = baton.stream(), baton.stream()
local x = baton.zeros(8, "f32", { stream = s })
for i = 1, 300 do
   watch()
   baton.empty(100 * 1024, "u8"):fill(1, i % 2 == 0 and s or t)
   x:add(1, i % 2 == 0 and s or t)
end
assert(x[8] == 300)

-- A closed runtime says so; what is alive can still be released.
local kept = baton.zeros(4)
baton.close()
local ok, message = pcall(baton.stream)
assert(not ok and message:match "the runtime is closed", message)
assert(not pcall(kept.totable, kept), "a closed runtime works")
kept:free()
baton.close()
assert(watched > 0, "the collector never ran")
