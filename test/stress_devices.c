/* Random operations on arrays and streams of two devices and of all, eight streams each: arrays bounce between them. On four software devices, or as
 * many as there are. */
#include "stress_steps.h"

enum { EACH = 8 };

__attribute__((constructor)) static void four_devices(void)
{
    setenv("BATON_DRIVER", "soft:4", 0);
}

static void reopen(uint32_t flags)
{
    support_flags = flags | BATON_RUNTIME_NO_CACHE;
    support_reopen(NULL);
    instrument_reset();
}

static struct world_options world_of(int32_t devices, int gated)
{
    int32_t most = STREAMS / EACH < device_count() ? STREAMS / EACH : device_count();
    devices = devices && devices < most ? devices : most;
    return (struct world_options) { devices, EACH * devices, gated };
}

/* Between devices the order is the device's, so that there are many waits, and few that order nothing new. */
static void check_by_events(struct oracle_counts counts)
{
    ck_assert_uint_gt(counts.waits, STEPS / 4);
    ck_assert_uint_lt(counts.idle_waits, counts.waits / 5);
}

/* There it is the host's. */
static void check_by_host(struct oracle_counts counts)
{
    ck_assert_uint_gt(counts.host_waits, STEPS / 4);
}

/* S12 with BATON_RUNTIME_PEER_EVENTS, and S1 to S8, S14, O1, O9, P1, P4, P6, W1, while gates hold streams of every device: none may be waited for. */
START_TEST(no_order_is_lost_between_devices_by_device_waits)
{
    uint64_t seed = support_seed(1);
    reopen(BATON_RUNTIME_PEER_EVENTS);
    for (uint64_t i = 0; i < 6; i++) {
        struct world_options options = world_of(i % 2 ? 0 : 2, 1);
        check_by_events(stress_run(seed + i, &options));
        ck_assert_uint_eq(stats().host_waits[BATON_HOST_WAIT_DEVICE], 0);
    }
}
END_TEST

/* S12 as it is without the flag. */
START_TEST(no_order_is_lost_between_devices_by_host_waits)
{
    uint64_t seed = support_seed(40);
    reopen(0);
    for (uint64_t i = 0; i < 4; i++) {
        struct world_options options = world_of(i % 2 ? 0 : 2, 0);
        check_by_host(stress_run(seed + i, &options));
        ck_assert_uint_ge(stats().host_waits[BATON_HOST_WAIT_DEVICE], STEPS / 8);
    }
}
END_TEST

/* Both, with the devices' work run in an order that the seed draws. */
START_TEST(no_order_is_lost_between_devices_in_any_drawn_interleaving)
{
    uint64_t seed = support_seed(200);
    for (uint64_t i = 0; i < 16; i++) {
        support_flags = BATON_RUNTIME_NO_CACHE | (i % 2 ? 0 : BATON_RUNTIME_PEER_EVENTS);
        struct world_options options = world_of(i % 4 < 2 ? 2 : 0, 0);
        (i % 2 ? check_by_host : check_by_events)(stress_run_drawn(seed + i, &options));
    }
}
END_TEST

SUPPORT_MAIN("stress_devices", 200, two_devices(no_order_is_lost_between_devices_by_device_waits), two_devices(no_order_is_lost_between_devices_by_host_waits),
             two_devices(soft_only(no_order_is_lost_between_devices_in_any_drawn_interleaving, "runs work in an order that is drawn")))
