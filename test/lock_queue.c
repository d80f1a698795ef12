/* Threads that are parked at the memory lock: who is woken, and who gets it. */
#include "base/lock.h"

#include "waiter.h"

#include <sched.h>

static const struct lock_policy parks = { .try_only = 0 };

struct parked {
    struct lock *lock;
    _Atomic int keep;           /* the lock, until this is 0 */
    int32_t status;
};

static void acquire_and_release(void *argument)
{
    struct parked *parked = argument;
    parked->status = lock_acquire(parked->lock, lock_token(), &parks);
    while (atomic_load(&parked->keep))
        sched_yield();
    if (parked->status == BATON_OK)
        lock_release(parked->lock);
}

/* lock.c asks for nothing but membarrier. Where the system has none, parked threads would also wake by themselves; here the mutex orders all. */
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    (void)number;
    return 0;
}

/* Every sleep of a parked thread passes here (linked with --wrap=pthread_cond_wait). */
static _Atomic int sleeps;
int __real_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    atomic_fetch_add(&sleeps, 1);
    return __real_pthread_cond_wait(cond, mutex);
}

/* Who has `watched` while a release wakes the next: the woken thread itself cannot have taken it yet. */
static const struct lock *watched;
static uint64_t holder_at_wake;
int __real_pthread_cond_signal(pthread_cond_t *cond);
int __wrap_pthread_cond_signal(pthread_cond_t *cond);
int __wrap_pthread_cond_signal(pthread_cond_t *cond)
{
    if (watched)
        holder_at_wake = lock_holder(watched);
    return __real_pthread_cond_signal(cond);
}

static void sleeps_reach(int count)
{
    while (atomic_load(&sleeps) < count)
        sched_yield();
}

static void park(struct waiter *waiter, struct parked *parked, struct lock *lock)
{
    int before = atomic_load(&sleeps);
    *parked = (struct parked) { .lock = lock };
    waiter_start(waiter, acquire_and_release, parked);
    sleeps_reach(before + 1);
}

/* Locks that share a bucket, which is a matter of their addresses. */
static struct lock bucket_locks[LOCK_BUCKETS * 64 / sizeof(struct lock) + 1];
static struct lock *const lock_here = &bucket_locks[0], *const lock_there = &bucket_locks[LOCK_BUCKETS * 64 / sizeof(struct lock)];

static void bucket_locks_take(void)
{
    ck_assert_uint_eq(lock_bucket(lock_here), lock_bucket(lock_there));
    ck_assert_int_eq(lock_acquire(lock_here, lock_token(), &parks), BATON_OK);
    ck_assert_int_eq(lock_acquire(lock_there, lock_token(), &parks), BATON_OK);
}

/* A release wakes one thread, the one that came first, however many wait for the lock; and none that waits for another lock in the same bucket. */
START_TEST(a_release_wakes_the_first_that_waits_for_this_lock)
{
    enum { FIRST = 3 };
    struct waiter waiters[FIRST + 1];
    struct parked parked[FIRST + 1];
    bucket_locks_take();
    park(&waiters[FIRST], &parked[FIRST], lock_there);
    for (int i = 0; i < FIRST; i++)
        park(&waiters[i], &parked[i], lock_here);
    int asleep = atomic_load(&sleeps);
    lock_wake(lock_here);                            /* as a release that comes late: the first looks, in vain, and sleeps again */
    sleeps_reach(asleep + 1);
    lock_wake(lock_there);
    sleeps_reach(asleep + 2);
    lock_release(lock_here);
    for (int i = 0; i < FIRST; i++)
        waiter_join(&waiters[i]);
    ck_assert_int_eq(atomic_load(&sleeps), asleep + 2);     /* each was woken once, to take the lock */
    ck_assert_int_eq(atomic_load(&waiters[FIRST].returned), 0);
    lock_release(lock_there);
    waiter_join(&waiters[FIRST]);
}
END_TEST

/* The first leaves two queues of a bucket behind: its own, which others join, and that of another lock. */
START_TEST(a_queue_outlives_its_first)
{
    struct waiter waiters[4];
    struct parked parked[4];
    bucket_locks_take();
    park(&waiters[0], &parked[0], lock_here);
    park(&waiters[1], &parked[1], lock_here);
    park(&waiters[2], &parked[2], lock_there);
    atomic_store(&parked[0].keep, 1);
    lock_release(lock_here);
    while (atomic_load(&lock_parked[lock_bucket(lock_here)]) != 2)
        sched_yield();
    park(&waiters[3], &parked[3], lock_here);
    atomic_store(&parked[0].keep, 0);
    lock_release(lock_there);
    for (int i = 0; i < 4; i++)
        waiter_join(&waiters[i]);
}
END_TEST

static uint64_t release_after(int in_vain)
{
    struct lock lock = { 0 };
    struct waiter waiter;
    struct parked parked;
    ck_assert_int_eq(lock_acquire(&lock, lock_token(), &parks), BATON_OK);
    park(&waiter, &parked, &lock);
    for (int i = 0; i < in_vain; i++) {
        int asleep = atomic_load(&sleeps);
        lock_wake(&lock);
        sleeps_reach(asleep + 1);
    }
    watched = &lock;
    lock_release(&lock);
    watched = NULL;
    waiter_join(&waiter);
    ck_assert_int_eq(parked.status, BATON_OK);
    ck_assert_uint_eq(lock_holder(&lock), 0);
    return holder_at_wake;
}

/* Others may be faster than the thread that is being woken; but when they were so too often, the lock is its own before they can try. */
START_TEST(a_thread_that_was_woken_in_vain_too_often_is_given_the_lock)
{
    ck_assert_uint_eq(release_after(0), 0);
    ck_assert_uint_eq(release_after(LOCK_PATIENCE - 1), 0);
    ck_assert_uint_ne(release_after(LOCK_PATIENCE), 0);
}
END_TEST

SUPPORT_MAIN("lock_queue", 60, a_release_wakes_the_first_that_waits_for_this_lock, a_queue_outlives_its_first,
             a_thread_that_was_woken_in_vain_too_often_is_given_the_lock)
