#include "core.h"

/* Registry key of the table that has each coroutine's innermost open scope. Both sides are weak. */
static const char scopes_key;

static void scope_let_go(void *handle)
{
    baton_scope_abort(handle);
    baton_scope_release(handle);
}
const struct class scope_class = { "baton.scope", NULL, scope_let_go };

struct scope {
    baton_scope *handle;
    int open;
    uint64_t count;
    baton_operand operands[];
};

/* Pushes the innermost scope of the coroutine, or nil. */
static void innermost_push(lua_State *L)
{
    compat_registry_get(L, &scopes_key);
    lua_pushthread(L);
    lua_rawget(L, -2);
    lua_remove(L, -2);
}

baton_scope *scope_current(lua_State *L)
{
    if (!state_of(L)->scopes)
        return NULL;
    innermost_push(L);
    struct scope *scope = object_test(L, -1, &scope_class);
    lua_pop(L, 1);
    return scope && scope->handle && scope->open ? scope->handle : NULL;
}

/* ---- begin */

static void operand_read(lua_State *L, int list, uint64_t i, baton_operand *operand)
{
    uint32_t access;
    lua_rawgeti(L, list, (int)i + 1);
    baton_array *array = operand_check(L, lua_gettop(L), &access);
    *operand = (baton_operand){ .array = array, .access = access };
    lua_pop(L, 1);
}

/* Pushes a scope that is not begun, for the list at index. */
static struct scope *scope_push(lua_State *L, int list)
{
    luaL_checktype(L, list, LUA_TTABLE);
    size_t count = compat_length(L, list);
    struct scope *scope = object_push(L, &scope_class, sizeof *scope + count * sizeof *scope->operands);
    scope->count = count;
    for (uint64_t i = 0; i < count; i++)
        operand_read(L, list, i, &scope->operands[i]);
    return scope;
}

/* The scope on top becomes the coroutine's innermost. It knows the coroutine and the scope around it. */
static void enter(lua_State *L)
{
    state_of(L)->scopes = 1;
    lua_createtable(L, 2, 0);
    innermost_push(L);
    lua_setfield(L, -2, "outer");
    int main = lua_pushthread(L);
    lua_pushboolean(L, main);
    lua_setfield(L, -3, "main");
    lua_setfield(L, -2, "coroutine");
    compat_companion_set(L, -2);
    compat_registry_get(L, &scopes_key);
    lua_pushthread(L);
    lua_pushvalue(L, -3);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

/* The scope at index 1 is over. */
static void leave(lua_State *L, struct scope *scope)
{
    scope->open = 0;
    compat_companion_get(L, 1);
    compat_registry_get(L, &scopes_key);
    lua_getfield(L, -2, "coroutine");
    lua_pushvalue(L, -1);
    lua_rawget(L, -3);
    if (lua_touserdata(L, -1) == scope) {
        lua_pop(L, 1);
        lua_getfield(L, -3, "outer");
        lua_rawset(L, -3);
    }
    lua_settop(L, 1);
}

/* scope(stream, operands): the scope, or BLOCKED. Never waits for a lock. */
static int begin(lua_State *L)
{
    baton_stream *stream = stream_argument(L, 1);
    baton_error err = error_begin();
    lua_settop(L, 2);
    struct scope *scope = scope_push(L, 2);
    baton_scope *made;
    int32_t status = baton_scope_begin(stream, scope_current(L), scope->operands, scope->count, BATON_SCOPE_TRY, &made, &err);
    if (status)
        return blocked_push(L, status, &err);
    scope->handle = made;
    scope->open = 1;
    enter(L);
    return 1;
}

/* ---- within */

static struct scope *open_check(lua_State *L)
{
    struct scope *scope = object_check(L, 1, &scope_class);
    if (!scope->open)
        misuse_argument(L, 1, "the scope has ended");
    return scope;
}

static void operands_push(lua_State *L, const baton_operand *operands, uint64_t count)
{
    lua_createtable(L, (int)count, 0);
    for (uint64_t i = 0; i < count; i++) {
        lua_pushlightuserdata(L, (void *)(uintptr_t)operands[i].address);
        lua_rawseti(L, -2, (int)i + 1);
    }
}

/* pointers(): addresses in the order of the operands */
static int pointers(lua_State *L)
{
    struct scope *scope = open_check(L);
    operands_push(L, scope->operands, scope->count);
    return 1;
}

/* add(array [, access]): its address, or BLOCKED */
static int add(lua_State *L)
{
    struct scope *scope = open_check(L);
    baton_operand operand = { .array = handle_check(L, 2, array), .access = access_optional(L, 3, BATON_READ_WRITE) };
    baton_error err = error_begin();
    int32_t status = baton_scope_add(scope->handle, &operand, &err);
    if (status)
        return blocked_push(L, status, &err);
    compat_companion_get(L, 1);
    lua_pushvalue(L, 2);
    lua_rawseti(L, -2, (int)compat_length(L, -2) + 1);
    lua_pushlightuserdata(L, (void *)(uintptr_t)operand.address);
    return 1;
}

/* pointer(array [, access]) */
static int pointer(lua_State *L)
{
    struct scope *scope = open_check(L);
    uint64_t address = 0;
    baton_error err = error_begin();
    int32_t status = baton_scope_pointer(scope->handle, handle_check(L, 2, array), access_optional(L, 3, BATON_READ_WRITE), &address, &err);
    if (status)
        return blocked_push(L, status, &err);
    lua_pushlightuserdata(L, (void *)(uintptr_t)address);
    return 1;
}

/* ---- end */

static int finish(lua_State *L)
{
    struct scope *scope = object_check(L, 1, &scope_class);
    baton_error err = error_begin();
    if (!scope->open)
        return 0;
    need(L, baton_scope_end(scope->handle, &err), &err);
    leave(L, scope);
    return 0;
}

static int abandon(lua_State *L)
{
    struct scope *scope = object_test(L, 1, &scope_class);
    if (scope && scope->handle && scope->open) {
        baton_scope_abort(scope->handle);
        leave(L, scope);
    }
    return 0;
}

/* __close: after an error the scope is abandoned; else, also when its coroutine is closed, it ends. */
static int leave_block(lua_State *L)
{
    return lua_isnoneornil(L, 2) ? finish(L) : abandon(L);
}

/* free(): for those who may be in the middle of it. */
static int let_go(lua_State *L)
{
    struct scope *scope = object_test(L, 1, &scope_class);
    abandon(L);
    if (scope && scope->handle) {
        scope_let_go(scope->handle);
        scope->handle = NULL;
    }
    return 0;
}

static int is_open(lua_State *L)
{
    struct scope *scope = object_test(L, 1, &scope_class);
    lua_pushboolean(L, scope && scope->handle && scope->open);
    return 1;
}

/* ---- who holds a memory */

static int is_memory(baton_array *array, uint64_t memory)
{
    baton_array_info info = { .struct_size = sizeof info };
    return array && baton_array_info_read(array, &info, NULL) == BATON_OK && info.memory_id == memory;
}

/* Whether the scope on top holds it. */
static int holds(lua_State *L, uint64_t memory)
{
    struct scope *scope = object_test(L, -1, &scope_class);
    int found = 0;
    if (!scope || !scope->handle || !scope->open)
        return 0;
    for (uint64_t i = 0; i < scope->count && !found; i++)
        found = is_memory(scope->operands[i].array, memory);
    compat_companion_get(L, -1);
    int added = (int)compat_length(L, -1);
    for (int i = 1; i <= added && !found; i++) {
        lua_rawgeti(L, -1, i);
        found = is_memory(object_handle(L, -1, &array_class), memory);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return found;
}

/* The scope on top, or one around it, holds it. Leaves one value. */
static int chain_holds(lua_State *L, uint64_t memory)
{
    while (lua_isuserdata(L, -1)) {
        if (holds(L, memory))
            return 1;
        compat_companion_get(L, -1);
        lua_getfield(L, -1, "outer");
        lua_replace(L, -3);
        lua_pop(L, 1);
    }
    return 0;
}

/* holder(memory): the coroutine that has it in an open scope, true for the main one, or nil. */
static int holder(lua_State *L)
{
    uint64_t memory = (uint64_t)luaL_checknumber(L, 1);
    compat_registry_get(L, &scopes_key);
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        if (chain_holds(L, memory)) {
            compat_companion_get(L, -1);
            lua_getfield(L, -1, "main");
            lua_pushvalue(L, lua_toboolean(L, -1) ? -1 : -4);
            return 1;
        }
        lua_pop(L, 1);
    }
    lua_pushnil(L);
    return 1;
}

/* ---- in one call of the library */

struct call {
    lua_State *L;
    int failed;
};

/* Between the library's frames: nothing here allocates, and errors are caught, to be raised again when the library has
 * returned. The body and the table for the pointers are on top. */
static int32_t call_within(void *user, baton_stream *stream, const baton_operand *operands, uint64_t count)
{
    struct call *call = user;
    lua_State *L = call->L;
    (void)stream;
    for (uint64_t i = 0; i < count; i++) {
        lua_pushlightuserdata(L, (void *)(uintptr_t)operands[i].address);
        lua_rawseti(L, -2, (int)i + 1);
    }
    call->failed = lua_pcall(L, 1, 1, 0) != 0;
    return call->failed ? BATON_ERR_HOOK : BATON_OK;
}

/* with_managed(stream, operands, body): what body(pointers) returns first. The body must not yield. */
static int with_managed(lua_State *L)
{
    baton_stream *stream = stream_argument(L, 1);
    struct call call = { .L = L };
    baton_error err = error_begin();
    luaL_checktype(L, 3, LUA_TFUNCTION);
    lua_settop(L, 3);
    struct scope *scope = scope_push(L, 2);
    lua_pushvalue(L, 3);
    operands_push(L, scope->operands, scope->count);        /* room for all */
    int32_t status = baton_with_managed(stream, scope->operands, scope->count, call_within, &call, &err);
    if (call.failed)
        return lua_error(L);
    return status ? blocked_push(L, status, &err) : 1;
}

static const luaL_Reg methods[] = {
    { "pointers", pointers }, { "add", add }, { "pointer", pointer }, { "finish", finish }, { "abort", abandon },
    { "is_open", is_open }, { NULL, NULL }
};
static const luaL_Reg functions[] = { { "scope", begin }, { "with_managed", with_managed }, { "holder", holder }, { NULL, NULL } };

void part_scope(lua_State *L)
{
    lua_newtable(L);
    lua_newtable(L);
    lua_pushliteral(L, "kv");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    compat_registry_set(L, &scopes_key);
    object_define(L, &scope_class, methods);
    lua_pushcfunction(L, leave_block);
    lua_setfield(L, -2, "__close");
    lua_getfield(L, -1, "__index");
    lua_pushcfunction(L, let_go);
    lua_setfield(L, -2, "free");
    lua_setfield(L, -3, "scope_methods");
    lua_pop(L, 1);
    compat_functions(L, functions);
}
