/* lib/base/lock.h and lock.c themselves, as test/relacy.sh translates them, and what they ask of the system. */
#include "lock_code.h"

int has_membarrier, patience;

static uint64_t process_thread(void) { return rl::thread_index() + 1; }
static uint64_t process_now(void) { return 0; }

/* Relacy's is a fence in each thread between two of its accesses. */
static int membarrier(void)
{
    if (has_membarrier)
        rl::systemwide_fence($);
    return has_membarrier ? 0 : -1;
}
#define syscall(call, command, flags, cpu) membarrier()
#define pthread_once(once, function) function()

#include "translated/lock.c"

struct world {
    atomic<uint32_t> parked[LOCK_BUCKETS];
    struct bucket places[LOCK_BUCKETS];
};

struct world *world_new()
{
    struct world *world = new struct world;
    lock_parked = world->parked;
    buckets = world->places;
    for (int i = 0; i < LOCK_BUCKETS; i++) {
        world->parked[i].store(0, memory_order_relaxed);
        pthread_mutex_init(&world->places[i].mutex, NULL);
        world->places[i].queues = NULL;
    }
    return world;
}

void world_free(struct world *world)
{
    for (int i = 0; i < LOCK_BUCKETS; i++)
        pthread_mutex_destroy(&world->places[i].mutex);
    delete world;
}

int code_try(struct lock *lock, uint64_t token) { return lock_try(lock, token); }
void code_release(struct lock *lock) { lock_release(lock); }
uint64_t code_holder(const struct lock *lock) { return lock_holder(lock); }
int code_is_free(const struct lock *lock) { return lock_is_free(lock); }
int code_nobody_parked() { return lock_parked[0].load(memory_order_relaxed) == 0; }
