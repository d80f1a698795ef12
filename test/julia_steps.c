#include "base/process.h"           /* the library's own headers come first: Check has a macro named fail */

#include <poll.h>

#include "julia_steps.h"

enum { LOOKS = 16 };
static const uint64_t PATIENCE_NS = 20000000000u;

baton_array *arrays[ARRAYS];
baton_kernel *increment;
_Atomic int expected[ARRAYS], held, ladders;

int draw(struct task *task, int below)
{
    task->random = task->random * 6364136223846793005u + 1442695040888963407u;
    return (int)((task->random >> 33) % (uint64_t)below);
}

#define FINALIZER(kind) void kind##_finalizer(void *handle) { julia_call_void(baton_##kind##_release, handle); }
FINALIZER(array)
FINALIZER(stream)
static FINALIZER(fence)
static FINALIZER(graph)
static FINALIZER(executable)

void launch_on(struct task *task, int array, baton_scope *scope)
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
baton_array *create(struct task *task)
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

void (*const steps[STEPS])(struct task *task) = { operate, manage, litter, litter, await, capture };
