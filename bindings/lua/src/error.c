#include <stdarg.h>

#include "core.h"

/* Set by the Lua half: the metatable of errors. The value BLOCKED is its address. */
static const char errors_key, refuse_key, blocked_key;

/* Where the caller's own code was, as luaL_where would say, but past this binding's Lua half. */
static void where_push(lua_State *L)
{
    lua_Debug frame;
    for (int level = 1; lua_getstack(L, level, &frame); level++) {
        lua_getinfo(L, "Sl", &frame);
        if (frame.currentline > 0 && !strstr(frame.source, "baton.lua") && !strstr(frame.source, "/baton/")) {
            lua_pushfstring(L, "%s:%d: ", frame.short_src, frame.currentline);
            return;
        }
    }
    lua_pushliteral(L, "");
}

int misuse(lua_State *L, const char *format, ...)
{
    va_list values;
    luaL_checkstack(L, 8, NULL);
    where_push(L);
    va_start(values, format);
    lua_pushvfstring(L, format, values);
    va_end(values);
    lua_concat(L, 2);
    return lua_error(L);
}


int misuse_argument(lua_State *L, int index, const char *message)
{
    return misuse(L, "bad argument #%d (%s)", index, message);
}

void field_number(lua_State *L, const char *name, uint64_t value)
{
    if (!value)
        return;
    lua_pushnumber(L, (lua_Number)value);
    lua_setfield(L, -2, name);
}

void field_text(lua_State *L, const char *name, const char *text)
{
    lua_pushstring(L, text);
    lua_setfield(L, -2, name);
}

/* Pushes the table { code, status, message, where, … } */
static void record_push(lua_State *L, int32_t status, const baton_error *err)
{
    int filled = err && err->status == status && err->message[0];
    lua_newtable(L);
    field_text(L, "code", baton_status_name(status));
    field_text(L, "message", filled ? err->message : baton_status_name(status));
    lua_pushinteger(L, status);
    lua_setfield(L, -2, "status");
    where_push(L);
    lua_setfield(L, -2, "where");
    if (filled) {
        field_text(L, "operation", baton_operation_name(err->operation));
        lua_pushboolean(L, err->origin == BATON_ORIGIN_ASYNC);
        lua_setfield(L, -2, "asynchronous");
        lua_pushinteger(L, err->driver_code);
        lua_setfield(L, -2, "driver_code");
        lua_pushinteger(L, (lua_Integer)err->device);
        lua_setfield(L, -2, "device");
        field_number(L, "stream", err->stream_id);
        field_number(L, "memory", err->memory_id);
        field_number(L, "task", err->tag);
        field_number(L, "first_ticket", err->ticket_first);
        field_number(L, "last_ticket", err->ticket_last);
    }
    compat_registry_get(L, &errors_key);
    lua_setmetatable(L, -2);
}

int error_raise(lua_State *L, int32_t status, const baton_error *err)
{
    luaL_checkstack(L, 8, "an error of baton");
    record_push(L, status, err);
    return lua_error(L);
}

int blocked_push(lua_State *L, int32_t status, const baton_error *err)
{
    if (!status_blocked(status))
        return error_raise(L, status, err);
    lua_pushlightuserdata(L, (void *)(uintptr_t)&blocked_key);
    record_push(L, status, err);
    return 2;
}

int settle(lua_State *L, int32_t status, const baton_error *err, int index)
{
    if (status)
        return blocked_push(L, status, err);
    lua_pushvalue(L, index);
    return 1;
}

void need_unlocked(lua_State *L, int32_t status, const baton_error *err, int index)
{
    if (!status)
        return;
    if (!status_blocked(status))
        error_raise(L, status, err);
    compat_registry_get(L, &refuse_key);
    record_push(L, status, err);
    lua_pushvalue(L, index);
    lua_call(L, 2, 0);
}

int ready_push(lua_State *L, int32_t status, const baton_error *err)
{
    if (status && status != BATON_NOT_READY)
        return blocked_push(L, status, err);
    lua_pushboolean(L, status == BATON_OK);
    return 1;
}

#if LUA_VERSION_NUM >= 503
static int return_one(lua_State *L, int status, lua_KContext context)
{
    (void)L, (void)status, (void)context;
    return 1;
}

/* Upvalues: an operation without upvalues of its own, and the Lua function that takes over when it was blocked, and may yield. */
static int call_directly(lua_State *L)
{
    lua_CFunction operation = lua_tocfunction(L, lua_upvalueindex(1));
    int count = lua_gettop(L), results = operation(L);
    if (results != 2 || lua_touserdata(L, -2) != &blocked_key)
        return results;
    lua_settop(L, count);
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_insert(L, 1);
    lua_callk(L, count, 1, 0, return_one);
    return 1;
}

/* directly(operation, patient): the operation at the cost of a C function, where C functions can be yielded across. */
static int directly(lua_State *L)
{
    lua_settop(L, 2);
    lua_pushcclosure(L, call_directly, 2);
    return 1;
}
#endif

/* errors(metatable, refuse): returns BLOCKED. refuse(record, array) raises, naming who holds the array. */
static int set_errors(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    compat_registry_set(L, &refuse_key);
    compat_registry_set(L, &errors_key);
    lua_pushlightuserdata(L, (void *)(uintptr_t)&blocked_key);
    return 1;
}

static const luaL_Reg functions[] = {
#if LUA_VERSION_NUM >= 503
    { "directly", directly },
#endif
    { "errors", set_errors }, { NULL, NULL }
};

void part_error(lua_State *L)
{
    compat_functions(L, functions);
}
