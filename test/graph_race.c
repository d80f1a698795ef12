/* Captures that begin and end while other threads submit to the same streams. */
#include "graph_support.h"

#include <sched.h>

enum { THREADS = 3, TURNS = 60 };

/* What the threads share. Each thread counts its own array up, once per submission. */
struct race {
    baton_stream *s;
    baton_kernel *kernel;
    baton_array *counts[THREADS];
    _Atomic uint64_t submitted;         /* by all */
    _Atomic int stop;
};

struct racer {
    struct race *race;
    int index;
    uint64_t submitted;
    pthread_t thread;
};

static void count_kernel(const baton_host_launch *launch, void *const *arguments)
{
    int32_t *count = (int32_t *)(uintptr_t)*(const uint64_t *)arguments[0];
    (void)launch;
    ++*count;
}

static baton_kernel *make_count(void)
{
    static const baton_host_parameter parameter = { 8, BATON_READ_WRITE };
    return make_kernel(0, count_kernel, "count", &parameter, 1);
}

static void *submit_many(void *argument)
{
    struct racer *racer = argument;
    struct race *race = racer->race;
    baton_launch_options options = { .struct_size = sizeof options, .stream = race->s };
    baton_error err = BATON_ERROR_INIT;
    while (!atomic_load(&race->stop)) {
        baton_argument operand = baton_inout(race->counts[racer->index]);
        if (baton_launch(race->kernel, &options, &operand, 1, &err))
            return argument;
        racer->submitted++;
        atomic_fetch_add(&race->submitted, 1);
        sched_yield();
    }
    return NULL;
}

static void race_make(struct race *race)
{
    *race = (struct race) { .s = make_stream(), .kernel = make_count() };
    for (int i = 0; i < THREADS; i++) {
        race->counts[i] = make_array(1, race->s);
        fill(race->counts[i], 0, race->s);
    }
    ok(baton_stream_synchronize(race->s, BATON_WAIT_AUTO, &error));
}

static void race_drop(struct race *race)
{
    arrays_release_all(race->counts, THREADS);
    baton_kernel_release(race->kernel);
    baton_stream_release(race->s);
    expect_no_graphs();
}

static void racers_start(struct race *race, struct racer *racers)
{
    for (int i = 0; i < THREADS; i++) {
        racers[i] = (struct racer) { .race = race, .index = i };
        ck_assert_int_eq(pthread_create(&racers[i].thread, NULL, submit_many, &racers[i]), 0);
    }
}

static uint64_t racers_join(struct race *race, struct racer *racers)
{
    uint64_t submitted = 0;
    atomic_store(&race->stop, 1);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        ck_assert_int_eq(pthread_join(racers[i].thread, &failed), 0);
        ck_assert_ptr_null(failed);
        submitted += racers[i].submitted;
    }
    return submitted;
}

static uint64_t total_of(struct race *race)
{
    uint64_t total = 0;
    for (int i = 0; i < THREADS; i++) {
        int32_t count;
        ok(baton_download(&count, sizeof count, race->counts[i], race->s, &error));
        total += (uint64_t)count;
    }
    return total;
}

/* Comes back when something more was submitted: to the capture, where one is under way. */
static void let_them(struct race *race)
{
    uint64_t before = atomic_load(&race->submitted);
    while (atomic_load(&race->submitted) < before + 4)
        sched_yield();
}

/* C1: every submission ran at once or is a step of one graph; launching each graph once runs every one exactly once. */
START_TEST(a_submission_that_races_with_a_capture_lies_before_it_or_inside)
{
    struct race race;
    struct racer racers[THREADS];
    baton_graph *graphs[TURNS];
    uint64_t captured = 0;
    race_make(&race);
    uint64_t eager = stats().operations;
    racers_start(&race, racers);
    for (int i = 0; i < TURNS; i++) {
        let_them(&race);
        begin(race.s, i % 3);
        let_them(&race);
        graphs[i] = end(race.s);
        captured += graph_info_of(graphs[i]).steps;
    }
    uint64_t submitted = racers_join(&race, racers);
    eager = stats().operations - eager;
    ck_assert_uint_gt(captured, 0);
    ck_assert_uint_gt(eager, 0);
    ck_assert_uint_eq(captured + eager, submitted);
    ck_assert_uint_eq(calls(DRIVER_ROW_launch), submitted);
    ck_assert_uint_eq(total_of(&race), eager);
    for (int i = 0; i < TURNS; i++) {
        baton_executable *executable = make_executable(graphs[i]);
        launch(executable, race.s);
        baton_executable_release(executable);
        baton_graph_release(graphs[i]);
    }
    ck_assert_uint_eq(total_of(&race), submitted);
    race_drop(&race);
}
END_TEST

struct followers {
    baton_stream *s, *joined;
    _Atomic int stop;
    int32_t unexpected;
};

/* Brings one stream in, and others out again; the capture may end at any moment. */
static void *follow_many(void *argument)
{
    struct followers *followers = argument;
    baton_error err = BATON_ERROR_INIT;
    while (!atomic_load(&followers->stop)) {
        int32_t status = baton_stream_follow(followers->joined, followers->s, &err);
        if (!status)
            status = baton_stream_follow(followers->s, followers->joined, &err);
        if (status && status != BATON_ERR_CAPTURE && status != BATON_ERR_BUSY)
            followers->unexpected = status;
        sched_yield();
    }
    return NULL;
}

/* C1, C5: streams join from two threads while the capture begins and ends; afterwards all of them are free. */
START_TEST(streams_that_join_while_a_capture_ends_are_free_afterwards)
{
    struct followers followers = { .s = make_stream(), .joined = make_stream() };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, follow_many, &followers), 0);
    for (int i = 0; i < 200; i++) {
        baton_graph *graph = NULL;
        int32_t status = baton_capture_begin(followers.s, BATON_CAPTURE_RELAXED, &error);
        for (int tries = 0; !status && tries < 100 && !is_active(followers.joined); tries++)
            sched_yield();
        if (!status && !baton_capture_end(followers.s, &graph, &error))
            baton_graph_release(graph);
        if (!status)
            ck_assert_int_eq(is_active(followers.s), 0);
    }
    atomic_store(&followers.stop, 1);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_int_eq(followers.unexpected, BATON_OK);
    ck_assert_int_eq(is_active(followers.joined), 0);
    baton_array *x = make_array(10, followers.joined);
    fill(x, 3, followers.joined);
    expect(x, 3, followers.s);
    baton_array_release(x);
    streams_release(followers.s, followers.joined);
    expect_no_graphs();
}
END_TEST

static void *end_many(void *argument)
{
    struct followers *enders = argument;
    while (!atomic_load(&enders->stop)) {
        baton_graph *graph = NULL;
        if (!baton_capture_end(enders->s, &graph, NULL))
            baton_graph_release(graph);
        sched_yield();
    }
    return NULL;
}

/* C5: of two threads that end one capture exactly one gets the graph. */
START_TEST(two_threads_that_end_one_capture_do_no_harm)
{
    struct followers enders = { .s = make_stream() };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, end_many, &enders), 0);
    for (int i = 0; i < 200; i++) {
        int32_t status = baton_capture_begin(enders.s, BATON_CAPTURE_RELAXED, &error);
        ck_assert(status == BATON_OK || status == BATON_ERR_CAPTURE);
        sched_yield();
    }
    atomic_store(&enders.stop, 1);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ok(baton_capture_abandon(enders.s, &error));
    ck_assert_int_eq(is_active(enders.s), 0);
    baton_stream_release(enders.s);
    expect_no_graphs();
}
END_TEST

/* C1, C2: a thread that takes s's memory meanwhile follows the event before the capture, or a later one, and never a captured one. */
static void *take_many(void *argument)
{
    struct race *race = argument;
    baton_error err = BATON_ERROR_INIT;
    baton_stream *t;
    if (baton_stream_create(runtime, 0, 0, 0, &t, &err))
        return argument;
    void *failed = NULL;
    for (; !atomic_load(&race->stop) && !failed; atomic_fetch_add(&race->submitted, 4))
        if (baton_fill(race->counts[0], &(int32_t) { 1 }, 4, t, &err) || baton_fill(race->counts[0], &(int32_t) { 1 }, 4, race->s, &err))
            failed = argument;
    baton_stream_release(t);
    return failed;
}

START_TEST(taking_memory_of_a_stream_races_with_captures_there)
{
    struct race race;
    void *failed;
    pthread_t thread;
    race_make(&race);
    ck_assert_int_eq(pthread_create(&thread, NULL, take_many, &race), 0);
    for (int i = 0; i < 200; i++) {
        begin(race.s, i % 3);
        sched_yield();
        baton_graph_release(end(race.s));
        let_them(&race);
    }
    atomic_store(&race.stop, 1);
    ck_assert_int_eq(pthread_join(thread, &failed), 0);
    ck_assert_ptr_null(failed);
    expect(race.counts[0], 1, race.s);
    race_drop(&race);
}
END_TEST

SUPPORT_MAIN("graph race", 120, a_submission_that_races_with_a_capture_lies_before_it_or_inside,
             streams_that_join_while_a_capture_ends_are_free_afterwards, two_threads_that_end_one_capture_do_no_harm,
             taking_memory_of_a_stream_races_with_captures_there)
