/* Lua values that foreign memory lives in. The library may call a deleter on any thread, so the deleter only leaves a
 * mark; the Lua state lets the value go later. */
#include <stdatomic.h>
#include <stdlib.h>

#include "core.h"

struct anchor {
    struct anchor *next;
    atomic_int over;                    /* no longer needed */
    int reference;                      /* in the registry */
};

void anchor_deleter(void *anchor, uint64_t address)
{
    (void)address;
    atomic_store_explicit(&((struct anchor *)anchor)->over, 1, memory_order_release);
}

struct anchor *anchor_new(lua_State *L, int index)
{
    struct state *state = state_of(L);
    lua_pushvalue(L, index);
    int reference = luaL_ref(L, LUA_REGISTRYINDEX);
    struct anchor *anchor = calloc(1, sizeof *anchor);
    if (!anchor) {
        luaL_unref(L, LUA_REGISTRYINDEX, reference);
        misuse(L, "no memory");
    }
    anchor->reference = reference;
    anchor->next = state->anchors;
    state->anchors = anchor;
    return anchor;
}

void anchors_sweep(lua_State *L)
{
    struct anchor **link = &state_of(L)->anchors;
    while (*link) {
        struct anchor *anchor = *link;
        if (atomic_load_explicit(&anchor->over, memory_order_acquire)) {
            *link = anchor->next;
            luaL_unref(L, LUA_REGISTRYINDEX, anchor->reference);
            free(anchor);
        } else {
            link = &anchor->next;
        }
    }
}
