/* What every public function answers once the driver cannot be used: on a device that is lost (E2), and in a forked child. A distinct error at once, no call of the
 * driver, and whatever is held can be given back. */
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "every_call.h"
#include "outside.h"
#include "waiter.h"

static void *every_position(void *valid, void *freed, int is_handle)
{
    (void)freed, (void)is_handle;
    return valid;
}

/* Answered without a device, after its loss too. */
static const char *const without_device[] = {
    "baton_runtime_info_read", "baton_device_count", "baton_stats_read", "baton_drain", "baton_trace_start", "baton_trace_read", "baton_stream_id",
    "baton_stream_device", "baton_stream_lent", "baton_stream_set_task", "baton_array_info_read", "baton_graph_info_read", "baton_graph_dot",
    "baton_gate_open", "baton_scope_end",
    "baton_fence_query", "baton_fence_wait", "baton_fence_descriptor",      /* of a fence that has nothing to wait for */
    "baton_array_dispose", "baton_runtime_open", "baton_runtime_close",
};

/* Of these, answered in a forked child as well. */
static const char *const without_process[] = {
    "baton_stream_id", "baton_stream_device", "baton_stream_lent", "baton_stream_set_task", "baton_array_info_read", "baton_graph_info_read", "baton_graph_dot",
    "baton_gate_open",
};

/* What is wrong with the arguments in these rows is seen first. */
static const char *const with_wrong_contents[] = {
    "baton_module_load", "baton_module_kernel", "baton_dlpack_import", "baton_dlpack_import_legacy", "baton_arrow_import", "baton_interface_import",
};

static int is_in(const char *const *list, int count, const char *function)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i], function) == 0)
            return 1;
    return 0;
}
#define IS_IN(list, function) is_in(list, COUNT(list), function)

static const struct row *row_at(int i)
{
    return i < COUNT(rows) ? &rows[i] : &makers[i - COUNT(rows)];
}

static int32_t answer(const struct row *row)
{
    error = (baton_error)BATON_ERROR_INIT;
    return row->call();
}

/* E2: whatever is called. A runtime is not closed in the middle, and a new one would begin anew. */
START_TEST(after_a_loss_every_function_says_so_without_a_call_of_the_driver)
{
    int32_t number = 1;
    baton_error first;
    every_begin();
    outside_fault_ready();
    outside_fault();
    refused(BATON_ERR_POISONED, baton_fill(good.array, &number, sizeof number, good.stream, &error));
    first = error;
    counting_start();
    for (int i = 0; i < COUNT(rows) + COUNT(makers); i++) {
        const char *function = row_at(i)->name;
        int quiet = IS_IN(without_device, function), wrong = IS_IN(with_wrong_contents, function);
        if (strncmp(function, "baton_runtime_", 14) == 0 && strcmp(function, "baton_runtime_info_read") != 0)
            continue;
        int32_t status = answer(row_at(i));
        ck_assert_msg(wrong ? status < 0 : status == (quiet ? BATON_OK : BATON_ERR_POISONED), "%s: %s", function, baton_status_name(status));
        ck_assert_msg(quiet || wrong || memcmp(&error, &first, sizeof first) == 0, "%s: %s", function, error.message);
        ck_assert_msg(calls(DRIVER_ROW_COUNT) == 0, "%s called the driver", function);
    }
    every_release(&good);
    ok(baton_runtime_close(runtime, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    runtime = NULL;
}
END_TEST

/* ---- a fork, while other threads hold locks and wait for them */

/* The linker sends the library's system calls here (--wrap): a thread that parks makes one with the mutex of the parking place held. `stuck`: it stays in there. */
long __real_syscall(long number, long a, long b, long c);
long __wrap_syscall(long number, ...);

static _Atomic int stuck, inside;

long __wrap_syscall(long number, ...)
{
    va_list arguments;
    va_start(arguments, number);
    int command = va_arg(arguments, int);
    va_end(arguments);
    if (number == SYS_membarrier && command == MEMBARRIER_CMD_PRIVATE_EXPEDITED)
        for (atomic_store(&inside, 1); atomic_load(&stuck);)
            sched_yield();
    return __real_syscall(number, command, 0, 0);
}

/* One thread's scope keeps the array's lock; another thread is about to park for it. */
static struct held {
    baton_stream *stream;
    baton_scope *scope;
    struct waiter waiter;
} held;

static void hold(void *unused)
{
    baton_operand own = { .array = good.array };
    (void)unused;
    ok(baton_scope_begin(held.stream, NULL, &own, 1, 0, &held.scope, NULL));
}

static void fill_behind(void *array)
{
    int32_t number = 7;
    ok(baton_fill(array, &number, sizeof number, held.stream, NULL));
}

static void hold_locks(void)
{
    held.stream = make_stream();
    on_thread(hold, NULL);
    atomic_store(&stuck, 1);
    waiter_start(&held.waiter, fill_behind, good.array);
    waiter_expect_parked(&held.waiter, good.array);
    while (!atomic_load(&inside))
        sched_yield();
}

static void let_go(void)
{
    atomic_store(&stuck, 0);
    ok(baton_scope_end(held.scope, &error));
    waiter_join(&held.waiter);
}

/* What is not as it should be is printed; the exit status is how much that is. */
static int every_call_in_a_child(void)
{
    int wrong = 0;
    for (int i = 0; i < COUNT(rows) + COUNT(makers); i++) {
        const char *function = row_at(i)->name;
        int32_t expected = IS_IN(without_process, function) ? BATON_OK : BATON_ERR_FORKED, status = answer(row_at(i));
        if (status == expected && (status == BATON_OK || (error.status == status && error.message[0])))
            continue;
        if (IS_IN(with_wrong_contents, function) && status < 0)
            continue;
        printf("in the child, %s: %s\n", function, baton_status_name(status));
        wrong++;
    }
    return wrong + (calls(DRIVER_ROW_COUNT) != 0);
}

/* Ends in the usual way, with all exit handlers, or by the alarm. */
static void run_child(void)
{
    signal(SIGALRM, SIG_DFL);
    alarm(1);
    int wrong = every_call_in_a_child();
    baton_scope_abort(held.scope);
    baton_scope_release(held.scope);
    every_release(&good);
    baton_stream_release(held.stream);
    leave_child(wrong || calls(DRIVER_ROW_COUNT));
}

/* I5, I12: nothing waits for a thread that stayed behind, and the parent does not notice. */
START_TEST(a_child_forked_while_locks_are_held_is_refused_everything_and_ends_within_a_second)
{
    int status;
    every_begin();
    hold_locks();
    counting_start();
    fflush(stdout);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        run_child();
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "the child ended by signal %d", WTERMSIG(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    let_go();
    expect(good.array, 7, good.stream);
    baton_scope_release(held.scope);
    every_release(&good);
    baton_stream_release(held.stream);
}
END_TEST

SUPPORT_MAIN("refused", 60, after_a_loss_every_function_says_so_without_a_call_of_the_driver,
             a_child_forked_while_locks_are_held_is_refused_everything_and_ends_within_a_second)
