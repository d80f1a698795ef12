/* Elementwise arithmetic as an operation: order, captures, what it costs, arrays that lie over each other, and what is refused. */
#include "graph_support.h"
#include "model.h"

static int32_t combine(int32_t function, baton_array *to, baton_array *left, baton_array *right, baton_stream *stream)
{
    return baton_elementwise(function, to, &(baton_argument)baton_in(left), &(baton_argument)baton_in(right), stream, &error);
}

static int32_t add_number(baton_array *to, baton_array *from, int32_t number, baton_stream *stream)
{
    return baton_elementwise(BATON_ADD, to, &(baton_argument)baton_in(from), &(baton_argument)baton_value(number), stream, &error);
}

/* 0, 1, 2, ... */
static baton_array *make_counting(int64_t count, baton_stream *s)
{
    baton_array *array = make_array(count, s);
    int32_t zero = 0, one = 1;
    ok(baton_range(array, &zero, &one, sizeof zero, s, &error));
    return array;
}

static baton_array *stepped(baton_array *array, int64_t start, int64_t count, int64_t step)
{
    baton_array *view;
    baton_view_options options = { .struct_size = sizeof options, .ndim = 1, .start = &start, .count = &count, .step = &step };
    ok(baton_array_view(array, &options, &view, &error));
    return view;
}

/* ---- arrays that lie over each other */

START_TEST(an_array_may_be_computed_in_place)
{
    baton_stream *s = make_stream();
    baton_array *x = make_counting(100, s), *backwards = stepped(x, 99, 50, -2), *again = stepped(x, 99, 50, -2);
    int32_t found[100];
    ok(combine(BATON_ADD, x, x, x, s));
    ok(combine(BATON_MULTIPLY, backwards, again, backwards, s));
    ok(baton_download(found, sizeof found, x, s, &error));
    for (int32_t i = 0; i < 100; i++)
        ck_assert_int_eq(found[i], i % 2 ? 4 * i * i : 2 * i);
    arrays_release(x, backwards, again);
    baton_stream_release(s);
}
END_TEST

START_TEST(disjoint_parts_of_one_memory_are_computed_from_each_other)
{
    baton_stream *s = make_stream();
    baton_array *x = make_counting(20, s), *low = make_view(x, 0, 10), *high = make_view(x, 10, 10);
    baton_array *even = stepped(x, 0, 10, 2), *odd = stepped(x, 1, 10, 2);
    int32_t found[20];
    ok(combine(BATON_ADD, low, low, high, s));          /* 10 + 2i, 10 + i */
    ok(combine(BATON_SUBTRACT, odd, even, odd, s));
    ok(baton_download(found, sizeof found, x, s, &error));
    for (int32_t i = 0; i < 20; i++) {
        int32_t first = i < 10 ? 10 + 2 * i : i, before = i < 11 ? 10 + 2 * (i - 1) : i - 1;
        ck_assert_int_eq(found[i], i % 2 ? before - first : first);
    }
    arrays_release(x, low, high, even, odd);
    baton_stream_release(s);
}
END_TEST

START_TEST(what_lies_over_other_elements_is_refused)
{
    baton_stream *s = make_stream();
    baton_array *x = make_counting(20, s), *first = make_view(x, 0, 10), *second = make_view(x, 1, 10), *mirror = stepped(x, 9, 10, -1);
    baton_array *one = make_view(x, 3, 1);
    counting_start();
    refused(BATON_ERR_OVERLAP, combine(BATON_ADD, first, first, second, s));
    ck_assert_ptr_nonnull(strstr(error.message, "right"));
    refused(BATON_ERR_OVERLAP, combine(BATON_ADD, first, mirror, first, s));
    ck_assert_ptr_nonnull(strstr(error.message, "left"));
    refused(BATON_ERR_OVERLAP, combine(BATON_ADD, first, first, one, s));
    refused(BATON_ERR_OVERLAP, baton_cast(first, second, s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    arrays_release(x, first, second, mirror, one);
    baton_stream_release(s);
}
END_TEST

/* ---- order */

/* S2, S3: two streams behind gates; the host goes on. */
START_TEST(operands_are_handed_over_between_streams)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *x = make_counting(100, a), *y = make_counting(100, b), *z = make_array(100, b);
    ok(combine(BATON_ADD, z, x, y, a));                 /* loads what it needs */
    baton_gate *gate_a = close_gate(a), *gate_b = close_gate(b);
    baton_stats before = stats();
    ok(add_number(x, x, 1, a));
    ok(add_number(y, y, 10, b));
    ok(combine(BATON_MULTIPLY, z, x, y, b));            /* behind a's write of x */
    ok(add_number(x, x, 1000, a));                      /* behind b's read of x */
    ok(add_number(z, z, 1, a));                         /* behind b's write of z */
    for (int cause = 0; cause < BATON_HOST_WAIT_CAUSES; cause++)
        ck_assert_uint_eq(stats().host_waits[cause], before.host_waits[cause]);
    ck_assert_uint_eq(stats().operations - before.operations, 5);
    open_gate(gate_b);
    open_gate(gate_a);
    int32_t found[100];
    ok(baton_download(found, sizeof found, z, b, &error));
    for (int32_t i = 0; i < 100; i++)
        ck_assert_int_eq(found[i], (i + 1) * (i + 10) + 1);
    arrays_release(x, y, z);
    streams_release(a, b);
}
END_TEST

/* O11 */
START_TEST(a_value_may_be_reused_on_return)
{
    baton_stream *s = make_stream();
    baton_array *x = make_counting(10, s);
    int32_t value = 5, found[10];
    baton_gate *gate = close_gate(s);
    ok(baton_elementwise(BATON_ADD, x, &(baton_argument)baton_value(value), &(baton_argument)baton_in(x), s, &error));
    value = 6;
    open_gate(gate);
    ok(baton_download(found, sizeof found, x, s, &error));
    for (int32_t i = 0; i < 10; i++)
        ck_assert_int_eq(found[i], i + 5);
    baton_array_release(x);
    baton_stream_release(s);
}
END_TEST

/* O3 */
START_TEST(an_operation_is_one_launch_and_nothing_else)
{
    baton_stream *s = make_stream();
    baton_array *x = make_counting(1000, s), *y = make_counting(1000, s), *even = stepped(x, 0, 500, 2), *f = make_shaped(BATON_F64, 1, (int64_t[]) { 1000 }, s);
    int32_t number = 1;
    for (int round = 0; round < 2; round++) {           /* the first one loads what is needed */
        counting_start();
        ok(combine(BATON_ADD, x, x, y, s));
        ok(add_number(even, even, 1, s));
        ok(baton_cast(f, x, s, &error));
        ok(baton_range(y, &number, &number, sizeof number, s, &error));
    }
    ck_assert_uint_eq(calls(DRIVER_ROW_launch), 4);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 4);
    arrays_release(x, y, even, f);
    baton_stream_release(s);
}
END_TEST

/* S1 */
START_TEST(without_elements_nothing_is_submitted)
{
    baton_stream *s = make_stream();
    baton_array *none = make_shaped(BATON_I32, 2, (int64_t[]) { 0, 3 }, s), *row = make_counting(3, s), *reals = make_shaped(BATON_F32, 2, (int64_t[]) { 0, 3 }, s);
    int32_t number = 1;
    counting_start();
    ok(combine(BATON_DIVIDE, none, none, row, s));
    ok(baton_cast(reals, none, s, &error));
    ok(baton_cast(reals, row, s, &error));
    ok(baton_range(none, &number, &number, sizeof number, s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    arrays_release(none, row, reals);
    baton_stream_release(s);
}
END_TEST

/* ---- captures */

/* C6, C7: also when the kernels are loaded by the captured call itself. The value is kept by the graph. */
START_TEST(a_captured_operation_runs_at_every_launch)
{
    baton_stream *s = make_stream(), *t = make_stream();
    baton_array *x = make_array(10, s), *y = make_array(10, s);
    int32_t value = 3;
    fill(x, 1, s);
    fill(y, 0, s);
    begin(s, BATON_CAPTURE_GLOBAL);
    ok(baton_elementwise(BATON_MULTIPLY, x, &(baton_argument)baton_in(x), &(baton_argument)baton_value(value), s, &error));
    ok(combine(BATON_ADD, y, y, x, s));
    value = 100;
    expect_capturing(s);
    baton_executable *executable = end_executable(s);
    launch(executable, t);
    launch(executable, s);
    expect(x, 9, t);
    expect(y, 12, s);
    baton_executable_release(executable);
    arrays_release(x, y);
    streams_release(s, t);
}
END_TEST

START_TEST(a_captured_cast_and_range_run_at_every_launch)
{
    baton_stream *s = make_stream();
    baton_array *x = make_array(10, s), *f = make_shaped(BATON_F32, 1, (int64_t[]) { 10 }, s);
    int32_t start = 1, step = 2;
    float found[10];
    fill(x, 0, s);
    begin(s, BATON_CAPTURE_THREAD_LOCAL);
    ok(baton_range(x, &start, &step, sizeof step, s, &error));
    ok(baton_cast(f, x, s, &error));
    ok(add_number(x, x, 1, s));
    baton_executable *executable = end_executable(s);
    for (int round = 0; round < 2; round++) {
        fill(x, 77, s);
        launch(executable, s);
        ok(baton_download(found, sizeof found, f, s, &error));
        for (int i = 0; i < 10; i++)
            ck_assert(found[i] == (float)(1 + 2 * i));
    }
    baton_executable_release(executable);
    arrays_release(x, f);
    baton_stream_release(s);
}
END_TEST

/* ---- refused before anything is submitted (E1) */

START_TEST(a_wrong_operation_is_refused)
{
    baton_stream *s = make_stream();
    baton_array *x = make_counting(4, s), *f = make_shaped(BATON_F32, 1, (int64_t[]) { 4 }, s), *u = make_shaped(BATON_U32, 1, (int64_t[]) { 4 }, s);
    baton_array *dead = make_array(4, s);
    int64_t wide = 1;
    int32_t number = 1;
    baton_argument in = baton_in(x), value = baton_value(number), both = { .array = x, .data = &number, .bytes = 4 }, none = { .array = NULL };
    ok(baton_array_dispose(dead, &error));
    ok(combine(BATON_ADD, x, x, x, s));                 /* loads what it needs */
    counting_start();
    refused(BATON_ERR_ARGUMENT, baton_elementwise(0, x, &in, &in, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_elementwise(5, x, &in, &in, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_elementwise(BATON_ADD, NULL, &in, &in, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_elementwise(BATON_ADD, x, NULL, &in, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_elementwise(BATON_ADD, x, &in, NULL, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_elementwise(BATON_ADD, x, &in, &in, NULL, &error));
    refused(BATON_ERR_ARGUMENT, baton_elementwise(BATON_ADD, x, &in, &none, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_elementwise(BATON_ADD, x, &both, &in, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_elementwise(BATON_ADD, x, &in, &(baton_argument)baton_value(wide), s, &error));
    refused(BATON_ERR_ARGUMENT, baton_elementwise(BATON_ADD, x, &in, &(baton_argument)baton_inout(x), s, &error));
    refused(BATON_ERR_HANDLE, baton_elementwise(BATON_ADD, x, &value, &(baton_argument)baton_in(dead), s, &error));
    refused(BATON_ERR_HANDLE, baton_elementwise(BATON_ADD, dead, &value, &value, s, &error));
    refused(BATON_ERR_HANDLE, baton_elementwise(BATON_ADD, (baton_array *)(void *)s, &value, &value, s, &error));
    refused(BATON_ERR_HANDLE, baton_elementwise(BATON_ADD, x, &value, &value, (baton_stream *)(void *)x, &error));
    refused(BATON_ERR_DTYPE, combine(BATON_ADD, x, x, f, s));
    ck_assert_ptr_nonnull(strstr(error.message, "right is of f32, the destination of i32"));
    refused(BATON_ERR_DTYPE, combine(BATON_ADD, u, u, u, s));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    ok(baton_elementwise(BATON_ADD, x, &value, &(baton_argument) { .array = x }, s, &error));       /* access 0 is fine */
    arrays_release(x, f, u, dead);
    baton_stream_release(s);
}
END_TEST

START_TEST(a_shape_that_does_not_broadcast_is_named)
{
    int64_t ones[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    baton_stream *s = make_stream();
    baton_array *to = make_shaped(BATON_I32, 2, (int64_t[]) { 2, 3 }, s), *turned = make_shaped(BATON_I32, 2, (int64_t[]) { 3, 2 }, s);
    baton_array *scalar = make_shaped(BATON_I32, 0, NULL, s), *deep = make_shaped(BATON_I32, 16, ones, s), *row = make_shaped(BATON_I32, 1, (int64_t[]) { 3 }, s);
    fill(row, 1, s);
    fill(scalar, 1, s);
    counting_start();
    refused(BATON_ERR_SHAPE, combine(BATON_ADD, to, to, turned, s));
    ck_assert_str_eq(error.message, "right has the shape (3, 2), which does not broadcast to (2, 3)");
    refused(BATON_ERR_SHAPE, combine(BATON_ADD, scalar, row, scalar, s));
    ck_assert_str_eq(error.message, "left has the shape (3), which does not broadcast to ()");
    refused(BATON_ERR_SHAPE, combine(BATON_ADD, row, to, row, s));
    refused(BATON_ERR_SHAPE, combine(BATON_ADD, row, deep, row, s));
    ck_assert_str_eq(error.message, "left has the shape (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), which does not broadcast to (3)");
    refused(BATON_ERR_SHAPE, baton_cast(turned, to, s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    ok(combine(BATON_ADD, to, row, scalar, s));
    expect(to, 2, s);
    arrays_release(to, turned, scalar, deep, row);
    baton_stream_release(s);
}
END_TEST

/* S12 */
START_TEST(operands_of_another_device_are_reached_or_refused)
{
    baton_stream *s = make_stream(), *other = make_stream_on(1);
    baton_array *x = make_counting(4, s), *far = make_counting(4, other);
    int32_t status = combine(BATON_ADD, x, x, far, s), found[4];
    ck_assert_int_eq(status, status ? BATON_ERR_PEER : BATON_OK);
    ok(baton_download(found, sizeof found, x, s, &error));
    for (int32_t i = 0; i < 4; i++)
        ck_assert_int_eq(found[i], status ? i : 2 * i);
    arrays_release(x, far);
    streams_release(s, other);
}
END_TEST

SUPPORT_MAIN("elementwise_use", 60, an_array_may_be_computed_in_place, disjoint_parts_of_one_memory_are_computed_from_each_other,
             what_lies_over_other_elements_is_refused, operands_are_handed_over_between_streams, a_value_may_be_reused_on_return,
             an_operation_is_one_launch_and_nothing_else, without_elements_nothing_is_submitted, a_captured_operation_runs_at_every_launch,
             a_captured_cast_and_range_run_at_every_launch, a_wrong_operation_is_refused, a_shape_that_does_not_broadcast_is_named,
             two_devices(operands_of_another_device_are_reached_or_refused))
