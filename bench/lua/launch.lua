-- F15: one array launched on two streams in turn, from Lua and from C in the same process: launch.lua [launches per batch]
local baton = require "baton"
local bench = require "baton_bench"

local COUNT, BATCHES = tonumber(arg and arg[1]) or 2000, 40
local jit = rawget(_G, "jit")
local kernel
if baton.info().driver == "soft" then
   kernel = baton.host_kernel(bench.host_kernel(), "nothing", { "inout" })
else
   kernel = baton.module(bench.ptx()):kernel("bench_touch1", { "inout" })
end
local s, t, x = baton.stream(), baton.stream(), baton.zeros(512, "f32")

local function settle()
   s:synchronize()
   t:synchronize()
end

-- n times there and back: nanoseconds
local function raw(n) return bench.ping_pong(kernel, x, s, t, n) end

local function plain(n)
   local there, back = baton.launch_options { grid = 1, stream = s }, baton.launch_options { grid = 1, stream = t }
   local begin = bench.now()
   for _ = 1, n do
      kernel:launch(there, x)
      kernel:launch(back, x)
   end
   return bench.now() - begin
end

local prepared
if jit then
   local fast = require "baton.ffi"
   local there, back = fast.launch(kernel, { grid = 1, stream = s }, x), fast.launch(kernel, { grid = 1, stream = t }, x)
   local function loop(n)
      for _ = 1, n do
         there()
         back()
      end
   end
   function prepared(n)
      local begin = bench.now()
      loop(n)
      return bench.now() - begin
   end
end

local function median(list)
   table.sort(list)
   return list[math.floor(#list / 2) + 1]
end

-- Batch by batch in turn, so that a drifting machine moves both.
local function compare(name, body, goal)
   local ours, floor, ratios = {}, {}, {}
   for i = -4, BATCHES do
      local a, b = raw(COUNT), (settle() or body(COUNT))
      settle()
      if i > 0 then ours[#ours + 1], floor[#floor + 1], ratios[#ratios + 1] = b, a, b / a end
   end
   print(("%-24s %8.1f ns per launch, C %8.1f ns, %.3f times (goal %s)"):format(name, median(ours) / COUNT / 2, median(floor) / COUNT / 2,
      median(ratios), goal))
end

print(("%s on %s"):format(jit and jit.version or _VERSION, baton.info().driver))
compare("C against itself", raw, "1.00")
compare("kernel:launch", plain, jit and "none" or "1.12")
if prepared then compare("prepared launch", prepared, "1.08") end
