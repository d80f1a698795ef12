/* The memory lock against C11's memory model (W3): lock_code.cc has it, as test/relacy.sh translates it. */
#include "lock_code.h"

static unsigned yielders;           /* the last ones of a test's threads: they have a hook, the others park */

static void lock_clear(struct lock *lock)
{
    lock->word.store(0, memory_order_relaxed);
    lock->thread.store(0, memory_order_relaxed);
}

static int32_t let_others(void *)
{
    rl::yield(1, $);
    return 0;
}

static const struct lock_policy parks = {};
static const struct lock_policy yields = { 0, let_others, NULL, NULL };

/* Each thread counts under the lock, and one is told that it would wait for itself. */
template <unsigned threads> struct exclusion : rl::test_suite<exclusion<threads>, threads> {
    struct world *world;
    struct lock lock;
    plain<unsigned> count;

    void before()
    {
        world = world_new();
        lock_clear(&lock);
        count = 0;
    }
    void thread(unsigned index)
    {
        uint64_t token = 2 * index + 2;
        RL_ASSERT(lock_acquire(&lock, token, index + yielders >= threads ? &yields : &parks) == BATON_OK);
        count = count + 1;
        RL_ASSERT(code_holder(&lock) == token);
        if (index == 0)
            RL_ASSERT(lock_acquire(&lock, 100, &parks) == BATON_ERR_WOULD_DEADLOCK);
        code_release(&lock);
    }
    void after()
    {
        RL_ASSERT(count == threads && code_is_free(&lock) && code_nobody_parked());
        world_free(world);
    }
};

/* Two locks in one bucket: a thread takes the low one, another the high one, and a third both. */
struct bucket_shared : rl::test_suite<bucket_shared, 3> {
    struct world *world;
    struct lock low, high;
    plain<unsigned> counts[2];

    void before()
    {
        world = world_new();
        lock_clear(&low);
        lock_clear(&high);
        counts[0] = counts[1] = 0;
    }
    void take(struct lock *lock, unsigned index, plain<unsigned> *count)
    {
        RL_ASSERT(lock_acquire(lock, 2 * index + 2, &parks) == BATON_OK);
        *count = *count + 1;
    }
    void thread(unsigned index)
    {
        if (index != 1)
            take(&low, index, &counts[0]);
        if (index != 0)
            take(&high, index, &counts[1]);
        if (index != 0)
            code_release(&high);
        if (index != 1)
            code_release(&low);
    }
    void after()
    {
        RL_ASSERT(counts[0] == 2 && counts[1] == 2 && code_nobody_parked());
        world_free(world);
    }
};

/* W3: one thread locks, another releases, and a third waits. */
struct released_elsewhere : rl::test_suite<released_elsewhere, 3> {
    struct world *world;
    struct lock lock;
    plain<unsigned> count;
    atomic<int> handed;

    void before()
    {
        world = world_new();
        lock_clear(&lock);
        handed.store(0, memory_order_relaxed);
        count = 0;
    }
    void thread(unsigned index)
    {
        if (index == 1) {
            while (!handed.load(memory_order_acquire))
                rl::yield(1, $);
        } else {
            RL_ASSERT(lock_acquire(&lock, 2 * index + 2, &parks) == BATON_OK);
        }
        if (index > 0) {
            count = count + 1;
            code_release(&lock);
        } else {
            handed.store(1, memory_order_release);
        }
    }
    void after()
    {
        RL_ASSERT(count == 2 && code_is_free(&lock));
        world_free(world);
    }
};

/* O2: who finds the lock free sees what its holder wrote, and may free the memory that holds the lock, though the holder has not returned. */
struct freed_when_free : rl::test_suite<freed_when_free, 2> {
    struct object {
        struct lock lock;
        plain<unsigned> count;
    };
    struct world *world;
    struct object *object;

    void before()
    {
        world = world_new();
        object = new struct object;
        lock_clear(&object->lock);
        object->count = 0;
        RL_ASSERT(code_try(&object->lock, 2));
    }
    void thread(unsigned index)
    {
        if (index == 0) {
            object->count = 1;
            code_release(&object->lock);
        } else {
            while (!code_is_free(&object->lock))
                rl::yield(1, $);
            RL_ASSERT(object->count == 1);
            delete object;
        }
    }
    void after() { world_free(world); }
};

template <unsigned threads> static int exclude(const char *sentence, int membarriers, unsigned yielding, unsigned bound, int patient = 1)
{
    has_membarrier = membarriers;
    patience = patient;
    yielders = yielding;
    return hold<exclusion<threads> >(sentence, bound, 20000);
}

int main()
{
    int good = exclude<2>("two threads that park exclude each other and none sleeps for ever", 1, 0, 3) &&
               exclude<3>("three threads that park exclude each other and none sleeps for ever", 1, 0, 1) &&
               exclude<3>("three threads that are given the lock when they are woken", 1, 0, 1, 0) &&
               exclude<3>("a thread that yields among them", 1, 1, 1) &&
               exclude<3>("the same without membarrier", 0, 1, 1);
    has_membarrier = 1;
    return !(good && hold<bucket_shared>("two locks in one bucket", 2, 20000) &&
             hold<released_elsewhere>("a lock is released on another thread", 2, 20000) &&
             hold<freed_when_free>("whoever finds the lock free may free it", 3, 20000));
}
