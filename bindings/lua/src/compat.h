/* One spelling for Lua 5.1, 5.3, 5.4 and LuaJIT. */
#ifndef BATON_LUA_COMPAT_H
#define BATON_LUA_COMPAT_H

#include <lauxlib.h>
#include <lua.h>
#include <stddef.h>
#include <stdint.h>

/* The type of LuaJIT's cdata; other Luas have no such value. */
enum { TYPE_CDATA = 10 };

size_t compat_length(lua_State *L, int index);
int compat_absolute(lua_State *L, int index);
void compat_functions(lua_State *L, const luaL_Reg *functions);
/* t[key] of the registry, where the key is an address. */
void compat_registry_get(lua_State *L, const void *key);
void compat_registry_set(lua_State *L, const void *key);
void *compat_userdata(lua_State *L, size_t bytes);
/* One table beside a userdata. */
void compat_companion_set(lua_State *L, int index);
void compat_companion_get(lua_State *L, int index);
/* Whole numbers: exact where the Lua has them, else doubles. Returns 0 when the value is not a whole number that fits. */
int compat_integer(lua_State *L, int index, int64_t *value);
/* Returns 0, and pushes nothing, when the Lua has no number for it. */
int compat_integer_push(lua_State *L, int64_t value);

#endif
