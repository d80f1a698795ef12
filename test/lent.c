/* Streams that a protocol names by their number (P4, P5, P7): their work is followed, and they may be gone, or somebody else's, right after the call. */
#include "journal.h"
#include "lent_support.h"

/* S5: the protocol names the stream, so it waits on the device, and the host for nothing. */
START_TEST(a_lent_stream_waits_on_the_device_when_it_is_named)
{
    driver_stream native = outside_stream(0);
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    baton_gate *gate = close_gate(s);
    fill(array, 1, s);
    counting_start();
    struct dlpack_managed *managed = export_to(array, native);
    ck_assert_uint_eq(host_waits(), 0);
    ck_assert_uint_eq(journal_find(DRIVER_ROW_stream_wait_event, native, 0, NULL), 1);
    consumer_fill(managed, 2, native);
    ck_assert_int_eq(outside_driver()->stream_query(native), DRIVER_NOT_READY);
    open_gate(gate);
    ck_assert_int_eq(outside_driver()->stream_synchronize(native), 0);
    ck_assert_int_eq(outside_word((uint64_t)(uintptr_t)managed->tensor.data, 0), 2);
    consumer_end(managed);
    baton_array_release(array);
    baton_stream_release(s);
    outside_stream_destroy(native, 0);
}
END_TEST

/* P5: its work is followed, also that which the stream still had queued when it was destroyed, while the consumer lives and after it. */
START_TEST(a_consumer_whose_stream_is_gone_is_followed_without_it)
{
    for (int ended = 0; ended < 2; ended++) {
        _Atomic int open = 0;
        driver_stream native = outside_stream(0);
        baton_stream *c = make_stream();
        baton_array *array = make_array(COUNT, c);
        struct dlpack_managed *managed = export_to(array, native);
        outside_hold(&open, native);
        consumer_fill(managed, 7, native);
        native = recycle(native);
        if (ended)
            consumer_end(managed);
        drain();
        copy_must_wait(array, 7, c, &open);
        uint64_t waits = export_waits();
        fill(array, 8, c);
        ck_assert_uint_eq(export_waits() - waits, 0);   /* all that there was is over, and known to be */
        if (!ended)
            consumer_end(managed);
        baton_array_release(array);
        drain();
        expect_untouched();
        baton_stream_release(c);
        outside_stream_destroy(native, 0);
    }
}
END_TEST

/* P5: another call that names the stream finds it alive: what lies before it there is followed on the device from then on. */
START_TEST(naming_the_stream_again_makes_its_earlier_work_known)
{
    _Atomic int open = 0;
    driver_stream native = outside_stream(0);
    baton_stream *c = make_stream();
    baton_array *array = make_array(COUNT, c), *copy = make_array(COUNT, c), *other = make_array(COUNT, c);
    struct dlpack_managed *managed = export_to(array, native);
    outside_hold(&open, native);
    consumer_fill(managed, 5, native);
    consumer_end(managed);
    drain();
    struct dlpack_managed *again = export_to(other, native);
    native = recycle(native);
    ok(baton_copy(copy, array, c, &error));
    ck_assert_uint_eq(host_waits() + calls(DRIVER_ROW_host_free), 0);
    expect_busy(c);
    open = 1;
    expect(copy, 5, c);
    consumer_end(again);
    arrays_release(array, copy, other);
    drain();
    expect_untouched();
    baton_stream_release(c);
    outside_stream_destroy(native, 0);
}
END_TEST

/* P4, S5: what the library itself has put there is behind a record that needs no stream. */
START_TEST(work_of_the_librarys_own_on_a_lent_stream_is_followed_on_the_device)
{
    driver_stream native = outside_stream(0);
    baton_stream *lent = adopt(number(native)), *c = make_stream();
    baton_array *array = make_array(COUNT, c), *copy = make_array(COUNT, c);
    baton_gate *gate = close_gate(lent);
    fill(array, 3, lent);
    baton_stream_release(lent);
    native = recycle(native);
    ok(baton_copy(copy, array, c, &error));
    ck_assert_uint_eq(host_waits() + calls(DRIVER_ROW_host_free), 0);
    expect_busy(c);
    open_gate(gate);
    expect(copy, 3, c);
    arrays_release(array, copy);
    drain();
    expect_untouched();
    baton_stream_release(c);
    outside_stream_destroy(native, 0);
}
END_TEST

/* C2, P5, S11: what a capture's beginning has recorded is followed on the device, also where the host had to wait for another memory first. */
START_TEST(a_consumer_whose_stream_captures_is_followed_on_the_device_behind_a_host_wait)
{
    _Atomic int open = 0;
    driver_stream native = outside_stream(0);
    baton_stream *lent = adopt(number(native)), *s = make_stream(), *before = make_stream();
    baton_array *array = make_array(COUNT, s), *host = make_array_of(BATON_HOST, COUNT, before);
    struct dlpack_managed *managed = export_with(array, 0, lent);
    ok(baton_stream_synchronize(lent, BATON_WAIT_AUTO, &error));
    outside_hold(&open, native);
    consumer_fill(managed, 5, native);
    ok(baton_capture_begin(lent, BATON_CAPTURE_RELAXED, &error));
    fill(host, 1, before);
    counting_start();
    ok(baton_copy(host, array, s, &error));
    ck_assert_uint_eq(stats().host_waits[BATON_HOST_WAIT_UNIFIED], 1);
    ck_assert_uint_eq(journal_find(DRIVER_ROW_stream_wait_event, stream_handle(s), 0, NULL), 1);
    open = 1;
    expect(host, 5, s);
    ok(baton_capture_abandon(lent, &error));
    consumer_end(managed);
    arrays_release(array, host);
    streams_release(lent, s, before);
    ok(baton_trim(runtime, 0, 0, &error));
    outside_stream_destroy(native, 0);
}
END_TEST

static void fail_next_record(enum driver_row row)
{
    if (row == DRIVER_ROW_copy_to_host)
        instrument_fail(DRIVER_ROW_event_record, 1, DRIVER_INVALID_VALUE, 0);
}

/* O4: the call names the stream, so that it need not wait for everything there, which might be refused (C3) while the copy goes on. */
START_TEST(a_download_on_a_lent_stream_records_again_what_could_not_be_recorded)
{
    driver_stream native = outside_stream(0);
    baton_stream *lent = adopt(number(native));
    baton_array *array = make_array(COUNT, lent);
    int32_t host[COUNT];
    fill(array, 6, lent);
    counting_start();
    instrument_watch(fail_next_record);
    ok(baton_download(host, sizeof host, array, lent, &error));
    instrument_watch(NULL);
    ck_assert_uint_eq(instrument_failures(), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_host_free), 0);
    ck_assert_int_eq(host[COUNT - 1], 6);
    arrays_release(array);
    streams_release(lent);
    drain_all();
    outside_stream_destroy(native, 0);
}
END_TEST

/* W1, W4, S11: the scope has waited for what the consumer had submitted; that its stream is named again, and recorded, makes nobody wait inside. */
START_TEST(work_inside_a_scope_does_not_wait_for_a_newer_record_of_a_consumers_stream)
{
    _Atomic int open = 0;
    driver_stream native = outside_stream(0);
    baton_stream *lent = adopt(number(native)), *s = make_stream();
    baton_array *host = make_array_of(BATON_HOST, COUNT, s);
    struct dlpack_managed *managed = export_with(host, 0, lent);
    baton_kernel *kernel = make_add_one(0);
    baton_operand operand = { .array = host, .access = BATON_READ_WRITE };
    baton_launch_options options = { .struct_size = sizeof options, .stream = s };
    ok(baton_scope_begin(s, NULL, &operand, 1, 0, &options.scope, &error));
    outside_hold(&open, native);
    ck_assert_int_eq(baton_stream_query(lent, &error), BATON_NOT_READY);
    ok(baton_launch(kernel, &options, (baton_argument[]) { baton_out(host), baton_in(host), baton_value((int64_t) { COUNT }) }, 3, &error));
    ok(baton_scope_end(options.scope, &error));
    open = 1;
    baton_scope_release(options.scope);
    consumer_end(managed);
    arrays_release(host);
    streams_release(lent, s);
    baton_kernel_release(kernel);
    ok(baton_trim(runtime, 0, 0, &error));
    outside_stream_destroy(native, 0);
}
END_TEST

/* P7, S7: the record that there is counts, though somebody else refers to it, and nobody can make it again. */
START_TEST(a_record_that_fails_leaves_a_lent_stream_the_one_before)
{
    driver_stream native = outside_stream(0);
    baton_stream *lent = adopt(number(native)), *s = make_stream();
    baton_array *array = make_array(COUNT, lent);
    baton_fence *fence;
    _Atomic int open = 0;
    outside_hold(&open, native);
    fill(array, 3, lent);
    ok(baton_array_fence(array, &fence, &error));
    counting_start();
    instrument_fail(DRIVER_ROW_event_record, 1, DRIVER_INVALID_VALUE, 0);
    refused(BATON_ERR_DRIVER, baton_stream_query(lent, &error));
    ck_assert_uint_eq(instrument_failures(), 1);
    native = recycle(native);
    fill(array, 4, s);
    open = 1;
    expect(array, 4, s);
    expect_untouched();
    baton_fence_release(fence);
    arrays_release(array);
    streams_release(lent, s);
    outside_stream_destroy(native, 0);
}
END_TEST

/* P4: a producer names its stream for what it has put there by then. */
START_TEST(the_stream_of_an_interface_is_followed_after_its_end)
{
    _Atomic int open = 0;
    driver_stream native = outside_stream(0);
    baton_stream *s = make_stream();
    baton_array *lender = make_array(COUNT, s), *array, *copy = make_array(COUNT, s);
    baton_interface_info info = { .struct_size = sizeof info };
    ok(baton_interface_export(lender, &info, &error));
    outside_hold(&open, native);
    outside_fill(info.address, 6, COUNT, native);
    info.stream = number(native);
    ok(baton_interface_import(runtime, &info, NULL, NULL, &array, &error));
    native = recycle(native);
    ok(baton_copy(copy, array, s, &error));
    ck_assert_uint_eq(host_waits() + calls(DRIVER_ROW_host_free), 0);
    expect_busy(s);
    open = 1;
    expect(copy, 6, s);
    arrays_release(array, copy, lender);
    drain();
    expect_untouched();
    baton_stream_release(s);
    outside_stream_destroy(native, 0);
}
END_TEST

/* P4: foreign work queued after the address was given out, on a stream that is gone since. */
START_TEST(an_address_given_out_on_a_lent_stream_is_followed_by_waiting)
{
    _Atomic int open = 0;
    driver_stream native = outside_stream(0);
    baton_stream *lent = adopt(number(native)), *c = make_stream();
    baton_array *array = make_array(COUNT, c);
    uint64_t address;
    ok(baton_array_pointer(array, lent, BATON_READ_WRITE, &address, &error));
    baton_stream_release(lent);
    outside_hold(&open, native);
    outside_fill(address, 4, COUNT, native);
    native = recycle(native);
    copy_must_wait(array, 4, c, &open);
    baton_array_release(array);
    drain();
    expect_untouched();
    baton_stream_release(c);
    outside_stream_destroy(native, 0);
}
END_TEST

/* P5: whom the interface names lives as long as the handle does. */
START_TEST(a_lent_stream_is_not_named_to_others)
{
    driver_stream native = outside_stream(0);
    baton_stream *lent = adopt(number(native)), *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    baton_interface_info info = { .struct_size = sizeof info };
    baton_gate *gate = close_gate(lent);
    fill(array, 3, lent);
    ok(baton_interface_export(array, &info, &error));
    ck_assert_uint_ne(info.stream, number(native));
    baton_stream_release(lent);
    native = recycle(native);
    outside_fill(info.address, 4, COUNT, (driver_stream)(uintptr_t)info.stream);       /* behind the fill on the lent stream */
    fill(array, 5, s);
    expect_busy(s);
    open_gate(gate);
    expect(array, 5, s);
    baton_array_release(array);
    drain();
    expect_untouched();
    baton_stream_release(s);
    outside_stream_destroy(native, 0);
}
END_TEST

/* S9, C10: the capture is the consumer's. */
START_TEST(memory_in_a_capture_on_a_lent_stream_is_waited_for_without_it)
{
    driver_stream native = outside_stream(0);
    baton_stream *c = make_stream();
    baton_array *array = make_array(COUNT, c);
    outside_capture_begin(native);
    struct dlpack_managed *managed = export_to(array, native);
    consumer_fill(managed, 9, native);
    driver_graph_exec graph = outside_capture_end(native);
    ck_assert(info_of(array).flags & BATON_ARRAY_TAINTED);
    _Atomic int open = 0;
    outside_hold(&open, native);
    outside_launch(graph, native);
    native = recycle(native);
    copy_must_wait(array, 9, c, &open);
    expect_untouched();
    consumer_end(managed);
    baton_array_release(array);
    ok(baton_trim(runtime, 0, 0, &error));
    outside_graph_destroy(graph);
    baton_stream_release(c);
    outside_stream_destroy(native, 0);
}
END_TEST

/* P5: "every stream" are also those that the library has never heard of. */
START_TEST(a_consumer_that_named_no_stream_may_be_on_one_that_nobody_knows)
{
    _Atomic int open = 0;
    driver_stream native = outside_stream(0);
    baton_stream *c = make_stream();
    baton_array *array = make_array(COUNT, c);
    struct dlpack_managed *managed = export_with(array, BATON_DLPACK_UNORDERED, NULL);
    outside_hold(&open, native);
    consumer_fill(managed, 3, native);
    copy_must_wait(array, 3, c, &open);
    consumer_end(managed);
    baton_array_release(array);
    drain();
    baton_stream_release(c);
    outside_stream_destroy(native, 0);
}
END_TEST

SUPPORT_MAIN("lent", 60, a_lent_stream_waits_on_the_device_when_it_is_named, a_consumer_whose_stream_is_gone_is_followed_without_it,
             naming_the_stream_again_makes_its_earlier_work_known, work_of_the_librarys_own_on_a_lent_stream_is_followed_on_the_device,
             a_consumer_whose_stream_captures_is_followed_on_the_device_behind_a_host_wait,
             work_inside_a_scope_does_not_wait_for_a_newer_record_of_a_consumers_stream,
             a_download_on_a_lent_stream_records_again_what_could_not_be_recorded, a_record_that_fails_leaves_a_lent_stream_the_one_before,
             the_stream_of_an_interface_is_followed_after_its_end, an_address_given_out_on_a_lent_stream_is_followed_by_waiting,
             a_lent_stream_is_not_named_to_others, memory_in_a_capture_on_a_lent_stream_is_waited_for_without_it,
             a_consumer_that_named_no_stream_may_be_on_one_that_nobody_knows)
