/* A C module as users write them: it sees baton_lua.h and nothing else of the binding. The specs use it. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../baton_lua.h"

/* ---- kernels for the software device */

static void add_number(const baton_host_launch *launch, void *const *arguments)
{
    float *array = *(float **)arguments[0], number = *(const float *)arguments[1];
    for (uint32_t i = 0; i < launch->grid[0]; i++)
        array[i] += number;
}

static void copy_floats(const baton_host_launch *launch, void *const *arguments)
{
    memcpy(*(float **)arguments[0], *(float **)arguments[1], launch->grid[0] * sizeof(float));
}

static void nothing(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch;
    (void)arguments;
}

/* Tells what it was launched with: grid, block, shared in ten floats. */
static void describe(const baton_host_launch *launch, void *const *arguments)
{
    float *array = *(float **)arguments[0];
    for (int i = 0; i < 3; i++) {
        array[i] = (float)launch->grid[i];
        array[3 + i] = (float)launch->block[i];
    }
    array[6] = (float)launch->shared_bytes;
}

static int kernels(lua_State *L)
{
    static const struct {
        const char *name;
        baton_host_kernel function;
    } all[] = { { "add_number", add_number }, { "copy_floats", copy_floats }, { "nothing", nothing }, { "describe", describe } };
    lua_newtable(L);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        lua_pushlightuserdata(L, (void *)(uintptr_t)all[i].function);
        lua_setfield(L, -2, all[i].name);
    }
    return 1;
}

/* ---- arrays and streams */

/* fill(array, number): on the coroutine's stream */
static int fill(lua_State *L)
{
    double number = luaL_checknumber(L, 2);
    baton_error err = { .struct_size = sizeof err };
    baton_array *array = baton_lua_check_array(L, 1);
    return baton_lua_raise(L, baton_fill(array, &number, sizeof number, baton_lua_stream(L), &err), &err);
}

/* half(array): a view of its first half */
static int half(lua_State *L)
{
    baton_array_info info = { .struct_size = sizeof info };
    baton_error err = { .struct_size = sizeof err };
    baton_array *array = baton_lua_take_array(L, 1), *view = NULL;
    int32_t status = baton_array_info_read(array, &info, &err);
    int64_t start = 0, count = info.shape[0] / 2;
    if (!status)
        status = baton_array_view(array, &(baton_view_options){ .struct_size = sizeof(baton_view_options), .ndim = 1, .start = &start, .count = &count }, &view, &err);
    baton_array_release(array);
    if (status)
        return baton_lua_raise(L, status, &err);
    baton_lua_push_array(L, view);
    baton_array_release(view);
    return 1;
}

static baton_array *kept;

/* keep(array): holds a reference, without Lua; keep(): gives it back. */
static int keep(lua_State *L)
{
    baton_array_release(kept);
    kept = lua_isnoneornil(L, 1) ? NULL : baton_lua_take_array(L, 1);
    return 0;
}

static int give(lua_State *L)
{
    baton_lua_push_array(L, kept);
    return 1;
}

static int is_array(lua_State *L)
{
    lua_pushboolean(L, baton_lua_to_array(L, 1) != NULL);
    lua_pushboolean(L, baton_lua_to_stream(L, 1) != NULL);
    return 2;
}

static int stream(lua_State *L)
{
    baton_lua_push_stream(L, baton_lua_stream(L));
    return 1;
}

static int set_stream(lua_State *L)
{
    baton_lua_set_stream(L, baton_lua_to_stream(L, 1));
    return 0;
}

static int runtime(lua_State *L)
{
    lua_pushboolean(L, baton_lua_runtime(L) != NULL);
    return 1;
}

/* ---- foreign memory */

static atomic_int given_back;

static void count_and_free(void *user, uint64_t address)
{
    (void)user;
    free((void *)(uintptr_t)address);
    atomic_fetch_add(&given_back, 1);
}

/* memory(bytes): an address, and the deleter for it */
static int memory(lua_State *L)
{
    lua_pushlightuserdata(L, calloc(1, (size_t)luaL_checkinteger(L, 1)));
    lua_pushlightuserdata(L, (void *)(uintptr_t)count_and_free);
    return 2;
}

/* forget(address): for memory whose deleter was not used. */
static int forget(lua_State *L)
{
    free(lua_touserdata(L, 1));
    return 0;
}

static int deleted(lua_State *L)
{
    lua_pushinteger(L, atomic_load(&given_back));
    return 1;
}

/* release_schema(address): calls the release callback of an ArrowSchema. */
static int release_schema(lua_State *L)
{
    struct schema {
        const char *text[3];
        int64_t numbers[2];
        void *pointers[2];
        void (*release)(struct schema *schema);
    } *schema = lua_touserdata(L, 1);
    if (schema->release)
        schema->release(schema);
    lua_pushboolean(L, schema->release == NULL);
    return 1;
}

/* peek(address, i): the i-th float there */
static int peek(lua_State *L)
{
    lua_pushnumber(L, (lua_Number)((const float *)lua_touserdata(L, 1))[luaL_checkinteger(L, 2) - 1]);
    return 1;
}

static int poke(lua_State *L)
{
    ((float *)lua_touserdata(L, 1))[luaL_checkinteger(L, 2) - 1] = (float)luaL_checknumber(L, 3);
    return 0;
}

__attribute__((visibility("default"))) int luaopen_baton_test(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "kernels", kernels }, { "fill", fill }, { "half", half }, { "keep", keep }, { "give", give }, { "is_array", is_array },
        { "stream", stream }, { "set_stream", set_stream }, { "runtime", runtime }, { "memory", memory }, { "forget", forget }, { "release_schema", release_schema }, { "deleted", deleted },
        { "peek", peek }, { "poke", poke }, { NULL, NULL }
    };
    lua_newtable(L);
    for (const luaL_Reg *function = functions; function->name; function++) {
        lua_pushcfunction(L, function->func);
        lua_setfield(L, -2, function->name);
    }
    return 1;
}
