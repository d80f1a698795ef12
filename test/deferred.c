/* The stack of things to be given back later: pushed from anywhere, drained by one. */
#include "base/deferred.h"

#include "waiter.h"

#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 4, PER_THREAD = 5000 };

struct item {
    struct deferred node;       /* first: a node is its item */
    int number, early;          /* early: how often it is too early */
    _Atomic int reclaimed;
};

static int order[64], reclaims;

static enum deferred_result reclaim(struct deferred *node)
{
    struct item *item = (struct item *)node;
    if (item->early-- > 0)
        return DEFERRED_LATER;
    order[reclaims++] = item->number;
    return DEFERRED_DONE;
}

static void push_all(struct deferred_stack *stack, struct item *items, int count)
{
    reclaims = 0;
    for (int i = 0; i < count; i++) {
        items[i].node.reclaim = reclaim;
        items[i].number = i;
        deferred_push(stack, &items[i].node);
    }
}

START_TEST(an_empty_stack_gives_nothing_back)
{
    struct deferred_stack stack = { .draining = ATOMIC_FLAG_INIT };
    ck_assert_int_eq(deferred_any(&stack), 0);
    ck_assert_uint_eq(deferred_drain(&stack, 0), 0);
}
END_TEST

START_TEST(the_oldest_is_given_back_first)
{
    struct deferred_stack stack = { .draining = ATOMIC_FLAG_INIT };
    struct item items[5] = { 0 };
    push_all(&stack, items, 5);
    ck_assert_int_eq(deferred_any(&stack), 1);
    ck_assert_uint_eq(deferred_drain(&stack, 0), 5);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(order[i], i);
    ck_assert_int_eq(deferred_any(&stack), 0);
}
END_TEST

START_TEST(a_bounded_drain_leaves_the_rest_for_the_next)
{
    struct deferred_stack stack = { .draining = ATOMIC_FLAG_INIT };
    struct item items[5] = { 0 };
    push_all(&stack, items, 5);
    ck_assert_uint_eq(deferred_drain(&stack, 2), 2);
    ck_assert_int_eq(order[0] + order[1], 0 + 1);
    ck_assert_int_eq(deferred_any(&stack), 1);
    ck_assert_uint_eq(deferred_drain(&stack, 0), 3);
    ck_assert_int_eq(reclaims, 5);
}
END_TEST

START_TEST(what_is_too_early_is_tried_again_at_the_next_drain)
{
    struct deferred_stack stack = { .draining = ATOMIC_FLAG_INIT };
    struct item items[3] = { { .early = 0 }, { .early = 2 }, { .early = 0 } };
    push_all(&stack, items, 3);
    ck_assert_uint_eq(deferred_drain(&stack, 0), 2);
    ck_assert_uint_eq(deferred_drain(&stack, 0), 0);
    ck_assert_int_eq(deferred_any(&stack), 1);
    ck_assert_uint_eq(deferred_drain(&stack, 0), 1);
    ck_assert_int_eq(order[2], 1);
    ck_assert_int_eq(deferred_any(&stack), 0);
}
END_TEST

static struct deferred_stack nested = { .draining = ATOMIC_FLAG_INIT };
static struct item inner;

static enum deferred_result reclaim_by_pushing(struct deferred *node)
{
    ((struct item *)node)->number = (int)deferred_drain(&nested, 0);
    deferred_push(&nested, &inner.node);
    return DEFERRED_DONE;
}

/* A reclaim may release another object; a drain inside a drain does nothing. */
START_TEST(a_reclaim_may_push_and_a_second_drainer_leaves_at_once)
{
    struct item outer = { .node = { .reclaim = reclaim_by_pushing }, .number = -1 };
    inner = (struct item) { .node = { .reclaim = reclaim } };
    reclaims = 0;
    deferred_push(&nested, &outer.node);
    ck_assert_uint_eq(deferred_drain(&nested, 0), 1);
    ck_assert_int_eq(outer.number, 0);
    ck_assert_int_eq(reclaims, 0);
    ck_assert_uint_eq(deferred_drain(&nested, 0), 1);
    ck_assert_int_eq(reclaims, 1);
}
END_TEST

static struct deferred_stack crowded = { .draining = ATOMIC_FLAG_INIT };
static struct item crowd[THREADS][PER_THREAD];

static enum deferred_result reclaim_once(struct deferred *node)
{
    struct item *item = (struct item *)node;
    if (item->early-- > 0)
        return DEFERRED_LATER;
    atomic_fetch_add(&item->reclaimed, 1);
    return DEFERRED_DONE;
}

static void push_and_drain(void *argument)
{
    struct item *items = argument;
    for (int i = 0; i < PER_THREAD; i++) {
        items[i].node.reclaim = reclaim_once;
        items[i].early = i % 3;
        deferred_push(&crowded, &items[i].node);
        if (i % 7 == 0)
            deferred_drain(&crowded, (uint64_t)(i % 5));
    }
}

START_TEST(many_threads_push_and_drain_and_each_object_goes_once)
{
    struct waiter waiters[THREADS];
    for (int i = 0; i < THREADS; i++)
        waiter_start(&waiters[i], push_and_drain, crowd[i]);
    for (int i = 0; i < THREADS; i++)
        waiter_join(&waiters[i]);
    while (deferred_any(&crowded))
        deferred_drain(&crowded, 0);
    for (int i = 0; i < THREADS; i++)
        for (int at = 0; at < PER_THREAD; at++)
            ck_assert_int_eq(atomic_load(&crowd[i][at].reclaimed), 1);
}
END_TEST

START_TEST(what_is_not_ready_keeps_nothing_else_from_its_turn)
{
    struct deferred_stack stack = { .draining = ATOMIC_FLAG_INIT };
    struct item items[6] = { 0 };
    for (int i = 0; i < 3; i++)
        items[i].early = 100;
    push_all(&stack, items, 6);
    ck_assert_uint_eq(deferred_drain(&stack, 3), 0);
    ck_assert_uint_eq(deferred_drain(&stack, 3), 3);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(order[i], 3 + i);
}
END_TEST

/* With many objects deferred a bounded drain costs what it tries, or else the more there are the less would be given back. */
START_TEST(a_bounded_drain_touches_only_what_it_tries)
{
    enum { PAGES = 8, TRIED = 2 };
    struct deferred_stack stack = { .draining = ATOMIC_FLAG_INIT };
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(pages != MAP_FAILED);
    for (int i = 0; i < PAGES; i++) {
        struct item *item = (struct item *)(pages + (size_t)i * page);
        *item = (struct item) { .node = { .reclaim = reclaim }, .number = i };
        deferred_push(&stack, &item->node);
    }
    reclaims = 0;
    ck_assert_uint_eq(deferred_drain(&stack, TRIED), TRIED);
    ck_assert_int_eq(mprotect(pages + 2 * TRIED * page, (PAGES - 2 * TRIED) * page, PROT_NONE), 0);
    ck_assert_uint_eq(deferred_drain(&stack, TRIED), TRIED);
    ck_assert_int_eq(deferred_any(&stack), 1);
    ck_assert_int_eq(mprotect(pages, PAGES * page, PROT_READ | PROT_WRITE), 0);
    ck_assert_uint_eq(deferred_drain(&stack, 0), PAGES - 2 * TRIED);
    for (int i = 0; i < PAGES; i++)
        ck_assert_int_eq(order[i], i);
    ck_assert_int_eq(munmap(pages, PAGES * page), 0);
}
END_TEST

/* Those that wait and those that were pushed since, in one drain. */
START_TEST(a_drain_of_all_reaches_what_was_pushed_since_a_bounded_one)
{
    struct deferred_stack stack = { .draining = ATOMIC_FLAG_INIT };
    struct item items[3] = { 0 }, more[2] = { { .early = 1 }, { .early = 0 } };
    push_all(&stack, items, 3);
    ck_assert_uint_eq(deferred_drain(&stack, 1), 1);
    for (int i = 0; i < 2; i++) {
        more[i].node.reclaim = reclaim;
        more[i].number = 3 + i;
        deferred_push(&stack, &more[i].node);
    }
    ck_assert_uint_eq(deferred_drain(&stack, 0), 3);
    ck_assert_int_eq(order[3], 4);
    ck_assert_uint_eq(deferred_drain(&stack, 0), 1);
    ck_assert_int_eq(order[4], 3);
    ck_assert_int_eq(deferred_any(&stack), 0);
}
END_TEST

SUPPORT_MAIN("deferred", 60, what_is_not_ready_keeps_nothing_else_from_its_turn, an_empty_stack_gives_nothing_back, the_oldest_is_given_back_first,
             a_bounded_drain_touches_only_what_it_tries, a_drain_of_all_reaches_what_was_pushed_since_a_bounded_one,
             a_bounded_drain_leaves_the_rest_for_the_next, what_is_too_early_is_tried_again_at_the_next_drain,
             a_reclaim_may_push_and_a_second_drainer_leaves_at_once,
             many_threads_push_and_drain_and_each_object_goes_once)
