-- Captured once, launched often, on whichever stream.
-- prints: 1024
local baton = require "baton"

local a, b = baton.stream(), baton.stream()
local x = baton.ones(1, "i32", { stream = a })
local double = baton.capture(a, function() x:add(x) end):instantiate()
for i = 1, 10 do double:launch(i % 2 == 0 and a or b) end
print(x[1])
