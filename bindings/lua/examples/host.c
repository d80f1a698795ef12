/* A program that embeds Lua and shares its runtime, a stream and arrays with it: host SCRIPT */
#include <lualib.h>
#include <stdio.h>

#include <baton_lua.h>

struct host {
    const char *script;
    baton_runtime *runtime;
    baton_array *image, *result;
    baton_stream *stream;
};

/* Runs protected: each step may raise a Lua error. */
static int play(lua_State *L)
{
    struct host *host = lua_touserdata(L, 1);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "baton");
    lua_call(L, 1, 0);
    baton_lua_set_runtime(L, host->runtime);
    baton_lua_set_stream(L, host->stream);
    baton_lua_push_array(L, host->image);
    lua_setglobal(L, "image");
    if (luaL_loadfile(L, host->script))
        return lua_error(L);
    lua_call(L, 0, 1);
    host->result = baton_lua_take_array(L, -1);
    return 0;
}

static int run_lua(struct host *host)
{
    lua_State *L = luaL_newstate();
    if (!L)
        return 1;
    luaL_openlibs(L);
    lua_pushcfunction(L, play);
    lua_pushlightuserdata(L, host);
    int failed = lua_pcall(L, 1, 0, 0);
    if (failed)
        fprintf(stderr, "%s\n", lua_tostring(L, -1) ? lua_tostring(L, -1) : "an error that is no text");
    lua_close(L);
    return failed;
}

static int make(struct host *host, baton_error *err)
{
    const float values[] = { 1, 2, 3, 4 };
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_F32, .ndim = 1, .shape = (int64_t[]){ 4 } };
    return baton_runtime_open(NULL, &host->runtime, err) || baton_stream_create(host->runtime, 0, 0, 0, &host->stream, err) ||
           (options.stream = host->stream, baton_array_create(host->runtime, &options, &host->image, err)) ||
           baton_upload(host->image, values, sizeof values, host->stream, err);
}

int main(int count, char **arguments)
{
    struct host host = { .script = count > 1 ? arguments[1] : "host.lua_script" };
    baton_error err = { .struct_size = sizeof err };
    float values[4];
    if (make(&host, &err) || run_lua(&host) || baton_download(values, sizeof values, host.result, host.stream, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    printf("%g %g %g %g\n", (double)values[0], (double)values[1], (double)values[2], (double)values[3]);
    baton_array_release(host.result);
    baton_array_release(host.image);
    baton_stream_release(host.stream);
    return baton_runtime_close(host.runtime, &err) != BATON_OK;
}
