/* BATON_ALLOC_TRY: an array at once, or BATON_WOULD_BLOCK. It enters no driver, waits for nobody and calls nobody, whatever waits to be given back. */
#include "support.h"

enum { ELEMENTS = 256, LOOKS = 8 };

static _Atomic int deleted;

static void count_deleted(void *user, uint64_t address)
{
    (void)user, (void)address;
    deleted++;
}

/* The status of a try. The driver is not called. */
static int32_t try_on(baton_stream *stream, int32_t kind, int64_t elements, baton_array **array)
{
    baton_array_options options = { .struct_size = sizeof options, .flags = BATON_ALLOC_TRY, .kind = kind, .dtype = BATON_I32, .ndim = 1,
                                    .shape = &elements, .stream = stream };
    error = (baton_error)BATON_ERROR_INIT;
    counting_start();
    int32_t status = baton_array_create(runtime, &options, array, &error);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    return status;
}

static baton_array *must(baton_stream *stream)
{
    baton_array *array;
    ck_assert_msg(try_on(stream, BATON_DEVICE, ELEMENTS, &array) == BATON_OK, "%s", error.message);
    return array;
}

static void must_not(baton_stream *stream, int64_t elements)
{
    baton_array *array = NULL;
    ck_assert_int_eq(try_on(stream, BATON_DEVICE, elements, &array), BATON_WOULD_BLOCK);
    ck_assert_ptr_null(array);
}

/* A block of the stream's lies in the cache, which the first one makes. */
static void lay_by(baton_stream *stream)
{
    baton_array_release(make_array(ELEMENTS, stream));
    ok(baton_drain(runtime, 0, NULL, &error));
}

START_TEST(what_was_released_just_now_is_had_at_once)
{
    baton_stream *stream = make_stream();
    lay_by(stream);
    for (int i = 0; i < 4 * LOOKS; i++)
        baton_array_release(must(stream));
    ck_assert_uint_eq(stats().cache_hits, 4 * LOOKS);
    baton_array *array = must(stream);
    fill(array, 3, stream);
    expect(array, 3, stream);
    baton_array_release(array);
    baton_stream_release(stream);
}
END_TEST

START_TEST(what_the_driver_would_have_to_make_is_not_made)
{
    baton_stream *stream = make_stream();
    baton_array *empty;
    must_not(stream, ELEMENTS);
    baton_array_release(make_array(ELEMENTS, stream));
    must_not(stream, ELEMENTS);                     /* not even the cache */
    ok(baton_drain(runtime, 0, NULL, &error));
    must_not(stream, 100 * ELEMENTS);
    must_not(NULL, ELEMENTS);
    ok(try_on(stream, BATON_DEVICE, 0, &empty));
    baton_array_release(empty);
    ok(baton_drain(runtime, 0, NULL, &error));
    baton_array_release(must(stream));
    baton_stream_release(stream);
}
END_TEST

/* S4: the block would tie the streams together, or wait; and whether it has finished, only the driver knows. */
START_TEST(a_block_that_is_busy_elsewhere_is_not_had_at_once)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_gate *gate = close_gate(a);
    baton_array *array = make_array(ELEMENTS, b);
    fill(array, 1, a);
    baton_array_release(array);
    ok(baton_drain(runtime, 0, NULL, &error));
    must_not(b, ELEMENTS);
    ok(baton_gate_open(gate, &error));
    ok(baton_stream_synchronize(a, BATON_WAIT_AUTO, &error));
    baton_gate_release(gate);
    ok(baton_drain(runtime, 0, NULL, &error));      /* of the gate */
    baton_array_release(must(b));
    baton_stream_release(a);
    baton_stream_release(b);
}
END_TEST

/* O9, I5: the deleter runs at a drain, and a try is none that may call it; nor may what waits be passed over for ever. */
START_TEST(what_waits_for_the_driver_or_a_deleter_refuses_the_try)
{
    static int32_t bytes[4];
    baton_array *foreign, *array = NULL;
    int64_t shape = 4;
    baton_array_options options = { .struct_size = sizeof options, .kind = BATON_HOST, .dtype = BATON_I32, .ndim = 1, .shape = &shape };
    baton_stream *stream = make_stream();
    lay_by(stream);
    ok(baton_array_wrap(runtime, &options, (uint64_t)(uintptr_t)bytes, count_deleted, NULL, &foreign, &error));
    baton_array_release(foreign);
    must_not(stream, ELEMENTS);
    ck_assert_int_eq(deleted, 0);
    array = make_array(ELEMENTS, stream);           /* the ordinary way drains */
    ck_assert_int_eq(deleted, 1);
    baton_array_release(array);
    baton_array_release(must(stream));
    baton_stream_release(stream);
}
END_TEST

/* P4: when foreign work on it was submitted is known only by a new ticket. */
START_TEST(a_block_that_foreign_code_used_comes_back_the_ordinary_way)
{
    baton_stream *stream = make_stream();
    baton_array *array = make_array(ELEMENTS, stream);
    uint64_t address;
    lay_by(stream);
    ok(baton_array_pointer(array, stream, BATON_WRITE, &address, &error));
    baton_array_release(array);
    must_not(stream, ELEMENTS);
    ok(baton_drain(runtime, 0, NULL, &error));
    baton_array_release(must(stream));
    baton_stream_release(stream);
}
END_TEST

/* Some of the puts look whether the oldest uses are over, and ask the driver: those are left to an ordinary call. */
START_TEST(blocks_with_uses_are_looked_after_by_ordinary_calls)
{
    baton_stream *stream = make_stream(), *other = make_stream();
    baton_array *array = make_array(100 * ELEMENTS, other);
    int refused = 0;
    fill(array, 1, other);
    baton_array_release(array);
    lay_by(stream);
    for (int i = 0; i < 4 * LOOKS; i++) {
        int32_t status = try_on(stream, BATON_DEVICE, ELEMENTS, &array);
        refused += status == BATON_WOULD_BLOCK;
        if (status)
            array = make_array(ELEMENTS, stream);
        baton_array_release(array);
    }
    ck_assert_int_ge(refused, 1);
    ck_assert_int_le(refused, 4);
    baton_stream_release(stream);
    baton_stream_release(other);
}
END_TEST

START_TEST(wrong_options_are_errors_and_not_would_block)
{
    baton_array *array;
    int64_t negative = -1;
    baton_array_options options = { .struct_size = sizeof options, .flags = BATON_ALLOC_TRY, .dtype = BATON_I32, .ndim = 1, .shape = &negative };
    ck_assert_int_eq(baton_array_create(runtime, &options, &array, &error), BATON_ERR_SHAPE);
    options.ndim = 0;
    options.device = 99;
    ck_assert_int_eq(baton_array_create(runtime, &options, &array, NULL), BATON_WOULD_BLOCK);     /* no stream is named */
    baton_stream *stream = make_stream();
    options.stream = stream;
    ck_assert_int_eq(baton_array_create(runtime, &options, &array, &error), BATON_ERR_DEVICE);
    options.flags = 4;
    ck_assert_int_eq(baton_array_create(runtime, &options, &array, &error), BATON_ERR_ARGUMENT);
    baton_stream_release(stream);
}
END_TEST

/* C9: nothing is given back during a capture, but blocks are there to be used. */
START_TEST(during_a_capture_blocks_are_had_at_once_and_nothing_is_given_back)
{
    baton_stream *stream = make_stream(), *other = make_stream();
    lay_by(other);
    ok(baton_capture_begin(stream, BATON_CAPTURE_RELAXED, &error));
    baton_array *array = must(other);
    baton_array_release(array);
    must_not(other, ELEMENTS);
    baton_graph *graph;
    ok(baton_capture_end(stream, &graph, &error));
    baton_graph_release(graph);
    ok(baton_drain(runtime, 0, NULL, &error));
    baton_array_release(must(other));
    baton_stream_release(other);
    baton_stream_release(stream);
}
END_TEST

SUPPORT_MAIN("try to allocate", 30, what_was_released_just_now_is_had_at_once, what_the_driver_would_have_to_make_is_not_made,
             a_block_that_is_busy_elsewhere_is_not_had_at_once, what_waits_for_the_driver_or_a_deleter_refuses_the_try,
             a_block_that_foreign_code_used_comes_back_the_ordinary_way, blocks_with_uses_are_looked_after_by_ordinary_calls,
             wrong_options_are_errors_and_not_would_block, during_a_capture_blocks_are_had_at_once_and_nothing_is_given_back)
