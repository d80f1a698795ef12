/* Memory that foreign code may be using and that is handed over by a host wait: each hand-over waits, once, and comes back. */
#include "exchange/dlpack.h"
#include "waiter.h"

static uint64_t waits_of(int cause)
{
    return stats().host_waits[cause];
}

static uint64_t pointer(baton_array *array, baton_stream *s)
{
    uint64_t address;
    ok(baton_array_pointer(array, s, BATON_READ_WRITE, &address, &error));
    return address;
}

/* The gate stands for foreign work on `before`. A fill on `after` waits for it, once, under this cause. */
static void hands_over_by_waiting(baton_array *array, baton_stream *before, baton_stream *after, int cause)
{
    uint64_t waits = waits_of(cause);
    baton_gate *gate = close_gate(before);
    fill_must_wait(array, 4, after, gate);
    ck_assert_uint_eq(waits_of(cause), waits + 1);
    expect(array, 4, after);
}

/* P4, S11 */
START_TEST(host_and_unified_memory_whose_address_is_out_is_waited_for_once)
{
    baton_stream *a = make_stream(), *b = make_stream();
    for (int32_t kind = BATON_HOST; kind <= BATON_UNIFIED; kind++) {
        baton_array *array = make_array_of(kind, 10, a);
        pointer(array, a);
        hands_over_by_waiting(array, a, b, BATON_HOST_WAIT_UNIFIED);
        baton_array_release(array);
    }
    streams_release(a, b);
}
END_TEST

/* P4, S11, O10 */
START_TEST(wrapped_host_and_unified_memory_is_waited_for_once_on_its_declared_stream)
{
    baton_stream *a = make_stream(), *b = make_stream();
    int64_t elements = 10;
    for (int32_t kind = BATON_HOST; kind <= BATON_UNIFIED; kind++) {
        baton_array *lender = make_array_of(kind, elements, a), *array;
        baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_I32, .ndim = 1, .shape = &elements,
                                        .stream = a };
        ok(baton_array_wrap(runtime, &options, pointer(lender, a), NULL, NULL, &array, &error));
        hands_over_by_waiting(array, a, b, BATON_HOST_WAIT_UNIFIED);
        arrays_release(array, lender);
    }
    streams_release(a, b);
}
END_TEST

/* P4, S12 */
START_TEST(memory_whose_address_is_out_is_waited_for_once_when_it_changes_devices)
{
    baton_stream *a = make_stream(), *b = make_stream_on(1);
    baton_array *array = make_array(10, a);
    pointer(array, a);
    hands_over_by_waiting(array, a, b, BATON_HOST_WAIT_DEVICE);
    baton_array_release(array);
    streams_release(a, b);
}
END_TEST

/* P4, with waiting asked for everywhere. */
START_TEST(memory_whose_address_is_out_is_waited_for_once_where_every_hand_over_waits)
{
    support_reopen(&(baton_runtime_options) { .struct_size = sizeof(baton_runtime_options), .flags = BATON_RUNTIME_HOST_WAIT });
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(10, a);
    pointer(array, a);
    hands_over_by_waiting(array, a, b, BATON_HOST_WAIT_POLICY);
    baton_array_release(array);
    streams_release(a, b);
}
END_TEST

/* P5: each hand-over, as long as the export lives. */
START_TEST(unified_memory_in_a_live_export_is_waited_for_at_each_hand_over)
{
    baton_stream *a = make_stream(), *consumer = make_stream();
    baton_array *array = make_array_of(BATON_UNIFIED, 10, a);
    struct dlpack_managed *managed;
    void *out;
    ok(baton_dlpack_export(array, consumer, &out, &error));
    managed = out;
    for (int i = 0; i < 3; i++)
        hands_over_by_waiting(array, consumer, a, BATON_HOST_WAIT_UNIFIED);
    managed->deleter(managed);
    baton_array_release(array);
    ok(baton_drain(runtime, 0, NULL, &error));
    streams_release(a, consumer);
}
END_TEST

/* Of two arrays one is waited for and one is followed on the device, though foreign work may be on both. */
START_TEST(memory_that_is_followed_on_the_device_is_still_followed_beside_memory_that_is_waited_for)
{
    baton_stream *a = make_stream(), *c = make_stream(), *b = make_stream();
    baton_array *unified = make_array_of(BATON_UNIFIED, 10, a), *device = make_array(10, c);
    fill(unified, 1, a);
    pointer(unified, a);
    pointer(device, c);
    baton_gate *gate = close_gate(c);
    ok(baton_copy(device, unified, b, &error));
    expect_busy(b);
    open_gate(gate);
    expect(device, 1, b);
    arrays_release(unified, device);
    streams_release(a, b, c);
}
END_TEST

static void end(struct dlpack_managed *managed)
{
    managed->deleter(managed);
}

static struct dlpack_managed *export_to(baton_array *array, baton_stream *s)
{
    void *managed;
    ok(baton_dlpack_export(array, s, &managed, &error));
    return managed;
}

/* Another memory's hand-over has the stream recorded. */
static void stamp(baton_stream *s, baton_stream *after)
{
    baton_array *other = make_array(1, s);
    fill(other, 1, s);
    fill(other, 2, after);
    baton_array_release(other);
}

/* The library hears of an export's end, and then foreign code on `foreign` does more with the array, without asking. Others must follow it. */
static void foreign_code_goes_on(baton_array *array, struct dlpack_managed *managed, baton_stream *foreign, baton_stream *after)
{
    end(managed);
    ok(baton_drain(runtime, 0, NULL, &error));
    stamp(foreign, after);
    pointer_must_wait(array, after, close_gate(foreign));
}

/* P4, P5: that a consumer is done is nobody's use of the memory. Foreign code that was given the address on another stream, or on the same, still works there. */
START_TEST(an_exports_end_leaves_the_memory_to_foreign_code_that_has_its_address)
{
    baton_stream *a = make_stream(), *b = make_stream(), *consumer = make_stream();
    for (int same = 0; same < 2; same++) {
        baton_array *array = make_array(10, a);
        struct dlpack_managed *managed = export_to(array, consumer);
        baton_stream *foreign = same ? consumer : a;
        pointer(array, foreign);
        foreign_code_goes_on(array, managed, foreign, b);
        baton_array_release(array);
    }
    streams_release(a, b, consumer);
}
END_TEST

static baton_array *raced;
static baton_stream *racer;

static void get_address(void)
{
    pointer(raced, racer);
}

/* P4, P5: the address is given out while the end is on its way: as it asks whether the consumer's stream is captured. */
START_TEST(an_exports_end_leaves_the_memory_to_foreign_code_that_gets_its_address_meanwhile)
{
    baton_stream *b = make_stream(), *consumer = make_stream();
    uint64_t native;
    racer = make_stream();
    raced = make_array(10, racer);
    struct dlpack_managed *managed = export_to(raced, consumer);
    ok(baton_stream_native(consumer, &native, &error));
    counting_start();
    instrument_stop(1, get_address);
    foreign_code_goes_on(raced, managed, racer, b);
    arrays_release(raced);
    streams_release(racer, b, consumer);
}
END_TEST

/* P5, P6, O9: an event behind what an exposed stream may hold would be a newer one each time that somebody asks. */
START_TEST(memory_that_was_exported_to_no_stream_is_given_back_without_events)
{
    baton_stream *a = make_stream(), *exposed = make_stream();
    baton_array *array = make_array(10, a);
    uint64_t native;
    ok(baton_stream_native(exposed, &native, &error));
    end(export_to(array, NULL));
    ok(baton_drain(runtime, 0, NULL, &error));
    ok(baton_stream_synchronize(a, BATON_WAIT_AUTO, &error));
    ok(baton_stream_synchronize(exposed, BATON_WAIT_AUTO, &error));
    baton_array_release(array);
    counting_start();
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 0);
    ck_assert_uint_eq(stats().live_bytes + stats().deferred_bytes, 0);
    streams_release(a, exposed);
}
END_TEST

/* P5, S11, O9: each end would have to wait for the other's stream on the host. */
START_TEST(exports_of_host_memory_to_two_streams_end)
{
    baton_stream *a = make_stream(), *b = make_stream();
    for (int exposed = 0; exposed < 2; exposed++) {
        int left = 1000;
        baton_array *array = make_array_of(BATON_HOST, 10, a);
        struct dlpack_managed *first = export_to(array, a), *second = export_to(array, b);
        if (exposed)
            pointer(array, a);
        end(first);
        end(second);
        baton_array_release(array);
        while (stats().live_bytes + stats().deferred_bytes && left--) {
            ok(baton_drain(runtime, 0, NULL, &error));
            ok(baton_stream_synchronize(a, BATON_WAIT_AUTO, &error));
            ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
        }
        ck_assert_uint_eq(stats().live_bytes + stats().deferred_bytes, 0);
    }
    streams_release(a, b);
}
END_TEST

/* W1, W4, P4, S11: the scope has waited for whoever had the address; what is submitted in it waits no more. */
START_TEST(work_in_a_scope_needs_no_second_wait_for_foreign_code)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *from = make_array_of(BATON_UNIFIED, 10, a), *to = make_array_of(BATON_HOST, 10, a);
    baton_kernel *kernel = make_add_one(0);
    int64_t count = 10;
    fill(from, 6, a);
    pointer(from, a);
    pointer(to, a);
    baton_operand operands[] = { { .array = to, .access = BATON_WRITE }, { .array = from, .access = BATON_READ } };
    baton_scope *scope;
    ok(baton_scope_begin(b, NULL, operands, 2, 0, &scope, &error));
    uint64_t waits = waits_of(BATON_HOST_WAIT_UNIFIED);
    baton_launch_options options = { .struct_size = sizeof options, .stream = b, .scope = scope };
    for (int i = 0; i < 2; i++)
        ok(baton_launch(kernel, &options, (baton_argument[]) { baton_out(to), baton_in(from), baton_value(count) }, 3, &error));
    ck_assert_uint_eq(waits_of(BATON_HOST_WAIT_UNIFIED), waits);
    ok(baton_scope_end(scope, &error));
    baton_scope_release(scope);
    expect(to, 7, b);
    baton_kernel_release(kernel);
    arrays_release(to, from);
    streams_release(a, b);
}
END_TEST

/* W4: what the scope has waited for is not asked for again by what is submitted inside, though foreign work may be on the memory. */
START_TEST(work_inside_a_scope_need_not_wait_again_for_what_the_scope_waited_for)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *host = make_array_of(BATON_HOST, 10, a), *to = make_array(10, b);
    baton_kernel *kernel = make_add_one(0);
    baton_operand operands[] = { { .array = host, .access = BATON_READ_WRITE }, { .array = to, .access = BATON_WRITE } };
    baton_launch_options options = { .struct_size = sizeof options, .stream = b, .grid = { 1 }, .block = { 32 } };
    baton_scope *scope;
    fill(host, 4, a);
    pointer(host, a);
    ok(baton_scope_begin(b, NULL, operands, 2, 0, &scope, &error));
    options.scope = scope;
    uint64_t waits = stats().host_waits[BATON_HOST_WAIT_UNIFIED];
    ok(baton_launch(kernel, &options, (baton_argument[]) { baton_out(to), baton_in(host), baton_value((int64_t) { 10 }) }, 3, &error));
    ck_assert_uint_eq(stats().host_waits[BATON_HOST_WAIT_UNIFIED], waits);
    ok(baton_scope_end(scope, &error));
    baton_scope_release(scope);
    expect(to, 5, b);
    arrays_release(host, to);
    baton_kernel_release(kernel);
    streams_release(a, b);
}
END_TEST

/* S12, P1 */
START_TEST(an_address_for_another_devices_stream_can_be_used_there)
{
    baton_stream *a = make_stream(), *far = make_stream_on(1);
    baton_array *array = make_array(10, a);
    counting_start();
    pointer(array, far);
    ck_assert_uint_eq(calls(DRIVER_ROW_context_enable_peer), 1);
    baton_array_release(array);
    streams_release(a, far);
}
END_TEST

/* S12, P1 */
START_TEST(an_address_is_not_given_where_it_cannot_be_used)
{
    baton_stream *a = make_stream(), *far = make_stream_on(1);
    baton_array *array = make_array(10, a);
    uint64_t address;
    soft_set_peer(1, 0, 0);
    refused(BATON_ERR_PEER, baton_array_pointer(array, far, 0, &address, &error));
    soft_set_peer(1, 0, 1);
    baton_array_release(array);
    streams_release(a, far);
}
END_TEST

SUPPORT_MAIN("escaped", 60, work_inside_a_scope_need_not_wait_again_for_what_the_scope_waited_for, host_and_unified_memory_whose_address_is_out_is_waited_for_once,
             wrapped_host_and_unified_memory_is_waited_for_once_on_its_declared_stream,
             two_devices(memory_whose_address_is_out_is_waited_for_once_when_it_changes_devices),
             memory_whose_address_is_out_is_waited_for_once_where_every_hand_over_waits,
             unified_memory_in_a_live_export_is_waited_for_at_each_hand_over,
             memory_that_is_followed_on_the_device_is_still_followed_beside_memory_that_is_waited_for,
             an_exports_end_leaves_the_memory_to_foreign_code_that_has_its_address,
             an_exports_end_leaves_the_memory_to_foreign_code_that_gets_its_address_meanwhile,
             memory_that_was_exported_to_no_stream_is_given_back_without_events, exports_of_host_memory_to_two_streams_end,
             work_in_a_scope_needs_no_second_wait_for_foreign_code, two_devices(an_address_for_another_devices_stream_can_be_used_there),
             soft_only(an_address_is_not_given_where_it_cannot_be_used, "can take peer access away"))
