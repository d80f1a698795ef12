/* Live exports (P5): the consumer may use the memory at any time until it gives it back. */
#include "exchange/dlpack.h"

#include "journal.h"
#include "outside.h"
#include "waiter.h"

enum { COUNT = 100, PLACES = 4 };

static struct dlpack_managed *give_out(baton_array *array, baton_stream *s)
{
    void *managed;
    ok(baton_dlpack_export(array, s, &managed, &error));
    return managed;
}

static void end(struct dlpack_managed *managed)
{
    managed->deleter(managed);
}

static void drain(void)
{
    ok(baton_drain(runtime, 0, NULL, &error));
}

static uint64_t host_waits(void)
{
    return calls(DRIVER_ROW_event_synchronize) + calls(DRIVER_ROW_stream_synchronize);
}

/* P5: no host wait; the consumer's stream follows on the device. */
START_TEST(the_consumers_stream_follows_the_arrays_work)
{
    baton_stream *a = make_stream(), *consumer = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    counting_start();
    struct dlpack_managed *managed = give_out(array, consumer);
    ck_assert_uint_eq(journal_find(DRIVER_ROW_stream_wait_event, stream_handle(consumer), 0, NULL), 1);
    ck_assert_uint_eq(host_waits(), 0);
    expect_busy(consumer);
    open_gate(gate);
    expect(array, 1, consumer);
    end(managed);
    baton_array_release(array);
    streams_release(a, consumer);
}
END_TEST

/* P5, section 9 item 16: whatever the consumer has submitted by then is followed, each time anew. */
START_TEST(later_work_follows_the_consumer_as_long_as_the_export_lives)
{
    baton_stream *consumer = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, b);
    struct dlpack_managed *managed = give_out(array, consumer);
    for (int i = 0; i < 3; i++) {
        baton_gate *gate = close_gate(consumer);        /* stands for the consumer's work */
        ok(baton_stream_query(b, &error));
        counting_start();
        fill(array, i, b);
        ck_assert_uint_eq(host_waits(), 0);
        expect_busy(b);
        open_gate(gate);
        ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
    }
    end(managed);
    drain();
    fill(array, 9, b);                                  /* follows what was there when the export ended */
    ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
    baton_gate *gate = close_gate(consumer);
    fill(array, 10, b);
    ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
    expect_busy(consumer);
    open_gate(gate);
    baton_array_release(array);
    streams_release(consumer, b);
}
END_TEST

/* P5: the work that the consumer left behind is followed after the end too. */
START_TEST(what_the_consumer_left_behind_is_followed)
{
    baton_stream *consumer = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, b);
    struct dlpack_managed *managed = give_out(array, consumer);
    baton_gate *gate = close_gate(consumer);
    end(managed);
    drain();
    fill(array, 1, b);
    expect_busy(b);
    open_gate(gate);
    expect(array, 1, b);
    baton_array_release(array);
    streams_release(consumer, b);
}
END_TEST

static void give_out_unnamed(void *argument)
{
    struct { baton_array *array; struct dlpack_managed *managed; } *out = argument;
    out->managed = give_out(out->array, NULL);
}

/* P5: no stream was named, so the host waits: at the export, and at each later operation for every stream. */
START_TEST(without_a_stream_the_host_waits)
{
    baton_stream *a = make_stream(), *b = make_stream(), *c = make_stream();
    struct { baton_array *array; struct dlpack_managed *managed; } out = { make_array(COUNT, a), NULL };
    baton_gate *gate = close_gate(a);
    fill(out.array, 1, a);
    must_wait(give_out_unnamed, &out, gate);
    for (int i = 0; i < 2; i++)
        fill_must_wait(out.array, 2, b, close_gate(c));
    end(out.managed);
    drain();
    fill_must_wait(out.array, 3, b, close_gate(c));     /* what the consumer left behind */
    gate = close_gate(c);
    fill(out.array, 4, b);                              /* over: c is somebody else's */
    expect(out.array, 4, b);
    expect_busy(c);
    open_gate(gate);
    baton_array_release(out.array);
    streams_release(a, b, c);
}
END_TEST

/* Follows the consumer's work with no host wait. */
static void fill_on_the_device(baton_array *array, baton_stream *s, baton_stream *consumer)
{
    baton_gate *gate = close_gate(consumer);
    counting_start();
    fill(array, 1, s);
    ck_assert_uint_eq(host_waits(), 0);
    expect_busy(s);
    open_gate(gate);
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
}

/* P5: more consumers than places: the surplus counts as being everywhere, which is slower and right. */
START_TEST(more_exports_than_places_are_waited_for_on_the_host)
{
    baton_stream *b = make_stream(), *consumers[PLACES + 1];
    struct dlpack_managed *managed[PLACES + 1];
    baton_array *array = make_array(COUNT, b);
    for (int i = 0; i <= PLACES; i++) {
        consumers[i] = make_stream();
        managed[i] = give_out(array, consumers[i]);
        ok(baton_stream_synchronize(consumers[i], BATON_WAIT_AUTO, &error));
        if (i < PLACES)
            fill_on_the_device(array, b, consumers[i]);
    }
    for (int i = 0; i <= PLACES; i++)
        fill_must_wait(array, i, b, close_gate(consumers[i]));
    for (int i = PLACES; i >= 0; i--)
        end(managed[i]);
    drain();
    fill(array, 7, b);
    expect(array, 7, b);
    for (int i = 0; i <= PLACES; i++) {                 /* all over */
        baton_gate *gate = close_gate(consumers[i]);
        fill(array, i, b);
        expect(array, i, b);
        expect_busy(consumers[i]);
        open_gate(gate);
    }
    baton_array_release(array);
    baton_stream_release(b);
    streams_release_all(consumers, PLACES + 1);
}
END_TEST

struct held {
    baton_operand operand;
    baton_stream *stream;
    baton_scope *scope;
};

static void begin_scope(void *argument)
{
    struct held *held = argument;
    ok(baton_scope_begin(held->stream, NULL, &held->operand, 1, 0, &held->scope, &error));
}

static void end_elsewhere(void *argument)
{
    end(argument);
}

/* O9, P5: the deleter takes no lock and calls no driver; the export ends at a drain that gets the lock. */
START_TEST(an_export_ends_on_any_thread_while_a_scope_holds_the_lock)
{
    baton_stream *s = make_stream(), *consumer = make_stream();
    baton_array *array = make_array(COUNT, s);
    struct held held = { { .array = array }, s, NULL };
    struct dlpack_managed *named = give_out(array, consumer), *unnamed = give_out(array, NULL);
    ok(baton_stream_synchronize(consumer, BATON_WAIT_AUTO, &error));
    on_thread(begin_scope, &held);
    uint64_t holder = info_of(array).lock_holder;
    ck_assert_uint_ne(holder, 0);
    counting_start();
    on_thread(end_elsewhere, named);
    end(unnamed);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    drain();
    ck_assert_uint_eq(info_of(array).lock_holder, holder);
    ok(baton_scope_end(held.scope, &error));
    baton_scope_release(held.scope);
    baton_array_release(array);
    drain();
    drain();
    ck_assert_uint_eq(stats().live_bytes + stats().deferred_bytes, 0);
    streams_release(s, consumer);
}
END_TEST

/* O9, P5: the export keeps the memory. */
START_TEST(exported_memory_is_neither_freed_nor_disposed_of)
{
    baton_stream *s = make_stream(), *consumer = make_stream();
    baton_array *array = make_array(COUNT, s);
    struct dlpack_managed *managed = give_out(array, consumer);
    refused(BATON_ERR_BUSY, baton_array_dispose(array, &error));
    counting_start();
    baton_array_release(array);
    drain();
    ck_assert_uint_eq(calls(DRIVER_ROW_free_async), 0);
    baton_gate *gate = close_gate(consumer);
    outside_fill((uint64_t)(uintptr_t)managed->tensor.data, 1, COUNT, (driver_stream)(uintptr_t)stream_handle(consumer));
    end(managed);
    drain();
    drain();
    ck_assert_uint_eq(calls(DRIVER_ROW_free_async), 1);
    ck_assert_uint_eq(journal_find(DRIVER_ROW_free_async, stream_handle(consumer), 0, NULL), 1); /* behind its work */
    expect_busy(consumer);
    open_gate(gate);
    streams_release(s, consumer);
}
END_TEST

SUPPORT_WITHOUT_CACHE

SUPPORT_MAIN("dlpack_export", 60, the_consumers_stream_follows_the_arrays_work,
             later_work_follows_the_consumer_as_long_as_the_export_lives, what_the_consumer_left_behind_is_followed,
             without_a_stream_the_host_waits, more_exports_than_places_are_waited_for_on_the_host,
             an_export_ends_on_any_thread_while_a_scope_holds_the_lock,
             exported_memory_is_neither_freed_nor_disposed_of)
