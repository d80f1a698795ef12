/* Scopes that grow, and many of them at once: locks in order are waited for, locks out of order are only tried. */
#include "outside.h"
#include "waiter.h"

enum { COUNT = 64, THREADS = 4, ARRAYS = 12, TURNS = 1500 };

static baton_operand writing(baton_array *array)
{
    return (baton_operand) { array, BATON_WRITE, 0, 0 };
}

static baton_scope *begin(baton_stream *stream, baton_operand *operands, uint64_t count)
{
    baton_scope *scope;
    ok(baton_scope_begin(stream, NULL, operands, count, 0, &scope, &error));
    return scope;
}

static void end(baton_scope *scope)
{
    ok(baton_scope_end(scope, &error));
    baton_scope_release(scope);
}

/* Two arrays, the lower memory id first; one of them is in a scope begun by another thread. */
struct contest {
    baton_stream *a, *b;
    baton_array *low, *high;
    baton_operand operand;
    baton_scope *other;
};

static void begin_other(void *argument)
{
    struct contest *contest = argument;
    contest->other = begin(contest->b, &contest->operand, 1);
}

static struct contest contest_make(int high_is_held)
{
    struct contest contest = { .a = make_stream(), .b = make_stream() };
    contest.low = make_array(COUNT, contest.a);
    contest.high = make_array(COUNT, contest.a);
    contest.operand = writing(high_is_held ? contest.high : contest.low);
    on_thread(begin_other, &contest);
    return contest;
}

static void contest_release(struct contest *contest)
{
    arrays_release(contest->low, contest->high);
    streams_release(contest->a, contest->b);
}

/* W1: what is added is taken like the rest. */
START_TEST(an_added_array_is_locked_ordered_and_published)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *low = make_array(COUNT, a), *high = make_array(COUNT, a);
    baton_operand first = writing(low), added = writing(high), again = writing(low);
    driver_stream native = native_of(b);
    baton_scope *scope = begin(b, &first, 1);
    baton_gate *gate = close_gate(a);
    fill(high, 1, a);
    ok(baton_scope_add(scope, &added, &error));
    ck_assert_uint_eq(info_of(high).lock_holder, info_of(low).lock_holder);
    ok(baton_scope_add(scope, &again, &error));
    ck_assert_uint_eq(again.address, first.address);
    outside_fill(added.address, 2, COUNT, native);
    end(scope);
    ck_assert_uint_eq(info_of(high).lock_holder, 0);
    ck_assert_uint_eq(info_of(high).owner_stream_id, id_of(b));
    expect_busy(b);
    open_gate(gate);
    expect(high, 2, b);
    arrays_release(low, high);
    streams_release(a, b);
}
END_TEST

/* W4: below a lock that is held: tried, never waited for. Nothing has changed but that. */
START_TEST(an_addition_out_of_order_would_block)
{
    struct contest contest = contest_make(0);
    baton_operand first = writing(contest.high), added = writing(contest.low);
    baton_scope *scope = begin(contest.a, &first, 1);
    ck_assert_int_eq(baton_scope_add(scope, &added, &error), BATON_WOULD_BLOCK);
    ck_assert_uint_eq(added.address, 0);
    end(contest.other);
    ok(baton_scope_add(scope, &added, &error));         /* free, it can be had out of order too */
    ck_assert_uint_ne(added.address, 0);
    end(scope);
    contest_release(&contest);
}
END_TEST

struct adding {
    baton_scope *scope;
    baton_operand operand;
    int32_t status;
};

static void run_add(void *argument)
{
    struct adding *adding = argument;
    adding->status = baton_scope_add(adding->scope, &adding->operand, NULL);
}

/* W4: above all locks that are held, waiting cannot close a circle. */
START_TEST(an_addition_in_order_waits_for_the_lock)
{
    struct contest contest = contest_make(1);
    baton_operand first = writing(contest.low);
    struct adding adding = { .scope = begin(contest.a, &first, 1), .operand = writing(contest.high) };
    struct waiter waiter;
    waiter_start(&waiter, run_add, &adding);
    waiter_expect_parked(&waiter, contest.high);
    end(contest.other);
    waiter_join(&waiter);
    ck_assert_int_eq(adding.status, BATON_OK);
    ck_assert_uint_ne(adding.operand.address, 0);
    end(adding.scope);
    contest_release(&contest);
}
END_TEST

/* W4: also against the locks of the enclosing scope. */
START_TEST(a_nested_scope_below_its_parents_locks_would_block)
{
    struct contest contest = contest_make(0);
    baton_operand first = writing(contest.high), inner = writing(contest.low);
    baton_scope *none = NULL, *scope = begin(contest.a, &first, 1);
    ck_assert_int_eq(baton_scope_begin(contest.a, scope, &inner, 1, 0, &none, &error), BATON_WOULD_BLOCK);
    ck_assert_ptr_null(none);
    end(contest.other);
    end(scope);
    contest_release(&contest);
}
END_TEST

/* Host waits happen with no lock held, so memory that needs one cannot join later. */
START_TEST(an_addition_that_needs_a_host_wait_is_refused)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *low = make_array(COUNT, a), *unified = make_array_of(BATON_UNIFIED, COUNT, a);
    baton_operand first = writing(low), added = writing(unified);
    baton_scope *scope = begin(b, &first, 1);
    baton_gate *gate = close_gate(a);
    fill(unified, 1, a);
    refused(BATON_ERR_SCOPE_OPEN, baton_scope_add(scope, &added, &error));
    ck_assert_uint_eq(info_of(unified).lock_holder, 0);
    ck_assert_uint_eq(info_of(unified).owner_stream_id, id_of(a));
    end(scope);
    open_gate(gate);
    expect(unified, 1, a);
    arrays_release(low, unified);
    streams_release(a, b);
}
END_TEST

/* ---- many threads, random subsets in random order */

struct party {
    baton_stream *stream;
    baton_array **arrays;
    uint64_t random, scopes, blocked;
    int32_t failed;
};

static uint32_t draw(struct party *party, uint32_t below)
{
    party->random = party->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(party->random >> 33) % below;
}

static void turn(struct party *party)
{
    baton_operand operands[ARRAYS], late = writing(party->arrays[draw(party, ARRAYS)]);
    uint32_t count = 1 + draw(party, ARRAYS / 2);
    baton_scope *scope;
    for (uint32_t i = 0; i < count; i++)
        operands[i] = (baton_operand) { party->arrays[draw(party, ARRAYS)], draw(party, 4), 0, 0 };
    party->failed = baton_scope_begin(party->stream, NULL, operands, count, 0, &scope, NULL);
    if (party->failed)
        return;
    int32_t added = baton_scope_add(scope, &late, NULL);
    party->blocked += added == BATON_WOULD_BLOCK;
    party->failed = added < 0 ? added : baton_scope_end(scope, NULL);
    baton_scope_release(scope);
    party->scopes++;
}

static void take_turns(void *argument)
{
    struct party *party = argument;
    for (int i = 0; i < TURNS && !party->failed; i++)
        turn(party);
}

/* W4, O1 */
START_TEST(many_threads_with_random_operands_all_finish)
{
    baton_array *arrays[ARRAYS];
    struct party parties[THREADS];
    struct waiter waiters[THREADS];
    baton_stream *a = make_stream();
    for (int i = 0; i < ARRAYS; i++)
        arrays[i] = make_array(COUNT, a);
    for (int i = 0; i < THREADS; i++) {
        parties[i] = (struct party) { make_stream(), arrays, .random = support_seed(99) + (uint64_t)i };
        waiter_start(&waiters[i], take_turns, &parties[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        waiter_join(&waiters[i]);
        ck_assert_msg(parties[i].failed == BATON_OK && parties[i].scopes == TURNS, "seed %llu: %s",
                      (unsigned long long)support_seed(99), baton_status_name(parties[i].failed));
        streams_release(parties[i].stream);
    }
    for (int i = 0; i < ARRAYS; i++) {
        ck_assert_uint_eq(info_of(arrays[i]).lock_holder, 0);
        ok(baton_array_synchronize(arrays[i], BATON_WAIT_AUTO, &error));
        arrays_release(arrays[i]);
    }
    streams_release(a);
}
END_TEST

SUPPORT_MAIN("scope_add", 60, an_added_array_is_locked_ordered_and_published, an_addition_out_of_order_would_block,
             an_addition_in_order_waits_for_the_lock, a_nested_scope_below_its_parents_locks_would_block,
             an_addition_that_needs_a_host_wait_is_refused, many_threads_with_random_operands_all_finish)
