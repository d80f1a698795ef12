/* Statistics: counts are kept where they arise and summed when somebody asks. */
#include "base/options.h"
#include "stream/stream.h"

static void add_counters(baton_stats *stats, struct counters *counters)
{
    uint64_t *const sums[COUNTERS] = {
        [COUNT_OPERATIONS] = &stats->operations, [COUNT_DEVICE_WAITS] = &stats->device_waits, [COUNT_RECORDS] = &stats->records,
        [COUNT_SAME] = &stats->elided_same, [COUNT_COVERED] = &stats->elided_covered, [COUNT_COMPLETE] = &stats->elided_complete,
    };
    for (int i = 0; i < COUNTERS; i++)
        *sums[i] += atomic_load_explicit(&counters->value[i], memory_order_relaxed);
}

static void add_stream(baton_stream *stream, void *user)
{
    struct counters counters = { .value = { 0 } };
    stream_count(stream, &counters);
    add_counters(user, &counters);
}

static void add_device(baton_stats *stats, struct device *device)
{
    stats->live_bytes += device_live_bytes(device);
    stats->deferred_bytes += device_deferred_bytes(device);
    stats->cached_bytes += atomic_load(&device->cached_bytes);
    stats->cache_hits += atomic_load(&device->cache_hits);
    stats->allocations += atomic_load(&device->cache_hits);
    stats->frees += atomic_load(&device->cache_puts);
}

/* The end of each is counted after its beginning, and read before. */
static uint64_t live_arrays(baton_runtime *runtime)
{
    uint64_t ended = atomic_load(&runtime->ended_arrays), made = atomic_load(&runtime->made_arrays);
    for (int32_t i = 0; i < runtime->device_count; i++)
        made += atomic_load(&runtime->devices[i].cache_handles);
    return made - ended;
}

int32_t baton_stats_read(baton_runtime *runtime, baton_stats *stats, baton_error *err)
{
    int32_t status = runtime_check(runtime, err);
    if (status)
        return status;
    baton_stats own = { .struct_size = sizeof own };
    own.host_blocked_ns = atomic_load(&runtime->host_blocked_ns);
    own.allocations = atomic_load(&runtime->allocations);
    own.frees = atomic_load(&runtime->frees);
    own.live_arrays = live_arrays(runtime);
    own.graph_launches = atomic_load(&runtime->graph_launches);
    own.graph_memories = atomic_load(&runtime->graph_memories);
    own.graph_waits = atomic_load(&runtime->graph_waits);
    own.faults_swallowed = atomic_load(&runtime->faults_swallowed);
    own.longest_lock_wait_ns = atomic_load(&runtime->longest_lock_wait_ns);
    for (int i = 0; i < BATON_HOST_WAIT_CAUSES; i++)
        own.host_waits[i] = atomic_load(&runtime->host_waits[i]);
    add_counters(&own, &runtime->retired);
    stream_each(runtime, add_stream, &own);
    for (int32_t i = 0; i < runtime->device_count; i++)
        add_device(&own, &runtime->devices[i]);
    return options_write(stats, &own, sizeof own, "baton_stats", err);
}

static uint64_t freed_bytes_of(baton_runtime *runtime)
{
    uint64_t bytes = atomic_load(&runtime->freed_bytes);
    for (int32_t i = 0; i < runtime->device_count; i++)
        bytes += atomic_load(&runtime->devices[i].cache_put_bytes);
    return bytes;
}

int32_t baton_drain(baton_runtime *runtime, uint64_t most, uint64_t *freed_bytes, baton_error *err)
{
    int32_t status = runtime_check(runtime, err);
    if (status)
        return status;
    uint64_t before = freed_bytes_of(runtime);
    runtime_drain(runtime, most);
    if (freed_bytes)
        *freed_bytes = freed_bytes_of(runtime) - before;
    return BATON_OK;
}
