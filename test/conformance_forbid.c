/* What invalidates a capture: one row per call of the driver, one column per who calls. C9 rests on this table. */
#include "conformance.h"
#include "needs.h"

#include <stdlib.h>

static driver_stream s, other;
static driver_event event;
static driver_graph_exec exec;      /* to be destroyed by a call */
static driver_graph graph, child;
static void *pinned;
static driver_address pooled, plain;
static driver_module module;

static int call_stream_query(void) { return driver->stream_query(other); }
static int call_stream_synchronize(void) { return driver->stream_synchronize(other); }
static int call_event_query(void) { return driver->event_query(event); }
static int call_event_synchronize(void) { return driver->event_synchronize(event); }
static int call_free_async(void) { return driver->free_async(pooled, other); }
static int call_free(void) { return driver->free(plain); }
static int call_exec_destroy(void) { return driver->graph_exec_destroy(exec); }

static int call_alloc_async(void)
{
    driver_address address;
    return driver->alloc_async(&address, 64, pool, other);
}

static int call_alloc(void)
{
    driver_address address;
    return driver->alloc(&address, 64);
}

static int call_host_alloc(void)
{
    void *host;
    return driver->host_alloc(&host, 64, 0);
}

static int call_pool_create(void)
{
    driver_pool_properties properties = {
        .allocation_type = DRIVER_ALLOCATION_PINNED, .location_type = DRIVER_LOCATION_DEVICE
    };
    driver_pool made;
    return driver->pool_create(&made, &properties);
}

static int call_pool_trim(void) { return driver->pool_trim(pool, 0); }
static int call_module_unload(void) { return driver->module_unload(module); }

static int call_module_load(void)
{
    driver_module made;
    return driver->module_load(&made, driver->builtin_image);
}

static int call_memory_info(void)
{
    size_t available, total;
    return driver->memory_info(&available, &total);
}

static int call_launch(void) { return kernel_launch(pooled, other); }
static int call_record(void) { return driver->event_record(event, other); }
static int call_wait(void) { return driver->stream_wait_event(other, event, 0); }
static int call_copy(void) { return driver->copy(pooled, plain, 4, other); }
static int call_copy_to_device(void) { return driver->copy_to_device(plain, pinned, 4, other); }
static int call_copy_to_host(void) { return driver->copy_to_host(pinned, plain, 4, other); }
static int call_fill(void) { return driver->fill32(plain, 1, 1, other); }
static int call_graph_destroy(void) { return driver->graph_destroy(graph); }

static int call_add_child(void)
{
    driver_graph_node node;
    return driver->graph_add_child(&node, graph, NULL, 0, child);
}

static int call_capture_info(void)
{
    driver_capture_status status;
    return driver->capture_info(other, &status, NULL, NULL, NULL, NULL);
}

static int call_stream_id(void)
{
    unsigned long long number;
    return driver->stream_id(other, &number);
}

static int call_stream_context(void)
{
    driver_context of;
    return driver->stream_context(other, &of);
}

static int call_create(void)
{
    driver_event made;
    driver_stream stream;
    int code = driver->event_create(&made, 0);
    if (!code)
        code = driver->event_destroy(made);
    if (!code)
        code = driver->stream_create(&stream, 0, 0);
    return code ? code : driver->stream_destroy(stream);
}

static int (*const unsafe_calls[])(void) = {
    call_stream_query, call_stream_synchronize, call_event_query, call_event_synchronize, call_alloc_async,
    call_free_async, call_alloc, call_free, call_exec_destroy, call_host_alloc, call_pool_create,
    call_pool_trim, call_module_unload
};
static int (*const safe_calls[])(void) = {
    call_launch, call_record, call_wait, call_copy, call_graph_destroy, call_create, call_module_load, call_memory_info,
    call_add_child, call_capture_info, call_stream_id, call_stream_context, call_copy_to_device, call_copy_to_host, call_fill
};
enum { UNSAFE_CALLS = sizeof unsafe_calls / sizeof *unsafe_calls, SAFE_CALLS = sizeof safe_calls / sizeof *safe_calls };

static void table_begin(void)
{
    driver_begin();
    needs_limit(20);                /* a call that hangs is the answer, too */
    s = stream_new(DRIVER_STREAM_NON_BLOCKING);
    other = stream_new(DRIVER_STREAM_NON_BLOCKING);
    event = event_new();
    pooled = memory_new(64, other);
    OK(driver->alloc(&plain, 64));
    OK(driver->host_alloc(&pinned, 64, 0));
    OK(driver->module_load(&module, driver->builtin_image));
    OK(driver->fill32(plain, 0, 16, other));
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(kernel_launch(pooled, s));
    OK(driver->capture_end(s, &graph));
    OK(driver->capture_begin(s, DRIVER_CAPTURE_RELAXED));
    OK(kernel_launch(pooled, s));
    OK(driver->capture_end(s, &child));
    OK(driver->graph_instantiate(&exec, graph, 0));
    OK(driver->stream_synchronize(other));
}

/* What the call gave back must not be given back again; the rest goes with the context, or the process. */
static void table_end(void)
{
    driver->stream_destroy(s);
    driver->stream_destroy(other);
    driver->event_destroy(event);
    driver_end();
}

static int on_this_thread(int (*call)(void *), void *argument)
{
    return call(argument);
}

static int call_plain(void *argument)
{
    int (*const *call)(void) = argument;
    driver_context current = NULL;
    int code = driver->context_current(&current);
    if (!code && !current)
        code = driver->context_push(context);
    return code ? code : (*call)();
}

static int call_relaxed(void *argument)
{
    driver_capture_mode mode = DRIVER_CAPTURE_RELAXED;
    int code = driver->capture_exchange(&mode);
    if (!code)
        code = call_plain(argument);
    driver->capture_exchange(&mode);
    return code;
}

typedef int (*run_function)(int (*)(void *), void *);

/* Captures on s, makes the call, and holds its result and the capture's against what is expected. */
static void capture_around(driver_capture_mode mode, run_function run, int (*wrapper)(void *), int (*const *call)(void),
                           int invalidates)
{
    driver_graph made;
    OK(driver->capture_begin(s, mode));
    EXPECT(invalidates ? DRIVER_STREAM_CAPTURE_UNSUPPORTED : DRIVER_SUCCESS, run(wrapper, (void *)(uintptr_t)call));
    EXPECT(invalidates ? DRIVER_STREAM_CAPTURE_INVALIDATED : DRIVER_SUCCESS, driver->capture_end(s, &made));
}

START_TEST(a_global_capture_dies_of_an_unsafe_call_of_another_thread)
{
    capture_around(DRIVER_CAPTURE_GLOBAL, thread_run, call_plain, &unsafe_calls[_i], 1);
}
END_TEST

START_TEST(a_thread_local_capture_survives_an_unsafe_call_of_another_thread)
{
    capture_around(DRIVER_CAPTURE_THREAD_LOCAL, thread_run, call_plain, &unsafe_calls[_i], 0);
}
END_TEST

START_TEST(a_global_capture_dies_of_an_unsafe_call_of_its_own_thread)
{
    capture_around(DRIVER_CAPTURE_GLOBAL, on_this_thread, call_plain, &unsafe_calls[_i], 1);
}
END_TEST

START_TEST(a_thread_local_capture_dies_of_an_unsafe_call_of_its_own_thread)
{
    capture_around(DRIVER_CAPTURE_THREAD_LOCAL, on_this_thread, call_plain, &unsafe_calls[_i], 1);
}
END_TEST

START_TEST(a_relaxed_capture_survives_unsafe_calls)
{
    capture_around(DRIVER_CAPTURE_RELAXED, _i % 2 ? thread_run : on_this_thread, call_plain, &unsafe_calls[_i / 2], 0);
}
END_TEST

START_TEST(a_thread_that_declares_itself_relaxed_kills_no_capture)
{
    capture_around(DRIVER_CAPTURE_GLOBAL, _i % 2 ? thread_run : on_this_thread, call_relaxed, &unsafe_calls[_i / 2], 0);
}
END_TEST

START_TEST(safe_calls_kill_no_capture)
{
    capture_around((driver_capture_mode)(_i % 3), _i / 3 % 2 ? thread_run : on_this_thread, call_plain,
                   &safe_calls[_i / 6], 0);
}
END_TEST

START_TEST(the_exchange_gives_back_the_old_mode)
{
    driver_capture_mode mode = DRIVER_CAPTURE_RELAXED;
    OK(driver->capture_exchange(&mode));
    ck_assert_uint_eq(mode, DRIVER_CAPTURE_GLOBAL);
    OK(driver->capture_exchange(&mode));
    ck_assert_uint_eq(mode, DRIVER_CAPTURE_RELAXED);
}
END_TEST

int main(void)
{
    needs_contexts();
    Suite *suite = suite_create("conformance: what a capture forbids");
    TCase *tcase = tcase_create("table");
    SRunner *runner = srunner_create(suite);
    int failed;
    tcase_add_checked_fixture(tcase, table_begin, table_end);
    tcase_set_timeout(tcase, 20);
    tcase_add_loop_test(tcase, a_global_capture_dies_of_an_unsafe_call_of_another_thread, 0, UNSAFE_CALLS);
    tcase_add_loop_test(tcase, a_thread_local_capture_survives_an_unsafe_call_of_another_thread, 0, UNSAFE_CALLS);
    tcase_add_loop_test(tcase, a_global_capture_dies_of_an_unsafe_call_of_its_own_thread, 0, UNSAFE_CALLS);
    tcase_add_loop_test(tcase, a_thread_local_capture_dies_of_an_unsafe_call_of_its_own_thread, 0, UNSAFE_CALLS);
    tcase_add_loop_test(tcase, a_relaxed_capture_survives_unsafe_calls, 0, 2 * UNSAFE_CALLS);
    tcase_add_loop_test(tcase, a_thread_that_declares_itself_relaxed_kills_no_capture, 0, 2 * UNSAFE_CALLS);
    tcase_add_loop_test(tcase, safe_calls_kill_no_capture, 0, 6 * SAFE_CALLS);
    tcase_add_test(tcase, the_exchange_gives_back_the_old_mode);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
