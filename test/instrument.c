/* The driver as an instrument, in front of a driver whose calls are seen here. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "driver/instrument.h"

static atomic_int done; /* calls that reached the driver */
static int result;      /* what they return */
static char handles[4];

static int stub_stream_create(driver_stream *stream, unsigned int flags, int priority)
{
    (void)flags, (void)priority;
    done++;
    if (result == DRIVER_SUCCESS)
        *stream = &handles[0];
    return result;
}

static int stub_event_create(driver_event *event, unsigned int flags)
{
    (void)flags;
    done++;
    *event = &handles[1];
    return result;
}

static int stub_event_record(driver_event event, driver_stream stream)
{
    (void)event, (void)stream;
    done++;
    return result;
}

static int stub_stream_wait_event(driver_stream stream, driver_event event, unsigned int flags)
{
    done += stream == &handles[0] && event == &handles[1] && flags == 7;
    return result;
}

/* Looks at the journal while its own call is under way. */
static int stub_stream_synchronize(driver_stream stream)
{
    struct instrument_call call = { 0 };
    (void)stream;
    done += instrument_journal(&call, 1) == 1 && call.code == INSTRUMENT_RUNNING &&
            call.row == DRIVER_ROW_stream_synchronize;
    return result;
}

static int stub_stream_query(driver_stream stream);

static const struct driver stub = {
    .name = "stub",
    .builtin_image = handles,
    .stream_create = stub_stream_create,
    .event_create = stub_event_create,
    .event_record = stub_event_record,
    .stream_wait_event = stub_stream_wait_event,
    .stream_synchronize = stub_stream_synchronize,
    .stream_query = stub_stream_query,
};
static const struct driver other = { .name = "other", .host_kernels = 1, .event_record = stub_event_record };

static const struct driver *driver;

/* Fills the journal while its own call is under way. */
static int stub_stream_query(driver_stream stream)
{
    (void)stream;
    for (int i = 0; i < 4096; i++)
        driver->event_record(NULL, NULL);
    return DRIVER_NOT_READY;
}

static void setup(void)
{
    done = 0;
    result = DRIVER_SUCCESS;
    instrument_enable(1);
    instrument_reset();
    driver = instrument_wrap(&stub);
}

static void teardown(void)
{
    instrument_enable(0);
}

START_TEST(switched_off_it_is_the_driver_itself)
{
    instrument_enable(0);
    ck_assert_ptr_eq(instrument_wrap(&stub), &stub);
    instrument_enable(1);
    ck_assert_ptr_ne(instrument_wrap(&stub), &stub);
}
END_TEST

START_TEST(the_wrapped_driver_looks_like_the_driver)
{
    ck_assert_str_eq(driver->name, "stub");
    ck_assert_ptr_eq(driver->builtin_image, handles);
    ck_assert_int_eq(driver->host_kernels, 0);
    ck_assert_ptr_eq(instrument_wrap(&stub), driver);
    ck_assert_ptr_eq(instrument_wrap(driver), driver);
}
END_TEST

START_TEST(every_row_goes_through_the_instrument)
{
#define CHECK_ROW(verb, symbol, version, parameters, arguments) ck_assert_msg(driver->verb != NULL, #verb);
    DRIVER_ROWS(CHECK_ROW)
#undef CHECK_ROW
}
END_TEST

START_TEST(two_kinds_of_driver_are_wrapped_side_by_side)
{
    const struct driver *second = instrument_wrap(&other);
    ck_assert_ptr_ne(second, driver);
    ck_assert_str_eq(second->name, "other");
    ck_assert_str_eq(driver->name, "stub");
    ck_assert_int_eq(second->event_record(NULL, NULL), DRIVER_SUCCESS);
    ck_assert_int_eq(driver->event_record(NULL, NULL), DRIVER_SUCCESS);
    ck_assert_uint_eq(instrument_count(DRIVER_ROW_event_record), 2);
}
END_TEST

START_TEST(arguments_and_results_pass_unchanged)
{
    result = DRIVER_NOT_READY;
    ck_assert_int_eq(driver->stream_wait_event(&handles[0], &handles[1], 7), DRIVER_NOT_READY);
    ck_assert_int_eq(done, 1);
}
END_TEST

START_TEST(calls_are_counted_by_row_and_in_all)
{
    driver->event_record(NULL, NULL);
    driver->event_record(NULL, NULL);
    driver->stream_wait_event(NULL, NULL, 0);
    ck_assert_uint_eq(instrument_count(DRIVER_ROW_event_record), 2);
    ck_assert_uint_eq(instrument_count(DRIVER_ROW_stream_wait_event), 1);
    ck_assert_uint_eq(instrument_count(DRIVER_ROW_copy), 0);
    ck_assert_uint_eq(instrument_count(DRIVER_ROW_COUNT), 3);
    instrument_reset();
    ck_assert_uint_eq(instrument_count(DRIVER_ROW_event_record), 0);
    ck_assert_uint_eq(instrument_count(DRIVER_ROW_COUNT), 0);
}
END_TEST

START_TEST(the_journal_has_the_calls_in_their_order)
{
    struct instrument_call calls[4];
    driver->event_record(NULL, NULL);
    instrument_reset();
    driver->event_record(&handles[1], &handles[0]);
    result = DRIVER_ILLEGAL_ADDRESS;
    driver->stream_wait_event(&handles[2], &handles[1], 0);
    ck_assert_uint_eq(instrument_journal(calls, 4), 2);
    ck_assert_uint_eq(calls[0].sequence, 1);
    ck_assert_int_eq(calls[0].row, DRIVER_ROW_event_record);
    ck_assert_int_eq(calls[0].code, DRIVER_SUCCESS);
    ck_assert_ptr_eq(calls[0].stream, &handles[0]);
    ck_assert_ptr_eq(calls[0].event, &handles[1]);
    ck_assert_uint_eq(calls[0].thread, (uint64_t)gettid());
    ck_assert_uint_eq(calls[1].sequence, 2);
    ck_assert_int_eq(calls[1].row, DRIVER_ROW_stream_wait_event);
    ck_assert_int_eq(calls[1].code, DRIVER_ILLEGAL_ADDRESS);
    ck_assert_ptr_eq(calls[1].stream, &handles[2]);
}
END_TEST

START_TEST(what_a_row_makes_is_journalled_once_it_is_there)
{
    struct instrument_call calls[4];
    driver_stream stream = NULL;
    driver_event event = NULL;
    driver->stream_create(&stream, 0, 0);
    driver->event_create(&event, 0);
    result = DRIVER_OUT_OF_MEMORY;
    driver->stream_create(&stream, 0, 0);
    ck_assert_uint_eq(instrument_journal(calls, 4), 3);
    ck_assert_ptr_eq(calls[0].stream, &handles[0]);
    ck_assert_ptr_null(calls[0].event);
    ck_assert_ptr_eq(calls[1].event, &handles[1]);
    ck_assert_ptr_null(calls[1].stream);
    ck_assert_ptr_null(calls[2].stream);
}
END_TEST

START_TEST(a_call_under_way_is_in_the_journal)
{
    ck_assert_int_eq(driver->stream_synchronize(&handles[0]), DRIVER_SUCCESS);
    ck_assert_int_eq(done, 1);
}
END_TEST

START_TEST(the_journal_keeps_the_newest_calls)
{
    static struct instrument_call calls[5000];
    for (int i = 0; i < 5000; i++)
        driver->event_record(NULL, NULL);
    ck_assert_uint_eq(instrument_journal(calls, 5000), 4096);
    ck_assert_uint_eq(calls[0].sequence, 5000 - 4096 + 1);
    ck_assert_uint_eq(calls[4095].sequence, 5000);
    ck_assert_uint_eq(instrument_journal(calls, 2), 2);
    ck_assert_uint_eq(calls[0].sequence, 4999);
}
END_TEST

START_TEST(a_call_that_left_the_journal_changes_nothing_when_it_returns)
{
    static struct instrument_call calls[4096];
    ck_assert_int_eq(driver->stream_query(NULL), DRIVER_NOT_READY);
    ck_assert_uint_eq(instrument_journal(calls, 4096), 4096);
    for (int i = 0; i < 4096; i++)
        ck_assert_int_eq(calls[i].code, DRIVER_SUCCESS);
}
END_TEST

START_TEST(the_nth_call_fails_and_does_nothing)
{
    struct instrument_call call;
    instrument_fail(DRIVER_ROW_event_record, 2, DRIVER_OUT_OF_MEMORY, 0);
    ck_assert_int_eq(driver->event_record(NULL, NULL), DRIVER_SUCCESS);
    ck_assert_int_eq(driver->event_record(NULL, NULL), DRIVER_OUT_OF_MEMORY);
    ck_assert_int_eq(done, 1);
    instrument_journal(&call, 1);
    ck_assert_int_eq(call.code, DRIVER_OUT_OF_MEMORY);
    ck_assert_int_eq(driver->event_record(NULL, NULL), DRIVER_SUCCESS);
    ck_assert_uint_eq(instrument_count(DRIVER_ROW_event_record), 3);
    ck_assert_uint_eq(instrument_failures(), 1);
}
END_TEST

START_TEST(all_calls_from_the_nth_on_may_fail)
{
    instrument_fail(DRIVER_ROW_event_record, 2, DRIVER_LAUNCH_FAILED, 1);
    ck_assert_int_eq(driver->event_record(NULL, NULL), DRIVER_SUCCESS);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(driver->event_record(NULL, NULL), DRIVER_LAUNCH_FAILED);
    instrument_fail(DRIVER_ROW_event_record, 0, 0, 0);
    ck_assert_int_eq(driver->event_record(NULL, NULL), DRIVER_SUCCESS);
    ck_assert_uint_eq(instrument_failures(), 3);
}
END_TEST

START_TEST(a_plan_for_any_row_counts_every_call)
{
    driver_stream stream = NULL;
    instrument_fail_any(2, DRIVER_UNKNOWN);
    ck_assert_int_eq(driver->event_record(NULL, NULL), DRIVER_SUCCESS);
    ck_assert_int_eq(driver->stream_create(&stream, 0, 0), DRIVER_UNKNOWN);
    ck_assert_ptr_null(stream);
    ck_assert_int_eq(driver->stream_create(&stream, 0, 0), DRIVER_SUCCESS);
    instrument_fail_any(1, DRIVER_UNKNOWN);
    instrument_reset();
    ck_assert_int_eq(driver->event_record(NULL, NULL), DRIVER_SUCCESS);
    ck_assert_uint_eq(instrument_failures(), 0);
}
END_TEST

START_TEST(successes_and_losses_are_counted_through_all_resets)
{
    uint64_t before = instrument_succeeded(DRIVER_ROW_event_record), lost = instrument_lost();
    ck_assert_int_eq(driver->event_record(NULL, NULL), DRIVER_SUCCESS);
    instrument_fail(DRIVER_ROW_event_record, 1, DRIVER_INVALID_VALUE, 0);
    ck_assert_int_eq(driver->event_record(NULL, NULL), DRIVER_INVALID_VALUE);
    ck_assert_uint_eq(instrument_lost(), lost);
    instrument_reset();
    instrument_fail(DRIVER_ROW_event_record, 1, DRIVER_LAUNCH_FAILED, 0);
    ck_assert_int_eq(driver->event_record(NULL, NULL), DRIVER_LAUNCH_FAILED);
    ck_assert_int_eq(driver->event_record(NULL, NULL), DRIVER_SUCCESS);
    ck_assert_uint_eq(instrument_succeeded(DRIVER_ROW_event_record), before + 2);
    ck_assert_uint_eq(instrument_lost(), lost + 1);
    ck_assert_uint_eq(instrument_succeeded(DRIVER_ROW_COUNT), 0);
}
END_TEST

static void *record_thousand(void *unused)
{
    (void)unused;
    for (int i = 0; i < 1000; i++)
        driver->stream_wait_event(NULL, NULL, 0);
    return NULL;
}

START_TEST(threads_lose_no_call)
{
    pthread_t threads[4];
    instrument_fail(DRIVER_ROW_stream_wait_event, 3000, DRIVER_UNKNOWN, 0);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, record_thousand, NULL), 0);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_uint_eq(instrument_count(DRIVER_ROW_COUNT), 4000);
    ck_assert_uint_eq(instrument_failures(), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("instrument");
    TCase *tests = tcase_create("instrument");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, switched_off_it_is_the_driver_itself);
    tcase_add_test(tests, the_wrapped_driver_looks_like_the_driver);
    tcase_add_test(tests, every_row_goes_through_the_instrument);
    tcase_add_test(tests, two_kinds_of_driver_are_wrapped_side_by_side);
    tcase_add_test(tests, arguments_and_results_pass_unchanged);
    tcase_add_test(tests, calls_are_counted_by_row_and_in_all);
    tcase_add_test(tests, the_journal_has_the_calls_in_their_order);
    tcase_add_test(tests, what_a_row_makes_is_journalled_once_it_is_there);
    tcase_add_test(tests, a_call_under_way_is_in_the_journal);
    tcase_add_test(tests, the_journal_keeps_the_newest_calls);
    tcase_add_test(tests, a_call_that_left_the_journal_changes_nothing_when_it_returns);
    tcase_add_test(tests, the_nth_call_fails_and_does_nothing);
    tcase_add_test(tests, all_calls_from_the_nth_on_may_fail);
    tcase_add_test(tests, a_plan_for_any_row_counts_every_call);
    tcase_add_test(tests, successes_and_losses_are_counted_through_all_resets);
    tcase_add_test(tests, threads_lose_no_call);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
