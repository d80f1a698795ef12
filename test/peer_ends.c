/* BATON_RUNTIME_PEER_EVENTS where something ends: memory that goes while another device uses it, calls that fail, a device that is lost. */
#include "journal.h"
#include "outside.h"
#include "waiter.h"

enum { COUNT = 300 };

__attribute__((constructor)) static void with_peer_events(void)
{
    setenv("BATON_DRIVER", "soft:3", 0);
    support_flags = BATON_RUNTIME_PEER_EVENTS;
}

static int32_t try_fill(baton_array *array, baton_stream *stream)
{
    return baton_fill(array, &(int32_t) { 2 }, sizeof(int32_t), stream, &error);
}

/* Both ways, so that enabling access is out of the way. */
static void meet(baton_stream *a, baton_stream *b)
{
    baton_array *here = make_array(1, a), *there = make_array(1, b);
    fill(here, 1, b);
    fill(there, 1, a);
    expect(here, 1, a);
    expect(there, 1, b);
    arrays_release(here, there);
    ok(baton_drain(runtime, 0, NULL, &error));
}

/* ---- the end of memory */

static void release_under_readers(baton_stream *owner, baton_stream *reader)
{
    baton_array *array = make_array(COUNT, owner), *to = make_array(COUNT, reader);
    fill(array, 8, owner);
    ok(baton_stream_synchronize(owner, BATON_WAIT_AUTO, &error));
    baton_gate *gate = close_gate(reader);
    ok(baton_copy(to, array, reader, &error));
    counting_start();
    uint64_t waited, freed;
    arrays_release(array);
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(journal_find(DRIVER_ROW_stream_wait_event, stream_handle(owner), 0, &waited), 1);
    ck_assert_uint_eq(journal_find(DRIVER_ROW_free_async, stream_handle(owner), 0, &freed), 1);
    ck_assert_uint_lt(waited, freed);
    ck_assert_uint_eq(calls(DRIVER_ROW_free_async), 1);
    expect_busy(owner);
    open_gate(gate);
    expect(to, 8, reader);
    arrays_release(to);
}

/* O9: the free lies on the owner's stream, behind the other device's reader. */
START_TEST(memory_is_freed_behind_a_reader_of_another_device)
{
    support_flags |= BATON_RUNTIME_NO_CACHE;
    support_reopen(NULL);
    baton_stream *a = make_stream(), *b = make_stream_on(1);
    meet(a, b);
    release_under_readers(a, b);
    release_under_readers(b, a);
    streams_release(a, b);
    support_flags &= ~(uint32_t)BATON_RUNTIME_NO_CACHE;
}
END_TEST

/* O9: a stream of another device owns it last; only a stream of the memory's own device may give it back. */
START_TEST(memory_whose_last_owner_is_another_device_is_freed_on_its_own)
{
    support_flags |= BATON_RUNTIME_NO_CACHE;
    support_reopen(NULL);
    baton_stream *a = make_stream(), *b = make_stream_on(1);
    baton_array *array = make_array(COUNT, a);
    meet(a, b);
    baton_gate *gate = close_gate(b);
    fill(array, 1, b);
    counting_start();
    uint64_t waited, freed;
    arrays_release(array);
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(journal_find(DRIVER_ROW_free_async, NULL, 0, &freed), 1);
    ck_assert_uint_eq(journal_find(DRIVER_ROW_free_async, stream_handle(b), 0, NULL), 0);
    ck_assert_uint_eq(journal_find(DRIVER_ROW_stream_wait_event, NULL, 0, &waited), 1);
    ck_assert_uint_lt(waited, freed);
    open_gate(gate);
    streams_release(a, b);
    support_flags &= ~(uint32_t)BATON_RUNTIME_NO_CACHE;
}
END_TEST

/* The cache: a block under another device's reader is nobody's before that has read, but by order. */
START_TEST(a_cached_block_is_not_handed_out_under_a_reader_of_another_device)
{
    baton_stream *a = make_stream(), *other = make_stream(), *b = make_stream_on(1);
    baton_array *array = make_array(COUNT, a), *to = make_array(COUNT, b);
    meet(a, b);
    fill(array, 8, a);
    ok(baton_stream_synchronize(a, BATON_WAIT_AUTO, &error));
    baton_gate *gate = close_gate(b);
    ok(baton_copy(to, array, b, &error));
    arrays_release(array);
    ok(baton_drain(runtime, 0, NULL, &error));
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_I32, .ndim = 1, .shape = &(int64_t) { COUNT } };
    baton_array *next[2];
    for (int i = 0; i < 2; i++) {
        options.stream = i ? other : a;
        ok(baton_array_create(runtime, &options, &next[i], &error));
        fill(next[i], -1, options.stream);
    }
    open_gate(gate);
    expect(to, 8, b);
    expect(next[0], -1, a);
    expect(next[1], -1, other);
    arrays_release(to, next[0], next[1]);
    streams_release(a, other, b);
}
END_TEST

/* ---- faults */

/* S7: each driver call of the hand-off fails once: the memory has its old owner, or the new one, and the next use is right. */
START_TEST(any_call_of_a_hand_off_between_devices_may_fail)
{
    for (uint64_t n = 1; ; n++) {
        baton_stream *a = make_stream(), *b = make_stream_on(1);
        baton_array *array = make_array(COUNT, a);
        meet(a, b);
        baton_gate *gate = close_gate(a);
        fill(array, 1, a);
        instrument_reset();
        instrument_fail_any(n, DRIVER_INVALID_VALUE);
        int32_t status = try_fill(array, b);
        uint64_t failures = instrument_failures();
        instrument_reset();
        ck_assert_int_eq(status, failures ? BATON_ERR_DRIVER : BATON_OK);
        ck_assert_uint_eq(info_of(array).lock_holder, 0);
        uint64_t owner = info_of(array).owner_stream_id;
        ck_assert(owner == id_of(a) || owner == id_of(b));
        fill(array, 3, b);
        expect_busy(b);
        open_gate(gate);
        expect(array, 3, a);
        arrays_release(array);
        streams_release(a, b);
        if (failures)
            continue;
        ck_assert_uint_gt(n, 3);            /* a record, a wait and the fill at least */
        return;
    }
}
END_TEST

/* E2: whatever only the lost device can say the end of is refused, by that device's name; the rest works on. */
START_TEST(memory_last_used_by_a_lost_device_is_refused_and_the_other_device_works_on)
{
    baton_stream *lost = make_stream(), *far = make_stream_on(1), *beside = make_stream_on(1);
    baton_array *array = make_array(COUNT, far), *elsewhere = make_array(COUNT, far);
    meet(lost, far);
    fill(array, 3, lost);
    outside_fault_ready();
    outside_fault();
    for (int i = 0; i < 2; i++) {           /* the record brings the news; then it is known */
        refused(BATON_ERR_POISONED, try_fill(array, far));
        ck_assert_uint_eq(error.device, 0);
        ck_assert_uint_eq(info_of(array).lock_holder, 0);
    }
    fill(elsewhere, 4, beside);
    fill(elsewhere, 5, far);
    expect(elsewhere, 5, far);
    arrays_release(array, elsewhere);
    streams_release(lost, far, beside);
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
}
END_TEST

/* E2: the wait brings the news, and is about two devices: here the event's is lost. */
START_TEST(a_wait_for_an_event_of_a_lost_device_does_not_cost_the_device_that_waits)
{
    baton_stream *lost = make_stream(), *far = make_stream_on(1), *beside = make_stream_on(1);
    baton_array *array = make_array(COUNT, far);
    meet(lost, far);
    fill(array, 3, lost);
    ok(baton_stream_follow(beside, lost, &error));      /* the event is recorded */
    outside_fault_ready();
    outside_fault();
    counting_start();
    refused(BATON_ERR_POISONED, try_fill(array, far));
    ck_assert_uint_eq(error.device, 0);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 0);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    ck_assert_int_ge(baton_stream_query(far, &error), 0);
    arrays_release(array);
    streams_release(lost, far, beside);
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
}
END_TEST

/* E2: and here the one that was to wait. */
START_TEST(a_lost_device_that_was_to_wait_does_not_cost_the_device_of_the_event)
{
    baton_stream *lost = make_stream(), *far = make_stream_on(1);
    baton_array *array = make_array(COUNT, far);
    meet(lost, far);
    fill(array, 3, far);
    outside_fault_ready();
    outside_fault();
    counting_start();
    refused(BATON_ERR_POISONED, try_fill(array, lost));
    ck_assert_uint_eq(error.device, 0);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    fill(array, 4, far);
    expect(array, 4, far);
    arrays_release(array);
    streams_release(lost, far);
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
}
END_TEST

SUPPORT_MAIN("peer_ends", 60, two_devices(memory_is_freed_behind_a_reader_of_another_device),
             two_devices(memory_whose_last_owner_is_another_device_is_freed_on_its_own),
             two_devices(a_cached_block_is_not_handed_out_under_a_reader_of_another_device),
             two_devices(any_call_of_a_hand_off_between_devices_may_fail),
             two_devices(memory_last_used_by_a_lost_device_is_refused_and_the_other_device_works_on),
             two_devices(a_wait_for_an_event_of_a_lost_device_does_not_cost_the_device_that_waits),
             two_devices(a_lost_device_that_was_to_wait_does_not_cost_the_device_of_the_event))
