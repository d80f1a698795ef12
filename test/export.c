/* Memory that another library may use at any time, for as long as it holds an export of it (P5). */
#include "exchange/dlpack.h"

#include "outside.h"
#include "waiter.h"

enum { COUNT = 200 };

static struct dlpack_managed *export_to(baton_array *array, baton_stream *stream)
{
    void *managed;
    ok(baton_dlpack_export(array, stream, &managed, &error));
    return managed;
}

static void give_back(struct dlpack_managed *managed)
{
    managed->deleter(managed);
}

static void consumer_fill(const struct dlpack_managed *managed, int32_t value, driver_stream native)
{
    outside_fill((uint64_t)(uintptr_t)managed->tensor.data, value, COUNT, native);
}

/* P5: the consumer's stream follows on the device; the host does not wait. */
START_TEST(an_export_to_a_stream_follows_the_last_use_on_the_device)
{
    baton_stream *a = make_stream(), *s = make_stream();
    baton_array *array = make_array(COUNT, a);
    driver_stream native = native_of(s);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    struct dlpack_managed *managed = export_to(array, s);
    consumer_fill(managed, 2, native);
    expect_busy(a);
    expect_busy(s);
    open_gate(gate);
    give_back(managed);
    expect(array, 2, a);
    arrays_release(array);
    streams_release(a, s);
}
END_TEST

/* P5, item 16: each hand-off records anew, whatever was stamped or handed off before. */
START_TEST(while_an_export_lives_every_hand_off_records_behind_the_consumer)
{
    baton_stream *s = make_stream(), *c = make_stream();
    baton_array *array = make_array(COUNT, s), *other = make_array(COUNT, s), *copy = make_array(COUNT, c);
    driver_stream native = native_of(s);
    struct dlpack_managed *managed = export_to(array, s);
    for (int32_t i = 1; i <= 3; i++) {
        baton_gate *gate = close_gate(s);
        fill(other, i, s);
        fill(other, -i, c);                             /* stamps the consumer's stream */
        consumer_fill(managed, i, native);
        counting_start();
        ok(baton_copy(copy, array, c, &error));
        ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 1);
        expect_busy(c);
        open_gate(gate);
        expect(copy, i, c);
    }
    give_back(managed);
    arrays_release(array, other, copy);
    streams_release(s, c);
}
END_TEST

/* P5: an operation of the library on the consumer's stream does not end it, the deleter does. */
START_TEST(an_export_ends_with_its_deleter)
{
    baton_stream *s = make_stream(), *c = make_stream();
    baton_array *array = make_array(COUNT, s), *other = make_array(COUNT, s);
    driver_stream native = native_of(s);
    struct dlpack_managed *managed = export_to(array, s);
    baton_gate *gate = close_gate(s);
    consumer_fill(managed, 4, native);
    counting_start();
    give_back(managed);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    ok(baton_drain(runtime, 0, NULL, &error));
    fill(array, 5, s);
    fill(other, 5, s);
    fill(other, 6, c);
    counting_start();
    fill(array, 7, c);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_record), 0);       /* covered: S4 applies again */
    expect_busy(c);
    open_gate(gate);
    expect(array, 7, c);
    arrays_release(array, other);
    streams_release(s, c);
}
END_TEST

/* P5: what the consumer submitted before its deleter ran is still followed. */
START_TEST(work_of_a_consumer_that_is_gone_is_followed)
{
    baton_stream *s = make_stream(), *c = make_stream();
    baton_array *array = make_array(COUNT, c), *copy = make_array(COUNT, c);
    driver_stream native = native_of(s);
    struct dlpack_managed *managed = export_to(array, s);
    baton_gate *gate = close_gate(s);
    consumer_fill(managed, 8, native);
    give_back(managed);
    ok(baton_drain(runtime, 0, NULL, &error));
    ok(baton_copy(copy, array, c, &error));
    expect_busy(c);
    open_gate(gate);
    expect(copy, 8, c);
    arrays_release(array, copy);
    streams_release(s, c);
}
END_TEST

/* P5: no stream was named, so all are waited for; after the end once more, and then never again. */
START_TEST(an_export_to_no_stream_makes_the_host_wait_for_all)
{
    driver_stream native = outside_stream(0);
    baton_stream *s = outside_wrap(native, 0), *c = make_stream(), *d = make_stream();
    baton_array *array = make_array(COUNT, c);
    struct dlpack_managed *managed = export_to(array, NULL);
    for (int32_t i = 1; i <= 3; i++) {
        ok(baton_drain(runtime, 0, NULL, &error));      /* earlier gates: freeing pinned memory waits for the device */
        baton_gate *gate = close_gate(s);
        consumer_fill(managed, i, native);
        if (i == 3) {
            give_back(managed);
            ok(baton_drain(runtime, 0, NULL, &error));
        }
        fill_must_wait(array, 10 * i, i % 2 ? c : d, gate);
        ck_assert_uint_ge(stats().host_waits[BATON_HOST_WAIT_EXPORT], (uint64_t)i);
        expect(array, 10 * i, c);
    }
    baton_gate *gate = close_gate(s);
    fill(array, 50, d);
    expect(array, 50, d);
    expect_busy(s);
    open_gate(gate);
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    arrays_release(array);
    streams_release(s, c, d);
    ok(baton_drain(runtime, 0, NULL, &error));
    outside_stream_destroy(native, 0);
}
END_TEST

struct fill_of {
    baton_array *array;
    baton_stream *stream;
};

static void fill_nine(void *argument)
{
    struct fill_of *use = argument;
    fill(use->array, 9, use->stream);
}

/* P4, P5, S11: what cannot be followed on the device is waited for once, and not for ever: each look at the consumer's stream finds it newly used. */
START_TEST(memory_that_the_cpu_can_touch_is_handed_on_by_one_host_wait)
{
    for (int32_t kind = BATON_UNIFIED; kind >= BATON_HOST; kind--) {
        baton_stream *s = make_stream(), *c = make_stream();
        struct fill_of uses[] = { { make_array_of(kind, COUNT, s), c }, { make_array_of(kind, COUNT, s), c } };
        struct dlpack_managed *managed = export_to(uses[0].array, s);
        uint64_t address;
        ok(baton_array_pointer(uses[1].array, s, BATON_READ_WRITE, &address, &error));
        for (int i = 0; i < 2; i++) {
            ok(baton_drain(runtime, 0, NULL, &error));
            must_wait(fill_nine, &uses[i], close_gate(s));
            expect(uses[i].array, 9, c);
        }
        give_back(managed);
        arrays_release(uses[0].array, uses[1].array);
        ok(baton_drain(runtime, 0, NULL, &error));
        streams_release(s, c);
    }
}
END_TEST

static void export_to_none(void *argument)
{
    void **with = argument;
    ok(baton_dlpack_export(with[0], NULL, &with[1], NULL));
}

/* P5: a consumer without a stream can only be served when the data is there. */
START_TEST(an_export_to_no_stream_waits_for_the_last_use)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    void *with[] = { array, NULL };
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    fill(array, 2, b);
    must_wait(export_to_none, with, gate);
    struct dlpack_managed *managed = with[1];
    ck_assert_int_eq(outside_word((uint64_t)(uintptr_t)managed->tensor.data + (COUNT - 1) * sizeof(int32_t), 0), 2);
    give_back(managed);
    ok(baton_drain(runtime, 0, NULL, &error));
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

static void synchronize(void *argument)
{
    ok(baton_array_synchronize(argument, BATON_WAIT_AUTO, NULL));
}

/* P5, O7 */
START_TEST(synchronizing_waits_for_the_consumer_of_a_live_export)
{
    baton_stream *a = make_stream(), *s = make_stream();
    baton_array *array = make_array(COUNT, a);
    driver_stream native = native_of(s);
    struct dlpack_managed *managed = export_to(array, s);
    for (int32_t i = 1; i <= 2; i++) {
        ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
        baton_gate *gate = close_gate(s);
        consumer_fill(managed, i, native);
        must_wait(synchronize, array, gate);
    }
    give_back(managed);
    expect(array, 2, a);
    arrays_release(array);
    streams_release(a, s);
}
END_TEST

SUPPORT_MAIN("export", 60, an_export_to_a_stream_follows_the_last_use_on_the_device,
             while_an_export_lives_every_hand_off_records_behind_the_consumer, an_export_ends_with_its_deleter,
             work_of_a_consumer_that_is_gone_is_followed, an_export_to_no_stream_makes_the_host_wait_for_all,
             an_export_to_no_stream_waits_for_the_last_use, synchronizing_waits_for_the_consumer_of_a_live_export,
             memory_that_the_cpu_can_touch_is_handed_on_by_one_host_wait)
