#include "lent_support.h"

int32_t is_lent(baton_stream *stream)
{
    int32_t lent;
    ok(baton_stream_lent(stream, &lent, &error));
    return lent;
}

struct dlpack_managed *export_to(baton_array *array, driver_stream native)
{
    baton_stream *stream = adopt(number(native));
    struct dlpack_managed *managed = export_with(array, 0, stream);
    baton_stream_release(stream);
    return managed;
}

void consumer_fill(const struct dlpack_managed *managed, int32_t value, driver_stream native)
{
    outside_fill((uint64_t)(uintptr_t)managed->tensor.data, value, COUNT, native);
}

void consumer_end(struct dlpack_managed *managed)
{
    managed->deleter(managed);
}

static driver_stream gone;

driver_stream recycle(driver_stream native)
{
    outside_stream_destroy(native, 0);
    driver_stream next = outside_stream(0);
    ck_assert(!on_soft() || next == native);
    gone = native;
    counting_start();
    return next;
}

void expect_untouched(void)
{
    for (int row = 0; row < DRIVER_ROW_COUNT; row++)
        ck_assert_msg(!journal_find((enum driver_row)row, gone, 0, NULL), "row %d named a stream that may be gone", row);
}

uint64_t export_waits(void)
{
    return stats().host_waits[BATON_HOST_WAIT_EXPORT];
}

struct copying {
    baton_array *to, *from;
    baton_stream *on;
};

static void copy_all(void *argument)
{
    struct copying *copying = argument;
    baton_error own = BATON_ERROR_INIT;
    ck_assert_int_eq(baton_copy(copying->to, copying->from, copying->on, &own), BATON_OK);
}

void copy_must_wait(baton_array *array, int32_t value, baton_stream *on, _Atomic int *open)
{
    baton_array *copy = make_array(COUNT, on);
    struct copying copying = { copy, array, on };
    struct waiter waiter;
    waiter_start(&waiter, copy_all, &copying);
    waiter_expect_blocked(&waiter);
    *open = 1;
    waiter_join(&waiter);
    expect(copy, value, on);
    baton_array_release(copy);
}
