-- Two streams, one array, and nobody synchronizes: the second use is ordered behind the first one on the GPU.
-- prints: 42 42 42 42
local baton = require "baton"

local a, b = baton.stream(), baton.stream()
local x = baton.zeros(4, "f32", { stream = a })
x:fill(40, a)
x:add(2, b)
print(("%g %g %g %g"):format(x[1], x[2], x[3], x[4]))
