/* Julia's tasks on several threads (julia_runtime.h): they hop at every yield, allocate everywhere, leave garbage, and stop the world, in scopes and
 * captures too. Calls and their order are those of bindings/julia/src. */
#include "base/process.h"           /* the library's own headers come first: Check has a macro named fail */

#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>

#include "fiber.h"
#include "julia_runtime.h"
#include "support.h"

enum { TASKS = 12, ARRAYS = 4, ROUNDS = 60, THREADS = 3, COUNT = 64, GARBAGE = 4096, LOOKS = 16 };
static const uint64_t LIMIT = 8 * GARBAGE * sizeof(int32_t), PATIENCE_NS = 20000000000u;

static baton_array *arrays[ARRAYS];
static baton_kernel *increment;
static _Atomic int expected[ARRAYS], moved, held, ladders;

struct task {
    int number;
    baton_stream *stream;
    uint64_t random;
    baton_error error;
};

static int draw(struct task *task, int below)
{
    task->random = task->random * 6364136223846793005u + 1442695040888963407u;
    return (int)((task->random >> 33) % (uint64_t)below);
}

/* As status() of errors.jl: where another task holds the array, others run, and the call is made again. */
#define status(task, function, ...)                                                                                 \
    do {                                                                                                            \
        int32_t status_code;                                                                                        \
        while ((status_code = julia_call(function, __VA_ARGS__, &(task)->error)) == BATON_WOULD_BLOCK) {            \
            atomic_fetch_add(&held, 1);                                                                             \
            julia_yield();                                                                                          \
        }                                                                                                           \
        ck_assert_msg(status_code >= 0, "%s: %s", #function, (task)->error.message);                                \
    } while (0)

#define FINALIZER(kind) static void kind##_finalizer(void *handle) { julia_call_void(baton_##kind##_release, handle); }
FINALIZER(array)
FINALIZER(stream)
FINALIZER(fence)
FINALIZER(graph)
FINALIZER(executable)
/* A Julia object that nothing refers to once the function that made it has ended. */
#define GARBAGE_OF(kind, handle) julia_drop(julia_object((handle), kind##_finalizer))

static void increment_kernel(const baton_host_launch *launch, void *const *arguments)
{
    int32_t *values = (int32_t *)(uintptr_t)*(const uint64_t *)arguments[0];
    (void)launch;
    for (int i = 0; i < COUNT; i++)
        values[i]++;
}

static void launch_on(struct task *task, int array, baton_scope *scope)
{
    baton_launch_options options = { .struct_size = sizeof options, .stream = task->stream, .scope = scope };
    baton_argument argument = baton_inout(arrays[array]);
    status(task, baton_launch, increment, &options, &argument, 1);
    julia_allocate();
}

static void operate(struct task *task)
{
    int array = draw(task, ARRAYS);
    launch_on(task, array, NULL);
    atomic_fetch_add(&expected[array], 1);
}

/* with_managed of managed.jl; the body allocates, and lets others run. */
static void manage(struct task *task)
{
    int first = draw(task, ARRAYS), second = draw(task, ARRAYS);
    baton_operand operands[] = { { .array = arrays[first] }, { .array = arrays[second] } };
    baton_scope *scope;
    status(task, baton_scope_begin, task->stream, NULL, operands, 2, BATON_SCOPE_TRY, &scope);
    julia_allocate();
    julia_yield();
    launch_on(task, first, scope);
    julia_yield();
    launch_on(task, second, scope);
    status(task, baton_scope_end, scope);
    julia_call_void(baton_scope_release, scope);
    atomic_fetch_add(&expected[first], 1);
    atomic_fetch_add(&expected[second], 1);
}

/* create of arrays.jl: out of memory is a reason to collect, and no error as long as something is on its way back. */
static baton_array *create(struct task *task)
{
    int64_t elements = GARBAGE;
    baton_array_options options = { .struct_size = sizeof options, .flags = BATON_ALLOC_NO_HOOK, .dtype = BATON_I32, .ndim = 1, .shape = &elements,
                                    .stream = task->stream };
    baton_array *array = NULL;
    baton_stats now = { .struct_size = sizeof now };
    int32_t code;
    uint64_t given_back = 0, end = process_now() + PATIENCE_NS;
    while ((code = julia_call(baton_array_create, runtime, &options, &array, &task->error))) {
        ck_assert_int_eq(julia_call(baton_stats_read, runtime, &now, &task->error), BATON_OK);
        if (code == BATON_OOM_RETRY) {
            options.level = task->error.level;
            given_back = now.frees;
            ck_assert_ptr_null(options.level > 1 ? julia_collect_all(JULIA_LIMIT_NS) : julia_collect(JULIA_LIMIT_NS));
            atomic_fetch_add(&ladders, 1);
            continue;
        }
        int coming = task->error.operation == BATON_OP_CAPTURE || now.deferred_bytes || now.frees != given_back;
        ck_assert_msg(code == BATON_ERR_OOM && coming && process_now() < end, "only garbage, but %s", task->error.message);
        options.level = 0;
        julia_yield();
    }
    return array;
}

static void litter(struct task *task)
{
    int32_t value = task->number;
    baton_array *array = create(task);
    status(task, baton_fill, array, &value, sizeof value, task->stream);
    GARBAGE_OF(array, array);
    julia_allocate();
}

/* wait(fence) of waiting.jl, and a copy to the host. */
static void await(struct task *task)
{
    int32_t host[COUNT], ready, descriptor, array = draw(task, ARRAYS);
    baton_fence *fence;
    status(task, baton_array_fence, arrays[array], &fence);
    for (int i = 0; (ready = julia_call(baton_fence_query, fence, &task->error)) == BATON_NOT_READY && i < LOOKS; i++)
        julia_yield();
    if (ready) {
        status(task, baton_fence_descriptor, fence, &descriptor);
        while (poll(&(struct pollfd) { .fd = descriptor, .events = POLLIN }, 1, 0) == 0)
            julia_yield();
        status(task, baton_fence_wait, fence, BATON_UNLIMITED, BATON_WAIT_AUTO);
    }
    GARBAGE_OF(fence, fence);
    status(task, baton_download, host, sizeof host, arrays[array], task->stream);
    for (int i = 1; i < COUNT; i++)
        ck_assert_int_eq(host[i], host[0]);     /* never in the middle of an increment */
}

/* capture, instantiate and launch of graphs.jl; the task hops in the middle. */
static void capture(struct task *task)
{
    int array = draw(task, ARRAYS);
    baton_graph *graph;
    baton_executable *executable;
    status(task, baton_stream_set_task, task->stream, (uint64_t)task->number + 1);
    status(task, baton_capture_begin, task->stream, BATON_CAPTURE_RELAXED);
    launch_on(task, array, NULL);
    julia_yield();
    status(task, baton_capture_end, task->stream, &graph);
    status(task, baton_graph_instantiate, graph, &executable);
    GARBAGE_OF(graph, graph);
    julia_allocate();
    status(task, baton_graph_launch, executable, task->stream);
    GARBAGE_OF(executable, executable);
    atomic_fetch_add(&expected[array], 1);
}

static void run_task(void *argument)
{
    void (*const steps[])(struct task *) = { operate, manage, litter, litter, await, capture };
    struct task *task = argument;
    int at = fiber_moves();
    julia_enter();
    status(task, baton_stream_create, runtime, 0, 0, 0, &task->stream);
    for (int round = 0; round < ROUNDS; round++) {
        steps[draw(task, (int)(sizeof steps / sizeof *steps))](task);
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
    if (task->number == 0)
        ck_assert_int_eq(julia_call(baton_fill, arrays[0], &value, sizeof value, task->stream, &task->error), BATON_WOULD_BLOCK);
    ck_assert_uint_eq(task->number ? 0 : task->error.memory_id, task->number ? 0 : info_of(arrays[0]).memory_id);
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
