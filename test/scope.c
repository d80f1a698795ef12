/* Scopes: memories that stay locked from before their addresses are handed out until the caller's own work is in the
 * stream. */
#include "outside.h"
#include "waiter.h"

enum { COUNT = 128 };

static baton_scope *begin(baton_stream *stream, baton_scope *parent, baton_operand *operands, uint64_t count)
{
    baton_scope *scope;
    ok(baton_scope_begin(stream, parent, operands, count, 0, &scope, &error));
    return scope;
}

static void end(baton_scope *scope)
{
    ok(baton_scope_end(scope, &error));
    baton_scope_release(scope);
}

static baton_operand writing(baton_array *array)
{
    return (baton_operand) { array, BATON_WRITE, 0, 0 };
}

static baton_operand reading(baton_array *array)
{
    return (baton_operand) { array, BATON_READ, 0, 0 };
}

/* W1: ordered behind A on the device; the owner changes at the end, when the work is in the stream. */
START_TEST(a_scope_orders_its_stream_and_publishes_at_its_end)
{
    baton_stream *a = make_stream(), *b = make_stream(), *c = make_stream();
    baton_array *array = make_array(COUNT, a), *copy = make_array(COUNT, c);
    driver_stream native = native_of(b);
    baton_operand operand = writing(array);
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    baton_scope *scope = begin(b, NULL, &operand, 1);
    ck_assert_uint_ne(info_of(array).lock_holder, 0);
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(a));
    outside_fill(operand.address, 2, COUNT, native);
    end(scope);
    ck_assert_uint_eq(info_of(array).lock_holder, 0);
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(b));
    ok(baton_copy(copy, array, c, &error));
    expect_busy(c);
    open_gate(gate);
    expect(copy, 2, c);
    arrays_release(array, copy);
    streams_release(a, b, c);
}
END_TEST

struct filling {
    baton_array *array;
    baton_stream *stream;
    int32_t status;
};

static void run_fill(void *argument)
{
    struct filling *filling = argument;
    filling->status = baton_fill(filling->array, &(int32_t) { 9 }, sizeof(int32_t), filling->stream, NULL);
}

/* W1: nobody sees the new owner before the work is in the stream. */
START_TEST(an_operation_of_another_thread_waits_for_the_end_of_the_scope)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    driver_stream native = native_of(a);
    baton_operand operand = writing(array);
    struct filling filling = { .array = array, .stream = b };
    struct waiter waiter;
    baton_scope *scope = begin(a, NULL, &operand, 1);
    waiter_start(&waiter, run_fill, &filling);
    waiter_expect_parked(&waiter, array);
    outside_fill(operand.address, 1, COUNT, native);
    ck_assert_int_eq(atomic_load(&waiter.returned), 0);
    end(scope);
    waiter_join(&waiter);
    ck_assert_int_eq(filling.status, BATON_OK);
    ck_assert_uint_ge(stats().longest_lock_wait_ns, 1);
    expect(array, 9, b);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

/* W4: a try never waits, and leaves nothing locked. */
START_TEST(a_scope_that_tries_would_block)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *held = make_array(COUNT, a), *other = make_array(COUNT, a);
    baton_operand first = writing(held), both[] = { writing(other), writing(held) };
    baton_scope *none = NULL, *scope = begin(a, NULL, &first, 1);
    ck_assert_int_eq(baton_scope_begin(b, NULL, both, 2, BATON_SCOPE_TRY, &none, &error), BATON_WOULD_BLOCK);
    ck_assert_ptr_null(none);
    ck_assert_uint_eq(info_of(other).lock_holder, 0);
    end(scope);
    ok(baton_scope_begin(b, NULL, both, 2, BATON_SCOPE_TRY, &none, &error));
    end(none);
    arrays_release(held, other);
    streams_release(a, b);
}
END_TEST

/* W4 */
START_TEST(using_memory_of_ones_own_open_scope_is_an_error)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_operand operand = writing(array), again = writing(array);
    baton_scope *none, *scope = begin(a, NULL, &operand, 1);
    refused(BATON_ERR_WOULD_DEADLOCK, baton_fill(array, &(int32_t) { 1 }, sizeof(int32_t), b, &error));
    refused(BATON_ERR_WOULD_DEADLOCK, baton_scope_begin(a, NULL, &again, 1, 0, &none, &error));
    refused(BATON_ERR_SCOPE_OPEN, baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
    end(scope);
    fill(array, 1, b);
    expect(array, 1, b);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

/* W4: the parent's lock is inherited, and stays the parent's. */
START_TEST(a_nested_scope_on_the_same_stream_inherits_locks)
{
    baton_stream *a = make_stream();
    baton_array *shared = make_array(COUNT, a), *own = make_array(COUNT, a);
    baton_operand outer_operand = writing(shared), inner_operands[] = { writing(shared), writing(own) };
    baton_scope *outer = begin(a, NULL, &outer_operand, 1);
    uint64_t holder = info_of(shared).lock_holder;
    baton_scope *inner = begin(a, outer, inner_operands, 2);
    ck_assert_uint_eq(inner_operands[0].address, outer_operand.address);
    ck_assert_uint_eq(info_of(shared).lock_holder, holder);
    refused(BATON_ERR_SCOPE_OPEN, baton_scope_end(outer, &error));
    end(inner);
    ck_assert_uint_eq(info_of(shared).lock_holder, holder);
    ck_assert_uint_eq(info_of(own).lock_holder, 0);
    end(outer);
    ck_assert_uint_eq(info_of(shared).lock_holder, 0);
    arrays_release(shared, own);
    streams_release(a);
}
END_TEST

/* W4: the parent's work is not submitted yet, so nothing could order the other stream behind it. */
START_TEST(a_nested_scope_on_another_stream_is_refused_for_shared_memory_only)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *shared = make_array(COUNT, a), *own = make_array(COUNT, a);
    baton_operand outer_operand = writing(shared), apart = writing(own);
    baton_operand overlapping[] = { writing(shared), writing(own) };
    baton_scope *outer = begin(a, NULL, &outer_operand, 1), *inner;
    refused(BATON_ERR_NESTED_STREAM, baton_scope_begin(b, outer, overlapping, 2, 0, &inner, &error));
    ck_assert_uint_eq(info_of(own).lock_holder, 0);
    inner = begin(b, outer, &apart, 1);
    end(inner);
    end(outer);
    arrays_release(shared, own);
    streams_release(a, b);
}
END_TEST

/* W4: an operation of the library inside the scope. */
START_TEST(a_launch_inside_a_scope_uses_its_locks)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *to = make_array(COUNT, a), *from = make_array(COUNT, a);
    baton_kernel *kernel = make_add_one(0);
    baton_operand operands[] = { writing(to), reading(from) };
    int64_t count = COUNT;
    baton_argument arguments[] = { baton_out(to), baton_in(from), baton_value(count) };
    fill(from, 1, a);
    baton_scope *scope = begin(b, NULL, operands, 2);
    baton_launch_options options = { .struct_size = sizeof options, .stream = b, .scope = scope };
    ok(baton_launch(kernel, &options, arguments, 3, &error));
    ck_assert_uint_ne(info_of(to).lock_holder, 0);
    options.stream = a;
    refused(BATON_ERR_NESTED_STREAM, baton_launch(kernel, &options, arguments, 3, &error));
    end(scope);
    expect(to, 2, a);
    arrays_release(to, from);
    baton_kernel_release(kernel);
    streams_release(a, b);
}
END_TEST

static void run_end(void *argument)
{
    end(argument);
}

/* W3, item 14 */
START_TEST(a_scope_begun_on_one_thread_ends_on_another)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    for (int32_t i = 0; i < 100; i++) {
        baton_operand operand = writing(array);
        baton_scope *scope = begin(i % 2 ? a : b, NULL, &operand, 1);
        on_thread(run_end, scope);
        ck_assert_uint_eq(info_of(array).lock_holder, 0);
    }
    fill(array, 3, b);
    expect(array, 3, b);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

/* W1: the addresses were handed out, so the work may have been submitted. */
START_TEST(an_aborted_scope_counts_as_submitted_and_aborting_again_does_nothing)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_operand operand = writing(array);
    baton_scope *scope = begin(b, NULL, &operand, 1);
    uint64_t operations = stats().operations;
    baton_scope_abort(scope);
    ck_assert_uint_eq(info_of(array).lock_holder, 0);
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(b));
    baton_scope_abort(scope);
    baton_scope_abort(NULL);
    ck_assert_uint_eq(stats().operations, operations + 1);
    refused(BATON_ERR_HANDLE, baton_scope_end(scope, &error));
    baton_scope_release(scope);
    operand = writing(array);
    baton_scope_release(begin(a, NULL, &operand, 1));       /* open when it is released: aborted */
    ck_assert_uint_eq(info_of(array).lock_holder, 0);
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(a));
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

static int32_t managed(void *user, baton_stream *stream, const baton_operand *operands, uint64_t count)
{
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_ne(info_of(operands[0].array).lock_holder, 0);
    outside_fill(operands[0].address, 4, COUNT, native_of(stream));
    return *(const int32_t *)user;
}

/* W2 */
START_TEST(with_managed_releases_its_locks_also_when_the_function_fails)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_operand operand = writing(array);
    ok(baton_with_managed(b, &operand, 1, managed, &(int32_t) { 0 }, &error));
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(b));
    refused(-77, baton_with_managed(a, &operand, 1, managed, &(int32_t) { -77 }, &error));
    ck_assert_uint_eq(info_of(array).lock_holder, 0);
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(a));
    expect(array, 4, b);
    arrays_release(array);
    streams_release(a, b);
}
END_TEST

/* W1, item 10 */
START_TEST(an_array_its_view_and_itself_again_are_locked_once)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a), *view = make_view(array, 8, 4);
    baton_operand operands[] = { reading(view), reading(array), writing(view) };
    baton_gate *gate = close_gate(a);
    fill(array, 1, a);
    counting_start();
    baton_scope *scope = begin(b, NULL, operands, 3);
    ck_assert_uint_eq(calls(DRIVER_ROW_stream_wait_event), 1);
    ck_assert_uint_eq(operands[0].address, operands[1].address + 8 * sizeof(int32_t));
    ck_assert_uint_eq(operands[2].address, operands[0].address);
    end(scope);
    ck_assert_uint_eq(info_of(array).lock_holder, 0);
    ck_assert_uint_eq(info_of(array).owner_stream_id, id_of(b));      /* the accesses were merged */
    open_gate(gate);
    ok(baton_array_synchronize(view, BATON_WAIT_AUTO, &error));
    arrays_release(array, view);
    streams_release(a, b);
}
END_TEST

/* Item 12: the scope keeps the memory, and it goes back behind the work on B. */
START_TEST(an_array_released_inside_its_scope_is_freed_behind_the_work)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    driver_stream native = native_of(b);
    baton_operand operand = writing(array);
    baton_gate *gate = close_gate(b);
    baton_scope *scope = begin(b, NULL, &operand, 1);
    counting_start();
    arrays_release(array);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    outside_fill(operand.address, 1, COUNT, native);
    end(scope);
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_free_async), 1);
    ck_assert_uint_eq(stats().live_arrays, 0);
    open_gate(gate);
    streams_release(a, b);
}
END_TEST

SUPPORT_WITHOUT_CACHE

SUPPORT_MAIN("scope", 60, a_scope_orders_its_stream_and_publishes_at_its_end,
             an_operation_of_another_thread_waits_for_the_end_of_the_scope, a_scope_that_tries_would_block,
             using_memory_of_ones_own_open_scope_is_an_error, a_nested_scope_on_the_same_stream_inherits_locks,
             a_nested_scope_on_another_stream_is_refused_for_shared_memory_only, a_launch_inside_a_scope_uses_its_locks,
             a_scope_begun_on_one_thread_ends_on_another,
             an_aborted_scope_counts_as_submitted_and_aborting_again_does_nothing,
             with_managed_releases_its_locks_also_when_the_function_fails,
             an_array_its_view_and_itself_again_are_locked_once,
             an_array_released_inside_its_scope_is_freed_behind_the_work)
