#include "compat.h"

#include <string.h>

size_t compat_length(lua_State *L, int index)
{
#if LUA_VERSION_NUM >= 502
    return lua_rawlen(L, index);
#else
    return lua_objlen(L, index);
#endif
}

int compat_absolute(lua_State *L, int index)
{
    return index > 0 || index <= LUA_REGISTRYINDEX ? index : lua_gettop(L) + index + 1;
}

void compat_functions(lua_State *L, const luaL_Reg *functions)
{
    for (; functions->name; functions++) {
        lua_pushcfunction(L, functions->func);
        lua_setfield(L, -2, functions->name);
    }
}

void compat_registry_get(lua_State *L, const void *key)
{
#if LUA_VERSION_NUM >= 502
    lua_rawgetp(L, LUA_REGISTRYINDEX, key);
#else
    lua_pushlightuserdata(L, (void *)(uintptr_t)key);
    lua_rawget(L, LUA_REGISTRYINDEX);
#endif
}

void compat_registry_set(lua_State *L, const void *key)
{
#if LUA_VERSION_NUM >= 502
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
#else
    lua_pushlightuserdata(L, (void *)(uintptr_t)key);
    lua_insert(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
#endif
}

void *compat_userdata(lua_State *L, size_t bytes)
{
#if LUA_VERSION_NUM >= 504
    return memset(lua_newuserdatauv(L, bytes, 1), 0, bytes);
#else
    return memset(lua_newuserdata(L, bytes), 0, bytes);
#endif
}

void compat_companion_set(lua_State *L, int index)
{
#if LUA_VERSION_NUM >= 504
    lua_setiuservalue(L, index, 1);
#elif LUA_VERSION_NUM >= 502
    lua_setuservalue(L, index);
#else
    lua_setfenv(L, index);
#endif
}

void compat_companion_get(lua_State *L, int index)
{
#if LUA_VERSION_NUM >= 504
    lua_getiuservalue(L, index, 1);
#elif LUA_VERSION_NUM >= 502
    lua_getuservalue(L, index);
#else
    lua_getfenv(L, index);
#endif
}

static int whole(double number, int64_t *value)
{
    if (!(number >= -9223372036854775808.0 && number < 9223372036854775808.0) || (double)(int64_t)number != number)
        return 0;
    *value = (int64_t)number;
    return 1;
}

int compat_integer(lua_State *L, int index, int64_t *value)
{
    if (lua_type(L, index) != LUA_TNUMBER)
        return 0;
#if LUA_VERSION_NUM >= 503
    if (lua_isinteger(L, index)) {
        *value = lua_tointeger(L, index);
        return 1;
    }
#endif
    return whole((double)lua_tonumber(L, index), value);
}

int compat_integer_push(lua_State *L, int64_t value)
{
#if LUA_VERSION_NUM >= 503
    lua_pushinteger(L, value);
#else
    const int64_t most = INT64_C(1) << 53;
    if (value > most || value < -most)
        return 0;
    lua_pushnumber(L, (lua_Number)value);
#endif
    return 1;
}
