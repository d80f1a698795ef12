/* What a caller may ask of one array: its facts, its progress, and its address. */
#include "array/array.h"
#include "base/options.h"
#include "memory/foreign.h"

static uint32_t flags_of(const baton_array *array)
{
    const struct memory *memory = array->memory;
    uint32_t flags = atomic_load_explicit(&memory->flags_hint, memory_order_relaxed);
    flags |= atomic_load_explicit(&memory->synchronizing, memory_order_relaxed) ? BATON_ARRAY_SYNCHRONIZING : 0u;
    flags |= array->contiguous ? BATON_ARRAY_CONTIGUOUS : 0u;
    flags |= array->is_view ? BATON_ARRAY_VIEW : 0u;
    flags |= memory->foreign ? BATON_ARRAY_FOREIGN : 0u;
    return flags | (memory->read_only ? BATON_ARRAY_READ_ONLY : 0u);
}

int32_t baton_array_info_read(baton_array *array, baton_array_info *info, baton_error *err)
{
    int32_t status = handle_check(array ? &array->handle : NULL, HANDLE_ARRAY, "array", err);
    if (status)
        return status;
    struct memory *memory = array->memory;
    baton_array_info own = {
        .struct_size = sizeof own, .dtype = array->dtype, .ndim = array->layout.ndim, .kind = memory->kind,
        .device = memory->device->ordinal, .flags = flags_of(array), .memory_id = memory->id,
        .elements = (uint64_t)layout_elements(&array->layout), .bytes = array->bytes,
        .offset_bytes = (uint64_t)(array->layout.offset * (int64_t)array->element_bytes), .memory_bytes = memory->bytes,
        .owner_stream_id = atomic_load(&memory->owner_hint), .pending_stream_id = atomic_load(&memory->pending_hint),
        .readers = atomic_load(&memory->readers_hint), .lock_holder = lock_holder(&memory->lock),
    };
    for (int32_t i = 0; i < own.ndim; i++) {
        own.shape[i] = array->layout.shape[i];
        own.strides[i] = array->layout.strides[i];
    }
    return options_write(info, &own, sizeof own, "baton_array_info", err);
}

int32_t baton_array_set_synchronizing(baton_array *array, int32_t on, baton_error *err)
{
    int32_t status = array_check(array, err);
    if (status)
        return status;
    if (on != 0 && on != 1)
        return fail(err, BATON_ERR_ARGUMENT, "on is %d, not 0 or 1", on);
    atomic_store(&array->memory->synchronizing, on);
    return BATON_OK;
}

int32_t baton_array_synchronize(baton_array *array, int32_t mode, baton_error *err)
{
    struct wait_how how = { .mode = mode, .cause = BATON_HOST_WAIT_SYNCHRONIZE, .deadline_ns = WAIT_FOREVER, .operation = BATON_OP_SYNCHRONIZE };
    int32_t status = array_check(array, err);
    if (status || (status = wait_mode_check(mode, err)))
        return status;
    return memory_wait(array->memory, NULL, 0, &how, err);
}

int32_t baton_array_wait(baton_array *array, baton_stream *stream, int32_t mode, baton_error *err)
{
    struct wait_how how = { .mode = mode, .cause = BATON_HOST_WAIT_SYNCHRONIZE, .deadline_ns = WAIT_FOREVER, .operation = BATON_OP_SYNCHRONIZE };
    int32_t status = array_check(array, err);
    if (status || (status = wait_mode_check(mode, err)) || (status = stream_resolve(&stream, err)))
        return status;
    how.task = atomic_load(&stream->task);
    return memory_wait(array->memory, NULL, 0, &how, err);
}

int32_t baton_array_query(baton_array *array, baton_error *err)
{
    int32_t status = array_check(array, err);
    return status ? status : memory_query(array->memory, err);
}

int32_t baton_array_fence(baton_array *array, baton_fence **fence, baton_error *err)
{
    int32_t status = array_check(array, err);
    if (status)
        return status;
    return fence ? memory_fence(array->memory, fence, err) : fail(err, BATON_ERR_ARGUMENT, "fence is NULL");
}

static int32_t access_check(uint32_t *access, baton_error *err)
{
    if (*access == 0)
        *access = BATON_READ_WRITE;
    return *access <= BATON_READ_WRITE ? BATON_OK : fail(err, BATON_ERR_ARGUMENT, "unknown access %u", *access);
}

static int32_t check_for_stream(baton_array *array, baton_stream **stream, uint32_t *access, baton_error *err)
{
    int32_t status = array_check(array, err);
    if (status || (status = stream_resolve(stream, err)) || (status = access_check(access, err)))
        return status;
    if (array->memory->device->driver != (*stream)->device->driver)
        return fail(err, BATON_ERR_STREAM, "the array and the stream belong to different drivers");
    return BATON_OK;
}

int32_t baton_array_pointer(baton_array *array, baton_stream *stream, uint32_t access, uint64_t *address, baton_error *err)
{
    int32_t status = check_for_stream(array, &stream, &access, err);
    if (status)
        return status;
    if (!address)
        return fail(err, BATON_ERR_ARGUMENT, "address is NULL");
    if (array->memory->bytes && (status = memory_expose(array->memory, stream, access, err)))
        return status;
    *address = array_address(array);
    return BATON_OK;
}

int32_t baton_array_note_use(baton_array *array, baton_stream *stream, uint32_t access, baton_error *err)
{
    int32_t status = check_for_stream(array, &stream, &access, err);
    if (status || array->memory->bytes == 0)
        return status;
    return memory_note_use(array->memory, stream, err);
}

int32_t baton_array_host_pointer(baton_array *array, uint32_t access, void **address, baton_error *err)
{
    struct wait_how how = { .mode = BATON_WAIT_AUTO, .cause = BATON_HOST_WAIT_HOST_POINTER, .deadline_ns = WAIT_FOREVER, .operation = BATON_OP_POINTER };
    int32_t status = array_check(array, err);
    if (status || (status = access_check(&access, err)))
        return status;
    if (!address)
        return fail(err, BATON_ERR_ARGUMENT, "address is NULL");
    if (array->memory->kind == BATON_DEVICE)
        return fail(err, BATON_ERR_KIND, "the host cannot reach device memory: download it, or create the array in host or unified memory");
    if (array->memory->read_only && access & BATON_WRITE)
        return fail(err, BATON_ERR_KIND, "the memory is read-only");
    if (atomic_load(&array->memory->synchronizing))                 /* S13 */
        status = memory_wait(array->memory, NULL, access == BATON_READ, &how, err);
    if (!status)
        *address = (void *)(uintptr_t)array_address(array);
    return status;
}

int32_t baton_array_dispose(baton_array *array, baton_error *err)
{
    int32_t status = handle_check(array ? &array->handle : NULL, HANDLE_ARRAY, "array", err);
    if (!status)
        status = process_check(err);
    return status ? status : memory_dispose(array->memory, err);
}
