/* Baton for C modules that are loaded by Lua, and for programs that embed it: arrays and streams to and from the Lua
 * stack. Works with Lua 5.1, 5.3, 5.4 and LuaJIT; include the lua.h and lauxlib.h of yours first, or let this file do it.
 *
 * Nothing is linked for it: the functions below find the binding, which `require "baton"` has put into the Lua state,
 * and load it if that has not happened yet. What fails raises a Lua error (a longjmp or an exception, as everywhere in
 * Lua's API): hold no lock of yours. A lua_State is used by one thread at a time. */
#ifndef BATON_LUA_H
#define BATON_LUA_H

#ifdef __cplusplus
extern "C" {
#endif
#include <lauxlib.h>
#include <lua.h>
#ifdef __cplusplus
}
#endif

#include <baton.h>

/* The binding's side of it; grows at its end. Use the functions below. */
typedef struct baton_lua_api {
    uint32_t struct_size;
    uint32_t reserved;
    baton_runtime *(*runtime)(lua_State *L);
    void (*set_runtime)(lua_State *L, baton_runtime *runtime);
    baton_array *(*to_array)(lua_State *L, int index);
    baton_array *(*check_array)(lua_State *L, int index);
    void (*push_array)(lua_State *L, baton_array *array);
    baton_stream *(*to_stream)(lua_State *L, int index);
    baton_stream *(*stream)(lua_State *L);
    void (*set_stream)(lua_State *L, baton_stream *stream);
    void (*push_stream)(lua_State *L, baton_stream *stream);
    int (*raise)(lua_State *L, int32_t status, const baton_error *err);
} baton_lua_api;

/* The binding of this Lua state. */
static inline const baton_lua_api *baton_lua_binding(lua_State *L)
{
    const baton_lua_api *api;
    lua_getfield(L, LUA_REGISTRYINDEX, "baton.api");
    if (lua_isnil(L, -1)) {
        lua_getglobal(L, "require");
        lua_pushliteral(L, "baton");
        lua_call(L, 1, 0);
        lua_getfield(L, LUA_REGISTRYINDEX, "baton.api");
        lua_remove(L, -2);
    }
    api = (const baton_lua_api *)lua_touserdata(L, -1);
    lua_pop(L, 1);
    return api;
}

/* The runtime of this Lua state; opened now if need be (BLOCKS). It belongs to the state: do not close it. */
static inline baton_runtime *baton_lua_runtime(lua_State *L)
{
    return baton_lua_binding(L)->runtime(L);
}

/* Makes Lua work with a runtime of yours, which you close after lua_close. An error when the state has one already. */
static inline void baton_lua_set_runtime(lua_State *L, baton_runtime *runtime)
{
    baton_lua_binding(L)->set_runtime(L, runtime);
}

/* FAST. The array at `index`, or NULL when something else is there or the array was freed. Lua keeps its reference: the
 * pointer is good while the value is on the stack or elsewhere in Lua, and nobody calls free on it. */
static inline baton_array *baton_lua_to_array(lua_State *L, int index)
{
    return baton_lua_binding(L)->to_array(L, index);
}

/* FAST. The same for arguments of a function: raises an error instead of returning NULL. */
static inline baton_array *baton_lua_check_array(lua_State *L, int index)
{
    return baton_lua_binding(L)->check_array(L, index);
}

/* FAST. The same, with a reference for you: release it. */
static inline baton_array *baton_lua_take_array(lua_State *L, int index)
{
    baton_array *array = baton_lua_check_array(L, index);
    baton_array_retain(array);
    return array;
}

/* FAST. Pushes the array. Lua gets a reference of its own; yours stays yours. NULL pushes nil. */
static inline void baton_lua_push_array(lua_State *L, baton_array *array)
{
    baton_lua_binding(L)->push_array(L, array);
}

/* FAST. The stream at `index`, or NULL; as baton_lua_to_array. */
static inline baton_stream *baton_lua_to_stream(lua_State *L, int index)
{
    return baton_lua_binding(L)->to_stream(L, index);
}

/* The stream that the running coroutine works on; the first call may make it (DRIVER). Good until the coroutine gets
 * another one. */
static inline baton_stream *baton_lua_stream(lua_State *L)
{
    return baton_lua_binding(L)->stream(L);
}

/* FAST. From now on the coroutine L works on this stream. Lua gets a reference of its own. NULL: on the state's own. */
static inline void baton_lua_set_stream(lua_State *L, baton_stream *stream)
{
    baton_lua_binding(L)->set_stream(L, stream);
}

/* FAST. Pushes the stream; as baton_lua_push_array. */
static inline void baton_lua_push_stream(lua_State *L, baton_stream *stream)
{
    baton_lua_binding(L)->push_stream(L, stream);
}

/* Raises the error that Lua programs get for a status of the library. Returns only when status is BATON_OK. */
static inline int baton_lua_raise(lua_State *L, int32_t status, const baton_error *err)
{
    return status ? baton_lua_binding(L)->raise(L, status, err) : 0;
}

#endif
