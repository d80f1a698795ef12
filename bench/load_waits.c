/* How long operations take and wait for locks. The library tells the longest wait only, so the program puts itself between it and lock_acquire
 * (linked with --wrap=lock_acquire). */
#include "base/lock.h"
#include "load.h"

enum { PER_DOUBLING = 8, BUCKETS = 64 * PER_DOUBLING, OTHERS = OPERATIONS };

/* A bucket is as wide as an eighth of where it begins. */
struct histogram {
    _Atomic uint64_t counts[BUCKETS], most;
};
static struct histogram durations[OPERATIONS], waits[OPERATIONS + 1];
static _Thread_local enum operation inside;

static unsigned bucket_of(uint64_t ns)
{
    if (ns < PER_DOUBLING)
        return (unsigned)ns;
    unsigned high = 63 - (unsigned)__builtin_clzll(ns);
    return (high - 2) * PER_DOUBLING + (unsigned)(ns >> (high - 3) & (PER_DOUBLING - 1));
}

static uint64_t bucket_end(unsigned bucket)
{
    if (bucket < PER_DOUBLING)
        return bucket;
    unsigned shift = bucket / PER_DOUBLING - 1;
    return ((uint64_t)(PER_DOUBLING + bucket % PER_DOUBLING + 1) << shift) - 1;
}

static void add(struct histogram *histogram, uint64_t ns)
{
    uint64_t old = atomic_load_explicit(&histogram->most, memory_order_relaxed);
    atomic_fetch_add_explicit(&histogram->counts[bucket_of(ns)], 1, memory_order_relaxed);
    while (old < ns && !atomic_compare_exchange_weak_explicit(&histogram->most, &old, ns, memory_order_relaxed, memory_order_relaxed))
        ;
}

/* The end of the bucket that holds this part of the values. */
static uint64_t quantile(const uint64_t counts[BUCKETS], uint64_t sum, uint64_t percent)
{
    uint64_t below = 0;
    unsigned bucket = 0;
    while (bucket < BUCKETS - 1 && (below += counts[bucket]) * 100 < sum * percent)
        bucket++;
    return bucket_end(bucket);
}

static struct spread spread_of(const struct histogram *histograms, int count)
{
    uint64_t counts[BUCKETS] = { 0 };
    struct spread spread = { 0 };
    for (int i = 0; i < count; i++) {
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            uint64_t more = atomic_load(&histograms[i].counts[bucket]);
            counts[bucket] += more;
            spread.count += more;
        }
        if (spread.most_ns < atomic_load(&histograms[i].most))
            spread.most_ns = atomic_load(&histograms[i].most);
    }
    spread.p50_ns = quantile(counts, spread.count, 50);
    spread.p99_ns = quantile(counts, spread.count, 99);
    return spread;
}

void waits_enter(enum operation operation)
{
    inside = operation;
}

void duration_add(enum operation operation, uint64_t ns)
{
    add(&durations[operation], ns);
}

struct spread durations_of(enum operation operation)
{
    return spread_of(&durations[operation], 1);
}

struct spread waits_of(enum operation operation)
{
    return spread_of(&waits[operation], 1);
}

struct spread waits_of_all(void)
{
    return spread_of(waits, OPERATIONS);
}

struct spread waits_for_others(void)
{
    return spread_of(&waits[OTHERS], 1);
}

int32_t __real_lock_acquire(struct lock *lock, uint64_t token, const struct lock_policy *policy);
int32_t __wrap_lock_acquire(struct lock *lock, uint64_t token, const struct lock_policy *policy);

/* Only memories' locks tell how long was waited for them. A lock that was taken between the look and the call is waited for uncounted. */
int32_t __wrap_lock_acquire(struct lock *lock, uint64_t token, const struct lock_policy *policy)
{
    if (!lock_holder(lock))
        return __real_lock_acquire(lock, token, policy);
    uint64_t begin = now_ns();
    int32_t status = __real_lock_acquire(lock, token, policy);
    add(&waits[policy->longest_wait_ns ? (int)inside : OTHERS], now_ns() - begin);
    return status;
}
