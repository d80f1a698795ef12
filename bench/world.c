#include <string.h>

#include "bench.h"

struct world world;
baton_error bench_error = BATON_ERROR_INIT;

static const uint64_t GATE_LIMIT_NS = 2000000000u;

_Noreturn void bench_die(const char *call, const char *why)
{
    fprintf(stderr, "times: %s: %s\n", call, why);
    exit(EXIT_FAILURE);
}

driver_stream raw_stream(int stream)
{
    return world.streams[stream]->native;
}

void raw_launch(enum kernel_name kernel, int stream, void **parameters)
{
    unsigned block = kernel == KERNEL_ADD ? 257 : 1;
    need_raw(world.driver->launch(world.kernels[kernel]->native, 1, 1, 1, block, 1, 1, 0, raw_stream(stream), parameters, NULL));
}

void raw_follow(int after, int before)
{
    need_raw(world.driver->event_record(world.events[before], raw_stream(before)));
    need_raw(world.driver->stream_wait_event(raw_stream(after), world.events[before], 0));
}

void raw_synchronize(int stream)
{
    need_raw(world.driver->stream_synchronize(raw_stream(stream)));
}

void launch(enum kernel_name kernel, int stream, const baton_argument *arguments, uint32_t count)
{
    baton_launch_options options = { .struct_size = sizeof options, .stream = world.streams[stream] };
    options.block[0] = kernel == KERNEL_ADD ? 257 : 1;
    need(baton_launch(world.kernels[kernel], &options, arguments, count, &bench_error));
}

void hold(int stream, baton_gate **gate)
{
    need(baton_gate_create(world.streams[stream], GATE_LIMIT_NS, gate, &bench_error));
}

void world_enter(void)
{
    need_raw(world.driver->context_set(world.device->context));
}

void world_idle(void)
{
    for (int i = 0; i < world.stream_count; i++)
        raw_synchronize(i);
}

void world_streams_reach(int count)
{
    for (; world.stream_count < count; world.stream_count++) {
        int i = world.stream_count;
        need(baton_stream_create(world.runtime, 0, 0, 0, &world.streams[i], &bench_error));
        need_raw(world.driver->event_create(&world.events[i], DRIVER_EVENT_DISABLE_TIMING));
    }
}

static void make_memory(int i)
{
    int64_t elements = ELEMENTS;
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_F32, .ndim = 1, .shape = &elements,
                                    .stream = world.streams[0] };
    need(baton_array_create(world.runtime, &options, &world.arrays[i], &bench_error));
    world.arguments[i] = (baton_argument)baton_inout(world.arrays[i]);
    need_raw(world.driver->alloc(&world.addresses[i], ELEMENTS * sizeof(float)));
    world.parameters[i] = &world.addresses[i];
}

static void runtime_open(const char *driver)
{
    baton_runtime_options options = { .struct_size = sizeof options, .driver = driver };
    need(baton_runtime_open(&options, &world.runtime, &bench_error));
    world.driver = world.runtime->driver;
    world.soft = world.driver->host_kernels;
    need(device_get(world.runtime, 0, &world.device, &bench_error));
}

static void print_device(void)
{
    baton_device_info info = { .struct_size = sizeof info };
    need(baton_device_info_read(world.runtime, 0, &info, &bench_error));
    printf("%s driver, %s\n", world.driver->name, info.name);
    if (world.runtime->reason[0])
        printf("no CUDA: %s\n", world.runtime->reason);
    if (world.soft)
        printf("These times measure the software device, not a GPU: only the differences are the library's.\n");
}

/* A driver may load a kernel's code at its first launch, and then waits for the device: not behind a gate. */
static void warm_up(void)
{
    for (int kernel = 0; kernel < KERNELS; kernel++)
        raw_launch((enum kernel_name)kernel, 0, world.parameters);
    raw_synchronize(0);
}

void world_open(const char *driver, int quick)
{
    world.quick = quick;
    runtime_open(driver);
    world_enter();
    print_device();
    need(kernels_open(world.runtime, 0, world.kernels, &bench_error));
    world_streams_reach(STREAMS_FIRST);
    for (int i = 0; i < KERNEL_ARRAYS; i++)
        make_memory(i);
    warm_up();
}

void world_close(void)
{
    world_idle();
    for (int i = 0; i < KERNEL_ARRAYS; i++)
        need_raw(world.driver->free(world.addresses[i]));
    for (int i = 0; i < world.stream_count; i++)
        need_raw(world.driver->event_destroy(world.events[i]));
    need_raw(world.driver->context_set(NULL));
    baton_array_release_n(world.arrays, KERNEL_ARRAYS);
    for (int i = 0; i < world.stream_count; i++)
        baton_stream_release(world.streams[i]);
    kernels_close(world.kernels);
    need(baton_runtime_close(world.runtime, &bench_error));
}
