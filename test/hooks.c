/* The embedder's hooks: on the calling thread, with no lock held, around what really blocks and nothing else. */
#include <unistd.h>

#include "waiter.h"

enum { COUNT = 100 };

/* What the hooks saw. One thread at a time calls them in these tests. */
static struct seen {
    int before, after, yields;
    int wrong_thread, locked;
    int fail_before, fail_after, fail_yield, open_at;
    uint64_t thread;            /* the expected caller */
    baton_array *array;         /* must be unlocked */
    baton_gate *gate;           /* opened at yield number open_at */
} seen;

static void look(void)
{
    seen.wrong_thread += seen.thread != (uint64_t)gettid();
    seen.locked += seen.array && info_of(seen.array).lock_holder != 0;
}

static int32_t before_block(void *user)
{
    ck_assert_ptr_eq(user, &seen);
    look();
    seen.before++;
    return seen.fail_before;
}

static int32_t after_block(void *user)
{
    ck_assert_ptr_eq(user, &seen);
    look();
    seen.after++;
    return seen.fail_after;
}

static int32_t yield(void *user)
{
    ck_assert_ptr_eq(user, &seen);
    look();
    if (++seen.yields == seen.open_at)
        open_gate(seen.gate);
    return seen.fail_yield && seen.yields == seen.fail_yield;
}

static void reopen_with_block_hooks(void)
{
    baton_runtime_options options = { .struct_size = sizeof options, .user = &seen,
                                      .before_block = before_block, .after_block = after_block };
    seen = (struct seen) { .thread = (uint64_t)gettid() };
    support_reopen(&options);
}

static void reopen_with_yield(void)
{
    baton_runtime_options options = { .struct_size = sizeof options, .user = &seen, .yield = yield };
    seen = (struct seen) { .thread = (uint64_t)gettid() };
    support_reopen(&options);
}

static void expect_balanced(int before, int after)
{
    ck_assert_int_eq(seen.before, before);
    ck_assert_int_eq(seen.after, after);
    ck_assert_int_eq(seen.wrong_thread, 0);
    ck_assert_int_eq(seen.locked, 0);
}

static void run_synchronize(void *argument)
{
    seen.thread = (uint64_t)gettid();
    ok(baton_array_synchronize(argument, BATON_WAIT_BLOCK, NULL));
}

/* H4 */
START_TEST(the_hooks_stand_around_a_wait_that_blocks)
{
    reopen_with_block_hooks();
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    seen = (struct seen) { .array = array };
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    must_wait(run_synchronize, array, gate);
    expect_balanced(1, 1);
    arrays_release(array);
    streams_release(a);
}
END_TEST

/* H2: nor around a fill, a hand-off or a query. */
START_TEST(the_hooks_are_not_called_when_nothing_blocks)
{
    reopen_with_block_hooks();
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    seen = (struct seen) { .thread = (uint64_t)gettid() };
    fill(array, 1, a);
    fill(array, 2, b);
    ck_assert_int_eq(baton_array_query(array, &error), BATON_NOT_READY);
    open_gate(gate);
    ok(baton_array_synchronize(array, BATON_WAIT_SPIN, &error));
    ok(baton_array_synchronize(array, BATON_WAIT_BLOCK, &error));
    expect_balanced(0, 0);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

/* H3: balanced also when time is over. */
START_TEST(the_hooks_are_balanced_on_timeout)
{
    reopen_with_block_hooks();
    baton_stream *a = make_stream();
    baton_fence *fence;
    baton_gate *gate = close_gate(a);
    seen = (struct seen) { .thread = (uint64_t)gettid() };
    ok(baton_stream_fence(a, &fence, &error));
    ck_assert_int_eq(baton_fence_wait(fence, 1000000, BATON_WAIT_BLOCK, &error), BATON_TIMEOUT);
    expect_balanced(1, 1);
    ck_assert_int_eq(baton_fence_wait(fence, 0, BATON_WAIT_BLOCK, &error), BATON_TIMEOUT);
    expect_balanced(1, 1);
    open_gate(gate);
    ok(baton_fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_SPIN, &error));
    baton_fence_release(fence);
    streams_release(a);
}
END_TEST

/* H3: a hook that fails ends the wait, and the memory is as dirty as before. */
START_TEST(a_failing_hook_ends_the_wait_and_changes_nothing)
{
    reopen_with_block_hooks();
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    seen = (struct seen) { .thread = (uint64_t)gettid(), .array = array, .fail_before = 1 };
    fill(array, 1, a);
    refused(BATON_ERR_HOOK, baton_array_synchronize(array, BATON_WAIT_BLOCK, &error));
    expect_balanced(1, 0);
    refused(BATON_ERR_HOOK, baton_array_pointer(array, b, BATON_READ, &(uint64_t) { 0 }, &error));
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(a));
    ck_assert_uint_eq(info_of(array).lock_holder, 0);
    ck_assert_int_eq(baton_array_query(array, &error), BATON_NOT_READY);
    seen.fail_before = 0;
    open_gate(gate);
    expect(array, 1, a);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

static void run_refused(void *argument)
{
    baton_error own = BATON_ERROR_INIT;
    seen.thread = (uint64_t)gettid();
    ck_assert_int_eq(baton_array_synchronize(argument, BATON_WAIT_BLOCK, &own), BATON_ERR_HOOK);
    ck_assert_int_eq(own.status, BATON_ERR_HOOK);
}

START_TEST(a_failing_after_hook_is_reported)
{
    reopen_with_block_hooks();
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    seen = (struct seen) { .fail_after = 1 };
    fill(array, 1, a);
    must_wait(run_refused, array, gate);
    expect_balanced(1, 1);
    seen.fail_after = 0;
    expect(array, 1, a);
    arrays_release(array);
    streams_release(a);
}
END_TEST

/* H1: with a yield hook other tasks run, of which one lets the device go on. */
START_TEST(a_yield_hook_runs_instead_of_blocking)
{
    reopen_with_yield();
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    seen = (struct seen) { .thread = (uint64_t)gettid(), .array = array, .gate = close_gate(a), .open_at = 5 };
    fill(array, 1, a);
    ok(baton_array_synchronize(array, BATON_WAIT_BLOCK, &error));
    ck_assert_int_ge(seen.yields, 5);
    ck_assert_int_eq(seen.wrong_thread + seen.locked, 0);
    expect(array, 1, a);
    arrays_release(array);
    streams_release(a);
}
END_TEST

START_TEST(a_failing_yield_hook_ends_the_wait)
{
    reopen_with_yield();
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    seen = (struct seen) { .thread = (uint64_t)gettid(), .fail_yield = 2 };
    fill(array, 1, a);
    refused(BATON_ERR_HOOK, baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    ck_assert_int_eq(seen.yields, 2);
    seen.fail_yield = 0;
    ck_assert_int_eq(baton_array_query(array, &error), BATON_NOT_READY);
    open_gate(gate);
    expect(array, 1, a);
    arrays_release(array);
    streams_release(a);
}
END_TEST

static baton_scope *held;

static int32_t yield_to_the_holder(void *user)
{
    (void)user;
    if (held && ++seen.yields == 3)
        ok(baton_scope_end(held, &error));
    return 0;
}

/* W4: two tasks of one thread: with a hook, waiting for the other's scope is no deadlock. */
START_TEST(a_yield_hook_lets_a_task_of_the_same_thread_end_its_scope)
{
    baton_runtime_options options = { .struct_size = sizeof options, .yield = yield_to_the_holder };
    support_reopen(&options);
    held = NULL;
    seen = (struct seen) { .yields = 0 };
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_operand operand = { array, BATON_WRITE, 0, 0 };
    ok(baton_scope_begin(a, NULL, &operand, 1, 0, &held, &error));
    fill(array, 6, b);
    ck_assert_int_eq(seen.yields, 3);
    baton_scope_release(held);
    expect(array, 6, b);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

/* Another task that uses the array again as soon as a wait for its last use has ended. The wait opens the gate before that use. */
enum { MOST = 50 };

static struct busy {
    baton_array *array;
    baton_stream *stream;
    baton_gate *gate;
    int turns;
} busy;

static int32_t open_it(void *user)
{
    (void)user;
    if (busy.gate)
        open_gate(busy.gate);
    busy.gate = NULL;
    return 0;
}

static int32_t use_it_again(void *user)
{
    (void)user;
    if (!busy.array || busy.turns == MOST)
        return 0;
    busy.gate = close_gate(busy.stream);
    fill(busy.array, ++busy.turns, busy.stream);
    return 0;
}

/* P1, P4: the pointer is the caller's after a few waits, and the other task's uses are behind it. */
START_TEST(a_pointer_is_had_though_another_task_goes_on_using_the_array)
{
    baton_runtime_options options = { .struct_size = sizeof options, .before_block = open_it, .after_block = use_it_again };
    support_reopen(&options);
    baton_stream *s = make_stream();
    uint64_t address;
    busy = (struct busy) { .stream = make_stream() };
    busy.array = make_array(COUNT, busy.stream);
    use_it_again(NULL);
    ok(baton_array_pointer(busy.array, s, BATON_READ_WRITE, &address, &error));
    ck_assert_int_eq(busy.turns, 4);                /* two rounds, and the wait for what was before the pointer */
    ck_assert_uint_eq(stats().device_waits, 2);     /* the pointer's stream behind the third use, the fourth behind the pointer */
    int last = busy.turns;
    busy.turns = MOST;
    open_it(NULL);
    expect(busy.array, last, s);
    arrays_release(busy.array);
    streams_release(s, busy.stream);
}
END_TEST

SUPPORT_MAIN("hooks", 60, the_hooks_stand_around_a_wait_that_blocks, the_hooks_are_not_called_when_nothing_blocks,
             the_hooks_are_balanced_on_timeout, a_failing_hook_ends_the_wait_and_changes_nothing,
             a_failing_after_hook_is_reported, a_yield_hook_runs_instead_of_blocking,
             a_failing_yield_hook_ends_the_wait, a_yield_hook_lets_a_task_of_the_same_thread_end_its_scope,
             a_pointer_is_had_though_another_task_goes_on_using_the_array)
