-- What wants a small heap and a stack without strangers: garbage in masses, and when exactly a value is let go.
local baton = require "baton"
local test = require "baton_test"

local function collect()
   collectgarbage()
   collectgarbage()
   baton.drain()
end

-- Garbage alone never ends in an error: ten arrays fit, many thousands are made.
do
   local MEGABYTE = 1024 * 1024
   baton.memory_limit(10 * MEGABYTE)
   for _ = 1, 20000 do baton.empty(MEGABYTE, "u8") end
   local tasks = baton.scheduler()
   for _ = 1, 8 do
      tasks:spawn(function()
         for _ = 1, 200 do
            baton.empty(MEGABYTE, "u8"):fill(1)
            coroutine.yield()
         end
      end)
   end
   tasks:run()
   baton.memory_limit(0)
end

-- The value that foreign memory lives in is kept as long as the memory is used, and no longer.
do
   local watched = setmetatable({}, { __mode = "v" })
   local function alive() return watched[1] ~= nil end
   local first, second = (test.memory(16)), (test.memory(16))
   local function wrapped()
      local owner = {}
      watched[1] = owner
      return (baton.wrap(first, 4, "f32", { kind = "host", owner = owner }))
   end
   local array = coroutine.wrap(wrapped)()
   collect()
   assert(coroutine.wrap(alive)(), "the owner is gone while its array lives")
   array:free()
   baton.drain()
   baton.wrap(second, 4, "f32", { kind = "host" }):free()
   collect()
   assert(not coroutine.wrap(alive)(), "the owner is kept though its array is gone")
   baton.drain()
   test.forget(first)
   test.forget(second)
end

-- Everything that lives when the state is closed goes in some order.
_G.kept = { baton.zeros(4), baton.stream(), baton.scope(nil, { baton.zeros(1) }), baton.current():fence() }
print "plain: good"
