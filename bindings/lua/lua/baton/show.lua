-- Arrays as text: their type and shape, and what is in their corners.
local MOST = 6 -- per dimension

local function number_text(value)
   if type(value) == "table" then return ("%.6g%+.6gi"):format(value[1], value[2]) end
   if type(value) == "number" then return (("%.6g"):format(value)) end
   return tostring(value)
end

local function rows(value, shape, level)
   if level > #shape then return number_text(value) end
   local parts = {}
   for i = 1, #value do parts[i] = rows(value[i], shape, level + 1) end
   if shape[level] > MOST then parts[#parts + 1] = "…" end
   local between = level < #shape and (",\n" .. (" "):rep(level)) or ", "
   return "{" .. table.concat(parts, between) .. "}"
end

local function head(array)
   return ("baton.array %s {%s} on device %d"):format(array.dtype, table.concat(array.shape, ", "), array.device)
end

local function show(array)
   local ok, text = pcall(head, array)
   if not ok then return "baton.array (freed)" end
   local read, values = pcall(function()
      local corner = {}
      for i, extent in ipairs(array.shape) do corner[i] = { 1, math.min(extent, MOST) } end
      for _, extent in ipairs(array.shape) do
         if extent == 0 then return {} end
      end
      return array:view(corner):totable()
   end)
   if not read then return text end
   return text .. "\n" .. rows(values, array.shape, 1)
end

return show
