/* Access between devices (S12): when it is asked for, and what a device says that does not get it. */
#include "outside.h"
#include "waiter.h"

enum { COUNT = 200 };

static void names_both(int32_t status, int32_t returned)
{
    ck_assert_msg(returned == status, "%s instead of %s", baton_status_name(returned), baton_status_name(status));
    ck_assert_ptr_nonnull(strstr(error.message, "device 0"));
    ck_assert_ptr_nonnull(strstr(error.message, "device 1"));
}

/* S12: once for each pair, in each direction; later uses are not asked about. */
START_TEST(access_between_two_devices_is_enabled_once)
{
    baton_stream *a = make_stream(), *b = make_stream_on(1);
    baton_array *array = make_array(COUNT, a), *other = make_array(COUNT, b);
    fill(array, 1, b);
    ck_assert_uint_eq(calls(DRIVER_ROW_device_can_access_peer), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_context_enable_peer), 1);
    ck_assert_uint_eq(calls(DRIVER_ROW_pool_access), 1);
    fill(array, 2, b);
    ck_assert_uint_eq(calls(DRIVER_ROW_context_enable_peer) + calls(DRIVER_ROW_pool_access), 2);
    fill(other, 3, a);
    ck_assert_uint_eq(calls(DRIVER_ROW_context_enable_peer) + calls(DRIVER_ROW_pool_access), 4);
    expect(array, 2, a);
    expect(other, 3, b);
    arrays_release(array, other);
    streams_release(a, b);
}
END_TEST

static int32_t nothing(void *user, baton_stream *stream, const baton_operand *operands, uint64_t count)
{
    (void)user;
    (void)stream;
    (void)operands;
    (void)count;
    return BATON_OK;
}

/* S12, E1: whatever would touch the memory; the memory stays as it was. */
START_TEST(work_without_peer_access_is_refused_and_both_devices_are_named)
{
    baton_stream *a = make_stream(), *b = make_stream_on(1);
    baton_array *from = make_array(COUNT, a), *to = make_array(COUNT, b);
    baton_kernel *kernel = make_add_one(1);
    baton_operand operand = { .array = from, .access = BATON_READ };
    fill(from, 1, a);
    outside_peers_end();
    names_both(BATON_ERR_PEER, add_one(kernel, to, from, b, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "copy"));
    names_both(BATON_ERR_PEER, baton_fill(from, &(int32_t) { 2 }, sizeof(int32_t), b, &error));
    names_both(BATON_ERR_PEER, baton_cast(to, from, b, &error));
    names_both(BATON_ERR_PEER, baton_with_managed(b, &operand, 1, nothing, NULL, &error));
    ck_assert_uint_eq(info_of(from).owner_stream_id, id_of(a));
    ck_assert_uint_eq(info_of(from).readers, 0);
    ck_assert_uint_eq(info_of(from).lock_holder + info_of(to).lock_holder, 0);
    ok(baton_copy(to, from, b, &error));
    expect(to, 1, b);
    outside_peers_again();
    arrays_release(from, to);
    baton_kernel_release(kernel);
    streams_release(a, b);
}
END_TEST

/* S12, S7: an access that was not given is asked for again. */
START_TEST(each_call_that_enables_access_may_fail_and_the_next_use_works)
{
    static const struct { enum driver_row row; int code; int32_t status; } rows[] = {
        { DRIVER_ROW_device_can_access_peer, DRIVER_OUT_OF_MEMORY, BATON_ERR_OOM }, { DRIVER_ROW_context_enable_peer, DRIVER_INVALID_VALUE, BATON_ERR_DRIVER },
        { DRIVER_ROW_context_enable_peer, DRIVER_TOO_MANY_PEERS, BATON_ERR_PEER }, { DRIVER_ROW_context_enable_peer, DRIVER_PEER_ACCESS_UNSUPPORTED, BATON_ERR_PEER },
        { DRIVER_ROW_pool_access, DRIVER_INVALID_DEVICE, BATON_ERR_DRIVER },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        baton_stream *a = make_stream(), *b = make_stream_on(1);
        baton_array *array = make_array(COUNT, a);
        instrument_fail(rows[i].row, 1, rows[i].code, 0);
        names_both(rows[i].status, baton_fill(array, &(int32_t) { 1 }, sizeof(int32_t), b, &error));
        ck_assert_int_eq(error.driver_code, rows[i].code);
        ck_assert_uint_eq(info_of(array).lock_holder, 0);
        fill(array, 7, b);
        expect(array, 7, a);
        arrays_release(array);
        streams_release(a, b);
        support_reopen(NULL);
    }
}
END_TEST

/* S12: each runtime has a pool of its own, and a context is only as old as the runtimes that hold it. */
START_TEST(memory_of_one_runtime_is_reached_by_another_and_by_a_later_one)
{
    baton_stream *a = make_stream();
    baton_array *array = make_array(COUNT, a);
    baton_runtime *first = runtime;
    for (int32_t i = 0; i < 3; i++) {
        runtime = NULL;
        support_reopen(NULL);
        baton_stream *b = make_stream_on(1);
        baton_array *own = make_array(COUNT, b), *here = make_array(COUNT, NULL);
        fill(here, 1, b);                   /* this runtime's own pool first */
        fill(array, 40 + i, b);
        ok(baton_copy(own, array, b, &error));
        expect(own, 40 + i, b);
        arrays_release(own, here);
        ok(baton_array_synchronize(array, BATON_WAIT_AUTO, &error));
        fill(array, 0, a);
        streams_release(b);
        ok(baton_runtime_close(runtime, &error));
    }
    runtime = first;
    arrays_release(array);
    streams_release(a);
}
END_TEST

SUPPORT_MAIN("peer_access", 60, two_devices(access_between_two_devices_is_enabled_once),
             two_devices(work_without_peer_access_is_refused_and_both_devices_are_named),
             two_devices(each_call_that_enables_access_may_fail_and_the_next_use_works),
             two_devices(memory_of_one_runtime_is_reached_by_another_and_by_a_later_one))
