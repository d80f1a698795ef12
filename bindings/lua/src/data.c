#include "core.h"

void *buffer_push(lua_State *L, uint64_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        misuse(L, "too large for a buffer");
    return lua_newuserdata(L, bytes ? (size_t)bytes : 1);
}

void *pointer_check(lua_State *L, int index)
{
    switch (lua_type(L, index)) {
    case LUA_TNIL: return NULL;
    case LUA_TLIGHTUSERDATA: return lua_touserdata(L, index);
    case TYPE_CDATA: return *(void *const *)lua_topointer(L, index);
    default:
        misuse_argument(L, index, "a pointer expected: lightuserdata or a pointer of LuaJIT's FFI");
        return NULL;
    }
}

int extents_read(lua_State *L, int index, int64_t *extents)
{
    if (lua_type(L, index) == LUA_TNUMBER) {
        check_argument(L, compat_integer(L, index, extents), index, "a whole number expected");
        return 1;
    }
    luaL_checktype(L, index, LUA_TTABLE);
    size_t count = compat_length(L, index);
    check_argument(L, count <= DIMENSIONS, index, "more than 16 dimensions");
    for (int i = 0; i < (int)count; i++) {
        lua_rawgeti(L, index, i + 1);
        check_argument(L, compat_integer(L, -1, &extents[i]), index, "a list of whole numbers expected");
        lua_pop(L, 1);
    }
    return (int)count;
}

/* ---- nested tables. An element of a complex type is a table { real, imaginary } at the depth below the last dimension. */

static int leaf(lua_State *L, int32_t dtype)
{
    if (!lua_istable(L, -1))
        return 1;
    if (!dtype_complex(dtype) || compat_length(L, -1) != 2)
        return 0;
    lua_rawgeti(L, -1, 1);
    int number = lua_isnumber(L, -1);
    lua_pop(L, 1);
    return number;
}

int data_shape(lua_State *L, int index, int32_t dtype, int64_t *shape)
{
    int ndim = 0, top = lua_gettop(L);
    luaL_checkstack(L, DIMENSIONS + 4, "nested too deeply");
    lua_pushvalue(L, index);
    while (!leaf(L, dtype)) {
        if (ndim == DIMENSIONS)
            return misuse(L, "more than 16 dimensions");
        shape[ndim++] = (int64_t)compat_length(L, -1);
        if (shape[ndim - 1] == 0)
            break;
        lua_rawgeti(L, -1, 1);
    }
    lua_settop(L, top);
    return ndim;
}

struct walk {
    const baton_array_info *info;
    uint32_t size;
    unsigned char *at;
};

/* The table on top holds dimension `level` of what is walked. */
static void read_level(lua_State *L, struct walk *walk, int level)
{
    if (level == walk->info->ndim) {
        element_read(L, lua_gettop(L), walk->info->dtype, walk->at);
        walk->at += walk->size;
        return;
    }
    int64_t extent = walk->info->shape[level];
    if (!lua_istable(L, -1) || (int64_t)compat_length(L, -1) != extent)
        misuse(L, "a table of %d values expected in dimension %d, got %s", (int)extent, level + 1,
                   lua_istable(L, -1) ? lua_pushfstring(L, "%d", (int)compat_length(L, -1)) : luaL_typename(L, -1));
    for (int64_t i = 1; i <= extent; i++) {
        lua_rawgeti(L, -1, (int)i);
        read_level(L, walk, level + 1);
        lua_pop(L, 1);
    }
}

static const void *read_table(lua_State *L, int index, const baton_array_info *info)
{
    struct walk walk = { .info = info, .size = baton_dtype_size(info->dtype) };
    void *buffer = walk.at = buffer_push(L, info->bytes);
    luaL_checkstack(L, 2 * DIMENSIONS + 8, "nested too deeply");
    lua_pushvalue(L, index);
    read_level(L, &walk, 0);
    lua_pop(L, 1);
    return buffer;
}

const void *data_read(lua_State *L, int index, const baton_array_info *info)
{
    size_t length;
    const void *bytes;
    if (lua_type(L, index) == LUA_TSTRING) {
        bytes = lua_tolstring(L, index, &length);
        if (length != info->bytes)
            misuse(L, "a string of %f bytes expected, got %f", (lua_Number)info->bytes, (lua_Number)length);
        lua_pushnil(L);
        return bytes;
    }
    if (lua_istable(L, index) || lua_isnumber(L, index) || lua_isboolean(L, index))
        return read_table(L, index, info);
    bytes = pointer_check(L, index);
    lua_pushnil(L);
    return bytes;
}

/* shape_of(table, dtype) */
int data_shape_of(lua_State *L)
{
    int64_t shape[DIMENSIONS];
    int ndim = data_shape(L, 1, dtype_check(L, 2), shape);
    lua_createtable(L, ndim, 0);
    for (int i = 0; i < ndim; i++) {
        compat_integer_push(L, shape[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static void table_level(lua_State *L, struct walk *walk, int level)
{
    if (level == walk->info->ndim) {
        element_push(L, walk->info->dtype, walk->at);
        walk->at += walk->size;
        return;
    }
    int64_t extent = walk->info->shape[level];
    lua_createtable(L, extent < 1 << 24 ? (int)extent : 0, 0);
    for (int64_t i = 1; i <= extent; i++) {
        table_level(L, walk, level + 1);
        lua_rawseti(L, -2, (int)i);
    }
}

void data_table(lua_State *L, const baton_array_info *info, const void *bytes)
{
    struct walk walk = { info, baton_dtype_size(info->dtype), (unsigned char *)(uintptr_t)bytes };
    luaL_checkstack(L, DIMENSIONS + 8, "nested too deeply");
    table_level(L, &walk, 0);
}
