/* Captures take nothing; launching a graph hands over. */
#include "support.h"

static baton_executable *make_executable(baton_graph *graph)
{
    baton_executable *executable;
    ok(baton_graph_instantiate(graph, &executable, &error));
    return executable;
}

/* C4, C6: what a capture adds to its set changes no owner; a launch on a third stream takes the whole set. Section 9, item 6. */
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

SUPPORT_MAIN("graph capture", 30, a_graph_captured_after_a_hand_off_is_launched_on_a_third_stream_without_a_host_wait,
             others_use_memory_of_a_captured_stream_and_the_capturing_task_is_refused, a_graph_launched_inside_a_capture_merges_its_set)
