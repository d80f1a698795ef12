/* Every driver call and every allocation of captures and launches fails once; what is left is usable, unlocked and complete. */
#include "graph_support.h"

#include <errno.h>

/* ---- allocations that fail: the n-th of this thread, counted from now; 0: none */

#ifndef SANITIZED
static _Thread_local uint64_t fail_allocation;
static _Thread_local int allocation_failed;

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *address, size_t bytes);

static int allocation_fails(void)
{
    if (!fail_allocation || --fail_allocation)
        return 0;
    errno = ENOMEM;
    return allocation_failed = 1;
}

void *malloc(size_t bytes)
{
    return allocation_fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return allocation_fails() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *address, size_t bytes)
{
    return allocation_fails() ? NULL : __libc_realloc(address, bytes);
}
#endif

/* ---- the scenario */

enum { STREAMS = 4, ARRAYS = 5, STEPS = 14 };

struct world {
    baton_stream *streams[STREAMS];     /* captured, joining, launching, of the inner graph */
    baton_array *arrays[ARRAYS];
    baton_kernel *kernel;
    baton_executable *inner, *executable;
    baton_graph *graph, *update;
    int32_t host[64];
};

static void world_make(struct world *world)
{
    *world = (struct world) { .kernel = make_add_one(0) };
    for (int i = 0; i < STREAMS; i++)
        world->streams[i] = make_stream();
    for (int i = 0; i < ARRAYS; i++) {
        world->arrays[i] = make_array(64, world->streams[i % STREAMS]);
        fill(world->arrays[i], i, world->streams[i % STREAMS]);
    }
    world->inner = capture_add_one(world->kernel, world->arrays[1], world->arrays[0], world->streams[3]);
    begin(world->streams[3], BATON_CAPTURE_RELAXED);
    ok(add_one(world->kernel, world->arrays[2], world->arrays[0], world->streams[3], &error));
    world->update = end(world->streams[3]);
}

static int32_t step(struct world *world, int number, baton_error *err)
{
    baton_stream **s = world->streams;
    baton_array **a = world->arrays;
    switch (number) {
    case 0: return baton_capture_begin(s[0], BATON_CAPTURE_GLOBAL, err);
    case 1: return add_one(world->kernel, a[2], a[1], s[0], err);
    case 2: return baton_stream_follow(s[1], s[0], err);
    case 3: return baton_fill(a[3], &(int32_t) { 7 }, 4, s[1], err);
    case 4: return baton_stream_follow(s[0], s[1], err);
    case 5: return baton_upload(a[4], world->host, sizeof world->host, s[0], err);
    case 6: return baton_graph_launch(world->inner, s[0], err);
    case 7: return baton_fill(a[1], &(int32_t) { 8 }, 4, s[2], err);
    case 8: return baton_capture_end(s[0], &world->graph, err);
    case 9: return baton_graph_instantiate(world->graph, &world->executable, err);
    case 10: return baton_graph_launch(world->executable, s[2], err);
    case 11: return baton_graph_launch(world->inner, s[2], err);
    case 12: return baton_graph_update(world->inner, world->update, err);
    default: return baton_graph_launch(world->inner, s[1], err);
    }
}

/* Returns the first error. Stops there when told to; else carries on with what is left. */
static int32_t scenario(struct world *world, int stops)
{
    int32_t first = BATON_OK;
    for (int i = 0; i < STEPS && !(first && stops); i++) {
        baton_error err = BATON_ERROR_INIT;
        int32_t status = step(world, i, &err);
        if (status < 0)
            ck_assert_msg(err.status == status && err.message[0], "step %d: %s, the record says %s", i, baton_status_name(status), baton_status_name(err.status));
        first = first ? first : status;
    }
    return first;
}

static void world_release(struct world *world)
{
    baton_executable_release(world->inner);
    baton_executable_release(world->executable);
    baton_graph_release(world->graph);
    baton_graph_release(world->update);
    arrays_release_all(world->arrays, ARRAYS);
    streams_release_all(world->streams, STREAMS);
    baton_kernel_release(world->kernel);
}

/* No capture, no lock, and every stream orders every array as before. */
static void world_works(struct world *world)
{
    for (int i = 0; i < STREAMS; i++)
        ck_assert_int_eq(is_active(world->streams[i]), 0);
    for (int i = 0; i < ARRAYS; i++)
        ck_assert_uint_eq(info_of(world->arrays[i]).lock_holder, 0);
    for (int i = 0; i < ARRAYS * STREAMS; i++)
        fill(world->arrays[i % ARRAYS], i, world->streams[i % STREAMS]);
    for (int i = 0; i < ARRAYS; i++)
        expect(world->arrays[i], 15 + i, world->streams[i % STREAMS]);
    begin(world->streams[0], BATON_CAPTURE_GLOBAL);
    fill(world->arrays[0], 5, world->streams[0]);
    baton_executable *executable = end_executable(world->streams[0]);
    launch(executable, world->streams[1]);
    expect(world->arrays[0], 5, world->streams[0]);
    baton_executable_release(executable);
}

/* A call that gives back and is refused leaves its object with the driver. */
static int gives_back(int code)
{
    static struct instrument_call journal[4096];
    size_t count = instrument_journal(journal, sizeof journal / sizeof *journal);
    for (size_t i = 0; i < count; i++)
        if (journal[i].code == code)
            return journal[i].row == DRIVER_ROW_event_destroy || journal[i].row == DRIVER_ROW_graph_destroy || journal[i].row == DRIVER_ROW_graph_exec_destroy;
    return 0;
}

static int sticky(int code)
{
    return code == DRIVER_LAUNCH_FAILED || code == DRIVER_UNKNOWN;
}

/* The n-th driver call of the scenario fails. Returns 0 when there were fewer. */
static int fault_once(uint64_t n, int code, int stops)
{
    struct world world;
    world_make(&world);
    ok(baton_stream_synchronize(world.streams[3], BATON_WAIT_AUTO, &error));
    struct soft_census before = census_now();
    instrument_reset();
    instrument_fail_any(n, code);
    scenario(&world, stops);
    int fired = instrument_failures() > 0, kept = fired && gives_back(code);
    instrument_reset();
    int32_t abandoned = baton_capture_abandon(world.streams[0], &error);
    if (sticky(code) && fired) {
        ck_assert(abandoned == BATON_ERR_POISONED || abandoned == BATON_OK);
        world_release(&world);
        baton_runtime_close(runtime, NULL);
        runtime = NULL;
        support_reopen(NULL);
        census_begin();
        soft_problems_reset();
        return 1;
    }
    ok(abandoned);
    world_works(&world);
    world_release(&world);
    struct soft_census after = census_now();
    ck_assert_uint_eq(after.allocations, before.allocations - ARRAYS);
    /* one event may be the device's own, for long waits */
    ck_assert_msg(kept || (after.graphs == 0 && after.executables == 0 && after.events <= 1), "call %llu, code %d: %llu graphs, %llu executables, %llu events are left",
                  (unsigned long long)n, code, (unsigned long long)after.graphs, (unsigned long long)after.executables, (unsigned long long)after.events);
    if (kept) {                 /* begin anew, with nothing left of it */
        ok(baton_runtime_close(runtime, &error));
        runtime = NULL;
        support_reopen(NULL);
        census_begin();
    }
    return fired;
}

static void walk(int code)
{
    for (int stops = 0; stops < 2; stops++) {
        uint64_t n = 1;
        while (fault_once(n, code, stops))
            n++;
        ck_assert_uint_gt(n, 40);
    }
}

static const int codes[] = { DRIVER_INVALID_VALUE, DRIVER_OUT_OF_MEMORY, DRIVER_LAUNCH_FAILED, DRIVER_UNKNOWN, DRIVER_STREAM_CAPTURE_INVALIDATED,
                             DRIVER_STREAM_CAPTURE_UNSUPPORTED, DRIVER_STREAM_CAPTURE_WRONG_THREAD, DRIVER_STREAM_CAPTURE_IMPLICIT };

/* C5, C9, S7, E1, E2: section 9, item 13. On a GPU, where each turn takes long, one code of each kind. */
START_TEST(any_driver_call_of_captures_and_launches_may_fail)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i += on_soft() ? 1 : 2)
        walk(codes[i]);
}
END_TEST

/* C5, E2: a lost device clears its captures: what they kept is released. */
START_TEST(a_device_lost_during_a_capture_gives_its_memories_back)
{
    struct bench bench;
    bench_make(&bench);
    baton_graph *graph = NULL;
    begin(bench.s, BATON_CAPTURE_GLOBAL);
    fill(bench.y, 4, bench.s);
    instrument_fail(DRIVER_ROW_fill32, 1, DRIVER_LAUNCH_FAILED, 0);
    refused(BATON_ERR_POISONED, baton_fill(bench.x, &(int32_t) { 5 }, 4, bench.s, &error));
    refused(BATON_ERR_POISONED, baton_capture_end(bench.s, &graph, &error));
    ck_assert_ptr_null(graph);
    baton_kernel_release(bench.kernel);
    arrays_release(bench.x, bench.y);
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(stats().live_bytes + stats().deferred_bytes, 0);
    baton_stream_release(bench.s);
    baton_runtime_close(runtime, NULL);
    runtime = NULL;
}
END_TEST

SUPPORT_WITHOUT_CACHE

#ifndef SANITIZED
static int starve_once(uint64_t n, int stops)
{
    struct world world;
    world_make(&world);
    allocation_failed = 0;
    struct soft_census before = census_now();
    fail_allocation = n;
    scenario(&world, stops);
    fail_allocation = 0;
    int failed = allocation_failed;
    ok(baton_capture_abandon(world.streams[0], &error));
    world_works(&world);
    world_release(&world);
    struct soft_census after = census_now();
    ck_assert_uint_eq(after.allocations, before.allocations - ARRAYS);
    ck_assert_uint_eq(after.graphs + after.executables, 0);
    soft_problems_reset();      /* the device's own record of what is ordered starves too */
    return failed;
}

/* C5, E1: allocations of the library and of the device fail, one after the other. */
START_TEST(any_host_allocation_of_captures_and_launches_may_fail)
{
    for (int stops = 0; stops < 2; stops++) {
        uint64_t n = 1;
        while (starve_once(n, stops))
            n++;
        ck_assert_uint_gt(n, 10);
    }
}
END_TEST

/* C5: also when there is no memory for the graph that would hold the result. */
START_TEST(a_starved_end_clears_the_capture)
{
    struct bench bench;
    bench_make(&bench);
    baton_graph *graph = NULL;
    begin(bench.s, BATON_CAPTURE_GLOBAL);
    fill(bench.x, 5, bench.s);
    fail_allocation = 1;
    int32_t status = baton_capture_end(bench.s, &graph, NULL);
    fail_allocation = 0;
    ck_assert_int_eq(status, BATON_ERR_MEMORY);
    ck_assert_ptr_null(graph);
    expect(bench.x, 1, bench.s);
    bench_drop(&bench);
}
END_TEST

SUPPORT_MAIN("graph faults", 200, any_driver_call_of_captures_and_launches_may_fail, a_device_lost_during_a_capture_gives_its_memories_back,
             soft_only(a_starved_end_clears_the_capture, "survives a lack of host memory"),
             soft_only(any_host_allocation_of_captures_and_launches_may_fail, "survives a lack of host memory"))
#else
SUPPORT_MAIN("graph faults", 200, any_driver_call_of_captures_and_launches_may_fail, a_device_lost_during_a_capture_gives_its_memories_back)
#endif
