/* Memory that somebody else allocated: who owns it, when it is given back, and what may be done to it. */
#include "waiter.h"

/* Somebody else's memory: an array's own address, kept alive by `lender`, and a count of the deleter's calls. */
struct lent {
    baton_array *lender;
    uint64_t address;
    int deleted;
    uint64_t deleted_address;
};

static void lent_delete(void *user, uint64_t address)
{
    struct lent *lent = user;
    lent->deleted++;
    lent->deleted_address = address;
}

static struct lent lend(int32_t kind, int64_t elements, baton_stream *s)
{
    struct lent lent = { .lender = make_array_of(kind, elements, s) };
    ok(baton_array_pointer(lent.lender, s, BATON_WRITE, &lent.address, &error));
    return lent;
}

static baton_array_options options_of(int32_t kind, const int64_t *elements, baton_stream *s)
{
    return (baton_array_options) { .struct_size = sizeof(baton_array_options),
                                  .kind = kind,
                                  .dtype = BATON_I32,
                                  .ndim = 1,
                                  .shape = elements,
                                  .stream = s };
}

static baton_array *wrap(struct lent *lent, int32_t kind, int64_t elements, int32_t read_only, baton_stream *s)
{
    baton_array *array;
    baton_array_options options = options_of(kind, &elements, s);
    options.read_only = read_only;
    ok(baton_array_wrap(runtime, &options, lent->address, lent_delete, lent, &array, &error));
    return array;
}

static void drain(void)
{
    ok(baton_drain(runtime, 0, NULL, &error));
}

/* O10 */
START_TEST(wrapped_memory_of_every_kind_works_like_an_array)
{
    baton_stream *s = make_stream();
    for (int32_t kind = BATON_DEVICE; kind <= BATON_UNIFIED; kind++) {
        struct lent lent = lend(kind, 10, s);
        baton_array *array = wrap(&lent, kind, 10, 0, s);
        uint64_t address;
        ck_assert_int_eq(info_of(array).kind, kind);
        ck_assert_uint_eq(info_of(array).flags & (BATON_ARRAY_FOREIGN | BATON_ARRAY_VIEW), BATON_ARRAY_FOREIGN);
        ok(baton_array_pointer(array, s, BATON_READ, &address, &error));
        ck_assert_uint_eq(address, lent.address);
        fill(array, 8, s);
        expect(array, 8, s);
        baton_array_release(array);
        drain();
        ck_assert_int_eq(lent.deleted, 1);
        baton_array_release(lent.lender);
    }
    baton_stream_release(s);
}
END_TEST

/* O9, O10: called at a drain, not in release, and only once the last use has finished. */
START_TEST(the_deleter_is_called_once_after_the_last_use)
{
    baton_stream *s = make_stream(), *reader = make_stream();
    struct lent lent = lend(BATON_DEVICE, 10, s);
    baton_array *array = wrap(&lent, BATON_DEVICE, 10, 0, s), *copy = make_array(10, reader),
                *view = make_view(array, 0, 10);
    fill(array, 1, s);
    baton_gate *gate = close_gate(reader);
    ok(baton_copy(copy, view, reader, &error));
    baton_array_release(array);
    drain();
    ck_assert_int_eq(lent.deleted, 0);              /* a view is left */
    counting_start();
    baton_array_release(view);
    ck_assert_int_eq(lent.deleted, 0);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    drain();                                        /* a reader has not finished */
    ck_assert_int_eq(lent.deleted, 0);
    ck_assert_uint_eq(calls(DRIVER_ROW_event_synchronize) + calls(DRIVER_ROW_stream_synchronize), 0);
    open_gate(gate);
    ok(baton_stream_synchronize(reader, BATON_WAIT_AUTO, &error));
    ck_assert_int_eq(lent.deleted, 0);
    drain();
    ck_assert_int_eq(lent.deleted, 1);
    ck_assert_uint_eq(lent.deleted_address, lent.address);
    drain();
    ck_assert_int_eq(lent.deleted, 1);
    expect(copy, 1, reader);
    baton_array_release(copy);
    baton_array_release(lent.lender);
    baton_stream_release(s);
    baton_stream_release(reader);
}
END_TEST

/* P4: foreign work submitted on the declared stream is work too. */
START_TEST(the_deleter_waits_for_foreign_work_on_the_declared_stream)
{
    baton_stream *s = make_stream();
    struct lent lent = lend(BATON_DEVICE, 10, s);
    baton_array *array = wrap(&lent, BATON_DEVICE, 10, 0, s);
    ck_assert_uint_eq(info_of(array).flags & BATON_ARRAY_ESCAPED, BATON_ARRAY_ESCAPED);
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    baton_gate *gate = close_gate(s);               /* stands for work that the library does not see */
    baton_array_release(array);
    drain();
    ck_assert_int_eq(lent.deleted, 0);
    open_gate(gate);
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    drain();
    ck_assert_int_eq(lent.deleted, 1);
    baton_array_release(lent.lender);
    baton_stream_release(s);
}
END_TEST

/* P4: the first operation on another stream follows the declared one on the device. */
START_TEST(an_operation_follows_the_declared_stream_on_the_device)
{
    baton_stream *a = make_stream(), *b = make_stream();
    struct lent lent = lend(BATON_DEVICE, 10, a);
    baton_array *array = wrap(&lent, BATON_DEVICE, 10, 0, a);
    baton_gate *gate = close_gate(a);
    fill(array, 2, b);
    ck_assert_int_eq(baton_stream_query(b, &error), BATON_NOT_READY);
    open_gate(gate);
    expect(array, 2, b);
    baton_array_release(array);
    drain();
    baton_array_release(lent.lender);
    baton_stream_release(a);
    baton_stream_release(b);
}
END_TEST

START_TEST(without_a_deleter_or_a_stream_nothing_is_owned_and_nothing_waited_for)
{
    baton_stream *s = make_stream();
    struct lent lent = lend(BATON_HOST, 10, s);
    int64_t elements = 10;
    baton_array_options options = options_of(BATON_HOST, &elements, NULL);
    baton_array *array;
    void *address;
    ok(baton_array_wrap(runtime, &options, lent.address, NULL, NULL, &array, &error));
    ck_assert_uint_eq(info_of(array).owner_stream_id, 0);
    ok(baton_array_host_pointer(array, BATON_READ_WRITE, &address, &error));
    ck_assert_uint_eq((uint64_t)(uintptr_t)address, lent.address);
    baton_array_release(array);
    drain();
    baton_array_release(lent.lender);
    baton_stream_release(s);
}
END_TEST

/* E1, O10: when wrap fails, the caller still owns the memory. */
START_TEST(a_wrap_that_fails_leaves_the_memory_with_the_caller)
{
    baton_stream *s = make_stream();
    struct lent lent = lend(BATON_DEVICE, 10, s), host = lend(BATON_HOST, 10, s);
    int64_t elements = 9, strides = -1;
    baton_array *array = NULL;
    baton_array_options good = options_of(BATON_DEVICE, &elements, s);
#define REFUSED(status, address, ...)                                                                           \
    do {                                                                                                        \
        baton_array_options bad = good;                                                                         \
        __VA_ARGS__;                                                                                            \
        refused(status, baton_array_wrap(runtime, &bad, address, lent_delete, &lent, &array, &error));          \
    } while (0)
    REFUSED(BATON_ERR_KIND, lent.address, bad.kind = BATON_HOST);
    REFUSED(BATON_ERR_KIND, lent.address, bad.kind = BATON_UNIFIED);
    REFUSED(BATON_ERR_KIND, host.address, (void)0);
    REFUSED(BATON_ERR_KIND, (uint64_t)(uintptr_t)&elements, (void)0);
    REFUSED(BATON_ERR_ARGUMENT, lent.address + 1, (void)0);
    REFUSED(BATON_ERR_ARGUMENT, 0, (void)0);
    REFUSED(BATON_ERR_SHAPE, lent.address, bad.strides = &strides);
    REFUSED(BATON_ERR_BOUNDS, UINT64_MAX - 7, bad.kind = 0);            /* past the address space */
    REFUSED(BATON_ERR_DEVICE, lent.address, bad.device = 64);
    REFUSED(BATON_ERR_ARGUMENT, lent.address, bad.read_only = 2);
    instrument_fail(DRIVER_ROW_pointer_attribute, 1, DRIVER_INVALID_CONTEXT, 0);
    REFUSED(BATON_ERR_DRIVER, lent.address, (void)0);
    drain();
    ck_assert_int_eq(lent.deleted, 0);
    ck_assert_ptr_null(array);
    baton_array_release(lent.lender);
    baton_array_release(host.lender);
    baton_stream_release(s);
}
END_TEST

/* E1, O10 */
START_TEST(memory_is_not_wrapped_for_a_stream_of_another_device)
{
    baton_stream *s = make_stream(), *other = make_stream_on(1);
    struct lent lent = lend(BATON_DEVICE, 10, s);
    int64_t elements = 10;
    baton_array *array = NULL;
    baton_array_options options = options_of(BATON_DEVICE, &elements, other);
    refused(BATON_ERR_DEVICE, baton_array_wrap(runtime, &options, lent.address, lent_delete, &lent, &array, &error));
    drain();
    ck_assert_int_eq(lent.deleted, 0);
    ck_assert_ptr_null(array);
    baton_array_release(lent.lender);
    streams_release(s, other);
}
END_TEST

/* Nothing reaches the device that would write to it. */
START_TEST(read_only_memory_is_never_written)
{
    baton_stream *s = make_stream();
    struct lent lent = lend(BATON_UNIFIED, 4, s);
    fill(lent.lender, 6, s);
    ok(baton_array_synchronize(lent.lender, BATON_WAIT_AUTO, &error));
    baton_array *array = wrap(&lent, BATON_UNIFIED, 4, 1, s), *view = make_view(array, 0, 4), *copy = make_array(4, s);
    int32_t values[4] = { 0 };
    uint64_t address;
    void *host;
    baton_scope *scope;
    baton_operand operand = { .array = view, .access = BATON_WRITE };
    baton_kernel *kernel = make_add_one(0);
    ck_assert_uint_eq(info_of(view).flags & BATON_ARRAY_READ_ONLY, BATON_ARRAY_READ_ONLY);
    uint64_t operations = stats().operations;
    refused(BATON_ERR_KIND, baton_fill(array, values, 4, s, &error));
    refused(BATON_ERR_KIND, baton_copy(view, copy, s, &error));
    refused(BATON_ERR_KIND, baton_upload(view, values, sizeof values, s, &error));
    refused(BATON_ERR_KIND, add_one(kernel, view, copy, s, &error));
    refused(BATON_ERR_KIND, baton_scope_begin(s, NULL, &operand, 1, 0, &scope, &error));
    refused(BATON_ERR_KIND, baton_array_pointer(view, s, BATON_WRITE, &address, &error));
    refused(BATON_ERR_KIND, baton_array_pointer(view, s, 0, &address, &error));
    refused(BATON_ERR_KIND, baton_array_host_pointer(view, BATON_READ_WRITE, &host, &error));
    ck_assert_uint_eq(stats().operations, operations);
    ok(add_one(kernel, copy, view, s, &error));
    expect(copy, 7, s);
    ok(baton_array_host_pointer(view, BATON_READ, &host, &error));
    ok(baton_array_pointer(view, s, BATON_READ, &address, &error));
    expect(view, 6, s);
    baton_array_release_n((baton_array *[]) { array, view, copy }, 3);
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    drain();
    ck_assert_int_eq(lent.deleted, 1);
    baton_array_release(lent.lender);
    baton_kernel_release(kernel);
    baton_stream_release(s);
}
END_TEST

/* O9: dispose runs the deleter at once when that is possible, and says so when it is not. */
START_TEST(wrapped_memory_can_be_disposed_of_once_it_is_idle)
{
    baton_stream *s = make_stream();
    struct lent lent = lend(BATON_DEVICE, 10, s);
    baton_array *array = wrap(&lent, BATON_DEVICE, 10, 0, s);
    baton_gate *gate = close_gate(s);
    fill(array, 1, s);
    ck_assert_int_eq(baton_array_dispose(array, &error), BATON_NOT_READY);
    ck_assert_int_eq(lent.deleted, 0);
    open_gate(gate);
    expect(array, 1, s);                            /* nothing changed */
    ok(baton_array_dispose(array, &error));
    ck_assert_int_eq(lent.deleted, 1);
    ok(baton_array_dispose(array, &error));
    baton_array_release(array);
    drain();
    ck_assert_int_eq(lent.deleted, 1);
    baton_array_release(lent.lender);
    baton_stream_release(s);
}
END_TEST

/* A fault on the device would be the end of everything; an error is not. */
START_TEST(ordinary_memory_of_the_host_is_copied_and_refused_to_kernels)
{
    static int32_t bytes[10];
    baton_stream *s = make_stream();
    struct lent lent = { .address = (uint64_t)(uintptr_t)bytes };
    baton_array *array = wrap(&lent, BATON_HOST, 10, 0, s), *other = make_array(10, s);
    fill(other, 7, s);
    ok(baton_copy(array, other, s, &error));                    /* now s owns it */
    int32_t value = 3;
    ck_assert_int_eq(baton_fill(array, &value, sizeof value, s, &error), BATON_ERR_KIND);
    baton_argument ordinary = baton_in(array), device = baton_in(other);
    ck_assert_int_eq(baton_elementwise(BATON_ADD, array, &device, &device, s, &error), BATON_ERR_KIND);
    ck_assert_int_eq(baton_elementwise(BATON_ADD, other, &device, &ordinary, s, &error), BATON_ERR_KIND);
    expect(array, 7, s);
    expect(other, 7, s);
    baton_array_release(array);
    baton_array_release(other);
    drain();
    ck_assert_int_eq(lent.deleted, 1);
    baton_stream_release(s);
}
END_TEST

SUPPORT_MAIN("wrap", 60, wrapped_memory_of_every_kind_works_like_an_array,
             the_deleter_is_called_once_after_the_last_use, the_deleter_waits_for_foreign_work_on_the_declared_stream,
             an_operation_follows_the_declared_stream_on_the_device,
             without_a_deleter_or_a_stream_nothing_is_owned_and_nothing_waited_for,
             a_wrap_that_fails_leaves_the_memory_with_the_caller, two_devices(memory_is_not_wrapped_for_a_stream_of_another_device), read_only_memory_is_never_written,
             wrapped_memory_can_be_disposed_of_once_it_is_idle, ordinary_memory_of_the_host_is_copied_and_refused_to_kernels)
