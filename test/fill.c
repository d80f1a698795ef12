/* Fill (O5): every element, no other byte, for all element sizes and layouts. */
#include "model.h"
#include "waiter.h"

enum { ROUNDS = 150 };

static const int32_t by_size[] = { BATON_U8, BATON_I16, BATON_F32, BATON_F64, BATON_C128 };

static void fill_model(struct viewed *viewed, const void *value)
{
    for (int64_t i = 0; i < model_count(&viewed->model); i++)
        memcpy(viewed_at(viewed, i), value, viewed->element_bytes);
}

/* O5 */
START_TEST(every_dtype_is_filled_with_its_bit_pattern)
{
    uint64_t seed = support_seed(2);
    baton_stream *s = make_stream();
    for (int32_t dtype = BATON_BOOL; dtype <= BATON_C128; dtype++) {
        uint8_t value[16], found[5 * 16];
        uint32_t bytes = baton_dtype_size(dtype);
        baton_array *array = make_shaped(dtype, 1, (int64_t[]) { 5 }, s);
        random_bytes(&seed, value, sizeof value);
        ok(baton_fill(array, value, bytes, s, &error));
        ok(baton_download(found, 5u * bytes, array, s, &error));
        for (uint32_t i = 0; i < 5; i++)
            ck_assert_mem_eq(found + i * bytes, value, bytes);
        baton_array_release(array);
    }
    baton_stream_release(s);
}
END_TEST

/* O5, O3: the driver fills runs of up to 4-byte words itself, in one call. */
START_TEST(a_run_is_filled_by_one_call)
{
    static const struct { int32_t dtype; uint8_t value[16]; enum driver_row row; } cases[] = {
        { BATON_U8, { 1 }, DRIVER_ROW_fill8 },
        { BATON_U16, { 1, 2 }, DRIVER_ROW_fill16 },
        { BATON_U32, { 1, 2, 3, 4 }, DRIVER_ROW_fill32 },
        { BATON_U64, { 1, 2, 3, 4, 1, 2, 3, 4 }, DRIVER_ROW_fill32 },
        { BATON_U64, { 1, 2, 3, 4, 5, 6, 7, 8 }, DRIVER_ROW_launch },
        { BATON_C128, { 0 }, DRIVER_ROW_fill32 },
        { BATON_C128, { 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 5 }, DRIVER_ROW_launch },
    };
    baton_stream *s = make_stream();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t found[48];
        uint32_t bytes = baton_dtype_size(cases[i].dtype);
        baton_array *array = make_shaped(cases[i].dtype, 1, (int64_t[]) { 3 }, s);
        ok(baton_fill(array, cases[i].value, bytes, s, &error));    /* loads what it needs */
        counting_start();
        ok(baton_fill(array, cases[i].value, bytes, s, &error));
        ck_assert_uint_eq(calls(cases[i].row), 1);
        ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 1);
        ok(baton_download(found, 3u * bytes, array, s, &error));
        for (uint32_t k = 0; k < 3; k++)
            ck_assert_mem_eq(found + k * bytes, cases[i].value, bytes);
        baton_array_release(array);
    }
    baton_stream_release(s);
}
END_TEST

/* O5: against the host model; the bytes between the elements stay as they are. */
START_TEST(a_strided_fill_touches_nothing_else)
{
    uint64_t seed = support_seed(3);
    baton_stream *s = make_stream();
    for (int round = 0; round < ROUNDS; round++) {
        int64_t shape[MODEL_DIMS];
        int32_t ndim = (int32_t)random_between(&seed, 0, MODEL_DIMS), dtype = by_size[round % 5];
        struct viewed viewed;
        uint8_t value[16];
        for (int32_t d = 0; d < ndim; d++)
            shape[d] = random_between(&seed, round % 10 == 0 ? 0 : 1, 5);
        viewed_make(&viewed, &seed, dtype, ndim, shape, s);
        random_bytes(&seed, value, sizeof value);
        if (round % 3 == 0)
            memset(value, value[0], sizeof value);
        ok(baton_fill(viewed.view, value, viewed.element_bytes, s, &error));
        fill_model(&viewed, value);
        viewed_expect(&viewed, s);
        viewed_free(&viewed);
    }
    baton_stream_release(s);
}
END_TEST

/* O5: more elements than the kernel has threads. */
START_TEST(a_large_strided_fill_reaches_every_element)
{
    enum { ROWS = 1100, COLUMNS = 1000 };
    baton_stream *s = make_stream();
    baton_array *array = make_shaped(BATON_U8, 2, (int64_t[]) { ROWS, COLUMNS }, s), *view;
    uint8_t zero = 0, one = 1, *found = malloc(ROWS * COLUMNS);
    baton_view_options options = { .struct_size = sizeof options, .ndim = 2, .start = (int64_t[]) { 0, 1 } };
    ck_assert_ptr_nonnull(found);
    ok(baton_fill(array, &zero, 1, s, &error));
    ok(baton_array_view(array, &options, &view, &error));
    ok(baton_fill(view, &one, 1, s, &error));
    ok(baton_download(found, ROWS * COLUMNS, array, s, &error));
    for (int i = 0; i < ROWS * COLUMNS; i++)
        ck_assert_int_eq(found[i], i % COLUMNS != 0);
    free(found);
    baton_array_release(array);
    baton_array_release(view);
    baton_stream_release(s);
}
END_TEST

/* O5: the value is copied at the call. */
START_TEST(the_value_may_be_reused_on_return)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(10, s), *odd;
    baton_view_options options = { .struct_size = sizeof options,
                                   .ndim = 1,
                                   .start = (int64_t[]) { 1 },
                                   .count = (int64_t[]) { 5 },
                                   .step = (int64_t[]) { 2 } };
    int32_t value = 5, found[10];
    ok(baton_array_view(array, &options, &odd, &error));
    baton_gate *gate = close_gate(s);
    ok(baton_fill(array, &value, sizeof value, s, &error));
    value = 6;
    ok(baton_fill(odd, &value, sizeof value, s, &error));
    value = 7;
    ck_assert_int_eq(baton_stream_query(s, &error), BATON_NOT_READY);
    open_gate(gate);
    ok(baton_download(found, sizeof found, array, s, &error));
    for (int i = 0; i < 10; i++)
        ck_assert_int_eq(found[i], 5 + i % 2);
    baton_array_release(array);
    baton_array_release(odd);
    baton_stream_release(s);
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

static void fill_held(void *argument)
{
    struct held *held = argument;
    fill(held->operand.array, 1, held->stream);
}

/* O2: what waits for a lock keeps its memory, though the last handle goes meanwhile. The end of the scope drains. */
START_TEST(a_fill_that_waits_for_a_lock_keeps_its_memory)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(10, s), *view;
    baton_view_options options = {
        .struct_size = sizeof options, .ndim = 1, .count = (int64_t[]) { 5 }, .step = (int64_t[]) { 2 }
    };
    struct waiter waiter;
    ok(baton_array_view(array, &options, &view, &error));
    struct held held = { { .array = view }, s, NULL };
    on_thread(begin_scope, &held);
    uint64_t frees = stats().frees, operations = stats().operations;
    waiter_start(&waiter, fill_held, &held);
    waiter_expect_parked(&waiter, array);
    arrays_release(array, view);
    ok(baton_scope_end(held.scope, &error));
    waiter_join(&waiter);
    ck_assert_uint_eq(stats().operations, operations + 2);
    ok(baton_drain(runtime, 0, NULL, &error));
    ck_assert_uint_eq(stats().frees, frees + 1);
    baton_scope_release(held.scope);
    baton_stream_release(s);
}
END_TEST

/* E1: before anything is submitted. */
START_TEST(a_wrong_fill_is_refused)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(10, s), *dead = make_array(1, s);
    uint64_t value = 1;
    ok(baton_array_dispose(dead, &error));
    counting_start();
    refused(BATON_ERR_ARGUMENT, baton_fill(array, NULL, 4, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_fill(array, &value, 8, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_fill(array, &value, 0, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_fill(NULL, &value, 4, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_fill(array, &value, 4, NULL, &error));
    refused(BATON_ERR_HANDLE, baton_fill((baton_array *)(void *)s, &value, 4, s, &error));
    refused(BATON_ERR_HANDLE, baton_fill(array, &value, 4, (baton_stream *)(void *)array, &error));
    refused(BATON_ERR_HANDLE, baton_fill(dead, &value, 4, s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    baton_array_release(array);
    baton_array_release(dead);
    baton_stream_release(s);
}
END_TEST

SUPPORT_MAIN("fill", 60, every_dtype_is_filled_with_its_bit_pattern, a_run_is_filled_by_one_call,
             a_strided_fill_touches_nothing_else, a_large_strided_fill_reaches_every_element,
             the_value_may_be_reused_on_return, a_fill_that_waits_for_a_lock_keeps_its_memory,
             a_wrong_fill_is_refused)
