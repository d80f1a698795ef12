/* The floor of bench/lua/launch.lua: the same launches, by C, in the same process and through the same objects. */
#include <time.h>

#include <baton_lua.h>

#include "../kernels_ptx.h"

static void nothing(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch;
    (void)arguments;
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int clock_now(lua_State *L)
{
    lua_pushnumber(L, (lua_Number)now());
    return 1;
}

static int ptx(lua_State *L)
{
    lua_pushstring(L, bench_kernels_ptx);
    return 1;
}

static int host_kernel(lua_State *L)
{
    lua_pushlightuserdata(L, (void *)(uintptr_t)nothing);
    return 1;
}

/* ping_pong(kernel handle, array, stream, stream, n): nanoseconds */
static int ping_pong(lua_State *L)
{
    baton_kernel *kernel = *(baton_kernel **)lua_touserdata(L, 1);
    baton_argument argument = baton_inout(baton_lua_check_array(L, 2));
    baton_launch_options there = { .struct_size = sizeof there, .grid = { 1 }, .stream = baton_lua_to_stream(L, 3) };
    baton_launch_options back = { .struct_size = sizeof back, .grid = { 1 }, .stream = baton_lua_to_stream(L, 4) };
    lua_Integer count = luaL_checkinteger(L, 5);
    baton_error err = { .struct_size = sizeof err };
    int32_t status = 0;
    uint64_t begin = now();
    for (lua_Integer i = 0; i < count && !status; i++) {
        status = baton_launch(kernel, &there, &argument, 1, &err);
        if (!status)
            status = baton_launch(kernel, &back, &argument, 1, &err);
    }
    uint64_t end = now();
    baton_lua_raise(L, status, &err);
    lua_pushnumber(L, (lua_Number)(end - begin));
    return 1;
}

__attribute__((visibility("default"))) int luaopen_baton_bench(lua_State *L)
{
    lua_newtable(L);
    lua_pushcfunction(L, clock_now);
    lua_setfield(L, -2, "now");
    lua_pushcfunction(L, ptx);
    lua_setfield(L, -2, "ptx");
    lua_pushcfunction(L, host_kernel);
    lua_setfield(L, -2, "host_kernel");
    lua_pushcfunction(L, ping_pong);
    lua_setfield(L, -2, "ping_pong");
    return 1;
}
