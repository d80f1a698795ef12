/* E1, item by item: every call of the driver fails once, in every story, with codes of every sort, and so does every allocation; afterwards nothing is
 * locked, nothing is lost, the thread's context is as it was, and the same arrays work on. */
#include <sched.h>

#include "plays.h"
#include "support.h"

static const int codes[] = { 1, 2, 4, 201, 600, 700, 709, 719, 900, 901, 906, 999 };

/* Keeps the software device up between runtimes, so that what one leaves behind can be counted. */
static const struct driver *raw;
static driver_context contexts[2];

/* One run: which story, which call of it fails, and how. */
struct fault {
    const struct scene *scene;
    uint64_t call;              /* 1: the first */
    int code;                   /* OUT_OF_MEMORY, for an allocation */
    int allocation;             /* not a call of the driver, but an allocation of the host fails */
    int32_t status;             /* what the story returned */
    int failed;                 /* the call was reached */
    int lost;                   /* the device of the arrays is poisoned */
    enum driver_row row;        /* it was of this row */
};

static struct fault fault;

#define holds(condition) \
    ck_assert_msg((condition), "%s, call %d (%s) fails with %d, status %s: %s", fault.scene->name, (int)fault.call, \
                  fault.allocation ? "an allocation" : fault.failed ? driver_row_name(fault.row) : "none", fault.code, baton_status_name(fault.status), #condition)

static void hold_device(void)
{
    ck_assert_int_eq(soft_open(2), BATON_OK);
    raw = soft_driver();
    ck_assert_int_eq(raw->init(0), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(raw->primary_retain(&contexts[i], i), 0);
}

static void release_device(void)
{
    for (int i = 0; i < 2; i++)
        raw->primary_release(i);
    soft_close();
}

/* A sticky code is the driver's last word on a context: what was there is gone with it. */
static int sticky(void)
{
    return driver_code_sticky(fault.code);
}

static int of_row(const enum driver_row *rows, size_t count)
{
    for (size_t i = 0; i < count && fault.failed && !fault.allocation; i++)
        if (fault.row == rows[i])
            return 1;
    return 0;
}

/* What the software device may keep, as the fault is only pretended: all that belongs to a lost context; what the driver says is gone; an object whose
 * destruction the driver refused. Bytes that it refused to take are given back by a later drain. */
static int loses(void)
{
    static const enum driver_row bytes[] = { DRIVER_ROW_free_async, DRIVER_ROW_free, DRIVER_ROW_host_free };
    static const enum driver_row objects[] = { DRIVER_ROW_event_destroy, DRIVER_ROW_stream_destroy, DRIVER_ROW_module_unload, DRIVER_ROW_pool_destroy,
                                               DRIVER_ROW_primary_release };
    return sticky() || of_row(objects, sizeof objects / sizeof *objects) ||
           (driver_code_gone(fault.code) && of_row(bytes, sizeof bytes / sizeof *bytes));
}

/* ---- the linker sends the library's allocations here (--wrap) */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);

static _Thread_local uint64_t countdown;        /* 1: the next allocation fails; 0: none does */

static int fails(void)
{
    return countdown && --countdown == 0;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __real_realloc(memory, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, bytes);
}

/* ---- one run */

static void find_row(void)
{
    static struct instrument_call journal[4096];
    size_t count = instrument_journal(journal, 4096);
    fault.failed = instrument_failures() != 0;
    for (size_t i = 0; i < count && fault.failed; i++)
        if (journal[i].sequence == fault.call)
            fault.row = journal[i].row;
}

static int refused_row(enum driver_row row)
{
    return of_row(&row, 1);
}

static void check_thread(void)
{
    driver_context current = NULL;
    driver_capture_mode mode = DRIVER_CAPTURE_GLOBAL;
    raw->context_current(&current);
    if (refused_row(DRIVER_ROW_context_pop) && current != contexts[1])
        raw->context_pop(&current);             /* the driver refused to */
    else
        holds(current == contexts[1]);
    raw->capture_exchange(&mode);
    holds(mode == DRIVER_CAPTURE_GLOBAL || refused_row(DRIVER_ROW_capture_exchange));
    mode = DRIVER_CAPTURE_GLOBAL;
    raw->capture_exchange(&mode);
}

static void check_status(const struct play *play)
{
    if (!fault.failed)
        holds(fault.status == BATON_OK);
    if (fault.status >= 0)
        return;
    holds(play->error.status == fault.status);
    holds(play->error.message[0]);
    if (fault.allocation)
        holds(fault.status == BATON_ERR_MEMORY || fault.status == BATON_ERR_OOM || fault.status == BATON_ERR_DRIVER);
    if (fault.status == BATON_ERR_DRIVER || fault.status == BATON_ERR_OOM)
        holds(play->error.driver_code == fault.code || !play->error.driver_code);
}

/* Old or new, and nothing between. */
static void check_content(struct play *play)
{
    int32_t host[PLAY_ELEMENTS];
    ok(baton_download(host, sizeof host, play->x, play->a, &error));
    for (int i = 0; i < PLAY_ELEMENTS; i++)
        if (fault.status == BATON_OK)
            holds(host[i] == fault.scene->x);
}

static void check_later_use(struct play *play)
{
    int32_t value = 41, host[PLAY_ELEMENTS];
    baton_launch_options options = { .struct_size = sizeof options, .stream = play->a };
    ok(baton_fill(play->y, &value, sizeof value, play->b, &error));
    ok(baton_launch(play->kernel, &options, (baton_argument[]) { baton_out(play->x), baton_in(play->y) }, 2, &error));
    ok(baton_download(host, sizeof host, play->x, play->b, &error));
    for (int i = 0; i < PLAY_ELEMENTS; i++)
        holds(host[i] == value + 1);
    ok(baton_stream_synchronize(play->a, BATON_WAIT_AUTO, &error));
    ok(baton_stream_synchronize(play->b, BATON_WAIT_AUTO, &error));
}

/* E2: reported again, without a call of the driver. */
static void check_poisoned(struct play *play)
{
    int32_t value = 1;
    counting_start();
    refused(BATON_ERR_POISONED, baton_fill(play->x, &value, sizeof value, play->b, &error));
    holds(error.driver_code == fault.code);
    holds(calls(DRIVER_ROW_COUNT) == 0);
}

static void check_objects(struct play *play)
{
    fault.lost = baton_stream_query(play->b, NULL) == BATON_ERR_POISONED;
    holds(info_of(play->x).lock_holder == 0);
    holds(info_of(play->y).lock_holder == 0);
    holds(!fault.lost || sticky());
    if (fault.lost) {
        check_poisoned(play);
    } else if (fault.status != BATON_ERR_POISONED) {    /* else the other device is lost, and with it what it did to the arrays */
        check_content(play);
        check_later_use(play);
    }
}

/* Where any stream may have used the memory, a drain records on all of them, and a later one finds that done. */
static baton_stats drained(struct play *play)
{
    baton_stats all = { .struct_size = sizeof all };
    int left = 100000;
    do {
        ok(baton_drain(play->runtime, 0, NULL, &error));
        ok(baton_stats_read(play->runtime, &all, &error));
        sched_yield();
    } while (all.deferred_bytes && left--);
    return all;
}

static void check_counts(struct play *play)
{
    baton_stats all = drained(play);
    holds(all.live_arrays == 0);
    holds(all.live_bytes == 0);
    holds(all.deferred_bytes == 0);
    holds(all.allocations == all.frees);
}

static int same_census(const struct soft_census *a, const struct soft_census *b)
{
    return a->bytes == b->bytes && a->allocations == b->allocations && a->streams == b->streams && a->events == b->events &&
           a->modules == b->modules && a->functions == b->functions;
}

/* What a failed call left over, a drain of any runtime takes. */
static void drain_leftovers(void)
{
    baton_runtime_options options = { .struct_size = sizeof options, .driver = "soft:2" };
    baton_runtime *other;
    ok(baton_runtime_open(&options, &other, &error));
    ok(baton_drain(other, 0, NULL, &error));
    ok(baton_runtime_close(other, &error));
}

/* On a device that is lost nothing runs any more. The software device, where the loss is only pretended, works on: its work is brought to an end. A
 * synchronous free waits for all of it. */
static void stop_work(void)
{
    for (int i = 0; i < 2; i++) {
        driver_address address;
        ck_assert_int_eq(raw->context_set(contexts[i]), 0);
        ck_assert_int_eq(raw->alloc(&address, 16), 0);
        ck_assert_int_eq(raw->free(address), 0);
    }
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
}

static void play_once(void)
{
    struct soft_census before, after;
    struct play play;
    soft_census(&before);
    ck_assert_int_eq(play_open(&play), BATON_OK);
    instrument_reset();
    if (fault.allocation)
        countdown = fault.call;
    else
        instrument_fail_any(fault.call, fault.code);
    fault.status = fault.scene->act(&play);
    if (fault.allocation)
        fault.failed = countdown == 0;
    else
        find_row();
    countdown = 0;
    instrument_reset();
    check_thread();
    check_status(&play);
    if (sticky())
        stop_work();            /* which leaves contexts[1] current, as it was */
    finish(&play);
    check_thread();
    drain_leftovers();
    soft_census(&after);
    holds(same_census(&before, &after) || loses());
}

static void walk(const struct scene *scene, int code, int allocation)
{
    fault = (struct fault) { .scene = scene, .code = code, .allocation = allocation };
    do {
        fault.call++;
        fault.failed = 0;
        hold_device();
        ck_assert_int_eq(raw->context_set(contexts[1]), 0);     /* somebody else's context is current */
        play_once();
        ck_assert_int_eq(raw->context_set(NULL), 0);
        release_device();
    } while (fault.failed && fault.call < 1000);
}

START_TEST(every_driver_call_may_fail_with_every_code)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        for (int k = 0; k < scene_count; k++)
            walk(&scenes[k], codes[i], 0);
}
END_TEST

/* The software device runs out of memory in the same way, as a driver would. */
START_TEST(every_allocation_may_fail)
{
    for (int k = 0; k < scene_count; k++)
        walk(&scenes[k], DRIVER_OUT_OF_MEMORY, 1);
}
END_TEST

static void setup(void)
{
    error = (baton_error)BATON_ERROR_INIT;
    instrument_enable(1);
}

int main(void)
{
    if (soft_program("faults", "counts what a failed call left behind"))
        return NEEDS_SKIPPED;
    Suite *suite = suite_create("faults");
    TCase *group = tcase_create("faults");
    tcase_add_checked_fixture(group, setup, NULL);
    tcase_set_timeout(group, 240);
    tcase_add_test(group, every_allocation_may_fail);
    tcase_add_test(group, every_driver_call_may_fail_with_every_code);
    suite_add_tcase(suite, group);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
