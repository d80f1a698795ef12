/* How captures begin and end, in order and out of order. */
#include "graph_support.h"

#include "journal.h"

/* C5: only the stream that began it ends a capture; a stream that merely takes part does not. */
START_TEST(a_capture_ends_on_the_stream_that_began_it)
{
    struct bench bench;
    bench_make(&bench);
    baton_stream *t = make_stream(), *u = make_stream();
    baton_graph *graph = NULL;
    begin(bench.s, BATON_CAPTURE_RELAXED);
    ok(baton_stream_follow(t, bench.s, &error));
    ck_assert_int_eq(is_active(t), 1);
    refused(BATON_ERR_CAPTURE, baton_capture_end(t, &graph, &error));
    refused(BATON_ERR_CAPTURE, baton_capture_end(u, &graph, &error));
    refused(BATON_ERR_CAPTURE, baton_capture_abandon(t, &error));
    ok(baton_capture_abandon(u, &error));
    ck_assert_ptr_null(graph);
    ok(baton_stream_follow(bench.s, t, &error));
    expect_capturing(bench.s);
    baton_graph_release(end(bench.s));
    ck_assert_int_eq(is_active(t), 0);
    streams_release(t, u);
    bench_drop(&bench);
}
END_TEST

/* C1, C5: a second begin and a second end are refused, and change nothing. */
START_TEST(a_capture_begins_once_and_ends_once)
{
    struct bench bench;
    bench_make(&bench);
    baton_graph *graph = NULL;
    refused(BATON_ERR_CAPTURE, baton_capture_end(bench.s, &graph, &error));
    begin(bench.s, BATON_CAPTURE_GLOBAL);
    refused(BATON_ERR_CAPTURE, baton_capture_begin(bench.s, BATON_CAPTURE_GLOBAL, &error));
    expect_capturing(bench.s);
    baton_graph_release(end(bench.s));
    refused(BATON_ERR_CAPTURE, baton_capture_end(bench.s, &graph, &error));
    ck_assert_ptr_null(graph);
    expect(bench.x, 1, bench.s);
    bench_drop(&bench);
}
END_TEST

/* E1: bad input is refused, and the capture goes on where there is one. */
START_TEST(bad_arguments_are_refused_before_anything_changes)
{
    struct bench bench;
    bench_make(&bench);
    baton_stream *legacy, *own;
    int32_t active;
    ok(baton_stream_wrap(runtime, 0, BATON_STREAM_LEGACY, &legacy, &error));
    ok(baton_stream_wrap(runtime, 0, BATON_STREAM_PER_THREAD, &own, &error));
    refused(BATON_ERR_ARGUMENT, baton_capture_begin(bench.s, -1, &error));
    refused(BATON_ERR_ARGUMENT, baton_capture_begin(bench.s, 3, &error));
    refused(BATON_ERR_ARGUMENT, baton_capture_begin(NULL, 0, &error));
    refused(BATON_ERR_STREAM, baton_capture_begin(legacy, 0, &error));
    refused(BATON_ERR_STREAM, baton_capture_begin(own, 0, &error));
    refused(BATON_ERR_ARGUMENT, baton_capture_active(bench.s, NULL, &error));
    refused(BATON_ERR_ARGUMENT, baton_capture_active(NULL, &active, &error));
    begin(bench.s, BATON_CAPTURE_GLOBAL);
    refused(BATON_ERR_ARGUMENT, baton_capture_end(bench.s, NULL, &error));
    expect_capturing(bench.s);
    baton_graph_release(end(bench.s));
    streams_release(legacy, own);
    bench_drop(&bench);
}
END_TEST

/* C5: a refused driver call inside is named with the capture's fate; when the capture survived, it ends well. */
START_TEST(a_failed_call_says_that_the_capture_goes_on)
{
    struct bench bench;
    bench_make(&bench);
    begin(bench.s, BATON_CAPTURE_RELAXED);
    instrument_fail(DRIVER_ROW_fill32, 1, DRIVER_INVALID_VALUE, 0);
    refused(BATON_ERR_DRIVER, baton_fill(bench.x, &(int32_t) { 5 }, 4, bench.s, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "cuMemsetD32Async"));
    ck_assert_ptr_nonnull(strstr(error.message, "goes on"));
    fill(bench.y, 6, bench.s);
    baton_graph *graph = end(bench.s);
    ck_assert_uint_eq(graph_info_of(graph).steps, 1);
    baton_graph_release(graph);
    bench_drop(&bench);
}
END_TEST

static void break_capture(baton_stream *stream)
{
    driver_stream native = (driver_stream)(uintptr_t)stream_handle(stream);
    ck_assert_int_eq(outside_driver()->stream_query(native), DRIVER_STREAM_CAPTURE_UNSUPPORTED);
}

/* C5: a call that the capture survived is not blamed for what breaks it later. */
START_TEST(the_end_does_not_name_a_call_that_the_capture_survived)
{
    struct bench bench;
    bench_make(&bench);
    baton_graph *graph;
    begin(bench.s, BATON_CAPTURE_RELAXED);
    instrument_fail(DRIVER_ROW_fill32, 1, DRIVER_INVALID_VALUE, 0);
    refused(BATON_ERR_DRIVER, baton_fill(bench.x, &(int32_t) { 5 }, 4, bench.s, &error));
    break_capture(bench.s);
    refused(BATON_ERR_DRIVER, add_one(bench.kernel, bench.y, bench.x, bench.s, &error));
    refused(BATON_ERR_DRIVER, baton_capture_end(bench.s, &graph, &error));
    ck_assert_int_eq(error.operation, BATON_OP_LAUNCH);
    bench_drop(&bench);
}
END_TEST

/* C5: when a call found the capture broken, the end returns that call's error and not its own. */
START_TEST(the_end_names_the_call_that_found_the_capture_broken)
{
    struct bench bench;
    bench_make(&bench);
    baton_graph *graph = NULL;
    begin(bench.s, BATON_CAPTURE_RELAXED);
    fill(bench.x, 5, bench.s);
    break_capture(bench.s);
    refused(BATON_ERR_DRIVER, baton_fill(bench.y, &(int32_t) { 5 }, 4, bench.s, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "is lost"));
    refused(BATON_ERR_DRIVER, add_one(bench.kernel, bench.y, bench.x, bench.s, &error));
    refused(BATON_ERR_DRIVER, baton_capture_end(bench.s, &graph, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "cuMemsetD32Async"));
    ck_assert_int_eq(error.operation, BATON_OP_FILL);
    ck_assert_ptr_null(graph);
    expect(bench.x, 1, bench.s);
    bench_drop(&bench);
}
END_TEST

/* C5: broken behind the library's back, the end's own error says it, and the stream is an ordinary one again. */
START_TEST(a_capture_broken_elsewhere_ends_with_the_drivers_error)
{
    struct bench bench;
    bench_make(&bench);
    baton_graph *graph;
    begin(bench.s, BATON_CAPTURE_RELAXED);
    break_capture(bench.s);
    refused(BATON_ERR_DRIVER, baton_capture_end(bench.s, &graph, &error));
    ck_assert_int_eq(error.driver_code, DRIVER_STREAM_CAPTURE_INVALIDATED);
    fill(bench.x, 2, bench.s);
    expect(bench.x, 2, bench.s);
    bench_drop(&bench);
}
END_TEST

/* C5: a follow that breaks the capture is named too. */
START_TEST(the_end_names_a_follow_that_broke_the_capture)
{
    struct bench bench;
    bench_make(&bench);
    baton_stream *t = make_stream();
    baton_graph *graph;
    begin(bench.s, BATON_CAPTURE_RELAXED);
    break_capture(bench.s);
    refused(BATON_ERR_DRIVER, baton_stream_follow(t, bench.s, &error));
    ck_assert_int_eq(is_active(t), 0);
    refused(BATON_ERR_DRIVER, baton_capture_end(bench.s, &graph, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "is lost"));
    fill(bench.x, 3, t);
    expect(bench.x, 3, t);
    baton_stream_release(t);
    bench_drop(&bench);
}
END_TEST

/* C5: streams that were not joined again make the end fail; all of them are free afterwards. */
START_TEST(an_unjoined_stream_fails_the_end_and_every_stream_is_free)
{
    struct bench bench;
    bench_make(&bench);
    baton_stream *t = make_stream();
    baton_graph *graph;
    begin(bench.s, BATON_CAPTURE_RELAXED);
    ok(baton_stream_follow(t, bench.s, &error));
    fill(bench.y, 5, t);
    refused(BATON_ERR_DRIVER, baton_capture_end(bench.s, &graph, &error));
    ck_assert_int_eq(error.driver_code, DRIVER_STREAM_CAPTURE_UNJOINED);
    ck_assert_int_eq(is_active(t), 0);
    fill(bench.x, 2, t);
    expect(bench.x, 2, bench.s);
    baton_stream_release(t);
    bench_drop(&bench);
}
END_TEST

static void end_elsewhere(void *argument)
{
    baton_graph *graph;
    refused(BATON_ERR_DRIVER, baton_capture_end(argument, &graph, &error));
    ck_assert_int_eq(error.driver_code, DRIVER_STREAM_CAPTURE_WRONG_THREAD);
}

static void end_relaxed(void *argument)
{
    baton_graph_release(end(argument));
}

/* C5: the wrong thread is refused by the driver, and the stream is free all the same; a relaxed capture may hop threads. */
START_TEST(a_relaxed_capture_ends_on_another_thread_and_the_others_fail_there)
{
    struct bench bench;
    bench_make(&bench);
    for (int32_t mode = 0; mode <= BATON_CAPTURE_RELAXED; mode++) {
        begin(bench.s, mode);
        fill(bench.x, 9, bench.s);
        on_thread(mode == BATON_CAPTURE_RELAXED ? end_relaxed : end_elsewhere, bench.s);
        ck_assert_int_eq(is_active(bench.s), 0);
        fill(bench.y, mode, bench.s);
        expect(bench.y, mode, bench.s);
    }
    bench_drop(&bench);
}
END_TEST

/* C1, W1: a scope is a submission that has not ended; a capture neither begins nor ends around it. */
START_TEST(no_capture_begins_or_ends_while_a_scope_is_open_on_the_stream)
{
    struct bench bench;
    bench_make(&bench);
    baton_scope *scope;
    baton_graph *graph;
    baton_operand operand = { .array = bench.x };
    ok(baton_scope_begin(bench.s, NULL, &operand, 1, 0, &scope, &error));
    refused(BATON_ERR_BUSY, baton_capture_begin(bench.s, BATON_CAPTURE_RELAXED, &error));
    ck_assert_int_eq(is_active(bench.s), 0);
    ok(baton_scope_end(scope, &error));
    baton_scope_release(scope);
    begin(bench.s, BATON_CAPTURE_RELAXED);
    ok(baton_scope_begin(bench.s, NULL, &operand, 1, 0, &scope, &error));
    refused(BATON_ERR_BUSY, baton_capture_end(bench.s, &graph, &error));
    refused(BATON_ERR_CAPTURE, baton_capture_abandon(bench.s, &error));
    expect_capturing(bench.s);
    ok(baton_scope_end(scope, &error));
    baton_scope_release(scope);
    graph = end(bench.s);
    ck_assert_uint_eq(graph_info_of(graph).memories, 1);
    baton_graph_release(graph);
    bench_drop(&bench);
}
END_TEST

/* C5: an abandoned capture gives back what it kept, at every step. */
START_TEST(an_abandoned_capture_releases_what_it_kept)
{
    struct bench bench;
    bench_make(&bench);
    for (int steps = 0; steps < 5; steps++) {
        baton_array *z = make_array(100, bench.s);
        baton_stream *t = make_stream();
        struct soft_census before = census_now();
        begin(bench.s, BATON_CAPTURE_THREAD_LOCAL);
        if (steps > 0)
            ok(add_one(bench.kernel, z, bench.x, bench.s, &error));
        if (steps > 1)
            ok(baton_upload(z, (int32_t[100]) { 1 }, 400, bench.s, &error));
        if (steps > 2)
            ok(baton_stream_follow(t, bench.s, &error));
        if (steps > 3)
            ok(add_one(bench.kernel, bench.y, bench.x, t, &error));
        baton_array_release(z);
        ok(baton_capture_abandon(bench.s, &error));
        ck_assert_int_eq(is_active(t), 0);
        ck_assert_uint_eq(census_now().allocations, before.allocations - 1);
        baton_stream_release(t);
    }
    ok(baton_capture_abandon(bench.s, &error));
    bench_drop(&bench);
}
END_TEST

/* C5: closing the runtime ends what is left, also when a stream that joined is older than the one that began. */
START_TEST(closing_the_runtime_abandons_its_captures)
{
    baton_stream *older = make_stream(), *s = make_stream();
    baton_array *x = make_array(100, s);
    begin(s, BATON_CAPTURE_GLOBAL);
    fill(x, 1, s);
    ok(baton_stream_follow(older, s, &error));
    baton_array_release(x);
    streams_release(older, s);
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
}
END_TEST

SUPPORT_WITHOUT_CACHE

SUPPORT_MAIN("graph end", 60, a_capture_ends_on_the_stream_that_began_it, a_capture_begins_once_and_ends_once,
             bad_arguments_are_refused_before_anything_changes, a_failed_call_says_that_the_capture_goes_on,
             the_end_does_not_name_a_call_that_the_capture_survived, the_end_names_the_call_that_found_the_capture_broken, a_capture_broken_elsewhere_ends_with_the_drivers_error,
             the_end_names_a_follow_that_broke_the_capture, an_unjoined_stream_fails_the_end_and_every_stream_is_free,
             a_relaxed_capture_ends_on_another_thread_and_the_others_fail_there,
             no_capture_begins_or_ends_while_a_scope_is_open_on_the_stream, an_abandoned_capture_releases_what_it_kept,
             closing_the_runtime_abandons_its_captures)
