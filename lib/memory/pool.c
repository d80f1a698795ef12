#include "memory/pool.h"

#include "memory/cache.h"
#include "stream/capture.h"
#include "stream/wait.h"

int pool_reserve(struct device *device, uint64_t bytes)
{
    uint64_t limit = atomic_load(&device->limit_bytes), held = atomic_load(&device->held_bytes);
    do
        if (limit && (bytes > limit || held > limit - bytes))
            return 0;
    while (!atomic_compare_exchange_weak(&device->held_bytes, &held, held + bytes));
    return 1;
}

int pool_has_room(const struct memory_options *options)
{
    uint64_t limit = atomic_load(&options->device->limit_bytes);
    return !limit || (options->bytes <= limit && atomic_load(&options->device->held_bytes) <= limit - options->bytes);
}

/* Blocks that the cache may hand out again have a size of its grain. */
static uint64_t block_bytes(const struct memory_options *options)
{
    uint64_t grains = (options->bytes + CACHE_GRAIN - 1) / CACHE_GRAIN;
    return options->device->runtime->options.flags & BATON_RUNTIME_NO_CACHE || grains > UINT64_MAX / CACHE_GRAIN ? options->bytes : grains * CACHE_GRAIN;
}

static int call_alloc(const struct memory_options *options, uint64_t *address, enum driver_row *row)
{
    const struct driver *driver = options->device->driver;
    driver_address device_address = 0;
    void *host_address = NULL;
    int code;
    switch (options->kind) {
    case BATON_HOST:
        *row = DRIVER_ROW_host_alloc;
        code = driver->host_alloc(&host_address, block_bytes(options), DRIVER_HOST_ALLOC_PORTABLE);
        *address = (uint64_t)(uintptr_t)host_address;
        return code;
    case BATON_UNIFIED:
        *row = DRIVER_ROW_alloc_managed;
        code = driver->alloc_managed(&device_address, block_bytes(options), DRIVER_ATTACH_GLOBAL);
        break;
    default:
        *row = DRIVER_ROW_alloc_async;
        code = driver->alloc_async(&device_address, block_bytes(options), options->device->pool, options->stream->native);
    }
    *address = device_address;
    return code;
}

static int32_t alloc_inside(const struct memory_options *options, uint64_t *address, baton_error *err)
{
    struct device_entry entry;
    enum driver_row row;
    int32_t status = device_enter(options->device, &entry, err);
    if (status)
        return status;
    int code = call_alloc(options, address, &row);
    device_leave(options->device, &entry);
    return device_status(options->device, code, row, BATON_OP_ALLOC, options->stream, err);
}

/* The allocation is work on the stream: a submission that no capture may swallow. */
static int32_t alloc_on_stream(const struct memory_options *options, uint64_t *address, uint64_t *ticket, baton_error *err)
{
    int captured = submission_enter(options->stream) != NULL;
    int32_t status = captured ? BATON_OK : stream_foreign_capture(options->stream, &captured, err);
    if (captured)
        status = fail(err, BATON_ERR_CAPTURE, "the stream is being captured: memory is allocated outside");
    if (!status && !(status = alloc_inside(options, address, err))) {
        *ticket = stream_ticket(options->stream, BATON_OP_ALLOC);
        stream_settle(options->stream, *ticket);
    }
    submission_leave(options->stream);
    return status;
}

/* One attempt. BATON_ERR_OOM asks the ladder to make room. */
static int32_t try_alloc(const struct memory_options *options, uint64_t *address, uint64_t *ticket, baton_error *err)
{
    struct device *device = options->device;
    if (!pool_reserve(device, options->bytes))
        return fail(err, BATON_ERR_OOM, "the limit of device %d (%llu bytes) leaves no room for %llu bytes: %llu are live, %llu wait to be given back",
                    device->ordinal, (unsigned long long)atomic_load(&device->limit_bytes), (unsigned long long)options->bytes,
                    (unsigned long long)device_live_bytes(device), (unsigned long long)device_deferred_bytes(device));
    *ticket = 0;
    int32_t status = options->kind == BATON_DEVICE ? alloc_on_stream(options, address, ticket, err) : alloc_inside(options, address, err);
    if (status)
        atomic_fetch_sub(&device->held_bytes, options->bytes);
    return status;
}

/* Everything that nobody uses goes back to the pool, as far as it can. */
static void free_unused(struct device *device)
{
    runtime_drain(device->runtime, 0);
    cache_shrink(device, 0);
}

/* What was given back in some stream's order is free once that stream has come so far. */
static int32_t wait_for_frees(const struct memory_options *options, baton_error *err)
{
    struct wait_how how = { .mode = BATON_WAIT_AUTO, .cause = BATON_HOST_WAIT_RECLAIM, .deadline_ns = WAIT_FOREVER, .operation = BATON_OP_ALLOC };
    struct stream_list list;
    free_unused(options->device);
    int32_t status = stream_list_make(options->device->runtime, options->device, &list, err);
    if (status)
        return status;
    for (size_t i = 0; i < list.count && !status; i++)
        status = wait_stream(list.streams[i], stream_promised(list.streams[i]), &how, err);
    stream_list_free(&list);
    free_unused(options->device);
    return status;
}

static int32_t trim(struct device *device, uint64_t keep_bytes, baton_error *err)
{
    struct device_entry entry;
    int32_t status = device_enter(device, &entry, err);
    if (status)
        return status;
    int code = device->driver->pool_trim(device->pool, keep_bytes);
    device_leave(device, &entry);
    return device_status(device, code, DRIVER_ROW_pool_trim, BATON_OP_FREE, NULL, err);
}

static int32_t call_reclaim(const struct memory_options *options, int32_t level, baton_error *err)
{
    baton_runtime *runtime = options->device->runtime;
    if (options->flags & BATON_ALLOC_NO_HOOK || !runtime->options.reclaim || atomic_load(&runtime->closed))
        return BATON_OK;
    return runtime->options.reclaim(runtime->options.user, level, options->bytes) ? fail(err, BATON_ERR_HOOK, "the reclaim hook returned nonzero") : BATON_OK;
}

/* Asks for a collection by status: the caller runs its collector and calls again with that level. */
static int32_t ask_by_status(const struct memory_options *options, baton_error *err)
{
    baton_error record = error_none();
    if (options->level >= 2)
        return BATON_OK;
    fail(&record, BATON_OOM_RETRY, "device %d has no room for %llu bytes: collect garbage and call again", options->device->ordinal,
         (unsigned long long)options->bytes);
    record.level = options->level + 1;
    record.operation = BATON_OP_ALLOC;
    return fail_with(err, &record);
}

/* The rungs, cheapest first. Each makes room in its own way; after each the allocation is tried again. */
static int32_t rung(const struct memory_options *options, int step, baton_error *err)
{
    int32_t status;
    switch (step) {
    case 0:
        free_unused(options->device);
        return BATON_OK;
    case 1: return wait_for_frees(options, err);
    case 2:
    case 3:
        status = call_reclaim(options, step - 1, err);
        return status ? status : wait_for_frees(options, err);
    default: return trim(options->device, 0, err);
    }
}

/* During a capture there is no ladder, since nothing is given back (C9): whoever is not capturing may do better by letting it end. */
static int32_t no_ladder(const struct memory_options *options, baton_error *err)
{
    baton_error record = error_none();
    fail(&record, BATON_ERR_OOM, "device %d has no room for %llu bytes, and a capture is under way: nothing is given back before it ends",
         options->device->ordinal, (unsigned long long)options->bytes);
    record.operation = BATON_OP_CAPTURE;
    return fail_with(err, &record);
}

int32_t pool_alloc(const struct memory_options *options, uint64_t *address, uint64_t *ticket, baton_error *err)
{
    int32_t status = try_alloc(options, address, ticket, err);
    int climbs = !atomic_load(&options->device->runtime->captures);
    for (int step = 0; status == BATON_ERR_OOM && climbs && step < 5; step++) {
        int32_t asked = step == 2 && options->flags & BATON_ALLOC_NO_HOOK ? ask_by_status(options, err) : BATON_OK;
        if (asked || (asked = rung(options, step, err)))
            return asked;
        status = try_alloc(options, address, ticket, err);
    }
    if (status == BATON_ERR_OOM && !climbs)
        return no_ladder(options, err);
    if (!status)
        atomic_fetch_add_explicit(&options->device->runtime->allocations, 1, memory_order_relaxed);
    return status;
}

static void returned(struct device *device, uint64_t bytes)
{
    atomic_fetch_sub(&device->held_bytes, bytes);
    atomic_fetch_add_explicit(&device->runtime->frees, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&device->runtime->freed_bytes, bytes, memory_order_relaxed);
}

static int call_free(struct device *device, int32_t kind, uint64_t address, baton_stream *stream)
{
    if (kind == BATON_HOST)
        return device->driver->host_free((void *)(uintptr_t)address);
    if (kind == BATON_UNIFIED)
        return device->driver->free(address);
    return device->driver->free_async(address, stream->native);
}

int32_t pool_free(struct device *device, int32_t kind, uint64_t address, uint64_t charge, baton_stream *stream)
{
    struct device_entry entry;
    int code = DRIVER_SUCCESS;
    int32_t status = device_enter(device, &entry, NULL);
    if (status == BATON_ERR_DRIVER || status == BATON_ERR_OOM)
        return status;                              /* refused for now: the caller tries again later */
    if (!status) {                                  /* else the memory is gone with its context */
        code = call_free(device, kind, address, stream);
        device_leave(device, &entry);
    }
    runtime_swallow(device->runtime, code);
    if (code && !driver_code_gone(code) && !driver_code_sticky(code))
        return BATON_ERR_DRIVER;
    if (kind == BATON_DEVICE && stream)
        stream_ticket(stream, BATON_OP_FREE);
    if (charge)
        returned(device, charge);
    return BATON_OK;
}

int32_t baton_trim(baton_runtime *runtime, int32_t ordinal, uint64_t keep_bytes, baton_error *err)
{
    struct device *device;
    int32_t status = runtime_check(runtime, err);
    if (status || (status = device_get(runtime, ordinal, &device, err)))
        return status;
    struct memory_options all = { .device = device };
    status = wait_for_frees(&all, err);
    return status ? status : trim(device, keep_bytes, err);
}
