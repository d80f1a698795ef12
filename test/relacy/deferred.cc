/* The stack of releases against C11's memory model (O9): deferred_code.cc has it, as test/relacy.sh translates it. */
#include "c11.h"

#include "translated/deferred.h"

struct item {
    struct deferred node;           /* first: a node is its item */
    plain<unsigned> written, early; /* by whoever released it; how often it is too early */
    atomic<unsigned> *freed;
    plain<unsigned> *draining;      /* how many are: at most one, by the stack's promise, so nothing else guards it */
};

static enum deferred_result reclaim(struct deferred *node)
{
    struct item *item = (struct item *)node;
    plain<unsigned> &draining = *item->draining;
    RL_ASSERT(draining == 0 && item->written == 1);
    draining = draining + 1;
    draining = draining - 1;
    if (item->early > 0) {
        item->early = item->early - 1;
        return DEFERRED_LATER;
    }
    item->freed->fetch_add(1, memory_order_relaxed);
    delete item;
    return DEFERRED_DONE;
}

/* Threads below `pushers` release one object each, others drain; in the end, with one more drain or two, each object was freed once. */
template <unsigned threads, unsigned pushers, unsigned most, unsigned early> struct drains : rl::test_suite<drains<threads, pushers, most, early>, threads> {
    struct deferred_stack stack;
    plain<unsigned> draining;
    atomic<unsigned> freed;

    void before()
    {
        stack.head.store(NULL, memory_order_relaxed);
        stack.waiting.store(NULL, memory_order_relaxed);
        stack.draining.set.store(0, memory_order_relaxed);
        freed.store(0, memory_order_relaxed);
        draining = 0;
    }
    void push(unsigned times)
    {
        struct item *item = new struct item;
        item->node.reclaim = reclaim;
        item->freed = &freed;
        item->draining = &draining;
        item->early = times;
        item->written = 1;
        deferred_push(&stack, &item->node);
    }
    void thread(unsigned index)
    {
        if (index < pushers)
            push(index == 0 ? early : 0);
        if (index + 1 >= pushers)
            deferred_drain(&stack, most);
    }
    void after()
    {
        while (deferred_any(&stack))
            deferred_drain(&stack, 0);
        RL_ASSERT(freed.load(memory_order_relaxed) == pushers);
    }
};

int main()
{
    return !(hold<drains<2, 2, 0, 0> >("two threads release, one of them drains", 3, 20000) &&
             hold<drains<3, 2, 0, 1> >("two release, two drain, and one object is too early at first", 2, 20000) &&
             hold<drains<3, 3, 1, 1> >("a bounded drain", 1, 20000));
}
