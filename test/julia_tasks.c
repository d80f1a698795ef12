/* Julia's tasks on several threads (julia_runtime.h): they hop at every yield, allocate everywhere, leave garbage, and stop the world, in scopes and
 * captures too. Calls and their order are those of bindings/julia/src. */
#include <stdio.h>

#include "fiber.h"
#include "julia_steps.h"

enum { TASKS = 12, ROUNDS = 60, THREADS = 3 };
static const uint64_t LIMIT = 8 * GARBAGE * sizeof(int32_t);

static _Atomic int moved;

static void increment_kernel(const baton_host_launch *launch, void *const *arguments)
{
    int32_t *values = (int32_t *)(uintptr_t)*(const uint64_t *)arguments[0];
    (void)launch;
    for (int i = 0; i < COUNT; i++)
        values[i]++;
}

static void run_task(void *argument)
{
    struct task *task = argument;
    int at = fiber_moves();
    julia_enter();
    status(task, baton_stream_create, runtime, 0, 0, 0, &task->stream);
    for (int round = 0; round < ROUNDS; round++) {
        steps[draw(task, STEPS)](task);
        julia_yield();
    }
    GARBAGE_OF(stream, task->stream);
    julia_leave();
    atomic_fetch_add(&moved, fiber_moves() - at);
}

/* As open_runtime of runtime.jl. */
static void world_make(void)
{
    static const baton_host_parameter parameter = { 8, BATON_READ_WRITE };
    support_reopen(&(baton_runtime_options) { .struct_size = sizeof(baton_runtime_options), .flags = BATON_RUNTIME_TRY });
    ok(baton_set_memory_limit(runtime, 0, LIMIT, &error));
    baton_stream *stream = make_stream();
    for (int i = 0; i < ARRAYS; i++) {
        arrays[i] = make_array(COUNT, stream);
        fill(arrays[i], 0, stream);
        ok(baton_stream_synchronize(stream, BATON_WAIT_AUTO, &error));
        atomic_store(&expected[i], 0);
    }
    baton_stream_release(stream);
    increment = make_kernel(0, increment_kernel, "increment_all", &parameter, 1);
    atomic_store(&moved, 0);
    atomic_store(&held, 0);
    atomic_store(&ladders, 0);
}

static void world_end(void)
{
    baton_stream *stream = make_stream();
    for (int i = 0; i < ARRAYS; i++) {
        ck_assert_uint_eq(info_of(arrays[i]).lock_holder, 0);
        expect(arrays[i], atomic_load(&expected[i]), stream);
        baton_array_release(arrays[i]);
    }
    baton_stream_release(stream);
    baton_kernel_release(increment);
}

static void run(fiber_body body, int count, int threads, uint64_t seed)
{
    struct task tasks[TASKS];
    fiber_body bodies[TASKS];
    void *arguments[TASKS];
    for (int i = 0; i < count; i++) {
        tasks[i] = (struct task) { .number = i, .random = seed + (uint64_t)i * 977, .error = BATON_ERROR_INIT };
        bodies[i] = body;
        arguments[i] = &tasks[i];
    }
    julia_leave();
    fibers_run(bodies, arguments, count, threads, seed);
    julia_enter();
}

static struct julia_counts stop(void)
{
    julia_stop();
    struct julia_counts counts = julia_counts();
    ck_assert_msg(!julia_problem()[0], "%s", julia_problem());
    printf("%llu collections, finalized %llu here and %llu elsewhere; %llu gc_safe calls, %llu others; %d hops, %d refused, %d ladders\n",
           (unsigned long long)counts.collections, (unsigned long long)counts.finalized_here, (unsigned long long)counts.finalized_elsewhere,
           (unsigned long long)counts.safe_calls, (unsigned long long)counts.unsafe_calls, atomic_load(&moved), atomic_load(&held), atomic_load(&ladders));
    return counts;
}

static void play(int threads, uint64_t otherwise)
{
    uint64_t seed = support_seed(otherwise);
    printf("seed %llu on %d threads: ", (unsigned long long)seed, threads);
    world_make();
    julia_start(seed);
    run(run_task, TASKS, threads, seed);
    struct julia_counts counts = stop();
    world_end();
    ck_assert_uint_gt(counts.collections, 0);
    ck_assert_uint_gt(counts.finalized_here, 0);
    ck_assert_uint_gt(counts.finalized_elsewhere, 0);
    ck_assert_int_gt(atomic_load(&ladders), 0);
    ck_assert_int_gt(atomic_load(&held), 0);
}

/* W3, I5: no increment is lost, no collection is late, no finalizer waits or enters the driver, and garbage is never the reason for an error. */
START_TEST(tasks_that_hop_threads_and_a_collector_that_stops_the_world_get_on)
{
    for (uint64_t seed = 1; seed <= 8; seed++)
        play(THREADS, seed);
    ck_assert_int_ge(atomic_load(&moved), TASKS * ROUNDS);
}
END_TEST

/* The same in an order that the seed alone decides. */
START_TEST(tasks_of_one_thread_get_on)
{
    for (uint64_t seed = 1; seed <= 8; seed++)
        play(1, seed);
}
END_TEST

/* Two hold an array each across yields; the others want both. */
static void hold_or_want(void *argument)
{
    struct task *task = argument;
    baton_operand operand = { .array = arrays[task->number % 2] };
    baton_scope *scope;
    julia_enter();
    status(task, baton_stream_create, runtime, 0, 0, 0, &task->stream);
    for (int round = 0; round < ROUNDS; round++) {
        if (task->number >= 2) {
            launch_on(task, (task->number + round) % 2, NULL);
            continue;
        }
        status(task, baton_scope_begin, task->stream, NULL, &operand, 1, BATON_SCOPE_TRY, &scope);
        for (int i = 0; i < 5; i++)
            julia_yield();
        launch_on(task, task->number, scope);
        status(task, baton_scope_end, scope);
        julia_call_void(baton_scope_release, scope);
    }
    GARBAGE_OF(stream, task->stream);
    julia_leave();
}

/* BATON_RUNTIME_TRY: were the others to wait in the library, they would soon have all threads, and who holds the arrays would never run again. */
START_TEST(tasks_that_are_suspended_in_scopes_find_a_thread_to_go_on)
{
    world_make();
    julia_start(support_seed(3));
    run(hold_or_want, 6, 2, support_seed(3));
    stop();
    atomic_store(&expected[0], 3 * ROUNDS);
    atomic_store(&expected[1], 3 * ROUNDS);
    world_end();
}
END_TEST

static void use_own(void *argument)
{
    struct task *task = argument;
    baton_operand operand = { .array = arrays[0] };
    baton_scope *scope;
    int32_t value = 9, from;
    julia_enter();
    status(task, baton_stream_create, runtime, 0, 0, 0, &task->stream);
    status(task, baton_scope_begin, task->stream, NULL, &operand, 1, BATON_SCOPE_TRY, &scope);
    from = fiber_moves();
    while (task->number == 0 && fiber_moves() == from)
        julia_yield();
    if (task->number == 0) {
        ck_assert_int_eq(julia_call(baton_fill, arrays[0], &value, sizeof value, task->stream, &task->error), BATON_WOULD_BLOCK);
        ck_assert_uint_eq(task->error.memory_id, info_of(arrays[0]).memory_id);
    }
    status(task, baton_scope_end, scope);
    julia_call_void(baton_scope_release, scope);
    GARBAGE_OF(stream, task->stream);
    julia_leave();
}

/* W4: also when the task has changed threads since it took the array, so that no thread tells who it is. */
START_TEST(what_a_task_holds_itself_is_refused_with_its_number)
{
    world_make();
    julia_start(support_seed(4));
    run(use_own, 2, 2, support_seed(4));
    stop();
    world_end();
}
END_TEST

/* Exit: the runtime is closed first, and the finalizers run afterwards. */
START_TEST(finalizers_run_after_the_runtime_was_closed)
{
    struct task task = { .error = BATON_ERROR_INIT };
    world_make();
    julia_start(5);
    status(&task, baton_stream_create, runtime, 0, 0, 0, &task.stream);
    baton_array *array = create(&task);
    GARBAGE_OF(array, array);
    GARBAGE_OF(stream, task.stream);
    julia_leave();
    world_end();
    julia_enter();
    ck_assert_int_eq(julia_call(baton_runtime_close, runtime, &error), BATON_OK);
    runtime = NULL;
    stop();
    support_reopen(NULL);       /* its drain gives back what closed runtimes left */
}
END_TEST

SUPPORT_MAIN("julia_tasks", 120, tasks_that_hop_threads_and_a_collector_that_stops_the_world_get_on, tasks_of_one_thread_get_on,
             tasks_that_are_suspended_in_scopes_find_a_thread_to_go_on, what_a_task_holds_itself_is_refused_with_its_number,
             finalizers_run_after_the_runtime_was_closed)
