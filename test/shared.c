/* Two runtimes of one process, as of two languages: each other's arrays, streams and kernels, ordered as if they were one; and the end of one while the other goes on. */
#include <stdio.h>

#include "census.h"
#include "graph_support.h"
#include "journal.h"

enum { COUNT = 100 };

static baton_runtime *other;
static baton_stream *mine, *theirs;

static void open_other(void)
{
    baton_runtime_options options = { .struct_size = sizeof options, .driver = needs_driver(), .flags = support_flags };
    ok(baton_runtime_open(&options, &other, &error));
    mine = make_stream();
    ok(baton_stream_create(other, 0, 0, 0, &theirs, &error));
}

static void close_other(void)
{
    ok(baton_runtime_close(other, &error));
    other = NULL;
}

static baton_array *make_theirs(void)
{
    int64_t elements = COUNT;
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_I32, .ndim = 1, .shape = &elements, .stream = theirs };
    baton_array *array;
    ok(baton_array_create(other, &options, &array, &error));
    ok(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    return array;
}

static uint64_t waited(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < BATON_HOST_WAIT_CAUSES; i++)
        sum += stats().host_waits[i];
    return sum;
}

/* S4, S5: by one record and one wait on the device, both ways. */
START_TEST(an_array_passes_between_runtimes_without_a_host_wait)
{
    open_other();
    baton_array *array = make_array(COUNT, mine);
    baton_gate *gate = close_gate(mine);
    uint64_t host = waited();
    fill(array, 1, mine);
    counting_start();
    fill(array, 2, theirs);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    fill(array, 3, mine);
    ck_assert_uint_eq(waited(), host);
    expect_busy(mine);
    open_gate(gate);
    expect(array, 3, theirs);
    arrays_release(array);
    streams_release(mine, theirs);
    close_other();
}
END_TEST

/* O1: locked together, in whatever order they are named. */
START_TEST(one_operation_takes_arrays_kernel_and_stream_of_both)
{
    open_other();
    baton_array *own = make_array(COUNT, mine), *far = make_theirs();
    baton_kernel *kernel = make_add_one(0);
    baton_gate *gate = close_gate(mine);
    fill(own, 4, mine);
    ok(add_one(kernel, far, own, theirs, &error));
    ok(add_one(kernel, own, far, mine, &error));
    expect_busy(theirs);
    open_gate(gate);
    expect(far, 5, mine);
    expect(own, 6, theirs);
    arrays_release(own, far);
    baton_kernel_release(kernel);
    streams_release(mine, theirs);
    close_other();
}
END_TEST

static baton_array *locked_first;
static baton_scope *open_scope;
static int32_t told;

/* Another task's turn: without a hook, in the other runtime, it wants what the operation that lets it run has locked already. */
static int32_t want_the_first(void *user)
{
    int32_t value = 8;
    (void)user;
    if (!open_scope)
        return 0;
    told = baton_fill(locked_first, &value, sizeof value, theirs, &error);
    ok(baton_scope_end(open_scope, &error));
    baton_scope_release(open_scope);
    open_scope = NULL;
    return 0;
}

/* W4: only the tasks of the one runtime have a hook; those of the other would park their thread, and nobody could go on. */
START_TEST(a_task_without_a_hook_is_told_about_the_locks_of_one_that_lets_it_run)
{
    support_reopen(&(baton_runtime_options) { .struct_size = sizeof(baton_runtime_options), .yield = want_the_first });
    open_other();
    locked_first = make_array(COUNT, mine);
    baton_array *second = make_array(COUNT, mine);
    baton_operand operand = { .array = second };
    ok(baton_scope_begin(mine, NULL, &operand, 1, 0, &open_scope, &error));
    told = BATON_OK;
    ok(baton_copy(locked_first, second, mine, &error));
    ck_assert_int_eq(told, BATON_ERR_WOULD_DEADLOCK);
    arrays_release(locked_first, second);
    streams_release(mine, theirs);
    close_other();
}
END_TEST

/* O9: a close waits for its own streams only; the memory lives on for the other's work, and goes back behind it. */
START_TEST(a_close_does_not_wait_for_the_others_work_on_its_arrays)
{
    open_other();
    baton_array *array = make_theirs();
    baton_gate *gate = close_gate(mine);
    fill(array, 7, mine);
    baton_array_release(array);
    streams_release(theirs);
    counting_start();
    close_other();
    expect_busy(mine);
    uint64_t freed = 0;
    ck_assert_uint_eq(journal_find(DRIVER_ROW_free_async, stream_handle(mine), 0, &freed), 1);
    open_gate(gate);
    streams_release(mine);
}
END_TEST

/* C7: a graph of one runtime keeps what the other made. */
START_TEST(a_graph_uses_arrays_of_a_runtime_that_is_closed)
{
    open_other();
    baton_array *array = make_theirs(), *copy = make_array(COUNT, mine);
    baton_kernel *kernel = make_add_one(0);
    fill(array, 1, theirs);
    baton_executable *executable = capture_add_one(kernel, copy, array, mine);
    arrays_release(array);
    streams_release(theirs);
    close_other();
    launch(executable, mine);
    expect(copy, 2, mine);
    baton_executable_release(executable);
    baton_kernel_release(kernel);
    arrays_release(copy);
    streams_release(mine);
}
END_TEST

/* O9: whoever is closed first. */
START_TEST(the_runtimes_may_be_closed_in_either_order_with_arrays_alive)
{
    for (int first = 0; first < 2; first++) {
        open_other();
        baton_array *own = make_array(COUNT, mine), *far = make_theirs();
        ok(baton_copy(own, far, theirs, &error));
        ok(baton_copy(far, own, mine, &error));
        if (first)
            close_other();
        else
            ok(baton_runtime_close(runtime, &error));
        fill(own, 3, theirs);
        fill(far, 4, mine);
        expect(own, 3, mine);
        arrays_release(own, far);
        streams_release(mine, theirs);
        if (!first)
            close_other();
        else
            ok(baton_runtime_close(runtime, &error));
        ck_assert_uint_eq(census_read().allocations, 0);
        runtime = NULL;
        support_reopen(NULL);
    }
}
END_TEST

/* E2: each reports it once, with all who may have done it, and is quiet then. */
START_TEST(a_lost_device_is_lost_to_both)
{
    char name[32];
    int32_t value = 1;
    open_other();
    baton_array *arrays[] = { make_array(COUNT, mine), make_theirs() };
    baton_stream *streams[] = { mine, theirs };
    outside_fault_ready();
    baton_gate *gate = close_gate(theirs);
    outside_fault();
    for (int i = 0; i < 2; i++) {
        refused(BATON_ERR_POISONED, baton_fill(arrays[i], &value, sizeof value, streams[i], &error));
        snprintf(name, sizeof name, "stream %llu ", (unsigned long long)id_of(theirs));
        ck_assert_ptr_nonnull(strstr(error.message, name));
        counting_start();
        refused(BATON_ERR_POISONED, baton_fill(arrays[i], &value, sizeof value, streams[i], &error));
        refused(BATON_ERR_POISONED, baton_fill(arrays[0], &value, sizeof value, streams[i], &error));
        ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    }
    open_gate(gate);
    arrays_release(arrays[0], arrays[1]);
    streams_release(mine, theirs);
    close_other();
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
}
END_TEST

SUPPORT_WITHOUT_CACHE

SUPPORT_MAIN("shared", 60, an_array_passes_between_runtimes_without_a_host_wait, one_operation_takes_arrays_kernel_and_stream_of_both,
             a_close_does_not_wait_for_the_others_work_on_its_arrays, a_graph_uses_arrays_of_a_runtime_that_is_closed,
             a_task_without_a_hook_is_told_about_the_locks_of_one_that_lets_it_run, the_runtimes_may_be_closed_in_either_order_with_arrays_alive,
             a_lost_device_is_lost_to_both)
