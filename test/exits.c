/* The end of a process, in every order of what may still be alive, and in the middle of whatever may be under way: it ends with the status that it was given, at once. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

enum { COUNT = 100, STEPS = 4, STATUS = 3 };

static baton_stream *stream;
static baton_array *array, *host;
static baton_kernel *kernel;
static baton_fence *fence;

/* Any failure is an exit status that no test expects. */
static void must(int32_t status)
{
    if (status != BATON_OK) {
        fprintf(stderr, "%s: %s\n", baton_status_name(status), error.message);
        _exit(1);
    }
}

static int32_t nothing(void *unused)
{
    (void)unused;
    return 0;
}

static int32_t leave(void *unused)
{
    (void)unused;
    exit(STATUS);
}

static void make_with(baton_runtime_options options)
{
    int32_t descriptor;
    error = (baton_error)BATON_ERROR_INIT;
    options.struct_size = sizeof options;
    options.driver = needs_driver();
    must(baton_runtime_open(&options, &runtime, &error));
    stream = make_stream();
    array = make_array(COUNT, stream);
    host = make_array_of(BATON_HOST, COUNT, stream);
    kernel = make_add_one(0);
    fill(array, 1, stream);
    must(baton_stream_fence(stream, &fence, &error));
    must(baton_fence_descriptor(fence, &descriptor, &error));
}

static void make(void)
{
    make_with((baton_runtime_options) { .flags = 0 });
}

/* Runs the body in a process of its own, which must end with STATUS. */
static void expect_exit(void (*body)(void), const char *what)
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(on_soft() ? 10 : 100);        /* CUDA takes seconds for a context, more when others make some */
        body();
        exit(STATUS);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == STATUS, "%s: %s %d", what, WIFEXITED(status) ? "exit status" : "signal",
                  WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

/* What a process leaves that ends in the middle of something is no leak, and none is held for a second, as the thread sanitizer would. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
__attribute__((visibility("default"))) const char *__tsan_default_options(void);

int __lsan_is_turned_off(void)
{
    return 1;
}

const char *__tsan_default_options(void)
{
    return "atexit_sleep_ms=0";
}

/* ---- orders */

static int order[STEPS], taken;         /* the steps, and how many of them are taken before the exit */

static void step(int which)
{
    switch (which) {
    case 0:
        baton_array_release(array);
        baton_array_release(host);
        break;
    case 1: baton_stream_release(stream); break;
    case 2:
        baton_kernel_release(kernel);
        baton_fence_release(fence);
        break;
    default: must(baton_runtime_close(runtime, &error)); break;
    }
}

static void take_steps(void)
{
    make();
    for (int i = 0; i < taken; i++)
        step(order[i]);
}

static int is_order(int number)
{
    int seen = 0;
    for (int i = 0; i < STEPS; i++, number /= STEPS) {
        order[i] = number % STEPS;
        seen |= 1 << order[i];
    }
    return seen == (1 << STEPS) - 1;
}

/* Arrays, streams, the rest and the runtime, in all 24 orders, each cut short in every place; on CUDA, where each process takes seconds, some of all these. */
START_TEST(a_process_ends_in_every_order)
{
    char what[64];
    int run = 0, every = on_soft() ? 1 : 7;
    for (int number = 0; number < STEPS * STEPS * STEPS * STEPS; number++)
        for (taken = 0; taken <= STEPS && is_order(number); taken++) {
            if (run++ % every)
                continue;
            snprintf(what, sizeof what, "%d of the steps %d %d %d %d", taken, order[0], order[1], order[2], order[3]);
            expect_exit(take_steps, what);
        }
    ck_assert_int_eq(run, 24 * (STEPS + 1));
}
END_TEST

/* ---- in the middle of things */

static int32_t leave_managed(void *unused, baton_stream *own, const baton_operand *operands, uint64_t count)
{
    (void)own, (void)operands, (void)count;
    return leave(unused);
}

static int32_t leave_captured(void *unused, baton_stream *own)
{
    (void)own;
    return leave(unused);
}

/* On a GPU the system may wait for what runs there. */
static void hold_stream(void)
{
    baton_gate *gate;
    must(baton_gate_create(stream, on_soft() ? 60000000000 : 1000000000, &gate, &error));
}

static void in_a_hook_before_a_wait(void)
{
    make_with((baton_runtime_options) { .before_block = leave });
    hold_stream();
    must(baton_stream_synchronize(stream, BATON_WAIT_BLOCK, &error));
}

static void in_a_hook_after_a_wait(void)
{
    make_with((baton_runtime_options) { .before_block = nothing, .after_block = leave });
    baton_gate *gate;
    must(baton_gate_create(stream, 10000000, &gate, &error));
    must(baton_stream_synchronize(stream, BATON_WAIT_BLOCK, &error));
}

static void in_a_scopes_function(void)
{
    make();
    baton_operand operand = { .array = array };
    must(baton_with_managed(stream, &operand, 1, leave_managed, NULL, &error));
}

static void in_a_captured_body(void)
{
    baton_executable *executable = NULL;
    int32_t outcome;
    make();
    must(baton_capture_run(stream, BATON_CAPTURE_GLOBAL, leave_captured, NULL, &executable, &outcome, NULL, &error));
}

static void with_a_scope_open(void)
{
    baton_scope *scope;
    make();
    must(baton_scope_begin(stream, NULL, &(baton_operand) { .array = array }, 1, 0, &scope, &error));
}

static void with_a_capture_under_way(void)
{
    make();
    must(baton_capture_begin(stream, BATON_CAPTURE_GLOBAL, &error));
    fill(array, 2, stream);
}

/* The device would need as long as the gate's limit. */
static void with_a_closed_gate(void)
{
    make();
    hold_stream();
    fill(array, 2, stream);
}

static _Atomic int begun;

static void *wait_for_ever(void *unused)
{
    atomic_store(&begun, 1);
    baton_stream_synchronize(stream, BATON_WAIT_BLOCK, NULL);       /* CUDA's own exit may end the wait with an error */
    return unused;
}

static void *submit_for_ever(void *unused)
{
    for (int32_t value = 0;; value++) {
        baton_fill(array, &value, sizeof value, stream, NULL);
        baton_array_synchronize(array, BATON_WAIT_AUTO, NULL);
        atomic_store(&begun, value > 10);
    }
    return unused;
}

static void start(void *(*body)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, NULL))
        _exit(2);
    while (!atomic_load(&begun))
        sched_yield();
}

static void with_a_thread_that_waits(void)
{
    make();
    hold_stream();
    start(wait_for_ever);
}

static void with_a_thread_that_submits(void)
{
    make();
    start(submit_for_ever);
}

static void *leave_thread(void *unused)
{
    exit(STATUS);
    return unused;
}

static void from_another_thread(void)
{
    pthread_t thread;
    make();
    if (!pthread_create(&thread, NULL, leave_thread, NULL))
        pthread_join(thread, NULL);
}

static void quickly(void)
{
    make();
    quick_exit(STATUS);
}

/* Handlers run in the opposite order: one that was there before the library was opened runs after all that came later. */
static int works_or_is_gone(int32_t status)
{
    int gone = status && !on_soft() && driver_code_gone(error.driver_code);     /* CUDA's own handler has run: every call says so */
    if (!gone)
        must(status);
    return !gone;
}

static void use_at_exit(void)
{
    int32_t value = 4;
    if (works_or_is_gone(baton_fill(array, &value, sizeof value, stream, &error)))
        expect(array, value, stream);
    baton_array_release(array);
    must(baton_drain(runtime, 0, NULL, &error));
}

static void close_at_exit(void)
{
    works_or_is_gone(baton_runtime_close(runtime, &error));
}

static void with_a_handler_from_before(void)
{
    atexit(close_at_exit);
    atexit(use_at_exit);
    make();
}

static void with_a_handler_from_afterwards(void)
{
    make();
    atexit(close_at_exit);
    atexit(use_at_exit);
}

START_TEST(a_process_ends_in_the_middle_of_anything)
{
    static const struct { void (*body)(void); const char *name; } ways[] = {
        { in_a_hook_before_a_wait, "in a hook before a wait" }, { in_a_hook_after_a_wait, "in a hook after a wait" },
        { in_a_scopes_function, "in a scope's function" }, { in_a_captured_body, "in a captured body" }, { with_a_scope_open, "with a scope open" },
        { with_a_capture_under_way, "with a capture under way" }, { with_a_closed_gate, "with a closed gate" },
        { with_a_thread_that_waits, "with a thread that waits" }, { with_a_thread_that_submits, "with a thread that submits" },
        { from_another_thread, "from another thread" }, { quickly, "quickly" }, { with_a_handler_from_before, "with a handler from before" },
        { with_a_handler_from_afterwards, "with a handler from afterwards" },
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        atomic_store(&begun, 0);
        expect_exit(ways[i].body, ways[i].name);
    }
}
END_TEST

/* The processes are made before this one opens anything: a driver does not survive a fork. */
int main(void)
{
    Suite *suite = suite_create("exits");
    TCase *group = tcase_create("exits");
    tcase_set_timeout(group, 240);
    tcase_add_test(group, a_process_ends_in_every_order);
    tcase_add_test(group, a_process_ends_in_the_middle_of_anything);
    suite_add_tcase(suite, group);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
