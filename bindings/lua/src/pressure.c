/* Arrays are small to Lua's collector and large to the device: it is stepped for their bytes, and runs in full when the
 * device is short of memory. Nothing here is called by the library. */
#include "core.h"

enum { HANDLE_BYTES = 512, STEP_BYTES = 256 * 1024 };

/* After an array was made. */
void pressure_note(lua_State *L, uint64_t bytes)
{
    struct state *state = state_of(L);
    state->debt += bytes + HANDLE_BYTES;
    if (state->debt < STEP_BYTES || scope_current(L))
        return;
    uint64_t kilobytes = state->debt >> 10;
    state->debt = 0;
    lua_gc(L, LUA_GCSTEP, kilobytes < INT32_MAX / 1024 ? (int)kilobytes : INT32_MAX / 1024);
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
