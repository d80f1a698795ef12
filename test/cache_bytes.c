/* What the cache's blocks count as: live, cached, against the limit; and what looking after many of them costs. */
#include "census.h"
#include "support.h"

enum { SMALL = 516, LARGE = 1024, MANY = 40, CYCLES = 100 };    /* bytes; both in a block of 1024 */

static baton_array *create(int64_t bytes, baton_stream *stream)
{
    return make_array(bytes / (int64_t)sizeof(int32_t), stream);
}

static void give(baton_array *array)
{
    baton_array_release(array);
    ok(baton_drain(runtime, 0, NULL, &error));
}

static void expect_bytes(uint64_t live, uint64_t cached)
{
    baton_stats now = stats();
    ck_assert_uint_eq(now.live_bytes, live);
    ck_assert_uint_eq(now.cached_bytes, cached);
    ck_assert_uint_eq(now.deferred_bytes, 0);
}

START_TEST(a_block_counts_as_the_bytes_it_was_made_or_handed_out_for)
{
    baton_stream *stream = make_stream();
    give(create(SMALL, stream));
    expect_bytes(0, SMALL);
    baton_array *array = create(LARGE, stream);
    expect_bytes(LARGE, 0);
    give(array);
    expect_bytes(0, LARGE);
    array = create(SMALL, stream);
    expect_bytes(SMALL, 0);
    ck_assert_uint_eq(stats().cache_hits, 2);
    give(array);
    ok(baton_trim(runtime, 0, 0, &error));
    expect_bytes(0, 0);
    baton_stream_release(stream);
}
END_TEST

/* The block itself counts already, so exactly the difference has to have room. */
START_TEST(a_block_handed_out_for_more_bytes_than_before_is_held_against_the_limit)
{
    baton_stream *stream = make_stream();
    baton_array *beside = create(LARGE, stream), *array;
    give(create(SMALL, stream));
    ok(baton_set_memory_limit(runtime, 0, 2 * LARGE - 4, &error));
    int64_t elements = LARGE / 4;
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_I32, .ndim = 1, .shape = &elements, .stream = stream };
    ck_assert_int_eq(baton_array_create(runtime, &options, &array, &error), BATON_ERR_OOM);
    expect_bytes(LARGE, 0);                 /* looking for room emptied the cache */
    give(create(SMALL, stream));
    ok(baton_set_memory_limit(runtime, 0, 2 * LARGE, &error));
    array = create(LARGE, stream);
    ck_assert_uint_eq(stats().cache_hits, 1);
    expect_bytes(2 * LARGE, 0);
    baton_array_release(beside);
    baton_array_release(array);
    baton_stream_release(stream);
}
END_TEST

/* An array that moves into a cached block at a resize brings a handle of its own; both end with it. */
START_TEST(a_resized_array_keeps_its_handle_in_a_block_that_served_another)
{
    baton_stream *stream = make_stream();
    baton_array *array = create(4096, stream);
    give(create(LARGE, stream));
    fill(array, 6, stream);
    ok(baton_array_resize(array, LARGE / 4, stream, &error));
    ck_assert_uint_eq(stats().cache_hits, 1);
    expect(array, 6, stream);
    give(array);
    ck_assert_uint_eq(stats().live_arrays, 0);
    array = create(LARGE, stream);
    ck_assert_uint_eq(stats().cache_hits, 2);
    fill(array, 7, stream);
    expect(array, 7, stream);
    baton_array_release(array);
    baton_stream_release(stream);
}
END_TEST

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The order in which locks are taken: new blocks' numbers and those of blocks that served before are one kind. */
START_TEST(no_two_memories_have_had_the_same_number)
{
    enum { ROUNDS = 200 };
    uint64_t ids[2 * ROUNDS];
    baton_stream *stream = make_stream();
    baton_array *kept[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        baton_array *array = create(LARGE, stream);
        kept[i] = create(8192 + 512 * i, stream);
        ids[2 * i] = info_of(array).memory_id;
        ids[2 * i + 1] = info_of(kept[i]).memory_id;
        give(array);
    }
    ck_assert_uint_eq(stats().cache_hits, ROUNDS - 1);
    qsort(ids, 2 * ROUNDS, sizeof *ids, ascending);
    for (int i = 1; i < 2 * ROUNDS; i++)
        ck_assert_uint_ne(ids[i], ids[i - 1]);
    baton_array_release_n(kept, ROUNDS);
    baton_stream_release(stream);
}
END_TEST

/* The references that blocks hold on the runtime change hands in the cache: whatever order they end in, it ends with the last. */
START_TEST(a_closed_runtime_outlives_its_cache_until_the_last_array_that_came_from_it_ends)
{
    baton_array *arrays[3];
    for (int kept = 0; kept <= 3; kept++) {
        baton_stream *stream = make_stream();
        for (int i = 0; i < 3; i++)
            arrays[i] = create(LARGE, stream);
        for (int i = kept; i < 3; i++)
            give(arrays[i]);
        baton_array *again = create(LARGE, stream);
        fill(again, kept, stream);
        ok(baton_stream_synchronize(stream, BATON_WAIT_AUTO, &error));
        baton_stream_release(stream);
        support_reopen(NULL);
        ck_assert_int_eq(info_of(again).shape[0], LARGE / 4);
        baton_array_release_n(arrays, (uint64_t)kept);
        baton_array_release(again);
        ok(baton_drain(runtime, 0, NULL, &error));
        if (on_soft() || !census_lost())
            ck_assert_uint_eq(census_read().contexts, 0);       /* the runtime kept them; the new one has none yet */
    }
}
END_TEST

/* However many blocks lie in the cache: once their uses are known to be over, nobody asks for them again. */
START_TEST(finished_blocks_are_not_asked_for_again)
{
    baton_stream *stream = make_stream();
    baton_array *many[MANY];
    for (int i = 0; i < MANY; i++)
        fill(many[i] = create(8192 + 512 * i, stream), 1, stream);
    ok(baton_stream_synchronize(stream, BATON_WAIT_AUTO, &error));
    for (int i = 0; i < MANY; i++)
        give(many[i]);
    counting_start();
    for (int i = 0; i < CYCLES; i++)
        give(create(8192, stream));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    ck_assert_uint_eq(stats().cache_hits, CYCLES);
    baton_stream_release(stream);
}
END_TEST

SUPPORT_MAIN("cache bytes", 30, a_block_counts_as_the_bytes_it_was_made_or_handed_out_for,
             a_block_handed_out_for_more_bytes_than_before_is_held_against_the_limit, a_resized_array_keeps_its_handle_in_a_block_that_served_another,
             no_two_memories_have_had_the_same_number, a_closed_runtime_outlives_its_cache_until_the_last_array_that_came_from_it_ends,
             finished_blocks_are_not_asked_for_again)
