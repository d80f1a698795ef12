/* The memory lock: owned by a token, on any number of threads; waiting for it by spinning, yielding or parking. */
#include "base/lock.h"

#include "waiter.h"

#include <sched.h>

static const struct lock_policy parks = { .try_only = 0 };
static const struct lock_policy tries = { .try_only = 1 };

START_TEST(tokens_are_even_nonzero_and_never_the_same)
{
    uint64_t last = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t token = lock_token();
        ck_assert_uint_ne(token, 0);
        ck_assert_uint_eq(token & 1, 0);
        ck_assert_uint_ne(token, last);
        last = token;
    }
}
END_TEST

START_TEST(a_lock_names_its_holder_until_it_is_released)
{
    struct lock lock = { 0 };
    uint64_t token = lock_token();
    ck_assert_uint_eq(lock_holder(&lock), 0);
    ck_assert_int_eq(lock_acquire(&lock, token, &parks), BATON_OK);
    ck_assert_uint_eq(lock_holder(&lock), token);
    lock_release(&lock);
    ck_assert_uint_eq(lock_holder(&lock), 0);
}
END_TEST

START_TEST(trying_a_held_lock_would_block)
{
    struct lock lock = { 0 };
    uint64_t token = lock_token();
    ck_assert_int_eq(lock_acquire(&lock, token, &tries), BATON_OK);
    ck_assert_int_eq(lock_acquire(&lock, lock_token(), &tries), BATON_WOULD_BLOCK);
    ck_assert_uint_eq(lock_holder(&lock), token);
    lock_release(&lock);
    ck_assert_int_eq(lock_acquire(&lock, lock_token(), &tries), BATON_OK);
    lock_release(&lock);
}
END_TEST

/* W4: with no other task to let the holder go on, waiting would never end. */
START_TEST(waiting_on_the_thread_that_locked_would_deadlock)
{
    struct lock lock = { 0 };
    ck_assert_int_eq(lock_acquire(&lock, lock_token(), &parks), BATON_OK);
    ck_assert_int_eq(lock_acquire(&lock, lock_token(), &parks), BATON_ERR_WOULD_DEADLOCK);
    lock_release(&lock);
    ck_assert_int_eq(lock_acquire(&lock, lock_token(), &parks), BATON_OK);
    lock_release(&lock);
}
END_TEST

static void release(void *argument)
{
    lock_release(argument);
}

/* W3 */
START_TEST(a_lock_may_be_released_on_another_thread)
{
    struct lock lock = { 0 };
    ck_assert_int_eq(lock_acquire(&lock, lock_token(), &parks), BATON_OK);
    on_thread(release, &lock);
    ck_assert_uint_eq(lock_holder(&lock), 0);
    ck_assert_int_eq(lock_acquire(&lock, lock_token(), &parks), BATON_OK);
    lock_release(&lock);
}
END_TEST

struct yielding {
    struct lock *lock;
    int calls, release_at, fail_at;
};

static int32_t yield(void *user)
{
    struct yielding *yielding = user;
    yielding->calls++;
    if (yielding->calls == yielding->release_at)
        lock_release(yielding->lock);
    return yielding->calls == yielding->fail_at;
}

/* The holder is a task of the same thread: the hook lets it run. */
START_TEST(the_yield_hook_runs_until_the_holder_lets_go)
{
    struct lock lock = { 0 };
    struct yielding yielding = { .lock = &lock, .release_at = 3 };
    struct lock_policy policy = { .yield = yield, .user = &yielding };
    uint64_t token = lock_token();
    ck_assert_int_eq(lock_acquire(&lock, lock_token(), &parks), BATON_OK);
    ck_assert_int_eq(lock_acquire(&lock, token, &policy), BATON_OK);
    ck_assert_int_eq(yielding.calls, 3);
    ck_assert_uint_eq(lock_holder(&lock), token);
    lock_release(&lock);
}
END_TEST

START_TEST(a_failing_yield_hook_ends_the_waiting)
{
    struct lock lock = { 0 };
    struct yielding yielding = { .lock = &lock, .fail_at = 2 };
    struct lock_policy policy = { .yield = yield, .user = &yielding };
    uint64_t token = lock_token();
    ck_assert_int_eq(lock_acquire(&lock, token, &parks), BATON_OK);
    ck_assert_int_eq(lock_acquire(&lock, lock_token(), &policy), BATON_ERR_HOOK);
    ck_assert_int_eq(yielding.calls, 2);
    ck_assert_uint_eq(lock_holder(&lock), token);
    lock_release(&lock);
}
END_TEST

START_TEST(a_free_lock_calls_no_hook)
{
    struct lock lock = { 0 };
    struct yielding yielding = { .lock = &lock };
    struct lock_policy policy = { .yield = yield, .user = &yielding };
    ck_assert_int_eq(lock_acquire(&lock, lock_token(), &policy), BATON_OK);
    ck_assert_int_eq(yielding.calls, 0);
    lock_release(&lock);
}
END_TEST

struct parked {
    struct lock *lock;
    _Atomic uint64_t longest;
    int32_t status;
};

static void acquire_and_release(void *argument)
{
    struct parked *parked = argument;
    struct lock_policy policy = { .longest_wait_ns = &parked->longest };
    parked->status = lock_acquire(parked->lock, lock_token(), &policy);
    if (parked->status == BATON_OK)
        lock_release(parked->lock);
}

/* Every one of several parked threads is woken in the end, and each has waited. */
START_TEST(parked_threads_are_all_woken)
{
    enum { THREADS = 6 };
    struct lock lock = { 0 };
    struct waiter waiters[THREADS];
    struct parked parked[THREADS];
    uint64_t longest = 0;
    ck_assert_int_eq(lock_acquire(&lock, lock_token(), &parks), BATON_OK);
    for (int i = 0; i < THREADS; i++) {
        parked[i] = (struct parked) { .lock = &lock };
        waiter_start(&waiters[i], acquire_and_release, &parked[i]);
    }
    while (!atomic_load(&lock_parked[lock_bucket(&lock)]))      /* somebody is parked */
        sched_yield();
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(atomic_load(&waiters[i].returned), 0);
    lock_release(&lock);
    for (int i = 0; i < THREADS; i++) {
        waiter_join(&waiters[i]);
        ck_assert_int_eq(parked[i].status, BATON_OK);
        longest += atomic_load(&parked[i].longest);
    }
    ck_assert_uint_gt(longest, 0);              /* of those that had come before the release, one at least */
    ck_assert_uint_eq(atomic_load(&lock.word), 0);
}
END_TEST

struct contended {
    struct lock lock;
    _Atomic uint64_t longest;
    uint64_t count;             /* guarded by lock */
};

enum { THREADS = 8, TURNS = 5000 };

static int32_t yield_thread(void *user)
{
    (void)user;
    return sched_yield();
}

static void count_up(struct contended *contended, const struct lock_policy *policy)
{
    for (int i = 0; i < TURNS; i++) {
        if (lock_acquire(&contended->lock, lock_token(), policy))
            return;                             /* seen in the count */
        contended->count++;
        if (i % 64 == 0)
            sched_yield();                      /* held while others run: they must park */
        lock_release(&contended->lock);
    }
}

static void count_up_parking(void *argument)
{
    struct contended *contended = argument;
    struct lock_policy policy = { .longest_wait_ns = &contended->longest };
    count_up(contended, &policy);
}

static void count_up_yielding(void *argument)
{
    struct lock_policy policy = { .yield = yield_thread };
    count_up(argument, &policy);
}

static void contend(struct contended *contended, void (*bodies[2])(void *))
{
    struct waiter waiters[THREADS];
    for (int i = 0; i < THREADS; i++)
        waiter_start(&waiters[i], bodies[i % 2], contended);
    for (int i = 0; i < THREADS; i++)
        waiter_join(&waiters[i]);
    ck_assert_uint_eq(contended->count, THREADS * TURNS);
    ck_assert_uint_eq(atomic_load(&contended->lock.word), 0);
}

START_TEST(many_threads_that_park_exclude_each_other)
{
    struct contended contended = { .count = 0 };
    contend(&contended, (void (*[])(void *)) { count_up_parking, count_up_parking });
    ck_assert_uint_gt(atomic_load(&contended.longest), 0);
}
END_TEST

START_TEST(threads_that_park_and_threads_that_yield_exclude_each_other)
{
    struct contended contended = { .count = 0 };
    contend(&contended, (void (*[])(void *)) { count_up_parking, count_up_yielding });
}
END_TEST

SUPPORT_MAIN("lock", 60, tokens_are_even_nonzero_and_never_the_same, a_lock_names_its_holder_until_it_is_released,
             trying_a_held_lock_would_block, waiting_on_the_thread_that_locked_would_deadlock,
             a_lock_may_be_released_on_another_thread, the_yield_hook_runs_until_the_holder_lets_go,
             a_failing_yield_hook_ends_the_waiting, a_free_lock_calls_no_hook, parked_threads_are_all_woken,
             many_threads_that_park_exclude_each_other, threads_that_park_and_threads_that_yield_exclude_each_other)
