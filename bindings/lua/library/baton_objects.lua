---@meta _
-- The objects of baton.lua beside this file.

---What __cuda_array_interface__ says.
---@class baton.Interface
---@field address baton.Address
---@field stream baton.Address|integer
---@field typestr string
---@field shape integer[]
---@field strides? integer[] in bytes
---@field read_only? boolean
---@field contiguous? boolean
---@field device? integer
---@field device_type? integer
---@field owner? any

---@class baton.Array
---@field shape integer[]
---@field strides integer[] in elements
---@field dtype baton.Dtype
---@field ndim integer
---@field size integer elements
---@field bytes integer
---@field kind "device"|"host"|"unified"
---@field device integer
---@field memory integer number of its memory, which views share
---@field [integer] any an element (BLOCKS), or the view of a row
---@operator add(baton.Array|number): baton.Array
---@operator sub(baton.Array|number): baton.Array
---@operator mul(baton.Array|number): baton.Array
---@operator div(baton.Array|number): baton.Array
---@operator unm: baton.Array
---@operator len: integer
local Array = {}
---@param value any
---@param stream? baton.Stream
---@return baton.Array self
function Array:fill(value, stream) end
---@param from baton.Array of the same shape and type
---@return baton.Array self
function Array:copy(from, stream) end
---@param data baton.Data
---@return baton.Array self
function Array:upload(data, stream) end
---BLOCKS; in a task, others run meanwhile.
---@async
---@param into? ffi.cdata*|lightuserdata
---@return string|baton.Array
function Array:download(into, stream) end
---@param host baton.Array of kind "host" or "unified", contiguous, of as many bytes
---@return baton.Fence
function Array:download_async(host, stream) end
---@async
---@return any nested tables
function Array:totable(stream) end
---@async
---@return any the value of an array of one element
function Array:item(stream) end
---@param elements integer
---@return baton.Array self
function Array:resize(elements, stream) end
---@return baton.Array
function Array:clone(stream) end
---@param dtype baton.Dtype
---@return baton.Array
function Array:cast(dtype, stream) end
---@param value baton.Array|number
---@return baton.Array self
function Array:add(value, stream) end
---@return baton.Array self
function Array:subtract(value, stream) end
---@return baton.Array self
function Array:multiply(value, stream) end
---@return baton.Array self
function Array:divide(value, stream) end
---@param ranges baton.Range[]
---@return baton.Array
function Array:view(ranges) end
---@param first? integer
---@param last? integer
---@param step? integer
---@param dimension? integer
---@return baton.Array
function Array:slice(first, last, step, dimension) end
---@param ... integer
---@return baton.Array
function Array:reshape(...) end
---@return baton.Array
function Array:flatten() end
---@param ... integer
---@return baton.Array
function Array:permute(...) end
---@return baton.Array
function Array:transpose() end
---@param dtype baton.Dtype
---@return baton.Array
function Array:reinterpret(dtype) end
---@param mode? baton.Wait
---@return baton.Array self
function Array:synchronize(mode) end
---@param stream baton.Stream
---@param mode? baton.Wait
---@return baton.Array self
function Array:wait_for(stream, mode) end
---@return boolean
function Array:ready() end
---@async
---@return baton.Array self
function Array:await() end
---@return baton.Fence
function Array:fence() end
---@param on boolean
---@return baton.Array self
function Array:set_synchronizing(on) end
---@param access? baton.Access
---@return lightuserdata
function Array:pointer(access, stream) end
---@param access? baton.Access
---@return lightuserdata
function Array:host_pointer(access) end
---@param stream baton.Stream
---@param access? baton.Access
---@return baton.Array self
function Array:note_use(stream, access) end
---@param stream? baton.Stream the consumer's; without one the host waits
---@return lightuserdata a DLManagedTensorVersioned *, whose deleter the consumer calls
---@param options? { legacy: boolean?, copy: boolean?, unordered: boolean?, host: boolean? }
function Array:dlpack(stream, options) end
---@return integer type, integer id as DLPack has them
function Array:dlpack_device() end
---@param device_array baton.Address an ArrowDeviceArray to fill
---@param schema? baton.Address an ArrowSchema to fill
---@return baton.Array self
function Array:arrow(device_array, schema) end
---@return baton.Interface
function Array:interface() end
---@return table
function Array:inspect() end
---@return boolean
function Array:dispose() end
---@return baton.Array another handle
function Array:share() end
function Array:free() end

---@class baton.Stream
local Stream = {}
---@return lightuserdata
function Stream:native() end
---Known by its number alone (baton.adopt_stream): used only in calls that name it.
---@return boolean
function Stream:lent() end
---The caller promises that it outlives the library.
---@return baton.Stream self
function Stream:keep() end
---@return integer
function Stream:id() end
---@return integer
function Stream:device() end
---@param number integer
---@return baton.Stream self
function Stream:set_task(number) end
---@return boolean
function Stream:ready() end
---@param mode? baton.Wait
---@return baton.Stream self
function Stream:synchronize(mode) end
---@async
---@return baton.Stream self
function Stream:await() end
---@param before baton.Stream
---@return baton.Stream self
function Stream:follow(before) end
---@return baton.Fence
function Stream:fence() end
---@param seconds? number
---@return baton.Gate
function Stream:gate(seconds) end
---@param mode? baton.CaptureMode
---@return baton.Stream self
function Stream:capture_begin(mode) end
---@return baton.Graph
function Stream:capture_end() end
---@return baton.Stream self
function Stream:capture_abandon() end
---@return boolean
function Stream:capturing() end
---@param body fun()
---@param executable? baton.Executable
---@param mode? baton.CaptureMode
---@return baton.Executable, "captured"|"updated"|"rebuilt"|"eager", string? reason
function Stream:capture_run(body, executable, mode) end
---@return baton.Stream
function Stream:share() end
function Stream:free() end

---@class baton.Module
local Module = {}
---@param name string
---@param parameters baton.Parameter[]
---@return baton.Kernel
function Module:kernel(name, parameters) end

---@class baton.LaunchOptions
---@field grid integer|integer[] blocks
---@field block? integer|integer[] threads per block
---@field shared? integer bytes
---@field cluster? integer|integer[]
---@field cooperative? boolean
---@field stream? baton.Stream

---@class baton.Kernel
local Kernel = {}
---@param options integer|baton.LaunchOptions
---@param ... baton.Array|any
---@return baton.Kernel self
function Kernel:launch(options, ...) end
---@return baton.Parameter[]
function Kernel:parameters() end
---@return table
function Kernel:info() end
---@param threads integer
---@param shared? integer
---@return integer blocks per multiprocessor
function Kernel:occupancy(threads, shared) end
---@param shared? integer
---@param most_threads? integer
---@return integer threads, integer blocks
function Kernel:block_size(shared, most_threads) end
---@return baton.Kernel
function Kernel:share() end
function Kernel:free() end

---@class baton.Scope
local Scope = {}
---@return lightuserdata[]
function Scope:pointers() end
---@param array baton.Array
---@param access? baton.Access
---@return lightuserdata
function Scope:pointer(array, access) end
---@param array baton.Array
---@param access? baton.Access
---@return lightuserdata
function Scope:add(array, access) end
function Scope:finish() end
function Scope:abort() end
---@return boolean
function Scope:is_open() end
function Scope:free() end

---@class baton.Graph
local Graph = {}
---@return { device: integer, steps: integer, memories: integer, written: integer }
function Graph:info() end
---@return string
function Graph:dot() end
---@return baton.Executable
function Graph:instantiate() end

---@class baton.Executable
local Executable = {}
---@param stream? baton.Stream
---@return baton.Executable self
function Executable:launch(stream) end
---@param graph baton.Graph
---@return boolean
function Executable:update(graph) end
---@return baton.Executable
function Executable:share() end
function Executable:free() end

---@class baton.Fence
local Fence = {}
---@return boolean
function Fence:ready() end
---@param seconds? number
---@param mode? baton.Wait
---@return boolean
function Fence:wait(seconds, mode) end
---@return integer a file descriptor that becomes readable; it stays the fence's
function Fence:descriptor() end

---@class baton.Gate
local Gate = {}
---@return baton.Gate self
function Gate:open() end
function Gate:free() end

---@class baton.Scheduler
local Scheduler = {}
---@param f function
---@param name? string
---@return baton.Task
function Scheduler:spawn(f, name, ...) end
---Until all tasks are done; raises the first error that no task asked for.
function Scheduler:run() end
---@param seconds? number how long it may sleep
---@return integer tasks that are left
function Scheduler:step(seconds) end

---@class baton.Task
---@field done boolean
---@field name string
---@field stream baton.Stream
local Task = {}
---@async
---@return any
function Task:join() end
function Task:cancel() end
