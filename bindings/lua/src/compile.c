#include "core.h"

enum { LOG_BYTES = 64 * 1024 };

/* ---- from source. The options' strings stay in their tables meanwhile. */

static const char *text_field(lua_State *L, int index, const char *name)
{
    lua_getfield(L, index, name);
    const char *text = lua_isnil(L, -1) ? NULL : luaL_checkstring(L, lua_gettop(L));
    lua_pop(L, 1);
    return text;
}

/* The list of strings `name` in the table at index; pushes the memory of the array. */
static const char *const *list_field(lua_State *L, int index, const char *name, uint32_t *count)
{
    lua_getfield(L, index, name);
    size_t length = lua_isnil(L, -1) ? 0 : (luaL_checktype(L, lua_gettop(L), LUA_TTABLE), compat_length(L, -1));
    const char **texts = buffer_push(L, length * sizeof *texts);
    lua_insert(L, -2);
    for (size_t i = 0; i < length; i++) {
        lua_rawgeti(L, -1, (int)i + 1);
        texts[i] = luaL_checkstring(L, lua_gettop(L));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    *count = (uint32_t)length;
    return texts;
}

/* headers: a table from names to texts */
static void headers_read(lua_State *L, int index, baton_compile_options *options)
{
    lua_getfield(L, index, "headers");
    int headers = lua_gettop(L);
    if (lua_isnil(L, headers))
        return;
    luaL_checktype(L, headers, LUA_TTABLE);
    for (lua_pushnil(L); lua_next(L, headers); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING)
            misuse_argument(L, index, "headers: names and texts expected");
        options->header_count++;
    }
    const char **names = buffer_push(L, options->header_count * sizeof *names);
    const char **texts = buffer_push(L, options->header_count * sizeof *texts);
    uint32_t i = 0;
    for (lua_pushnil(L); lua_next(L, headers); lua_pop(L, 1)) {
        names[i] = lua_tostring(L, -2);
        texts[i++] = lua_tostring(L, -1);
    }
    options->header_names = names;
    options->headers = texts;
}

static void options_read(lua_State *L, int index, baton_compile_options *options)
{
    options->name = text_field(L, index, "name");
    options->tag = text_field(L, index, "tag");
    options->cache = text_field(L, index, "cache");
    options->options = list_field(L, index, "options", &options->option_count);
    options->expressions = list_field(L, index, "expressions", &options->expression_count);
    headers_read(L, index, options);
    lua_getfield(L, index, "cache_bytes");
    options->cache_bytes = (uint64_t)luaL_optnumber(L, lua_gettop(L), 0);
    lua_getfield(L, index, "no_cache");
    options->flags = lua_toboolean(L, -1) ? BATON_COMPILE_NO_CACHE : 0;
}

/* compile(source [, options [, device]]): the module and the compiler's log; or nil, the log and the error's message when the
 * source is wrong. */
static int compile(lua_State *L)
{
    const char *source = luaL_checkstring(L, 1);
    baton_runtime *runtime = runtime_of(L);
    int32_t device = device_argument(L, 3);
    baton_compile_options options = { .struct_size = sizeof options };
    baton_error err = error_begin();
    baton_module *made;
    lua_settop(L, 2);
    struct object *object = object_push(L, &module_class, sizeof *object);
    options.log = buffer_push(L, options.log_bytes = LOG_BYTES);
    options.log[0] = 0;
    if (lua_istable(L, 2))
        options_read(L, 2, &options);
    int32_t status = baton_module_compile(runtime, device, source, &options, &made, &err);
    if (status && status != BATON_ERR_COMPILE)
        error_raise(L, status, &err);
    object->handle = status ? NULL : made;
    if (status)
        lua_pushnil(L);
    else
        lua_pushvalue(L, 3);
    lua_pushstring(L, options.log);
    lua_pushstring(L, status ? err.message : NULL);
    return 3;
}

/* ---- what a kernel needs */

#define NUMBER(member) (lua_pushinteger(L, (lua_Integer)about.member), lua_setfield(L, -2, #member))

static int info(lua_State *L)
{
    baton_kernel_info about = { .struct_size = sizeof about };
    baton_error err = error_begin();
    need(L, baton_kernel_info_read(handle_check(L, 1, kernel), &about, &err), &err);
    lua_newtable(L);
    NUMBER(device), NUMBER(parameters), NUMBER(registers), NUMBER(most_threads), NUMBER(binary_version), NUMBER(ptx_version);
    NUMBER(shared_bytes), NUMBER(most_shared_bytes), NUMBER(constant_bytes), NUMBER(local_bytes);
    return 1;
}

static uint32_t count_optional(lua_State *L, int index)
{
    lua_Integer count = luaL_optinteger(L, index, 0);
    check_argument(L, count >= 0 && count <= INT32_MAX, index, "out of range");
    return (uint32_t)count;
}

/* occupancy(threads [, shared_bytes]): blocks per multiprocessor */
static int occupancy(lua_State *L)
{
    uint32_t blocks = 0;
    baton_error err = error_begin();
    need(L, baton_kernel_occupancy(handle_check(L, 1, kernel), count_optional(L, 2), count_optional(L, 3), &blocks, &err), &err);
    lua_pushinteger(L, (lua_Integer)blocks);
    return 1;
}

/* block_size([shared_bytes [, most_threads]]): threads per block, and the least blocks that fill the device */
static int block_size(lua_State *L)
{
    uint32_t threads = 0, blocks = 0;
    baton_error err = error_begin();
    need(L, baton_kernel_block_size(handle_check(L, 1, kernel), count_optional(L, 2), count_optional(L, 3), &threads, &blocks, &err), &err);
    lua_pushinteger(L, (lua_Integer)threads);
    lua_pushinteger(L, (lua_Integer)blocks);
    return 2;
}

const luaL_Reg kernel_ask_methods[] = { { "info", info }, { "occupancy", occupancy }, { "block_size", block_size }, { NULL, NULL } };
static const luaL_Reg functions[] = { { "compile", compile }, { NULL, NULL } };

void part_compile(lua_State *L)
{
    compat_functions(L, functions);
}
