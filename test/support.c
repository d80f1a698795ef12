#include "support.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "census.h"
#include "kernels.h"

baton_runtime *runtime;
uint32_t support_flags;
baton_error error;

static unsigned limit_s;        /* 0: none */

static const uint64_t GATE_LIMIT_NS = 20000000000u;

void support_reopen(const baton_runtime_options *options)
{
    baton_runtime_options own = options ? *options : (baton_runtime_options) { .struct_size = sizeof own };
    if (runtime)
        ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
    if (!own.driver)
        own.driver = needs_driver();
    own.flags |= support_flags;
    ok(baton_runtime_open(&own, &runtime, &error));
}

void support_setup(void)
{
    needs_limit(limit_s);
    error = (baton_error)BATON_ERROR_INIT;
    instrument_enable(1);
    runtime = NULL;
    census_begin();
    support_reopen(NULL);
    soft_problems_reset();
    instrument_reset();
}

static void expect_no_problem(void)
{
    char text[256];
    soft_problem_text(text, sizeof text);
    ck_assert_msg(soft_problems() == 0, "the device saw: %s", text);
}

void support_teardown(void)
{
    struct soft_census census;
    if (on_soft())
        expect_no_problem();
    if (runtime) {
        ck_assert_uint_eq(stats().live_arrays, 0);
        baton_drain(runtime, 0, NULL, NULL);        /* what exports and graphs kept */
        ck_assert_uint_eq(stats().live_bytes, 0);
        ok(baton_runtime_close(runtime, &error));
        runtime = NULL;
    }
    if (on_soft() || !census_lost()) {
        census = census_read();
        ck_assert_uint_eq(census.bytes, 0);
        ck_assert_uint_eq(census.allocations, 0);
        ck_assert_uint_eq(census.streams, 0);
        ck_assert_uint_eq(census.events, 0);
        ck_assert_uint_eq(census.modules, 0);
        ck_assert_uint_eq(census.graphs, 0);
        ck_assert_uint_eq(census.executables, 0);
        ck_assert_uint_eq(census.contexts, 0);      /* every object keeps its runtime, and the runtime its contexts */
    }
    instrument_reset();
}

void support_ok(int32_t status, const char *call, const char *file, int line)
{
    if (status != BATON_OK)
        ck_abort_msg("%s:%d: %s: %s: %s", file, line, call, baton_status_name(status), error.message);
}

void support_refused(int32_t expected, int32_t status, const char *call, const char *file, int line)
{
    if (status != expected)
        ck_abort_msg("%s:%d: %s: %s instead of %s", file, line, call, baton_status_name(status), baton_status_name(expected));
    if (status < 0 && (error.status != status || !error.message[0]))
        ck_abort_msg("%s:%d: %s: the error record says %s: '%s'", file, line, call, baton_status_name(error.status), error.message);
}

baton_stream *make_stream_on(int32_t device)
{
    baton_stream *stream;
    ok(baton_stream_create(runtime, device, 0, 0, &stream, &error));
    return stream;
}

int32_t device_count(void)
{
    int32_t count;
    ok(baton_device_count(runtime, &count, &error));
    return count;
}

baton_stream *make_stream(void)
{
    return make_stream_on(0);
}

baton_array *make_array_of(int32_t kind, int64_t elements, baton_stream *stream)
{
    int32_t device = 0;
    baton_array *array;
    if (stream)
        ok(baton_stream_device(stream, &device, &error));
    baton_array_options options = { .struct_size = sizeof options, .device = device, .kind = kind, .dtype = BATON_I32, .ndim = 1,
                                    .shape = &elements, .stream = stream };
    ok(baton_array_create(runtime, &options, &array, &error));
    ok(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    return array;
}

baton_array *make_array(int64_t elements, baton_stream *stream)
{
    return make_array_of(BATON_DEVICE, elements, stream);
}

baton_array *make_view(baton_array *array, int64_t start, int64_t count)
{
    baton_array *view;
    baton_view_options options = { .struct_size = sizeof options, .ndim = 1, .start = &start, .count = &count };
    ok(baton_array_view(array, &options, &view, &error));
    return view;
}

uint64_t id_of(baton_stream *stream)
{
    uint64_t id;
    ok(baton_stream_id(stream, &id, &error));
    return id;
}

baton_array_info info_of(baton_array *array)
{
    baton_array_info info = { .struct_size = sizeof info };
    ok(baton_array_info_read(array, &info, &error));
    return info;
}

baton_stats stats(void)
{
    baton_stats all = { .struct_size = sizeof all };
    ok(baton_stats_read(runtime, &all, &error));
    return all;
}

void fill(baton_array *array, int32_t value, baton_stream *stream)
{
    ok(baton_fill(array, &value, sizeof value, stream, &error));
}

void expect(baton_array *array, int32_t value, baton_stream *stream)
{
    uint64_t bytes = info_of(array).bytes;
    int32_t *host = malloc(bytes + 1);
    ck_assert_ptr_nonnull(host);
    ok(baton_download(host, bytes, array, stream, &error));
    for (uint64_t i = 0; i < bytes / sizeof *host; i++)
        ck_assert_int_eq(host[i], value);
    free(host);
}

static void add_one_kernel(const baton_host_launch *launch, void *const *arguments)
{
    int32_t *to = (int32_t *)(uintptr_t)*(const uint64_t *)arguments[0];
    const int32_t *from = (const int32_t *)(uintptr_t)*(const uint64_t *)arguments[1];
    int64_t count = *(const int64_t *)arguments[2];
    (void)launch;
    for (int64_t i = 0; i < count; i++)
        to[i] = from[i] + 1;
}

baton_kernel *make_kernel(int32_t device, baton_host_kernel function, const char *name, const baton_host_parameter *parameters, uint32_t count)
{
    baton_kernel *kernel;
    ok(kernel_make(runtime, device, function, name, parameters, count, &kernel, &error));
    return kernel;
}

baton_kernel *make_add_one(int32_t device)
{
    static const baton_host_parameter parameters[] = { { 8, BATON_WRITE }, { 8, BATON_READ }, { 8, 0 } };
    return make_kernel(device, add_one_kernel, "add_one", parameters, 3);
}

int32_t add_one(baton_kernel *kernel, baton_array *to, baton_array *from, baton_stream *stream, baton_error *err)
{
    int64_t count = (int64_t)info_of(to).elements;
    baton_launch_options options = { .struct_size = sizeof options, .stream = stream };
    return baton_launch(kernel, &options, (baton_argument[]) { baton_out(to), baton_in(from), baton_value(count) }, 3, err);
}

baton_gate *close_gate(baton_stream *stream)
{
    baton_gate *gate;
    ok(baton_gate_create(stream, GATE_LIMIT_NS, &gate, &error));
    return gate;
}

void open_gate(baton_gate *gate)
{
    ok(baton_gate_open(gate, &error));
    baton_gate_release(gate);
}

void counting_start(void)
{
    instrument_reset();
}

uint64_t calls(enum driver_row row)
{
    return instrument_count(row);
}

struct thread_body {
    void (*body)(void *);
    void *argument;
};

static void *run_body(void *argument)
{
    struct thread_body *run = argument;
    run->body(run->argument);
    return NULL;
}

void on_thread(void (*body)(void *), void *argument)
{
    struct thread_body run = { body, argument };
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, run_body, &run), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

void leave_child(int status)
{
#ifdef SANITIZED
    fflush(stdout);
    syscall(SYS_exit_group, status);
#endif
    exit(status);
}

uint64_t support_seed(uint64_t otherwise)
{
    const char *text = getenv("BATON_TEST_SEED");
    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

int support_main(const char *name, const support_test *tests, size_t count, double timeout_s)
{
    needs_contexts();
    limit_s = (unsigned)timeout_s;
    Suite *suite = suite_create(name);
    TCase *group = tcase_create(name);
    tcase_add_checked_fixture(group, support_setup, support_teardown);
    tcase_set_timeout(group, timeout_s);
    for (size_t i = 0; i < count; i++)
        if (tests[i])
            tcase_add_test(group, tests[i]);
    suite_add_tcase(suite, group);
    int none = needs_report(name) == (int)count;
    SRunner *runner = srunner_create(suite);
    if (!none)
        srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : none ? NEEDS_SKIPPED : EXIT_SUCCESS;
}
