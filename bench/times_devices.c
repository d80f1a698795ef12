/* Between two devices: hand-offs of one array, by events and by host waits, and copies both ways. Nothing where there is one device. */
#include "bench.h"

enum { BYTES = 2 << 20, COPIES = 10, BOUNCES = 100, PAIR = 2 };

/* The library's side has a runtime that follows other devices' events, and one that does not; the floors have the first one's streams. */
struct side {
    baton_runtime *runtime;
    baton_kernel *kernels[PAIR][KERNELS];
    baton_stream *streams[PAIR];
    baton_array *bounced, *ends[PAIR];
};
static struct side events, host;
static driver_event records[PAIR];
static driver_address ends[PAIR];
static baton_gate *gate;

static struct device *device_at(int i)
{
    return events.streams[i]->device;
}

/* ---- bounces: device 1 touches device 0's array in turn with device 0 */

static void raw_touch(int i)
{
    void *parameters[] = { &ends[0] };
    driver_function function = events.kernels[i][KERNEL_TOUCH1]->native;
    need_raw(world.driver->launch(function, 1, 1, 1, 1, 1, 1, 0, events.streams[i]->native, parameters, NULL));
}

static uint64_t raw_bounce(uint64_t n)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++) {
        int to = (int)(i % PAIR), from = !to;
        need_raw(world.driver->event_record(records[from], events.streams[from]->native));
        need_raw(world.driver->stream_wait_event(events.streams[to]->native, records[from], 0));
        raw_touch(to);
    }
    return bench_now() - start;
}

static uint64_t raw_bounce_synchronizing(uint64_t n)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++) {
        need_raw(world.driver->stream_synchronize(events.streams[!(i % PAIR)]->native));
        raw_touch((int)(i % PAIR));
    }
    return bench_now() - start;
}

static void touch(const struct side *side, int i)
{
    baton_launch_options options = { .struct_size = sizeof options, .stream = side->streams[i], .block = { 1 } };
    need(baton_launch(side->kernels[i][KERNEL_TOUCH1], &options, &(baton_argument)baton_inout(side->bounced), 1, &bench_error));
}

static uint64_t bounce(const struct side *side, uint64_t n)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++)
        touch(side, (int)(i % PAIR));
    return bench_now() - start;
}

/* Each batch is let run out before the next, outside of the time. */
static void idle(void)
{
    for (int i = 0; i < PAIR; i++) {
        need_raw(world.driver->stream_synchronize(events.streams[i]->native));
        need_raw(world.driver->stream_synchronize(host.streams[i]->native));
    }
}

static uint64_t our_bounce(uint64_t n)
{
    uint64_t ns = bounce(&events, n);
    idle();
    return ns;
}

static uint64_t our_bounce_synchronizing(uint64_t n)
{
    uint64_t ns = bounce(&host, n);
    idle();
    return ns;
}

static uint64_t raw_bounce_idle(uint64_t n)
{
    uint64_t ns = raw_bounce(n);
    idle();
    return ns;
}

/* ---- on the devices' own time: queued behind a gate, then let go */

static int busy(const struct side *side)
{
    int busy = 0;
    for (int i = 0; i < PAIR; i++) {
        int code = world.driver->stream_query(side->streams[i]->native);
        if (code != DRIVER_NOT_READY)
            need_raw(code);
        busy |= code == DRIVER_NOT_READY;
    }
    return busy;
}

static uint64_t held(uint64_t (*body)(uint64_t n), uint64_t n)
{
    need(baton_gate_create(events.streams[0], 2000000000u, &gate, &bench_error));
    body(n);
    uint64_t start = bench_now();
    need(baton_gate_open(gate, &bench_error));
    while (busy(&events))
        ;
    uint64_t ns = bench_now() - start;
    baton_gate_release(gate);
    return ns;
}

static uint64_t bounce_events(uint64_t n) { return bounce(&events, n); }
static uint64_t raw_links(uint64_t n) { return held(raw_bounce, n); }
static uint64_t our_links(uint64_t n) { return held(bounce_events, n); }

/* ---- copies */

static uint64_t raw_copies(uint64_t n, int to, int by)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++) {
        need_raw(world.driver->copy_peer(ends[to], device_at(to)->context, ends[!to], device_at(!to)->context, BYTES, events.streams[by]->native));
        need_raw(world.driver->stream_synchronize(events.streams[by]->native));
    }
    return bench_now() - start;
}

static uint64_t our_copies(uint64_t n, int to, int by)
{
    uint64_t start = bench_now();
    for (uint64_t i = 0; i < n; i++) {
        need(baton_copy(events.ends[to], events.ends[!to], events.streams[by], &bench_error));
        need(baton_stream_synchronize(events.streams[by], BATON_WAIT_AUTO, &bench_error));
    }
    return bench_now() - start;
}

static uint64_t raw_there(uint64_t n) { return raw_copies(n, 1, 0); }
static uint64_t our_there(uint64_t n) { return our_copies(n, 1, 0); }
static uint64_t raw_back(uint64_t n) { return raw_copies(n, 0, 0); }
static uint64_t our_back(uint64_t n) { return our_copies(n, 0, 0); }

/* ---- the world */

static baton_array *array_new(const struct side *side, int device)
{
    baton_array *array;
    baton_array_options options = { .struct_size = sizeof options, .device = device, .dtype = BATON_U8, .ndim = 1, .shape = &(int64_t) { BYTES },
                                    .stream = side->streams[device] };
    need(baton_array_create(side->runtime, &options, &array, &bench_error));
    need(baton_fill(array, &(uint8_t) { 0 }, 1, side->streams[device], &bench_error));
    return array;
}

static void side_open(struct side *side, uint32_t flags)
{
    baton_runtime_options options = { .struct_size = sizeof options, .flags = flags, .driver = world.driver->name };
    char spec[32];
    if (world.soft) {
        snprintf(spec, sizeof spec, "soft:%d", world.runtime->device_count);
        options.driver = spec;
    }
    need(baton_runtime_open(&options, &side->runtime, &bench_error));
    for (int i = 0; i < PAIR; i++) {
        need(kernels_open(side->runtime, i, side->kernels[i], &bench_error));
        need(baton_stream_create(side->runtime, i, 0, 0, &side->streams[i], &bench_error));
        side->ends[i] = array_new(side, i);
    }
    side->bounced = array_new(side, 0);
    for (int i = 0; i < PAIR; i++)
        touch(side, i);
}

static void side_close(struct side *side)
{
    baton_array_release_n((baton_array *[]) { side->bounced, side->ends[0], side->ends[1] }, 3);
    for (int i = 0; i < PAIR; i++) {
        baton_stream_release(side->streams[i]);
        kernels_close(side->kernels[i]);
    }
    need(baton_runtime_close(side->runtime, &bench_error));
}

/* From the pools of the first side, which are open to each other by now. */
static void raw_open(void)
{
    for (int i = 0; i < PAIR; i++) {
        need_raw(world.driver->context_push(device_at(i)->context));
        need_raw(world.driver->event_create(&records[i], DRIVER_EVENT_DISABLE_TIMING));
        need_raw(world.driver->context_pop(&(driver_context) { NULL }));
        need_raw(world.driver->alloc_async(&ends[i], BYTES, device_at(i)->pool, events.streams[i]->native));
    }
    idle();
}

static void raw_close(void)
{
    idle();
    for (int i = 0; i < PAIR; i++) {
        need_raw(world.driver->event_destroy(records[i]));
        need_raw(world.driver->free_async(ends[i], events.streams[i]->native));
    }
    idle();
}

static int no_peers(void)
{
    int there = 0, back = 0;
    need_raw(world.driver->device_can_access_peer(&there, 0, 1));
    need_raw(world.driver->device_can_access_peer(&back, 1, 0));
    return !there || !back;
}

void times_devices(void)
{
    static const struct bench_case cases[] = {
        { "devices/hand-off", "an array between two devices, by events", "<= 2x", raw_bounce_idle, our_bounce, BOUNCES },
        { "devices/host", "the same without the flag: host waits", "for comparison", raw_bounce_synchronizing, our_bounce_synchronizing, BOUNCES },
        { "devices/link", "device time per link, by events", "<= 1.2x", raw_links, our_links, BOUNCES },
        { "devices/copy", "2 MB to the other device, sync", "", raw_there, our_there, COPIES },
        { "devices/copy back", "2 MB from the other device, sync", "", raw_back, our_back, COPIES },
    };
    int wanted = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        wanted += bench_wanted(cases[i].id);
    if (!wanted || world.runtime->device_count < PAIR || no_peers())
        return;
    side_open(&events, BATON_RUNTIME_PEER_EVENTS);
    side_open(&host, 0);
    raw_open();
    MEASURE_ALL(cases);
    raw_close();
    side_close(&host);
    side_close(&events);
}
