/* Exact costs per operation on the software device: driver calls by row and allocations by the library. A wrong count
 * fails. Nothing here is a time. */
#include <stdio.h>
#include <stdlib.h>

#include "driver/instrument.h"
#include "heap.h"
#include "kernels.h"
#include "stream/device.h"

enum { STREAMS = 64, ELEMENTS = 512, HOPS = 1000 };

struct cost {
    uint64_t launches, records, waits, others;      /* driver calls */
    uint64_t allocations;
};

static baton_runtime *runtime;
static baton_kernel *kernels[KERNELS];
static baton_stream *streams[STREAMS];
static baton_array *arrays[KERNEL_ARRAYS];
static baton_error error = BATON_ERROR_INIT;
static int failures;

static void need_ok(int32_t status, const char *call)
{
    if (status == BATON_OK)
        return;
    fprintf(stderr, "counts: %s: %s: %s\n", call, baton_status_name(status), error.message);
    exit(EXIT_FAILURE);
}
#define need(call) need_ok((call), #call)

/* ---- the driver, whose own allocations do not count */

static const struct driver *under;

#define FRONT_FUNCTION(verb, symbol, version, parameters, arguments)    \
    static int front_##verb parameters                                  \
    {                                                                   \
        heap_pause();                                                   \
        int code = under->verb arguments;                               \
        heap_resume();                                                  \
        return code;                                                    \
    }
DRIVER_ROWS(FRONT_FUNCTION)

static struct driver front = {
#define FRONT_MEMBER(verb, symbol, version, parameters, arguments) .verb = front_##verb,
    DRIVER_ROWS(FRONT_MEMBER)
};

/* Before the runtime's first driver call on a device. */
static void front_insert(void)
{
    under = runtime->driver;
    front.name = under->name;
    front.builtin_image = under->builtin_image;
    front.arithmetic_image = under->arithmetic_image;
    front.host_kernels = under->host_kernels;
    runtime->driver = &front;
    for (int32_t i = 0; i < runtime->device_count; i++)
        runtime->devices[i].driver = &front;
}

/* ---- counting */

static void count_start(void)
{
    instrument_reset();
    heap_count_start();
}

static struct cost count_stop(void)
{
    struct cost cost = { .allocations = heap_count_stop() };
    cost.launches = instrument_count(DRIVER_ROW_launch);
    cost.records = instrument_count(DRIVER_ROW_event_record);
    cost.waits = instrument_count(DRIVER_ROW_stream_wait_event);
    cost.others = instrument_count(DRIVER_ROW_COUNT) - cost.launches - cost.records - cost.waits;
    return cost;
}

static void print_cost(const struct cost *cost)
{
    printf("%9llu %8llu %6llu %7llu %12llu", (unsigned long long)cost->launches, (unsigned long long)cost->records,
           (unsigned long long)cost->waits, (unsigned long long)cost->others, (unsigned long long)cost->allocations);
}

static int same(const struct cost *a, const struct cost *b)
{
    return a->launches == b->launches && a->records == b->records && a->waits == b->waits && a->others == b->others &&
           a->allocations == b->allocations;
}

/* Ends the count that count_start began. */
static void expect(const char *id, const char *what, struct cost expected)
{
    struct cost cost = count_stop();
    printf("%-4s %-48s", id, what);
    print_cost(&cost);
    if (same(&cost, &expected)) {
        printf("\n");
        return;
    }
    printf("\n     %-48s", "WRONG, expected");
    print_cost(&expected);
    printf("\n");
    failures++;
}

/* ---- the world */

static baton_array *make_array(void)
{
    int64_t elements = ELEMENTS;
    baton_array *array;
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_F32, .ndim = 1, .shape = &elements,
                                    .stream = streams[0] };
    need(baton_array_create(runtime, &options, &array, &error));
    return array;
}

static void launch(enum kernel_name kernel, int stream, const baton_argument *arguments, uint32_t count)
{
    baton_launch_options options = { .struct_size = sizeof options, .stream = streams[stream] };
    need(baton_launch(kernels[kernel], &options, arguments, count, &error));
}

static void touch(enum kernel_name kernel, int stream, uint32_t count)
{
    baton_argument arguments[KERNEL_ARRAYS];
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = (baton_argument)baton_inout(arrays[i]);
    launch(kernel, stream, arguments, count);
}

static void read_first(int stream)
{
    launch(KERNEL_READ, stream, (baton_argument[]) { baton_in(arrays[0]) }, 1);
}

static void settle(void)
{
    for (int i = 0; i < STREAMS; i++)
        need(baton_stream_synchronize(streams[i], BATON_WAIT_AUTO, &error));
    for (int i = 0; i < KERNEL_ARRAYS; i++)
        need(baton_array_synchronize(arrays[i], BATON_WAIT_AUTO, &error));
}

static void hold(int stream, baton_gate **gate)
{
    need(baton_gate_create(streams[stream], 20000000000u, gate, &error));
}

static void let_go(baton_gate *gate)
{
    baton_gate_release(gate);
    settle();
}

static void world_open(void)
{
    baton_runtime_options options = { .struct_size = sizeof options, .driver = "soft:1" };
    instrument_enable(1);
    need(baton_runtime_open(&options, &runtime, &error));
    front_insert();
    need(kernels_open(runtime, 0, kernels, &error));
    for (int i = 0; i < STREAMS; i++)
        need(baton_stream_create(runtime, 0, 0, 0, &streams[i], &error));
    for (int i = 0; i < KERNEL_ARRAYS; i++)
        arrays[i] = make_array();
    for (int i = 0; i < STREAMS; i++)
        touch(KERNEL_TOUCH1, i, 1);         /* every stream has its event now */
    settle();
}

static void world_close(void)
{
    baton_array_release_n(arrays, KERNEL_ARRAYS);
    for (int i = 0; i < STREAMS; i++)
        baton_stream_release(streams[i]);
    kernels_close(kernels);
    need(baton_runtime_close(runtime, &error));
}

/* ---- the scenarios. The gates keep work outstanding, so that nothing is left out because it had finished. */

static void count_same_stream(void)
{
    static const struct { enum kernel_name kernel; uint32_t count; const char *what; } runs[] = {
        { KERNEL_EMPTY, 0, "launch with 0 arrays" }, { KERNEL_TOUCH1, 1, "launch with 1 array, same stream" },
        { KERNEL_TOUCH4, 4, "launch with 4 arrays, same stream" }, { KERNEL_TOUCH16, 16, "launch with 16 arrays, same stream" },
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        baton_gate *gate;
        hold(0, &gate);
        touch(KERNEL_TOUCH16, 0, 16);
        count_start();
        touch(runs[i].kernel, 0, runs[i].count);
        expect("F1", runs[i].what, (struct cost) { .launches = 1 });
        let_go(gate);
    }
}

static void count_ping_pong(void)
{
    baton_gate *gate;
    hold(0, &gate);
    touch(KERNEL_TOUCH1, 0, 1);
    count_start();
    touch(KERNEL_TOUCH1, 1, 1);
    expect("F2", "one hand-off", (struct cost) { .launches = 1, .records = 1, .waits = 1 });
    count_start();
    for (int i = 0; i < HOPS; i++)
        touch(KERNEL_TOUCH1, i % 2, 1);
    expect("F2", "1000 hand-offs between two streams", (struct cost) { .launches = HOPS, .records = HOPS, .waits = HOPS });
    let_go(gate);
}

/* F3 is one hand-off of an array whose stream is busy: the gate says so. */
static void count_many_arrays(void)
{
    baton_gate *gate;
    hold(0, &gate);
    touch(KERNEL_TOUCH16, 0, 16);
    count_start();
    touch(KERNEL_TOUCH16, 1, 16);
    expect("F4", "16 arrays of one stream to another", (struct cost) { .launches = 1, .records = 1, .waits = 1 });
    let_go(gate);
}

static void count_fan_out(void)
{
    baton_gate *gate;
    hold(0, &gate);
    touch(KERNEL_TOUCH1, 0, 1);
    count_start();
    for (int i = 1; i <= 8; i++)
        read_first(i);
    expect("F5", "fan-out: 1 writer to 8 readers", (struct cost) { .launches = 8, .records = 1, .waits = 8 });
    count_start();
    touch(KERNEL_TOUCH1, 9, 1);
    expect("F5", "fan-in: 8 readers to 1 writer", (struct cost) { .launches = 1, .records = 8, .waits = 8 });
    let_go(gate);
}

static void count_diamond(void)
{
    baton_gate *gate;
    baton_array **a = arrays;
    hold(0, &gate);
    touch(KERNEL_TOUCH1, 0, 1);
    count_start();
    launch(KERNEL_ADD, 1, (baton_argument[]) { baton_out(a[1]), baton_in(a[0]) }, 2);
    launch(KERNEL_ADD, 2, (baton_argument[]) { baton_out(a[2]), baton_in(a[0]) }, 2);
    launch(KERNEL_JOIN, 3, (baton_argument[]) { baton_out(a[3]), baton_in(a[1]), baton_in(a[2]) }, 3);
    expect("F5", "diamond", (struct cost) { .launches = 3, .records = 3, .waits = 4 });
    count_start();
    touch(KERNEL_TOUCH1, 3, 1);
    expect("F5", "diamond: the top again, on the joining stream", (struct cost) { .launches = 1 });
    let_go(gate);
}

static void count_idle(void)
{
    settle();
    count_start();
    for (int i = 0; i < HOPS; i++)
        need(baton_array_synchronize(arrays[0], BATON_WAIT_AUTO, &error));
    expect("F6", "1000 array synchronizations, nothing outstanding", (struct cost) { 0 });
    count_start();
    for (int i = 0; i < HOPS; i++)
        need(baton_stream_synchronize(streams[0], BATON_WAIT_AUTO, &error));
    expect("F6", "1000 stream synchronizations, nothing outstanding", (struct cost) { 0 });
    count_start();
    touch(KERNEL_TOUCH16, 1, 16);
    expect("F6", "16 finished arrays to another stream", (struct cost) { .launches = 1 });
    settle();
}

/* Others: the allocation and the free. Around each, as this thread has no context: it is asked for, pushed and popped, and
 * the capture mode is relaxed and put back. A block in the cache keeps the handle for its next array, but in debug builds. */
static void count_memory(void)
{
    uint64_t freed = 0;
    baton_array_release(make_array());
    need(baton_drain(runtime, 0, &freed, &error));
    count_start();
    baton_array *array = make_array();
    expect("F7", "create, from the cache", (struct cost) { .allocations = HANDLES_STAY_READABLE });
    count_start();
    baton_array_release(array);
    expect("F7", "release", (struct cost) { 0 });
    count_start();
    need(baton_drain(runtime, 0, &freed, &error));
    expect("F7", "drain of one array", (struct cost) { 0 });
    if (freed != ELEMENTS * sizeof(float))
        failures++;
}

static void count_transfers(void)
{
    float value = 1;
    count_start();
    need(baton_fill(arrays[0], &value, sizeof value, streams[0], &error));
    expect("F8", "fill", (struct cost) { .others = 1 });
    need(baton_fill(arrays[1], &value, sizeof value, streams[0], &error));
    count_start();
    need(baton_copy(arrays[1], arrays[0], streams[0], &error));
    expect("F8", "copy on one device", (struct cost) { .others = 1 });
    settle();
}

static void count_random(void)
{
    baton_gate *gate;
    uint32_t random = 1;
    int at = 0;
    hold(0, &gate);
    touch(KERNEL_TOUCH1, at, 1);
    count_start();
    for (int i = 0; i < HOPS; i++) {
        random = random * 1664525u + 1013904223u;
        at = (at + 1 + (int)(random >> 16) % (STREAMS - 1)) % STREAMS;
        touch(KERNEL_TOUCH1, at, 1);
    }
    expect("F11", "1000 random hand-offs over 64 streams", (struct cost) { .launches = HOPS, .records = HOPS, .waits = HOPS });
    let_go(gate);
}

int main(void)
{
    world_open();
    printf("%-53s %9s %8s %6s %7s %12s\n", "", "launches", "records", "waits", "others", "allocations");
    count_same_stream();
    count_ping_pong();
    count_many_arrays();
    count_fan_out();
    count_diamond();
    count_idle();
    count_memory();
    count_transfers();
    count_random();
    world_close();
    if (failures)
        fprintf(stderr, "counts: %d wrong\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
