/* Captures take nothing; launching a graph hands over. */
#include "graph_support.h"

/* S2, C4, C6: what a capture adds to its set changes no owner; a launch on a third stream takes the whole set. Section 9, item 6. */
START_TEST(a_graph_captured_after_a_hand_off_is_launched_on_a_third_stream_without_a_host_wait)
{
    baton_stream *a = make_stream(), *b = make_stream(), *c = make_stream();
    baton_array *x = make_array(100, a), *y = make_array(100, b);
    baton_kernel *kernel = make_add_one(0);
    baton_graph *graph;
    fill(x, 5, a);
    baton_gate *gate = close_gate(a);
    fill(x, 6, a);
    fill(x, 7, b);
    uint64_t owner = info_of(x).owner_stream_id;
    ok(baton_capture_begin(b, BATON_CAPTURE_THREAD_LOCAL, &error));
    ok(add_one(kernel, y, x, b, &error));
    ok(baton_capture_end(b, &graph, &error));
    ck_assert_uint_eq(info_of(x).owner_stream_id, owner);
    baton_executable *executable = make_executable(graph);
    ok(baton_graph_launch(executable, c, &error));
    ck_assert_int_eq(baton_stream_query(c, &error), BATON_NOT_READY);
    ck_assert_uint_eq(info_of(y).owner_stream_id, id_of(c));
    open_gate(gate);
    expect(y, 8, c);
    baton_executable_release(executable);
    baton_graph_release(graph);
    baton_kernel_release(kernel);
    baton_array_release(x);
    baton_array_release(y);
    baton_stream_release(a);
    baton_stream_release(b);
    baton_stream_release(c);
}
END_TEST

/* C2, C3: others use memory last used on a captured stream; the capturing task is refused, and its capture stays valid. Section 9, item 7. */
START_TEST(others_use_memory_of_a_captured_stream_and_the_capturing_task_is_refused)
{
    baton_stream *s = make_stream(), *mine = make_stream(), *other = make_stream();
    baton_array *x = make_array(100, s), *y = make_array(100, s);
    baton_graph *graph;
    ok(baton_stream_set_task(s, 7, &error));
    ok(baton_stream_set_task(mine, 7, &error));
    baton_gate *gate = close_gate(s);
    fill(x, 1, s);
    ok(baton_capture_begin(s, BATON_CAPTURE_GLOBAL, &error));
    fill(y, 2, s);
    refused(BATON_ERR_CAPTURE, baton_fill(x, &(int32_t) { 9 }, 4, mine, &error));
    refused(BATON_ERR_CAPTURE, baton_array_wait(x, mine, BATON_WAIT_AUTO, &error));
    fill(x, 3, other);
    ck_assert_int_eq(baton_stream_query(other, &error), BATON_NOT_READY);
    ok(baton_capture_end(s, &graph, &error));
    open_gate(gate);
    expect(x, 3, other);
    baton_graph_release(graph);
    baton_array_release(x);
    baton_array_release(y);
    baton_stream_release(s);
    baton_stream_release(mine);
    baton_stream_release(other);
}
END_TEST

/* C8: a graph launched inside another capture becomes part of it. */
START_TEST(a_graph_launched_inside_a_capture_merges_its_set)
{
    baton_stream *s = make_stream();
    baton_array *x = make_array(100, s), *y = make_array(100, s), *z = make_array(100, s);
    baton_kernel *kernel = make_add_one(0);
    baton_graph *inner, *outer;
    fill(x, 1, s);
    ok(baton_capture_begin(s, BATON_CAPTURE_RELAXED, &error));
    ok(add_one(kernel, y, x, s, &error));
    ok(baton_capture_end(s, &inner, &error));
    baton_executable *small = make_executable(inner);
    ok(baton_capture_begin(s, BATON_CAPTURE_RELAXED, &error));
    ok(baton_graph_launch(small, s, &error));
    ok(add_one(kernel, z, y, s, &error));
    ok(baton_capture_end(s, &outer, &error));
    baton_executable *big = make_executable(outer);
    baton_executable_release(small);
    baton_graph_release(inner);
    baton_graph_release(outer);
    ok(baton_graph_launch(big, s, &error));
    expect(z, 3, s);
    baton_executable_release(big);
    baton_kernel_release(kernel);
    baton_array_release(x);
    baton_array_release(y);
    baton_array_release(z);
    baton_stream_release(s);
}
END_TEST


enum { MODES = 3 };

struct turn {
    struct bench *bench;
    baton_stream *other;
    int32_t mode;
};

static void capturing_task(void *argument)
{
    struct turn *turn = argument;
    baton_stream *mine = make_stream();
    ok(baton_stream_set_task(mine, 7, &error));
    expect_capturing(turn->bench->s);
    counting_start();
    refused(BATON_ERR_CAPTURE, baton_fill(turn->bench->x, &(int32_t) { 9 }, 4, mine, &error));
    refused(BATON_ERR_CAPTURE, baton_array_wait(turn->bench->x, mine, BATON_WAIT_AUTO, &error));
    refused(BATON_ERR_CAPTURE, baton_stream_synchronize(turn->bench->s, BATON_WAIT_AUTO, &error));
    refused(BATON_ERR_CAPTURE, baton_stream_query(turn->bench->s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    expect_capturing(turn->bench->s);
    baton_stream_release(mine);
}

static void other_task(void *argument)
{
    struct turn *turn = argument;
    counting_start();
    fill(turn->bench->x, 3, turn->other);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 0);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_synchronize), 0);
    expect_busy(turn->other);
    expect_capturing(turn->bench->s);
}

/* C2, C3: with the capture's mode and the threads varied: another task waits on the device for the event before the capture,
 * the capturing task is refused without a driver call, whichever thread it runs on. */
START_TEST(in_each_mode_and_on_each_thread_others_wait_on_the_device_and_the_capturing_task_is_refused)
{
    struct bench bench;
    bench_make(&bench);
    ok(baton_stream_set_task(bench.s, 7, &error));
    for (int i = 0; i < 2 * MODES; i++) {
        struct turn turn = { &bench, make_stream(), i / 2 };
        baton_gate *gate = close_gate(bench.s);
        fill(bench.x, 2, bench.s);
        begin(bench.s, turn.mode);
        fill(bench.y, 4, bench.s);
        if (i % 2) {
            on_thread(capturing_task, &turn);
            on_thread(other_task, &turn);
        } else {
            capturing_task(&turn);
            other_task(&turn);
        }
        baton_graph_release(end(bench.s));
        open_gate(gate);
        expect(bench.x, 3, turn.other);
        baton_stream_release(turn.other);
    }
    bench_drop(&bench);
}
END_TEST

/* C3: tag 0 is nobody's, so a wait without one is another task's. C2: the shared event is not recorded while s captures. */
START_TEST(a_stream_without_a_task_is_no_task_of_the_captures)
{
    struct bench bench;
    bench_make(&bench);
    baton_stream *t = make_stream();
    begin(bench.s, BATON_CAPTURE_THREAD_LOCAL);
    fill(bench.x, 5, t);
    baton_graph_release(end(bench.s));
    expect(bench.x, 5, t);
    baton_stream_release(t);
    bench_drop(&bench);
}
END_TEST

/* C4, C11: operations, pointers and uploads on the capturing stream change no owner, wait for nobody and take no ticket. */
START_TEST(captured_uses_change_no_owner_and_wait_for_nobody)
{
    struct bench bench;
    bench_make(&bench);
    baton_stream *t = make_stream();
    uint64_t address;
    baton_gate *gate = close_gate(t);
    fill(bench.x, 6, t);
    fill(bench.y, 7, t);
    begin(bench.s, BATON_CAPTURE_GLOBAL);
    counting_start();
    ok(add_one(bench.kernel, bench.y, bench.x, bench.s, &error));
    fill(bench.x, 8, bench.s);
    ok(baton_array_pointer(bench.x, bench.s, BATON_READ, &address, &error));
    ok(baton_copy(bench.y, bench.x, bench.s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 0);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 0);
    ck_assert_uint_eq(info_of(bench.x).owner_stream_id, id_of(t));
    ck_assert_uint_eq(info_of(bench.x).flags & BATON_ARRAY_TAINTED, 0);
    baton_graph *graph = end(bench.s);
    ck_assert_uint_eq(info_of(bench.y).owner_stream_id, id_of(t));
    ck_assert_uint_eq(graph_info_of(graph).memories, 2);
    ck_assert_uint_eq(graph_info_of(graph).written, 2);
    ck_assert_uint_eq(graph_info_of(graph).steps, 4);
    baton_graph_release(graph);
    open_gate(gate);
    expect(bench.x, 6, t);
    expect(bench.y, 7, t);
    baton_stream_release(t);
    bench_drop(&bench);
}
END_TEST

/* C9: section 9, item 12: what is released while a stream captures is kept until the end, and the capture does not notice. */
START_TEST(a_release_inside_a_capture_is_given_back_after_the_end)
{
    struct bench bench;
    bench_make(&bench);
    for (int32_t mode = 0; mode < MODES; mode++) {
        baton_array *z = make_array(100, bench.s), *used = make_array(100, bench.s);
        baton_executable *old = capture_add_one(bench.kernel, bench.y, bench.x, bench.s);
        struct soft_census before = census_now(), after;
        begin(bench.s, mode);
        ok(add_one(bench.kernel, used, bench.x, bench.s, &error));
        baton_array_release(z);
        baton_array_release(used);
        baton_executable_release(old);
        after = census_now();
        ck_assert_uint_eq(after.allocations, before.allocations);
        ck_assert_uint_eq(after.executables, before.executables);
        expect_capturing(bench.s);
        baton_graph *graph = end(bench.s);
        after = census_now();
        ck_assert_uint_eq(after.allocations, before.allocations - 1);
        ck_assert_uint_eq(after.executables, 0);
        baton_graph_release(graph);
        after = census_now();
        ck_assert_uint_eq(after.allocations, before.allocations - 2);
    }
    bench_drop(&bench);
}
END_TEST

SUPPORT_WITHOUT_CACHE

/* C4, E1: or a launch of the graph would take memory that nothing in it uses, and that foreign code may go on using elsewhere (P4). */
START_TEST(a_refused_operation_leaves_nothing_in_the_captures_set)
{
    struct bench bench;
    bench_make(&bench);
    ok(baton_array_dispose(bench.y, &error));
    begin(bench.s, BATON_CAPTURE_THREAD_LOCAL);
    refused(BATON_ERR_HANDLE, add_one(bench.kernel, bench.x, bench.y, bench.s, &error));
    baton_graph *graph = end(bench.s);
    ck_assert_uint_eq(graph_info_of(graph).memories, 0);
    baton_graph_release(graph);
    bench_drop(&bench);
}
END_TEST

SUPPORT_MAIN("graph capture", 30, a_graph_captured_after_a_hand_off_is_launched_on_a_third_stream_without_a_host_wait,
             others_use_memory_of_a_captured_stream_and_the_capturing_task_is_refused, a_graph_launched_inside_a_capture_merges_its_set,
             in_each_mode_and_on_each_thread_others_wait_on_the_device_and_the_capturing_task_is_refused,
             a_stream_without_a_task_is_no_task_of_the_captures, captured_uses_change_no_owner_and_wait_for_nobody,
             a_release_inside_a_capture_is_given_back_after_the_end, a_refused_operation_leaves_nothing_in_the_captures_set)
