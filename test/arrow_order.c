/* Arrow device arrays: who waits for whom (P5). */
#include "exchange_support.h"

enum { COUNT = 100 };

struct arrow {
    struct arrow_device_array array;
    struct arrow_schema schema;
};

static void give_out(baton_array *array, struct arrow *arrow)
{
    ok(baton_arrow_export(array, &arrow->array, &arrow->schema, &error));
}

static baton_array *take_in(struct arrow *arrow, baton_stream *s)
{
    baton_array *array;
    ok(baton_arrow_import(runtime, &arrow->array, &arrow->schema, s, &array, &error));
    ck_assert_ptr_null(arrow->array.array.release);                 /* moved */
    arrow->schema.release(&arrow->schema);
    return array;
}

static void drop(struct arrow *arrow)
{
    arrow->array.array.release(&arrow->array.array);
    ck_assert_ptr_null(arrow->array.array.release);
    arrow->schema.release(&arrow->schema);
    ck_assert_ptr_null(arrow->schema.release);
}

/* P5, S5: the event is recorded where the data are written, nothing waits at the export, and the importer's stream waits for it on the device. */
START_TEST(the_event_orders_the_consumer_on_the_device)
{
    baton_stream *a = make_stream(), *consumer = make_stream();
    as_a_gpu();
    baton_array *array = make_array(COUNT, a);
    struct arrow arrow;
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    counting_start();
    give_out(array, &arrow);
    ck_assert_uint_eq(journal_find(DRIVER_ROW_event_record, stream_handle(a), 0, NULL), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 0);
    ck_assert_int_eq(arrow.array.device_type, DLPACK_CUDA);
    ck_assert_int_eq(arrow.array.device_id, 0);
    ck_assert_ptr_nonnull(arrow.array.sync_event);
    baton_array *back = take_in(&arrow, consumer);
    ck_assert_uint_eq(journal_find(DRIVER_ROW_stream_wait_event, stream_handle(consumer), 0, NULL), 1);
    ck_assert_uint_eq(host_waits(), 0);
    expect_busy(consumer);
    open_gate(gate);
    expect(back, 1, consumer);
    arrays_release(array, back);
    drain();
    outside_restore();
    streams_release(a, consumer);
}
END_TEST

static void take_in_on_the_host(void *argument)
{
    void **with = argument;
    with[1] = take_in(with[0], NULL);
}

/* P5 */
START_TEST(without_a_stream_the_importing_host_waits_for_the_event)
{
    baton_stream *a = make_stream(), *b = make_stream();
    as_a_gpu();
    baton_array *array = make_array(COUNT, a);
    struct arrow arrow;
    void *with[] = { &arrow, NULL };
    baton_gate *gate = close_gate(a);
    fill(array, 2, a);
    give_out(array, &arrow);
    must_wait(take_in_on_the_host, with, gate);
    expect(with[1], 2, b);
    arrays_release(array, with[1]);
    drain();
    outside_restore();
    streams_release(a, b);
}
END_TEST

/* P5: later records of the stream do not move what an earlier consumer waits for. */
START_TEST(each_export_has_an_event_of_its_own)
{
    baton_stream *a = make_stream(), *b = make_stream(), *consumer = make_stream();
    as_a_gpu();
    baton_array *array = make_array(COUNT, a), *other = make_array(COUNT, a);
    struct arrow first, second;
    fill(array, 1, a);
    give_out(array, &first);
    ok(baton_stream_synchronize(a, BATON_WAIT_AUTO, &error));
    baton_gate *gate = close_gate(a);
    fill(other, 2, a);
    give_out(other, &second);
    ck_assert_ptr_ne(*(void **)first.array.sync_event, *(void **)second.array.sync_event);
    baton_array *early = take_in(&first, consumer);
    ok(baton_stream_synchronize(consumer, BATON_WAIT_AUTO, &error));
    baton_array *late = take_in(&second, b);
    expect_busy(b);
    open_gate(gate);
    expect(early, 1, consumer);
    expect(late, 2, b);
    arrays_release(array, other, early, late);
    drain();
    outside_restore();
    streams_release(a, b, consumer);
}
END_TEST

/* P5: a live DLPack consumer may have written, so the event lies behind it. */
START_TEST(the_event_lies_behind_other_exports_consumers)
{
    baton_stream *a = make_stream(), *writer = make_stream(), *consumer = make_stream();
    as_a_gpu();
    baton_array *array = make_array(COUNT, a);
    struct dlpack_managed *managed = export_with(array, 0, writer);
    fill(array, 1, a);
    ok(baton_stream_synchronize(a, BATON_WAIT_AUTO, &error));
    baton_gate *gate = close_gate(writer);
    outside_fill((uint64_t)(uintptr_t)managed->tensor.data, 9, COUNT, native_of(writer));
    struct arrow arrow;
    give_out(array, &arrow);
    baton_array *back = take_in(&arrow, consumer);
    expect_busy(consumer);
    open_gate(gate);
    expect(back, 9, consumer);
    managed->deleter(managed);
    arrays_release(array, back);
    drain();
    outside_restore();
    streams_release(a, writer, consumer);
}
END_TEST

/* P5: Arrow data are not changed, so reads go on, and a write waits for every stream; after the release once more, and then no longer. */
START_TEST(reads_go_on_and_writes_wait_while_an_export_lives)
{
    baton_stream *a = make_stream(), *b = make_stream(), *consumer = make_stream();
    as_a_gpu();
    baton_array *array = make_array(COUNT, a), *copy = make_array(COUNT, b);
    struct arrow arrow;
    fill(array, 1, a);
    give_out(array, &arrow);
    baton_gate *gate = close_gate(consumer);
    counting_start();
    ok(baton_copy(copy, array, b, &error));
    ck_assert_uint_eq(host_waits(), 0);
    expect(copy, 1, b);
    expect_busy(consumer);
    fill_must_wait(array, 2, b, gate);
    ck_assert_uint_ge(stats().host_waits[BATON_HOST_WAIT_EXPORT], 1);
    drain();                                        /* the earlier gate: freeing pinned memory waits for the device */
    gate = close_gate(consumer);
    drop(&arrow);
    drain();
    fill_must_wait(array, 3, b, gate);
    drain();
    gate = close_gate(consumer);
    fill(array, 4, b);
    expect(array, 4, b);
    expect_busy(consumer);
    open_gate(gate);
    arrays_release(array, copy);
    drain();
    outside_restore();
    streams_release(a, b, consumer);
}
END_TEST

static void give_out_to_the_cpu(void *argument)
{
    void **with = argument;
    give_out(with[0], with[1]);
}

/* A consumer on the CPU has no event to wait for: it gets the data complete. */
START_TEST(memory_that_is_a_cpus_is_complete_and_has_no_event)
{
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    struct arrow arrow;
    void *with[] = { array, &arrow };
    if (outside_driver()->host_kernels) {
        baton_gate *gate = close_gate(a);
        fill(array, 5, a);
        must_wait(give_out_to_the_cpu, with, gate);
        ck_assert_int_eq(arrow.array.device_type, DLPACK_CPU);
        ck_assert_int_eq(arrow.array.device_id, -1);
        ck_assert_ptr_null(arrow.array.sync_event);
        ck_assert_int_eq(((const int32_t *)arrow.array.array.buffers[1])[COUNT - 1], 5);
        drop(&arrow);
        drain();
    }
    ok(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    baton_array_release(array);
    baton_stream_release(a);
}
END_TEST

SUPPORT_MAIN("arrow order", 60, the_event_orders_the_consumer_on_the_device,
             without_a_stream_the_importing_host_waits_for_the_event, each_export_has_an_event_of_its_own,
             the_event_lies_behind_other_exports_consumers, reads_go_on_and_writes_wait_while_an_export_lives,
             memory_that_is_a_cpus_is_complete_and_has_no_event)
