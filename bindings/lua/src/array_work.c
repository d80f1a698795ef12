#include "core.h"

/* ---- in */

/* fill(value [, stream]) */
static int fill(lua_State *L)
{
    baton_array *array = handle_check(L, 1, array);
    int32_t dtype = array_info(L, array).dtype;
    _Alignas(16) unsigned char bytes[16];
    baton_error err = error_begin();
    luaL_checkany(L, 2);
    element_read(L, 2, dtype, bytes);
    return settle(L, baton_fill(array, bytes, baton_dtype_size(dtype), stream_argument(L, 3), &err), &err, 1);
}

/* copy(from [, stream]) */
static int copy(lua_State *L)
{
    baton_error err = error_begin();
    baton_array *to = handle_check(L, 1, array), *from = handle_check(L, 2, array);
    return settle(L, baton_copy(to, from, stream_argument(L, 3), &err), &err, 1);
}

/* upload(data [, stream]) */
static int upload(lua_State *L)
{
    baton_array *array = handle_check(L, 1, array);
    baton_array_info info = array_info(L, array);
    baton_error err = error_begin();
    baton_stream *stream = stream_argument(L, 3);
    const void *data = data_read(L, 2, &info);
    return settle(L, baton_upload(array, data, info.bytes, stream, &err), &err, 1);
}

/* resize(elements [, stream]) */
static int resize(lua_State *L)
{
    baton_array *array = handle_check(L, 1, array);
    int64_t elements = 0;
    baton_error err = error_begin();
    check_argument(L, compat_integer(L, 2, &elements), 2, "a whole number expected");
    baton_stream *stream = stream_argument(L, 3);
    int32_t status = baton_array_resize(array, elements, stream, &err);
    for (int32_t level = 1; status == BATON_ERR_OOM && level <= 2; level++) {
        pressure_collect(L, level);
        status = baton_array_resize(array, elements, stream, &err);
    }
    return settle(L, status, &err, 1);
}

/* ---- out */

/* Pushes the array's bytes in a buffer; returns NULL, with what settle pushes, when it was blocked. */
static void *fetch(lua_State *L, baton_array_info *info, int stream)
{
    baton_array *array = handle_check(L, 1, array);
    baton_error err = error_begin();
    *info = array_info(L, array);
    baton_stream *on = stream_argument(L, stream);
    void *bytes = buffer_push(L, info->bytes);
    int32_t status = baton_download(bytes, info->bytes, array, on, &err);
    if (!status)
        return bytes;
    (void)blocked_push(L, status, &err);
    return NULL;
}

/* download([address [, stream]]): a string, or into host memory of the array's size. */
static int download(lua_State *L)
{
    baton_array_info info;
    if (lua_isnoneornil(L, 2)) {
        void *bytes = fetch(L, &info, 3);
        if (!bytes)
            return 2;
        lua_pushlstring(L, bytes, (size_t)info.bytes);
        return 1;
    }
    baton_array *array = handle_check(L, 1, array);
    baton_error err = error_begin();
    info = array_info(L, array);
    return settle(L, baton_download(pointer_check(L, 2), info.bytes, array, stream_argument(L, 3), &err), &err, 1);
}

/* download_async(host_array [, stream]): a fence; the data is in the other array, of host memory, when it is ready. */
static int download_async(lua_State *L)
{
    baton_array *from = handle_check(L, 1, array), *to = handle_check(L, 2, array);
    baton_array_info info = array_info(L, from), target = array_info(L, to);
    baton_stream *stream = stream_argument(L, 3);
    baton_error err = error_begin();
    baton_fence *fence;
    void *address;
    check_argument(L, target.bytes == info.bytes && (target.flags & BATON_ARRAY_CONTIGUOUS), 2, "a contiguous array of the same size expected");
    struct object *object = object_push(L, &fence_class, sizeof *object);
    int32_t status = baton_array_host_pointer(to, BATON_WRITE, &address, &err);
    if (!status)
        status = baton_download_async(address, info.bytes, from, stream, &fence, &err);
    if (status)
        return blocked_push(L, status, &err);
    object->handle = fence;
    need(L, baton_array_note_use(to, stream, BATON_WRITE, &err), &err);     /* its memory stays until then */
    return 1;
}

/* table([stream]): nested tables; an array without dimensions gives its value. */
static int table(lua_State *L)
{
    baton_array_info info;
    void *bytes = fetch(L, &info, 2);
    if (!bytes)
        return 2;
    data_table(L, &info, bytes);
    return 1;
}

/* item([stream]): the value of an array of one element. */
static int item(lua_State *L)
{
    baton_array_info info = array_info(L, handle_check(L, 1, array));
    check_argument(L, info.elements == 1, 1, "an array of one element expected");
    void *bytes = fetch(L, &info, 2);
    if (!bytes)
        return 2;
    element_push(L, info.dtype, bytes);
    return 1;
}

const luaL_Reg array_work_methods[] = {
    { "fill", fill }, { "copy", copy }, { "upload", upload }, { "resize", resize }, { "download", download },
    { "download_async", download_async }, { "totable", table }, { "item", item }, { NULL, NULL }
};

/* ---- waiting */

static int32_t wait_mode(lua_State *L, int index)
{
    static const char *const names[] = { "auto", "spin", "block", NULL };
    return luaL_checkoption(L, index, "auto", names);
}

/* wait([mode]) */
static int synchronize(lua_State *L)
{
    baton_error err = error_begin();
    return settle(L, baton_array_synchronize(handle_check(L, 1, array), wait_mode(L, 2), &err), &err, 1);
}

/* wait_for(stream [, mode]) */
static int wait_for(lua_State *L)
{
    baton_error err = error_begin();
    baton_array *array = handle_check(L, 1, array);
    return settle(L, baton_array_wait(array, stream_argument(L, 2), wait_mode(L, 3), &err), &err, 1);
}

static int ready(lua_State *L)
{
    baton_error err = error_begin();
    return ready_push(L, baton_array_query(handle_check(L, 1, array), &err), &err);
}

static int fence(lua_State *L)
{
    baton_array *array = handle_check(L, 1, array);
    baton_error err = error_begin();
    baton_fence *made;
    struct object *object = object_push(L, &fence_class, sizeof *object);
    int32_t status = baton_array_fence(array, &made, &err);
    if (status)
        return blocked_push(L, status, &err);
    object->handle = made;
    return 1;
}

/* synchronizing(on) */
static int synchronizing(lua_State *L)
{
    baton_error err = error_begin();
    return settle(L, baton_array_set_synchronizing(handle_check(L, 1, array), lua_toboolean(L, 2), &err), &err, 1);
}

/* dispose(): true, or false when the memory is still in use and of a kind that cannot go back in stream order. */
static int dispose(lua_State *L)
{
    baton_error err = error_begin();
    return ready_push(L, baton_array_dispose(handle_check(L, 1, array), &err), &err);
}

const luaL_Reg array_wait_methods[] = {
    { "synchronize", synchronize }, { "wait_for", wait_for }, { "ready", ready }, { "fence", fence },
    { "set_synchronizing", synchronizing }, { "dispose", dispose }, { NULL, NULL }
};

/* ---- addresses */

static int address_push(lua_State *L, int32_t status, uint64_t address, const baton_error *err)
{
    if (status)
        return blocked_push(L, status, err);
    lua_pushlightuserdata(L, (void *)(uintptr_t)address);
    return 1;
}

/* pointer([access [, stream]]) */
static int pointer(lua_State *L)
{
    baton_array *array = handle_check(L, 1, array);
    uint32_t access = access_optional(L, 2, BATON_READ_WRITE);
    uint64_t address = 0;
    baton_error err = error_begin();
    int32_t status = baton_array_pointer(array, stream_argument(L, 3), access, &address, &err);
    return address_push(L, status, address, &err);
}

/* host_pointer([access]) */
static int host_pointer(lua_State *L)
{
    void *address = NULL;
    baton_error err = error_begin();
    int32_t status = baton_array_host_pointer(handle_check(L, 1, array), access_optional(L, 2, BATON_READ_WRITE), &address, &err);
    return address_push(L, status, (uint64_t)(uintptr_t)address, &err);
}

/* note_use(stream [, access]) */
static int note_use(lua_State *L)
{
    baton_array *array = handle_check(L, 1, array);
    baton_error err = error_begin();
    return settle(L, baton_array_note_use(array, stream_argument(L, 2), access_optional(L, 3, BATON_READ_WRITE), &err), &err, 1);
}

const luaL_Reg array_pointer_methods[] = {
    { "pointer", pointer }, { "host_pointer", host_pointer }, { "note_use", note_use }, { NULL, NULL }
};
