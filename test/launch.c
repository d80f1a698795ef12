/* Kernel launches: arguments, grids and ownership. */
#include <stdio.h>

#include "model.h"
#include "waiter.h"

enum { MOST = 64 };

static baton_launch_options on(baton_stream *s)
{
    return (baton_launch_options) { .struct_size = sizeof(baton_launch_options), .stream = s };
}

static void *address_of(void *argument)
{
    return (void *)(uintptr_t)*(const uint64_t *)argument;
}

static void describe_launch(const baton_host_launch *launch, void *const *arguments)
{
    memcpy(address_of(arguments[0]), launch, 7 * sizeof(uint32_t));
}

static void expect_words(baton_array *array, const uint32_t *words, baton_stream *s)
{
    uint32_t found[7];
    ok(baton_download(found, sizeof found, array, s, &error));
    for (int i = 0; i < 7; i++)
        ck_assert_uint_eq(found[i], words[i]);
}

START_TEST(grid_and_block_are_passed_on_and_default_to_one)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(7, s);
    baton_kernel *kernel = make_kernel(0, describe_launch, "describe_launch", (baton_host_parameter[]) { { 8, BATON_WRITE } }, 1);
    baton_launch_options options = on(s);
    ok(baton_launch(kernel, &options, (baton_argument[]) { baton_out(array) }, 1, &error));
    expect_words(array, (uint32_t[]) { 1, 1, 1, 1, 1, 1, 0 }, s);
    memcpy(options.grid, (uint32_t[]) { 2, 3, 4 }, sizeof options.grid);
    memcpy(options.block, (uint32_t[]) { 5, 6, 7 }, sizeof options.block);
    options.shared_bytes = 1024;
    ok(baton_launch(kernel, &options, (baton_argument[]) { baton_out(array) }, 1, &error));
    expect_words(array, (uint32_t[]) { 2, 3, 4, 5, 6, 7, 1024 }, s);
    options.struct_size = offsetof(baton_launch_options, scope);        /* an older client */
    options.reserved33 = 1;
    ok(baton_launch(kernel, &options, (baton_argument[]) { baton_out(array) }, 1, &error));
    baton_array_release(array);
    baton_kernel_release(kernel);
    baton_stream_release(s);
}
END_TEST

static void store(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch;
    memcpy(address_of(arguments[0]), arguments[1], sizeof(int32_t));
}

static baton_kernel *make_store(void)
{
    return make_kernel(0, store, "store", (baton_host_parameter[]) { { 8, BATON_WRITE }, { 4, 0 } }, 2);
}

START_TEST(values_are_copied_at_the_call)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(1, s);
    baton_kernel *kernel = make_store();
    baton_launch_options options = on(s);
    int32_t value = 5;
    baton_gate *gate = close_gate(s);
    ok(baton_launch(kernel, &options, (baton_argument[]) { baton_out(array), baton_value(value) }, 2, &error));
    value = 6;
    ck_assert_int_eq(baton_stream_query(s, &error), BATON_NOT_READY);
    open_gate(gate);
    expect(array, 5, s);
    baton_array_release(array);
    baton_kernel_release(kernel);
    baton_stream_release(s);
}
END_TEST

/* E1: the driver is not called and no memory changes its owner. */
START_TEST(wrong_arguments_are_refused)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(1, s), *dead = make_array(1, s);
    baton_kernel *kernel = make_store();
    int32_t value = 5;
    int64_t wide = 5;
    const baton_launch_options good = on(s);
    const baton_argument arguments[] = { baton_out(array), baton_value(value) };
    ok(baton_array_dispose(dead, &error));
    uint64_t operations = stats().operations;
    counting_start();
#define ARGUMENTS(status, count, ...) \
    refused(status, baton_launch(kernel, &good, (baton_argument[]) { __VA_ARGS__ }, count, &error))
    ARGUMENTS(BATON_ERR_ARGUMENT, 1, baton_out(array));
    ARGUMENTS(BATON_ERR_ARGUMENT, 3, baton_out(array), baton_value(value), baton_value(value));
    ARGUMENTS(BATON_ERR_ARGUMENT, 2, baton_out(array), baton_value(wide));
    ARGUMENTS(BATON_ERR_ARGUMENT, 2, baton_out(array), baton_in(array));
    ARGUMENTS(BATON_ERR_ARGUMENT, 2, baton_out(array), { .array = NULL });
    ARGUMENTS(BATON_ERR_ARGUMENT, 2, baton_out(array), { .data = &value });
    ARGUMENTS(BATON_ERR_ARGUMENT, 2, { .array = array, .data = &value, .bytes = 8 }, baton_value(value));
    ARGUMENTS(BATON_ERR_ARGUMENT, 2, { .array = array, .bytes = 8 }, baton_value(value));
    ARGUMENTS(BATON_ERR_ARGUMENT, 2, { .array = array, .access = 4 }, baton_value(value));
    ARGUMENTS(BATON_ERR_HANDLE, 2, { .array = (baton_array *)(void *)s }, baton_value(value));
    ARGUMENTS(BATON_ERR_HANDLE, 2, baton_out(dead), baton_value(value));
    refused(BATON_ERR_ARGUMENT, baton_launch(kernel, &good, NULL, 2, &error));
#define OPTIONS(status, ...)                                                              \
    do {                                                                                  \
        baton_launch_options bad = good;                                                  \
        __VA_ARGS__;                                                                      \
        refused(status, baton_launch(kernel, &bad, arguments, 2, &error));                \
    } while (0)
    OPTIONS(BATON_ERR_ARGUMENT, bad.stream = NULL);
    OPTIONS(BATON_ERR_HANDLE, bad.stream = (baton_stream *)(void *)array);
    OPTIONS(BATON_ERR_HANDLE, bad.scope = (baton_scope *)(void *)array);
    OPTIONS(BATON_ERR_VERSION, bad.flags = 2);
    OPTIONS(BATON_ERR_VERSION, bad.reserved33 = 1);
    OPTIONS(BATON_ERR_VERSION, bad.struct_size = 16);
    refused(BATON_ERR_ARGUMENT, baton_launch(NULL, &good, NULL, 0, &error));
    refused(BATON_ERR_HANDLE, baton_launch((baton_kernel *)(void *)s, &good, NULL, 0, &error));
    refused(BATON_ERR_ARGUMENT, baton_launch(kernel, NULL, NULL, 0, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    ck_assert_uint_eq(stats().operations, operations);
    arrays_release(array, dead);
    baton_kernel_release(kernel);
    baton_stream_release(s);
}
END_TEST

/* E1 */
START_TEST(a_kernel_is_not_launched_on_another_devices_stream)
{
    baton_stream *s = make_stream(), *far = make_stream_on(1);
    baton_array *array = make_array(1, s);
    baton_kernel *kernel = make_store();
    int32_t value = 5;
    const baton_launch_options options = on(far);
    counting_start();
    refused(BATON_ERR_DEVICE, baton_launch(kernel, &options, (baton_argument[]) { baton_out(array), baton_value(value) }, 2, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    baton_array_release(array);
    baton_kernel_release(kernel);
    streams_release(s, far);
}
END_TEST

/* O1, section 9 item 10: one memory, locked and waited for once; the accesses are merged. */
START_TEST(the_same_array_twice_is_one_memory)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(100, a), *view = make_view(array, 0, 100);
    baton_kernel *kernel = make_add_one(0);
    fill(array, 1, a);
    baton_gate *gate = close_gate(a);
    fill(array, 2, a);
    ok(baton_stream_query(b, &error));
    counting_start();
    ok(add_one(kernel, array, array, b, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    ok(add_one(kernel, view, array, b, &error));
    ok(add_one(kernel, array, view, b, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    ck_assert_uint_eq(info_of(array).lock_holder, 0);
    open_gate(gate);
    expect(view, 5, b);
    arrays_release(array, view);
    baton_kernel_release(kernel);
    streams_release(a, b);
}
END_TEST

static void increment(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch;
    *(int32_t *)address_of(arguments[1]) = *(const int32_t *)address_of(arguments[0]) + 1;
}

/* O1, S4: what is read through one array and written through another is written: it follows the readers. */
START_TEST(a_view_that_is_read_and_a_parent_that_is_written_follow_the_readers)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(1, a), *view = make_view(array, 0, 1), *copy = make_array(1, a);
    baton_kernel *kernel = make_kernel(0, increment, "increment", (baton_host_parameter[]) { { 8, BATON_READ }, { 8, BATON_WRITE } }, 2);
    baton_launch_options options = on(b);
    fill(array, 1, b);
    baton_gate *gate = close_gate(a);
    ok(baton_copy(copy, array, a, &error));
    ok(baton_launch(kernel, &options, (baton_argument[]) { baton_in(view), baton_out(array) }, 2, &error));
    expect_busy(b);
    open_gate(gate);
    expect(copy, 1, a);
    expect(array, 2, b);
    arrays_release(array, view, copy);
    baton_kernel_release(kernel);
    streams_release(a, b);
}
END_TEST

/* O6 */
START_TEST(the_launch_stream_becomes_the_owner)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *to = make_array(10, a), *from = make_array(10, a);
    baton_kernel *kernel = make_add_one(0);
    fill(from, 1, a);
    ok(add_one(kernel, to, from, b, &error));
    ck_assert_uint_eq(info_of(to).owner_stream_id, id_of(b));
    ck_assert_uint_eq(info_of(from).owner_stream_id, id_of(a));
    ck_assert_uint_eq(info_of(from).readers, 1);
    expect(to, 2, a);
    arrays_release(to, from);
    baton_kernel_release(kernel);
    streams_release(a, b);
}
END_TEST

/* to[0] becomes the sum of the first elements of the others. */
static int sum_count;
static void sum(const baton_host_launch *launch, void *const *arguments)
{
    int32_t total = 0;
    (void)launch;
    for (int i = 1; i < sum_count; i++)
        total += *(const int32_t *)address_of(arguments[i]);
    memcpy(address_of(arguments[0]), &total, sizeof total);
}

static baton_kernel *make_sum(const baton_host_parameter *parameters, int count)
{
    char name[16];
    snprintf(name, sizeof name, "sum%d", count);
    return make_kernel(0, sum, name, parameters, (uint32_t)count);
}

/* O1: more operands than fit without an allocation. */
START_TEST(up_to_sixty_four_arrays_can_be_given)
{
    baton_stream *s = make_stream(), *b = make_stream();
    baton_array *arrays[MOST + 1];
    baton_argument arguments[MOST + 1];
    baton_host_parameter parameters[MOST + 1];
    baton_launch_options options = on(b);
    baton_kernel *kernel;
    for (int i = 0; i <= MOST; i++) {
        int at = (i * 37) % (MOST + 1);             /* not in the order of their making */
        arrays[at] = make_array(1, s);
        fill(arrays[at], at, s);
        arguments[at] = (baton_argument) { .array = arrays[at], .access = at ? BATON_READ : BATON_WRITE };
        parameters[at] = (baton_host_parameter) { 8, at ? BATON_READ : BATON_WRITE };
    }
    for (int count = 16; count <= MOST; count *= 2) {
        sum_count = count;
        kernel = make_sum(parameters, count);
        ok(baton_launch(kernel, &options, arguments, (uint32_t)count, &error));
        expect(arrays[0], count * (count - 1) / 2, b);
        baton_kernel_release(kernel);
    }
    refused(BATON_ERR_ARGUMENT, baton_kernel_host(runtime, 0, sum, "test", parameters, MOST + 1, &kernel, &error));
    kernel = make_sum(parameters, MOST);
    refused(BATON_ERR_ARGUMENT, baton_launch(kernel, &options, arguments, MOST + 1, &error));
    baton_kernel_release(kernel);
    baton_array_release_n(arrays, MOST + 1);
    streams_release(s, b);
}
END_TEST

/* W4: a launch inside a scope inherits its locks. */
START_TEST(a_launch_names_the_scope_that_holds_its_operands)
{
    baton_stream *s = make_stream(), *other = make_stream();
    baton_array *array = make_array(1, s);
    baton_kernel *kernel = make_store();
    int32_t value = 3;
    baton_argument arguments[] = { baton_out(array), baton_value(value) };
    baton_operand operand = { .array = array, .access = BATON_WRITE };
    baton_launch_options options = on(s);
    baton_scope *scope;
    ok(baton_scope_begin(s, NULL, &operand, 1, 0, &scope, &error));
    uint64_t holder = info_of(array).lock_holder;
    refused(BATON_ERR_WOULD_DEADLOCK, baton_launch(kernel, &options, arguments, 2, &error));
    options.scope = scope;
    ok(baton_launch(kernel, &options, arguments, 2, &error));
    ck_assert_uint_eq(info_of(array).lock_holder, holder);
    options.stream = other;
    refused(BATON_ERR_NESTED_STREAM, baton_launch(kernel, &options, arguments, 2, &error));
    ck_assert_uint_eq(info_of(array).lock_holder, holder);
    ok(baton_scope_end(scope, &error));
    options.stream = s;
    refused(BATON_ERR_HANDLE, baton_launch(kernel, &options, arguments, 2, &error));
    expect(array, 3, other);
    baton_scope_release(scope);
    baton_array_release(array);
    baton_kernel_release(kernel);
    streams_release(s, other);
}
END_TEST

SUPPORT_MAIN("launch", 60, grid_and_block_are_passed_on_and_default_to_one, values_are_copied_at_the_call,
             wrong_arguments_are_refused, two_devices(a_kernel_is_not_launched_on_another_devices_stream), the_same_array_twice_is_one_memory,
             a_view_that_is_read_and_a_parent_that_is_written_follow_the_readers, the_launch_stream_becomes_the_owner,
             up_to_sixty_four_arrays_can_be_given, a_launch_names_the_scope_that_holds_its_operands)
