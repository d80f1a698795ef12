#include "base/deferred.h"

void deferred_push(struct deferred_stack *stack, struct deferred *node)
{
    struct deferred *head = atomic_load_explicit(&stack->head, memory_order_relaxed);
    do
        node->next = head;
    while (!atomic_compare_exchange_weak_explicit(&stack->head, &head, node, memory_order_release,
                                                  memory_order_relaxed));
}

static struct deferred *take_oldest_first(struct deferred_stack *stack)
{
    struct deferred *newest = atomic_exchange_explicit(&stack->head, NULL, memory_order_acquire), *oldest = NULL;
    while (newest) {
        struct deferred *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    return oldest;
}

static void push_all(struct deferred_stack *stack, struct deferred *node)
{
    for (struct deferred *next; node; node = next) {
        next = node->next;
        deferred_push(stack, node);
    }
}

static enum deferred_result reclaim_own(struct deferred *node)
{
    return node->reclaim(node);
}

uint64_t deferred_drain(struct deferred_stack *stack, uint64_t most)
{
    return deferred_drain_by(stack, most, reclaim_own);
}

uint64_t deferred_drain_by(struct deferred_stack *stack, uint64_t most, enum deferred_result (*reclaim)(struct deferred *node))
{
    uint64_t done = 0, tried = 0;
    struct deferred *later = NULL, **end = &later, *node, *next;
    if (!deferred_any(stack) || atomic_flag_test_and_set_explicit(&stack->draining, memory_order_acquire))
        return 0;
    node = atomic_load_explicit(&stack->waiting, memory_order_relaxed);
    for (int taken = 0; most == 0 || tried < most; node = next, tried++) {
        if (!node && !taken++)
            node = take_oldest_first(stack);
        if (!node)
            break;
        next = node->next;      /* reclaim frees the node */
        if (reclaim(node) == DEFERRED_DONE) {
            done++;
        } else {
            *end = node;
            end = &node->next;
        }
    }
    *end = NULL;
    atomic_store_explicit(&stack->waiting, node, memory_order_relaxed);
    push_all(stack, later);     /* so that what is not ready never keeps the rest from their turn */
    atomic_flag_clear_explicit(&stack->draining, memory_order_release);
    return done;
}
