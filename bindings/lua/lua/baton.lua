--- Baton: GPU arrays that pass between tasks and streams in order, without stalling the host. README has the rules.
local core = require "baton.core"
if core.baton then return core.baton end -- loaded again: there are objects of the first time
local task = require "baton.task"
local host = require "baton.host"
local arithmetic = require "baton.arithmetic"
local show = require "baton.show"
local scheduler = require "baton.scheduler"

local baton = {
   _VERSION = "baton 0.1.0", version_number = core.version_number, abi_version = core.abi_version,
   open = core.open, close = core.close, info = core.info, device_info = core.device_info, stats = core.stats,
   drain = core.drain, trim = core.trim, memory_limit = core.memory_limit,
   trace_start = core.trace_start, trace_read = core.trace_read, layout = core.layout, process_copies = core.process_copies,
   stream = core.stream, wrap_stream = core.wrap_stream, current = core.current, use = core.use,
   launch_options = core.launch_options,
   module = core.module, compile = core.compile, empty = core.empty, from_dlpack = core.from_dlpack, from_arrow = core.from_arrow,
   from_interface = core.from_interface, adopt_stream = core.adopt_stream,
   free_all = core.free_all, wait_any = core.wait_any, dtype_size = core.dtype_size,
   scheduler = scheduler, await = task.await, set_yield = task.set_yield, with_managed = task.patient(core.with_managed),
}
local unpack = table.unpack or unpack

-- ---- methods: locks of other coroutines become yields; what would block a task becomes one too

local array, stream = core.array_methods, core.stream_methods
for _, name in ipairs { "fill", "copy", "upload", "resize", "synchronize", "wait_for", "ready", "fence", "set_synchronizing", "dispose",
                        "pointer", "host_pointer", "note_use", "dlpack", "arrow", "interface", "download", "download_async", "totable", "item" } do
   array[name] = task.patient(array[name])
end
for _, name in ipairs { "download", "totable", "item", "synchronize" } do array[name] = task.gentle(array[name]) end
core.kernel_methods.launch = task.patient(core.kernel_methods.launch)
core.executable_methods.launch = task.patient(core.executable_methods.launch)
for _, name in ipairs { "add", "pointer" } do core.scope_methods[name] = task.patient(core.scope_methods[name]) end
core.scope_methods.await = nil

local upload, download = array.upload, array.download
function array:upload(data, on) return upload(self, host.bytes(data, self.bytes), on) end
function array:download(into, on) return download(self, into and host.bytes(into, self.bytes), on) end

core.array_metatable.__tostring = show
array.await, stream.await = task.await, task.await

-- A contiguous array with the same values.
function array:clone(on)
   return core.empty(self.shape, self.dtype, { stream = on, device = self.device, kind = self.kind }):copy(self, on)
end
array.cast = arithmetic.cast
for name in pairs { add = true, subtract = true, multiply = true, divide = true } do
   array[name] = function(self, other, on) return arithmetic.apply(name, self, other, self, on) end
   baton[name] = function(left, right, to, on) return arithmetic.apply(name, left, right, to, on) end
end

-- ---- making arrays

function baton.full(shape, value, dtype, options)
   return core.empty(shape, dtype, options):fill(value, options and options.stream)
end
function baton.zeros(shape, dtype, options) return baton.full(shape, 0, dtype, options) end
function baton.ones(shape, dtype, options) return baton.full(shape, 1, dtype, options) end

local range = task.patient(core.range)
-- first, first + step … up to last, as in a numeric for.
function baton.range(first, last, step, dtype, options)
   step = step or 1
   if step == 0 then error("the step is 0", 2) end
   local count = math.max(0, math.floor((last - first) / step) + 1)
   return range(core.empty(count, dtype, options), first, step, options and options.stream)
end

local function described(data, dtype, options)
   if options and options.shape then return options.shape, dtype end
   if type(data) == "string" then return #data / core.dtype_size(dtype or "f64"), dtype end
   if type(data) == "cdata" then
      local own, shape = host.describe(data)
      if not shape or not (dtype or own) then error("say the shape and element type of what the pointer points to", 3) end
      return shape, dtype or own
   end
   return core.shape_of(data, dtype or "f64"), dtype
end

-- An array with the data of nested tables, a string, a number, a cdata, or another array.
function baton.array(data, dtype, options)
   if getmetatable(data) == core.array_metatable then
      if not dtype or dtype == data.dtype then return data:clone(options and options.stream) end
      return data:cast(dtype, options and options.stream)
   end
   local shape, own = described(data, dtype, options)
   return core.empty(shape, own, options):upload(data, options and options.stream)
end

-- Memory that somebody else made: see README for who keeps it alive.
function baton.wrap(address, shape, dtype, options)
   if type(address) == "cdata" then
      options = options or {}
      if options.owner == nil and not options.deleter then options.owner = address end
      address = host.bytes(address, host.describe(address) and require("ffi").sizeof(address))
   end
   return core.wrap(address, shape, dtype, options)
end

-- How an operand of a scope is used; without one of these it is read and written.
function baton.read(operand) return { operand, 1 } end
function baton.write(operand) return { operand, 2 } end
function baton.update(operand) return { operand, 3 } end

function baton.is_array(value) return type(value) == "userdata" and getmetatable(value) == core.array_metatable end
function baton.host_kernel(address, ...) return core.host_kernel(host.bytes(address), ...) end

-- ---- the coroutine's stream

local function restore(previous, ok, ...)
   core.use(previous)
   if not ok then error((...), 0) end
   return ...
end

-- Calls f(...) with the stream as the coroutine's own. (On Lua 5.1, f must not yield.)
function baton.with_stream(on, f, ...)
   return restore(core.use(on), pcall(f, ...))
end

-- ---- scopes

local scope = task.patient(core.scope)
function baton.scope(on, operands) return scope(on, operands) end

local function finish(opened, previous, ok, ...)
   core.use(previous)
   if not ok then
      opened:free()
      error((...), 0)
   end
   opened:finish()
   opened:free()
   return ...
end

local function managed(on, operands, body)
   on = on or core.current()
   local opened = scope(on, operands)
   return finish(opened, core.use(on), pcall(body, opened:pointers(), opened))
end

-- coroutine.close runs what is to be closed, and nothing else.
local closing = [[
local scope, use, current, setmetatable = ...
local restoring = { __close = function(previous) use(previous[1]) end }
return function(on, operands, body)
   on = on or current()
   local opened <close> = scope(on, operands)
   local previous <close> = setmetatable({ use(on) }, restoring)
   return body(opened:pointers(), opened)
end]]
if coroutine.close then
   local made = load(closing, "=baton.managed")
   managed = made and made(scope, core.use, core.current, setmetatable) or managed
end

--- Locks the arrays, orders the stream behind their uses, calls body(pointers, scope) with the stream as the coroutine's own, and
--- unlocks whatever happens. Returns what the body returns.
baton.managed = managed

-- ---- captures

-- What body() submits to the stream becomes a graph instead of running.
function baton.capture(on, body, mode)
   on:capture_begin(mode)
   local previous = core.use(on)
   local results = { pcall(body) }
   core.use(previous)
   if not results[1] then
      on:capture_abandon()
      error(results[2], 0)
   end
   return on:capture_end(), unpack(results, 2)
end

local capture_run = stream.capture_run
-- As the C function, with the stream as the coroutine's own in the body.
function stream:capture_run(body, executable, mode)
   return capture_run(self, function() baton.with_stream(self, body) end, executable, mode)
end

core.baton = baton
return baton
