/* Arrays that pass between streams: order on the device, a host that does not wait, the right data. */
#include "waiter.h"

enum { COUNT = 1000 };

/* S5, item 1: an operation on B behind A's work returns while A is held. */
START_TEST(a_fill_on_memory_of_a_gated_stream_returns_at_once)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    fill(array, 2, b);
    expect_busy(a);
    expect_busy(b);
    open_gate(gate);
    expect(array, 2, b);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

/* S5, item 1 */
START_TEST(a_kernel_on_memory_of_a_gated_stream_returns_at_once)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *from = make_array(COUNT, a), *to = make_array(COUNT, b);
    baton_kernel *kernel = make_add_one(0);
    baton_gate *gate = close_gate(a);
    fill(from, 1, a);
    ok(add_one(kernel, to, from, b, &error));
    expect_busy(a);
    expect_busy(b);
    open_gate(gate);
    expect(to, 2, b);
    arrays_release(from, to);
    baton_kernel_release(kernel);
    streams_release(a, b);
}
END_TEST

/* S5, O4, item 1: the copy reads what A has not written yet. */
START_TEST(a_copy_from_memory_of_a_gated_stream_returns_at_once)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *from = make_array(COUNT, a), *to = make_array(COUNT, b);
    baton_gate *gate = close_gate(a);
    fill(from, 3, a);
    ok(baton_copy(to, from, b, &error));
    expect_busy(b);
    open_gate(gate);
    expect(to, 3, b);
    arrays_release(from, to);
    streams_release(a, b);
}
END_TEST

/* S5, O4, item 1: the copy overwrites what A still reads. */
START_TEST(a_copy_to_memory_of_a_gated_stream_returns_at_once)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *to = make_array(COUNT, a), *from = make_array(COUNT, b), *kept = make_array(COUNT, a);
    fill(to, 1, a);
    fill(from, 2, b);
    baton_gate *gate = close_gate(a);
    ok(baton_copy(kept, to, a, &error));
    ok(baton_copy(to, from, b, &error));
    expect_busy(a);
    expect_busy(b);
    open_gate(gate);
    expect(kept, 1, a);
    expect(to, 2, b);
    arrays_release(to, from, kept);
    streams_release(a, b);
}
END_TEST

/* O4, item 1: to another device, on a stream of the first. */
START_TEST(a_copy_to_another_device_behind_a_gated_stream_returns_at_once)
{
    baton_stream *a = make_stream(), *b = make_stream(), *other = make_stream_on(1);
    baton_array *from = make_array(COUNT, a), *to = make_array(COUNT, other);
    baton_gate *gate = close_gate(a);
    fill(from, 4, a);
    ok(baton_copy(to, from, b, &error));
    expect_busy(b);
    open_gate(gate);
    expect(to, 4, b);
    arrays_release(from, to);
    streams_release(a, b, other);
}
END_TEST

/* O4, item 1: ordinary host memory may be reused on return. */
START_TEST(an_upload_to_memory_of_a_gated_stream_returns_at_once)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    int32_t host[COUNT];
    for (int i = 0; i < COUNT; i++)
        host[i] = 5;
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    ok(baton_upload(array, host, sizeof host, b, &error));
    memset(host, 0, sizeof host);
    expect_busy(a);
    expect_busy(b);
    open_gate(gate);
    expect(array, 5, b);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

/* O4, item 1: to pinned memory, with a fence for the end. */
START_TEST(an_asynchronous_download_from_a_gated_stream_returns_at_once)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a), *pinned = make_array_of(BATON_HOST, COUNT, b);
    baton_fence *fence;
    void *host;
    ok(baton_array_host_pointer(pinned, BATON_WRITE, &host, &error));
    baton_gate *gate = close_gate(a);
    fill(array, 6, a);
    ok(baton_download_async(host, COUNT * sizeof(int32_t), array, b, &fence, &error));
    ck_assert_int_eq(baton_fence_query(fence, &error), BATON_NOT_READY);
    open_gate(gate);
    ok(baton_fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_AUTO, &error));
    for (int i = 0; i < COUNT; i++)
        ck_assert_int_eq(((int32_t *)host)[i], 6);
    baton_fence_release(fence);
    arrays_release(array, pinned);
    streams_release(a, b);
}
END_TEST

/* S8, item 8: C waits for B alone, whose wait for A lies before the record. */
START_TEST(a_chain_over_three_streams_needs_one_wait_per_link)
{
    baton_stream *a = make_stream(), *b = make_stream(), *c = make_stream();
    baton_array *array = make_array(COUNT, a), *out = make_array(COUNT, c);
    baton_kernel *kernel = make_add_one(0);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    fill(array, 2, b);
    counting_start();
    ok(add_one(kernel, out, array, c, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    expect_busy(c);
    open_gate(gate);
    expect(out, 3, c);
    arrays_release(array, out);
    baton_kernel_release(kernel);
    streams_release(a, b, c);
}
END_TEST

/* S5, S8, item 8: two branches from A, joined on D, which follows A through them. */
START_TEST(a_diamond_joins_both_branches)
{
    baton_stream *a = make_stream(), *b = make_stream(), *c = make_stream(), *d = make_stream();
    baton_array *top = make_array(COUNT, a), *left = make_array(COUNT, b);
    baton_array *right = make_array(COUNT, c), *out = make_array(COUNT, d);
    baton_kernel *kernel = make_add_one(0);
    baton_gate *gate = close_gate(a);
    fill(top, 1, a);
    ok(add_one(kernel, left, top, b, &error));
    ok(add_one(kernel, right, top, c, &error));
    ok(baton_copy(out, left, d, &error));
    ok(add_one(kernel, top, right, d, &error));
    ck_assert_uint_eq(stats().device_waits, 4);         /* B and C on A; D on B and C */
    expect_busy(d);
    open_gate(gate);
    expect(out, 2, d);
    expect(top, 3, d);
    expect(right, 2, d);
    arrays_release(top, left, right, out);
    baton_kernel_release(kernel);
    streams_release(a, b, c, d);
}
END_TEST

/* S8, item 8: every queued wait refers to work that was submitted already. */
START_TEST(a_hundred_thousand_ping_pongs_end_with_the_right_data)
{
    enum { TURNS = 100000 };
    baton_stream *streams[] = { make_stream(), make_stream() };
    baton_array *array = make_array(4, streams[0]);
    baton_kernel *kernel = make_add_one(0);
    fill(array, 0, streams[0]);
    for (int i = 0; i < TURNS; i++)
        ok(add_one(kernel, array, array, streams[i % 2], &error));
    expect(array, TURNS, streams[0]);
    ck_assert_uint_eq(stats().operations, 1 + TURNS + 1);
    arrays_release(array);
    baton_kernel_release(kernel);
    streams_release(streams[0], streams[1]);
}
END_TEST

/* O6, S6: the stream of the launch owns what it writes, whoever made the array or calls. */
static void launch_elsewhere(void *argument)
{
    void **with = argument;
    ok(add_one(with[0], with[1], with[2], with[3], &error));
}

START_TEST(a_launch_gives_the_memory_to_the_stream_of_the_launch)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *to = make_array(COUNT, a), *from = make_array(COUNT, a);
    baton_kernel *kernel = make_add_one(0);
    fill(from, 1, a);
    on_thread(launch_elsewhere, (void *[]) { kernel, to, from, b });
    ck_assert_uint_eq(info_of(to).owner_stream_id, id_of(b));
    ck_assert_uint_eq(info_of(from).owner_stream_id, id_of(a));
    ck_assert_uint_eq(info_of(from).readers, 1);
    expect(to, 2, b);
    arrays_release(to, from);
    baton_kernel_release(kernel);
    streams_release(a, b);
}
END_TEST

/* S6: what the new owner follows on the device only is pending, and stays so until it is known to have finished. */
START_TEST(a_hand_off_leaves_its_origin_pending)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a), *copy = make_array(COUNT, b);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    fill(array, 2, b);
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(b));
    ck_assert_uint_eq(info_of(array).pending_stream_id, id_of(a));
    ck_assert_uint_eq(info_of(array).lock_holder, 0);
    ok(baton_copy(copy, array, b, &error));             /* nor does B's own work on it change that */
    fill(array, 3, b);
    ck_assert_uint_eq(info_of(array).pending_stream_id, id_of(a));
    open_gate(gate);
    ok(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    ck_assert_uint_eq(info_of(array).pending_stream_id, 0);
    expect(array, 3, b);
    expect(copy, 2, b);
    arrays_release(array, copy);
    streams_release(a, b);
}
END_TEST

/* S1: nothing happens to memory without bytes. */
START_TEST(an_empty_array_is_neither_locked_nor_taken)
{
    baton_stream *a = make_stream();
    baton_array *empty = make_array(0, a), *other = make_array(0, a);
    baton_operand operand = { empty, BATON_READ_WRITE, 0, 1 };
    baton_scope *scope;
    uint64_t address = 1;
    counting_start();
    fill(empty, 1, a);
    ok(baton_copy(empty, other, a, &error));
    ok(baton_array_pointer(empty, a, BATON_READ_WRITE, &address, &error));
    ok(baton_scope_begin(a, NULL, &operand, 1, 0, &scope, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    ck_assert_uint_eq(operand.address, 0);
    ck_assert_uint_eq(address, 0);
    ck_assert_uint_eq(info_of(empty).lock_holder, 0);
    ok(baton_scope_end(scope, &error));
    ck_assert_uint_eq(info_of(empty).owner_stream_id, 0);
    baton_scope_release(scope);
    arrays_release(empty, other);
    streams_release(a);
}
END_TEST

/* O1, item 10: one memory is locked and taken once, with the accesses of all its operands. */
START_TEST(an_array_its_view_and_itself_again_are_one_operand)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a), *view = make_view(array, 0, COUNT);
    baton_kernel *kernel = make_add_one(0);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    counting_start();
    ok(add_one(kernel, array, array, b, &error));
    ok(add_one(kernel, array, view, b, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    ck_assert_uint_eq(info_of(view).owner_stream_id, id_of(b));
    ck_assert_uint_eq(info_of(view).readers, 0);
    open_gate(gate);
    expect(array, 3, b);
    arrays_release(array, view);
    baton_kernel_release(kernel);
    streams_release(a, b);
}
END_TEST

struct crossing {
    baton_array *to, *from;
    baton_stream *stream;
};

static void copy_often(void *argument)
{
    struct crossing *crossing = argument;
    for (int i = 0; i < 2000; i++)
        ok(baton_copy(crossing->to, crossing->from, crossing->stream, NULL));
}

/* O1: locks are taken in one order, whatever the order of the operands. */
START_TEST(opposite_operand_orders_on_two_threads_do_not_deadlock)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *x = make_array(16, a), *y = make_array(16, a);
    struct crossing there = { y, x, a }, back = { x, y, b };
    struct waiter other;
    fill(x, 7, a);
    fill(y, 7, a);
    waiter_start(&other, copy_often, &back);
    copy_often(&there);
    waiter_join(&other);
    expect(x, 7, a);
    expect(y, 7, b);
    ck_assert_uint_eq(info_of(x).lock_holder, 0);
    arrays_release(x, y);
    streams_release(a, b);
}
END_TEST

SUPPORT_MAIN("handoff", 60, a_fill_on_memory_of_a_gated_stream_returns_at_once,
             a_kernel_on_memory_of_a_gated_stream_returns_at_once, a_copy_from_memory_of_a_gated_stream_returns_at_once,
             a_copy_to_memory_of_a_gated_stream_returns_at_once,
             two_devices(a_copy_to_another_device_behind_a_gated_stream_returns_at_once),
             an_upload_to_memory_of_a_gated_stream_returns_at_once,
             an_asynchronous_download_from_a_gated_stream_returns_at_once,
             a_chain_over_three_streams_needs_one_wait_per_link, a_diamond_joins_both_branches,
             a_hundred_thousand_ping_pongs_end_with_the_right_data,
             a_launch_gives_the_memory_to_the_stream_of_the_launch, a_hand_off_leaves_its_origin_pending,
             an_empty_array_is_neither_locked_nor_taken, an_array_its_view_and_itself_again_are_one_operand,
             opposite_operand_orders_on_two_threads_do_not_deadlock)
