---@meta
-- Annotations for editors (LuaCATS). Nothing here is run.

---@alias baton.Dtype "bool"|"i8"|"i16"|"i32"|"i64"|"u8"|"u16"|"u32"|"u64"|"f16"|"bf16"|"f32"|"f64"|"c64"|"c128"
---@alias baton.Access "read"|"write"|"update"
---@alias baton.Wait "auto"|"spin"|"block"
---@alias baton.CaptureMode "global"|"thread"|"relaxed"
---@alias baton.Parameter "in"|"out"|"inout"|baton.Dtype
---@alias baton.Data table|string|number|boolean|ffi.cdata*|lightuserdata
---@alias baton.Range integer|true|{ [1]: integer?, [2]: integer?, [3]: integer? }
---@alias baton.Operand baton.Array|{ [1]: baton.Array, [2]: integer }
---@alias baton.Address lightuserdata|ffi.cdata*

---What is raised when a call of the library fails.
---@class baton.Error
---@field code string "BATON_ERR_SHAPE" …
---@field status integer
---@field message string one sentence
---@field where string where the caller was, or ""
---@field operation? string
---@field asynchronous? boolean earlier work on the GPU is to blame
---@field device? integer
---@field stream? integer
---@field memory? integer
---@field wanted_by? string with BATON_ERR_WOULD_DEADLOCK: the coroutine that wants the memory
---@field held_by? string … and the one that holds it

---@class baton.Options
---@field device? integer the stream's device by default
---@field kind? "device"|"host"|"unified" wrap: what the driver says it is
---@field stream? baton.Stream first owner; the coroutine's own by default
---@field strides? integer[] in elements
---@field shape? integer|integer[] of data that does not tell

---@class baton.WrapOptions: baton.Options
---@field read_only? boolean
---@field owner? any a Lua value that is kept as long as the memory is used
---@field deleter? baton.Address void (*)(void *user, uint64_t address), called on any thread
---@field user? baton.Address

---@class baton
---@field version_number integer
---@field abi_version integer
local baton = {}

---Opens the runtime of this Lua state; without it, the first use opens "auto". BLOCKS.
---@param driver? "auto"|"cuda"|"soft"|string
---@param host_wait? boolean every hand-over waits on the host, for comparison
function baton.open(driver, host_wait) end
---Closes it. Objects stay valid until they are released. BLOCKS.
function baton.close() end
---@return { driver: string, devices: integer, driver_version: integer, reason: string }
function baton.info() end
---@return integer how often the library is loaded in this process; more than 1: the copies know nothing of each other's arrays
function baton.process_copies() end
---@param device? integer
---@return table
function baton.device_info(device) end
---@return table counts since the runtime was opened
function baton.stats() end
---Gives back what was released. @return the bytes that became free
---@param most? integer
---@return number
function baton.drain(most) end
---@param keep_bytes? number
---@param device? integer
function baton.trim(keep_bytes, device) end
---@param bytes number 0: no limit
---@param device? integer
function baton.memory_limit(bytes, device) end
---@param capacity integer 0 stops
function baton.trace_start(capacity) end
---@param most? integer
---@return table[]
function baton.trace_read(most) end
---@return table<string, integer[]> offset and size of each struct and member of the library
function baton.layout() end
---@return integer # how often the library is loaded in this process; handles never pass from one copy to another
function baton.process_copies() end

---@param device? integer
---@param priority? integer lower is more urgent
---@return baton.Stream
function baton.stream(device, priority) end
---@param native baton.Address|1|2 a CUstream; 1: the legacy stream, 2: the per-thread stream
---@param device? integer
---@return baton.Stream
function baton.wrap_stream(native, device) end
---The handle of a stream that other code names by its number; made when there is none.
---@param native baton.Address|integer
---@param device? integer
---@return baton.Stream
function baton.adopt_stream(native, device) end
---The stream that the coroutine works on.
---@return baton.Stream
function baton.current() end
---Sets it. Returns the one that was set before, or nil.
---@param stream? baton.Stream
---@param coroutine? thread
---@return baton.Stream?
function baton.use(stream, coroutine) end
---@generic R
---@param stream baton.Stream
---@param f fun(...): R
---@return R
function baton.with_stream(stream, f, ...) end

---@param shape integer|integer[]
---@param dtype? baton.Dtype "f64"
---@param options? baton.Options
---@return baton.Array contents undefined
function baton.empty(shape, dtype, options) end
---@return baton.Array
function baton.zeros(shape, dtype, options) end
---@return baton.Array
function baton.ones(shape, dtype, options) end
---@return baton.Array
function baton.full(shape, value, dtype, options) end
---@param first number
---@param last number
---@param step? number
---@return baton.Array
function baton.range(first, last, step, dtype, options) end
---@param data baton.Data|baton.Array
---@param dtype? baton.Dtype
---@param options? baton.Options
---@return baton.Array
function baton.array(data, dtype, options) end
---@param address baton.Address
---@param shape integer|integer[]
---@param dtype baton.Dtype
---@param options? baton.WrapOptions
---@return baton.Array
function baton.wrap(address, shape, dtype, options) end
---@param managed baton.Address a DLManagedTensorVersioned *, taken over
---@param stream? baton.Stream whose work may still use it
---@return baton.Array
---@param legacy? boolean a DLManagedTensor * instead
function baton.from_dlpack(managed, stream, legacy) end
---@param device_array baton.Address an ArrowDeviceArray *, moved
---@param schema baton.Address an ArrowSchema *, which stays the caller's
---@param stream? baton.Stream without one the host waits for the producer's event
---@return baton.Array read-only
function baton.from_arrow(device_array, schema, stream) end
---@param description baton.Interface with owner: a Lua value that is kept while the memory is used
---@return baton.Array
function baton.from_interface(description) end
---@param value any
---@return boolean
function baton.is_array(value) end
---@param arrays baton.Array[]
function baton.free_all(arrays) end
---@param dtype baton.Dtype
---@return integer bytes
function baton.dtype_size(dtype) end

---@param left baton.Array|number
---@param right baton.Array|number
---@param to? baton.Array
---@param stream? baton.Stream
---@return baton.Array
function baton.add(left, right, to, stream) end
---@return baton.Array
function baton.subtract(left, right, to, stream) end
---@return baton.Array
function baton.multiply(left, right, to, stream) end
---@return baton.Array
function baton.divide(left, right, to, stream) end

---PTX, a cubin or a fatbin. BLOCKS.
---@param image string
---@param device? integer
---@return baton.Module
function baton.module(image, device) end
---CUDA C++. When the source is wrong: nil, the compiler's log, and the first error. BLOCKS.
---@param source string
---@param options? { name: string?, options: string[]?, expressions: string[]?, headers: table<string, string>?, tag: string?, no_cache: boolean? }
---@param device? integer
---@return baton.Module?, string log, string? message
function baton.compile(source, options, device) end
---Options for kernel:launch, read once, for launches that repeat.
---@param options baton.LaunchOptions
---@return baton.LaunchOptions
function baton.launch_options(options) end
---A C function as a kernel, on the software device.
---@param address baton.Address a baton_host_kernel
---@param name string
---@param parameters baton.Parameter[]
---@param device? integer
---@return baton.Kernel
function baton.host_kernel(address, name, parameters, device) end

---@param operand baton.Array
---@return baton.Operand
function baton.read(operand) end
---@return baton.Operand
function baton.write(operand) end
---@return baton.Operand
function baton.update(operand) end
---Locks the arrays, gives their addresses for work on the stream, and releases whatever happens.
---@async
---@generic R
---@param stream? baton.Stream
---@param operands baton.Operand[]
---@param body fun(pointers: lightuserdata[], scope: baton.Scope): R
---@return R
function baton.managed(stream, operands, body) end
---The same in one call of the library; the body must not yield, and can launch nothing on the arrays.
---@generic R
---@param body fun(pointers: lightuserdata[]): R
---@return R
function baton.with_managed(stream, operands, body) end
---@async
---@return baton.Scope
function baton.scope(stream, operands) end
---@param stream baton.Stream
---@param body fun(): any
---@param mode? baton.CaptureMode
---@return baton.Graph, any
function baton.capture(stream, body, mode) end

---@param device? integer
---@return baton.Scheduler
function baton.scheduler(device) end
---Waits until an array, stream, fence or task is done; in a task, others run meanwhile.
---@async
---@generic T
---@param thing T
---@return T
function baton.await(thing) end
---For another scheduler: f(fence or nil) yields in its coroutine, and returns true.
---@param f? fun(fence: baton.Fence?): boolean
function baton.set_yield(f) end
---@param fences baton.Fence[]
---@param seconds? number
---@return boolean
function baton.wait_any(fences, seconds) end

return baton
