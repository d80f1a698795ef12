/* A device that is lost (E2), and a process that forked: distinct errors, no driver call, and a clean end. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exchange/dlpack.h"
#include "outside.h"
#include "waiter.h"

enum { COUNT = 100, CALLS = 1000, LIMIT_NS = 1000000000 };

/* One of everything, made before the fault. */
struct all {
    baton_stream *stream;
    baton_array *array, *other;
    baton_kernel *kernel;
    baton_fence *fence;
    baton_gate *gate;
    baton_scope *scope;
    void *exported;
};

/* Some of it is queued behind the gate, some is known to be finished. */
static struct all make_all(void)
{
    struct all all = { .stream = make_stream() };
    baton_operand operand = { .array = NULL, .access = BATON_READ };
    all.array = make_array(COUNT, all.stream);
    all.other = make_array(COUNT, all.stream);
    all.kernel = make_add_one(0);
    operand.array = make_view(all.other, 0, 1);
    ok(baton_stream_set_task(all.stream, 77, &error));
    ok(baton_dlpack_export(all.array, all.stream, &all.exported, &error));
    ok(baton_scope_begin(all.stream, NULL, &operand, 1, 0, &all.scope, &error));
    ok(baton_stream_synchronize(all.stream, BATON_WAIT_AUTO, &error));
    all.gate = close_gate(all.stream);
    fill(all.array, 1, all.stream);
    ok(add_one(all.kernel, all.array, all.array, all.stream, &error));
    ok(baton_array_fence(all.array, &all.fence, &error));
    baton_array_release(operand.array);
    return all;
}

static void release_all(const struct all *all)
{
    struct dlpack_managed *managed = all->exported;
    managed->deleter(managed);
    baton_scope_abort(all->scope);
    baton_scope_release(all->scope);
    baton_fence_release(all->fence);
    baton_kernel_release(all->kernel);
    arrays_release(all->array, all->other);
    baton_gate_release(all->gate);
    baton_stream_release(all->stream);
}

/* The i-th of the calls that would enter the driver. */
static int32_t any_call(const struct all *all, int i)
{
    static int32_t host[COUNT];
    int64_t elements = COUNT;
    uint64_t address;
    int32_t value = 1;
    baton_operand operand = { .array = all->array };
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_I32, .ndim = 1, .shape = &elements };
    baton_device_info info = { .struct_size = sizeof info };
    baton_array *array;
    baton_stream *stream;
    baton_fence *fence;
    baton_scope *scope;
    baton_gate *gate;
    void *managed;
    error = (baton_error)BATON_ERROR_INIT;
    switch (i % 22) {
    case 0: return baton_fill(all->array, &value, sizeof value, all->stream, &error);
    case 1: return baton_copy(all->array, all->other, all->stream, &error);
    case 2: return baton_upload(all->array, host, sizeof host, all->stream, &error);
    case 3: return baton_download(host, sizeof host, all->array, all->stream, &error);
    case 4: return baton_download_async(host, sizeof host, all->array, all->stream, &fence, &error);
    case 5: return add_one(all->kernel, all->array, all->other, all->stream, &error);
    case 6: return baton_array_create(runtime, &options, &array, &error);
    case 7: return baton_array_resize(all->array, 5, all->stream, &error);
    case 8: return baton_array_synchronize(all->array, BATON_WAIT_AUTO, &error);
    case 9: return baton_array_query(all->array, &error);
    case 10: return baton_array_pointer(all->array, all->stream, 0, &address, &error);
    case 11: return baton_array_note_use(all->array, all->stream, 0, &error);
    case 12: return baton_stream_synchronize(all->stream, BATON_WAIT_BLOCK, &error);
    case 13: return baton_stream_query(all->stream, &error);
    case 14: return baton_stream_create(runtime, 0, 0, 0, &stream, &error);
    case 15: return baton_scope_begin(all->stream, NULL, &operand, 1, 0, &scope, &error);
    case 16: return baton_array_fence(all->array, &fence, &error);
    case 17: return baton_fence_query(all->fence, &error);
    case 18: return baton_fence_wait(all->fence, LIMIT_NS, BATON_WAIT_AUTO, &error);
    case 19: return baton_gate_create(all->stream, 1, &gate, &error);
    case 20: return baton_dlpack_export(all->array, all->stream, &managed, &error);
    default: return baton_device_info_read(runtime, 0, &info, &error);
    }
}

static void expect_first_report(const struct all *all)
{
    char name[32];
    ck_assert_int_eq(error.origin, BATON_ORIGIN_ASYNC);
    ck_assert_int_eq(error.driver_code, DRIVER_ILLEGAL_ADDRESS);
    ck_assert_uint_eq(error.device, 0);
    ck_assert_uint_eq(error.stream_id, id_of(all->stream));
    ck_assert_uint_eq(error.tag, 77);
    ck_assert_uint_ge(error.ticket_last, error.ticket_first + 2);   /* gate, fill, launch */
    snprintf(name, sizeof name, "stream %llu ", (unsigned long long)id_of(all->stream));
    ck_assert_ptr_nonnull(strstr(error.message, name));
    ck_assert_ptr_nonnull(strstr(error.message, " fill"));
    ck_assert_ptr_nonnull(strstr(error.message, " launch"));
    ck_assert_ptr_nonnull(strstr(error.message, " gate"));
    ck_assert_ptr_null(strstr(error.message, " alloc"));            /* known to be finished */
    ck_assert_ptr_nonnull(strstr(error.message, "ILLEGAL_ADDRESS"));
}

static void lose_the_device(void)
{
    outside_fault_ready();
    struct all all = make_all();
    outside_fault();
    refused(BATON_ERR_POISONED, any_call(&all, 0));
    expect_first_report(&all);
    counting_start();
    for (int i = 0; i < CALLS; i++) {
        refused(BATON_ERR_POISONED, any_call(&all, i));
        ck_assert_uint_eq(error.stream_id, id_of(all.stream));
    }
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    release_all(&all);
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    ck_assert_uint_eq(stats().live_bytes + stats().deferred_bytes, 0);
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
}

/* E2, I12 */
START_TEST(a_fault_names_the_suspects_and_then_every_call_fails_at_once)
{
    lose_the_device();
}
END_TEST

/* E2 */
START_TEST(a_device_beside_one_that_is_lost_works_on)
{
    baton_stream *lost = make_stream(), *far = make_stream_on(1);
    baton_array *array = make_array(COUNT, lost), *elsewhere = make_array(COUNT, far);
    int32_t value = 1;
    outside_fault_ready();
    outside_fault();
    refused(BATON_ERR_POISONED, baton_fill(array, &value, sizeof value, lost, &error));
    ck_assert_uint_eq(error.device, 0);
    fill(elsewhere, 4, far);
    expect(elsewhere, 4, far);
    arrays_release(array, elsewhere);
    streams_release(lost, far);
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
}
END_TEST

/* E2: an error that is not sticky loses nothing. */
START_TEST(an_error_of_one_call_loses_nothing)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    int32_t value = 1;
    instrument_fail(DRIVER_ROW_fill32, 1, DRIVER_INVALID_VALUE, 0);
    refused(BATON_ERR_DRIVER, baton_fill(array, &value, sizeof value, s, &error));
    ck_assert_int_eq(error.origin, BATON_ORIGIN_CALL);
    ck_assert_int_eq(error.driver_code, DRIVER_INVALID_VALUE);
    ck_assert_int_eq(error.operation, BATON_OP_FILL);
    ck_assert_uint_eq(error.stream_id, id_of(s));
    ck_assert_ptr_nonnull(strstr(error.message, "cuMemsetD32Async"));
    fill(array, 2, s);
    expect(array, 2, s);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

static int run_child(const struct all *all)
{
    baton_runtime *opened;
    for (int i = 0; i < 22; i++)
        if (any_call(all, i) != BATON_ERR_FORKED || error.status != BATON_ERR_FORKED || !error.message[0])
            return 10 + i;
    if (baton_runtime_open(NULL, &opened, NULL) != BATON_ERR_FORKED ||
        baton_drain(runtime, 0, NULL, NULL) != BATON_ERR_FORKED)
        return 2;
    release_all(all);
    if (baton_runtime_close(runtime, NULL) != BATON_ERR_FORKED)
        return 3;
    return calls(DRIVER_ROW_COUNT) ? 4 : 0;
}

/* The child of a process that holds locks and has work queued. */
START_TEST(a_forked_child_gets_errors_and_ends_cleanly)
{
    struct all all = make_all();
    int status;
    counting_start();
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        _exit(run_child(&all));
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    open_gate(all.gate);
    all.gate = NULL;
    expect(all.array, 2, all.stream);               /* the parent goes on */
    fill(all.array, 3, all.stream);
    expect(all.array, 3, all.stream);
    release_all(&all);
}
END_TEST

/* Not run here, but each in a process of its own that ends as any program does. */
START_TEST(lost)
{
    lose_the_device();
}
END_TEST

START_TEST(forked)
{
    struct all all = make_all();
    int status;
    counting_start();
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        exit(run_child(&all));                      /* with all exit handlers */
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    release_all(&all);
}
END_TEST

START_TEST(abandoned)
{
    struct all all = make_all();
    ok(baton_gate_open(all.gate, &error));
    exit(EXIT_SUCCESS);                             /* with everything alive */
}
END_TEST

static int run_alone(const char *way)
{
    const support_test test = strcmp(way, "lost") == 0 ? lost : strcmp(way, "forked") == 0 ? forked : abandoned;
    setenv("CK_FORK", "no", 1);
    return support_main(way, &test, 1, 60);
}

/* E2: the process exits with 0, after a fault, in a child and its parent, and with everything still alive. */
START_TEST(a_process_can_exit_cleanly)
{
    static const char *const ways[] = { "lost", "forked", "abandoned" };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        int status;
        pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            execl("/proc/self/exe", "errors", ways[i], (char *)NULL);
            _exit(127);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_msg(status == 0, "%s: %d", ways[i], status);
    }
}
END_TEST

int main(int argc, char **argv)
{
    if (argc > 1)
        return run_alone(argv[1]);
    const support_test tests[] = { a_fault_names_the_suspects_and_then_every_call_fails_at_once,
                                   two_devices(a_device_beside_one_that_is_lost_works_on),
                                   an_error_of_one_call_loses_nothing, a_forked_child_gets_errors_and_ends_cleanly,
                                   a_process_can_exit_cleanly };
    return support_main("errors", tests, sizeof tests / sizeof *tests, 60);
}
