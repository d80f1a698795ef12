-- What the specs share.
local baton = require "baton"
local test = require "baton_test"

local support = { test = test }

support.soft = baton.info().driver == "soft"
support.jit = rawget(_G, "jit") ~= nil
support.plain_5_1 = _VERSION == "Lua 5.1" and not support.jit
support.integers = math.type ~= nil

-- Kernels of the C module: parameters are named here.
function support.kernel(name)
   local parameters = {
      add_number = { "inout", "f32" }, copy_floats = { "out", "in" }, nothing = { "inout" }, describe = { "out" },
   }
   return baton.host_kernel(test.kernels()[name], name, parameters[name])
end

-- The error that f raises, as a table or text.
function support.failure(f, ...)
   local ok, err = pcall(f, ...)
   assert(not ok, "an error was expected")
   return err
end

-- How much a count of the library grows while f runs.
function support.growth(name, f)
   local before = baton.stats()[name]
   f()
   return baton.stats()[name] - before
end

function support.host_waits()
   local sum = 0
   for _, count in pairs(baton.stats().host_waits) do sum = sum + count end
   return sum
end

-- Collects until finalizers of finalizers have run, and gives back what they released.
function support.collect()
   collectgarbage()
   collectgarbage()
   baton.drain()
end

-- A closed gate on the stream. Earlier ones go first: pinned memory is freed behind all work, even behind a closed gate.
function support.gate(stream)
   support.collect()
   return stream:gate(20)
end

return support
