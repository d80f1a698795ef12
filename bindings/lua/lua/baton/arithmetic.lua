-- What + - * / mean for arrays and numbers. The library computes f32, f64, i32 and i64; the others are cast to one of these.
local core = require "baton.core"
local task = require "baton.task"

-- The type that an element type is computed in.
local computed = {
   bool = "i32", i8 = "i32", i16 = "i32", u8 = "i32", u16 = "i32", i32 = "i32", u32 = "i64", i64 = "i64",
   f16 = "f32", bf16 = "f32", f32 = "f32", f64 = "f64",
}
local exact_in_f32 = { bool = true, i8 = true, i16 = true, u8 = true, u16 = true, f16 = true, bf16 = true, f32 = true }

local function is_array(value)
   return type(value) == "userdata" and getmetatable(value) == core.array_metatable
end

local function compute_type(dtype)
   return computed[dtype] or error("no arithmetic with elements of type " .. dtype .. ": cast the array", 0)
end

-- The least type that holds both.
local function common(left, right)
   local a, b = compute_type(left), compute_type(right)
   if a == b then return a end
   if a == "f64" or b == "f64" then return "f64" end
   if a == "f32" or b == "f32" then return exact_in_f32[left] and exact_in_f32[right] and "f32" or "f64" end
   return "i64"
end

local function is_float(dtype) return dtype == "f32" or dtype == "f64" end

-- A number takes the array's type, unless that has no room for it.
local function with_number(dtype, number)
   local own = compute_type(dtype)
   if is_float(own) or type(number) == "cdata" then return own end
   if number % 1 ~= 0 or number ~= number then return "f64" end
   return own == "i32" and (number >= 2147483648 or number < -2147483648) and "i64" or own
end

local function result_type(left, right, divide)
   local dtype
   if is_array(left) and is_array(right) then
      dtype = common(left.dtype, right.dtype)
   elseif is_array(left) then
      dtype = with_number(left.dtype, right)
   else
      dtype = with_number(right.dtype, left)
   end
   return divide and not is_float(dtype) and "f64" or dtype -- Lua's / is a division of floats
end

-- As NumPy has it: dimensions correspond from the last one on, and 1 stretches.
local function broadcast(left, right)
   if not is_array(left) then return right.shape end
   if not is_array(right) then return left.shape end
   local a, b, shape = left.shape, right.shape, {}
   local ndim = math.max(#a, #b)
   for i = 0, ndim - 1 do
      local m, n = a[#a - i] or 1, b[#b - i] or 1
      if m ~= n and m ~= 1 and n ~= 1 then
         error(("shapes {%s} and {%s} do not go together"):format(table.concat(a, ", "), table.concat(b, ", ")), 0)
      end
      shape[ndim - i] = m == 1 and n or m
   end
   return shape
end

local function make(cast, elementwise)
   local arithmetic = {}

   -- The array in another element type: a new array, contiguous.
   function arithmetic.cast(array, dtype, stream)
      return cast(core.empty(array.shape, dtype, { stream = stream, device = array.device }), array, stream)
   end

   local function operand(value, dtype, stream)
      if not is_array(value) or value.dtype == dtype then return value, false end
      return arithmetic.cast(value, dtype, stream), true
   end

   local function apply(name, to, left, right, stream)
      local dtype = to.dtype
      local a, made_a = operand(left, dtype, stream)
      local b, made_b = operand(right, dtype, stream)
      elementwise(name, to, a, b, stream)
      if made_a then a:free() end
      if made_b then b:free() end
      return to
   end

   -- to = left name right, in the type of `to`; or a new array.
   function arithmetic.apply(name, left, right, to, stream)
      if not to then
         local device = is_array(left) and left.device or right.device
         to = core.empty(broadcast(left, right), result_type(left, right, name == "divide"), { stream = stream, device = device })
      end
      return apply(name, to, left, right, stream)
   end
   return arithmetic
end

local patient = make(task.patient(core.cast), task.patient(core.elementwise))
local operators = patient
if _VERSION == "Lua 5.1" and not rawget(_G, "jit") then -- a yield does not cross its metamethods
   operators = make(task.impatient(core.cast), task.impatient(core.elementwise))
end

local metatable = core.array_metatable
for event, name in pairs { __add = "add", __sub = "subtract", __mul = "multiply", __div = "divide" } do
   metatable[event] = function(left, right) return operators.apply(name, left, right) end
end
function metatable.__unm(array) return operators.apply("subtract", 0, array) end

return patient
