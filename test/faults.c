/* E1, item by item: every call of the driver fails once, in every story, with codes of every sort, and so does every allocation; afterwards nothing is
 * locked, nothing is lost, the thread's context is as it was, and the same arrays work on. The stories call every function of the header. */
#include "faults.h"

#include <stdio.h>

#include "compile_support.h"

static const int codes[] = { 1, 2, 4, 201, 600, 700, 709, 719, 900, 901, 906, 999 };

struct fault fault;

static void find_row(void)
{
    static struct instrument_call journal[4096];
    size_t count = instrument_journal(journal, 4096);
    fault.failed = instrument_failures() != 0;
    for (size_t i = 0; i < count && fault.failed; i++)
        if (journal[i].sequence == fault.call)
            fault.row = journal[i].row;
}

static void act(struct play *play)
{
    instrument_reset();
    if (fault.allocation)
        starve(fault.call);
    else
        instrument_fail_any(fault.call, fault.code);
    fault.status = fault.scene->act(play);
    if (fault.allocation)
        fault.failed = starved();
    else
        find_row();
    starve(0);
    instrument_reset();
}

/* The device's own record of what is ordered starves too, and on a lost device nothing is in order. */
static void check_order(void)
{
    char text[256];
    soft_problem_text(text, sizeof text);
    ck_assert_msg(fault.allocation || fault_sticky() || soft_problems() == 0, "%s, call %d (%s), code %d: %s", fault.scene->name, (int)fault.call,
                  driver_row_name(fault.row), fault.code, text);
}

static void finish(struct play *play)
{
    if (play->runtime) {
        check_objects(play);
        play_release(play);
        check_counts(play);
        int32_t status = baton_runtime_close(play->runtime, &error);
        holds(status == BATON_OK);
    }
    holds(play->deleted == play->wrapped);
    check_order();
}

static void play_once(void)
{
    struct play play;
    struct soft_census before = world_census();
    ck_assert_int_eq(play_open(&play), BATON_OK);
    act(&play);
    check_thread();
    check_status(&play);
    if (fault_sticky())
        world_stop_work();      /* which leaves contexts[1] current, as it was */
    finish(&play);
    check_thread();
    world_drain();
    struct soft_census after = world_census();
    holds(same_census(&before, &after) || world_may_differ());
}

/* Returns how many calls there were to fail. */
static uint64_t walk(const struct scene *scene, int code, int allocation)
{
    fault = (struct fault) { .scene = scene, .code = code, .allocation = allocation };
    do {
        fault.call++;
        fault.failed = 0;
        world_hold();
        play_once();
        world_release();
    } while (fault.failed && fault.call < 1000);
    return fault.call - 1;
}

START_TEST(every_driver_call_may_fail_with_every_code)
{
    uint64_t calls = 0, runs = 0;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        for (int k = 0; k < scene_count; k++) {
            if ((i > 0 && scenes[k].brief) || (i + (size_t)k) % SAMPLE)
                continue;
            uint64_t reached = walk(&scenes[k], codes[i], 0);
            calls += i < SAMPLE ? reached : 0;
            runs += reached;
        }
    printf("%d stories, %llu driver calls, %d codes: %llu runs\n", scene_count, (unsigned long long)calls, (int)(sizeof codes / sizeof *codes),
           (unsigned long long)runs);
}
END_TEST

/* The software device runs out of memory in the same way, as a driver would. */
START_TEST(every_allocation_may_fail)
{
    uint64_t runs = 0;
    for (int k = 0; k < scene_count; k++)
        runs += walk(&scenes[k], DRIVER_OUT_OF_MEMORY, 1);
    printf("%d stories: %llu allocations\n", scene_count, (unsigned long long)runs);
}
END_TEST

/* I5, I12: the child's uses are refused at once, without a call of the driver; it releases, closes and exits within a second; the parent does not notice. */
START_TEST(a_child_forked_in_any_driver_call_waits_for_nothing)
{
    uint64_t forks = 0;
    for (int k = 0; k < scene_count; k++)
        forks += walk_forks(&scenes[k]);
    printf("%d stories: %llu forks\n", scene_count, (unsigned long long)forks);
}
END_TEST

/* A function that is new in the header, and in no story, fails here. */
START_TEST(the_stories_call_every_public_function)
{
    static const char *const names[] = { CALL_NAMES };
    int called = 0;
    memset(play_calls, 0, sizeof play_calls);
    for (int k = 0; k < scene_count; k++) {
        struct play play;
        ck_assert_int_eq(play_open(&play), BATON_OK);
        ck_assert_msg(scenes[k].act(&play) == BATON_OK, "%s: %s", scenes[k].name, play.error.message);
        play_release(&play);
        if (play.runtime)
            ok(baton_runtime_close(play.runtime, &error));
    }
    for (int i = 0; i < CALL_COUNT; i++) {
        if (!play_calls[i])
            printf("no story calls %s\n", names[i]);
        called += play_calls[i] != 0;
    }
    ck_assert_int_eq(called, CALL_COUNT);
    printf("%d functions\n", called);
}
END_TEST

static void setup(void)
{
    compile_environment();
    instrument_enable(1);
}

int main(void)
{
    if (soft_program("faults", "counts what a failed call left behind"))
        return NEEDS_SKIPPED;
    Suite *suite = suite_create("faults");
    TCase *group = tcase_create("faults");
    tcase_add_checked_fixture(group, setup, compile_end);
    tcase_set_timeout(group, 240);
    tcase_add_test(group, the_stories_call_every_public_function);
    tcase_add_test(group, every_allocation_may_fail);
    tcase_add_test(group, a_child_forked_in_any_driver_call_waits_for_nothing);
    tcase_add_test(group, every_driver_call_may_fail_with_every_code);
    suite_add_tcase(suite, group);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
