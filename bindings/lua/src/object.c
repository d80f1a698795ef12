#include "core.h"

void *object_push(lua_State *L, const struct class *class, size_t bytes)
{
    void *object = compat_userdata(L, bytes);
    compat_registry_get(L, class);
    lua_setmetatable(L, -2);
    return object;
}

void *object_test(lua_State *L, int index, const struct class *class)
{
    void *object = lua_type(L, index) == LUA_TUSERDATA ? lua_touserdata(L, index) : NULL;
    if (!object || !lua_getmetatable(L, index))
        return NULL;
    compat_registry_get(L, class);
    int same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return same ? object : NULL;
}

void *object_handle(lua_State *L, int index, const struct class *class)
{
    struct object *object = object_test(L, index, class);
    return object ? object->handle : NULL;
}

void *object_check(lua_State *L, int index, const struct class *class)
{
    struct object *object = object_test(L, index, class);
    if (object && object->handle)
        return object;
    misuse_argument(L, index, lua_pushfstring(L, "%s expected, got %s", class->name, object ? "a freed one" : luaL_typename(L, index)));
    return NULL;
}

static int object_free(lua_State *L)
{
    const struct class *class = lua_touserdata(L, lua_upvalueindex(1));
    struct object *object = object_test(L, 1, class);
    if (!object)
        return misuse_argument(L, 1, lua_pushfstring(L, "%s expected", class->name));
    void *handle = object->handle;
    object->handle = NULL;
    if (handle)
        class->release(handle);
    return 0;
}

/* share(): another object with a reference of its own. */
static int object_share(lua_State *L)
{
    const struct class *class = lua_touserdata(L, lua_upvalueindex(1));
    struct object *object = object_check(L, 1, class);
    size_t bytes = compat_length(L, 1);
    struct object *copy = object_push(L, class, bytes);
    baton_error err = error_begin();
    need(L, class->retain(object->handle), &err);
    memcpy(copy, object, bytes);
    return 1;
}

static int object_text(lua_State *L)
{
    const struct class *class = lua_touserdata(L, lua_upvalueindex(1));
    struct object *object = object_test(L, 1, class);
    if (object && !object->handle)
        lua_pushfstring(L, "%s (freed)", class->name);
    else
        lua_pushfstring(L, "%s: %p", class->name, object ? object->handle : NULL);
    return 1;
}

static void define(lua_State *L, const struct class *class, lua_CFunction function, const char *name)
{
    lua_pushlightuserdata(L, (void *)(uintptr_t)class);
    lua_pushcclosure(L, function, 1);
    lua_setfield(L, -2, name);
}

void object_define(lua_State *L, const struct class *class, const luaL_Reg *methods)
{
    lua_newtable(L);
    define(L, class, object_free, "__gc");
    define(L, class, object_free, "__close");
    define(L, class, object_text, "__tostring");
    lua_pushstring(L, class->name);
    lua_setfield(L, -2, "__name");
    lua_newtable(L);
    compat_functions(L, methods);
    define(L, class, object_free, "free");
    if (class->retain)
        define(L, class, object_share, "share");
    lua_setfield(L, -2, "__index");
    lua_pushvalue(L, -1);
    compat_registry_set(L, class);
    lua_getfield(L, -2, "metatables");
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, strchr(class->name, '.') + 1);
    lua_pop(L, 1);
}
