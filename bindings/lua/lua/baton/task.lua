-- Coroutines and waiting: what becomes a yield, what becomes an error, and the scheduler's inner side.
local core = require "baton.core"
if core.task then return core.task end

local task = {}
core.task = task

-- ---- errors: tables with code, status, message and more; as text, one sentence

local Error = { __name = "baton.error" }
Error.__index = Error
function Error.__tostring(err)
   return (err.where or "") .. err.message .. " (" .. err.code .. ")"
end
function Error.__concat(left, right)
   return tostring(left) .. tostring(right)
end
local refuse
local BLOCKED = core.errors(Error, function(refused, array) refuse(refused, array) end)
task.Error = Error

-- ---- names

local MAIN = "the main program"
local names = setmetatable({}, { __mode = "k" })
local records = setmetatable({}, { __mode = "k" }) -- coroutine -> the scheduler's record
local waits_for = setmetatable({}, { __mode = "kv" }) -- coroutine -> the coroutine that holds what it wants
local counter = 0

function task.running()
   local coroutine_, is_main = coroutine.running()
   if coroutine_ == nil or is_main then return MAIN end
   return coroutine_
end

function task.name(coroutine_, name)
   if name then names[coroutine_] = name end
   if coroutine_ == nil then return "code that Lua does not know" end
   if coroutine_ == MAIN then return MAIN end
   return names[coroutine_] or tostring(coroutine_)
end

-- The scheduler's own: its tasks yield what they wait for.
function task.adopt(coroutine_, record, name)
   counter = counter + 1
   records[coroutine_] = record
   names[coroutine_] = name or ("task " .. counter)
   return counter
end

function task.abandon(coroutine_)
   records[coroutine_] = nil
   waits_for[coroutine_] = nil
end

-- ---- yielding

local foreign_yield
-- For a scheduler that is not this one's: f(fence) is called in its coroutines (with nil when a lock is wanted) instead of
-- blocking; it yields, and returns true, or returns false when it cannot.
function task.set_yield(f) foreign_yield = f end

-- Lets others run until `what` (a fence, a task, TURN) may be over. False: this coroutine cannot.
task.TURN, task.DEADLOCK = {}, {}
local function let_run(what)
   local me = task.running()
   if records[me] then return coroutine.yield(what) ~= task.DEADLOCK end
   if me ~= MAIN and foreign_yield then return foreign_yield(what ~= task.TURN and what or nil) end
   return false
end

-- ---- locks that others hold

local function memory_of(value)
   if type(value) == "table" then value = value[1] end
   if type(value) == "userdata" and getmetatable(value) == core.array_metatable then return value.memory end
end

local function holder_of_memory(memory)
   local holder = core.holder(memory)
   return holder == true and MAIN or holder
end

local function holder_of(count, ...)
   for i = 1, count do
      local value = select(i, ...)
      local memory = memory_of(value)
      local holder = memory and holder_of_memory(memory)
      if holder then return holder, memory end
      if type(value) == "table" and not memory then
         for j = 1, #value do
            memory = memory_of(value[j])
            holder = memory and holder_of_memory(memory)
            if holder then return holder, memory end
         end
      end
   end
end

local function circle(me, holder)
   local steps = 0
   while holder and steps < 1000 do
      if me == holder then return true end
      holder, steps = waits_for[holder], steps + 1
   end
   return false
end

local function raise(refused, me, holder, memory)
   local what = memory and ("memory " .. memory) or "memory"
   if me == holder then
      refused.message = task.name(me) .. " wants " .. what .. ", which an open scope of its own holds"
   else
      refused.message = ("%s wants %s, which %s holds in an open scope: neither can go on"):format(task.name(me), what, task.name(holder))
   end
   refused.code, refused.memory, refused.wanted_by, refused.held_by = "BATON_ERR_WOULD_DEADLOCK", memory, task.name(me), task.name(holder)
   error(refused, 0)
end

function refuse(refused, ...)
   local holder, memory = holder_of(select("#", ...), ...)
   raise(refused, task.running(), holder, memory)
end

local function turn(refused, count, ...)
   local me, holder, memory = task.running(), holder_of(count, ...)
   if circle(me, holder) then raise(refused, me, holder, memory) end
   waits_for[me] = holder
   local went = let_run(task.TURN)
   waits_for[me] = nil
   if not went then raise(refused, me, holder, memory) end
end

task.turn = turn

-- A C function, so that another coroutine's lock makes the caller wait its turn.
function task.patient(operation)
   local function patient(...)
      local result, refused = operation(...)
      while result == BLOCKED do
         turn(refused, select("#", ...), ...)
         result, refused = operation(...)
      end
      return result
   end
   return core.directly and core.directly(operation, patient) or patient
end

-- The same where a yield cannot pass: metamethods of Lua 5.1.
function task.impatient(operation)
   return function(...)
      local result, refused = operation(...)
      if result == BLOCKED then refuse(refused, ...) end
      return result
   end
end

-- ---- waiting for the GPU

local function is_fence(thing)
   return getmetatable(thing) == core.fence_metatable
end

-- Waits until the array, stream or fence is done. Tasks of a scheduler let the others run meanwhile; elsewhere it blocks.
function task.await(thing)
   if type(thing) == "table" and thing.join then return thing:join() end
   local fence = is_fence(thing) and thing or thing:fence()
   while not fence:ready() do
      if not let_run(fence) then
         fence:wait()
         break
      end
   end
   if fence ~= thing then fence:free() end
   return thing
end

-- A patient operation on an array that would block the thread: in a task, the others run until the array's work is done.
function task.gentle(operation)
   return function(array, ...)
      if records[task.running()] then task.await(array) end
      return operation(array, ...)
   end
end

task.let_run = let_run
function task.inside() return records[task.running()] ~= nil end
return task
