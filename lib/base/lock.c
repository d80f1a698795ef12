#include "base/lock.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"

enum { SPINS = 100, LOOK_NS = 200000 };

_Atomic uint32_t lock_parked[LOCK_BUCKETS];

/* A thread that is parked. Those that wait for one lock stand in a queue, and so the lock is there as long as one does. */
struct waiter {
    struct lock *lock;
    uint64_t token;
    int vain;                   /* how often it was woken, and others were faster */
    int given;                  /* the lock was taken for it */
    pthread_cond_t changed;
    struct waiter *next;        /* behind it */
    struct waiter *last;        /* of the queue that it is the first of */
    struct waiter *other;       /* likewise: the first of another lock's queue */
};

/* A bucket's mutex is held for a few instructions, by one thread, with no hook in between. */
static struct bucket {
    pthread_mutex_t mutex;
    struct waiter *queues;
} buckets[LOCK_BUCKETS] = { [0 ... LOCK_BUCKETS - 1] = { PTHREAD_MUTEX_INITIALIZER, NULL } };

uint64_t lock_token(void)
{
    static _Atomic uint64_t last;
    return (atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1) << 1 | (uint64_t)1 << 63;
}

void lock_name(struct lock *lock)
{
    atomic_store_explicit(&lock->thread, (uint32_t)process_thread(), memory_order_relaxed);
}

static int take(struct lock *lock, uint64_t word)
{
    if (!lock_try(lock, word))
        return 0;
    lock_name(lock);
    return 1;
}

static int spin(struct lock *lock, uint64_t token)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&lock->word, memory_order_relaxed) == 0 && take(lock, token))
            return 1;
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
    return 0;
}

/* The holder clears `thread` before it unlocks, so an equal number means that the holder locked on this very thread. */
static int held_by_this_thread(struct lock *lock)
{
    return atomic_load_explicit(&lock->thread, memory_order_relaxed) == (uint32_t)process_thread();
}

static int32_t yield_until_taken(struct lock *lock, uint64_t token, const struct lock_policy *policy)
{
    while (!take(lock, token))
        if (policy->yield(policy->user))
            return BATON_ERR_HOOK;
    return BATON_OK;
}

/* Every thread's earlier stores and later loads are in order from here on. Zero where the system cannot do that. */
static int order_everybody(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static void register_once(void)
{
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

/* ---- queues; the bucket's mutex is held */

static struct waiter **queue_of(struct bucket *bucket, const struct lock *lock)
{
    struct waiter **queue = &bucket->queues;
    while (*queue && (*queue)->lock != lock)
        queue = &(*queue)->other;
    return queue;
}

static void queue_join(struct bucket *bucket, struct waiter *waiter)
{
    struct waiter **queue = queue_of(bucket, waiter->lock), *first = *queue;
    if (!first)
        *queue = waiter->last = waiter;
    else
        first->last = first->last->next = waiter;
}

static void queue_leave(struct bucket *bucket, struct waiter *first)
{
    struct waiter **queue = queue_of(bucket, first->lock), *next = first->next;
    *queue = next ? next : first->other;
    if (!next)
        return;
    next->last = first->last;
    next->other = first->other;
}

static void wait_a_while(struct waiter *waiter, struct bucket *bucket)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += LOOK_NS;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&waiter->changed, &bucket->mutex, &end);
}

static int got(struct bucket *bucket, struct waiter *waiter)
{
    if (waiter->given)
        lock_name(waiter->lock);
    if (waiter->given || *queue_of(bucket, waiter->lock) != waiter)
        return waiter->given;
    waiter->vain++;
    return take(waiter->lock, waiter->token);
}

static void queue_wait(struct bucket *bucket, struct waiter *waiter, int ordered)
{
    pthread_cond_init(&waiter->changed, NULL);
    queue_join(bucket, waiter);
    do {
        if (ordered)
            pthread_cond_wait(&waiter->changed, &bucket->mutex);
        else
            wait_a_while(waiter, bucket);
    } while (!got(bucket, waiter));
    queue_leave(bucket, waiter);
    pthread_cond_destroy(&waiter->changed);
}

/* The releaser stores 0 and then reads `parked`; the parker counts itself and then reads the word. Once everybody is ordered, one of the two sees the other.
 * Where that cannot be had, the parker looks again and again. */
static void park_until_taken(struct lock *lock, uint64_t token)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    unsigned at = lock_bucket(lock);
    struct bucket *bucket = &buckets[at];
    struct waiter waiter = { .lock = lock, .token = token };
    pthread_once(&once, register_once);
    pthread_mutex_lock(&bucket->mutex);
    atomic_fetch_add(&lock_parked[at], 1);
    int ordered = order_everybody();
    if (!take(lock, token))
        queue_wait(bucket, &waiter, ordered);
    atomic_fetch_sub(&lock_parked[at], 1);
    pthread_mutex_unlock(&bucket->mutex);
}

static void raise_to(_Atomic uint64_t *most, uint64_t value)
{
    uint64_t old = atomic_load_explicit(most, memory_order_relaxed);
    while (old < value && !atomic_compare_exchange_weak_explicit(most, &old, value, memory_order_relaxed,
                                                                 memory_order_relaxed))
        ;
}

static int32_t acquire_slowly(struct lock *lock, uint64_t token, const struct lock_policy *policy)
{
    if (spin(lock, token))
        return BATON_OK;
    if (policy->yield)
        return yield_until_taken(lock, token, policy);
    if (held_by_this_thread(lock))
        return BATON_ERR_WOULD_DEADLOCK;
    park_until_taken(lock, token);
    return BATON_OK;
}

int32_t lock_acquire(struct lock *lock, uint64_t token, const struct lock_policy *policy)
{
    if (take(lock, token))
        return BATON_OK;
    if (policy->try_only)
        return BATON_WOULD_BLOCK;
    uint64_t start = process_now();
    int32_t status = acquire_slowly(lock, token, policy);
    if (policy->longest_wait_ns)
        raise_to(policy->longest_wait_ns, process_now() - start);
    return status;
}

/* The lock may be gone, unless somebody waits for it. Only the first is woken, and whoever comes by before it is awake may take the lock: it would be idle
 * in the meantime. But a thread that was woken in vain LOCK_PATIENCE times is given the lock. */
void lock_wake(const struct lock *lock)
{
    struct bucket *bucket = &buckets[lock_bucket(lock)];
    pthread_mutex_lock(&bucket->mutex);
    struct waiter *first = *queue_of(bucket, lock);
    if (first && !first->given && first->vain >= LOCK_PATIENCE)
        first->given = lock_try(first->lock, first->token);
    if (first)
        pthread_cond_signal(&first->changed);
    pthread_mutex_unlock(&bucket->mutex);
}
