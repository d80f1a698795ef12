/* Loops that are captured by one call, and what a graph tells about itself. */
#include "graph_support.h"

#include <stdio.h>

/* A loop's body: `steps` submissions, and what else it is told to do. */
struct body {
    struct bench *bench;
    int steps;
    int32_t status;             /* returned; 0: BATON_OK */
    int downloads, breaks;
    int leaves_scope_open;
    baton_scope *scope;
    int runs;
    int32_t seen;               /* of the last download */
};

static int32_t download_one(struct body *body, baton_stream *stream)
{
    int32_t host[100];
    int32_t status = baton_download(host, sizeof host, body->bench->x, stream, NULL);
    body->seen = status ? body->seen : host[0];
    return status;
}

static int32_t run_body(void *user, baton_stream *stream)
{
    struct body *body = user;
    int32_t status = BATON_OK;
    body->runs++;
    for (int i = 0; i < body->steps && !status; i++)
        status = add_one(body->bench->kernel, i % 2 ? body->bench->x : body->bench->y, i % 2 ? body->bench->y : body->bench->x, stream, NULL);
    if (!status && body->breaks && is_active(stream))
        outside_driver()->stream_query(native_of(stream));
    if (!status && body->leaves_scope_open)
        status = baton_scope_begin(stream, NULL, &(baton_operand) { .array = body->bench->x }, 1, 0, &body->scope, NULL);
    if (!status && body->downloads)
        status = download_one(body, stream);
    return status ? status : body->status;
}

static int32_t run(struct body *body, baton_executable **executable, int32_t *outcome, baton_error *reason)
{
    return baton_capture_run(body->bench->s, BATON_CAPTURE_THREAD_LOCAL, run_body, body, executable, outcome, reason, &error);
}

/* The first turn captures, later ones update in place, another shape makes it anew; each turn runs the body's work once. */
START_TEST(a_loop_is_captured_then_updated_then_rebuilt)
{
    static const struct { int steps; int32_t outcome; } turns[] = {
        { 2, BATON_RUN_CAPTURED }, { 2, BATON_RUN_UPDATED }, { 4, BATON_RUN_REBUILT }, { 4, BATON_RUN_UPDATED }, { 2, BATON_RUN_REBUILT }
    };
    struct bench bench;
    bench_make(&bench);
    struct body body = { .bench = &bench };
    baton_executable *executable = NULL;
    int32_t outcome, value = 1;
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        body.steps = turns[i].steps;
        ok(run(&body, &executable, &outcome, NULL));
        ck_assert_int_eq(outcome, turns[i].outcome);
        ck_assert_int_eq(body.runs, (int)i + 1);
        value += turns[i].steps;
        expect(bench.x, value, bench.s);
    }
    baton_executable_release(executable);
    bench_drop(&bench);
}
END_TEST

/* A body that downloads cannot be captured: it runs eagerly, once for good, and the reason says so. */
START_TEST(a_body_that_cannot_be_captured_runs_eagerly_with_a_reason)
{
    struct bench bench;
    bench_make(&bench);
    struct body body = { .bench = &bench, .steps = 2, .downloads = 1 };
    baton_executable *executable = NULL;
    baton_error reason = BATON_ERROR_INIT;
    int32_t outcome;
    ok(run(&body, &executable, &outcome, &reason));
    ck_assert_int_eq(outcome, BATON_RUN_EAGER);
    ck_assert_int_eq(reason.status, BATON_ERR_CAPTURE);
    ck_assert_int_ne(reason.message[0], 0);
    ck_assert_ptr_null(executable);
    ck_assert_int_eq(body.runs, 2);
    ck_assert_int_eq(body.seen, 3);
    bench_drop(&bench);
}
END_TEST

/* A capture that broke is run again too; the reason is what the driver said. */
START_TEST(a_body_that_breaks_its_capture_runs_eagerly_with_a_reason)
{
    struct bench bench;
    bench_make(&bench);
    driver_stream native = outside_stream(0);
    baton_stream *s = bench.s, *wrapped = outside_wrap(native, 0);
    struct body body = { .bench = &bench, .steps = 2, .breaks = 1 };
    baton_executable *executable = NULL;
    baton_error reason = BATON_ERROR_INIT;
    int32_t outcome;
    bench.s = wrapped;
    ok(run(&body, &executable, &outcome, &reason));
    bench.s = s;
    ck_assert_int_eq(outcome, BATON_RUN_EAGER);
    ck_assert_int_eq(reason.driver_code, DRIVER_STREAM_CAPTURE_INVALIDATED);
    ck_assert_int_eq(is_active(wrapped), 0);
    expect(bench.x, 3, s);
    ok(baton_stream_synchronize(wrapped, BATON_WAIT_AUTO, &error));
    arrays_release(bench.x, bench.y);
    ok(baton_drain(runtime, 0, NULL, &error));
    baton_stream_release(wrapped);
    ok(baton_drain(runtime, 0, NULL, &error));
    outside_stream_destroy(native, 0);
    bench.x = make_array(1, s);
    bench.y = make_array(1, s);
    bench_drop(&bench);
}
END_TEST

/* C5: the body's own error ends the capture and wins; nothing was run. */
START_TEST(the_bodys_own_error_is_returned_and_nothing_has_run)
{
    struct bench bench;
    bench_make(&bench);
    struct body body = { .bench = &bench, .steps = 2, .status = -1234 };
    baton_executable *executable = NULL;
    int32_t outcome = 99;
    refused(-1234, run(&body, &executable, &outcome, NULL));
    ck_assert_int_eq(outcome, 99);
    ck_assert_ptr_null(executable);
    ck_assert_int_eq(body.runs, 1);
    expect(bench.x, 1, bench.s);
    bench_drop(&bench);
}
END_TEST

/* C1, C5: a body that leaves a scope open is told so; it is not run again inside its own capture. */
START_TEST(a_body_that_leaves_a_scope_open_is_refused)
{
    struct bench bench;
    bench_make(&bench);
    struct body body = { .bench = &bench, .steps = 1, .leaves_scope_open = 1 };
    baton_executable *executable = NULL;
    refused(BATON_ERR_BUSY, run(&body, &executable, NULL, NULL));
    ck_assert_int_eq(body.runs, 1);
    baton_scope_abort(body.scope);
    baton_scope_release(body.scope);
    ok(baton_capture_abandon(bench.s, &error));
    expect(bench.x, 1, bench.s);
    bench_drop(&bench);
}
END_TEST

START_TEST(bad_arguments_of_a_run_are_refused_without_running_the_body)
{
    struct bench bench;
    bench_make(&bench);
    struct body body = { .bench = &bench, .steps = 1 };
    baton_executable *executable = NULL;
    refused(BATON_ERR_ARGUMENT, baton_capture_run(bench.s, 7, run_body, &body, &executable, NULL, NULL, &error));
    refused(BATON_ERR_ARGUMENT, baton_capture_run(bench.s, 0, NULL, &body, &executable, NULL, NULL, &error));
    refused(BATON_ERR_ARGUMENT, baton_capture_run(bench.s, 0, run_body, &body, NULL, NULL, NULL, &error));
    refused(BATON_ERR_ARGUMENT, baton_capture_run(NULL, 0, run_body, &body, &executable, NULL, NULL, &error));
    ck_assert_int_eq(body.runs, 0);
    ck_assert_int_eq(is_active(bench.s), 0);
    bench_drop(&bench);
}
END_TEST

/* C7: the executable is used again a thousand times, and nothing piles up. */
START_TEST(a_loop_of_a_thousand_turns_uses_no_more_memory)
{
    struct bench bench;
    bench_make(&bench);
    struct body body = { .bench = &bench, .steps = 2 };
    baton_executable *executable = NULL;
    struct soft_census before = { .bytes = 0 };
    int32_t outcome;
    for (int i = 0; i < 1000; i++) {
        ok(run(&body, &executable, &outcome, NULL));
        ck_assert_int_eq(outcome, i ? BATON_RUN_UPDATED : BATON_RUN_CAPTURED);
        struct soft_census now = census_now();
        if (i == 2)
            before = now;
        if (i > 2)
            ck_assert_mem_eq(&before, &now, sizeof before);
    }
    expect(bench.x, 2001, bench.s);
    baton_executable_release(executable);
    bench_drop(&bench);
}
END_TEST

/* ---- what a graph tells */

static void expect_text(const char *text, const char *format, unsigned long long number)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, format, number);
    ck_assert_msg(strstr(text, wanted) != NULL, "'%s' is not in:\n%s", wanted, text);
}

/* The text names every submission, every memory with its kind and owner, and who uses what; a refused submission is not in it. */
START_TEST(the_dot_text_names_submissions_memories_owners_and_uses)
{
    struct bench bench;
    bench_make(&bench);
    baton_array *host = make_array_of(BATON_HOST, 100, bench.s);
    char text[4096];
    uint64_t needed;
    begin(bench.s, BATON_CAPTURE_RELAXED);
    ok(add_one(bench.kernel, bench.y, bench.x, bench.s, &error));
    instrument_fail(DRIVER_ROW_fill32, 1, DRIVER_INVALID_VALUE, 0);
    refused(BATON_ERR_DRIVER, baton_fill(bench.y, &(int32_t) { 1 }, 4, bench.s, &error));
    ok(baton_copy(host, bench.y, bench.s, &error));
    baton_graph *graph = end(bench.s);
    ok(baton_graph_dot(graph, text, sizeof text, &needed, &error));
    ck_assert_uint_eq(needed, strlen(text) + 1);
    ck_assert_int_eq(strncmp(text, "digraph", 7), 0);
    expect_text(text, "launch on stream %llu", id_of(bench.s));
    expect_text(text, "copy on stream %llu", id_of(bench.s));
    expect_text(text, "memory %llu", info_of(bench.x).memory_id);
    expect_text(text, "memory %llu", info_of(bench.y).memory_id);
    expect_text(text, "memory %llu", info_of(host).memory_id);
    expect_text(text, "owner: stream %llu", info_of(bench.x).owner_stream_id);
    expect_text(text, "%llu bytes, host", 400);
    expect_text(text, "%llu bytes, device", 400);
    ck_assert_ptr_null(strstr(text, "fill"));
    ck_assert_ptr_null(strstr(text, "s1"));     /* the second step, which was refused */
    ck_assert_uint_eq(graph_info_of(graph).steps, 2);
    baton_graph_release(graph);
    baton_array_release(host);
    bench_drop(&bench);
}
END_TEST

/* Whatever the room, the length is told; the text is written only when it fits with its terminator. */
START_TEST(the_dot_text_is_written_only_where_it_fits)
{
    struct bench bench;
    bench_make(&bench);
    baton_graph *graph;
    uint64_t needed, again;
    begin(bench.s, BATON_CAPTURE_RELAXED);
    fill(bench.x, 1, bench.s);
    graph = end(bench.s);
    ok(baton_graph_dot(graph, NULL, 0, &needed, &error));
    char *text = malloc(needed + 1);
    ck_assert_ptr_nonnull(text);
    memset(text, '#', needed + 1);
    ok(baton_graph_dot(graph, text, needed - 1, &again, &error));
    ck_assert_uint_eq(again, needed);
    ck_assert_int_eq(text[0], '#');
    ok(baton_graph_dot(graph, text, needed, &again, &error));
    ck_assert_uint_eq(strlen(text) + 1, needed);
    ck_assert_int_eq(text[needed], '#');
    refused(BATON_ERR_ARGUMENT, baton_graph_dot(graph, NULL, 10, &again, &error));
    refused(BATON_ERR_ARGUMENT, baton_graph_dot(graph, text, needed, NULL, &error));
    refused(BATON_ERR_ARGUMENT, baton_graph_dot(NULL, text, needed, &again, &error));
    free(text);
    baton_graph_release(graph);
    bench_drop(&bench);
}
END_TEST

/* An empty capture is a graph too. */
START_TEST(an_empty_graph_can_be_launched)
{
    struct bench bench;
    bench_make(&bench);
    begin(bench.s, BATON_CAPTURE_RELAXED);
    baton_graph *graph = end(bench.s);
    baton_graph_info info = graph_info_of(graph);
    ck_assert_uint_eq(info.steps + info.memories + info.written, 0);
    baton_executable *executable = make_executable(graph);
    launch(executable, bench.s);
    baton_executable_release(executable);
    baton_graph_release(graph);
    bench_drop(&bench);
}
END_TEST

SUPPORT_MAIN("graph run", 60, a_loop_is_captured_then_updated_then_rebuilt, a_body_that_cannot_be_captured_runs_eagerly_with_a_reason,
             a_body_that_breaks_its_capture_runs_eagerly_with_a_reason, the_bodys_own_error_is_returned_and_nothing_has_run,
             a_body_that_leaves_a_scope_open_is_refused, bad_arguments_of_a_run_are_refused_without_running_the_body,
             a_loop_of_a_thousand_turns_uses_no_more_memory, the_dot_text_names_submissions_memories_owners_and_uses,
             the_dot_text_is_written_only_where_it_fits, an_empty_graph_can_be_launched)
