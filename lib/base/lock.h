/* The memory lock: a word that holds the token of its owner, never a thread.
 *
 * A task may lock on one thread and unlock on another. Uncontended, locking is one compare-and-swap. Waiters spin, then let the embedder's
 * yield hook run other tasks, or park in one of a fixed number of buckets, in the order in which they came. Others may be faster than the first of them, but
 * not for ever. */
#ifndef BATON_BASE_LOCK_H
#define BATON_BASE_LOCK_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/status.h"

struct lock {
    _Atomic uint64_t word;      /* 0: free; else the owner's token */
    _Atomic uint32_t thread;    /* process_thread() of the locker, for the diagnosis of deadlocks only; 0: free, or not told */
};

enum { LOCK_BUCKETS = 64, LOCK_PATIENCE = 8 };

/* For each bucket, how many threads are parked there, or about to be. Not in the lock, for that may be gone as soon as it is free. */
extern _Atomic uint32_t lock_parked[LOCK_BUCKETS];

static inline unsigned lock_bucket(const struct lock *lock)
{
    return (unsigned)((uintptr_t)lock >> 6) % LOCK_BUCKETS;
}

struct lock_policy {
    int try_only;                       /* BATON_WOULD_BLOCK instead of waiting */
    int32_t (*yield)(void *user);       /* NULL: park */
    void *user;
    _Atomic uint64_t *longest_wait_ns;  /* raised to the longest wait; may be NULL */
};

/* A token for a scope: even, nonzero, never reused in this process. */
uint64_t lock_token(void);

/* The uncontended case: nonzero when the lock was free and is taken now. Names no thread: for those who wait for nothing while they hold it. */
static inline int lock_try(struct lock *lock, uint64_t token)
{
    uint64_t expected = 0;
    return atomic_compare_exchange_strong_explicit(&lock->word, &expected, token, memory_order_acquire, memory_order_relaxed);
}

/* Names the calling thread as the one that took the lock, for a holder that is about to wait for another one after all. */
void lock_name(struct lock *lock);

/* BATON_OK; BATON_WOULD_BLOCK; BATON_ERR_WOULD_DEADLOCK when the calling thread itself took the lock under another token and there is no
 * yield hook; BATON_ERR_HOOK. The token is even and nonzero. */
int32_t lock_acquire(struct lock *lock, uint64_t token, const struct lock_policy *policy);

/* Takes the address alone: the lock may be gone. */
__attribute__((cold)) void lock_wake(const struct lock *lock);

/* Two stores and a load, none of them locked: a thread that parks makes every other one order them first (park in lock.c). Once the word is 0, whoever
 * waited for that may free the memory that the lock is in: nothing of it is touched any more. */
static inline void lock_release(struct lock *lock)
{
    unsigned bucket = lock_bucket(lock);
    if (atomic_load_explicit(&lock->thread, memory_order_relaxed))
        atomic_store_explicit(&lock->thread, 0, memory_order_relaxed);
    atomic_store_explicit(&lock->word, 0, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&lock_parked[bucket], memory_order_relaxed))
        lock_wake(lock);
}

static inline uint64_t lock_holder(const struct lock *lock)
{
    return atomic_load_explicit(&lock->word, memory_order_relaxed);
}

/* Free, and whatever its last holder wrote can be seen. */
static inline int lock_is_free(const struct lock *lock)
{
    return atomic_load_explicit(&lock->word, memory_order_acquire) == 0;
}

#endif
