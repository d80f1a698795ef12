#include "core.h"

CLASS_OWN(module);
CLASS_OWN(kernel);

enum { PARAMETERS = 128 };

/* What a kernel takes: for each parameter its access when it is an array, else its element type. */
struct kernel {
    baton_kernel *handle;
    uint32_t count;
    struct {
        uint8_t access, dtype;
    } parameters[];
};

static void parameter_read(lua_State *L, struct kernel *kernel, uint32_t i)
{
    static const char *const accesses[] = { "in", "out", "inout" };
    const char *word = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    for (uint8_t access = 0; access < 3; access++)
        if (strcmp(word, accesses[access]) == 0)
            kernel->parameters[i].access = (uint8_t)(access + BATON_READ);
    for (int32_t dtype = BATON_BOOL; dtype <= BATON_C128; dtype++)
        if (strcmp(word, baton_dtype_name(dtype)) == 0)
            kernel->parameters[i].dtype = (uint8_t)dtype;
    if (!kernel->parameters[i].access && !kernel->parameters[i].dtype)
        misuse(L, "parameter %d: 'in', 'out', 'inout' or an element type expected, got %s", (int)i + 1,
                   *word ? word : luaL_typename(L, -1));
}

/* Pushes a kernel without a handle that takes what the list at index names. */
static struct kernel *kernel_push(lua_State *L, int index)
{
    luaL_checktype(L, index, LUA_TTABLE);
    size_t count = compat_length(L, index);
    check_argument(L, count <= PARAMETERS, index, "more than 128 parameters");
    struct kernel *kernel = object_push(L, &kernel_class, sizeof *kernel + count * sizeof kernel->parameters[0]);
    kernel->count = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++) {
        lua_rawgeti(L, index, (int)i + 1);
        parameter_read(L, kernel, i);
        lua_pop(L, 1);
    }
    return kernel;
}

/* module(image [, device]) */
static int module(lua_State *L)
{
    size_t bytes;
    const char *image = luaL_checklstring(L, 1, &bytes);
    baton_runtime *runtime = runtime_of(L);
    int32_t device = device_argument(L, 2);
    struct object *object = object_push(L, &module_class, sizeof *object);
    baton_module *made;
    baton_error err = error_begin();
    need(L, baton_module_load(runtime, device, image, bytes + 1, &made, &err), &err);
    object->handle = made;
    return 1;
}

/* module:kernel(name, parameters) */
static int module_kernel(lua_State *L)
{
    baton_module *from = handle_check(L, 1, module);
    const char *name = luaL_checkstring(L, 2);
    struct kernel *kernel = kernel_push(L, 3);
    baton_kernel *made;
    baton_error err = error_begin();
    need(L, baton_module_kernel(from, name, &made, &err), &err);
    kernel->handle = made;
    return 1;
}

/* host_kernel(address, name, parameters [, device]) */
static int host_kernel(lua_State *L)
{
    void *address = pointer_check(L, 1);
    const char *name = luaL_checkstring(L, 2);
    baton_runtime *runtime = runtime_of(L);
    int32_t device = device_argument(L, 4);
    struct kernel *kernel = kernel_push(L, 3);
    baton_host_parameter parameters[PARAMETERS];
    for (uint32_t i = 0; i < kernel->count; i++)
        parameters[i] = (baton_host_parameter){ kernel->parameters[i].access ? 8 : baton_dtype_size(kernel->parameters[i].dtype),
                                                kernel->parameters[i].access };
    baton_kernel *made;
    baton_error err = error_begin();
    need(L, baton_kernel_host(runtime, device, (baton_host_kernel)(uintptr_t)address, name, parameters, kernel->count, &made, &err), &err);
    kernel->handle = made;
    return 1;
}

/* ---- launch */

static void size_read(lua_State *L, const char *name, uint32_t *size)
{
    int64_t numbers[DIMENSIONS];
    lua_getfield(L, 2, name);
    if (!lua_isnil(L, -1)) {
        int count = extents_read(L, lua_gettop(L), numbers);
        if (count > 3)
            misuse(L, "%s: at most three numbers", name);
        for (int i = 0; i < count; i++) {
            if (numbers[i] < 0 || numbers[i] > UINT32_MAX)
                misuse(L, "%s: a number is out of range", name);
            size[i] = (uint32_t)numbers[i];
        }
    }
    lua_pop(L, 1);
}

/* The table at index 2: grid, block, shared, cluster, cooperative, stream; or a number: grid. */
static baton_launch_options options_read(lua_State *L)
{
    baton_launch_options options = { .struct_size = sizeof options };
    int64_t grid = 0;
    if (compat_integer(L, 2, &grid)) {
        check_argument(L, grid >= 0 && grid <= UINT32_MAX, 2, "out of range");
        options.grid[0] = (uint32_t)grid;
    } else {
        luaL_checktype(L, 2, LUA_TTABLE);
        size_read(L, "grid", options.grid);
        size_read(L, "block", options.block);
        lua_getfield(L, 2, "shared");
        options.shared_bytes = (uint32_t)luaL_optinteger(L, lua_gettop(L), 0);
        lua_getfield(L, 2, "stream");
        if (!lua_isnil(L, -1))
            options.stream = handle_check(L, lua_gettop(L), stream);
        size_read(L, "cluster", options.cluster);
        lua_getfield(L, 2, "cooperative");
        options.flags |= lua_toboolean(L, -1) ? BATON_LAUNCH_COOPERATIVE : 0;
        lua_pop(L, 3);
    }
    if (!options.stream)
        options.stream = stream_current(L);
    options.scope = scope_current(L);
    return options;
}

/* Options read once: { grid, block, … } for launches that repeat. The handle is the stream, with a reference. */
struct prepared {
    baton_stream *handle;
    baton_launch_options options;
};

static void prepared_release(void *handle)
{
    baton_stream_release(handle);
}
static const struct class options_class = { "baton.launch_options", NULL, prepared_release };

/* launch_options(table) */
static int launch_options(lua_State *L)
{
    lua_settop(L, 1);
    lua_pushnil(L);
    lua_insert(L, 1);
    baton_launch_options options = options_read(L);
    struct prepared *prepared = object_push(L, &options_class, sizeof *prepared);
    options.scope = NULL;
    prepared->options = options;
    baton_stream_retain(options.stream);
    prepared->handle = options.stream;
    return 1;
}

static baton_launch_options options_check(lua_State *L)
{
    struct prepared *prepared = object_test(L, 2, &options_class);
    if (!prepared)
        return options_read(L);
    if (!prepared->handle)
        misuse_argument(L, 1, "freed launch options");
    baton_launch_options options = prepared->options;
    options.scope = scope_current(L);
    return options;
}

static void argument_read(lua_State *L, int index, const struct kernel *kernel, uint32_t i, baton_argument *argument, void *value)
{
    uint32_t access = kernel->parameters[i].access;
    if (access) {
        *argument = (baton_argument){ .array = handle_check(L, index, array), .access = access };
        return;
    }
    element_read(L, index, kernel->parameters[i].dtype, value);
    *argument = (baton_argument){ .data = value, .bytes = baton_dtype_size(kernel->parameters[i].dtype) };
}

/* kernel:launch(options, arguments …) */
static int launch(lua_State *L)
{
    const struct kernel *kernel = object_check(L, 1, &kernel_class);
    baton_argument arguments[PARAMETERS];
    _Alignas(16) unsigned char values[PARAMETERS][16];
    baton_error err = error_begin();
    if (lua_gettop(L) - 2 != (int)kernel->count)
        return misuse(L, "the kernel takes %d arguments, not %d", (int)kernel->count, lua_gettop(L) - 2);
    baton_launch_options options = options_check(L);
    for (uint32_t i = 0; i < kernel->count; i++)
        argument_read(L, (int)i + 3, kernel, i, &arguments[i], values[i]);
    return settle(L, baton_launch(kernel->handle, &options, arguments, kernel->count, &err), &err, 1);
}

static int parameters(lua_State *L)
{
    static const char *const accesses[] = { NULL, "in", "out", "inout" };
    const struct kernel *kernel = object_check(L, 1, &kernel_class);
    lua_createtable(L, (int)kernel->count, 0);
    for (uint32_t i = 0; i < kernel->count; i++) {
        uint32_t access = kernel->parameters[i].access;
        lua_pushstring(L, access ? accesses[access] : baton_dtype_name(kernel->parameters[i].dtype));
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

static const luaL_Reg module_methods[] = { { "kernel", module_kernel }, { NULL, NULL } };
static const luaL_Reg kernel_methods[] = { { "launch", launch }, { "parameters", parameters }, { NULL, NULL } };
static const luaL_Reg functions[] = { { "module", module }, { "host_kernel", host_kernel },
    { "launch_options", launch_options }, { NULL, NULL } };

void part_kernel(lua_State *L)
{
    object_define(L, &module_class, module_methods);
    lua_pop(L, 1);
    object_define(L, &options_class, (luaL_Reg[]){ { NULL, NULL } });
    lua_pop(L, 1);
    object_define(L, &kernel_class, kernel_methods);
    lua_getfield(L, -1, "__index");
    compat_functions(L, kernel_ask_methods);
    lua_setfield(L, -3, "kernel_methods");
    lua_pop(L, 1);
    compat_functions(L, functions);
}
