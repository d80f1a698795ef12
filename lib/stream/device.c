#include "stream/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/process.h"
#include "stream/blocker.h"

static int32_t make_pool(struct device *device, baton_error *err)
{
    driver_pool_properties properties = { .allocation_type = DRIVER_ALLOCATION_PINNED,
                                          .location_type = DRIVER_LOCATION_DEVICE,
                                          .location_id = device->ordinal };
    uint64_t keep = UINT64_MAX;             /* the pool gives memory back at baton_trim, not at each synchronization */
    int code = device->driver->pool_create(&device->pool, &properties);
    if (code)
        return device_status(device, code, DRIVER_ROW_pool_create, BATON_OP_ALLOC, NULL, err);
    code = device->driver->pool_set(device->pool, DRIVER_POOL_RELEASE_THRESHOLD, &keep);
    if (!code)
        return BATON_OK;
    runtime_swallow(device->runtime, device->driver->pool_destroy(device->pool));
    return device_status(device, code, DRIVER_ROW_pool_set, BATON_OP_ALLOC, NULL, err);
}

/* What needs the context current. */
static int32_t make_inside(struct device *device, baton_error *err)
{
    int code = device->driver->context_priorities(&device->priority_least, &device->priority_greatest);
    if (code)
        return device_status(device, code, DRIVER_ROW_context_priorities, BATON_OP_STREAM, NULL, err);
    return make_pool(device, err);
}

static int32_t make_locked(struct device *device, baton_error *err)
{
    struct device_entry entry;
    int code = device->driver->device_get(&device->native, device->ordinal);
    if (code)
        return device_status(device, code, DRIVER_ROW_device_get, BATON_OP_STREAM, NULL, err);
    code = device->driver->primary_retain(&device->context, device->native);
    if (code)
        return device_status(device, code, DRIVER_ROW_primary_retain, BATON_OP_STREAM, NULL, err);
    int32_t status = device_enter(device, &entry, err);
    if (status)
        goto release_context;
    status = make_inside(device, err);
    device_leave(device, &entry);
    if (status)
        goto release_context;
    atomic_store_explicit(&device->ready, 1, memory_order_release);
    return BATON_OK;
release_context:
    runtime_swallow(device->runtime, device->driver->primary_release(device->native));
    return status;
}

int32_t device_get(baton_runtime *runtime, int32_t ordinal, struct device **device, baton_error *err)
{
    if (ordinal < 0 || ordinal >= runtime->device_count)
        return fail(err, BATON_ERR_DEVICE, "there is no device %d: the %s driver has %d", ordinal, runtime->driver->name,
                    runtime->device_count);
    struct device *found = &runtime->devices[ordinal];
    int32_t status = device_usable(found, err);
    if (!status && !atomic_load_explicit(&found->ready, memory_order_acquire)) {
        pthread_mutex_lock(&found->lock);
        if (!atomic_load_explicit(&found->ready, memory_order_relaxed))
            status = make_locked(found, err);
        pthread_mutex_unlock(&found->lock);
    }
    if (!status)
        *device = found;
    return status;
}

void device_keep_flag(struct device *device, void *flag)
{
    pthread_mutex_lock(&device->lock);
    memcpy(flag, &device->gate_flags, sizeof device->gate_flags);
    device->gate_flags = flag;
    pthread_mutex_unlock(&device->lock);
}

static void give_flags_back(struct device *device)
{
    for (void *flag = device->gate_flags, *next; flag; flag = next) {
        memcpy(&next, flag, sizeof next);
        runtime_swallow(device->runtime, device->driver->host_free(flag));
    }
}

/* There is no later try: what needs no context is given back also when the context cannot be made current. */
static void give_back(struct device *device)
{
    struct device_entry entry;
    int32_t status = device_enter(device, &entry, NULL);
    if (status == BATON_ERR_POISONED)
        return;
    if (device->builtin)
        runtime_swallow(device->runtime, device->driver->module_unload(device->builtin));
    if (device->arithmetic)
        runtime_swallow(device->runtime, device->driver->module_unload(device->arithmetic));
    give_flags_back(device);
    runtime_swallow(device->runtime, device->driver->pool_destroy(device->pool));
    if (!status)
        device_leave(device, &entry);
    runtime_swallow(device->runtime, device->driver->primary_release(device->native));
}

void device_empty_cache(struct device *device)
{
    if (atomic_load_explicit(&device->cache, memory_order_acquire))
        device->cache_shrink(device, 0);
}

void device_destroy(struct device *device)
{
    device_empty_cache(device);
    if (atomic_load(&device->cache))
        device->cache_destroy(device);
    int usable = atomic_load(&device->ready) && !device_usable(device, NULL);
    blockers_destroy(device, usable);
    if (usable)
        give_back(device);
    pthread_mutex_destroy(&device->lock);
    free((void *)device->peers);
}

int32_t device_unusable(struct device *device, baton_error *err)
{
    int32_t status = process_check(err);
    if (status || atomic_load_explicit(&device->poisoned, memory_order_acquire) != 2)
        return status;
    return fail_with(err, &device->poison);
}

int32_t device_enter(struct device *device, struct device_entry *entry, baton_error *err)
{
    driver_context current = NULL;
    int32_t status = device_usable(device, err);
    if (status)
        return status;
    *entry = (struct device_entry) { .mode = DRIVER_CAPTURE_RELAXED };
    int code = device->driver->context_current(&current);
    if (code)
        return device_status(device, code, DRIVER_ROW_context_current, BATON_OP_NONE, NULL, err);
    if (current != device->context) {
        code = device->driver->context_push(device->context);
        if (code)
            return device_status(device, code, DRIVER_ROW_context_push, BATON_OP_NONE, NULL, err);
        entry->pushed = 1;
    }
    code = device->driver->capture_exchange(&entry->mode);
    if (!code)
        return BATON_OK;
    if (entry->pushed)
        runtime_swallow(device->runtime, device->driver->context_pop(&current));
    return device_status(device, code, DRIVER_ROW_capture_exchange, BATON_OP_NONE, NULL, err);
}

void device_leave(struct device *device, const struct device_entry *entry)
{
    driver_capture_mode mode = entry->mode;
    driver_context popped;
    runtime_swallow(device->runtime, device->driver->capture_exchange(&mode));
    if (entry->pushed)
        runtime_swallow(device->runtime, device->driver->context_pop(&popped));
}

/* ---- between devices */

/* `at` is the device that was asked. */
static int32_t peer_failed(struct device *at, struct device *device, struct device *peer, int code, enum driver_row row, baton_error *err)
{
    baton_error record = error_none();
    if (device_status(at, code, row, BATON_OP_NONE, NULL, &record) == BATON_ERR_POISONED)
        return fail_with(err, &record);
    if (code == DRIVER_PEER_ACCESS_UNSUPPORTED || code == DRIVER_TOO_MANY_PEERS)
        record.status = BATON_ERR_PEER;
    snprintf(record.message, sizeof record.message, "device %d was not given access to the memory of device %d: %s returned %s",
             device->ordinal, peer->ordinal, driver_row_symbol(row), driver_code_name(code));
    return fail_with(err, &record);
}

static int32_t peer_check(struct device *device, struct device *peer, baton_error *err)
{
    int can = 0, code = device->driver->device_can_access_peer(&can, device->native, peer->native);
    if (code)
        return peer_failed(device, device, peer, code, DRIVER_ROW_device_can_access_peer, err);
    if (can)
        return BATON_OK;
    return fail(err, BATON_ERR_PEER, "device %d cannot reach the memory of device %d: copy the array to device %d instead",
                device->ordinal, peer->ordinal, device->ordinal);
}

/* From the device's context to the peer's: for memory that is in no pool. */
static int32_t enable_locked(struct device *device, struct device *peer, baton_error *err)
{
    struct device_entry entry;
    int32_t status = peer_check(device, peer, err);
    if (status || (status = device_enter(device, &entry, err)))
        return status;
    int code = device->driver->context_enable_peer(peer->context, 0);
    device_leave(device, &entry);
    if (code && code != DRIVER_PEER_ACCESS_ALREADY_ENABLED)
        return peer_failed(device, device, peer, code, DRIVER_ROW_context_enable_peer, err);
    atomic_fetch_or(&device->peers[peer->ordinal], DEVICE_REACHES);
    return BATON_OK;
}

static int32_t let_in_locked(struct device *device, struct device *peer, baton_error *err)
{
    const driver_pool_access access = { .location_type = DRIVER_LOCATION_DEVICE, .location_id = device->ordinal, .flags = DRIVER_ACCESS_READ_WRITE };
    int code = peer->driver->pool_access(peer->pool, &access, 1);
    if (code)
        return peer_failed(peer, device, peer, code, DRIVER_ROW_pool_access, err);
    atomic_fetch_or(&peer->peers[device->ordinal], DEVICE_REACHED_BY);
    return BATON_OK;
}

static int knows(struct device *device, const struct device *other, unsigned char what)
{
    return atomic_load_explicit(&device->peers[other->ordinal], memory_order_acquire) & what;
}

int32_t device_reach(struct device *device, struct device *peer, baton_error *err)
{
    int32_t status = BATON_OK;
    if (!knows(device, peer, DEVICE_REACHES)) {
        pthread_mutex_lock(&device->lock);
        status = knows(device, peer, DEVICE_REACHES) ? BATON_OK : enable_locked(device, peer, err);
        pthread_mutex_unlock(&device->lock);
    }
    if (!status && !knows(peer, device, DEVICE_REACHED_BY)) {
        pthread_mutex_lock(&peer->lock);
        status = knows(peer, device, DEVICE_REACHED_BY) ? BATON_OK : let_in_locked(device, peer, err);
        pthread_mutex_unlock(&peer->lock);
    }
    return status;
}

int32_t baton_device_info_read(baton_runtime *runtime, int32_t ordinal, baton_device_info *info, baton_error *err)
{
    static const struct {
        driver_device_attribute attribute;
        size_t offset;
    } rows[] = {
        { DRIVER_DEVICE_MAJOR, offsetof(baton_device_info, compute_major) },
        { DRIVER_DEVICE_MINOR, offsetof(baton_device_info, compute_minor) },
        { DRIVER_DEVICE_MULTIPROCESSORS, offsetof(baton_device_info, multiprocessors) },
        { DRIVER_DEVICE_CONCURRENT_MANAGED, offsetof(baton_device_info, concurrent_managed) },
    };
    struct device *device;
    int32_t status = runtime_check(runtime, err);
    if (status || (status = device_get(runtime, ordinal, &device, err)))
        return status;
    baton_device_info own = { .struct_size = sizeof own,
                              .device = ordinal,
                              .limit_bytes = atomic_load(&device->limit_bytes),
                              .live_bytes = device_live_bytes(device),
                              .deferred_bytes = device_deferred_bytes(device) };
    size_t total = 0;
    int code = device->driver->device_memory(&total, device->native);
    for (size_t i = 0; !code && i < sizeof rows / sizeof *rows; i++) {
        int value = 0;
        code = device->driver->device_attribute(&value, rows[i].attribute, device->native);
        memcpy((char *)&own + rows[i].offset, &value, sizeof value);
    }
    if (!code)
        code = device->driver->device_name(own.name, sizeof own.name, device->native);
    if (code)
        return device_status(device, code, DRIVER_ROW_device_attribute, BATON_OP_NONE, NULL, err);
    own.total_bytes = total;
    return options_write(info, &own, sizeof own, "baton_device_info", err);
}

int32_t baton_set_memory_limit(baton_runtime *runtime, int32_t ordinal, uint64_t bytes, baton_error *err)
{
    struct device *device;
    int32_t status = runtime_check(runtime, err);
    if (status || (status = device_get(runtime, ordinal, &device, err)))
        return status;
    atomic_store(&device->limit_bytes, bytes);
    return BATON_OK;
}
