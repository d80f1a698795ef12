-- A pipeline of tasks on one thread: each has a stream of its own, and while one waits for the GPU the others run.
-- prints: frame 1: mean 2.5
-- prints: frame 2: mean 3.5
-- prints: frame 3: mean 4.5
local baton = require "baton"

local tasks = baton.scheduler()
local results = {}

local function frame(number)
   local image = baton.range(1, 4) + (number - 1)
   local sum = 0
   for _, value in ipairs(image:totable()) do sum = sum + value end -- in a task this lets others run
   results[number] = sum / 4
end

for number = 1, 3 do tasks:spawn(frame, "frame " .. number, number) end
tasks:run()
for number, mean in ipairs(results) do print(("frame %d: mean %g"):format(number, mean)) end
