/* Tasks that hop between threads: scopes belong to tokens, so that a task may begin on one thread and end on another. */
#include <pthread.h>
#include <stdatomic.h>

#include "fiber.h"
#include "support.h"

enum { TASKS = 12, ARRAYS = 4, ROUNDS = 40, THREADS = 3 };

static baton_array *arrays[ARRAYS];
static baton_stream *streams[TASKS];
static baton_kernel *increment;
static _Atomic int expected[ARRAYS], moved, blocked;

static void increment_kernel(const baton_host_launch *launch, void *const *arguments)
{
    int32_t *values = (int32_t *)(uintptr_t)*(const uint64_t *)arguments[0];
    (void)launch;
    for (int i = 0; i < 64; i++)
        values[i]++;
}

static void world_make(void)
{
    static const baton_host_parameter parameter = { 8, BATON_READ_WRITE };
    for (int i = 0; i < TASKS; i++)
        streams[i] = make_stream();
    for (int i = 0; i < ARRAYS; i++) {
        arrays[i] = make_array(64, streams[0]);
        fill(arrays[i], 0, streams[0]);
        atomic_store(&expected[i], 0);
    }
    increment = make_kernel(0, increment_kernel, "increment_all", &parameter, 1);
    atomic_store(&moved, 0);
    atomic_store(&blocked, 0);
}

static void world_end(void)
{
    for (int i = 0; i < ARRAYS; i++) {
        ck_assert_uint_eq(info_of(arrays[i]).lock_holder, 0);
        expect(arrays[i], atomic_load(&expected[i]), streams[0]);
        baton_array_release(arrays[i]);
    }
    for (int i = 0; i < TASKS; i++)
        baton_stream_release(streams[i]);
    baton_kernel_release(increment);
}

static void launch_in(baton_scope *scope, baton_stream *stream, int array)
{
    baton_launch_options options = { .struct_size = sizeof options, .stream = stream, .scope = scope };
    baton_argument argument = baton_inout(arrays[array]);
    ok(baton_launch(increment, &options, &argument, 1, NULL));
    atomic_fetch_add(&expected[array], 1);
}

/* Begins, moves, submits, moves, ends. Two arrays in any order; a lock that is held makes it run others and try again. */
static void hop(void *argument)
{
    int task = (int)(intptr_t)argument, at = fiber_moves();
    for (int round = 0; round < ROUNDS; round++) {
        int first = (task + round) % ARRAYS, second = (task * 3 + round * 2 + 1) % ARRAYS;
        baton_operand operands[] = { { .array = arrays[first] }, { .array = arrays[second] } };
        baton_scope *scope;
        int32_t status;
        while ((status = baton_scope_begin(streams[task], NULL, operands, 2, BATON_SCOPE_TRY, &scope, NULL)) == BATON_WOULD_BLOCK) {
            atomic_fetch_add(&blocked, 1);
            fiber_yield(NULL);
        }
        ck_assert_int_eq(status, BATON_OK);
        fiber_yield(NULL);
        launch_in(scope, streams[task], first);
        launch_in(scope, streams[task], second);
        fiber_yield(NULL);
        ok(baton_scope_end(scope, NULL));
        baton_scope_release(scope);
    }
    atomic_fetch_add(&moved, fiber_moves() - at);
}

/* W3, section 9 item 14: a scope begins on one thread and ends on another, and no increment is lost. */
START_TEST(scopes_of_tasks_that_hop_threads_lose_nothing)
{
    fiber_body bodies[TASKS];
    void *numbers[TASKS];
    world_make();
    for (int i = 0; i < TASKS; i++) {
        bodies[i] = hop;
        numbers[i] = (void *)(intptr_t)i;
    }
    fibers_run(bodies, numbers, TASKS, THREADS, support_seed(11));
    ck_assert_int_ge(atomic_load(&moved), TASKS * ROUNDS);
    ck_assert_int_gt(atomic_load(&blocked), 0);
    world_end();
}
END_TEST

static void hold_and_yield(void *argument)
{
    baton_operand operand = { .array = arrays[0] };
    baton_scope *scope;
    (void)argument;
    ok(baton_scope_begin(streams[0], NULL, &operand, 1, 0, &scope, NULL));
    for (int i = 0; i < 5; i++)
        fiber_yield(NULL);
    launch_in(scope, streams[0], 0);
    ok(baton_scope_end(scope, NULL));
    baton_scope_release(scope);
}

static void want_the_same(void *result)
{
    baton_operand operand = { .array = arrays[0] };
    baton_scope *scope;
    fiber_yield(NULL);
    *(int32_t *)result = baton_scope_begin(streams[1], NULL, &operand, 1, 0, &scope, NULL);
    if (*(int32_t *)result)
        return;
    launch_in(scope, streams[1], 0);
    ok(baton_scope_end(scope, NULL));
    baton_scope_release(scope);
}

static int32_t two_on_one_thread(void)
{
    int32_t result = BATON_ERR_BUSY;
    fibers_run((fiber_body[]) { hold_and_yield, want_the_same }, (void *[]) { NULL, &result }, 2, 1, 3);
    return result;
}

/* W4: two coroutines of one thread want the same array, and nobody would ever let the first go on: an error, at once. */
START_TEST(without_a_yield_hook_a_coroutine_gets_would_deadlock)
{
    world_make();
    ck_assert_int_eq(two_on_one_thread(), BATON_ERR_WOULD_DEADLOCK);
    world_end();
}
END_TEST

/* W4: with a yield hook the second lets the first finish, and both complete. */
START_TEST(with_a_yield_hook_both_coroutines_finish)
{
    support_reopen(&(baton_runtime_options) { .struct_size = sizeof(baton_runtime_options), .yield = fiber_yield });
    world_make();
    ck_assert_int_eq(two_on_one_thread(), BATON_OK);
    ck_assert_int_eq(atomic_load(&expected[0]), 2);
    world_end();
}
END_TEST

static _Atomic(baton_scope *) orphan;

static void die_inside(void *argument)
{
    baton_operand operand = { .array = arrays[0] };
    baton_scope *scope;
    (void)argument;
    ok(baton_scope_begin(streams[0], NULL, &operand, 1, 0, &scope, NULL));
    launch_in(scope, streams[0], 0);
    atomic_store(&orphan, scope);
    fiber_abandon();
}

static void finalize(void *argument)
{
    (void)argument;
    baton_scope_abort(atomic_load(&orphan));
    baton_scope_abort(atomic_load(&orphan));
    baton_scope_release(atomic_load(&orphan));
}

/* Waits until the dead task's scope is there, has a foreign thread collect it, and goes on with the array. */
static void go_on(void *argument)
{
    while (!atomic_load(&orphan))
        fiber_yield(NULL);
    refused(BATON_WOULD_BLOCK, baton_scope_begin(streams[1], NULL, &(baton_operand) { .array = arrays[0] }, 1, BATON_SCOPE_TRY, &(baton_scope *) { NULL }, &error));
    on_thread(finalize, NULL);
    hop(argument);
}

/* W1: a task that is cancelled inside a scope; its finalizer, on another thread, aborts the scope, and others go on. */
START_TEST(a_cancelled_task_is_cleaned_up_by_its_finalizer_on_another_thread)
{
    world_make();
    atomic_store(&orphan, NULL);
    fibers_run((fiber_body[]) { die_inside, go_on }, (void *[]) { NULL, (void *)(intptr_t)1 }, 2, 2, support_seed(5));
    world_end();
}
END_TEST

static void operate(void *argument)
{
    int task = (int)(intptr_t)argument;
    for (int round = 0; round < ROUNDS; round++) {
        launch_in(NULL, streams[task], (task + round) % ARRAYS);
        if (round % 7 == 0)
            ok(baton_array_synchronize(arrays[round % ARRAYS], BATON_WAIT_AUTO, NULL));
        fiber_yield(NULL);
    }
}

/* Plain operations and waits of tasks on the same arrays, with others' scopes open across yields: the yield hook lets their owners finish. */
START_TEST(operations_run_beside_open_scopes_when_waiting_yields)
{
    fiber_body bodies[TASKS];
    void *numbers[TASKS];
    support_reopen(&(baton_runtime_options) { .struct_size = sizeof(baton_runtime_options), .yield = fiber_yield });
    world_make();
    for (int i = 0; i < TASKS; i++) {
        bodies[i] = i % 2 ? hop : operate;
        numbers[i] = (void *)(intptr_t)i;
    }
    fibers_run(bodies, numbers, TASKS, THREADS, support_seed(17));
    world_end();
}
END_TEST

SUPPORT_MAIN("fibers", 60, scopes_of_tasks_that_hop_threads_lose_nothing, without_a_yield_hook_a_coroutine_gets_would_deadlock,
             with_a_yield_hook_both_coroutines_finish, a_cancelled_task_is_cleaned_up_by_its_finalizer_on_another_thread,
             operations_run_beside_open_scopes_when_waiting_yields)
