/* Random operations on 64 streams and 64 arrays of one device. */
#include "stress_steps.h"

static void check(struct oracle_counts counts)
{
    ck_assert_uint_gt(counts.waits, STEPS / 4);
    ck_assert_uint_lt(counts.idle_waits, counts.waits / 5);     /* S4: what is followed already is not waited for, but for a few */
}

/* S1 to S8, S14, O1, O3, O9, P1, P4, P6, W1, under closed gates and the device's own threads. */
START_TEST(no_order_is_lost_among_64_streams_and_64_arrays)
{
    uint64_t seed = support_seed(1);
    for (uint64_t i = 0; i < 6; i++)
        check(stress_run(seed + i, &(struct world_options) { 1, STREAMS, 1 }));
}
END_TEST

/* The same operations, with the device's work run in an order that the seed draws. */
START_TEST(no_order_is_lost_in_any_drawn_interleaving)
{
    uint64_t seed = support_seed(100);
    for (uint64_t i = 0; i < 30; i++)
        check(stress_run_drawn(seed + i, &(struct world_options) { 1, STREAMS, 0 }));
}
END_TEST

/* P1, S6: the ninth reader stands for the first, which it follows on the device only: its address is not given out before the first has read. */
START_TEST(a_pointer_waits_for_a_reader_that_the_set_no_longer_names)
{
    baton_stream *readers[9], *writer = make_stream();
    baton_array *from = make_array(16, writer), *to[9];
    baton_gate *gate;
    uint64_t address;
    for (int i = 0; i < 9; i++) {
        readers[i] = make_stream();
        to[i] = make_array(16, readers[i]);
    }
    ok(baton_gate_create(readers[0], 50000000, &gate, &error));     /* opens by itself */
    for (int i = 0; i < 9; i++)
        ok(baton_copy(to[i], from, readers[i], &error));
    ok(baton_array_pointer(from, readers[8], 0, &address, &error));
    ok(baton_stream_query(readers[0], &error));
    baton_gate_release(gate);
    for (int i = 0; i < 9; i++) {
        baton_array_release(to[i]);
        baton_stream_release(readers[i]);
    }
    baton_array_release(from);
    baton_stream_release(writer);
}
END_TEST

SUPPORT_WITHOUT_CACHE

SUPPORT_MAIN("stress", 120, a_pointer_waits_for_a_reader_that_the_set_no_longer_names, no_order_is_lost_among_64_streams_and_64_arrays, soft_only(no_order_is_lost_in_any_drawn_interleaving, "runs work in an order that is drawn"))
