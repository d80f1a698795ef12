-- What is shipped is what is there.
local function lines(command)
   local list, pipe = {}, assert(io.popen(command))
   for line in pipe:lines() do list[#list + 1] = line end
   pipe:close()
   return list
end

local function read(name)
   local file = assert(io.open(name))
   local text = file:read("*a")
   file:close()
   return text
end

describe("the rockspec", function()
   local rock = {}
   local text = read("baton-0.1.0-1.rockspec")
   local chunk = loadstring and loadstring(text) or load(text, "=rockspec", "t", rock)
   if setfenv then setfenv(chunk, rock) end
   chunk()

   it("names every source file", function()
      local sources = lines("ls src/*.c")
      table.sort(rock.build.modules["baton.core"].sources)
      table.sort(sources)
      assert.same(sources, rock.build.modules["baton.core"].sources)
   end)

   it("names every Lua file", function()
      for _, name in ipairs(lines("cd lua && find . -name '*.lua'")) do
         local module = name:gsub("^%./", ""):gsub("%.lua$", ""):gsub("/", ".")
         assert.equal("lua/" .. name:gsub("^%./", ""), rock.build.modules[module])
      end
   end)
end)

describe("the annotations", function()
   local text = read("library/baton.lua") .. read("library/baton_objects.lua")

   it("have every function of the module, and nothing else", function()
      local baton, annotated = require "baton", {}
      for name in text:gmatch("\nfunction baton%.([%w_]+)") do annotated[name] = true end
      for name, value in pairs(baton) do
         if type(value) == "function" then assert.is_true(annotated[name], name .. " is not annotated") end
      end
      for name in pairs(annotated) do assert.is_function(baton[name], name .. " is annotated") end
   end)

   it("have every method", function()
      local core = require "baton.core"
      for class, methods in pairs { Array = "array", Stream = "stream", Kernel = "kernel", Scope = "scope", Executable = "executable" } do
         for name in pairs(core[methods .. "_methods"]) do
            assert.is_truthy(text:find("\nfunction " .. class .. ":" .. name .. "(", 1, true), class .. ":" .. name .. " is not annotated")
         end
      end
   end)
end)

describe("the README", function()
   it("shows the first example as it is", function()
      local shown = read("examples/first.lua"):gsub("^.-\nlocal", "local", 1):gsub("\n([^\n])", "\n    %1")
      assert.is_truthy(read("README"):find(shown, 1, true))
   end)
end)
