/* Releases of everything from everywhere (O9, I5): no call of the driver and no waiting, whichever thread and whatever is under way; given back later, all of it. */
#include "exchange/dlpack.h"
#include "graph_support.h"

enum { COUNT = 100 };

/* One of everything that can be released, in use where it can be. */
struct lot {
    baton_stream *stream;
    baton_array *array, *view, *host;
    baton_kernel *kernel;
    baton_fence *fence;
    baton_gate *gate;
    baton_scope *scope;
    baton_graph *graph;
    baton_executable *executable;
    struct dlpack_managed *export;
};

static struct lot lot;
static int ready;               /* all of the lot is there: hooks are called while it is made, too */

static void lot_make(void)
{
    void *managed;
    lot = (struct lot) { .stream = make_stream(), .kernel = make_add_one(0) };
    lot.array = make_array(COUNT, lot.stream);
    lot.host = make_array_of(BATON_HOST, COUNT, lot.stream);
    lot.view = make_view(lot.array, 0, 1);
    fill(lot.array, 1, lot.stream);
    fill(lot.host, 1, lot.stream);
    begin(lot.stream, BATON_CAPTURE_RELAXED);
    fill(lot.array, 2, lot.stream);
    lot.graph = end(lot.stream);
    ok(baton_graph_instantiate(lot.graph, &lot.executable, &error));
    ok(baton_dlpack_export(lot.host, lot.stream, &managed, &error));
    lot.export = managed;
    ok(baton_scope_begin(lot.stream, NULL, &(baton_operand) { .array = lot.view }, 1, 0, &lot.scope, &error));
    lot.gate = close_gate(lot.stream);
    ok(baton_stream_fence(lot.stream, &lot.fence, &error));
    ok(baton_gate_open(lot.gate, &error));
    ready = 1;
}

/* Nobody else calls the driver meanwhile. */
static void lot_release(void)
{
    uint64_t before = calls(DRIVER_ROW_COUNT);
    baton_stream_release(lot.stream);
    baton_array_release_n((baton_array *const[]) { lot.array, lot.host, lot.view }, 3);
    baton_kernel_release(lot.kernel);
    baton_fence_release(lot.fence);
    baton_gate_release(lot.gate);
    baton_scope_release(lot.scope);
    baton_graph_release(lot.graph);
    baton_executable_release(lot.executable);
    lot.export->deleter(lot.export);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), before);
    lot = (struct lot) { .stream = NULL };
    ready = 0;
}

static void release_once(void)
{
    if (ready)
        lot_release();
}

static void release_on_thread(void *unused)
{
    driver_context current = NULL;
    (void)unused;
    ck_assert_int_eq(outside_driver()->context_current(&current), DRIVER_SUCCESS);
    ck_assert_ptr_null(current);
    counting_start();
    lot_release();
    ck_assert_int_eq(outside_driver()->context_current(&current), DRIVER_SUCCESS);
    ck_assert_ptr_null(current);
}

/* Everything is gone once it has finished. */
static void expect_gone(void)
{
    support_reopen(NULL);                           /* the close waits, and gives back */
    struct soft_census census = census_read();
    ck_assert_uint_eq(census.allocations + census.streams + census.events + census.modules + census.graphs + census.executables, 0);
}

START_TEST(a_thread_without_a_context_releases_everything)
{
    lot_make();
    on_thread(release_on_thread, NULL);
    expect_gone();
}
END_TEST

/* ---- in hooks */

static int hooked;

static int32_t releasing_hook(void *unused)
{
    (void)unused;
    hooked += ready;
    release_once();
    return 0;
}

static int32_t releasing_reclaim(void *unused, int32_t level, uint64_t bytes)
{
    (void)level, (void)bytes;
    return releasing_hook(unused);
}

static baton_array *slow;

static void wait_for_slow(void *unused)
{
    (void)unused;
    ok(baton_array_synchronize(slow, BATON_WAIT_BLOCK, NULL));
}

static void wait_with(baton_runtime_options options)
{
    struct waiter waiter;
    options.struct_size = sizeof options;
    support_reopen(&options);
    hooked = 0;
    baton_stream *stream = make_stream();
    slow = make_array(COUNT, stream);
    lot_make();
    baton_gate *gate = close_gate(stream);
    fill(slow, 1, stream);
    counting_start();
    waiter_start(&waiter, wait_for_slow, NULL);
    if (options.yield)
        waiter_expect_asking(&waiter);
    else
        waiter_expect_blocked(&waiter);
    open_gate(gate);
    waiter_join(&waiter);
    ck_assert_int_gt(hooked, 0);
    ck_assert_ptr_null(lot.stream);
    arrays_release(slow);
    streams_release(stream);
    expect_gone();
}

START_TEST(each_hook_of_a_wait_may_release_everything)
{
    wait_with((baton_runtime_options) { .before_block = releasing_hook });
    wait_with((baton_runtime_options) { .after_block = releasing_hook });
    wait_with((baton_runtime_options) { .yield = releasing_hook });
}
END_TEST

static baton_scope *in_the_way;

static int32_t release_and_end(void *unused)
{
    int first = ready;
    int32_t status = releasing_hook(unused);
    if (first)
        ok(baton_scope_end(in_the_way, NULL));
    return status;
}

/* While this thread waits for a lock. */
START_TEST(the_hook_of_a_lock_may_release_everything)
{
    support_reopen(&(baton_runtime_options) { .struct_size = sizeof(baton_runtime_options), .yield = release_and_end });
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    ok(baton_scope_begin(a, NULL, &(baton_operand) { .array = array }, 1, 0, &in_the_way, &error));
    lot_make();
    hooked = 0;
    fill(array, 5, b);
    ck_assert_int_eq(hooked, 1);
    baton_scope_release(in_the_way);
    expect(array, 5, a);
    arrays_release(array);
    streams_release(a, b);
    expect_gone();
}
END_TEST

/* The allocation that is short of memory gets what its own hook has released. */
START_TEST(the_reclaim_hook_may_release_everything)
{
    support_reopen(&(baton_runtime_options) { .struct_size = sizeof(baton_runtime_options), .reclaim = releasing_reclaim });
    lot_make();
    ok(baton_set_memory_limit(runtime, 0, stats().live_bytes, &error));
    hooked = 0;
    baton_stream *stream = make_stream();
    baton_array *array = make_array(COUNT, stream);
    ck_assert_int_gt(hooked, 0);
    arrays_release(array);
    streams_release(stream);
    expect_gone();
}
END_TEST

/* ---- in functions that the library calls */

static int32_t release_in_managed(void *unused, baton_stream *stream, const baton_operand *operands, uint64_t count)
{
    (void)unused, (void)stream, (void)operands, (void)count;
    release_once();
    return BATON_OK;
}

static int32_t release_in_body(void *array, baton_stream *stream)
{
    release_once();
    return baton_fill(array, &(int32_t) { 6 }, sizeof(int32_t), stream, NULL);
}

static void release_in_deleter(void *unused, uint64_t address)
{
    (void)unused, (void)address;
    release_once();
}

START_TEST(a_scopes_function_may_release_everything_its_own_operands_too)
{
    baton_stream *stream = make_stream();
    baton_array *array = make_array(COUNT, stream);
    lot_make();
    ok(baton_with_managed(stream, &(baton_operand) { .array = array }, 1, release_in_managed, NULL, &error));
    ck_assert_ptr_null(lot.stream);
    lot_make();
    ok(baton_scope_end(lot.scope, &error));
    baton_scope_release(lot.scope);
    lot.scope = NULL;
    ok(baton_with_managed(lot.stream, (baton_operand[]) { { .array = lot.array }, { .array = lot.host } }, 2, release_in_managed, NULL, &error));
    ck_assert_ptr_null(lot.stream);
    arrays_release(array);
    streams_release(stream);
    expect_gone();
}
END_TEST

/* C9 */
START_TEST(a_captured_body_may_release_everything)
{
    baton_stream *stream = make_stream();
    baton_array *array = make_array(COUNT, stream);
    baton_executable *executable = NULL;
    int32_t outcome;
    for (int32_t mode = BATON_CAPTURE_GLOBAL; mode <= BATON_CAPTURE_RELAXED; mode++) {
        lot_make();
        ok(baton_capture_run(stream, mode, release_in_body, array, &executable, &outcome, NULL, &error));
        ck_assert_int_ne(outcome, BATON_RUN_EAGER);
        expect(array, 6, stream);
    }
    baton_executable_release(executable);
    arrays_release(array);
    streams_release(stream);
    expect_gone();
}
END_TEST

START_TEST(a_deleter_may_release_everything)
{
    static int32_t memory[COUNT];
    int64_t elements = COUNT;
    baton_array_options options = { .struct_size = sizeof options, .kind = BATON_HOST, .dtype = BATON_I32, .ndim = 1, .shape = &elements };
    baton_array *wrapped;
    ok(baton_array_wrap(runtime, &options, (uint64_t)(uintptr_t)memory, release_in_deleter, NULL, &wrapped, &error));
    lot_make();
    counting_start();
    baton_array_release(wrapped);
    ck_assert_ptr_nonnull(lot.stream);              /* not in the release */
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_ptr_null(lot.stream);
    expect_gone();
}
END_TEST

/* ---- after the end */

START_TEST(everything_may_be_released_after_its_runtime_was_closed)
{
    lot_make();
    ok(baton_scope_end(lot.scope, &error));
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
    counting_start();
    lot_release();
    support_reopen(NULL);
    ok(baton_drain(runtime, 0, NULL, &error));
    expect_gone();
}
END_TEST

SUPPORT_MAIN("releases", 60, a_thread_without_a_context_releases_everything, each_hook_of_a_wait_may_release_everything,
             the_hook_of_a_lock_may_release_everything, the_reclaim_hook_may_release_everything,
             a_scopes_function_may_release_everything_its_own_operands_too, a_captured_body_may_release_everything, a_deleter_may_release_everything,
             everything_may_be_released_after_its_runtime_was_closed)
