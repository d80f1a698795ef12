#include "driver/soft/machine.h"

#undef uthash_nonfatal_oom
#define uthash_nonfatal_oom(element) ((element)->key = NULL)

int soft_handle_add(struct soft_handle *handle, enum soft_kind kind, void *key, const struct soft_context *context)
{
    handle->kind = kind;
    handle->context = context;
    handle->key = key;
    HASH_ADD_PTR(soft_machine.handles, key, handle);
    return handle->key ? 0 : DRIVER_OUT_OF_MEMORY;
}

void soft_handle_remove(struct soft_handle *handle)
{
    HASH_DEL(soft_machine.handles, handle);
}

void *soft_handle_find(const void *key, enum soft_kind kind)
{
    struct soft_handle *handle;
    HASH_FIND_PTR(soft_machine.handles, &key, handle);
    return handle && handle->kind == kind ? handle : NULL;
}

void *soft_handle_any(enum soft_kind kind, const struct soft_context *context)
{
    struct soft_handle *handle = soft_machine.handles;
    while (handle && (handle->kind != kind || handle->context != context))
        handle = handle->hh.next;
    return handle;
}

size_t soft_handle_count(enum soft_kind kind)
{
    size_t count = 0;
    for (struct soft_handle *handle = soft_machine.handles; handle; handle = handle->hh.next)
        count += handle->kind == kind;
    return count;
}
