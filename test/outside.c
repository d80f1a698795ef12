/* The library's own headers come first: Check has a macro named fail. */
#include "stream/device.h"

#include "outside.h"

#include <sched.h>

#include "base/process.h"
#include "kernels.h"

static struct driver replaced;

const struct driver *outside_driver(void)
{
    return runtime->driver;
}

struct driver *outside_replace(void)
{
    replaced = *runtime->driver;
    for (int32_t i = 0; i < runtime->device_count; i++)
        runtime->devices[i].driver = &replaced;
    return &replaced;
}

void outside_restore(void)
{
    for (int32_t i = 0; i < runtime->device_count; i++)
        runtime->devices[i].driver = runtime->driver;
}

driver_context outside_context(int32_t device)
{
    return runtime->devices[device].context;
}

/* The device's context, on this thread: much of the driver refuses a thread that has none. */
static void enter(int32_t device)
{
    if (!outside_context(device))
        baton_stream_release(make_stream_on(device));
    ck_assert_int_eq(outside_driver()->context_push(outside_context(device)), 0);
}

static void leave(void)
{
    driver_context context;
    ck_assert_int_eq(outside_driver()->context_pop(&context), 0);
}

driver_stream outside_stream(int32_t device)
{
    driver_stream stream;
    enter(device);
    ck_assert_int_eq(outside_driver()->stream_create(&stream, DRIVER_STREAM_NON_BLOCKING, 0), 0);
    leave();
    return stream;
}

void outside_stream_destroy(driver_stream stream, int32_t device)
{
    enter(device);
    ck_assert_int_eq(outside_driver()->stream_destroy(stream), 0);
    leave();
}

baton_stream *outside_wrap(driver_stream native, int32_t device)
{
    baton_stream *stream;
    ok(baton_stream_wrap(runtime, device, (uint64_t)(uintptr_t)native, &stream, &error));
    return stream;
}

driver_stream native_of(baton_stream *stream)
{
    uint64_t native;
    ok(baton_stream_native(stream, &native, &error));
    return (driver_stream)(uintptr_t)native;
}

void outside_fill(uint64_t address, int32_t value, size_t count, driver_stream stream)
{
    enter(0);
    ck_assert_int_eq(outside_driver()->fill32(address, (unsigned)value, count, stream), 0);
    leave();
}

static void hold(void *argument)
{
    _Atomic int *open = argument;
    uint64_t end = process_now() + 20000000000u;
    while (!*open && process_now() < end)
        sched_yield();
}

void outside_hold(_Atomic int *open, driver_stream stream)
{
    enter(0);
    ck_assert_int_eq(outside_driver()->launch_host(stream, hold, open), 0);
    leave();
}

/* The free of pinned memory waits for all streams. */
void outside_idle(void)
{
    void *pinned;
    enter(0);
    ck_assert_int_eq(outside_driver()->host_alloc(&pinned, 64, 0), 0);
    ck_assert_int_eq(outside_driver()->host_free(pinned), 0);
    leave();
}

int32_t outside_word(uint64_t address, int32_t device)
{
    driver_stream stream = outside_stream(device);
    int32_t word;
    enter(device);
    ck_assert_int_eq(outside_driver()->copy_to_host(&word, address, sizeof word, stream), 0);
    ck_assert_int_eq(outside_driver()->stream_synchronize(stream), 0);
    leave();
    outside_stream_destroy(stream, device);
    return word;
}

static driver_function wild;
static driver_stream wild_stream;

void outside_fault_ready(void)
{
    driver_module module;
    if (on_soft())
        return;
    wild_stream = outside_stream(0);
    enter(0);
    ck_assert_int_eq(outside_driver()->module_load(&module, kernels_ptx), 0);
    ck_assert_int_eq(outside_driver()->module_function(&wild, module, "fault"), 0);
    leave();
}

void outside_fault(void)
{
    if (on_soft()) {
        soft_fault(0, DRIVER_ILLEGAL_ADDRESS);
        return;
    }
    ck_assert_int_eq(outside_driver()->context_push(outside_context(0)), 0);
    ck_assert_int_eq(outside_driver()->launch(wild, 1, 1, 1, 1, 1, 1, 0, wild_stream, NULL, NULL), 0);
    ck_assert_int_eq(outside_driver()->stream_synchronize(wild_stream), DRIVER_ILLEGAL_ADDRESS);
    outside_driver()->context_pop(NULL);            /* its result may be the fault, too */
}

void outside_capture_begin(driver_stream stream)
{
    enter(0);
    ck_assert_int_eq(outside_driver()->capture_begin(stream, DRIVER_CAPTURE_RELAXED), 0);
    leave();
}

driver_graph_exec outside_capture_end(driver_stream stream)
{
    driver_graph graph;
    driver_graph_exec exec;
    enter(0);
    ck_assert_int_eq(outside_driver()->capture_end(stream, &graph), 0);
    ck_assert_int_eq(outside_driver()->graph_instantiate(&exec, graph, 0), 0);
    ck_assert_int_eq(outside_driver()->graph_destroy(graph), 0);
    leave();
    return exec;
}

void outside_launch(driver_graph_exec graph, driver_stream stream)
{
    enter(0);
    ck_assert_int_eq(outside_driver()->graph_launch(graph, stream), 0);
    leave();
}

void outside_graph_destroy(driver_graph_exec graph)
{
    enter(0);
    ck_assert_int_eq(outside_driver()->graph_exec_destroy(graph), 0);
    leave();
}

/* ---- a machine whose devices do not reach each other */

static int no_peer(int *can, driver_device device, driver_device peer)
{
    (void)device;
    (void)peer;
    *can = 0;
    return DRIVER_SUCCESS;
}

static void set_peers(int possible)
{
    for (int i = 0; i < device_count() * device_count() && on_soft(); i++)
        soft_set_peer(i / device_count(), i % device_count(), possible);
}

/* The software device refuses what another is only not asked for. */
void outside_peers_end(void)
{
    set_peers(0);
    outside_replace()->device_can_access_peer = no_peer;
}

void outside_peers_again(void)
{
    set_peers(1);
    outside_restore();
}
