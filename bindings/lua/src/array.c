#include "core.h"

CLASS_OWN(array);

baton_array_info array_info(lua_State *L, baton_array *array)
{
    baton_array_info info = { .struct_size = sizeof info };
    baton_error err = error_begin();
    need(L, baton_array_info_read(array, &info, &err), &err);
    return info;
}

uint32_t access_optional(lua_State *L, int index, uint32_t otherwise)
{
    static const char *const names[] = { "read", "write", "update", NULL };
    return lua_isnoneornil(L, index) ? otherwise : (uint32_t)luaL_checkoption(L, index, NULL, names) + BATON_READ;
}

baton_array *operand_check(lua_State *L, int index, uint32_t *access)
{
    *access = BATON_READ_WRITE;
    if (!lua_istable(L, index))
        return handle_check(L, index, array);
    lua_rawgeti(L, index, 2);
    *access = (uint32_t)lua_tointeger(L, -1);
    lua_rawgeti(L, index, 1);
    baton_array *array = object_handle(L, -1, &array_class);
    lua_pop(L, 2);
    if (!array || *access < BATON_READ || *access > BATON_READ_WRITE)
        misuse_argument(L, index, "an array, or one in baton.read, write or update, expected");
    return array;
}

/* ---- making */

static int32_t kind_field(lua_State *L, int index, int32_t otherwise)
{
    static const char *const names[] = { "device", "host", "unified", NULL };
    lua_getfield(L, index, "kind");
    int32_t kind = otherwise;
    if (!lua_isnil(L, -1))
        kind = luaL_checkoption(L, lua_gettop(L), NULL, names) + BATON_DEVICE;
    lua_pop(L, 1);
    return kind;
}

/* What the table at index 3 or 4 (nil: none) says. The stream stays in the table. */
struct making {
    baton_array_options options;
    int64_t shape[DIMENSIONS], strides[DIMENSIONS];
};

static void options_table(lua_State *L, int index, struct making *making)
{
    baton_array_options *options = &making->options;
    options->kind = kind_field(L, index, options->kind);
    lua_getfield(L, index, "stream");
    if (!lua_isnil(L, -1))
        options->stream = handle_check(L, lua_gettop(L), stream);
    lua_getfield(L, index, "strides");
    if (!lua_isnil(L, -1)) {
        check_argument(L, extents_read(L, lua_gettop(L), making->strides) == options->ndim, index, "as many strides as extents");
        options->strides = making->strides;
    }
    lua_getfield(L, index, "read_only");
    options->read_only = lua_toboolean(L, -1);
    lua_getfield(L, index, "device");
    options->device = lua_isnil(L, -1) ? -1 : (int32_t)lua_tointeger(L, -1);
    lua_pop(L, 4);
}

/* shape, dtype, options from `index` on. kind: where none is said. */
static void options_read(lua_State *L, int index, struct making *making, int32_t kind)
{
    baton_array_options *options = &making->options;
    baton_error err = error_begin();
    *options = (baton_array_options){ .struct_size = sizeof *options, .device = -1, .kind = kind };
    options->ndim = extents_read(L, index, making->shape);
    options->shape = making->shape;
    options->dtype = dtype_optional(L, index + 1, BATON_F64);
    if (!lua_isnoneornil(L, index + 2)) {
        luaL_checktype(L, index + 2, LUA_TTABLE);
        options_table(L, index + 2, making);
    }
    baton_stream *current = options->stream ? options->stream : stream_current(L);
    int32_t device;
    need(L, baton_stream_device(current, &device, &err), &err);
    if (options->device < 0)
        options->device = device;
    if (options->device == device)
        options->stream = current;
}

/* empty(shape [, dtype [, options]]) */
static int empty(lua_State *L)
{
    struct making making;
    options_read(L, 1, &making, BATON_DEVICE);
    array_create(L, &making.options);
    return 1;
}

/* wrap(address, shape, dtype, options): also read_only, owner (a Lua value that is kept), deleter and user (addresses). */
static int wrap(lua_State *L)
{
    struct making making;
    baton_runtime *runtime = runtime_of(L);
    baton_error err = error_begin();
    uint64_t address = (uint64_t)(uintptr_t)pointer_check(L, 1);
    options_read(L, 2, &making, 0);
    lua_settop(L, 4);
    anchors_sweep(L);
    struct object *object = object_push(L, &array_class, sizeof *object);
    baton_deleter deleter = NULL;
    void *user = NULL;
    if (lua_istable(L, 4)) {
        lua_getfield(L, 4, "deleter");
        deleter = (baton_deleter)(uintptr_t)pointer_check(L, lua_gettop(L));
        lua_getfield(L, 4, "user");
        user = pointer_check(L, lua_gettop(L));
        lua_getfield(L, 4, "owner");
        if (!lua_isnil(L, -1)) {
            check_argument(L, !deleter, 4, "either owner or deleter");
            user = anchor_new(L, lua_gettop(L));
            deleter = anchor_deleter;
        }
    }
    baton_array *array;
    int32_t status = baton_array_wrap(runtime, &making.options, address, deleter, user, &array, &err);
    if (status && deleter == anchor_deleter)
        anchor_deleter(user, address);
    need(L, status, &err);
    object->handle = array;
    lua_pushvalue(L, 5);
    return 1;
}

/* ---- asking */

static void extents_push(lua_State *L, const int64_t *extents, int count)
{
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; i++) {
        compat_integer_push(L, extents[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

static int push_number(lua_State *L, uint64_t value)
{
    lua_pushinteger(L, (lua_Integer)value);
    return 1;
}

#define ASK(name, push)                                                     \
    static int ask_##name(lua_State *L)                                     \
    {                                                                       \
        baton_array_info info = array_info(L, handle_check(L, 1, array));   \
        return push;                                                        \
    }
static const char *const kinds[] = { "unknown", "device", "host", "unified" };
ASK(shape, (extents_push(L, info.shape, info.ndim), 1))
ASK(strides, (extents_push(L, info.strides, info.ndim), 1))
ASK(dtype, (lua_pushstring(L, baton_dtype_name(info.dtype)), 1))
ASK(kind, (lua_pushstring(L, kinds[info.kind & 3]), 1))
ASK(ndim, push_number(L, (uint64_t)info.ndim))
ASK(device, push_number(L, (uint64_t)info.device))
ASK(size, push_number(L, info.elements))
ASK(bytes, push_number(L, info.bytes))
ASK(memory, push_number(L, info.memory_id))

static void flag_set(lua_State *L, const char *name, int on)
{
    lua_pushboolean(L, on);
    lua_setfield(L, -2, name);
}

#define HINT(name, value) (lua_pushnumber(L, (lua_Number)(value)), lua_setfield(L, -2, name))

/* Everything that is known; what other tasks change may be outdated. */
static int inspect(lua_State *L)
{
    baton_array_info info = array_info(L, handle_check(L, 1, array));
    lua_newtable(L);
    HINT("offset", info.offset_bytes);
    HINT("memory_bytes", info.memory_bytes);
    HINT("memory", info.memory_id);
    HINT("owner", info.owner_stream_id);
    HINT("pending", info.pending_stream_id);
    HINT("readers", info.readers);
    HINT("lock_holder", info.lock_holder);
    flag_set(L, "synchronizing", (info.flags & BATON_ARRAY_SYNCHRONIZING) != 0);
    flag_set(L, "tainted", (info.flags & BATON_ARRAY_TAINTED) != 0);
    flag_set(L, "escaped", (info.flags & BATON_ARRAY_ESCAPED) != 0);
    flag_set(L, "contiguous", (info.flags & BATON_ARRAY_CONTIGUOUS) != 0);
    flag_set(L, "view", (info.flags & BATON_ARRAY_VIEW) != 0);
    flag_set(L, "foreign", (info.flags & BATON_ARRAY_FOREIGN) != 0);
    flag_set(L, "read_only", (info.flags & BATON_ARRAY_READ_ONLY) != 0);
    return 1;
}

static int length(lua_State *L)
{
    baton_array_info info = array_info(L, handle_check(L, 1, array));
    lua_pushinteger(L, info.ndim ? (lua_Integer)info.shape[0] : 0);
    return 1;
}

/* owned, in one call: a list of arrays gives its references back. */
static int free_all(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    size_t count = compat_length(L, 1), kept = 0;
    baton_array **arrays = buffer_push(L, count * sizeof *arrays);
    for (size_t i = 1; i <= count; i++) {
        lua_rawgeti(L, 1, (int)i);
        struct object *object = object_test(L, -1, &array_class);
        if (object && object->handle) {
            arrays[kept++] = object->handle;
            object->handle = NULL;
        }
        lua_pop(L, 1);
    }
    baton_array_release_n(arrays, kept);
    return 0;
}

/* ---- the class */

static const luaL_Reg asks[] = {
    { "shape", ask_shape }, { "strides", ask_strides }, { "dtype", ask_dtype }, { "kind", ask_kind }, { "ndim", ask_ndim },
    { "device", ask_device }, { "size", ask_size }, { "bytes", ask_bytes }, { "memory", ask_memory }, { NULL, NULL }
};
static const luaL_Reg methods[] = { { "inspect", inspect }, { NULL, NULL } };
static const luaL_Reg functions[] = { { "empty", empty }, { "wrap", wrap }, { "free_all", free_all },
    { "shape_of", data_shape_of }, { NULL, NULL } };

/* array.name is a property, array:name(…) a method, array[i] a part. Upvalues: properties, methods. */
static int index_any(lua_State *L)
{
    if (lua_type(L, 2) != LUA_TSTRING)
        return array_index_read(L);
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(2));
    if (!lua_isnil(L, -1))
        return 1;
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(1));
    lua_CFunction ask = lua_tocfunction(L, -1);
    if (!ask)
        return misuse(L, "an array has no '%s'", lua_tostring(L, 2));
    lua_settop(L, 1);
    return ask(L);
}

void part_array(lua_State *L)
{
    object_define(L, &array_class, methods);
    lua_newtable(L);
    compat_functions(L, asks);
    lua_getfield(L, -2, "__index");
    compat_functions(L, array_work_methods);
    compat_functions(L, array_view_methods);
    compat_functions(L, array_pointer_methods);
    compat_functions(L, array_wait_methods);
    compat_functions(L, array_exchange_methods);
    lua_pushvalue(L, -1);
    lua_setfield(L, -5, "array_methods");
    lua_pushcclosure(L, index_any, 2);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, array_index_write);
    lua_setfield(L, -2, "__newindex");
    lua_pushcfunction(L, length);
    lua_setfield(L, -2, "__len");
    lua_setfield(L, -2, "array_metatable");
    compat_functions(L, functions);
}
