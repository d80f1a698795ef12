/* Devices and runtimes: facts, priorities, and several runtimes over one driver. */
#include "stream/stream.h"      /* the library's own headers come first: Check has a macro named fail */

#include "waiter.h"

enum { COUNT = 100 };

START_TEST(a_device_tells_its_facts)
{
    int32_t last = device_count() - 1;
    baton_stream *s = make_stream_on(last);
    baton_array *array = make_array(COUNT, s);
    baton_device_info info = { .struct_size = sizeof info };
    ok(baton_set_memory_limit(runtime, last, 12345, &error));
    ok(baton_device_info_read(runtime, last, &info, &error));
    ck_assert_int_eq(info.device, last);
    ck_assert_int_ge(info.compute_major, 1);
    ck_assert_int_ge(info.multiprocessors, 1);
    ck_assert_uint_ge(info.total_bytes, 1u << 30);
    ck_assert_uint_eq(info.limit_bytes, 12345);
    ck_assert_uint_eq(info.live_bytes, COUNT * sizeof(int32_t));
    ck_assert_uint_gt(strlen(info.name), 0);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

START_TEST(limits_and_bytes_are_of_one_device)
{
    baton_stream *s = make_stream_on(1);
    baton_array *array = make_array(COUNT, s);
    baton_device_info info = { .struct_size = sizeof info };
    ok(baton_set_memory_limit(runtime, 1, 12345, &error));
    ok(baton_device_info_read(runtime, 0, &info, &error));
    ck_assert_uint_eq(info.limit_bytes, 0);
    ck_assert_uint_eq(info.live_bytes, 0);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

START_TEST(a_runtime_tells_its_facts)
{
    baton_runtime_info info = { .struct_size = sizeof info };
    int32_t count;
    int asked_for;
    ok(baton_runtime_info_read(runtime, &info, &error));
    ck_assert_int_eq(strncmp(needs_driver(), info.driver, strlen(info.driver)), 0);
    ck_assert_int_eq(runtime->driver->device_count(&asked_for), 0);
    ck_assert_int_eq(info.devices, asked_for);
    ck_assert_int_ge(info.driver_version, 12000);
    ck_assert_str_eq(info.reason, "");
    ok(baton_device_count(runtime, &count, &error));
    ck_assert_int_eq(count, asked_for);
}
END_TEST

/* E1 */
START_TEST(devices_that_are_not_there_are_refused)
{
    baton_device_info info = { .struct_size = sizeof info };
    baton_stream *s = NULL;
    for (int32_t device = -1; device <= device_count(); device += 1 + device_count()) {
        refused(BATON_ERR_DEVICE, baton_device_info_read(runtime, device, &info, &error));
        refused(BATON_ERR_DEVICE, baton_stream_create(runtime, device, 0, 0, &s, &error));
        refused(BATON_ERR_DEVICE, baton_stream_wrap(runtime, device, BATON_STREAM_LEGACY, &s, &error));
    }
    refused(BATON_ERR_ARGUMENT, baton_stream_create(runtime, 0, 1, 0, &s, &error));
    refused(BATON_ERR_ARGUMENT, baton_stream_create(runtime, 0, 0, 0, NULL, &error));
    refused(BATON_ERR_ARGUMENT, baton_device_count(runtime, NULL, &error));
    refused(BATON_ERR_ARGUMENT, baton_runtime_info_read(NULL, NULL, &error));
    refused(BATON_ERR_HANDLE, baton_device_info_read((baton_runtime *)(void *)&info, 0, &info, &error));
    ck_assert_ptr_null(s);
}
END_TEST

/* A driver that notes the priority of streams. */
static const struct driver *real;
static struct driver spy;
static int priority_given;

static int note_priority(driver_stream *stream, unsigned int flags, int priority)
{
    priority_given = priority;
    ck_assert_uint_eq(flags, DRIVER_STREAM_NON_BLOCKING);
    return real->stream_create(stream, flags, priority);
}

static int wide_range(int *least, int *greatest)
{
    *least = 0;
    *greatest = -5;
    return DRIVER_SUCCESS;
}

START_TEST(priorities_are_clamped_to_the_devices_range)
{
    static const struct {
        int32_t asked, given;
    } cases[] = { { 0, 0 }, { -3, -3 }, { -5, -5 }, { -6, -5 }, { INT32_MIN, -5 }, { 1, 0 }, { INT32_MAX, 0 } };
    real = runtime->devices[0].driver;
    spy = *real;
    spy.stream_create = note_priority;
    spy.context_priorities = wide_range;
    runtime->devices[0].driver = &spy;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        baton_stream *s;
        ok(baton_stream_create(runtime, 0, 0, cases[i].asked, &s, &error));
        ck_assert_int_eq(priority_given, cases[i].given);
        baton_stream_release(s);
    }
    ok(baton_drain(runtime, 0, NULL, &error));
    runtime->devices[0].driver = real;
}
END_TEST

static baton_runtime *open_another(void)
{
    baton_runtime *other;
    baton_runtime_options options = { .struct_size = sizeof options, .driver = needs_driver() };
    ok(baton_runtime_open(&options, &other, &error));
    return other;
}

/* S5: memories and streams are the process's; a hand-off between runtimes is like any other. */
START_TEST(runtimes_of_one_driver_share_arrays_and_streams)
{
    baton_runtime *other = open_another();
    baton_stream *a = make_stream(), *b;
    baton_array *array = make_array(COUNT, a), *copy;
    ok(baton_stream_create(other, 0, 0, 0, &b, &error));
    ck_assert_uint_ne(id_of(a), id_of(b));
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    counting_start();
    fill(array, 2, b);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record) + calls(DRIVER_ROW_stream_wait_event), 2);
    expect_busy(b);
    int64_t elements = COUNT;
    baton_array_options options = {
        .struct_size = sizeof options, .dtype = BATON_I32, .ndim = 1, .shape = &elements, .stream = a
    };
    ok(baton_array_create(other, &options, &copy, &error));
    ok(baton_copy(copy, array, a, &error));
    open_gate(gate);
    expect(copy, 2, b);
    arrays_release(array, copy);
    streams_release(a, b);
    ok(baton_runtime_close(other, &error));
}
END_TEST

/* O9: one runtime's stream may own the other's memory when both go. */
START_TEST(runtimes_close_in_any_order)
{
    baton_runtime *other = open_another();
    baton_stream *b;
    baton_array *array;
    baton_stream *a = make_stream();
    ok(baton_stream_create(other, 0, 0, 0, &b, &error));
    array = make_array(COUNT, a);
    fill(array, 1, b);
    baton_stream_release(b);
    ok(baton_runtime_close(other, &error));
    expect(array, 1, a);
    baton_array_release(array);
    baton_stream_release(a);
}
END_TEST

START_TEST(another_number_of_software_devices_is_refused_while_they_are_in_use)
{
    baton_runtime *other = NULL;
    baton_runtime_options options = { .struct_size = sizeof options, .driver = "soft:3" };
    refused(BATON_ERR_BUSY, baton_runtime_open(&options, &other, &error));
    ck_assert_ptr_null(other);
}
END_TEST

START_TEST(a_driver_is_named_or_refused)
{
    baton_runtime *other = NULL;
    static const struct {
        const char *spec;
        int32_t status;
    } cases[] = {
        { "soft:0", BATON_ERR_ARGUMENT },   { "soft:17", BATON_ERR_ARGUMENT },
        { "nonsense", BATON_ERR_ARGUMENT }, { "", BATON_ERR_ARGUMENT },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        baton_runtime_options options = { .struct_size = sizeof options, .driver = cases[i].spec };
        refused(cases[i].status, baton_runtime_open(&options, &other, &error));
    }
    baton_runtime_options options = { .struct_size = sizeof options, .driver = needs_driver(), .flags = 16 };
    refused(BATON_ERR_ARGUMENT, baton_runtime_open(&options, &other, &error));
    options = (baton_runtime_options) { .struct_size = sizeof options, .driver = needs_driver(), .reserved = { 0, 1 } };
    refused(BATON_ERR_VERSION, baton_runtime_open(&options, &other, &error));
    options = (baton_runtime_options) { .struct_size = 4 };
    refused(BATON_ERR_VERSION, baton_runtime_open(&options, &other, &error));
    refused(BATON_ERR_ARGUMENT, baton_runtime_open(&options, NULL, &error));
    ck_assert_ptr_null(other);
}
END_TEST

SUPPORT_MAIN("device", 60, a_device_tells_its_facts, two_devices(limits_and_bytes_are_of_one_device), a_runtime_tells_its_facts, devices_that_are_not_there_are_refused,
             priorities_are_clamped_to_the_devices_range, runtimes_of_one_driver_share_arrays_and_streams,
             runtimes_close_in_any_order, a_driver_is_named_or_refused, soft_only(another_number_of_software_devices_is_refused_while_they_are_in_use, "it is about"))
