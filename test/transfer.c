/* Upload and download (O4): when the host's memory may be reused, and who waits for what. */
#include "journal.h"
#include "model.h"
#include "waiter.h"

enum { COUNT = 1000, BYTES = COUNT * sizeof(int32_t), ROUNDS = 60 };

/* A transfer for a thread of its own. */
struct transfer {
    baton_array *array;
    baton_stream *stream;
    int32_t *host;
};

static void upload(void *argument)
{
    struct transfer *transfer = argument;
    ok(baton_upload(transfer->array, transfer->host, BYTES, transfer->stream, &error));
}

static void download(void *argument)
{
    struct transfer *transfer = argument;
    ok(baton_download(transfer->host, BYTES, transfer->array, transfer->stream, &error));
}

static int32_t *pinned(baton_array *array)
{
    void *address;
    ok(baton_array_host_pointer(array, BATON_READ_WRITE, &address, &error));
    return address;
}

static void set(int32_t *host, int32_t value)
{
    for (int i = 0; i < COUNT; i++)
        host[i] = value;
}

/* O4: ordinary memory is read at the call. */
START_TEST(an_upload_returns_at_once_and_its_source_may_be_reused)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    int32_t host[COUNT];
    baton_gate *gate = close_gate(s);
    set(host, 5);
    ok(baton_upload(array, host, BYTES, s, &error));
    set(host, 6);
    ck_assert_int_eq(baton_stream_query(s, &error), BATON_NOT_READY);
    open_gate(gate);
    expect(array, 5, s);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

/* O4: pinned memory is read by the device itself, so the call waits. */
START_TEST(an_upload_from_pinned_memory_waits_until_it_is_read)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s), *host = make_array_of(BATON_HOST, COUNT, NULL);
    struct transfer transfer = { array, s, pinned(host) };
    set(transfer.host, 5);
    uint64_t before = stats().host_waits[BATON_HOST_WAIT_UPLOAD];
    baton_gate *gate = close_gate(s);
    must_wait(upload, &transfer, gate);
    set(transfer.host, 6);
    ck_assert_uint_eq(stats().host_waits[BATON_HOST_WAIT_UPLOAD], before + 1);
    expect(array, 5, s);
    baton_array_release(array);
    baton_array_release(host);
    baton_stream_release(s);
}
END_TEST

/* O4, H4: the driver would copy on the host, and wait for the stream itself. */
START_TEST(an_upload_to_host_memory_waits_until_it_is_there_and_holds_no_lock)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array_of(BATON_HOST, COUNT, NULL);
    int32_t host[COUNT];
    struct transfer transfer = { array, s, host };
    struct waiter waiter;
    set(host, 5);
    baton_gate *gate = close_gate(s);
    waiter_start(&waiter, upload, &transfer);
    waiter_expect_blocked(&waiter);
    ck_assert_uint_eq(info_of(array).lock_holder, 0);
    open_gate(gate);
    waiter_join(&waiter);
    ck_assert_int_eq(pinned(array)[COUNT - 1], 5);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

/* O4, H4: complete on return; the wait comes before any lock, so that others can use the memory meanwhile. */
START_TEST(a_download_waits_for_the_owner_and_holds_no_lock)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a), *copy = make_array(COUNT, a);
    int32_t host[COUNT];
    struct transfer transfer = { array, b, host };
    struct waiter waiter;
    set(host, 0);
    baton_gate *gate = close_gate(a);
    fill(array, 9, a);
    waiter_start(&waiter, download, &transfer);
    waiter_expect_blocked(&waiter);
    ck_assert_uint_eq(info_of(array).lock_holder, 0);
    ok(baton_copy(copy, array, a, &error));
    open_gate(gate);
    waiter_join(&waiter);
    for (int i = 0; i < COUNT; i++)
        ck_assert_int_eq(host[i], 9);
    expect(copy, 9, a);
    baton_array_release(array);
    baton_array_release(copy);
    baton_stream_release(a);
    baton_stream_release(b);
}
END_TEST

/* O4 */
START_TEST(a_download_waits_for_its_own_stream)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    int32_t host[COUNT];
    struct transfer transfer = { array, s, host };
    baton_gate *gate = close_gate(s);
    fill(array, 4, s);
    must_wait(download, &transfer, gate);
    ck_assert_int_eq(host[0] + host[COUNT - 1], 8);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

/* O4: to pinned memory the driver's copy returns before it is done; the call does not. */
START_TEST(a_download_to_pinned_memory_is_complete_on_return)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s), *host = make_array_of(BATON_HOST, COUNT, NULL);
    int32_t *found = pinned(host);
    uint64_t copied = 0;
    fill(array, 7, s);
    counting_start();
    ok(baton_download(found, BYTES, array, s, &error));
    ck_assert_uint_eq(journal_find(DRIVER_ROW_copy_to_host, NULL, 0, &copied), 1);
    ck_assert_uint_ge(journal_find(DRIVER_ROW_event_synchronize, NULL, copied, NULL), 1);
    ck_assert_int_eq(found[0] + found[COUNT - 1], 14);
    arrays_release(array, host);
    baton_stream_release(s);
}
END_TEST

/* O4, H1: the asynchronous variant returns behind a gate, and its fence tells when the data is there. */
START_TEST(an_asynchronous_download_returns_a_fence)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a), *host = make_array_of(BATON_HOST, COUNT, NULL);
    int32_t *found = pinned(host);
    baton_fence *fence;
    set(found, 0);
    baton_gate *gate = close_gate(a);
    fill(array, 9, a);
    ok(baton_download_async(found, BYTES, array, b, &fence, &error));
    ck_assert_int_eq(baton_fence_query(fence, &error), BATON_NOT_READY);
    ck_assert_int_eq(baton_fence_wait(fence, 1, BATON_WAIT_BLOCK, &error), BATON_TIMEOUT);
    ck_assert_int_eq(found[0], 0);
    fill(array, 10, a);                     /* a later write follows the read */
    baton_array_release(array);
    open_gate(gate);
    ok(baton_fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_AUTO, &error));
    for (int i = 0; i < COUNT; i++)
        ck_assert_int_eq(found[i], 9);
    baton_fence_release(fence);
    baton_array_release(host);
    baton_stream_release(a);
    baton_stream_release(b);
}
END_TEST

static void download_async(void *argument)
{
    struct transfer *transfer = argument;
    baton_fence *fence;
    ok(baton_download_async(transfer->host, BYTES, transfer->array, transfer->stream, &fence, &error));
    ok(baton_fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_AUTO, &error));
    baton_fence_release(fence);
}

/* H4: into ordinary memory the driver's copy blocks; the long wait still comes before any lock. */
START_TEST(an_asynchronous_download_to_ordinary_memory_holds_no_lock_while_it_waits)
{
    baton_stream *a = make_stream(), *b = make_stream();
    baton_array *array = make_array(COUNT, a);
    int32_t host[COUNT];
    struct transfer transfer = { array, b, host };
    struct waiter waiter;
    baton_gate *gate = close_gate(a);
    fill(array, 3, a);
    waiter_start(&waiter, download_async, &transfer);
    waiter_expect_blocked(&waiter);
    ck_assert_uint_eq(info_of(array).lock_holder, 0);
    open_gate(gate);
    waiter_join(&waiter);
    ck_assert_int_eq(host[0] + host[COUNT - 1], 6);
    baton_array_release(array);
    baton_stream_release(a);
    baton_stream_release(b);
}
END_TEST

/* O4: strided arrays go through a contiguous one; nothing beside the elements changes. The other stream is on another
 * device where there is one. */
START_TEST(strided_arrays_are_uploaded_and_downloaded)
{
    uint64_t seed = support_seed(7);
    baton_stream *s = make_stream(), *other = make_stream_on(device_count() - 1);
    for (int round = 0; round < ROUNDS; round++) {
        static const int32_t dtypes[] = { BATON_BOOL, BATON_BF16, BATON_I32, BATON_C64, BATON_C128 };
        uint8_t sent[4 * 4 * 4 * 16], found[sizeof sent];
        int64_t shape[3];
        struct viewed viewed;
        for (int d = 0; d < 3; d++)
            shape[d] = random_between(&seed, 1, 4);
        viewed_make(&viewed, &seed, dtypes[round % 5], 3, shape, s);
        uint64_t bytes = info_of(viewed.view).bytes;
        random_bytes(&seed, sent, bytes);
        ok(baton_upload(viewed.view, sent, bytes, round % 4 ? s : other, &error));
        for (int64_t i = 0; i < model_count(&viewed.model); i++)
            memcpy(viewed_at(&viewed, i), sent + i * viewed.element_bytes, viewed.element_bytes);
        viewed_expect(&viewed, s);
        ok(baton_download(found, bytes, viewed.view, round % 3 ? s : other, &error));
        ck_assert_mem_eq(found, sent, bytes);
        viewed_free(&viewed);
    }
    baton_stream_release(s);
    baton_stream_release(other);
}
END_TEST

/* E1: the driver is not called. */
START_TEST(a_wrong_transfer_is_refused)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(4, s);
    int32_t host[8] = { 0 };
    baton_fence *fence;
    counting_start();
    refused(BATON_ERR_BOUNDS, baton_upload(array, host, 15, s, &error));
    refused(BATON_ERR_BOUNDS, baton_upload(array, host, 32, s, &error));
    refused(BATON_ERR_BOUNDS, baton_download(host, 0, array, s, &error));
    refused(BATON_ERR_BOUNDS, baton_download_async(host, 17, array, s, &fence, &error));
    refused(BATON_ERR_ARGUMENT, baton_upload(array, NULL, 16, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_download(NULL, 16, array, s, &error));
    refused(BATON_ERR_ARGUMENT, baton_download_async(host, 16, array, s, NULL, &error));
    refused(BATON_ERR_ARGUMENT, baton_upload(array, host, 16, NULL, &error));
    refused(BATON_ERR_ARGUMENT, baton_download(host, 16, NULL, s, &error));
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    baton_array_release(array);
    baton_stream_release(s);
}
END_TEST

/* O4, E1: the copy is under way already; the host's memory is the caller's again when the call is back, with an error too. */
START_TEST(a_transfer_whose_wait_fails_leaves_the_hosts_memory_alone)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(10, s), *pinned = make_array_of(BATON_HOST, 10, s);
    void *host;
    ok(baton_array_host_pointer(pinned, BATON_READ_WRITE, &host, &error));
    for (int upload = 0; upload < 2; upload++) {
        counting_start();
        instrument_fail(DRIVER_ROW_event_query, 1, DRIVER_INVALID_VALUE, 0);
        refused(BATON_ERR_DRIVER, upload ? baton_upload(array, host, 40, s, &error) : baton_download(host, 40, array, s, &error));
        ck_assert_uint_eq(instrument_failures(), 1);
        ck_assert_uint_ge(calls(DRIVER_ROW_event_synchronize), 1);
    }
    arrays_release(array, pinned);
    baton_stream_release(s);
}
END_TEST

SUPPORT_MAIN("transfer", 60, an_upload_returns_at_once_and_its_source_may_be_reused,
             an_upload_from_pinned_memory_waits_until_it_is_read, an_upload_to_host_memory_waits_until_it_is_there_and_holds_no_lock,
             a_download_waits_for_the_owner_and_holds_no_lock, a_download_waits_for_its_own_stream,
             a_download_to_pinned_memory_is_complete_on_return,
             an_asynchronous_download_returns_a_fence,
             an_asynchronous_download_to_ordinary_memory_holds_no_lock_while_it_waits,
             strided_arrays_are_uploaded_and_downloaded, a_wrong_transfer_is_refused,
             a_transfer_whose_wait_fails_leaves_the_hosts_memory_alone)
