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

SUPPORT_MAIN("escaped", 60, work_inside_a_scope_need_not_wait_again_for_what_the_scope_waited_for, host_and_unified_memory_whose_address_is_out_is_waited_for_once,
             wrapped_host_and_unified_memory_is_waited_for_once_on_its_declared_stream,
             two_devices(memory_whose_address_is_out_is_waited_for_once_when_it_changes_devices),
             memory_whose_address_is_out_is_waited_for_once_where_every_hand_over_waits,
             unified_memory_in_a_live_export_is_waited_for_at_each_hand_over,
             memory_that_is_followed_on_the_device_is_still_followed_beside_memory_that_is_waited_for)
