/* When memory is short: limits, what counts against them, and the ladder rung by rung. */
#include "stream/device.h"     /* the library's own headers come first: Check has a macro named fail */

#include "waiter.h"

enum { ELEMENTS = 1024, BLOCK = ELEMENTS * sizeof(int32_t), BLOCKS = 10, VIEWS = 100, GARBAGE = 100000 };

static baton_stream *stream;
static baton_array *arrays[BLOCKS];

/* What the reclaim hook saw and does: at level `gives` it releases one array. */
static struct {
    int32_t levels[8], count, gives, fails;
    uint64_t bytes;
} hook;

static int32_t reclaim(void *user, int32_t level, uint64_t bytes)
{
    ck_assert_ptr_eq(user, &hook);
    hook.levels[hook.count++] = level;
    hook.bytes = bytes;
    if (level == hook.gives) {
        baton_array_release(arrays[0]);
        arrays[0] = NULL;
    }
    return hook.fails;
}

static int32_t create(int32_t kind, uint32_t flags, int32_t level, int64_t elements, baton_stream *s,
                      baton_array **array)
{
    baton_array_options options = { .struct_size = sizeof options,
                                    .flags = flags,
                                    .kind = kind,
                                    .dtype = BATON_I32,
                                    .ndim = 1,
                                    .shape = &elements,
                                    .stream = s,
                                    .level = level };
    error = (baton_error)BATON_ERROR_INIT;
    return baton_array_create(runtime, &options, array, &error);
}

/* A runtime with the hook, a limit of ten blocks, and all of them taken on `stream`. */
static void fill_up(int32_t kind)
{
    baton_runtime_options options = { .struct_size = sizeof options, .user = &hook, .reclaim = reclaim };
    memset(&hook, 0, sizeof hook);
    support_reopen(&options);
    stream = make_stream();
    ok(baton_set_memory_limit(runtime, 0, BLOCKS * BLOCK, &error));
    for (int i = 0; i < BLOCKS; i++)
        ok(create(kind, 0, 0, ELEMENTS, stream, &arrays[i]));
}

static void give_up(void)
{
    arrays_release_all(arrays, BLOCKS);
    memset(arrays, 0, sizeof arrays);
    baton_stream_release(stream);
}

static baton_device_info device_info(void)
{
    baton_device_info info = { .struct_size = sizeof info };
    ok(baton_device_info_read(runtime, 0, &info, &error));
    return info;
}

START_TEST(live_and_deferred_bytes_are_told_apart)
{
    fill_up(BATON_DEVICE);
    uint64_t freed;
    ck_assert_uint_eq(device_info().limit_bytes, BLOCKS * BLOCK);
    ck_assert_uint_eq(device_info().live_bytes, BLOCKS * BLOCK);
    for (int i = 0; i < 3; i++) {
        baton_array_release(arrays[i]);
        arrays[i] = NULL;
    }
    ck_assert_uint_eq(device_info().live_bytes, 7 * BLOCK);
    ck_assert_uint_eq(device_info().deferred_bytes, 3 * BLOCK);
    ck_assert_uint_eq(stats().live_bytes, 7 * BLOCK);
    ck_assert_uint_eq(stats().deferred_bytes, 3 * BLOCK);
    ok(baton_drain(runtime, 1, &freed, &error));    /* oldest first; an array and its memory count as one */
    ck_assert_uint_eq(freed, BLOCK);
    ok(baton_drain(runtime, 0, &freed, &error));
    ck_assert_uint_eq(freed, 2 * BLOCK);
    ok(baton_drain(runtime, 0, &freed, &error));
    ck_assert_uint_eq(freed, 0);
    ck_assert_uint_eq(device_info().deferred_bytes, 0);
    ck_assert_uint_eq(device_info().live_bytes, 7 * BLOCK);
    give_up();
}
END_TEST

/* Rung 1: what was released makes room, without any wait. */
START_TEST(garbage_makes_room_without_a_wait)
{
    fill_up(BATON_DEVICE);
    baton_gate *gate = close_gate(stream);
    for (int i = 0; i < BLOCKS; i++)
        fill(arrays[i], i, stream);
    for (int i = 0; i < VIEWS; i++)                 /* more than a creation gives back by itself */
        baton_array_release(make_view(arrays[0], 0, 1));
    arrays_release_all(arrays, BLOCKS);
    for (int i = 0; i < BLOCKS; i++)
        ok(create(BATON_DEVICE, 0, 0, ELEMENTS, stream, &arrays[i]));
    expect_busy(stream);
    ck_assert_uint_eq(stats().host_waits[BATON_HOST_WAIT_RECLAIM], 0);
    ck_assert_int_eq(hook.count, 0);
    open_gate(gate);
    give_up();
}
END_TEST

struct creation {
    int32_t kind;
    baton_stream *stream;
    baton_array *made;
};

static void create_one(void *argument)
{
    struct creation *creation = argument;
    ok(create(creation->kind, 0, 0, ELEMENTS, creation->stream, &creation->made));
}

/* Rung 2: waits for the work that keeps released memory. */
START_TEST(memory_that_is_still_in_use_is_waited_for)
{
    fill_up(BATON_HOST);
    baton_stream *other = make_stream();
    struct creation creation = { BATON_HOST, other, NULL };
    baton_gate *gate = close_gate(stream);
    fill(arrays[3], 1, stream);
    baton_array_release(arrays[3]);
    arrays[3] = NULL;
    must_wait(create_one, &creation, gate);
    ck_assert_uint_eq(stats().host_waits[BATON_HOST_WAIT_RECLAIM], 1);
    ck_assert_int_eq(hook.count, 0);
    baton_array_release(creation.made);
    baton_stream_release(other);
    give_up();
}
END_TEST

/* Rung 2, by the device's own size: frees in flight behind a gate. */
START_TEST(frees_in_flight_are_waited_for)
{
    baton_stream *a = make_stream(), *b = make_stream();
    struct creation creation = { BATON_DEVICE, b, NULL };
    baton_array *array = make_array(ELEMENTS, a);
    soft_set_memory(BLOCK + BLOCK / 2);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    baton_array_release(array);
    must_wait(create_one, &creation, gate);
    ck_assert_uint_ge(stats().host_waits[BATON_HOST_WAIT_RECLAIM], 1);
    fill(creation.made, 2, b);
    expect(creation.made, 2, b);
    baton_array_release(creation.made);
    streams_release(a, b);
    soft_set_memory(0);
}
END_TEST

/* Rungs 3 and 4 */
START_TEST(the_hook_is_asked_twice_and_what_it_releases_is_used)
{
    baton_array *more;
    for (int level = 1; level <= 2; level++) {
        fill_up(BATON_DEVICE);
        hook.gives = level;
        ok(create(BATON_DEVICE, 0, 0, ELEMENTS, stream, &more));
        ck_assert_int_eq(hook.count, level);
        for (int i = 0; i < level; i++)
            ck_assert_int_eq(hook.levels[i], i + 1);
        ck_assert_uint_eq(hook.bytes, BLOCK);
        ck_assert_ptr_null(arrays[0]);
        baton_array_release(more);
        give_up();
    }
}
END_TEST

/* C9: nothing is given back during a capture, so the caller is told that its end may help. */
START_TEST(during_a_capture_the_error_names_the_capture)
{
    baton_array *more;
    fill_up(BATON_DEVICE);
    baton_stream *captured = make_stream();
    ok(baton_capture_begin(captured, BATON_CAPTURE_RELAXED, &error));
    refused(BATON_ERR_OOM, create(BATON_DEVICE, BATON_ALLOC_NO_HOOK, 0, ELEMENTS, stream, &more));
    ck_assert_int_eq(error.operation, BATON_OP_CAPTURE);
    ok(baton_capture_abandon(captured, &error));
    ck_assert_int_eq(create(BATON_DEVICE, BATON_ALLOC_NO_HOOK, 0, ELEMENTS, stream, &more), BATON_OOM_RETRY);
    ck_assert_int_eq(error.operation, BATON_OP_ALLOC);
    baton_stream_release(captured);
    give_up();
}
END_TEST

/* The last rung: the pool is trimmed, and the error tells the figures. */
START_TEST(when_nothing_helps_the_error_says_how_much_there_is)
{
    baton_array *more = NULL;
    fill_up(BATON_DEVICE);
    counting_start();
    refused(BATON_ERR_OOM, create(BATON_DEVICE, 0, 0, ELEMENTS + 1, stream, &more));
    ck_assert_int_eq(hook.count, 2);
    ck_assert_uint_eq(calls(DRIVER_ROW_pool_trim), 1);
    ck_assert_ptr_nonnull(strstr(error.message, "40960 bytes"));
    ck_assert_ptr_nonnull(strstr(error.message, "4100 bytes"));
    ck_assert_ptr_nonnull(strstr(error.message, "device 0"));
    ck_assert_ptr_null(more);
    ck_assert_uint_eq(device_info().live_bytes, BLOCKS * BLOCK);
    refused(BATON_ERR_OOM, create(BATON_DEVICE, 0, 0, BLOCKS * ELEMENTS + 1, stream, &more));
    ok(baton_set_memory_limit(runtime, 0, 0, &error));
    ok(create(BATON_DEVICE, 0, 0, ELEMENTS + 1, stream, &more));
    baton_array_release(more);
    give_up();
}
END_TEST

/* Without hooks: by status, level after level. */
START_TEST(a_caller_without_hooks_is_asked_by_status)
{
    baton_array *more = NULL;
    fill_up(BATON_DEVICE);
    for (int32_t level = 0; level < 2; level++) {
        refused(BATON_OOM_RETRY, create(BATON_DEVICE, BATON_ALLOC_NO_HOOK, level, ELEMENTS, stream, &more));
        ck_assert_int_eq(error.status, BATON_OOM_RETRY);
        ck_assert_int_eq(error.level, level + 1);
        ck_assert_int_eq(error.operation, BATON_OP_ALLOC);
    }
    counting_start();
    refused(BATON_ERR_OOM, create(BATON_DEVICE, BATON_ALLOC_NO_HOOK, 2, ELEMENTS, stream, &more));
    ck_assert_ptr_nonnull(strstr(error.message, "40960 bytes"));
    ck_assert_uint_eq(calls(DRIVER_ROW_pool_trim), 1);
    ck_assert_int_eq(hook.count, 0);
    ck_assert_ptr_null(more);
    baton_array_release(arrays[5]);                 /* the collector found something */
    arrays[5] = NULL;
    ok(create(BATON_DEVICE, BATON_ALLOC_NO_HOOK, 1, ELEMENTS, stream, &more));
    baton_array_release(more);
    give_up();
}
END_TEST

START_TEST(a_failing_hook_fails_the_allocation_and_nothing_else)
{
    baton_array *more = NULL;
    fill_up(BATON_DEVICE);
    hook.fails = 1;
    uint64_t live = stats().live_arrays;
    refused(BATON_ERR_HOOK, create(BATON_DEVICE, 0, 0, ELEMENTS, stream, &more));
    ck_assert_int_eq(hook.count, 1);
    ck_assert_ptr_null(more);
    ck_assert_uint_eq(stats().live_arrays, live);
    ck_assert_uint_eq(device_info().live_bytes, BLOCKS * BLOCK);
    hook.fails = 0;
    hook.gives = 1;
    ok(create(BATON_DEVICE, 0, 0, ELEMENTS, stream, &more));
    baton_array_release(more);
    give_up();
}
END_TEST

/* The driver's own refusal climbs the same ladder, and leaves the account as it was. */
START_TEST(the_driver_running_out_is_like_a_limit)
{
    static const enum driver_row rows[] = { 0, DRIVER_ROW_alloc_async, DRIVER_ROW_host_alloc,
                                            DRIVER_ROW_alloc_managed };
    baton_array *array = NULL;
    fill_up(BATON_DEVICE);
    ok(baton_set_memory_limit(runtime, 0, 0, &error));
    for (int32_t kind = BATON_DEVICE; kind <= BATON_UNIFIED; kind++) {
        hook.count = 0;
        instrument_fail(rows[kind], 1, DRIVER_OUT_OF_MEMORY, 1);
        refused(BATON_ERR_OOM, create(kind, 0, 0, ELEMENTS, stream, &array));
        ck_assert_int_eq(hook.count, 2);
        ck_assert_uint_eq(device_info().live_bytes, BLOCKS * BLOCK);
        instrument_fail(rows[kind], 0, 0, 0);
        ok(create(kind, 0, 0, ELEMENTS, stream, &array));
        baton_array_release(array);
    }
    give_up();
}
END_TEST

START_TEST(a_loop_that_only_makes_garbage_never_fails)
{
    fill_up(BATON_DEVICE);
    arrays_release_all(arrays, BLOCKS);
    memset(arrays, 0, sizeof arrays);
    for (int i = 0; i < GARBAGE; i++) {
        baton_array *array;
        ok(create(BATON_DEVICE, 0, 0, 1 + i % ELEMENTS, stream, &array));
        baton_array_release(array);
    }
    ck_assert_int_eq(hook.count, 0);
    ck_assert_uint_le(stats().live_bytes + stats().deferred_bytes, BLOCKS * BLOCK);
    give_up();
}
END_TEST

static uint64_t pool_bytes(void)
{
    uint64_t reserved = 0;
    struct device *device = &runtime->devices[0];
    ck_assert_int_eq(device->driver->pool_get(device->pool, DRIVER_POOL_RESERVED_CURRENT, &reserved), DRIVER_SUCCESS);
    return reserved;
}

/* Far more than a driver takes from the system at once. */
START_TEST(trim_gives_unused_memory_back_to_the_system)
{
    enum { LARGE = 64 << 20 };
    baton_array *large;
    fill_up(BATON_DEVICE);
    ok(baton_set_memory_limit(runtime, 0, 0, &error));
    ok(create(BATON_DEVICE, 0, 0, LARGE / sizeof(int32_t), stream, &large));
    baton_array_release(large);
    ok(baton_drain(runtime, 0, NULL, &error));
    ok(baton_stream_synchronize(stream, BATON_WAIT_AUTO, &error));
    ck_assert_uint_ge(pool_bytes(), LARGE);                 /* kept for the next allocation */
    ok(baton_trim(runtime, 0, 0, &error));
    ck_assert_uint_lt(pool_bytes(), LARGE);
    ck_assert_uint_ge(pool_bytes(), BLOCK);
    fill(arrays[BLOCKS - 1], 4, stream);
    expect(arrays[BLOCKS - 1], 4, stream);
    refused(BATON_ERR_DEVICE, baton_trim(runtime, 9, 0, &error));
    refused(BATON_ERR_DEVICE, baton_set_memory_limit(runtime, -1, 0, &error));
    give_up();
}
END_TEST

SUPPORT_MAIN("memory_limit", 120, live_and_deferred_bytes_are_told_apart, garbage_makes_room_without_a_wait,
             memory_that_is_still_in_use_is_waited_for, soft_only(frees_in_flight_are_waited_for, "can be made smaller"),
             the_hook_is_asked_twice_and_what_it_releases_is_used, when_nothing_helps_the_error_says_how_much_there_is,
             during_a_capture_the_error_names_the_capture,
             a_caller_without_hooks_is_asked_by_status, a_failing_hook_fails_the_allocation_and_nothing_else,
             the_driver_running_out_is_like_a_limit, a_loop_that_only_makes_garbage_never_fails,
             trim_gives_unused_memory_back_to_the_system)
