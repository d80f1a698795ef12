/* O11: ranges. Element i is start + i * step, from i alone, in row-major order. */
#include "model.h"
#include "waiter.h"

enum { ROUNDS = 100 };

static const int32_t dtypes[] = { BATON_F32, BATON_F64, BATON_I32, BATON_I64 };

union value {
    float f32;
    double f64;
    int32_t i32;
    int64_t i64;
};

static union value value_at(int32_t dtype, union value start, union value step, int64_t i)
{
    union value value = { .i64 = 0 };
    switch (dtype) {
    case BATON_F32: value.f32 = (float)((double)start.f32 + (double)i * (double)step.f32); break;
    case BATON_F64: value.f64 = start.f64 + (double)i * step.f64; break;
    case BATON_I32: value.i32 = (int32_t)(uint32_t)(start.i32 + (int64_t)step.i32 * i); break;
    case BATON_I64: value.i64 = (int64_t)((uint64_t)start.i64 + (uint64_t)i * (uint64_t)step.i64); break;
    }
    return value;
}

static void expect_range(struct viewed *viewed, int32_t dtype, baton_stream *s)
{
    union value start = { .i64 = 0 }, step = { .i64 = 0 };
    switch (dtype) {
    case BATON_F32: start.f32 = 0.1f; step.f32 = -0.3f; break;
    case BATON_F64: start.f64 = 1e10; step.f64 = 0.1; break;
    case BATON_I32: start.i32 = INT32_MAX - 5; step.i32 = 3; break;         /* wraps */
    case BATON_I64: start.i64 = INT64_MIN + 5; step.i64 = -7; break;
    }
    ok(baton_range(viewed->view, &start, &step, viewed->element_bytes, s, &error));
    for (int64_t i = 0; i < model_count(&viewed->model); i++) {
        union value wanted = value_at(dtype, start, step, i);
        memcpy(viewed_at(viewed, i), &wanted, viewed->element_bytes);
    }
    viewed_expect(viewed, s);
}

/* Nothing beside the view changes. */
START_TEST(every_layout_is_numbered_in_row_major_order)
{
    uint64_t seed = support_seed(9);
    baton_stream *s = make_stream();
    for (int round = 0; round < ROUNDS; round++) {
        int32_t dtype = dtypes[round % 4], ndim = (int32_t)random_between(&seed, 0, MODEL_DIMS);
        int64_t shape[MODEL_DIMS];
        struct viewed viewed;
        for (int32_t d = 0; d < ndim; d++)
            shape[d] = random_between(&seed, round % 10 != 0, 5);
        viewed_make(&viewed, &seed, dtype, ndim, shape, s);
        expect_range(&viewed, dtype, s);
        viewed_free(&viewed);
    }
    baton_stream_release(s);
}
END_TEST

/* Where the first well-aligned element is the first to the fourth, and with any number left over. */
START_TEST(a_run_may_begin_and_end_anywhere)
{
    uint64_t seed = support_seed(10);
    baton_stream *s = make_stream();
    for (int d = 0; d < 4; d++)
        for (int64_t start = 0; start < 5; start++)
            for (int64_t count = 0; count < 14; count++) {
                struct viewed viewed;
                viewed_run(&viewed, &seed, dtypes[d], start, count, s);
                expect_range(&viewed, dtypes[d], s);
                viewed_free(&viewed);
            }
    baton_stream_release(s);
}
END_TEST

/* A running sum of a million steps of 0.1f is off by more than a whole step. */
START_TEST(errors_do_not_add_up)
{
    enum { COUNT = 1000001 };
    float start = 0, step = 0.1f, last;
    baton_stream *s = make_stream();
    baton_array *array = make_shaped(BATON_F32, 1, (int64_t[]) { COUNT }, s), *end = make_view(array, COUNT - 1, 1);
    ok(baton_range(array, &start, &step, sizeof step, s, &error));
    ok(baton_download(&last, sizeof last, end, s, &error));
    ck_assert(last == (float)(1000000.0 * (double)step));
    arrays_release(array, end);
    baton_stream_release(s);
}
END_TEST

START_TEST(a_wrong_range_is_refused)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(4, s), *bytes = make_shaped(BATON_U8, 1, (int64_t[]) { 4 }, s);
    int64_t one = 1;
    counting_start();
    refused(BATON_ERR_ARGUMENT, baton_range(NULL, &one, &one, 4, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_range(array, NULL, &one, 4, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_range(array, &one, NULL, 4, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_range(array, &one, &one, 8, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_range(array, &one, &one, 4, NULL, &error));
    refused(BATON_ERR_DTYPE, baton_range(bytes, &one, &one, 1, s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    arrays_release(array, bytes);
    baton_stream_release(s);
}
END_TEST

SUPPORT_MAIN("range", 60, every_layout_is_numbered_in_row_major_order, a_run_may_begin_and_end_anywhere, errors_do_not_add_up, a_wrong_range_is_refused)
