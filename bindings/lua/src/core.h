/* What the parts of the module share. Lua values first: an object is a userdata that owns one reference of the library. */
#ifndef BATON_LUA_CORE_H
#define BATON_LUA_CORE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../baton_lua.h"
#include "compat.h"

/* ---- objects */

/* The handle comes first: LuaJIT's FFI reads it there. NULL once it was freed. */
struct object {
    void *handle;
};

struct class {
    const char *name;                   /* "baton.array": also its metatable's __name */
    int32_t (*retain)(void *handle);    /* NULL: there is only one reference */
    void (*release)(void *handle);
};
extern const struct class array_class, stream_class, module_class, kernel_class, scope_class, fence_class, gate_class,
    graph_class, executable_class;

/* Pushes a userdata of `bytes` (at least struct object), all zero, with the class's metatable. */
void *object_push(lua_State *L, const struct class *class, size_t bytes);
/* The userdata at index if it is of the class, else NULL. It may have been freed. */
void *object_test(lua_State *L, int index, const struct class *class);
/* The same, with an error unless it is of the class and alive. */
void *object_check(lua_State *L, int index, const struct class *class);
/* NULL unless it is of the class and alive. */
void *object_handle(lua_State *L, int index, const struct class *class);
/* Makes the class's metatable: methods, free, share, __gc, __close, __index = the methods. Leaves it on the stack, above the
 * module's table, where `metatables` gets it too. */
void object_define(lua_State *L, const struct class *class, const luaL_Reg *methods);
/* retain and release of a kind, for its class. */
#define CLASS_OWN(kind)                                                                             \
    static int32_t kind##_own(void *handle) { return baton_##kind##_retain(handle); }               \
    static void kind##_disown(void *handle) { baton_##kind##_release(handle); }                     \
    const struct class kind##_class = { "baton." #kind, kind##_own, kind##_disown }
#define handle_check(L, index, kind) ((baton_##kind *)((struct object *)object_check(L, index, &kind##_class))->handle)

/* ---- the Lua state's own */

struct state {
    baton_runtime *runtime;             /* NULL: not opened yet, or closed */
    int borrowed;                       /* the runtime is the host program's */
    int closed;
    baton_stream *stream;               /* of coroutines that have none; NULL: not needed yet */
    uint64_t round;                     /* bytes made while the collector goes once round; 0: not known yet */
    uint64_t debt;                      /* bytes made since the collector was last stepped for them */
    int scopes;                         /* there was one: look for the coroutine's */
    struct anchor *anchors;             /* Lua values that foreign memory needs */
};
struct state *state_of(lua_State *L);
baton_runtime *runtime_of(lua_State *L);        /* opens it; an error when it is closed */
/* The running coroutine's stream, borrowed. */
baton_stream *stream_current(lua_State *L);
baton_stream *stream_default(lua_State *L);
/* The stream at index; the coroutine's own when nothing is there. */
baton_stream *stream_argument(lua_State *L, int index);
int32_t device_argument(lua_State *L, int index);

/* ---- errors */

/* Raises. status below zero, or an outcome that the caller cannot use. */
int error_raise(lua_State *L, int32_t status, const baton_error *err);
/* Raises a plain message, which begins with the place in the caller's own code. */
int misuse(lua_State *L, const char *format, ...);
int misuse_argument(lua_State *L, int index, const char *message);
#define check_argument(L, holds, index, message) ((void)((holds) || misuse_argument(L, index, message)))
#define error_begin() { .struct_size = sizeof(baton_error) }
/* Raises unless the status is BATON_OK. */
static inline void need(lua_State *L, int32_t status, const baton_error *err)
{
    if (status)
        error_raise(L, status, err);
}
/* A status that means that another coroutine holds a lock. */
static inline int status_blocked(int32_t status)
{
    return status == BATON_WOULD_BLOCK || status == BATON_ERR_WOULD_DEADLOCK || status == BATON_ERR_SCOPE_OPEN;
}
/* For functions that the Lua half calls again when they were blocked: pushes the value BLOCKED and the error's record,
 * and returns 2. Raises other errors. With BATON_OK pushes a copy of the value at `index` and returns 1. */
int settle(lua_State *L, int32_t status, const baton_error *err, int index);
int blocked_push(lua_State *L, int32_t status, const baton_error *err);
/* Where nobody can yield: raises, and names who holds the lock of the array at `index`. Nothing for BATON_OK. */
void need_unlocked(lua_State *L, int32_t status, const baton_error *err, int index);
/* BATON_OK gives true, BATON_NOT_READY false. */
int ready_push(lua_State *L, int32_t status, const baton_error *err);

/* Fields of the table on top. A number that is 0 is left out. */
void field_number(lua_State *L, const char *name, uint64_t value);
void field_text(lua_State *L, const char *name, const char *text);

/* ---- elements */

int32_t dtype_check(lua_State *L, int index);
int32_t dtype_optional(lua_State *L, int index, int32_t otherwise);
void element_push(lua_State *L, int32_t dtype, const void *at);
/* Reads the value at index; what does not fit is an error. */
void element_read(lua_State *L, int index, int32_t dtype, void *at);
int dtype_complex(int32_t dtype);

/* ---- host data */

enum { DIMENSIONS = 16 };
/* Bytes that the caller may read, from the value at index: a string, a cdata, or a table of a shape. A table's bytes lie
 * in a userdata, which is pushed; something is always pushed. */
const void *data_read(lua_State *L, int index, const baton_array_info *info);
/* Shape of a nested table. Returns the number of dimensions. */
int data_shape(lua_State *L, int index, int32_t dtype, int64_t *shape);
int data_shape_of(lua_State *L);
/* Pushes the bytes as a nested table. */
void data_table(lua_State *L, const baton_array_info *info, const void *bytes);
/* Pushes a buffer of at least one byte. */
void *buffer_push(lua_State *L, uint64_t bytes);
/* A list of whole numbers, or one number. Returns how many. */
int extents_read(lua_State *L, int index, int64_t *extents);
/* A pointer: lightuserdata, or a LuaJIT pointer in a cdata. NULL for nil. */
void *pointer_check(lua_State *L, int index);

/* ---- arrays */

baton_array_info array_info(lua_State *L, baton_array *array);
/* An operand: an array, or the table { array, access } that baton.read, write and update make. */
baton_array *operand_check(lua_State *L, int index, uint32_t *access);
uint32_t access_optional(lua_State *L, int index, uint32_t otherwise);
/* Pushes a new array; collects garbage when the device is short of memory. */
baton_array *array_create(lua_State *L, baton_array_options *options);
void pressure_note(lua_State *L, uint64_t bytes);
void pressure_collect(lua_State *L, int32_t level);
/* Pushes the view. */
baton_array *array_view(lua_State *L, baton_array *array, const baton_view_options *options);
/* The part of the array at index 1 that the key at index 2 means. */
int array_index_read(lua_State *L);
int array_index_write(lua_State *L);
/* The innermost open scope of the coroutine, or NULL. */
baton_scope *scope_current(lua_State *L);
/* Keeps the value at index until the foreign memory is given back. */
struct anchor *anchor_new(lua_State *L, int index);
void anchor_deleter(void *anchor, uint64_t address);
void anchors_sweep(lua_State *L);

/* ---- parts of the module: each adds its functions to the table on top */

void part_runtime(lua_State *L);
void part_error(lua_State *L);
void part_array(lua_State *L);
void part_stream(lua_State *L);
void part_kernel(lua_State *L);
void part_scope(lua_State *L);
void part_graph(lua_State *L);
void part_fence(lua_State *L);
void part_exchange(lua_State *L);
void part_arithmetic(lua_State *L);
void part_element(lua_State *L);
void part_compile(lua_State *L);
extern const luaL_Reg array_make_functions[], array_foreign_functions[], array_work_methods[], array_view_methods[], array_pointer_methods[],
    array_wait_methods[], array_exchange_methods[], kernel_ask_methods[], graph_capture_functions[];
extern const baton_lua_api api_table;

#endif
