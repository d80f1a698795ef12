/* The software device's problem detection: what it must see, and what it must not. */
#include "conformance.h"
#include "needs.h"

#include <string.h>

#include "driver/soft/soft.h"

static driver_stream a, b;
static driver_event event;
static driver_address memory;

/* The tests submit work that is wrong. One thread runs it all and memory stays mapped: only the detection speaks up. */
static void check_begin(void)
{
    uint64_t keep = UINT64_MAX;
    soft_schedule(1);
    driver_begin();
    OK(driver->pool_set(pool, DRIVER_POOL_RELEASE_THRESHOLD, &keep));
    a = stream_new(DRIVER_STREAM_NON_BLOCKING);
    b = stream_new(DRIVER_STREAM_NON_BLOCKING);
    event = event_new();
    memory = memory_new(4096, a);
    soft_problems_reset();
}

static void check_end(void)
{
    OK(driver->stream_synchronize(a));
    OK(driver->stream_synchronize(b));
    OK(driver->event_destroy(event));
    OK(driver->stream_destroy(a));
    OK(driver->stream_destroy(b));
    driver_end();
}

static void follow(driver_stream later, driver_stream earlier)
{
    OK(driver->event_record(event, earlier));
    OK(driver->stream_wait_event(later, event, 0));
}

static void expect_problem(const char *words)
{
    char text[256];
    soft_problem_text(text, sizeof text);
    ck_assert_uint_eq(soft_problems(), 1);
    ck_assert_msg(strstr(text, words) != NULL, "\"%s\" does not speak of \"%s\"", text, words);
}

START_TEST(a_use_on_another_stream_without_order_is_a_problem)
{
    OK(driver->fill32(memory, 1, 16, b));
    expect_problem("not ordered");
}
END_TEST

START_TEST(a_use_ordered_by_an_event_is_none)
{
    follow(b, a);
    OK(driver->fill32(memory, 1, 16, b));
    OK(kernel_launch(memory, b));
    follow(a, b);
    OK(driver->fill32(memory, 1, 16, a));
    ck_assert_uint_eq(soft_problems(), 0);
}
END_TEST

START_TEST(a_use_ordered_by_a_host_wait_is_none)
{
    OK(driver->stream_synchronize(a));
    OK(driver->fill32(memory, 1, 16, b));
    OK(driver->event_record(event, b));
    OK(driver->event_synchronize(event));
    OK(driver->fill32(memory, 1, 16, a));
    ck_assert_uint_eq(soft_problems(), 0);
}
END_TEST

START_TEST(an_old_record_does_not_order_newer_work)
{
    OK(driver->event_record(event, a));
    OK(driver->fill32(memory, 1, 16, a));
    OK(driver->stream_wait_event(b, event, 0));
    OK(driver->fill32(memory, 2, 16, b));
    expect_problem("not ordered");
}
END_TEST

START_TEST(two_readers_need_no_order_but_the_next_writer_follows_both)
{
    driver_address copies = memory_new(64, a);
    follow(b, a);
    OK(driver->copy(copies, memory, 4, a));
    OK(driver->copy(copies + 4, memory, 4, b));
    ck_assert_uint_eq(soft_problems(), 0);
    OK(driver->fill32(memory, 1, 1, a));
    expect_problem("earlier read");
}
END_TEST

START_TEST(uses_of_separate_bytes_need_no_order)
{
    follow(b, a);
    OK(driver->fill32(memory, 1, 16, a));
    OK(driver->fill32(memory + 64, 1, 16, b));
    ck_assert_uint_eq(soft_problems(), 0);
}
END_TEST

/* The library must go by ids: the driver gives a destroyed stream's handle away at once. */
START_TEST(a_stream_with_the_handle_of_a_destroyed_one_is_not_ordered_after_it)
{
    driver_stream first, second;
    follow(b, a);
    first = stream_new(DRIVER_STREAM_NON_BLOCKING);
    follow(first, b);
    OK(driver->fill32(memory, 1, 1, first));
    OK(driver->stream_destroy(first));
    second = stream_new(DRIVER_STREAM_NON_BLOCKING);
    ck_assert_ptr_eq(first, second);
    OK(driver->fill32(memory, 2, 1, second));
    expect_problem("not ordered");
    OK(driver->stream_destroy(second));
}
END_TEST

START_TEST(a_use_after_the_free_is_a_problem)
{
    OK(driver->free_async(memory, a));
    OK(kernel_launch(memory, a));
    expect_problem("freed");
}
END_TEST

START_TEST(a_free_that_does_not_follow_the_readers_is_a_problem)
{
    driver_address copies = memory_new(4, b);
    follow(b, a);
    OK(driver->copy(copies, memory, 4, b));
    OK(driver->free_async(memory, a));
    expect_problem("earlier read");
}
END_TEST

START_TEST(a_copy_past_the_end_is_a_problem)
{
    driver_address small = memory_new(64, a);
    EXPECT(DRIVER_INVALID_VALUE, driver->fill8(small, 0, 65, a));
    expect_problem("past the end");
}
END_TEST

START_TEST(the_legacy_stream_orders_blocking_streams)
{
    driver_stream blocking = stream_new(0), other = stream_new(0);
    follow(blocking, a);
    OK(driver->fill32(memory, 1, 1, blocking));
    OK(driver->fill32(memory, 2, 1, NULL));
    OK(driver->fill32(memory, 3, 1, other));
    ck_assert_uint_eq(soft_problems(), 0);
    OK(driver->stream_destroy(blocking));
    OK(driver->stream_destroy(other));
}
END_TEST

START_TEST(a_graph_launch_is_checked_like_its_nodes)
{
    driver_graph graph;
    driver_graph_exec exec;
    OK(driver->capture_begin(b, DRIVER_CAPTURE_RELAXED));
    OK(driver->fill32(memory, 1, 1, b));
    OK(driver->capture_end(b, &graph));
    OK(driver->graph_instantiate(&exec, graph, 0));
    ck_assert_uint_eq(soft_problems(), 0);
    OK(driver->graph_launch(exec, b));
    expect_problem("not ordered");
    OK(driver->graph_exec_destroy(exec));
    OK(driver->graph_destroy(graph));
}
END_TEST

/* A GPU's driver would crash, or take whichever stream has the handle by now. */
START_TEST(a_use_of_a_stream_that_was_destroyed_is_a_problem)
{
    driver_stream gone = stream_new(DRIVER_STREAM_NON_BLOCKING), never = (driver_stream)(void *)&gone;
    OK(driver->stream_destroy(gone));
    EXPECT(DRIVER_INVALID_HANDLE, driver->stream_query(never));
    ck_assert_uint_eq(soft_problems(), 0);
    EXPECT(DRIVER_INVALID_HANDLE, driver->event_record(event, gone));
    expect_problem("destroyed");
    soft_problems_reset();
    EXPECT(DRIVER_INVALID_HANDLE, driver->stream_destroy(gone));
    expect_problem("destroyed");
}
END_TEST

START_TEST(a_use_ordered_by_a_wait_for_the_whole_device_is_none)
{
    driver_stream gone = stream_new(DRIVER_STREAM_NON_BLOCKING);
    void *pinned;
    OK(driver->host_alloc(&pinned, 64, 0));
    follow(gone, a);
    OK(driver->fill32(memory, 1, 16, gone));
    OK(driver->stream_destroy(gone));
    OK(driver->host_free(pinned));
    OK(driver->fill32(memory, 2, 16, b));
    ck_assert_uint_eq(soft_problems(), 0);
}
END_TEST

int main(void)
{
    if (soft_program("soft_check", "it is about"))
        return NEEDS_SKIPPED;
    const TTest *const tests[] = {
        a_use_on_another_stream_without_order_is_a_problem, a_use_ordered_by_an_event_is_none,
        a_use_ordered_by_a_host_wait_is_none, an_old_record_does_not_order_newer_work,
        two_readers_need_no_order_but_the_next_writer_follows_both, uses_of_separate_bytes_need_no_order,
        a_stream_with_the_handle_of_a_destroyed_one_is_not_ordered_after_it, a_use_after_the_free_is_a_problem,
        a_free_that_does_not_follow_the_readers_is_a_problem, a_copy_past_the_end_is_a_problem,
        a_use_of_a_stream_that_was_destroyed_is_a_problem, a_use_ordered_by_a_wait_for_the_whole_device_is_none,
        the_legacy_stream_orders_blocking_streams, a_graph_launch_is_checked_like_its_nodes
    };
    return suite_run_with("soft: problems", tests, sizeof tests / sizeof *tests, check_begin, check_end);
}
