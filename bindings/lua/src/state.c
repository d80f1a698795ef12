#include "core.h"

#include <stdlib.h>

/* Registry keys: their addresses count. */
static const char state_key, streams_key, module_key;

struct state *state_of(lua_State *L)
{
    compat_registry_get(L, &state_key);
    struct state *state = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return state;
}

/* ---- the runtime */

static int32_t open_runtime(struct state *state, const baton_runtime_options *options, baton_error *err)
{
    baton_runtime *runtime;
    int32_t status = baton_runtime_open(options, &runtime, err);
    if (!status)
        state->runtime = runtime;
    return status;
}

baton_runtime *runtime_of(lua_State *L)
{
    struct state *state = state_of(L);
    baton_error err = error_begin();
    if (state->closed)
        misuse(L, "baton: the runtime is closed");
    if (!state->runtime)
        need(L, open_runtime(state, NULL, &err), &err);
    return state->runtime;
}

static int open_with(lua_State *L)
{
    struct state *state = state_of(L);
    baton_runtime_options options = { .struct_size = sizeof options, .driver = luaL_optstring(L, 1, NULL) };
    baton_error err = error_begin();
    if (state->closed || state->runtime)
        return misuse(L, "baton: the runtime is already %s", state->closed ? "closed" : "open; open it before its first use");
    if (lua_toboolean(L, 2))
        options.flags |= BATON_RUNTIME_HOST_WAIT;
    need(L, open_runtime(state, &options, &err), &err);
    return 0;
}

static int32_t close_runtime(struct state *state, baton_error *err)
{
    baton_runtime *runtime = state->runtime;
    baton_stream_release(state->stream);
    state->stream = NULL;
    state->runtime = NULL;
    state->closed = 1;
    return runtime && !state->borrowed ? baton_runtime_close(runtime, err) : BATON_OK;
}

static int close_by_hand(lua_State *L)
{
    baton_error err = error_begin();
    need(L, close_runtime(state_of(L), &err), &err);
    return 0;
}

/* Values that foreign memory still needs stay with the state, which ends now; their records stay for the deleters. */
static int state_finish(lua_State *L)
{
    close_runtime(lua_touserdata(L, 1), NULL);
    anchors_sweep(L);
    return 0;
}

static void api_set_runtime(lua_State *L, baton_runtime *runtime)
{
    struct state *state = state_of(L);
    if (state->runtime || state->closed)
        misuse(L, "baton: the Lua state has a runtime already");
    state->runtime = runtime;
    state->borrowed = 1;
}

/* ---- streams of coroutines */

baton_stream *stream_default(lua_State *L)
{
    baton_runtime *runtime = runtime_of(L);
    struct state *state = state_of(L);
    baton_error err = error_begin();
    if (!state->stream)
        need(L, baton_stream_create(runtime, 0, 0, 0, &state->stream, &err), &err);
    return state->stream;
}

/* Pushes the stream that was set for the coroutine, or nil. */
static void own_stream_push(lua_State *L)
{
    compat_registry_get(L, &streams_key);
    lua_pushthread(L);
    lua_rawget(L, -2);
    lua_remove(L, -2);
}

baton_stream *stream_current(lua_State *L)
{
    own_stream_push(L);
    baton_stream *stream = object_handle(L, -1, &stream_class);
    lua_pop(L, 1);
    return stream ? stream : stream_default(L);
}

baton_stream *stream_argument(lua_State *L, int index)
{
    return lua_isnoneornil(L, index) ? stream_current(L) : handle_check(L, index, stream);
}

int32_t device_argument(lua_State *L, int index)
{
    int32_t device;
    baton_error err = error_begin();
    if (!lua_isnoneornil(L, index))
        return (int32_t)luaL_checkinteger(L, index);
    need(L, baton_stream_device(stream_current(L), &device, &err), &err);
    return device;
}

static void push_retained_stream(lua_State *L, baton_stream *stream)
{
    if (!stream) {
        lua_pushnil(L);
        return;
    }
    struct object *object = object_push(L, &stream_class, sizeof *object);
    baton_stream_retain(stream);
    object->handle = stream;
}

/* Sets the value on top, a stream or nil, for the coroutine; pops it. */
static void set_stream_value(lua_State *L, lua_State *coroutine)
{
    compat_registry_get(L, &streams_key);
    if (lua_pushthread(coroutine), coroutine != L)
        lua_xmove(coroutine, L, 1);
    lua_pushvalue(L, -3);
    lua_rawset(L, -3);
    lua_pop(L, 2);
}

static void api_set_stream(lua_State *L, baton_stream *stream)
{
    push_retained_stream(L, stream);
    set_stream_value(L, L);
}

/* current([coroutine]) */
static int current_stream(lua_State *L)
{
    own_stream_push(L);
    if (lua_isnil(L, -1))
        push_retained_stream(L, stream_default(L));
    return 1;
}

/* use(stream or nil [, coroutine]): returns the one that was set before, or nil. */
static int use_stream(lua_State *L)
{
    lua_State *coroutine = lua_isthread(L, 2) ? lua_tothread(L, 2) : L;
    if (!lua_isnoneornil(L, 1))
        (void)handle_check(L, 1, stream);
    own_stream_push(L);
    lua_settop(L, 3);
    lua_pushvalue(L, 1);
    set_stream_value(L, coroutine);
    lua_settop(L, 3);
    return 1;
}

/* ---- for C modules */

static baton_array *api_to_array(lua_State *L, int index)
{
    return object_handle(L, index, &array_class);
}

static baton_array *api_check_array(lua_State *L, int index)
{
    return handle_check(L, index, array);
}

static void api_push_array(lua_State *L, baton_array *array)
{
    if (!array) {
        lua_pushnil(L);
        return;
    }
    struct object *object = object_push(L, &array_class, sizeof *object);
    baton_array_retain(array);
    object->handle = array;
}

static baton_stream *api_to_stream(lua_State *L, int index)
{
    return object_handle(L, index, &stream_class);
}

const baton_lua_api api_table = {
    .struct_size = sizeof(baton_lua_api), .runtime = runtime_of, .set_runtime = api_set_runtime, .to_array = api_to_array,
    .check_array = api_check_array, .push_array = api_push_array, .to_stream = api_to_stream, .stream = stream_current,
    .set_stream = api_set_stream, .push_stream = push_retained_stream, .raise = error_raise,
};

/* ---- the module */

static void push_weak_keys(lua_State *L)
{
    lua_newtable(L);
    lua_newtable(L);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
}

static void make_state(lua_State *L)
{
    compat_userdata(L, sizeof(struct state));
    lua_newtable(L);
    lua_pushcfunction(L, state_finish);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    compat_registry_set(L, &state_key);
    push_weak_keys(L);
    compat_registry_set(L, &streams_key);
    lua_pushlightuserdata(L, (void *)(uintptr_t)&api_table);
    lua_setfield(L, LUA_REGISTRYINDEX, "baton.api");
}

static const luaL_Reg functions[] = {
    { "open", open_with }, { "close", close_by_hand }, { "current", current_stream }, { "use", use_stream }, { NULL, NULL }
};

/* The same table each time: package.loaded may have been emptied while there are objects. */
__attribute__((visibility("default"))) int luaopen_baton_core(lua_State *L)
{
    compat_registry_get(L, &module_key);
    if (!lua_isnil(L, -1))
        return 1;
    make_state(L);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    compat_registry_set(L, &module_key);
    compat_functions(L, functions);
    part_runtime(L);
    part_error(L);
    part_array(L);
    part_stream(L);
    part_kernel(L);
    part_scope(L);
    part_graph(L);
    part_fence(L);
    part_exchange(L);
    part_arithmetic(L);
    part_element(L);
    part_compile(L);
    return 1;
}
