/* What the runtime tells about itself. */
#include <dlfcn.h>

#include "core.h"

static void unsigned_set(lua_State *L, const char *name, uint64_t value)
{
    lua_pushnumber(L, (lua_Number)value);
    lua_setfield(L, -2, name);
}

#define TEXT(member) (lua_pushstring(L, info.member), lua_setfield(L, -2, #member))
#define NUMBER(member) unsigned_set(L, #member, (uint64_t)info.member)

static int runtime_info(lua_State *L)
{
    baton_runtime_info info = { .struct_size = sizeof info };
    baton_error err = error_begin();
    int32_t devices;
    baton_runtime *runtime = runtime_of(L);
    need(L, baton_runtime_info_read(runtime, &info, &err), &err);
    need(L, baton_device_count(runtime, &devices, &err), &err);
    lua_newtable(L);
    unsigned_set(L, "devices", (uint64_t)devices);
    NUMBER(driver_version);
    TEXT(driver);
    TEXT(reason);
    return 1;
}

static int device_info(lua_State *L)
{
    baton_device_info info = { .struct_size = sizeof info };
    baton_error err = error_begin();
    baton_runtime *runtime = runtime_of(L);
    need(L, baton_device_info_read(runtime, device_argument(L, 1), &info, &err), &err);
    lua_newtable(L);
    NUMBER(device);
    NUMBER(compute_major);
    NUMBER(compute_minor);
    NUMBER(multiprocessors);
    NUMBER(total_bytes);
    NUMBER(limit_bytes);
    NUMBER(live_bytes);
    NUMBER(deferred_bytes);
    TEXT(name);
    lua_pushboolean(L, info.concurrent_managed);
    lua_setfield(L, -2, "concurrent_managed");
    return 1;
}

static int stats(lua_State *L)
{
    baton_stats info = { .struct_size = sizeof info };
    baton_error err = error_begin();
    need(L, baton_stats_read(runtime_of(L), &info, &err), &err);
    lua_newtable(L);
    NUMBER(operations), NUMBER(device_waits), NUMBER(records), NUMBER(elided_same), NUMBER(elided_covered);
    NUMBER(elided_complete), NUMBER(host_blocked_ns), NUMBER(allocations), NUMBER(frees), NUMBER(live_bytes);
    NUMBER(deferred_bytes), NUMBER(live_arrays), NUMBER(graph_launches), NUMBER(graph_memories);
    NUMBER(graph_waits), NUMBER(faults_swallowed), NUMBER(longest_lock_wait_ns);
    lua_newtable(L);
    for (int32_t cause = 0; cause < BATON_HOST_WAIT_CAUSES; cause++)
        unsigned_set(L, baton_host_wait_name(cause), info.host_waits[cause]);
    lua_setfield(L, -2, "host_waits");
    return 1;
}

static int drain(lua_State *L)
{
    uint64_t freed;
    baton_error err = error_begin();
    need(L, baton_drain(runtime_of(L), (uint64_t)luaL_optinteger(L, 1, 0), &freed, &err), &err);
    lua_pushnumber(L, (lua_Number)freed);
    return 1;
}

static int trim(lua_State *L)
{
    baton_error err = error_begin();
    baton_runtime *runtime = runtime_of(L);
    need(L, baton_trim(runtime, device_argument(L, 2), (uint64_t)luaL_optnumber(L, 1, 0), &err), &err);
    return 0;
}

static int memory_limit(lua_State *L)
{
    baton_error err = error_begin();
    baton_runtime *runtime = runtime_of(L);
    lua_Number bytes = luaL_checknumber(L, 1);
    check_argument(L, bytes >= 0, 1, "bytes, or 0 for no limit");
    need(L, baton_set_memory_limit(runtime, device_argument(L, 2), (uint64_t)bytes, &err), &err);
    return 0;
}

static int trace_start(lua_State *L)
{
    baton_error err = error_begin();
    need(L, baton_trace_start(runtime_of(L), (uint32_t)luaL_checkinteger(L, 1), &err), &err);
    return 0;
}

static void trace_entry_push(lua_State *L, const baton_trace_entry *entry)
{
    const baton_trace_entry info = *entry;
    lua_newtable(L);
    NUMBER(time_ns);
    unsigned_set(L, "stream", info.stream_id);
    NUMBER(ticket);
    field_number(L, "other_stream", info.other_stream_id);
    field_number(L, "other_ticket", info.other_ticket);
    field_text(L, "operation", baton_operation_name(info.operation));
    if (info.host_cause >= 0)
        field_text(L, "host_wait", baton_host_wait_name(info.host_cause));
    NUMBER(duration_ns);
}

/* The newest entries that were not read yet, oldest first, at most `count`. */
static int trace_read(lua_State *L)
{
    lua_Integer most = luaL_optinteger(L, 1, 1024);
    uint32_t count = 0;
    baton_error err = error_begin();
    check_argument(L, most > 0 && most <= 1 << 20, 1, "between 1 and 1048576");
    baton_trace_entry *entries = buffer_push(L, (uint64_t)most * sizeof *entries);
    need(L, baton_trace_read(runtime_of(L), entries, (uint32_t)most, &count, &err), &err);
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        trace_entry_push(L, &entries[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

static int layout(lua_State *L)
{
    const char *name;
    uint32_t offset, size;
    lua_newtable(L);
    for (uint32_t i = 0; baton_abi_layout(i, &name, &offset, &size) == BATON_OK; i++) {
        lua_createtable(L, 2, 0);
        lua_pushinteger(L, (lua_Integer)offset);
        lua_rawseti(L, -2, 1);
        lua_pushinteger(L, (lua_Integer)size);
        lua_rawseti(L, -2, 2);
        lua_setfield(L, -2, name);
    }
    return 1;
}

/* The file that the library was loaded from. */
static int library(lua_State *L)
{
    Dl_info where;
    if (!dladdr((void *)(uintptr_t)baton_version, &where) || !where.dli_fname)
        return misuse(L, "the library's file is unknown");
    lua_pushstring(L, where.dli_fname);
    return 1;
}

static int process_copies(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)baton_process_copies());
    return 1;
}

static const luaL_Reg functions[] = {
    { "info", runtime_info }, { "device_info", device_info }, { "stats", stats }, { "drain", drain },
    { "trim", trim }, { "memory_limit", memory_limit }, { "trace_start", trace_start }, { "trace_read", trace_read },
    { "layout", layout }, { "library", library }, { "process_copies", process_copies }, { NULL, NULL }
};

void part_runtime(lua_State *L)
{
    compat_functions(L, functions);
    lua_newtable(L);
    lua_setfield(L, -2, "metatables");
    lua_pushinteger(L, (lua_Integer)baton_version());
    lua_setfield(L, -2, "version_number");
    lua_pushinteger(L, (lua_Integer)baton_abi_version());
    lua_setfield(L, -2, "abi_version");
}
