#include <errno.h>
#include <poll.h>

#include "core.h"

CLASS_OWN(fence);

static int ready(lua_State *L)
{
    baton_error err = error_begin();
    return ready_push(L, baton_fence_query(handle_check(L, 1, fence), &err), &err);
}

/* wait([seconds [, mode]]): false when the time is over. */
static int wait(lua_State *L)
{
    static const char *const modes[] = { "auto", "spin", "block", NULL };
    baton_fence *fence = handle_check(L, 1, fence);
    lua_Number seconds = luaL_optnumber(L, 2, -1);
    int64_t limit = seconds < 0 || seconds > 9e9 ? BATON_UNLIMITED : (int64_t)(seconds * 1e9);
    baton_error err = error_begin();
    int32_t status = baton_fence_wait(fence, limit, luaL_checkoption(L, 3, "auto", modes), &err);
    if (status && status != BATON_TIMEOUT)
        return blocked_push(L, status, &err);
    lua_pushboolean(L, status == BATON_OK);
    return 1;
}

static int32_t descriptor_of(lua_State *L, baton_fence *fence)
{
    int32_t descriptor;
    baton_error err = error_begin();
    need(L, baton_fence_descriptor(fence, &descriptor, &err), &err);
    return descriptor;
}

static int descriptor(lua_State *L)
{
    lua_pushinteger(L, descriptor_of(L, handle_check(L, 1, fence)));
    return 1;
}

/* wait_any(fences [, seconds]): sleeps until one of the list is ready or has failed. False when the time is over. */
static int wait_any(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    size_t count = compat_length(L, 1);
    lua_Number seconds = luaL_optnumber(L, 2, -1);
    struct pollfd *fences = buffer_push(L, count * sizeof *fences);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, 1, (int)i + 1);
        fences[i] = (struct pollfd){ .fd = descriptor_of(L, handle_check(L, lua_gettop(L), fence)), .events = POLLIN };
        lua_pop(L, 1);
    }
    int found = poll(fences, (nfds_t)count, seconds < 0 || seconds > 2e6 ? -1 : (int)(seconds * 1000));
    if (found < 0 && errno != EINTR)
        return misuse(L, "poll: %s", strerror(errno));
    lua_pushboolean(L, found > 0);
    return 1;
}

static const luaL_Reg methods[] = { { "ready", ready }, { "wait", wait }, { "descriptor", descriptor }, { NULL, NULL } };
static const luaL_Reg functions[] = { { "wait_any", wait_any }, { NULL, NULL } };

void part_fence(lua_State *L)
{
    object_define(L, &fence_class, methods);
    lua_setfield(L, -2, "fence_metatable");
    compat_functions(L, functions);
}
