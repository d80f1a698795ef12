#include "base/lock.h"

#include <pthread.h>
#include <stddef.h>

#include "base/process.h"

enum { BUCKETS = 64, SPINS = 100 };

/* A bucket's mutex is held for a few instructions, by one thread, with no hook in between. */
static struct bucket {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
} buckets[BUCKETS] = { [0 ... BUCKETS - 1] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER } };

static struct bucket *bucket_of(const struct lock *lock)
{
    return &buckets[((uintptr_t)lock >> 6) % BUCKETS];
}

uint64_t lock_token(void)
{
    static _Atomic uint64_t last;
    return (atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1) << 1 | (uint64_t)1 << 63;
}

static int take(struct lock *lock, uint64_t word)
{
    if (!lock_try(lock, word))
        return 0;
    atomic_store_explicit(&lock->thread, process_thread(), memory_order_relaxed);
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
    return atomic_load_explicit(&lock->thread, memory_order_relaxed) == process_thread();
}

static int32_t yield_until_taken(struct lock *lock, uint64_t token, const struct lock_policy *policy)
{
    while (!take(lock, token))
        if (policy->yield(policy->user))
            return BATON_ERR_HOOK;
    return BATON_OK;
}

/* Says "somebody is parked" unless the lock came free meanwhile. Returns true when it is marked. */
static int mark_waiter(struct lock *lock)
{
    uint64_t word = atomic_load_explicit(&lock->word, memory_order_relaxed);
    while (word && !(word & 1))
        if (atomic_compare_exchange_weak_explicit(&lock->word, &word, word | 1, memory_order_relaxed,
                                                  memory_order_relaxed))
            return 1;
    return word != 0;
}

static void park_until_taken(struct lock *lock, uint64_t token)
{
    struct bucket *bucket = bucket_of(lock);
    pthread_mutex_lock(&bucket->mutex);
    while (!take(lock, token | 1))      /* others may be parked too: unlock must look */
        if (mark_waiter(lock))
            pthread_cond_wait(&bucket->changed, &bucket->mutex);
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

void lock_wake(struct lock *lock)
{
    struct bucket *bucket = bucket_of(lock);
    pthread_mutex_lock(&bucket->mutex);
    pthread_cond_broadcast(&bucket->changed);
    pthread_mutex_unlock(&bucket->mutex);
}
