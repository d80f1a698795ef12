/* Arrays and streams of different devices (S12): data after every path, with peer access between the devices and without it. Three software devices,
 * or as many as there are. */
#include <sched.h>

#include "model.h"
#include "outside.h"
#include "waiter.h"

enum { ROUNDS = 4, COUNT = 200 };

static const int32_t by_size[] = { BATON_U8, BATON_I16, BATON_F32, BATON_F64, BATON_C128 };

__attribute__((constructor)) static void three_devices(void)
{
    setenv("BATON_DRIVER", "soft:3", 0);
}

/* ---- copies: every pair of devices, on the stream of either and of a third one, by elements of every size */

struct world {
    uint64_t seed;
    int32_t count;
    baton_stream *streams[16];
};

static struct world world_make(uint64_t seed)
{
    struct world world = { .seed = support_seed(seed), .count = device_count() < 4 ? device_count() : 4 };
    for (int32_t i = 0; i < world.count; i++)
        world.streams[i] = make_stream_on(i);
    return world;
}

static void world_drop(struct world *world)
{
    streams_release_all(world->streams, (size_t)world->count);
}

static void shape_draw(struct world *world, int32_t *ndim, int64_t *shape)
{
    *ndim = (int32_t)random_between(&world->seed, 0, MODEL_DIMS);
    for (int32_t d = 0; d < *ndim; d++)
        shape[d] = random_between(&world->seed, 1, 5);
}

static void copy_strided(struct world *world, int32_t dtype, int32_t to_device, int32_t from_device, int32_t by)
{
    int64_t shape[MODEL_DIMS];
    int32_t ndim;
    struct viewed to, from;
    shape_draw(world, &ndim, shape);
    viewed_make(&to, &world->seed, dtype, ndim, shape, world->streams[to_device]);
    viewed_make(&from, &world->seed, dtype, ndim, shape, world->streams[from_device]);
    ok(baton_copy(to.view, from.view, world->streams[by], &error));
    for (int64_t i = 0; i < model_count(&to.model); i++)
        memcpy(viewed_at(&to, i), viewed_at(&from, i), to.element_bytes);
    viewed_expect(&to, world->streams[to_device]);
    viewed_expect(&from, world->streams[from_device]);
    viewed_free(&to);
    viewed_free(&from);
}

static void copy_run(struct world *world, int32_t to_device, int32_t from_device, int32_t by)
{
    int32_t value = (int32_t)random_between(&world->seed, 1, 1 << 30);
    baton_array *to = make_array(COUNT, world->streams[to_device]), *from = make_array(COUNT, world->streams[from_device]);
    fill(from, value, world->streams[from_device]);
    ok(baton_copy(to, from, world->streams[by], &error));
    expect(to, value, world->streams[to_device]);
    expect(to, value, world->streams[by]);
    arrays_release(to, from);
}

static void copy_every_way(struct world *world)
{
    int32_t n = world->count;
    for (int32_t way = 0; way < n * n * n; way++) {
        int32_t to = way / (n * n), from = way / n % n, by = way % n;
        copy_run(world, to, from, by);
        for (int round = 0; round < ROUNDS * 5; round++)
            copy_strided(world, by_size[round % 5], to, from, by);
    }
}

/* S12, O4 */
START_TEST(every_layout_is_copied_between_all_devices_on_any_devices_stream)
{
    struct world world = world_make(5);
    copy_every_way(&world);
    ck_assert_uint_eq(calls(DRIVER_ROW_host_alloc), 0);
    world_drop(&world);
}
END_TEST

/* S12, O4: the driver carries runs of bytes by itself; the rest goes through pinned memory. */
START_TEST(without_peer_access_every_layout_is_copied_all_the_same)
{
    struct world world = world_make(6);
    outside_peers_end();
    copy_every_way(&world);
    outside_peers_again();
    ck_assert_uint_eq(calls(DRIVER_ROW_context_enable_peer) + calls(DRIVER_ROW_pool_access), 0);
    ck_assert_uint_ge(calls(DRIVER_ROW_host_alloc), 1);
    world_drop(&world);
}
END_TEST

/* ---- the host's memory */

static baton_view_options every_second(void)
{
    static const int64_t count[] = { COUNT / 2 }, step[] = { 2 };
    return (baton_view_options) { .struct_size = sizeof(baton_view_options), .ndim = 1, .count = count, .step = step };
}

static void numbers(int32_t *host, int32_t first)
{
    for (int32_t i = 0; i < COUNT; i++)
        host[i] = first + i;
}

/* Up on the stream `by`, down on it and on the memory's own; whole and every second element. */
static void move_both_ways(struct world *world, int32_t device, int32_t by)
{
    int32_t up[COUNT], half[COUNT], down[COUNT];
    baton_array *array = make_array(COUNT, world->streams[device]), *odd;
    baton_view_options options = every_second();
    baton_fence *fence;
    numbers(up, 1000 * device + by);
    numbers(half, -5000);
    ok(baton_array_view(array, &options, &odd, &error));
    ok(baton_upload(array, up, sizeof up, world->streams[by], &error));
    ok(baton_upload(odd, half, sizeof half / 2, world->streams[by], &error));
    for (int i = 0; i < COUNT / 2; i++)
        up[2 * i] = half[i];
    ok(baton_download(down, sizeof down, array, world->streams[by], &error));
    ck_assert_mem_eq(down, up, sizeof up);
    ok(baton_download(down, sizeof down / 2, odd, world->streams[by], &error));
    ck_assert_mem_eq(down, half, sizeof half / 2);
    ok(baton_download_async(down, sizeof down, array, world->streams[by], &fence, &error));
    ok(baton_fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_AUTO, &error));
    baton_fence_release(fence);
    ck_assert_mem_eq(down, up, sizeof up);
    ok(baton_download(down, sizeof down, array, world->streams[device], &error));
    ck_assert_mem_eq(down, up, sizeof up);
    arrays_release(array, odd);
}

static void move_host_kind(struct world *world, int32_t kind, int32_t device, int32_t by)
{
    baton_array *array = make_array(COUNT, world->streams[device]), *host = make_array_of(kind, COUNT, world->streams[by]);
    fill(host, 10 + device, world->streams[by]);
    ok(baton_copy(array, host, world->streams[by], &error));
    expect(array, 10 + device, world->streams[device]);
    fill(array, 20 + device, world->streams[device]);
    ok(baton_copy(host, array, world->streams[by], &error));
    expect(host, 20 + device, world->streams[by]);
    arrays_release(array, host);
}

static void move_every_way(struct world *world)
{
    for (int32_t way = 0; way < world->count * world->count; way++) {
        move_both_ways(world, way / world->count, way % world->count);
        move_host_kind(world, BATON_HOST, way / world->count, way % world->count);
        move_host_kind(world, BATON_UNIFIED, way / world->count, way % world->count);
    }
}

/* S12, O4 */
START_TEST(uploads_and_downloads_go_by_any_devices_stream)
{
    struct world world = world_make(7);
    move_every_way(&world);
    world_drop(&world);
}
END_TEST

START_TEST(without_peer_access_uploads_and_downloads_go_by_any_devices_stream)
{
    struct world world = world_make(8);
    outside_peers_end();
    move_every_way(&world);
    outside_peers_again();
    world_drop(&world);
}
END_TEST

/* ---- order of a staged copy */

struct copying {
    baton_array *to, *from;
    baton_stream *stream;
    int32_t status;
    baton_error error;
};

static void run_copy(void *argument)
{
    struct copying *copying = argument;
    copying->status = baton_copy(copying->to, copying->from, copying->stream, &copying->error);
}

/* S12: what comes later on the stream lies behind it, for it is done; here the part on the other device is held. */
START_TEST(a_staged_copy_comes_back_when_it_is_done)
{
    baton_stream *a = make_stream(), *b = make_stream_on(1);
    baton_array *to = make_array(COUNT, b), *odd, *half = make_array(COUNT / 2, a);
    baton_view_options options = every_second();
    ok(baton_array_view(to, &options, &odd, &error));
    fill(half, 3, a);
    outside_peers_end();
    struct copying copying = { odd, half, a, .error = BATON_ERROR_INIT };
    struct waiter waiter;
    baton_gate *gate = close_gate(b);
    fill(to, 0, b);
    counting_start();
    waiter_start(&waiter, run_copy, &copying);
    while (calls(DRIVER_ROW_launch) == 0)           /* the last part, behind the gate */
        sched_yield();
    waiter_expect_blocked(&waiter);
    open_gate(gate);
    waiter_join(&waiter);
    ck_assert_msg(copying.status == BATON_OK, "%s", copying.error.message);
    ck_assert_uint_ge(stats().host_waits[BATON_HOST_WAIT_DEVICE], 1);
    ck_assert_int_eq(baton_array_query(to, &error), BATON_OK);
    outside_peers_again();
    expect(odd, 3, b);
    arrays_release(to, odd, half);
    streams_release(a, b);
}
END_TEST

/* S12, S13: it lies behind all that its stream holds, also where nothing but the stream's order says so. */
START_TEST(a_staged_copy_lies_behind_the_earlier_work_of_its_stream)
{
    baton_stream *a = make_stream(), *b = make_stream_on(1);
    baton_array *new = make_array(COUNT, a), *from = make_array(COUNT, b), *odd, *to = make_array(COUNT / 2, a);
    baton_view_options options = every_second();
    ok(baton_array_view(from, &options, &odd, &error));
    ok(baton_array_set_synchronizing(from, 0, &error));
    fill(new, 9, a);
    fill(from, 1, b);
    ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
    outside_peers_end();
    struct copying copying = { to, odd, a, .error = BATON_ERROR_INIT };
    baton_gate *gate = close_gate(a);
    ok(baton_copy(from, new, a, &error));
    must_wait(run_copy, &copying, gate);
    ck_assert_msg(copying.status == BATON_OK, "%s", copying.error.message);
    outside_peers_again();
    expect(to, 9, a);
    arrays_release(new, from, odd, to);
    streams_release(a, b);
}
END_TEST

/* C4, C11: a capture cannot wait; it goes on. */
START_TEST(a_capture_refuses_a_copy_that_would_be_staged)
{
    baton_stream *a = make_stream(), *b = make_stream_on(1);
    baton_array *run = make_array(COUNT, a), *to = make_array(COUNT, b), *odd, *half = make_array(COUNT / 2, a);
    baton_view_options options = every_second();
    baton_graph *graph;
    ok(baton_array_view(to, &options, &odd, &error));
    outside_peers_end();
    ok(baton_capture_begin(a, BATON_CAPTURE_THREAD_LOCAL, &error));
    refused(BATON_ERR_PEER, baton_copy(odd, half, a, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "device 0"));
    ck_assert_ptr_nonnull(strstr(error.message, "device 1"));
    ok(baton_copy(to, run, a, &error));
    ok(baton_capture_end(a, &graph, &error));
    outside_peers_again();
    baton_graph_release(graph);
    arrays_release(run, to, odd, half);
    streams_release(a, b);
}
END_TEST

SUPPORT_MAIN("peers", 120, two_devices(every_layout_is_copied_between_all_devices_on_any_devices_stream),
             two_devices(without_peer_access_every_layout_is_copied_all_the_same), two_devices(uploads_and_downloads_go_by_any_devices_stream),
             two_devices(without_peer_access_uploads_and_downloads_go_by_any_devices_stream), two_devices(a_staged_copy_comes_back_when_it_is_done),
             two_devices(a_staged_copy_lies_behind_the_earlier_work_of_its_stream),
             two_devices(a_capture_refuses_a_copy_that_would_be_staged))
