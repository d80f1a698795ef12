#include "stream/runtime.h"

#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/process.h"
#include "stream/capture.h"
#include "stream/wait.h"
#include "stream/watch.h"

/* Every runtime that still has objects, so that any drain reaches what closed ones left behind. */
static pthread_mutex_t runtimes_lock = PTHREAD_MUTEX_INITIALIZER;
static baton_runtime *runtimes;             /* guarded by runtimes_lock */

enum { OPTIONS_LEAST = offsetof(baton_runtime_options, driver) };

int32_t runtime_check(baton_runtime *runtime, baton_error *err)
{
    int32_t status = handle_check(runtime ? &runtime->handle : NULL, HANDLE_RUNTIME, "runtime", err);
    return status ? status : process_check(err);
}

void runtime_retain(baton_runtime *runtime)
{
    handle_retain(&runtime->handle, HANDLE_RUNTIME);
}

static void list_add(baton_runtime *runtime)
{
    pthread_mutex_lock(&runtimes_lock);
    runtime->next = runtimes;
    runtimes = runtime;
    pthread_mutex_unlock(&runtimes_lock);
}

static void list_remove(baton_runtime *runtime)
{
    pthread_mutex_lock(&runtimes_lock);
    for (baton_runtime **link = &runtimes; *link; link = &(*link)->next)
        if (*link == runtime) {
            *link = runtime->next;
            break;
        }
    pthread_mutex_unlock(&runtimes_lock);
}

static void runtime_free(baton_runtime *runtime)
{
    for (int32_t i = 0; i < runtime->device_count; i++)
        device_destroy(&runtime->devices[i]);
    free(runtime->devices);
    pthread_mutex_destroy(&runtime->watch_lock);
    trace_destroy(&runtime->trace);
    if (runtime->driver)
        driver_close(runtime->driver);
    handle_free(&runtime->handle);
}

void runtime_release(baton_runtime *runtime)
{
    if (!handle_release(&runtime->handle, HANDLE_RUNTIME))
        return;
    list_remove(runtime);
    runtime_free(runtime);
}

void runtime_defer(baton_runtime *runtime, struct deferred *node)
{
    deferred_push(&runtime->deferred, node);
}

/* A retained runtime with something to drain now (C9), other than those up to `after`; NULL when there is none. */
static baton_runtime *next_with_leftovers(baton_runtime *after)
{
    baton_runtime *found = NULL;
    pthread_mutex_lock(&runtimes_lock);
    for (baton_runtime *r = after ? after->next : runtimes; r && !found; r = r->next)
        if (atomic_load(&r->closed) && deferred_any(&r->deferred) && !atomic_load(&r->captures) && !handle_retain(&r->handle, HANDLE_RUNTIME))
            found = r;
    pthread_mutex_unlock(&runtimes_lock);
    return found;
}

/* What one object kept may be ready when that has gone. */
static uint64_t drain_all(baton_runtime *runtime)
{
    uint64_t done = 0, more;
    while ((more = deferred_drain(&runtime->deferred, 0)))
        done += more;
    return done;
}

static void services_release(baton_runtime *runtime)
{
    for (int32_t i = 0; i < runtime->device_count; i++) {
        struct device *device = &runtime->devices[i];
        pthread_mutex_lock(&device->lock);
        baton_stream *service = device->service;
        device->service = NULL;
        pthread_mutex_unlock(&device->lock);
        if (service)
            atomic_fetch_sub(&runtime->services, 1);
        stream_release(service);
    }
}

/* Gives one reference on a closed runtime back. The service streams keep it, as all streams do, and it keeps them: when nothing else does, and so nobody can
 * reach them any more, they go with it. */
static void release_closed(baton_runtime *runtime)
{
    pthread_mutex_lock(&runtimes_lock);         /* or two that let go at once would each take the other for a user */
    int used = atomic_load(&runtime->handle.references) > 1 + atomic_load(&runtime->services);
    if (used)
        runtime_release(runtime);
    pthread_mutex_unlock(&runtimes_lock);
    if (used)
        return;
    services_release(runtime);
    drain_all(runtime);
    runtime_release(runtime);
}

static void drain_closed(void)
{
    for (baton_runtime *r = next_with_leftovers(NULL), *next; r; r = next) {
        drain_all(r);
        next = next_with_leftovers(r);
        release_closed(r);
    }
}

uint64_t runtime_drain(baton_runtime *runtime, uint64_t most)
{
    if (process_forked() || atomic_load(&runtime->captures))
        return 0;
    if (most)
        return deferred_drain(&runtime->deferred, most);
    uint64_t done = drain_all(runtime);
    drain_closed();
    return done;
}

void runtime_swallow(baton_runtime *runtime, int code)
{
    if (code && !driver_code_gone(code))
        atomic_fetch_add_explicit(&runtime->faults_swallowed, 1, memory_order_relaxed);
}

static int32_t devices_make(baton_runtime *runtime, baton_error *err)
{
    int count = 0;
    int code = runtime->driver->init(0);
    if (!code)
        code = runtime->driver->version(&runtime->driver_version);
    if (!code)
        code = runtime->driver->device_count(&count);
    if (code)
        return fail(err, BATON_ERR_NO_DRIVER, "the %s driver cannot be used: %s", runtime->driver->name, driver_code_name(code));
    runtime->devices = calloc((size_t)count + !count, sizeof *runtime->devices);
    if (!runtime->devices)
        return fail(err, BATON_ERR_MEMORY, "no host memory for %d devices", count);
    for (int32_t i = 0; i < count; i++) {
        struct device *device = &runtime->devices[i];
        *device = (struct device) { .runtime = runtime, .driver = runtime->driver, .ordinal = i };
        device->peers = calloc((size_t)count, sizeof *device->peers);
        if (!device->peers || pthread_mutex_init(&device->lock, NULL)) {
            free((void *)device->peers);
            return fail(err, BATON_ERR_MEMORY, "no host memory for device %d, or no mutex", i);
        }
        runtime->device_count = i + 1;
    }
    return BATON_OK;
}

static int32_t options_check(const baton_runtime_options *options, baton_runtime_options *own, baton_error *err)
{
    *own = (baton_runtime_options) { .struct_size = sizeof *own };
    int32_t status = options ? options_read(own, sizeof *own, options, OPTIONS_LEAST, "baton_runtime_options", err) : BATON_OK;
    if (status)
        return status;
    if (own->flags & ~(uint32_t)(BATON_RUNTIME_HOST_WAIT | BATON_RUNTIME_NO_CACHE | BATON_RUNTIME_PEER_EVENTS | BATON_RUNTIME_TRY))
        return fail(err, BATON_ERR_ARGUMENT, "unknown runtime flags 0x%x", own->flags);
    for (size_t i = 0; i < sizeof own->reserved / sizeof *own->reserved; i++)
        if (own->reserved[i])
            return fail(err, BATON_ERR_VERSION, "reserved member of baton_runtime_options is not zero");
    return BATON_OK;
}

/* The driver and the devices: what may fail after the handle is made. */
static int32_t runtime_fill(baton_runtime *runtime, baton_error *err)
{
    const char *spec = runtime->options.driver ? runtime->options.driver : "auto";
    int32_t status = driver_open(spec, &runtime->driver, runtime->reason, sizeof runtime->reason);
    if (status)
        return fail(err, status, "%.170s", runtime->reason);
    runtime->options.driver = NULL;         /* the caller's string need not live on */
    return devices_make(runtime, err);
}

int32_t baton_runtime_open(const baton_runtime_options *options, baton_runtime **runtime, baton_error *err)
{
    baton_runtime_options own;
    int32_t status = runtime ? options_check(options, &own, err) : fail(err, BATON_ERR_ARGUMENT, "runtime is NULL");
    if (status || (status = process_watch_forks(err)) || (status = process_check(err)))
        return status;
    baton_runtime *made = calloc(1, sizeof *made);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for a runtime");
    handle_init(&made->handle, HANDLE_RUNTIME);
    made->options = own;
    status = trace_init(&made->trace, err);
    if (status) {
        handle_free(&made->handle);
        return status;
    }
    pthread_mutex_init(&made->watch_lock, NULL);
    status = runtime_fill(made, err);
    if (status) {
        runtime_free(made);
        return status;
    }
    list_add(made);
    *runtime = made;
    return BATON_OK;
}

static int32_t synchronize_all(baton_runtime *runtime, int promised, baton_error *err)
{
    struct stream_list list;
    int32_t status = stream_list_make(runtime, NULL, &list, err);
    if (status)
        return status;
    for (size_t i = 0; i < list.count; i++)
        capture_abandon(list.streams[i]);
    for (size_t i = 0; i < list.count; i++) {
        if (device_usable(list.streams[i]->device, NULL))
            continue;                       /* lost, and reported already */
        int32_t result = wait_closing(list.streams[i], promised, status ? NULL : err);
        status = status ? status : result;
    }
    stream_list_free(&list);
    return status;
}

static int has_leftovers(void)
{
    baton_runtime *found = next_with_leftovers(NULL);
    if (found)
        release_closed(found);
    return found != NULL;
}

/* That what closed runtimes left on lent streams is over is known only when everything was waited for, and they do not do that any more. */
static void wait_for_lent(void)
{
    struct wait_how how = { .mode = BATON_WAIT_AUTO, .cause = BATON_HOST_WAIT_EXPORT, .deadline_ns = WAIT_FOREVER, .operation = BATON_OP_SYNCHRONIZE };
    struct device *waited = NULL;
    struct stream_list list;
    if (stream_list_make(NULL, NULL, &list, NULL))
        return;
    for (size_t i = 0; i < list.count; i++) {
        struct device *device = list.streams[i]->device;
        if (!stream_lent(list.streams[i]) || device_usable(device, NULL) || (waited && device_same(device, waited)))
            continue;
        wait_everything(device, &how, NULL);
        waited = device;
    }
    stream_list_free(&list);
}

static void caches_empty(baton_runtime *runtime)
{
    for (int32_t i = 0; i < runtime->device_count; i++)
        device_empty_cache(&runtime->devices[i]);
}

int32_t baton_runtime_close(baton_runtime *runtime, baton_error *err)
{
    int32_t status = handle_check(runtime ? &runtime->handle : NULL, HANDLE_RUNTIME, "runtime", err);
    if (status)
        return status;
    if (atomic_exchange(&runtime->closed, 1))
        return fail(err, BATON_ERR_CLOSED, "the runtime is closed already");
    if (process_forked())
        return process_check(err);
    status = synchronize_all(runtime, 0, err);
    watch_stop(runtime);                    /* after the waits: every fence is ready and its descriptor says so */
    runtime_drain(runtime, 0);
    caches_empty(runtime);
    uint64_t done = 1;
    while (done && deferred_any(&runtime->deferred)) {  /* the drain itself has submitted, drawn tickets, recorded; or a consumer's stream is not known any more */
        synchronize_all(runtime, 1, NULL);
        done = runtime_drain(runtime, 0);
    }
    drain_closed();
    if (has_leftovers()) {
        wait_for_lent();
        runtime_drain(runtime, 0);
    }
    release_closed(runtime);
    return status;
}

int32_t baton_runtime_info_read(baton_runtime *runtime, baton_runtime_info *info, baton_error *err)
{
    int32_t status = runtime_check(runtime, err);
    if (status)
        return status;
    baton_runtime_info own = { .struct_size = sizeof own, .devices = runtime->device_count, .driver_version = runtime->driver_version };
    strncpy(own.driver, runtime->driver->name, sizeof own.driver - 1);
    memcpy(own.reason, runtime->reason, sizeof own.reason);
    return options_write(info, &own, sizeof own, "baton_runtime_info", err);
}

int32_t baton_device_count(baton_runtime *runtime, int32_t *count, baton_error *err)
{
    int32_t status = runtime_check(runtime, err);
    if (status)
        return status;
    if (!count)
        return fail(err, BATON_ERR_ARGUMENT, "count is NULL");
    *count = runtime->device_count;
    return BATON_OK;
}

int32_t baton_trace_start(baton_runtime *runtime, uint32_t capacity, baton_error *err)
{
    int32_t status = runtime_check(runtime, err);
    if (status)
        return status;
    if (capacity > 1u << 24)
        return fail(err, BATON_ERR_ARGUMENT, "a trace keeps at most %u entries", 1u << 24);
    return trace_start(&runtime->trace, capacity, err);
}

int32_t baton_trace_read(baton_runtime *runtime, baton_trace_entry *entries, uint32_t capacity, uint32_t *count, baton_error *err)
{
    int32_t status = runtime_check(runtime, err);
    if (status)
        return status;
    if (!count || (capacity && !entries))
        return fail(err, BATON_ERR_ARGUMENT, "%s is NULL", count ? "entries" : "count");
    *count = trace_read(&runtime->trace, entries, capacity);
    return BATON_OK;
}
