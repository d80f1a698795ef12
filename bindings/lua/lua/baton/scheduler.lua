-- Many tasks on one thread: each is a coroutine with a stream of its own. While one waits for the GPU, others run.
local core = require "baton.core"
local task = require "baton.task"

local Scheduler, Task = {}, {}
Scheduler.__index, Task.__index = Scheduler, Task
Scheduler.__name, Task.__name = "baton.scheduler", "baton.task"

local ROUNDS_AWAKE = 50 -- rounds in which nothing moved before the thread sleeps

local function scheduler(device)
   return setmetatable({ device = device or 0, tasks = {}, streams = {}, failed = {}, idle = 0 }, Scheduler)
end

local function stream_for(self)
   return table.remove(self.streams) or core.stream(self.device)
end

-- Starts f(...) as a task; it runs from the next round on.
function Scheduler:spawn(f, name, ...)
   local count, arguments = select("#", ...), { ... }
   local unpack = table.unpack or unpack
   local made = setmetatable({ scheduler = self, stream = stream_for(self), done = false }, Task)
   made.coroutine = coroutine.create(function() return f(unpack(arguments, 1, count)) end)
   made.stream:set_task(task.adopt(made.coroutine, made, name))
   made.name = task.name(made.coroutine)
   core.use(made.stream, made.coroutine)
   self.tasks[#self.tasks + 1] = made
   return made
end

local function over(made)
   local self = made.scheduler
   task.abandon(made.coroutine)
   core.use(nil, made.coroutine)
   made.done, made.wants = true, nil
   self.streams[#self.streams + 1] = made.stream
   for i, other in ipairs(self.tasks) do
      if other == made then
         table.remove(self.tasks, i)
         break
      end
   end
end

local function settle(made, ok, ...)
   if coroutine.status(made.coroutine) ~= "dead" then
      made.wants = (...)
      return
   end
   over(made)
   if ok then
      made.results = { n = select("#", ...), ... }
   else
      made.error = (...)
      table.insert(made.scheduler.failed, made)
   end
end

-- Whether the task may go on: nothing wanted, or what it wants is there. An error counts as there: the task meets it.
local function may_go(made)
   local wants = made.wants
   if wants == nil or wants == task.TURN then return true end
   if getmetatable(wants) == Task then return wants.done end
   local ok, ready = pcall(wants.ready, wants)
   return not ok or ready
end

-- Resumes what can go on. Returns whether anything moved: a task that again wants its turn has not.
local function round(self)
   local moved = false
   local now = { (table.unpack or unpack)(self.tasks) }
   for _, made in ipairs(now) do
      if not made.done and may_go(made) then
         local turned = made.wants == task.TURN
         settle(made, coroutine.resume(made.coroutine))
         moved = moved or made.done or not (turned and made.wants == task.TURN)
      end
   end
   return moved
end

local function fences_wanted(self)
   local fences = {}
   for _, made in ipairs(self.tasks) do
      if getmetatable(made.wants) == core.fence_metatable then fences[#fences + 1] = made.wants end
   end
   return fences
end

-- Nothing will ever move: everyone left wants a lock or another task. The first gets the error.
local function break_deadlock(self)
   local first = self.tasks[1]
   for _, made in ipairs(self.tasks) do
      if made.wants == task.TURN then
         first = made
         break
      end
   end
   settle(first, coroutine.resume(first.coroutine, task.DEADLOCK))
end

-- One round; when nothing could move, sleeps until work on the GPU is done, at most `seconds`. Returns how many tasks are left.
function Scheduler:step(seconds)
   if round(self) then
      self.idle = 0
   elseif #self.tasks > 0 then
      self.idle = self.idle + 1
      local fences = fences_wanted(self)
      if #fences == 0 then
         break_deadlock(self)
      elseif self.idle > ROUNDS_AWAKE then
         core.wait_any(fences, seconds)
      end
   end
   return #self.tasks
end

-- Until all tasks are done. Then raises the first error that no other task has asked for.
function Scheduler:run()
   while #self.tasks > 0 do self:step() end
   local failed = self.failed
   self.failed = {}
   for _, made in ipairs(failed) do
      if not made.asked then error(made.error, 0) end
   end
end

-- In a task: waits for the other task, and returns what it returned, or raises its error.
function Task:join()
   while not self.done do
      if not task.let_run(self) then
         if task.inside() then error(("%s waits for %s, and nobody can go on"):format(task.name(task.running()), self.name), 0) end
         self.scheduler:step()
      end
   end
   self.asked = true
   if self.error ~= nil then error(self.error, 0) end
   return (table.unpack or unpack)(self.results or {}, 1, self.results and self.results.n or 0)
end

-- Ends it where it is. With Lua 5.4 what it holds is released now, else when it is collected.
function Task:cancel()
   if self.done then return end
   over(self)
   if coroutine.close then coroutine.close(self.coroutine) end
   self.error, self.cancelled = "the task was cancelled", true
   self.coroutine = nil
end

return scheduler
