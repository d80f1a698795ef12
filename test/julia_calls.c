/* Every call of the library as Julia makes it (julia_runtime.h): no call that is not gc_safe waits or enters the driver, and the collector stops the
 * world while any other waits. */
#include "array/array.h"            /* the library's own headers come first: Check has a macro named fail */
#include "base/process.h"

#include <sched.h>

#include "julia_world.h"

static const uint64_t SHORT_NS = 20000000, PATIENCE_NS = 15000000000u;

struct call {
    struct world *world;
    const struct row *row;
    struct waiter waiter;
};

/* A thread of Julia's that makes one call. */
static void make_call(void *argument)
{
    struct call *call = argument;
    julia_enter();
    call->row->make(call->world);
    julia_leave();
}

static void expect_result(const struct row *row, const struct world *w)
{
    if (row->result == SUCCEEDS && w->status < 0)
        ck_abort_msg("%s: %s: %s", row->function, baton_status_name(w->status), w->error.message);
    if (row->result == FAILS && w->status >= 0)
        ck_abort_msg("%s: %s", row->function, baton_status_name(w->status));
}

/* Some thread is parked on a memory that the scope holds. */
static void expect_parked(struct call *call)
{
    const struct world *w = call->world;
    uint64_t end = process_now() + PATIENCE_NS;
    while (!atomic_load(&lock_parked[lock_bucket(&w->y->memory->lock)]) && !atomic_load(&lock_parked[lock_bucket(&w->z->memory->lock)])) {
        ck_assert_msg(!atomic_load(&call->waiter.returned), "%s returned while the array was held", call->row->function);
        ck_assert_msg(process_now() < end, "%s was never seen parked", call->row->function);
        sched_yield();
    }
}

static void expect_held_up(struct call *call)
{
    if (call->row->kind == GATED)
        waiter_expect_blocked(&call->waiter);
    else
        expect_parked(call);
}

/* Joined as Julia does it: the other thread may want to go on after its call. */
static void end_call(struct call *call)
{
    uint64_t end = process_now() + PATIENCE_NS;
    julia_leave();
    while (!atomic_load(&call->waiter.returned)) {
        ck_assert_msg(process_now() < end, "%s did not return", call->row->function);
        sched_yield();
    }
    waiter_join(&call->waiter);
    julia_enter();
}

static void without_julia(void (*body)(struct world *, int), struct world *w, int kind)
{
    julia_leave();
    body(w, kind);
    julia_enter();
}

static void let_go(struct world *w, int kind)
{
    (void)kind;
    world_let_go(w);
}

/* The collector stops the world while the call is made, and, where the row says so, held up. */
static void collect_during(struct world *w, const struct row *row, uint64_t limit_ns, const char *expected)
{
    struct call call = { w, row, { 0 } };
    int held_up = row->kind == GATED || row->kind == LOCKED;
    waiter_start(&call.waiter, make_call, &call);
    if (held_up)
        expect_held_up(&call);
    const char *missing = julia_collect(limit_ns);
    if (!expected)
        ck_assert_msg(!missing, "the collector waited for %s in vain", missing);
    else
        ck_assert_msg(missing && strcmp(missing, expected) == 0, "%s was not missed: %s", expected, missing ? missing : "nothing");
    if (held_up) {
        ck_assert_msg(!atomic_load(&call.waiter.returned), "%s did not wait", row->function);
        without_julia(let_go, w, 0);
    }
    end_call(&call);
    expect_result(row, w);
}

static void run_row(struct world *w, const struct row *row)
{
    without_julia(world_hold, w, row->kind);
    if (row->result == NO_CALL) {
        julia_leave();
        row->make(w);
        julia_enter();
        return;
    }
    collect_during(w, row, JULIA_LIMIT_NS, NULL);
    ck_assert_msg(!julia_problem()[0], "%s", julia_problem());
}

static struct world world;

static void start(uint32_t flags)
{
    baton_runtime_options options = { .struct_size = sizeof options, .flags = flags };
    if (flags)
        support_reopen(&options);
    world_make(&world);
    julia_start(support_seed(1));
}

static void stop(void)
{
    julia_stop();
    world_hold(&world, FREE);
    world_drop(&world);
    ck_assert_msg(!julia_problem()[0], "%s", julia_problem());
}

/* I5, H4: gc_safe is what waits or enters the driver, and nothing else: all other calls return while streams and arrays are held. */
START_TEST(the_collector_stops_the_world_during_every_call)
{
    start(0);
    for (int i = 0; i < julia_row_count; i++)
        run_row(&world, &julia_rows[i]);
    stop();
}
END_TEST

/* The harness itself: each of these calls, were it not gc_safe, is the one that the collector misses. */
START_TEST(a_call_that_waits_and_is_not_gc_safe_is_found)
{
    int found = 0;
    start(0);
    for (int i = 0; i < julia_row_count; i++) {
        const struct row *row = &julia_rows[i];
        int held_up = row->kind == GATED || row->kind == LOCKED;
        if (!held_up) {
            run_row(&world, row);
            continue;
        }
        without_julia(world_hold, &world, row->kind);
        julia_undeclare(row->function);
        collect_during(&world, row, SHORT_NS, row->function);
        julia_undeclare(NULL);
        julia_stop();
        ck_assert_msg(strstr(julia_problem(), row->function), "%s: %s", row->function, julia_problem());
        julia_start(support_seed(1));
        found++;
    }
    ck_assert_int_ge(found, 40);
    stop();
}
END_TEST

/* Where a driver call does not wait this time, it might the next: it is found all the same. */
START_TEST(a_driver_call_that_is_not_gc_safe_is_found)
{
    start(0);
    julia_undeclare("baton_fill");
    ok(julia_call(baton_fill, world.to, &world.one, sizeof world.one, world.t, &error));
    julia_undeclare(NULL);
    ck_assert_str_eq(julia_problem(), "baton_fill: enters the driver GC-unsafe");
    julia_stop();
    julia_start(1);
    stop();
}
END_TEST

static void call_until_free(struct world *w, const struct row *row)
{
    uint64_t memory = 0;
    struct call call = { w, row, { 0 } };
    waiter_start(&call.waiter, make_call, &call);
    end_call(&call);
    ck_assert_msg(w->status == BATON_WOULD_BLOCK, "%s: %s", row->function, baton_status_name(w->status));
    memory = w->error.memory_id;
    ck_assert_msg(memory == info_of(w->y).memory_id || memory == info_of(w->z).memory_id, "%s names memory %d", row->function, (int)memory);
    without_julia(let_go, w, 0);
    waiter_start(&call.waiter, make_call, &call);
    end_call(&call);
    ck_assert_msg(w->status == BATON_OK, "%s: %s: %s", row->function, baton_status_name(w->status), w->error.message);
}

/* BATON_RUNTIME_TRY: what a scope holds is refused at once, with its number, and the same call succeeds afterwards. */
START_TEST(a_runtime_that_only_tries_never_waits_for_a_lock)
{
    int tried = 0;
    start(BATON_RUNTIME_TRY);
    for (int i = 0; i < julia_row_count; i++) {
        const struct row *row = &julia_rows[i];
        if (row->kind != LOCKED) {
            run_row(&world, row);
            continue;
        }
        without_julia(world_hold, &world, LOCKED);
        call_until_free(&world, row);
        tried++;
    }
    ck_assert_int_ge(tried, 20);
    stop();
}
END_TEST

static int has_row(const char *function)
{
    for (int i = 0; i < julia_row_count; i++)
        if (strcmp(julia_rows[i].function, function) == 0)
            return 1;
    return 0;
}

/* No function of the header is missing above. */
START_TEST(every_function_is_called_here)
{
    static const char *const functions[] = {
#define NAME_ROW(function, safe) #function,
        JULIA_CALLS(NAME_ROW)
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        ck_assert_msg(has_row(functions[i]), "%s has no row in julia_rows.h", functions[i]);
}
END_TEST

SUPPORT_MAIN("julia_calls", 120, soft_only(the_collector_stops_the_world_during_every_call, "loads no code while its streams are held"),
             soft_only(a_call_that_waits_and_is_not_gc_safe_is_found, "loads no code while its streams are held"),
             soft_only(a_driver_call_that_is_not_gc_safe_is_found, "loads no code while its streams are held"),
             soft_only(a_runtime_that_only_tries_never_waits_for_a_lock, "loads no code while its streams are held"), every_function_is_called_here)
