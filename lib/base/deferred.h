/* Things to be given back later: a lock-free stack that any thread pushes to, in any state, and one drainer at a time empties.
 *
 * Only push and take-all exist, so there is no ABA. The node is embedded in the object: releasing never allocates. */
#ifndef BATON_BASE_DEFERRED_H
#define BATON_BASE_DEFERRED_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum deferred_result { DEFERRED_DONE, DEFERRED_LATER };

struct deferred {
    struct deferred *next;
    /* Gives the object back, or says that it is too early. Called by a drainer, with no lock held. */
    enum deferred_result (*reclaim)(struct deferred *node);
};

struct deferred_stack {
    _Atomic(struct deferred *) head;
    _Atomic(struct deferred *) waiting;     /* taken from there by a bounded drain and not tried yet, the oldest first: the next drain's; guarded by draining */
    atomic_flag draining;
};

void deferred_push(struct deferred_stack *stack, struct deferred *node);

static inline int deferred_any(struct deferred_stack *stack)
{
    return atomic_load_explicit(&stack->head, memory_order_relaxed) != NULL || atomic_load_explicit(&stack->waiting, memory_order_relaxed) != NULL;
}

/* Tries up to `most` nodes (0: all that are there), oldest first; returns how many were given back. What is too early goes back on the stack. However many there are,
 * a bounded drain looks at those alone that it tries, but for turning round what was pushed since the last time. */
uint64_t deferred_drain(struct deferred_stack *stack, uint64_t most);
/* The same with another way to give things back: `reclaim` is called in place of each node's own. */
uint64_t deferred_drain_by(struct deferred_stack *stack, uint64_t most, enum deferred_result (*reclaim)(struct deferred *node));

#endif
