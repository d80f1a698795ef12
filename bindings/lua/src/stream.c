#include "core.h"

CLASS_OWN(stream);

static void gate_open_and_release(void *handle)
{
    baton_gate_release(handle);
}
const struct class gate_class = { "baton.gate", NULL, gate_open_and_release };

/* stream([device [, priority]]) */
static int create(lua_State *L)
{
    baton_runtime *runtime = runtime_of(L);
    int32_t device = (int32_t)luaL_optinteger(L, 1, 0), priority = (int32_t)luaL_optinteger(L, 2, 0);
    struct object *object = object_push(L, &stream_class, sizeof *object);
    baton_stream *stream;
    baton_error err = error_begin();
    need(L, baton_stream_create(runtime, device, 0, priority, &stream, &err), &err);
    object->handle = stream;
    return 1;
}

/* wrap_stream(native [, device]): an address, or the numbers 1 (legacy) and 2 (per thread). */
static int wrap(lua_State *L)
{
    int64_t special = 0;
    baton_runtime *runtime = runtime_of(L);
    uint64_t native = compat_integer(L, 1, &special) ? (uint64_t)special : (uint64_t)(uintptr_t)pointer_check(L, 1);
    int32_t device = (int32_t)luaL_optinteger(L, 2, 0);
    struct object *object = object_push(L, &stream_class, sizeof *object);
    baton_stream *stream;
    baton_error err = error_begin();
    need(L, baton_stream_wrap(runtime, device, native, &stream, &err), &err);
    object->handle = stream;
    return 1;
}

static int native(lua_State *L)
{
    uint64_t address;
    baton_error err = error_begin();
    need(L, baton_stream_native(handle_check(L, 1, stream), &address, &err), &err);
    lua_pushlightuserdata(L, (void *)(uintptr_t)address);
    return 1;
}

/* Whether it is known by its number alone. */
static int lent(lua_State *L)
{
    int32_t is_lent;
    baton_error err = error_begin();
    need(L, baton_stream_lent(handle_check(L, 1, stream), &is_lent, &err), &err);
    lua_pushboolean(L, is_lent);
    return 1;
}

/* keep(): the caller promises that it outlives the library. */
static int keep(lua_State *L)
{
    baton_error err = error_begin();
    return settle(L, baton_stream_keep(handle_check(L, 1, stream), NULL, NULL, &err), &err, 1);
}

static int id(lua_State *L)
{
    uint64_t number;
    baton_error err = error_begin();
    need(L, baton_stream_id(handle_check(L, 1, stream), &number, &err), &err);
    lua_pushinteger(L, (lua_Integer)number);
    return 1;
}

static int device(lua_State *L)
{
    int32_t number;
    baton_error err = error_begin();
    need(L, baton_stream_device(handle_check(L, 1, stream), &number, &err), &err);
    lua_pushinteger(L, number);
    return 1;
}

/* set_task(number) */
static int set_task(lua_State *L)
{
    int64_t tag = 0;
    baton_error err = error_begin();
    check_argument(L, compat_integer(L, 2, &tag) && tag >= 0, 2, "a whole number expected");
    return settle(L, baton_stream_set_task(handle_check(L, 1, stream), (uint64_t)tag, &err), &err, 1);
}

static int ready(lua_State *L)
{
    baton_error err = error_begin();
    return ready_push(L, baton_stream_query(handle_check(L, 1, stream), &err), &err);
}

/* synchronize([mode]) */
static int synchronize(lua_State *L)
{
    static const char *const modes[] = { "auto", "spin", "block", NULL };
    baton_error err = error_begin();
    baton_stream *stream = handle_check(L, 1, stream);
    return settle(L, baton_stream_synchronize(stream, luaL_checkoption(L, 2, "auto", modes), &err), &err, 1);
}

/* follow(before) */
static int follow(lua_State *L)
{
    baton_error err = error_begin();
    return settle(L, baton_stream_follow(handle_check(L, 1, stream), handle_check(L, 2, stream), &err), &err, 1);
}

static int fence(lua_State *L)
{
    baton_stream *stream = handle_check(L, 1, stream);
    struct object *object = object_push(L, &fence_class, sizeof *object);
    baton_fence *made;
    baton_error err = error_begin();
    need(L, baton_stream_fence(stream, &made, &err), &err);
    object->handle = made;
    return 1;
}

/* gate([seconds]): holds what is submitted afterwards, for at most that long (10). */
static int gate(lua_State *L)
{
    baton_stream *stream = handle_check(L, 1, stream);
    lua_Number seconds = luaL_optnumber(L, 2, 10);
    struct object *object = object_push(L, &gate_class, sizeof *object);
    baton_gate *made;
    baton_error err = error_begin();
    check_argument(L, seconds > 0 && seconds <= 60, 2, "at most 60 seconds");
    need(L, baton_gate_create(stream, (uint64_t)(seconds * 1e9), &made, &err), &err);
    object->handle = made;
    return 1;
}

static int gate_open(lua_State *L)
{
    baton_error err = error_begin();
    return settle(L, baton_gate_open(handle_check(L, 1, gate), &err), &err, 1);
}

static int text(lua_State *L)
{
    struct object *object = object_test(L, 1, &stream_class);
    uint64_t number = 0;
    if (object && object->handle && baton_stream_id(object->handle, &number, NULL) == BATON_OK)
        lua_pushfstring(L, "baton.stream %d", (int)number);
    else
        lua_pushliteral(L, "baton.stream (freed)");
    return 1;
}

/* Streams are equal when they are the same stream. */
static int equal(lua_State *L)
{
    struct object *left = object_test(L, 1, &stream_class), *right = object_test(L, 2, &stream_class);
    lua_pushboolean(L, left && right && left->handle && left->handle == right->handle);
    return 1;
}

static const luaL_Reg methods[] = {
    { "native", native }, { "lent", lent }, { "keep", keep }, { "id", id }, { "device", device }, { "set_task", set_task }, { "ready", ready },
    { "synchronize", synchronize }, { "follow", follow }, { "fence", fence }, { "gate", gate }, { NULL, NULL }
};
static const luaL_Reg gate_methods[] = { { "open", gate_open }, { NULL, NULL } };
static const luaL_Reg functions[] = { { "stream", create }, { "wrap_stream", wrap }, { NULL, NULL } };

void part_stream(lua_State *L)
{
    object_define(L, &gate_class, gate_methods);
    lua_pop(L, 1);
    object_define(L, &stream_class, methods);
    lua_pushcfunction(L, text);
    lua_setfield(L, -2, "__tostring");
    lua_pushcfunction(L, equal);
    lua_setfield(L, -2, "__eq");
    lua_getfield(L, -1, "__index");
    compat_functions(L, graph_capture_functions);
    lua_setfield(L, -3, "stream_methods");
    lua_pop(L, 1);
    compat_functions(L, functions);
}
