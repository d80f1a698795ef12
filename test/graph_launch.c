/* Launches: what they wait for, on which streams, and what they leave behind. */
#include "graph_support.h"

enum { MANY = 16 };

/* C6: sixteen memories last used on eight streams: one record and one wait for each stream. The next launch on that stream is one call. */
START_TEST(a_launch_waits_once_for_each_stream_and_a_relaunch_is_one_call)
{
    struct bench bench;
    bench_make(&bench);
    baton_stream *t = make_stream(), *users[MANY / 2];
    baton_array *arrays[MANY];
    baton_gate *gates[MANY / 2];
    begin(bench.s, BATON_CAPTURE_RELAXED);
    for (int i = 0; i < MANY; i++) {
        arrays[i] = make_array(10, t);
        fill(arrays[i], i, bench.s);
    }
    baton_executable *executable = end_executable(bench.s);
    for (int i = 0; i < MANY / 2; i++) {
        users[i] = make_stream();
        gates[i] = close_gate(users[i]);
        fill(arrays[i], -1, users[i]);
        fill(arrays[i + MANY / 2], -1, users[i]);
    }
    baton_stats before = stats();
    counting_start();
    launch(executable, t);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), MANY / 2);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), MANY / 2);
    ck_assert_uint_eq(calls(DRIVER_ROW_graph_launch), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_synchronize), 0);
    ck_assert_uint_eq(stats().graph_launches - before.graph_launches, 1);
    ck_assert_uint_eq(stats().graph_memories - before.graph_memories, MANY);
    ck_assert_uint_eq(stats().graph_waits - before.graph_waits, MANY / 2);
    counting_start();
    launch(executable, t);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_graph_launch), 1);
    ck_assert_uint_eq(stats().graph_waits - before.graph_waits, MANY / 2);
    expect_busy(t);
    for (int i = 0; i < MANY / 2; i++)
        open_gate(gates[i]);
    for (int i = 0; i < MANY; i++)
        expect(arrays[i], i, t);
    baton_executable_release(executable);
    arrays_release_all(arrays, MANY);
    streams_release_all(users, MANY / 2);
    baton_stream_release(t);
    bench_drop(&bench);
}
END_TEST

/* C6: what the graph only reads it takes as a reader; what it writes it owns, on the stream of the launch. A later writer waits for it. */
START_TEST(a_launch_takes_each_memory_with_the_access_of_its_uses)
{
    struct bench bench;
    bench_make(&bench);
    baton_stream *t = make_stream(), *u = make_stream();
    baton_executable *executable = capture_add_one(bench.kernel, bench.y, bench.x, bench.s);
    baton_gate *gate = close_gate(t);
    launch(executable, t);
    ck_assert_uint_eq(info_of(bench.x).owner_stream_id, id_of(bench.s));
    ck_assert_uint_eq(info_of(bench.x).readers, 1);
    ck_assert_uint_eq(info_of(bench.y).owner_stream_id, id_of(t));
    fill(bench.x, 40, u);
    expect_busy(u);
    open_gate(gate);
    expect(bench.y, 2, u);
    expect(bench.x, 40, u);
    baton_executable_release(executable);
    streams_release(t, u);
    bench_drop(&bench);
}
END_TEST

/* C7: the executable alone keeps memories and kernels. */
START_TEST(an_executable_outlives_its_graph_its_arrays_and_its_kernels)
{
    struct bench bench;
    bench_make(&bench);
    baton_array *z = make_array(100, bench.s);
    baton_kernel *kernel = make_add_one(0);
    baton_stream *t = make_stream();
    begin(bench.s, BATON_CAPTURE_RELAXED);
    ok(add_one(kernel, z, bench.x, bench.s, &error));
    ok(add_one(kernel, bench.y, z, bench.s, &error));
    baton_executable *executable = end_executable(bench.s);
    open_gate(close_gate(t));
    ok(baton_stream_synchronize(t, BATON_WAIT_AUTO, &error));
    ok(baton_drain(runtime, 0, NULL, &error));
    uint64_t allocations = census_now().allocations;
    baton_array_release(z);
    baton_kernel_release(kernel);
    ck_assert_uint_eq(census_now().allocations, allocations);
    launch(executable, t);
    expect(bench.y, 3, t);
    baton_gate *gate = close_gate(t);
    uint64_t modules = census_now().modules;
    launch(executable, t);
    baton_executable_release(executable);
    ok(baton_drain(runtime, 0, NULL, &error));
    expect_busy(t);
    open_gate(gate);
    expect(bench.y, 3, t);
    ok(baton_stream_synchronize(t, BATON_WAIT_AUTO, &error));
    ck_assert_uint_eq(census_now().allocations, allocations - 1);
    ck_assert_uint_eq(census_now().modules, modules - 1);
    baton_stream_release(t);
    bench_drop(&bench);
}
END_TEST

static baton_graph *graph_add_one(struct bench *bench, baton_array *to, baton_array *from)
{
    begin(bench->s, BATON_CAPTURE_RELAXED);
    ok(add_one(bench->kernel, to, from, bench->s, &error));
    return end(bench->s);
}

/* C7: after an update the next launch takes the new set; launches in flight still have the old memories. */
START_TEST(an_update_changes_the_set_and_keeps_the_old_one_for_launches_in_flight)
{
    struct bench bench;
    bench_make(&bench);
    baton_array *old = make_array(100, bench.s), *fresh = make_array(100, bench.s);
    baton_stream *t = make_stream();
    baton_graph *first = graph_add_one(&bench, old, bench.x), *second = graph_add_one(&bench, fresh, bench.x);
    baton_executable *executable = make_executable(first);
    baton_graph_release(first);
    baton_gate *gate = close_gate(t);
    launch(executable, t);
    ok(baton_copy(bench.y, old, t, &error));
    baton_array_release(old);
    ok(baton_graph_update(executable, second, &error));
    baton_graph_release(second);
    ok(baton_drain(runtime, 0, NULL, &error));
    launch(executable, t);
    ck_assert_uint_eq(info_of(fresh).owner_stream_id, id_of(t));
    expect_busy(t);
    open_gate(gate);
    expect(bench.y, 2, t);
    expect(fresh, 2, t);
    baton_executable_release(executable);
    baton_array_release(fresh);
    baton_stream_release(t);
    bench_drop(&bench);
}
END_TEST

/* C7: a graph of another shape is refused, and the executable is as it was. */
START_TEST(an_update_with_another_shape_leaves_everything)
{
    struct bench bench;
    bench_make(&bench);
    baton_array *z = make_array(100, bench.s);
    baton_executable *executable = capture_add_one(bench.kernel, bench.y, bench.x, bench.s);
    begin(bench.s, BATON_CAPTURE_RELAXED);
    ok(add_one(bench.kernel, z, bench.x, bench.s, &error));
    fill(z, 1, bench.s);
    baton_graph *other = end(bench.s);
    uint64_t owner = info_of(z).owner_stream_id;
    baton_stream *t = make_stream();
    refused(BATON_ERR_TOPOLOGY, baton_graph_update(executable, other, &error));
    baton_graph_release(other);
    launch(executable, t);
    ck_assert_uint_eq(info_of(z).owner_stream_id, owner);
    expect(bench.y, 2, t);
    baton_executable_release(executable);
    baton_array_release(z);
    baton_stream_release(t);
    bench_drop(&bench);
}
END_TEST

/* C6: the other device's streams, graphs and handles that are none are refused. */
START_TEST(launches_and_updates_across_devices_are_refused)
{
    struct bench bench;
    bench_make(&bench);
    baton_stream *far = make_stream_on(1);
    baton_executable *executable = capture_add_one(bench.kernel, bench.y, bench.x, bench.s), *made = NULL;
    begin(far, BATON_CAPTURE_RELAXED);
    baton_graph *elsewhere = end(far);
    uint64_t owner = info_of(bench.y).owner_stream_id;
    refused(BATON_ERR_DEVICE, baton_graph_launch(executable, far, &error));
    refused(BATON_ERR_DEVICE, baton_graph_update(executable, elsewhere, &error));
    refused(BATON_ERR_ARGUMENT, baton_graph_launch(NULL, bench.s, &error));
    refused(BATON_ERR_ARGUMENT, baton_graph_launch(executable, NULL, &error));
    refused(BATON_ERR_ARGUMENT, baton_graph_update(executable, NULL, &error));
    refused(BATON_ERR_ARGUMENT, baton_graph_instantiate(elsewhere, NULL, &error));
    refused(BATON_ERR_HANDLE, baton_graph_instantiate((baton_graph *)(void *)executable, &made, &error));
    ck_assert_ptr_null(made);
    ck_assert_uint_eq(info_of(bench.y).owner_stream_id, owner);
    baton_graph_release(elsewhere);
    baton_executable_release(executable);
    baton_stream_release(far);
    bench_drop(&bench);
}
END_TEST

/* C6: memory that was disposed of is refused at the launch, which then takes nothing. */
START_TEST(a_graph_with_disposed_memory_is_not_launched)
{
    struct bench bench;
    bench_make(&bench);
    baton_executable *executable = capture_add_one(bench.kernel, bench.y, bench.x, bench.s);
    ok(baton_array_dispose(bench.x, &error));
    counting_start();
    refused(BATON_ERR_HANDLE, baton_graph_launch(executable, bench.s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_graph_launch), 0);
    fill(bench.y, 4, bench.s);
    expect(bench.y, 4, bench.s);
    baton_executable_release(executable);
    bench_drop(&bench);
}
END_TEST

/* C6, O3: a thousand launches on alternating streams need no more than two did. */
START_TEST(a_thousand_launches_use_no_more_memory)
{
    struct bench bench;
    bench_make(&bench);
    baton_stream *streams[] = { make_stream(), make_stream() };
    baton_executable *executable = capture_add_one(bench.kernel, bench.y, bench.x, bench.s);
    struct soft_census before = { .bytes = 0 };
    for (int i = 0; i < 1000; i++) {
        launch(executable, streams[i % 2]);
        if (i == 3)
            before = census_now();
    }
    ok(baton_stream_synchronize(streams[1], BATON_WAIT_AUTO, &error));
    struct soft_census after = census_now();
    ck_assert_uint_le(after.events, before.events + 1);     /* the device's own, for long waits, comes with the first of them … */
    ck_assert_uint_le(after.streams, before.streams + 1);   /* … on a stream of its own */
    after.events = before.events;
    after.streams = before.streams;
    ck_assert_mem_eq(&before, &after, sizeof before);
    expect(bench.y, 2, streams[0]);
    baton_executable_release(executable);
    streams_release_all(streams, 2);
    bench_drop(&bench);
}
END_TEST

struct shared {
    baton_executable *executable;
    baton_graph *graphs[2];
    int32_t failed;
};

static void *launch_many(void *argument)
{
    struct shared *shared = argument;
    baton_error err = BATON_ERROR_INIT;
    baton_stream *t;
    if (baton_stream_create(runtime, 0, 0, 0, &t, &err))
        return argument;
    int32_t status = BATON_OK;
    for (int i = 0; i < 100 && !status; i++)
        status = i % 4 ? baton_graph_launch(shared->executable, t, &err) : baton_graph_update(shared->executable, shared->graphs[i / 4 % 2], &err);
    baton_stream_release(t);
    return status ? argument : NULL;
}

/* C6, C7: launches and updates from several threads: each launch runs the graph whose set it took (the device would see a race otherwise). */
START_TEST(launches_from_several_threads_with_updates_in_between_are_ordered)
{
    struct bench bench;
    bench_make(&bench);
    baton_array *z = make_array(100, bench.s);
    struct shared shared = { .graphs = { graph_add_one(&bench, bench.y, bench.x), graph_add_one(&bench, z, bench.x) } };
    pthread_t threads[3];
    shared.executable = make_executable(shared.graphs[0]);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, launch_many, &shared), 0);
    for (int i = 0; i < 3; i++) {
        void *failed;
        ck_assert_int_eq(pthread_join(threads[i], &failed), 0);
        ck_assert_ptr_null(failed);
    }
    expect(bench.y, 2, bench.s);
    expect(z, 2, bench.s);
    baton_executable_release(shared.executable);
    baton_graph_release(shared.graphs[0]);
    baton_graph_release(shared.graphs[1]);
    baton_array_release(z);
    bench_drop(&bench);
}
END_TEST

SUPPORT_WITHOUT_CACHE

SUPPORT_MAIN("graph launch", 60, a_launch_waits_once_for_each_stream_and_a_relaunch_is_one_call,
             a_launch_takes_each_memory_with_the_access_of_its_uses, an_executable_outlives_its_graph_its_arrays_and_its_kernels,
             an_update_changes_the_set_and_keeps_the_old_one_for_launches_in_flight, an_update_with_another_shape_leaves_everything,
             two_devices(launches_and_updates_across_devices_are_refused), a_graph_with_disposed_memory_is_not_launched,
             a_thousand_launches_use_no_more_memory, launches_from_several_threads_with_updates_in_between_are_ordered)
