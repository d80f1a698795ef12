/* Release and free (O2, O9): no wait, lock or driver call in a release; the bytes go back behind their last use. */
#include "journal.h"
#include "outside.h"
#include "waiter.h"

enum { COUNT = 1000 };

static void drain(void)
{
    ok(baton_drain(runtime, 0, NULL, &error));
}

static uint64_t host_waits(void)
{
    return calls(DRIVER_ROW_event_synchronize) + calls(DRIVER_ROW_stream_synchronize);
}

/* O9, section 9 item 12 */
START_TEST(a_free_while_gated_returns_and_lies_behind_every_reader)
{
    baton_stream *owner = make_stream(), *readers[] = { make_stream(), make_stream() };
    baton_array *array = make_array(COUNT, owner),
                *copies[] = { make_array(COUNT, readers[0]), make_array(COUNT, readers[1]) };
    baton_gate *gates[2];
    uint64_t waited = 0, freed = 0;
    fill(array, 6, owner);
    for (int i = 0; i < 2; i++) {
        gates[i] = close_gate(readers[i]);
        ok(baton_copy(copies[i], array, readers[i], &error));
    }
    counting_start();
    baton_array_release(array);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    drain();
    ck_assert_uint_eq(host_waits(), 0);
    ck_assert_uint_eq(journal_find(DRIVER_ROW_stream_wait_event, stream_handle(owner), 0, &waited), 2);
    ck_assert_uint_eq(journal_find(DRIVER_ROW_free_async, stream_handle(owner), waited, &freed), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_free_async), 1);
    for (int i = 0; i < 2; i++)
        expect_busy(readers[i]);
    open_gate(gates[0]);
    open_gate(gates[1]);
    expect(copies[0], 6, readers[0]);
    expect(copies[1], 6, readers[1]);
    arrays_release(copies[0], copies[1]);
    streams_release(owner, readers[0], readers[1]);
}
END_TEST

/* O9: neither the owner's nor another stream gets the bytes before the reader has them. */
START_TEST(memory_is_not_used_again_before_its_last_use)
{
    baton_stream *owner = make_stream(), *reader = make_stream(), *other = make_stream();
    baton_array *array = make_array(COUNT, owner), *copy = make_array(COUNT, reader), *next[2];
    fill(array, 6, owner);
    baton_gate *gate = close_gate(reader);
    ok(baton_copy(copy, array, reader, &error));
    baton_array_release(array);
    drain();
    for (int i = 0; i < 2; i++) {
        int64_t elements = COUNT;
        baton_array_options options = { .struct_size = sizeof options,
                                        .dtype = BATON_I32,
                                        .ndim = 1,
                                        .shape = &elements,
                                        .stream = i ? other : owner };
        ok(baton_array_create(runtime, &options, &next[i], &error));
        fill(next[i], 1, i ? other : owner);
    }
    ok(baton_stream_synchronize(other, BATON_WAIT_AUTO, &error));
    expect_busy(owner);                             /* its later work follows the free, which follows the reader */
    open_gate(gate);
    expect(copy, 6, reader);
    expect(next[0], 1, owner);
    arrays_release(copy, next[0], next[1]);
    streams_release(owner, reader, other);
}
END_TEST

/* O9 */
START_TEST(a_free_follows_the_last_owner_after_a_hand_off)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    fill(array, 2, b);
    baton_array_release(array);
    counting_start();
    drain();
    ck_assert_uint_eq(journal_find(DRIVER_ROW_free_async, stream_handle(b), 0, NULL), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 0);      /* b follows a already */
    expect_busy(b);
    open_gate(gate);
    ok(baton_stream_synchronize(b, BATON_WAIT_AUTO, &error));
    streams_release(a, b);
}
END_TEST

/* O9: memory that cannot be freed in stream order stays until it is idle. */
START_TEST(host_and_unified_memory_is_freed_once_it_is_idle)
{
    static const struct { int32_t kind; enum driver_row row; } kinds[] = {
        { BATON_HOST, DRIVER_ROW_host_free }, { BATON_UNIFIED, DRIVER_ROW_free },
    };
    baton_stream *s = make_stream();
    for (int i = 0; i < 2; i++) {
        baton_array *array = make_array_of(kinds[i].kind, COUNT, s);
        baton_gate *gate = close_gate(s);
        fill(array, 1, s);
        baton_array_release(array);
        counting_start();
        drain();
        ck_assert_uint_eq(calls(kinds[i].row) + host_waits(), 0);
        open_gate(gate);
        ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
        uint64_t before = stats().frees;
        drain();
        ck_assert_uint_eq(stats().frees, before + 1);
        ck_assert_uint_ge(calls(kinds[i].row), 1);
    }
    baton_stream_release(s);
}
END_TEST

static void release_without_context(void *argument)
{
    const struct driver *driver = outside_driver();
    driver_context current = argument;
    ck_assert_int_eq(driver->context_current(&current), DRIVER_SUCCESS);
    ck_assert_ptr_null(current);
    baton_array_release(argument);
    drain();
    ck_assert_int_eq(driver->context_current(&current), DRIVER_SUCCESS);
    ck_assert_ptr_null(current);
}

/* O9, section 9 item 12 */
START_TEST(memory_can_be_freed_from_a_thread_without_context)
{
    baton_stream *s = make_stream();
    for (int32_t kind = BATON_DEVICE; kind <= BATON_UNIFIED; kind++) {
        baton_array *array = make_array_of(kind, COUNT, s);
        fill(array, 1, s);
        ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
        uint64_t before = stats().frees;
        on_thread(release_without_context, array);
        ck_assert_uint_eq(stats().frees, before + 1);
    }
    baton_stream_release(s);
}
END_TEST

static void begin_scope(void *argument)
{
    struct { baton_operand operand; baton_stream *stream; baton_scope *scope; } *held = argument;
    ok(baton_scope_begin(held->stream, NULL, &held->operand, 1, 0, &held->scope, &error));
}

/* O2, O9, section 9 item 12: no lock is taken; the scope itself keeps the memory. */
START_TEST(a_release_does_not_wait_for_a_scope_that_holds_the_lock)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    struct { baton_operand operand; baton_stream *stream; baton_scope *scope; } held = { { .array = array }, s, NULL };
    on_thread(begin_scope, &held);
    counting_start();
    baton_array_release(array);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    drain();
    ck_assert_uint_eq(calls(DRIVER_ROW_free_async), 0);
    outside_fill(held.operand.address, 1, COUNT, (driver_stream)(uintptr_t)stream_handle(s));
    ok(baton_scope_end(held.scope, &error));
    drain();
    ck_assert_uint_eq(calls(DRIVER_ROW_free_async), 1);
    baton_scope_release(held.scope);
    baton_stream_release(s);
}
END_TEST

/* O9: whatever it is, giving it back makes no driver call. */
START_TEST(no_release_calls_the_driver)
{
    baton_stream *s = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, s), *view = make_view(array, 0, 1);
    baton_kernel *kernel = make_add_one(0);
    baton_operand operand = { .array = array };
    baton_fence *fence;
    baton_scope *scope;
    baton_gate *gate = close_gate(s);
    fill(array, 1, s);
    ok(baton_array_fence(array, &fence, &error));
    ok(baton_scope_begin(s, NULL, &operand, 1, 0, &scope, &error));
    counting_start();
    baton_scope_release(scope);
    baton_fence_release(fence);
    arrays_release(array, view, NULL);
    streams_release(s, b, NULL);
    baton_kernel_release(kernel);
    baton_gate_release(gate);
    baton_kernel_release(NULL);
    baton_fence_release(NULL);
    baton_gate_release(NULL);
    baton_scope_release(NULL);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
}
END_TEST

/* Section 9 item 11 */
START_TEST(a_stream_lives_as_long_as_arrays_name_it)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    uint64_t id = id_of(a);
    baton_gate *gate = close_gate(a);
    fill(array, 3, a);
    baton_stream_release(a);
    counting_start();
    drain();
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_destroy), 0);
    ck_assert_uint_eq(info_of(array).owner_stream_id, id);
    baton_array *copy = make_array(COUNT, b);
    ok(baton_copy(copy, array, b, &error));
    expect_busy(b);
    open_gate(gate);
    expect(copy, 3, b);
    arrays_release(array, copy);
    drain();
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_destroy), 1);
    baton_stream_release(b);
}
END_TEST

/* Section 9 item 11: a new stream may get an old one's handle, with the old one's work still queued. */
START_TEST(a_stream_with_a_used_handle_is_a_new_stream)
{
    enum { ROUNDS = 8 };
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    uint64_t ids[ROUNDS], reused = 0;
    const void *native = NULL;
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    for (int i = 0; i < ROUNDS; i++) {
        baton_stream *s = make_stream();
        ids[i] = id_of(s);
        reused += stream_handle(s) == native;
        native = stream_handle(s);
        for (int k = 0; k < i; k++)
            ck_assert_uint_ne(ids[i], ids[k]);
        counting_start();
        ok(baton_stream_follow(s, a, &error));      /* a predecessor with this handle followed it too */
        ck_assert_uint_eq(journal_find(DRIVER_ROW_stream_wait_event, native, 0, NULL), 1);
        expect_busy(s);
        baton_stream_release(s);
        drain();
        ck_assert_uint_eq(calls(DRIVER_ROW_stream_destroy), 1);
        ck_assert_int_eq(baton_stream_query(a, &error), BATON_NOT_READY);
    }
    ck_assert_uint_gt(reused, 0);
    open_gate(gate);
    expect(array, 1, a);
    baton_array_release(array);
    baton_stream_release(a);
}
END_TEST

/* O9: dispose gives the bytes back now; the handles that remain are good for nothing but release. */
START_TEST(dispose_frees_in_stream_order_and_closes_the_memory)
{
    baton_stream *s = make_stream(), *reader = make_stream();
    baton_array *array = make_array(COUNT, s), *view = make_view(array, 0, COUNT), *copy = make_array(COUNT, reader);
    int32_t value = 1;
    uint64_t address, frees = stats().frees, live = stats().live_bytes, waited = 0;
    fill(array, 5, s);
    baton_gate *gate = close_gate(reader);
    ok(baton_copy(copy, view, reader, &error));
    counting_start();
    ok(baton_array_dispose(view, &error));
    ck_assert_uint_eq(journal_find(DRIVER_ROW_stream_wait_event, stream_handle(s), 0, &waited), 1);
    ck_assert_uint_eq(journal_find(DRIVER_ROW_free_async, stream_handle(s), waited, NULL), 1);
    ck_assert_uint_eq(stats().frees, frees + 1);
    ck_assert_uint_eq(stats().live_bytes, live - COUNT * sizeof(int32_t));
    ok(baton_array_dispose(array, &error));
    refused(BATON_ERR_HANDLE, baton_fill(array, &value, sizeof value, s, &error));
    refused(BATON_ERR_HANDLE, baton_copy(copy, view, s, &error));
    refused(BATON_ERR_HANDLE, baton_array_pointer(array, s, BATON_READ, &address, &error));
    refused(BATON_ERR_HANDLE, baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_free_async), 1);
    open_gate(gate);
    expect(copy, 5, reader);
    arrays_release(array, view, copy);
    drain();
    ck_assert_uint_eq(stats().frees, frees + 2);
    streams_release(s, reader);
}
END_TEST

/* E1, P5: not under an open scope, nor while somebody else uses an export. */
START_TEST(memory_in_other_hands_is_not_disposed_of)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    baton_operand operand = { .array = array };
    baton_scope *scope;
    ok(baton_scope_begin(s, NULL, &operand, 1, 0, &scope, &error));
    refused(BATON_ERR_WOULD_DEADLOCK, baton_array_dispose(array, &error));
    ok(baton_scope_end(scope, &error));
    baton_scope_release(scope);
    fill(array, 2, s);
    expect(array, 2, s);
    refused(BATON_ERR_ARGUMENT, baton_array_dispose(NULL, &error));
    refused(BATON_ERR_HANDLE, baton_array_dispose((baton_array *)(void *)s, &error));
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

/* O9: a free that the driver refuses is tried again. */
START_TEST(a_free_that_fails_is_repeated)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    uint64_t frees = stats().frees;
    fill(array, 1, s);
    baton_array_release(array);
    instrument_fail(DRIVER_ROW_free_async, 1, DRIVER_INVALID_VALUE, 0);
    ok(baton_drain(runtime, 2, NULL, &error));
    ck_assert_uint_eq(instrument_failures(), 1);
    ck_assert_uint_eq(stats().frees, frees);
    ck_assert_uint_eq(stats().faults_swallowed, 1);
    ck_assert_uint_eq(stats().deferred_bytes, COUNT * sizeof(int32_t));
    drain();
    ck_assert_uint_eq(stats().frees, frees + 1);
    ck_assert_uint_eq(stats().deferred_bytes, 0);
    baton_stream_release(s);
}
END_TEST

SUPPORT_WITHOUT_CACHE

SUPPORT_MAIN("lifetime", 60, a_free_while_gated_returns_and_lies_behind_every_reader,
             memory_is_not_used_again_before_its_last_use, a_free_follows_the_last_owner_after_a_hand_off,
             host_and_unified_memory_is_freed_once_it_is_idle, memory_can_be_freed_from_a_thread_without_context,
             a_release_does_not_wait_for_a_scope_that_holds_the_lock, no_release_calls_the_driver,
             a_stream_lives_as_long_as_arrays_name_it, a_stream_with_a_used_handle_is_a_new_stream,
             dispose_frees_in_stream_order_and_closes_the_memory, memory_in_other_hands_is_not_disposed_of,
             a_free_that_fails_is_repeated)
