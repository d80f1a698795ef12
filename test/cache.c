/* Released blocks that are handed out again: to whom, in what order, and how many are kept. Evidence: addresses, counted driver calls, host waits. */
#include "stream/stream.h"     /* the library's own headers come first: Check has a macro named fail */
#include "outside.h"
#include "waiter.h"

enum { ELEMENTS = 1000, BYTES = ELEMENTS * sizeof(int32_t), LIMIT = 16384, STREAMS = 64, STREAMS_CUDA = 16 };

static uint64_t address_of(baton_array *array)
{
    struct baton_scope *scope;
    baton_operand operand = { .array = array };
    baton_stream *stream = make_stream();
    ok(baton_scope_begin(stream, NULL, &operand, 1, 0, &scope, &error));
    ok(baton_scope_end(scope, &error));
    baton_scope_release(scope);
    ok(baton_stream_synchronize(stream, BATON_WAIT_AUTO, &error));
    baton_stream_release(stream);
    return operand.address;
}

static baton_array *create(int64_t elements, baton_stream *stream)
{
    baton_array *array;
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_I32, .ndim = 1, .shape = &elements, .stream = stream };
    ok(baton_array_create(runtime, &options, &array, &error));
    return array;
}

/* Gives the array to the cache, with its work on the stream as it is. */
static void give(baton_array *array)
{
    baton_array_release(array);
    ok(baton_drain(runtime, 0, NULL, &error));
}

static uint64_t hits(void)
{
    return stats().cache_hits;
}

static uint64_t host_waits(void)
{
    baton_stats all = stats();
    uint64_t sum = 0;
    for (int i = 0; i < BATON_HOST_WAIT_CAUSES; i++)
        sum += all.host_waits[i];
    return sum;
}

START_TEST(a_released_block_is_handed_out_again_without_a_driver_call)
{
    baton_stream *stream = make_stream();
    baton_array *array = create(ELEMENTS, stream);
    uint64_t address = address_of(array);
    give(array);
    ck_assert_uint_eq(stats().cached_bytes, BYTES);
    ck_assert_uint_eq(stats().live_bytes, 0);
    counting_start();
    array = create(ELEMENTS, stream);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    ck_assert_uint_eq(hits(), 1);
    ck_assert_uint_eq(address_of(array), address);
    fill(array, 5, stream);
    expect(array, 5, stream);
    baton_array_release(array);
    baton_stream_release(stream);
}
END_TEST

/* S4: the stream that used it last goes on at once, though its work has not finished. */
START_TEST(the_last_user_gets_its_busy_block_back)
{
    baton_stream *stream = make_stream();
    baton_gate *gate = close_gate(stream);
    baton_array *array = create(ELEMENTS, stream);
    fill(array, 1, stream);
    give(array);
    counting_start();
    array = create(ELEMENTS, stream);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    fill(array, 2, stream);
    open_gate(gate);
    expect(array, 2, stream);
    baton_array_release(array);
    baton_stream_release(stream);
}
END_TEST

/* S4: nothing has to be waited for where the clock covers the block's last use. */
START_TEST(a_stream_that_follows_the_last_use_gets_the_block_without_a_wait)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_gate *gate = close_gate(a);
    baton_array *array = create(ELEMENTS, a);
    fill(array, 1, a);
    ok(baton_stream_follow(b, a, &error));
    give(array);
    uint64_t waits = stats().device_waits;
    counting_start();
    array = create(ELEMENTS, b);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    fill(array, 2, b);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 0);
    ck_assert_uint_eq(stats().device_waits, waits);
    open_gate(gate);
    expect(array, 2, b);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

/* Two streams that have nothing to do with each other are not tied together by a block. */
START_TEST(a_block_that_is_busy_elsewhere_is_left_alone)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_gate *gate = close_gate(a);
    baton_array *busy = create(ELEMENTS, a);
    fill(busy, 1, a);
    give(busy);
    baton_array *array = create(ELEMENTS, b);
    ck_assert_uint_eq(hits(), 0);
    fill(array, 2, b);
    expect(array, 2, b);                    /* with the gate still closed */
    ck_assert_uint_eq(stats().cached_bytes, BYTES);
    open_gate(gate);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

START_TEST(a_finished_block_serves_any_stream)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = create(ELEMENTS, a);
    fill(array, 1, a);
    baton_gate *gate = close_gate(a);
    open_gate(gate);
    expect(array, 1, a);
    give(array);
    array = create(ELEMENTS, b);
    ck_assert_uint_eq(hits(), 1);
    counting_start();
    fill(array, 2, b);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 0);
    expect(array, 2, b);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

/* S5: then the rules of a hand-over order its first use, on the device. */
START_TEST(a_busy_block_is_handed_out_when_there_is_no_room_and_its_first_use_waits_on_the_device)
{
    baton_stream *a = make_stream(), *b = make_stream();
    ok(baton_set_memory_limit(runtime, 0, LIMIT, &error));
    baton_array *array = create(LIMIT / sizeof(int32_t), a);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    give(array);
    uint64_t before = host_waits();
    array = create(LIMIT / sizeof(int32_t), b);
    counting_start();
    fill(array, 2, b);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    ck_assert_uint_eq(host_waits(), before);
    ck_assert_int_eq(baton_stream_query(b, &error), BATON_NOT_READY);
    open_gate(gate);
    expect(array, 2, b);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

/* P1: whoever gets the raw address must not meet the block's earlier user. */
START_TEST(a_foreign_pointer_to_a_reused_block_waits_for_its_earlier_use)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_gate *gate = close_gate(a);
    baton_array *array = create(ELEMENTS, a);
    fill(array, 1, a);
    ok(baton_stream_follow(b, a, &error));
    give(array);
    array = create(ELEMENTS, b);
    ck_assert_uint_eq(hits(), 1);
    pointer_must_wait(array, b, gate);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

START_TEST(a_block_serves_sizes_up_to_its_own_grain)
{
    baton_stream *stream = make_stream();
    give(create(512 / 4 + 1, stream));                          /* 516 bytes: a block of 1024 */
    baton_array *fits = create(1024 / 4, stream);
    ck_assert_uint_eq(hits(), 1);
    fill(fits, 7, stream);
    expect(fits, 7, stream);
    give(fits);
    baton_array *less = create(512 / 4, stream), *more = create(1024 / 4 + 1, stream);
    ck_assert_uint_eq(hits(), 1);
    baton_array_release(less);
    baton_array_release(more);
    baton_stream_release(stream);
}
END_TEST

/* P4: foreign work on an escaped array has no ticket; it lies before the release all the same. */
START_TEST(a_block_that_foreign_code_used_waits_for_that_work)
{
    baton_stream *a = make_stream(), *b = make_stream();
    uint64_t address;
    baton_array *array = create(ELEMENTS, a);
    ok(baton_array_pointer(array, a, BATON_WRITE, &address, &error));
    baton_gate *gate = close_gate(a);
    outside_fill(address, 3, ELEMENTS, native_of(a));
    give(array);
    baton_array *other = create(ELEMENTS, b);
    ck_assert_uint_eq(hits(), 0);
    array = create(ELEMENTS, a);
    ck_assert_uint_eq(hits(), 1);
    fill(array, 4, a);
    open_gate(gate);
    expect(array, 4, a);
    baton_array_release(array);
    baton_array_release(other);
    baton_stream_release(a);
    baton_stream_release(b);
}
END_TEST

/* A stream made elsewhere may end once its user has let go of everything that names it. */
START_TEST(no_block_keeps_a_wrapped_stream)
{
    baton_stream *stream = make_stream(), *wrapped;
    uint64_t native;
    ok(baton_stream_native(stream, &native, &error));
    ok(baton_stream_wrap(runtime, 0, native, &wrapped, &error));
    baton_gate *gate = close_gate(stream);
    baton_array *array = create(ELEMENTS, wrapped);
    fill(array, 1, wrapped);
    give(array);
    ck_assert_uint_eq(stats().cached_bytes, 0);
    open_gate(gate);
    streams_release(wrapped, stream);
}
END_TEST

START_TEST(short_lived_streams_are_not_kept_by_their_blocks)
{
    _Atomic int open = 0;
    unsigned streams = on_soft() ? STREAMS : STREAMS_CUDA;           /* each holds a host function, and CUDA runs these one by one */
    counting_start();
    for (unsigned i = 0; i < streams; i++) {
        baton_stream *stream = make_stream();
        baton_array *array = create(ELEMENTS, stream);
        outside_hold(&open, native_of(stream));                 /* no gate: a gate that ends asks for its stream */
        fill(array, (int32_t)i, stream);
        give(array);
        baton_stream_release(stream);
    }
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_destroy), 0);     /* their work has not run */
    open = 1;
    baton_stream *last = make_stream();
    outside_idle();
    for (unsigned i = 0; i < 16 * streams; i++)
        give(create(2 * ELEMENTS, last));                       /* never one of theirs */
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_destroy), streams);
    baton_stream_release(last);
}
END_TEST

/* Whoever drains does so for all: it must not be gone for long. */
START_TEST(the_cache_is_bounded_and_gives_back_no_more_than_it_must)
{
    enum { BOUND = 8192, MORE = 800, MANY = BOUND + MORE };
    static baton_array *arrays[MANY];
    baton_stream *stream = make_stream();
    for (int i = 0; i < MANY; i++)
        arrays[i] = create(4, stream);
    baton_array_release_n(arrays, MANY);
    counting_start();
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(stats().cached_bytes, BOUND * 16);
    ck_assert_uint_eq(calls(DRIVER_ROW_free_async), MORE);
    baton_stream_release(stream);
}
END_TEST

START_TEST(trim_gives_cached_blocks_back)
{
    baton_stream *stream = make_stream();
    counting_start();
    give(create(ELEMENTS, stream));
    ck_assert_uint_eq(calls(DRIVER_ROW_free_async), 0);
    ok(baton_trim(runtime, 0, 0, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_free_async), 1);
    ck_assert_uint_eq(stats().cached_bytes, 0);
    baton_stream_release(stream);
}
END_TEST

/* Cached bytes make room for live ones: the limit is on both. */
START_TEST(a_limit_counts_cached_blocks_and_empties_the_cache_first)
{
    baton_stream *stream = make_stream();
    ok(baton_set_memory_limit(runtime, 0, LIMIT, &error));
    give(create(LIMIT / sizeof(int32_t), stream));
    ck_assert_uint_eq(stats().cached_bytes, LIMIT);
    baton_array *array = create(ELEMENTS, stream);      /* of another size */
    ck_assert_uint_eq(stats().cached_bytes, 0);
    baton_array_release(array);
    baton_stream_release(stream);
}
END_TEST

START_TEST(without_a_cache_everything_goes_back_at_once)
{
    baton_runtime_options options = { .struct_size = sizeof options, .flags = BATON_RUNTIME_NO_CACHE };
    support_reopen(&options);
    baton_stream *stream = make_stream();
    counting_start();
    give(create(ELEMENTS, stream));
    ck_assert_uint_eq(calls(DRIVER_ROW_free_async), 1);
    ck_assert_uint_eq(stats().cached_bytes, 0);
    baton_stream_release(stream);
}
END_TEST

/* S13: what a user switched off for one array does not pass to the next. */
START_TEST(a_reused_block_synchronizes_again)
{
    baton_stream *a = make_stream();
    baton_array *array = create(ELEMENTS, a);
    ok(baton_array_set_synchronizing(array, 0, &error));
    give(array);
    array = create(ELEMENTS, a);
    ck_assert_uint_ne(info_of(array).flags & BATON_ARRAY_SYNCHRONIZING, 0);
    arrays_release(array);
    streams_release(a);
}
END_TEST

SUPPORT_MAIN("cache", 60, a_released_block_is_handed_out_again_without_a_driver_call, the_last_user_gets_its_busy_block_back,
             a_stream_that_follows_the_last_use_gets_the_block_without_a_wait, a_block_that_is_busy_elsewhere_is_left_alone,
             a_finished_block_serves_any_stream, a_busy_block_is_handed_out_when_there_is_no_room_and_its_first_use_waits_on_the_device,
             a_foreign_pointer_to_a_reused_block_waits_for_its_earlier_use, a_block_serves_sizes_up_to_its_own_grain,
             a_block_that_foreign_code_used_waits_for_that_work, no_block_keeps_a_wrapped_stream, short_lived_streams_are_not_kept_by_their_blocks,
             the_cache_is_bounded_and_gives_back_no_more_than_it_must, trim_gives_cached_blocks_back, a_limit_counts_cached_blocks_and_empties_the_cache_first,
             without_a_cache_everything_goes_back_at_once, a_reused_block_synchronizes_again)
