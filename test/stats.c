/* Statistics: each counter and each cause of a host wait is counted exactly once. */
#include "stream/stream.h"      /* the library's own headers come first: Check has a macro named fail */

#include "exchange/dlpack.h"
#include "waiter.h"

enum { COUNT = 100 };

static baton_stats before;

static void begin(void)
{
    before = stats();
}

/* Since begin(): `times` waits for that cause, and none for another. */
static void expect_waits(int32_t cause, uint64_t times)
{
    baton_stats now = stats();
    for (int32_t i = 0; i < BATON_HOST_WAIT_CAUSES; i++)
        ck_assert_msg(now.host_waits[i] - before.host_waits[i] == (i == cause ? times : 0), "%s: %d waits",
                      baton_host_wait_name(i), (int)(now.host_waits[i] - before.host_waits[i]));
    ck_assert(times == 0 || now.host_blocked_ns > before.host_blocked_ns);
}

static void expect_counts(uint64_t operations, uint64_t waits, uint64_t records, uint64_t same, uint64_t covered,
                          uint64_t complete)
{
    baton_stats now = stats();
    ck_assert_uint_eq(now.operations - before.operations, operations);
    ck_assert_uint_eq(now.device_waits - before.device_waits, waits);
    ck_assert_uint_eq(now.records - before.records, records);
    ck_assert_uint_eq(now.elided_same - before.elided_same, same);
    ck_assert_uint_eq(now.elided_covered - before.elided_covered, covered);
    ck_assert_uint_eq(now.elided_complete - before.elided_complete, complete);
}

/* S4, S5: what each operation of a scenario adds. */
START_TEST(operations_waits_and_elisions_are_counted)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *x = make_array(COUNT, a), *y = make_array(COUNT, a);
    begin();
    fill(x, 1, a);
    fill(y, 1, a);
    expect_counts(2, 0, 0, 2, 0, 0);
    ok(baton_copy(x, y, b, &error));            /* both from a: one record, one wait */
    expect_counts(3, 1, 1, 2, 0, 0);
    fill(x, 2, b);
    expect_counts(4, 1, 1, 3, 0, 0);
    fill(y, 2, b);                              /* its write on a is covered, its reader is b itself */
    expect_counts(5, 1, 1, 4, 1, 0);
    ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
    expect_counts(5, 1, 2, 4, 1, 0);
    fill(x, 3, a);
    expect_counts(6, 1, 2, 4, 1, 1);
    arrays_release(x, y);
    streams_release(a, b);
}
END_TEST

START_TEST(counts_of_streams_that_are_gone_stay_in_the_sums)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *x = make_array(COUNT, a);
    begin();
    fill(x, 1, a);
    fill(x, 2, b);
    ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
    baton_array_release(x);
    streams_release(a, b);
    counting_start();
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_destroy), 2);
    expect_counts(2, 1, 2, 1, 0, 0);
}
END_TEST

START_TEST(allocations_frees_and_bytes_are_counted)
{
    baton_stream *s = make_stream();
    begin();
    baton_array *x = make_array(COUNT, s), *view = make_view(x, 0, 10), *y = make_array_of(BATON_HOST, COUNT, s);
    baton_stats now = stats();
    ck_assert_uint_eq(now.allocations - before.allocations, 2);
    ck_assert_uint_eq(now.live_arrays - before.live_arrays, 3);
    ck_assert_uint_eq(now.live_bytes - before.live_bytes, 2 * COUNT * sizeof(int32_t));
    arrays_release(x, view, y);
    now = stats();
    ck_assert_uint_eq(now.live_arrays, before.live_arrays);
    ck_assert_uint_eq(now.live_bytes, before.live_bytes);
    ck_assert_uint_eq(now.deferred_bytes, 2 * COUNT * sizeof(int32_t));
    ck_assert_uint_eq(now.frees, before.frees);
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(stats().frees - before.frees, 2);
    ck_assert_uint_eq(stats().deferred_bytes, 0);
    baton_stream_release(s);
}
END_TEST

/* H2: a wait for what is known to be finished is none. */
START_TEST(a_synchronize_is_counted_once_and_not_when_nothing_is_outstanding)
{
    baton_stream *s = make_stream();
    baton_array *x = make_array(COUNT, s);
    baton_fence *fence;
    begin();
    fill(x, 1, s);
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    expect_waits(BATON_HOST_WAIT_SYNCHRONIZE, 1);
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    ok(baton_array_synchronize(x, BATON_WAIT_AUTO, &error));
    expect_waits(BATON_HOST_WAIT_SYNCHRONIZE, 1);
    fill(x, 1, s);
    ok(baton_array_synchronize(x, BATON_WAIT_BLOCK, &error));
    fill(x, 1, s);
    ok(baton_array_fence(x, &fence, &error));
    ok(baton_fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_SPIN, &error));
    ok(baton_fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_SPIN, &error));
    expect_waits(BATON_HOST_WAIT_SYNCHRONIZE, 3);
    baton_fence_release(fence);
    baton_array_release(x);
    baton_stream_release(s);
}
END_TEST

/* O4 */
START_TEST(a_download_and_a_pinned_upload_are_counted_under_their_own_causes)
{
    baton_stream *s = make_stream();
    baton_array *x = make_array(COUNT, s), *pinned = make_array_of(BATON_HOST, COUNT, NULL);
    int32_t host[COUNT] = { 0 };
    void *source;
    begin();
    ok(baton_download(host, sizeof host, x, s, &error));
    expect_waits(BATON_HOST_WAIT_DOWNLOAD, 1);
    ok(baton_array_host_pointer(pinned, BATON_READ, &source, &error));
    begin();
    ok(baton_upload(x, host, sizeof host, s, &error));      /* read at the call: no wait */
    ok(baton_upload(x, source, sizeof host, s, &error));
    expect_waits(BATON_HOST_WAIT_UPLOAD, 1);
    arrays_release(x, pinned);
    baton_stream_release(s);
}
END_TEST

/* P1, P2 */
START_TEST(addresses_for_others_are_counted_under_their_own_causes)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *x = make_array(COUNT, a), *host = make_array_of(BATON_HOST, COUNT, a);
    uint64_t address;
    void *pointer;
    fill(x, 1, a);
    begin();
    ok(baton_array_pointer(x, b, BATON_READ, &address, &error));
    expect_waits(BATON_HOST_WAIT_FOREIGN, 1);
    fill(host, 1, a);
    begin();
    ok(baton_array_host_pointer(host, BATON_READ, &pointer, &error));
    ok(baton_array_host_pointer(host, BATON_READ, &pointer, &error));
    expect_waits(BATON_HOST_WAIT_HOST_POINTER, 1);
    arrays_release(x, host);
    streams_release(a, b);
}
END_TEST

/* S10, S11 */
START_TEST(each_hand_off_that_waits_on_the_host_has_its_cause)
{
    baton_stream *a = make_stream(), *b = make_stream(), *per_thread;
    baton_array *x = make_array(COUNT, a), *unified = make_array_of(BATON_UNIFIED, COUNT, a);
    ok(baton_stream_wrap(runtime, 0, BATON_STREAM_PER_THREAD, &per_thread, &error));
    fill(unified, 1, a);
    begin();
    fill(unified, 2, b);
    expect_waits(BATON_HOST_WAIT_UNIFIED, 1);
    fill(x, 1, per_thread);
    begin();
    fill(x, 2, b);
    expect_waits(BATON_HOST_WAIT_SPECIAL, 1);
    expect(x, 2, b);
    arrays_release(x, unified);
    streams_release(a, b, per_thread);
}
END_TEST

/* S12 */
START_TEST(a_hand_off_between_devices_has_its_cause)
{
    baton_stream *a = make_stream(), *far = make_stream_on(1);
    baton_array *x = make_array(COUNT, a);
    fill(x, 1, a);
    begin();
    fill(x, 3, far);
    expect_waits(BATON_HOST_WAIT_DEVICE, 1);
    expect(x, 3, far);
    arrays_release(x);
    streams_release(a, far);
}
END_TEST

/* S9 */
START_TEST(memory_of_an_untracked_capture_is_waited_for_under_its_cause)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *x = make_array(COUNT, a);
    const struct driver *driver = runtime->driver;
    driver_graph graph;
    uint64_t native;
    ok(baton_stream_native(a, &native, &error));
    ck_assert_int_eq(driver->capture_begin((driver_stream)(uintptr_t)native, DRIVER_CAPTURE_RELAXED), DRIVER_SUCCESS);
    fill(x, 1, a);
    ck_assert_int_eq(driver->capture_end((driver_stream)(uintptr_t)native, &graph), DRIVER_SUCCESS);
    ck_assert_int_eq(driver->graph_destroy(graph), DRIVER_SUCCESS);
    ck_assert_uint_eq(info_of(x).flags & BATON_ARRAY_TAINTED, BATON_ARRAY_TAINTED);
    for (int i = 0; i < 2; i++) {                   /* for ever */
        begin();
        fill(x, 2, b);
        expect_waits(BATON_HOST_WAIT_TAINTED, 1);
    }
    baton_array_release(x);
    streams_release(a, b);
}
END_TEST

/* P5 */
START_TEST(an_export_without_a_stream_is_waited_for_under_its_cause)
{
    baton_stream *a = make_stream(), *b = make_stream(), *c = make_stream();
    baton_array *x = make_array(COUNT, a), *other = make_array(COUNT, c);
    struct dlpack_managed *managed;
    void *exported;
    ok(baton_dlpack_export(x, NULL, &exported, &error));
    managed = exported;
    fill(other, 1, c);                              /* the consumer might have used the array there */
    begin();
    fill(x, 2, b);
    expect_waits(BATON_HOST_WAIT_EXPORT, 1);
    managed->deleter(managed);
    arrays_release(x, other);
    streams_release(a, b, c);
}
END_TEST

START_TEST(the_policy_waits_under_its_cause_instead_of_queueing_waits)
{
    baton_runtime_options options = { .struct_size = sizeof options, .flags = BATON_RUNTIME_HOST_WAIT };
    support_reopen(&options);
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *x = make_array(COUNT, a);
    fill(x, 1, a);
    begin();
    fill(x, 2, b);
    expect_waits(BATON_HOST_WAIT_POLICY, 1);
    ck_assert_uint_eq(stats().device_waits, 0);
    expect(x, 2, b);
    baton_array_release(x);
    streams_release(a, b);
}
END_TEST

struct held {
    baton_operand operand;
    baton_stream *stream;
    baton_scope *scope;
};

static void begin_scope(void *argument)
{
    struct held *held = argument;
    ok(baton_scope_begin(held->stream, NULL, &held->operand, 1, 0, &held->scope, &error));
}

static void fill_held(void *argument)
{
    struct held *held = argument;
    fill(held->operand.array, 1, held->stream);
}

/* W1: a task that waited for another one's scope. */
START_TEST(the_longest_wait_for_a_lock_is_kept)
{
    baton_stream *s = make_stream();
    struct held held = { { .array = make_array(COUNT, s) }, s, NULL };
    struct waiter waiter;
    ck_assert_uint_eq(stats().longest_lock_wait_ns, 0);
    on_thread(begin_scope, &held);
    waiter_start(&waiter, fill_held, &held);
    waiter_expect_parked(&waiter, held.operand.array);
    ok(baton_scope_end(held.scope, &error));
    waiter_join(&waiter);
    ck_assert_uint_gt(stats().longest_lock_wait_ns, 0);
    baton_scope_release(held.scope);
    baton_array_release(held.operand.array);
    baton_stream_release(s);
}
END_TEST

SUPPORT_WITHOUT_CACHE

SUPPORT_MAIN("stats", 60, operations_waits_and_elisions_are_counted, counts_of_streams_that_are_gone_stay_in_the_sums,
             allocations_frees_and_bytes_are_counted, a_synchronize_is_counted_once_and_not_when_nothing_is_outstanding,
             a_download_and_a_pinned_upload_are_counted_under_their_own_causes,
             addresses_for_others_are_counted_under_their_own_causes,
             each_hand_off_that_waits_on_the_host_has_its_cause, two_devices(a_hand_off_between_devices_has_its_cause),
             memory_of_an_untracked_capture_is_waited_for_under_its_cause,
             an_export_without_a_stream_is_waited_for_under_its_cause,
             the_policy_waits_under_its_cause_instead_of_queueing_waits, the_longest_wait_for_a_lock_is_kept)
