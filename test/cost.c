/* What a hand-off costs, to the call: one record and one wait where order is needed, nothing where it is known; and
 * the ticket rule, without which a record could claim work that lies behind it. */
#include "outside.h"
#include "waiter.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

enum { COUNT = 256, MANY = 16 };

/* ---- allocations of this thread while `counting` is set */

static _Thread_local int counting;
static _Thread_local uint64_t allocations;

#ifdef SANITIZED
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
                                              void (*freed)(const volatile void *));

static void allocated(const volatile void *address, size_t bytes)
{
    (void)address;
    (void)bytes;
    allocations += counting != 0;
}

static void freed(const volatile void *address)
{
    (void)address;
}

static void allocations_watch(void)
{
    ck_assert_int_ne(__sanitizer_install_malloc_and_free_hooks(allocated, freed), 0);
}
#else
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *address, size_t bytes);

void *malloc(size_t bytes)
{
    allocations += counting != 0;
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    allocations += counting != 0;
    return __libc_calloc(count, bytes);
}

void *realloc(void *address, size_t bytes)
{
    allocations += counting != 0;
    return __libc_realloc(address, bytes);
}

static void allocations_watch(void)
{
}
#endif

/* The driver allocates as it likes. */
static int launch_uncounted(driver_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                            driver_stream stream, void **parameters, void **extra)
{
    counting = 0;
    int code = outside_driver()->launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                                        stream, parameters, extra);
    counting = 1;
    return code;
}

/* A kernel over 16 arrays: adds one to every element of each. */
static void add_to_all(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch;
    for (int i = 0; i < MANY; i++)
        for (int at = 0; at < COUNT; at++)
            ((int32_t *)(uintptr_t)*(const uint64_t *)arguments[i])[at]++;
}

static baton_kernel *make_add_to_all(void)
{
    baton_host_parameter parameters[MANY];
    for (int i = 0; i < MANY; i++)
        parameters[i] = (baton_host_parameter) { 8, BATON_READ_WRITE };
    return make_kernel(0, add_to_all, "add_to_all", parameters, MANY);
}

static void launch_on_all(baton_kernel *kernel, baton_array *const *arrays, baton_stream *stream)
{
    baton_argument arguments[MANY];
    baton_launch_options options = { .struct_size = sizeof options, .stream = stream };
    for (int i = 0; i < MANY; i++)
        arguments[i] = (baton_argument) { .array = arrays[i], .access = BATON_READ_WRITE };
    ok(baton_launch(kernel, &options, arguments, MANY, &error));
}

/* O3 */
START_TEST(an_operation_on_the_same_stream_is_one_driver_call_and_no_allocation)
{
    baton_stream *a = make_stream();
    baton_kernel *kernel = make_add_to_all();
    baton_array *arrays[MANY];
    allocations_watch();
    for (int i = 0; i < MANY; i++)
        fill(arrays[i] = make_array(COUNT, a), 1, a);
    outside_replace()->launch = launch_uncounted;
    counting_start();
    allocations = 0;
    counting = 1;
    launch_on_all(kernel, arrays, a);
    counting = 0;
    outside_restore();
    ck_assert_uint_eq(allocations, 0);
    ck_assert_uint_eq(calls(DRIVER_ROW_launch), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 1);
    counting = 1;
    baton_array *view = make_view(arrays[0], 0, 1);     /* the counter counts */
    counting = 0;
    ck_assert_uint_gt(allocations, 0);
    arrays_release(view);
    for (int i = 0; i < MANY; i++) {
        expect(arrays[i], 2, a);
        arrays_release(arrays[i]);
    }
    baton_kernel_release(kernel);
    streams_release(a);
}
END_TEST

/* O3, O11 */
START_TEST(elementwise_work_is_one_driver_call_and_no_allocation)
{
    baton_stream *a = make_stream();
    baton_array *x = make_array(COUNT, a), *y = make_array(COUNT, a);
    int32_t three = 3;
    allocations_watch();
    fill(x, 1, a);
    fill(y, 2, a);
    ok(baton_elementwise(BATON_ADD, x, &(baton_argument)baton_in(x), &(baton_argument)baton_in(y), a, &error));
    outside_replace()->launch = launch_uncounted;
    counting_start();
    allocations = 0;                                    /* of an earlier test in this process */
    counting = 1;
    ok(baton_elementwise(BATON_MULTIPLY, x, &(baton_argument)baton_in(x), &(baton_argument)baton_value(three), a, &error));
    counting = 0;
    outside_restore();
    ck_assert_uint_eq(allocations, 0);
    ck_assert_uint_eq(calls(DRIVER_ROW_launch), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 1);
    expect(x, 9, a);
    arrays_release(x, y);
    streams_release(a);
}
END_TEST

/* S5, item 8 */
START_TEST(sixteen_arrays_are_handed_over_with_one_record_and_one_wait)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_kernel *kernel = make_add_to_all();
    baton_array *arrays[MANY], *other = make_array(COUNT, a);
    fill(other, 1, a);
    fill(other, 2, b);                                  /* from now on A has its event */
    baton_gate *gate = close_gate(a);
    for (int i = 0; i < MANY; i++)
        fill(arrays[i] = make_array(COUNT, b), i, a);
    counting_start();
    launch_on_all(kernel, arrays, b);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_launch), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 3);
    expect_busy(b);
    open_gate(gate);
    for (int i = 0; i < MANY; i++) {
        ck_assert_uint_eq(info_of(arrays[i]).owner_stream_id, id_of(b));
        expect(arrays[i], i + 1, b);
        arrays_release(arrays[i]);
    }
    arrays_release(other);
    baton_kernel_release(kernel);
    streams_release(a, b);
}
END_TEST

/* O1: a stream that somebody else may capture is asked once per operation, one of the library's own never. */
START_TEST(only_an_exposed_stream_is_asked_for_captures_and_once)
{
    baton_stream *a = make_stream();
    baton_kernel *kernel = make_add_to_all();
    baton_array *arrays[MANY];
    for (int i = 0; i < MANY; i++)
        fill(arrays[i] = make_array(COUNT, a), 1, a);
    counting_start();
    launch_on_all(kernel, arrays, a);
    ck_assert_uint_eq(calls(DRIVER_ROW_capture_status), 0);
    native_of(a);
    launch_on_all(kernel, arrays, a);
    ck_assert_uint_eq(calls(DRIVER_ROW_capture_status), 1);
    for (int i = 0; i < MANY; i++) {
        expect(arrays[i], 3, a);
        arrays_release(arrays[i]);
    }
    baton_kernel_release(kernel);
    streams_release(a);
}
END_TEST

/* ---- the ticket rule: somebody records, or submits, in the middle of a driver call */

static baton_stream *interrupted;
static baton_array *interrupting;
static baton_fence *recorded;

static int fill_after_a_record(driver_address to, unsigned value, size_t count, driver_stream stream)
{
    outside_restore();
    ok(baton_stream_fence(interrupted, &recorded, &error));
    return outside_driver()->fill32(to, value, count, stream);
}

/* A record between the call and its ticket does not cover the work: the next hand-off records anew. */
START_TEST(a_record_made_before_the_submission_does_not_claim_it)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a), *other = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    interrupted = a;
    fill(other, 1, a);
    outside_replace()->fill32 = fill_after_a_record;
    fill(array, 1, a);
    counting_start();
    fill(array, 2, b);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 1);
    open_gate(gate);
    expect(array, 2, b);
    baton_fence_release(recorded);
    arrays_release(array, other);
    streams_release(a, b);
}
END_TEST

static int record_before_a_submission(driver_event event, driver_stream stream)
{
    int code = outside_driver()->event_record(event, stream);
    outside_restore();
    fill(interrupting, 1, interrupted);
    return code;
}

/* A stamp is the counter before the record: work submitted during the record is not claimed. */
START_TEST(a_record_does_not_claim_what_is_submitted_behind_it)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    interrupted = a;
    interrupting = make_array(COUNT, b);
    fill(array, 1, a);
    outside_replace()->event_record = record_before_a_submission;
    fill(array, 2, b);
    counting_start();
    fill(interrupting, 2, b);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    open_gate(gate);
    expect(array, 2, b);
    expect(interrupting, 2, b);
    arrays_release(array, interrupting);
    streams_release(a, b);
}
END_TEST

SUPPORT_MAIN("cost", 30, an_operation_on_the_same_stream_is_one_driver_call_and_no_allocation,
             elementwise_work_is_one_driver_call_and_no_allocation, sixteen_arrays_are_handed_over_with_one_record_and_one_wait,
             only_an_exposed_stream_is_asked_for_captures_and_once,
             a_record_made_before_the_submission_does_not_claim_it, a_record_does_not_claim_what_is_submitted_behind_it)
