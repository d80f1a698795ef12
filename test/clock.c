/* The clock as a value: what a stream follows. It may forget, and never claims too much. */
#include "stream/clock.h"

#include "support.h"

START_TEST(an_empty_clock_follows_nothing)
{
    struct clock clock = { .occupied = 0 };
    for (uint64_t id = 0; id < 3 * CLOCK_SLOTS; id++)
        ck_assert_uint_eq(clock_get(&clock, id), 0);
}
END_TEST

START_TEST(a_raised_entry_is_found_under_its_own_stream_only)
{
    struct clock clock = { .occupied = 0 };
    clock_raise(&clock, 5, 17);
    ck_assert_uint_eq(clock_get(&clock, 5), 17);
    ck_assert_uint_eq(clock_get(&clock, 6), 0);
    ck_assert_uint_eq(clock_get(&clock, 5 + CLOCK_SLOTS), 0);
}
END_TEST

START_TEST(raising_never_lowers)
{
    struct clock clock = { .occupied = 0 };
    clock_raise(&clock, 5, 17);
    clock_raise(&clock, 5, 3);
    ck_assert_uint_eq(clock_get(&clock, 5), 17);
    clock_raise(&clock, 5, 18);
    ck_assert_uint_eq(clock_get(&clock, 5), 18);
}
END_TEST

/* Two streams share a place: the newer one has it, the older one is forgotten, which costs a wait and no order. */
START_TEST(streams_that_share_a_place_forget_and_never_mix)
{
    struct clock clock = { .occupied = 0 };
    clock_raise(&clock, 7, 100);
    clock_raise(&clock, 7 + CLOCK_SLOTS, 2);
    ck_assert_uint_eq(clock_get(&clock, 7), 0);
    ck_assert_uint_eq(clock_get(&clock, 7 + CLOCK_SLOTS), 2);
}
END_TEST

START_TEST(ticket_zero_claims_nothing)
{
    struct clock clock = { .occupied = 0 };
    clock_raise(&clock, 9, 0);
    ck_assert_uint_eq(clock.occupied, 0);
    clock_raise(&clock, 9 + CLOCK_SLOTS, 4);
    clock_raise(&clock, 9, 0);
    ck_assert_uint_eq(clock_get(&clock, 9 + CLOCK_SLOTS), 4);
}
END_TEST

/* S5: the later of both for every stream, but oneself. */
START_TEST(a_join_takes_the_later_of_both_and_leaves_out_oneself)
{
    struct clock mine = { .occupied = 0 }, other = { .occupied = 0 };
    clock_raise(&mine, 1, 10);
    clock_raise(&mine, 2, 10);
    clock_raise(&other, 1, 5);
    clock_raise(&other, 2, 15);
    clock_raise(&other, 3, 1);
    clock_raise(&other, 4, 99);
    clock_join(&mine, &other, 4);
    ck_assert_uint_eq(clock_get(&mine, 1), 10);
    ck_assert_uint_eq(clock_get(&mine, 2), 15);
    ck_assert_uint_eq(clock_get(&mine, 3), 1);
    ck_assert_uint_eq(clock_get(&mine, 4), 0);
    ck_assert_uint_eq(clock_get(&other, 1), 5);
}
END_TEST

START_TEST(a_full_clock_joins_every_place)
{
    struct clock mine = { .occupied = 0 }, other = { .occupied = 0 };
    for (uint64_t id = 0; id < CLOCK_SLOTS; id++)
        clock_raise(&other, id, id + 1);
    ck_assert_uint_eq(other.occupied, UINT64_MAX);
    clock_join(&mine, &other, CLOCK_SLOTS);
    for (uint64_t id = 0; id < CLOCK_SLOTS; id++)
        ck_assert_uint_eq(clock_get(&mine, id), id + 1);
}
END_TEST

START_TEST(a_copy_is_equal_and_then_independent)
{
    struct clock from = { .occupied = 0 }, to = { .occupied = 0 };
    clock_raise(&from, 1, 10);
    clock_raise(&from, 2, 20);
    clock_raise(&to, 3, 30);
    clock_copy(&to, &from);
    ck_assert_uint_eq(clock_get(&to, 1), 10);
    ck_assert_uint_eq(clock_get(&to, 2), 20);
    ck_assert_uint_eq(clock_get(&to, 3), 0);
    clock_raise(&from, 1, 11);
    ck_assert_uint_eq(clock_get(&to, 1), 10);
}
END_TEST

/* Against a model that remembers all: the clock never says more than the model. */
START_TEST(a_clock_never_claims_more_than_was_raised)
{
    enum { STREAMS = 4 * CLOCK_SLOTS, STEPS = 20000 };
    static uint64_t model[STREAMS];
    struct clock clock = { .occupied = 0 };
    uint64_t random = support_seed(12345);
    for (int i = 0; i < STEPS; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint64_t id = (random >> 33) % STREAMS, ticket = (random >> 45) % 1000;
        clock_raise(&clock, id, ticket);
        model[id] = model[id] > ticket ? model[id] : ticket;
        uint64_t known = clock_get(&clock, id);
        ck_assert_msg(known >= ticket && known <= model[id], "seed %llu, step %d",
                      (unsigned long long)support_seed(12345), i);
    }
    for (uint64_t id = 0; id < STREAMS; id++)
        ck_assert_uint_le(clock_get(&clock, id), model[id]);
}
END_TEST

SUPPORT_MAIN("clock", 30, an_empty_clock_follows_nothing, a_raised_entry_is_found_under_its_own_stream_only,
             raising_never_lowers, streams_that_share_a_place_forget_and_never_mix, ticket_zero_claims_nothing,
             a_join_takes_the_later_of_both_and_leaves_out_oneself, a_full_clock_joins_every_place,
             a_copy_is_equal_and_then_independent, a_clock_never_claims_more_than_was_raised)
