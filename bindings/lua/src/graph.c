#include "core.h"

CLASS_OWN(graph);
CLASS_OWN(executable);

static int32_t capture_mode(lua_State *L, int index)
{
    static const char *const modes[] = { "global", "thread", "relaxed", NULL };
    return luaL_checkoption(L, index, "thread", modes);
}

/* ---- methods of streams */

/* capture_begin([mode]) */
static int capture_begin(lua_State *L)
{
    baton_error err = error_begin();
    return settle(L, baton_capture_begin(handle_check(L, 1, stream), capture_mode(L, 2), &err), &err, 1);
}

static int capture_end(lua_State *L)
{
    baton_stream *stream = handle_check(L, 1, stream);
    struct object *object = object_push(L, &graph_class, sizeof *object);
    baton_graph *graph;
    baton_error err = error_begin();
    need(L, baton_capture_end(stream, &graph, &err), &err);
    object->handle = graph;
    return 1;
}

static int capture_abandon(lua_State *L)
{
    baton_error err = error_begin();
    return settle(L, baton_capture_abandon(handle_check(L, 1, stream), &err), &err, 1);
}

static int capturing(lua_State *L)
{
    int32_t active = 0;
    baton_error err = error_begin();
    need(L, baton_capture_active(handle_check(L, 1, stream), &active, &err), &err);
    lua_pushboolean(L, active);
    return 1;
}

struct call {
    lua_State *L;
    int function;                       /* index of the body */
    int failed;                         /* the error is on top */
};

static int32_t call_captured(void *user, baton_stream *stream)
{
    struct call *call = user;
    (void)stream;
    lua_settop(call->L, call->function + 1);
    lua_pushvalue(call->L, call->function);
    call->failed = lua_pcall(call->L, 0, 0, 0) != 0;
    return call->failed ? BATON_ERR_HOOK : BATON_OK;
}

/* capture_run(body [, executable [, mode]]): the executable, what was done, and why it could not be captured. The body is
 * called with the stream as the coroutine's own, and must not yield. */
static int capture_run(lua_State *L)
{
    static const char *const outcomes[] = { "captured", "updated", "rebuilt", "eager" };
    baton_stream *stream = handle_check(L, 1, stream);
    int32_t mode = capture_mode(L, 4), outcome = 0;
    struct call call = { L, 2, 0 };
    baton_error reason = error_begin(), err = error_begin();
    luaL_checktype(L, 2, LUA_TFUNCTION);
    struct object *executable = lua_isnoneornil(L, 3) ? NULL : object_check(L, 3, &executable_class);
    lua_settop(L, 3);
    if (!executable) {
        executable = object_push(L, &executable_class, sizeof *executable);
        lua_replace(L, 3);
    }
    baton_executable *handle = executable->handle;
    int32_t status = baton_capture_run(stream, mode, call_captured, &call, &handle, &outcome, &reason, &err);
    executable->handle = handle;
    if (call.failed)
        return lua_error(L);
    need(L, status, &err);
    lua_settop(L, 3);
    lua_pushstring(L, outcome >= BATON_RUN_CAPTURED && outcome <= BATON_RUN_EAGER ? outcomes[outcome - BATON_RUN_CAPTURED] : "unknown");
    if (outcome != BATON_RUN_EAGER)
        return 2;
    lua_pushstring(L, reason.message);
    return 3;
}

const luaL_Reg graph_capture_functions[] = {
    { "capture_begin", capture_begin }, { "capture_end", capture_end }, { "capture_abandon", capture_abandon },
    { "capturing", capturing }, { "capture_run", capture_run }, { NULL, NULL }
};

/* ---- graphs */

static void number_set(lua_State *L, const char *name, uint64_t value)
{
    lua_pushinteger(L, (lua_Integer)value);
    lua_setfield(L, -2, name);
}

static int info(lua_State *L)
{
    baton_graph_info about = { .struct_size = sizeof about };
    baton_error err = error_begin();
    need(L, baton_graph_info_read(handle_check(L, 1, graph), &about, &err), &err);
    lua_newtable(L);
    number_set(L, "device", (uint64_t)about.device);
    number_set(L, "steps", about.steps);
    number_set(L, "memories", about.memories);
    number_set(L, "written", about.written);
    return 1;
}

static int dot(lua_State *L)
{
    uint64_t needed = 0;
    baton_graph *graph = handle_check(L, 1, graph);
    baton_error err = error_begin();
    need(L, baton_graph_dot(graph, NULL, 0, &needed, &err), &err);
    char *text = buffer_push(L, needed);
    need(L, baton_graph_dot(graph, text, needed, &needed, &err), &err);
    lua_pushstring(L, text);
    return 1;
}

static int instantiate(lua_State *L)
{
    baton_graph *graph = handle_check(L, 1, graph);
    struct object *object = object_push(L, &executable_class, sizeof *object);
    baton_executable *executable;
    baton_error err = error_begin();
    need(L, baton_graph_instantiate(graph, &executable, &err), &err);
    object->handle = executable;
    return 1;
}

/* update(graph): false when its shape differs; then nothing has changed. */
static int update(lua_State *L)
{
    baton_error err = error_begin();
    int32_t status = baton_graph_update(handle_check(L, 1, executable), handle_check(L, 2, graph), &err);
    if (status && status != BATON_ERR_TOPOLOGY)
        error_raise(L, status, &err);
    lua_pushboolean(L, !status);
    return 1;
}

/* launch([stream]) */
static int launch(lua_State *L)
{
    baton_executable *executable = handle_check(L, 1, executable);
    baton_error err = error_begin();
    return settle(L, baton_graph_launch(executable, stream_argument(L, 2), &err), &err, 1);
}

static const luaL_Reg graph_methods[] = { { "info", info }, { "dot", dot }, { "instantiate", instantiate }, { NULL, NULL } };
static const luaL_Reg executable_methods[] = { { "update", update }, { "launch", launch }, { NULL, NULL } };

void part_graph(lua_State *L)
{
    object_define(L, &graph_class, graph_methods);
    lua_pop(L, 1);
    object_define(L, &executable_class, executable_methods);
    lua_getfield(L, -1, "__index");
    lua_setfield(L, -3, "executable_methods");
    lua_pop(L, 1);
}
