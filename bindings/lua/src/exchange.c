/* Arrays to and from other languages and libraries, through addresses of the protocols' structures. */
#include "core.h"

static baton_stream *stream_optional(lua_State *L, int index)
{
    return lua_isnoneornil(L, index) ? NULL : handle_check(L, index, stream);
}

static int address_push(lua_State *L, int32_t status, void *address, const baton_error *err)
{
    if (status)
        return blocked_push(L, status, err);
    lua_pushlightuserdata(L, address);
    return 1;
}

/* ---- DLPack */

static uint32_t flag_field(lua_State *L, int index, const char *name, uint32_t flag)
{
    lua_getfield(L, index, name);
    int on = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return on ? flag : 0;
}

/* dlpack([stream [, { legacy, copy, unordered, host }]]): a DLManagedTensorVersioned *, or with legacy a DLManagedTensor *, whose
 * deleter the caller calls. Without a stream the host waits. */
static int dlpack(lua_State *L)
{
    baton_array *array = handle_check(L, 1, array);
    baton_dlpack_options options = { .struct_size = sizeof options, .stream = stream_optional(L, 2) };
    void *managed = NULL;
    baton_error err = error_begin();
    if (!lua_istable(L, 3)) {
        int32_t status = baton_dlpack_export(array, options.stream, &managed, &err);
        return address_push(L, status, managed, &err);
    }
    options.flags = flag_field(L, 3, "legacy", BATON_DLPACK_LEGACY) | flag_field(L, 3, "copy", BATON_DLPACK_COPY) |
                    flag_field(L, 3, "unordered", BATON_DLPACK_UNORDERED) | flag_field(L, 3, "host", BATON_DLPACK_HOST);
    int32_t status = baton_dlpack_export_with(array, &options, &managed, &err);
    return address_push(L, status, managed, &err);
}

/* dlpack_device(): DLPack's type and id */
static int dlpack_device(lua_State *L)
{
    int32_t type = 0, id = 0;
    baton_error err = error_begin();
    need(L, baton_dlpack_device(handle_check(L, 1, array), &type, &id, &err), &err);
    lua_pushinteger(L, type);
    lua_pushinteger(L, id);
    return 2;
}

/* from_dlpack(managed [, stream [, legacy]]) */
static int from_dlpack(lua_State *L)
{
    baton_runtime *runtime = runtime_of(L);
    void *managed = pointer_check(L, 1);
    baton_stream *stream = stream_optional(L, 2);
    int legacy = lua_toboolean(L, 3);
    baton_array *array;
    baton_error err = error_begin();
    struct object *object = object_push(L, &array_class, sizeof *object);
    need(L, legacy ? baton_dlpack_import_legacy(runtime, managed, stream, &array, &err) : baton_dlpack_import(runtime, managed, stream, &array, &err), &err);
    object->handle = array;
    return 1;
}

/* ---- Arrow */

/* arrow(device_array [, schema]): fills an ArrowDeviceArray and an ArrowSchema of the caller's. */
static int arrow(lua_State *L)
{
    baton_array *array = handle_check(L, 1, array);
    void *schema = lua_isnoneornil(L, 3) ? NULL : pointer_check(L, 3);
    baton_error err = error_begin();
    return settle(L, baton_arrow_export(array, pointer_check(L, 2), schema, &err), &err, 1);
}

/* from_arrow(device_array, schema [, stream]): moved; the schema stays the caller's. */
static int from_arrow(lua_State *L)
{
    baton_runtime *runtime = runtime_of(L);
    void *device_array = pointer_check(L, 1), *schema = pointer_check(L, 2);
    baton_stream *stream = stream_optional(L, 3);
    baton_array *array;
    baton_error err = error_begin();
    struct object *object = object_push(L, &array_class, sizeof *object);
    need(L, baton_arrow_import(runtime, device_array, schema, stream, &array, &err), &err);
    object->handle = array;
    return 1;
}

/* ---- __cuda_array_interface__ */

static void extents_set(lua_State *L, const char *name, const int64_t *extents, int count)
{
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; i++) {
        compat_integer_push(L, extents[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, name);
}

static void address_set(lua_State *L, const char *name, uint64_t address)
{
    lua_pushlightuserdata(L, (void *)(uintptr_t)address);
    lua_setfield(L, -2, name);
}

/* interface(): { address, stream, typestr, shape, strides (bytes), read_only, contiguous, device, device_type } */
static int interface(lua_State *L)
{
    baton_interface_info info = { .struct_size = sizeof info };
    baton_error err = error_begin();
    int32_t status = baton_interface_export(handle_check(L, 1, array), &info, &err);
    if (status)
        return blocked_push(L, status, &err);
    lua_newtable(L);
    address_set(L, "address", info.address);
    address_set(L, "stream", info.stream);
    extents_set(L, "shape", info.shape, info.ndim);
    extents_set(L, "strides", info.strides, info.ndim);
    lua_pushstring(L, info.typestr);
    lua_setfield(L, -2, "typestr");
    lua_pushboolean(L, info.read_only);
    lua_setfield(L, -2, "read_only");
    lua_pushboolean(L, info.contiguous);
    lua_setfield(L, -2, "contiguous");
    lua_pushinteger(L, info.device);
    lua_setfield(L, -2, "device");
    lua_pushinteger(L, info.device_type);
    lua_setfield(L, -2, "device_type");
    return 1;
}

/* An address, or a small number, in the table at index 1. */
static uint64_t address_field(lua_State *L, const char *name)
{
    int64_t number = 0;
    lua_getfield(L, 1, name);
    if (!compat_integer(L, -1, &number))
        number = (int64_t)(uintptr_t)pointer_check(L, lua_gettop(L));
    lua_pop(L, 1);
    return (uint64_t)number;
}

static void description_read(lua_State *L, baton_interface_info *info)
{
    info->address = address_field(L, "address");
    info->stream = address_field(L, "stream");
    info->read_only = (int32_t)flag_field(L, 1, "read_only", 1);
    lua_getfield(L, 1, "typestr");
    const char *type = luaL_checkstring(L, lua_gettop(L));
    check_argument(L, strlen(type) < sizeof info->typestr, 1, "typestr is too long");
    memcpy(info->typestr, type, strlen(type) + 1);
    lua_getfield(L, 1, "shape");
    info->ndim = extents_read(L, lua_gettop(L), info->shape);
    lua_getfield(L, 1, "strides");
    info->contiguous = lua_isnil(L, -1);
    if (!info->contiguous)
        check_argument(L, extents_read(L, lua_gettop(L), info->strides) == info->ndim, 1, "as many strides as extents");
    lua_getfield(L, 1, "device");
    info->device = lua_isnil(L, -1) ? 0 : (int32_t)lua_tointeger(L, -1);
    lua_pop(L, 4);
}

/* from_interface(description): as interface gives; also owner, a Lua value that is kept while the memory is used. */
static int from_interface(lua_State *L)
{
    baton_runtime *runtime = runtime_of(L);
    baton_interface_info info = { .struct_size = sizeof info };
    baton_error err = error_begin();
    baton_array *array;
    luaL_checktype(L, 1, LUA_TTABLE);
    description_read(L, &info);
    anchors_sweep(L);
    struct object *object = object_push(L, &array_class, sizeof *object);
    lua_getfield(L, 1, "owner");
    struct anchor *anchor = lua_isnil(L, -1) ? NULL : anchor_new(L, lua_gettop(L));
    int32_t status = baton_interface_import(runtime, &info, anchor ? anchor_deleter : NULL, anchor, &array, &err);
    if (status && anchor)
        anchor_deleter(anchor, info.address);
    need(L, status, &err);
    object->handle = array;
    lua_pop(L, 1);
    return 1;
}

/* adopt_stream(native [, device]): the handle of a stream that other code names by its number. */
static int adopt_stream(lua_State *L)
{
    int64_t special = 0;
    baton_runtime *runtime = runtime_of(L);
    uint64_t native = compat_integer(L, 1, &special) ? (uint64_t)special : (uint64_t)(uintptr_t)pointer_check(L, 1);
    int32_t device = (int32_t)luaL_optinteger(L, 2, 0);
    struct object *object = object_push(L, &stream_class, sizeof *object);
    baton_stream *stream;
    baton_error err = error_begin();
    need(L, baton_stream_adopt(runtime, device, native, &stream, &err), &err);
    object->handle = stream;
    return 1;
}

const luaL_Reg array_exchange_methods[] = {
    { "dlpack", dlpack }, { "dlpack_device", dlpack_device }, { "arrow", arrow }, { "interface", interface }, { NULL, NULL }
};
static const luaL_Reg functions[] = {
    { "from_dlpack", from_dlpack }, { "from_arrow", from_arrow }, { "from_interface", from_interface }, { "adopt_stream", adopt_stream },
    { NULL, NULL }
};

void part_exchange(lua_State *L)
{
    compat_functions(L, functions);
}
