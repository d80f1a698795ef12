/* Arrays are small to Lua's collector and large to the device: it is stepped for their bytes, so that it goes once round
 * while a part of the device's memory is allocated, and runs in full when the device is short of memory. Nothing here is
 * called by the library. */
#include "core.h"

enum { ROUND_PART = 16, STEPS = 64, HANDLE_BYTES = 512 };
static const uint64_t round_least = UINT64_C(64) << 20, round_most = UINT64_C(4) << 30;

/* Bytes to allocate while the collector goes once round. */
static uint64_t round_bytes(struct state *state)
{
    baton_device_info info = { .struct_size = sizeof info };
    if (!state->round && baton_device_info_read(state->runtime, 0, &info, NULL) == BATON_OK) {
        uint64_t part = info.total_bytes / ROUND_PART;
        state->round = part < round_least ? round_least : part > round_most ? round_most : part;
    }
    return state->round ? state->round : round_least;
}

/* After an array was made. */
void pressure_note(lua_State *L, uint64_t bytes)
{
    struct state *state = state_of(L);
    state->debt += bytes + HANDLE_BYTES;
    uint64_t whole = round_bytes(state);
    if (state->debt < whole / STEPS || scope_current(L))
        return;
    double share = (double)state->debt / (double)whole;
    state->debt = 0;
    lua_gc(L, LUA_GCSTEP, 1 + (int)(lua_gc(L, LUA_GCCOUNT, 0) * (share < 2 ? share : 2)));
}

/* Level 2 collects twice: what a finalizer let go is garbage only afterwards. */
void pressure_collect(lua_State *L, int32_t level)
{
    for (int32_t i = 0; i < level; i++)
        lua_gc(L, LUA_GCCOLLECT, 0);
}

baton_array *array_create(lua_State *L, baton_array_options *options)
{
    baton_runtime *runtime = runtime_of(L);
    struct object *object = object_push(L, &array_class, sizeof *object);
    baton_array *array = NULL;
    baton_error err = error_begin();
    int32_t status;
    options->flags |= BATON_ALLOC_NO_HOOK;
    while ((status = baton_array_create(runtime, options, &array, &err)) == BATON_OOM_RETRY) {
        options->level = err.level;
        pressure_collect(L, err.level);
    }
    need(L, status, &err);
    object->handle = array;
    uint64_t bytes = baton_dtype_size(options->dtype);
    for (int32_t i = 0; i < options->ndim; i++)
        bytes *= (uint64_t)options->shape[i];
    pressure_note(L, bytes);
    return array;
}
