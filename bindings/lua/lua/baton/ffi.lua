-- For LuaJIT: the library's own functions, and prepared calls that a compiled loop makes without leaving its trace. The objects are
-- those of require "baton": a prepared call keeps references of its own to what it uses, so that it outlives their free.
local ffi = require "ffi"
local core = require "baton.core"
local task = require "baton.task"

if not pcall(ffi.typeof, "baton_error") then ffi.cdef(require "baton.cdef") end
local C = ffi.load(core.library()) -- anchored in package.loaded; the library is never unloaded

local fast = { C = C }

-- ---- handles. Borrowed: good while the object lives and is not freed.

for _, name in ipairs { "array", "stream", "kernel", "module", "graph", "executable", "fence", "gate", "scope" } do
   local pointer, metatable = ffi.typeof("baton_" .. name .. " **"), core.metatables[name]
   fast[name] = function(object)
      if getmetatable(object) ~= metatable then error("baton." .. name .. " expected, got " .. type(object), 2) end
      local handle = ffi.cast(pointer, object)[0]
      if handle == nil then error("baton." .. name .. " expected, got a freed one", 2) end
      return handle
   end
end

-- ---- errors

function fast.error() return ffi.new("baton_error", { struct_size = ffi.sizeof("baton_error") }) end

local function record(status, err)
   local filled = err ~= nil and err.status == status and err.message[0] ~= 0
   local code = ffi.string(C.baton_status_name(status))
   return setmetatable({ status = status, code = code, where = "", message = filled and ffi.string(err.message) or code }, task.Error)
end

-- Raises what the status means. For a status of zero it does nothing.
function fast.check(status, err)
   if status ~= 0 then error(record(status, err), 2) end
end

local function is_blocked(status)
   return status == C.BATON_WOULD_BLOCK or status == C.BATON_ERR_WOULD_DEADLOCK or status == C.BATON_ERR_SCOPE_OPEN
end

-- ---- prepared calls: call() does it once more

local Call = {}
Call.__index = Call

-- The call was refused: lets the coroutine that holds the lock run, and tries again; or raises the error.
local function insist(call, status)
   while status ~= 0 do
      if not is_blocked(status) then error(record(status, call.err), 0) end
      task.turn(record(status, call.err), #call.arrays, unpack(call.arrays))
      status = call:once()
   end
end

local function prepared(call, stream)
   call.err, call.arrays, call.kept = fast.error(), call.arrays or {}, {}
   for i, array in ipairs(call.arrays) do call.kept[i] = array:share() end
   call.kept.stream = (stream or core.current()):share()
   call.stream = fast.stream(call.kept.stream)
   return call
end

local Launch = setmetatable({}, Call)
Launch.__index = Launch

function Launch:once()
   return C.baton_launch(self.kernel, self.options, self.arguments, self.count, self.err)
end

function Launch.__call(self)
   local status = C.baton_launch(self.kernel, self.options, self.arguments, self.count, self.err)
   if status ~= 0 then insist(self, status) end
end

local access = { ["in"] = 1, out = 2, inout = 3 }
local number_types = {
   bool = "uint8_t *", i8 = "int8_t *", i16 = "int16_t *", i32 = "int32_t *", i64 = "int64_t *", u8 = "uint8_t *", u16 = "uint16_t *",
   u32 = "uint32_t *", u64 = "uint64_t *", f32 = "float *", f64 = "double *",
}

-- The i-th argument for the launches from now on: an array where the kernel takes one, else a number.
function Launch:set(i, value)
   local kind, argument = self.parameters[i], self.arguments[i - 1]
   if access[kind] then
      self.kept[i] = value:share()
      self.arrays[i] = self.kept[i]
      argument.array, argument.access = fast.array(self.kept[i]), access[kind]
      return self
   end
   local place = self.values + 2 * (i - 1)
   local pointer = number_types[kind] or error("numbers of type " .. kind .. " are not for prepared launches", 2)
   ffi.cast(pointer, place)[0] = value
   argument.data, argument.bytes = place, core.dtype_size(kind)
   return self
end

local function sizes(target, given)
   if type(given) == "number" then given = { given } end
   for i, size in ipairs(given or {}) do target[i - 1] = size end
end

-- A launch of the kernel: options as for kernel:launch, then its arguments.
function fast.launch(kernel, options, ...)
   if type(options) == "number" then options = { grid = options } end
   local parameters = kernel:parameters()
   local count = #parameters
   if select("#", ...) ~= count then error("the kernel takes " .. count .. " arguments", 2) end
   local call = prepared(setmetatable({ parameters = parameters, count = count }, Launch), options.stream)
   call.kept.kernel = kernel:share()
   call.kernel = fast.kernel(call.kept.kernel)
   call.arguments, call.values = ffi.new("baton_argument[?]", math.max(count, 1)), ffi.new("uint64_t[?]", 2 * count + 2)
   call.options = ffi.new("baton_launch_options", { struct_size = ffi.sizeof("baton_launch_options"), stream = call.stream })
   sizes(call.options.grid, options.grid)
   sizes(call.options.block, options.block)
   sizes(call.options.cluster, options.cluster)
   call.options.shared_bytes = options.shared or 0
   call.options.flags = options.cooperative and C.BATON_LAUNCH_COOPERATIVE or 0
   for i = 1, count do call:set(i, (select(i, ...))) end
   return call
end

-- Defines a kind of prepared call: f(call) is the call itself.
local function kind(once)
   local made = setmetatable({ once = once }, Call)
   made.__index = made
   function made.__call(self)
      local status = once(self)
      if status ~= 0 then insist(self, status) end
   end
   return made
end

local Copy = kind(function(self) return C.baton_copy(self.to, self.from, self.stream, self.err) end)
function fast.copy(to, from, stream)
   local call = prepared(setmetatable({ arrays = { to, from } }, Copy), stream)
   call.to, call.from = fast.array(call.kept[1]), fast.array(call.kept[2])
   return call
end

local Fill = kind(function(self) return C.baton_fill(self.array, self.value, self.bytes, self.stream, self.err) end)
function fast.fill(array, value, stream)
   local call = prepared(setmetatable({ arrays = { array } }, Fill), stream)
   local pointer = number_types[array.dtype] or error("numbers of type " .. array.dtype .. " are not for prepared fills", 2)
   call.array, call.value, call.bytes = fast.array(call.kept[1]), ffi.new("uint64_t[2]"), core.dtype_size(array.dtype)
   ffi.cast(pointer, call.value)[0] = value
   return call
end

local Upload = kind(function(self) return C.baton_upload(self.array, self.data, self.bytes, self.stream, self.err) end)
-- data: a cdata array of the array's size; its values at each call count.
function fast.upload(array, data, stream)
   local call = prepared(setmetatable({ arrays = { array } }, Upload), stream)
   call.array, call.data, call.bytes = fast.array(call.kept[1]), data, array.bytes
   if ffi.sizeof(data) ~= call.bytes then error(("a cdata of %d bytes expected"):format(call.bytes), 2) end
   return call
end

local Download = kind(function(self) return C.baton_download(self.data, self.bytes, self.array, self.stream, self.err) end)
function fast.download(array, data, stream)
   local call = prepared(setmetatable({ arrays = { array } }, Download), stream)
   call.array, call.data, call.bytes = fast.array(call.kept[1]), data, array.bytes
   if ffi.sizeof(data) ~= call.bytes then error(("a cdata of %d bytes expected"):format(call.bytes), 2) end
   return call
end

local Graph = kind(function(self) return C.baton_graph_launch(self.executable, self.stream, self.err) end)
function fast.graph(executable, stream)
   local call = prepared(setmetatable({}, Graph), stream)
   call.kept.executable = executable:share()
   call.executable = fast.executable(call.kept.executable)
   return call
end

return fast
