/* Signals while a call waits: the wait goes on, as long as it should and no longer; no thread of the library takes one. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "waiter.h"

/* The thread sanitizer keeps a signal until the thread's next atomic access: one that comes just before a futex stays until another wakes it. */
#ifdef __SANITIZE_THREAD__
enum { COUNT = 100, LEAST_SIGNALS = 5, SEND_AGAIN = 1 };
#else
enum { COUNT = 100, LEAST_SIGNALS = 50, SEND_AGAIN = 0 };
#endif

static _Atomic int handled, elsewhere;
static _Atomic uint64_t target;         /* the thread that is meant */

static void handler(int number)
{
    (void)number;
    if ((uint64_t)gettid() != atomic_load(&target))
        atomic_fetch_add(&elsewhere, 1);
    atomic_fetch_add(&handled, 1);
}

/* Without SA_RESTART: what can be interrupted is. */
static void catch_signals(void)
{
    struct sigaction action = { .sa_handler = handler };
    ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
    atomic_store(&handled, 0);
    atomic_store(&elsewhere, 0);
}

/* Sends the next one once the last has been seen. */
static void send_signals(struct waiter *waiter)
{
    atomic_store(&target, atomic_load(&waiter->id));
    for (int sent = 0; sent < LEAST_SIGNALS; sent++) {
        ck_assert_int_eq(pthread_kill(waiter->thread, SIGUSR1), 0);
        while (atomic_load(&handled) <= sent) {
            ck_assert_int_eq(atomic_load(&waiter->returned), 0);
            if (SEND_AGAIN)
                ck_assert_int_eq(pthread_kill(waiter->thread, SIGUSR1), 0);
        }
    }
    ck_assert_int_eq(atomic_load(&waiter->returned), 0);
    ck_assert_int_eq(atomic_load(&elsewhere), 0);
}

/* What the waiting thread does, and with what. */
static struct work {
    baton_stream *stream;
    baton_array *array;
    baton_fence *fence;
    int32_t mode, value;
} work;

static void synchronize_stream(void *unused)
{
    (void)unused;
    ok(baton_stream_synchronize(work.stream, work.mode, NULL));
}

static void synchronize_array(void *unused)
{
    (void)unused;
    ok(baton_array_synchronize(work.array, work.mode, NULL));
}

static void wait_for_fence(void *unused)
{
    (void)unused;
    ok(baton_fence_wait(work.fence, BATON_UNLIMITED, work.mode, NULL));
}

static void wait_for_fence_with_a_limit(void *unused)
{
    (void)unused;
    ok(baton_fence_wait(work.fence, 20000000000, work.mode, NULL));
}

static void download(void *unused)
{
    int32_t host[COUNT];
    (void)unused;
    ok(baton_download(host, sizeof host, work.array, work.stream, NULL));
    work.value = host[COUNT - 1];
}

static void take_pointer(void *unused)
{
    uint64_t address;
    baton_stream *own = NULL;
    (void)unused;
    ok(baton_stream_create(runtime, 0, 0, 0, &own, NULL));
    ok(baton_array_pointer(work.array, own, 0, &address, NULL));
    baton_stream_release(own);
}

static void close_runtime(void *unused)
{
    (void)unused;
    ok(baton_runtime_close(runtime, NULL));
}

static void work_make(void)
{
    work = (struct work) { .stream = make_stream() };
    work.array = make_array(COUNT, work.stream);
}

static void work_release(void)
{
    baton_fence_release(work.fence);
    arrays_release(work.array);
    streams_release(work.stream);
}

/* body must neither return nor fail while the gate is closed, and be right once it is open. */
static void interrupt(void (*body)(void *))
{
    struct waiter waiter;
    baton_gate *gate = close_gate(work.stream);
    fill(work.array, 3, work.stream);
    ok(baton_array_fence(work.array, &work.fence, &error));
    atomic_store(&handled, 0);
    waiter_start(&waiter, body, NULL);
    while (!atomic_load(&waiter.id))
        ;
    send_signals(&waiter);
    open_gate(gate);
    waiter_join(&waiter);
    baton_fence_release(work.fence);
    work.fence = NULL;
}

/* H1, H3: each way to wait, in each mode. */
START_TEST(a_wait_goes_on_when_a_signal_comes)
{
    static void (*const bodies[])(void *) = { synchronize_stream, synchronize_array, wait_for_fence, wait_for_fence_with_a_limit, download, take_pointer };
    catch_signals();
    work_make();
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        for (work.mode = BATON_WAIT_AUTO; work.mode <= BATON_WAIT_BLOCK; work.mode++)
            interrupt(bodies[i]);
    ck_assert_int_eq(work.value, 3);
    expect(work.array, 3, work.stream);
    work_release();
}
END_TEST

START_TEST(a_close_goes_on_when_a_signal_comes)
{
    catch_signals();
    work_make();
    interrupt(close_runtime);
    work_release();
    runtime = NULL;
    support_reopen(NULL);
    ok(baton_drain(runtime, 0, NULL, &error));
}
END_TEST

static void fill_it(void *unused)
{
    (void)unused;
    fill(work.array, 4, work.stream);
}

/* W4: parked for a lock. */
START_TEST(a_thread_that_waits_for_a_lock_goes_on_waiting_when_a_signal_comes)
{
    struct waiter waiter;
    baton_scope *scope;
    catch_signals();
    work_make();
    ok(baton_scope_begin(work.stream, NULL, &(baton_operand) { .array = work.array }, 1, 0, &scope, &error));
    waiter_start(&waiter, fill_it, NULL);
    waiter_expect_parked(&waiter, work.array);
    send_signals(&waiter);
    ok(baton_scope_end(scope, &error));
    waiter_join(&waiter);
    expect(work.array, 4, work.stream);
    baton_scope_release(scope);
    work_release();
}
END_TEST

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static struct timed {
    baton_fence *fence;
    int32_t status;
    uint64_t spent;
} timed;

static void wait_in_vain(void *unused)
{
    uint64_t start = now();
    (void)unused;
    timed.status = baton_fence_wait(timed.fence, 200000000, BATON_WAIT_BLOCK, NULL);
    timed.spent = now() - start;
}

/* H3: neither sooner, nor, as each signal would begin it anew, much later. */
START_TEST(a_limited_wait_ends_in_time_whatever_signals_come)
{
    struct waiter waiter;
    catch_signals();
    baton_stream *stream = make_stream();
    baton_gate *gate = close_gate(stream);
    ok(baton_stream_fence(stream, &timed.fence, &error));
    waiter_start(&waiter, wait_in_vain, NULL);
    while (!atomic_load(&waiter.id))
        ;
    atomic_store(&target, atomic_load(&waiter.id));
    while (!atomic_load(&waiter.returned))
        pthread_kill(waiter.thread, SIGUSR1);
    waiter_join(&waiter);
    ck_assert_int_eq(timed.status, BATON_TIMEOUT);
    ck_assert_uint_ge(timed.spent, 200000000);
    ck_assert_uint_lt(timed.spent, 5000000000u);
    open_gate(gate);
    baton_fence_release(timed.fence);
    baton_stream_release(stream);
}
END_TEST

static void block_signals(int how)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    ck_assert_int_eq(pthread_sigmask(how, &one, NULL), 0);
}

/* Signals are the embedder's: one for the process that every thread of the program blocks is taken by nobody, the thread behind descriptors included. */
START_TEST(no_thread_of_the_library_takes_a_signal)
{
    int32_t descriptor;
    sigset_t pending;
    catch_signals();
    baton_stream *stream = make_stream();
    baton_fence *fence;
    baton_gate *gate = close_gate(stream);
    ok(baton_stream_fence(stream, &fence, &error));
    ok(baton_fence_descriptor(fence, &descriptor, &error));
    block_signals(SIG_BLOCK);
    ck_assert_int_eq(kill(getpid(), SIGUSR1), 0);
    open_gate(gate);
    struct pollfd readable = { .fd = descriptor, .events = POLLIN };
    ck_assert_int_eq(poll(&readable, 1, 10000), 1);     /* both threads have run since */
    ck_assert_int_eq(atomic_load(&handled), 0);
    ck_assert_int_eq(sigpending(&pending), 0);
    ck_assert_int_eq(sigismember(&pending, SIGUSR1), 1);
    atomic_store(&target, (uint64_t)gettid());
    block_signals(SIG_UNBLOCK);
    ck_assert_int_eq(atomic_load(&handled), 1);
    ck_assert_int_eq(atomic_load(&elsewhere), 0);
    ck_assert_int_eq(baton_fence_query(fence, &error), BATON_OK);
    baton_fence_release(fence);
    baton_stream_release(stream);
}
END_TEST

SUPPORT_MAIN("signals", 60, a_wait_goes_on_when_a_signal_comes, a_close_goes_on_when_a_signal_comes,
             a_thread_that_waits_for_a_lock_goes_on_waiting_when_a_signal_comes, a_limited_wait_ends_in_time_whatever_signals_come,
             soft_only(no_thread_of_the_library_takes_a_signal, "has no threads but the library's"))
