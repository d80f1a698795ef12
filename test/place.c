/* What wrap and import find out about memory that somebody else allocated, and what they refuse. */
#include "array/array.h"
#include "array/place.h"
#include "exchange/dlpack.h"
#include "waiter.h"

static const int64_t FAR = (int64_t)1 << 40;     /* elements: more than any allocation has */

/* An array whose address stands for somebody else's memory. */
struct lent {
    baton_array *lender;
    baton_stream *stream;
    uint64_t address;
};

static struct lent lend_on(int32_t device, int32_t kind, int64_t elements)
{
    struct lent lent = { .stream = make_stream_on(device) };
    lent.lender = make_array_of(kind, elements, lent.stream);
    ok(baton_array_pointer(lent.lender, lent.stream, BATON_WRITE, &lent.address, &error));
    return lent;
}

static void lent_free(struct lent *lent)
{
    baton_array_release(lent->lender);
    baton_stream_release(lent->stream);
}

static int32_t wrap_as(int32_t kind, int32_t device, uint64_t address, int64_t elements, baton_array **array)
{
    baton_array_options options = { .struct_size = sizeof options, .kind = kind, .device = device, .dtype = BATON_I32,
                                    .ndim = 1, .shape = &elements };
    return baton_array_wrap(runtime, &options, address, NULL, NULL, array, &error);
}

static void expect_kind(uint64_t address, int64_t elements, int32_t kind)
{
    baton_array *array;
    ok(wrap_as(0, 0, address, elements, &array));
    ck_assert_int_eq(info_of(array).kind, kind);
    ck_assert_uint_eq(info_of(array).flags & BATON_ARRAY_FOREIGN, BATON_ARRAY_FOREIGN);
    baton_array_release(array);
}

/* O10 */
START_TEST(wrap_asks_the_driver_for_the_kind_that_was_left_open)
{
    int32_t ordinary[4] = { 0 };
    for (int32_t kind = BATON_DEVICE; kind <= BATON_UNIFIED; kind++) {
        struct lent lent = lend_on(0, kind, 16);
        expect_kind(lent.address, 16, kind);
        expect_kind(lent.address + 32, 8, kind);        /* within the allocation */
        lent_free(&lent);
    }
    expect_kind((uint64_t)(uintptr_t)ordinary, 4, BATON_HOST);
    expect_kind(0, 0, BATON_DEVICE);                    /* no bytes: nothing to ask about */
}
END_TEST

/* S11: the kind that was found decides how the memory changes hands. */
START_TEST(memory_of_a_detected_kind_obeys_the_rules_of_that_kind)
{
    struct lent lent = lend_on(0, BATON_HOST, 4);
    baton_array *array;
    void *address;
    ok(wrap_as(0, 0, lent.address, 4, &array));
    fill(array, 5, lent.stream);
    ok(baton_array_host_pointer(array, BATON_READ, &address, &error));
    ck_assert_uint_eq((uint64_t)(uintptr_t)address, lent.address);
    ck_assert_int_eq(((int32_t *)address)[3], 5);
    baton_array_release(array);
    lent_free(&lent);
}
END_TEST

START_TEST(a_kind_that_is_none_is_refused)
{
    struct lent lent = lend_on(0, BATON_DEVICE, 4);
    baton_array *array;
    refused(BATON_ERR_KIND, wrap_as(-1, 0, lent.address, 4, &array));
    refused(BATON_ERR_KIND, wrap_as(4, 0, lent.address, 4, &array));
    lent_free(&lent);
}
END_TEST

static int is_soft(void)
{
    baton_runtime_info info = { .struct_size = sizeof info };
    ok(baton_runtime_info_read(runtime, &info, &error));
    return strcmp(info.driver, "soft") == 0;
}

/* What wrap says to an array that leaves the allocation: of pools, and of memory that the host shares, a driver need not know it. */
static int32_t beyond(const struct lent *lent)
{
    struct place place;
    ok(place_detect(lent->lender->memory->device, lent->address, &place, &error));
    return place.bytes ? BATON_ERR_BOUNDS : BATON_OK;
}

/* The status must be this one; an array that was made is given back. */
static void expect_wrap(int32_t status, int32_t kind, uint64_t address, int64_t elements)
{
    baton_array *array = NULL;
    ck_assert_int_eq(wrap_as(kind, 0, address, elements, &array), status);
    baton_array_release(array);
}

START_TEST(an_array_that_leaves_its_allocation_is_refused)
{
    for (int32_t kind = BATON_DEVICE; kind <= BATON_UNIFIED; kind++) {
        struct lent lent = lend_on(0, kind, 1 << 20);   /* of its own, also where small ones share a page */
        expect_wrap(beyond(&lent), kind, lent.address, FAR);
        expect_wrap(beyond(&lent), 0, lent.address + 4096, FAR);
        expect_wrap(BATON_OK, kind, lent.address + 4096, (1 << 20) - 1024);
        if (is_soft())
            ck_assert_int_eq(beyond(&lent), BATON_ERR_BOUNDS);
        lent_free(&lent);
    }
}
END_TEST

/* The last byte counts, and where strides leave gaps, what lies between them. */
START_TEST(the_end_of_an_array_is_held_against_the_end_of_the_allocation)
{
    int64_t shape = 3, stride = 5;
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_I32, .ndim = 1, .shape = &shape,
                                    .strides = &stride };
    struct lent lent = lend_on(0, BATON_UNIFIED, 11);
    baton_array *array;
    ok(baton_array_wrap(runtime, &options, lent.address, NULL, NULL, &array, &error));
    baton_array_release(array);
    if (is_soft())        /* which says how much was asked for, to the byte */
        refused(BATON_ERR_BOUNDS, baton_array_wrap(runtime, &options, lent.address + 4, NULL, NULL, &array, &error));
    shape = FAR / 5;
    array = NULL;
    ck_assert_int_eq(baton_array_wrap(runtime, &options, lent.address, NULL, NULL, &array, &error), beyond(&lent));
    baton_array_release(array);
    lent_free(&lent);
}
END_TEST

static int one_device(void)
{
    int32_t count;
    ok(baton_device_count(runtime, &count, &error));
    return count < 2;
}

START_TEST(memory_of_another_device_is_refused_and_both_are_named)
{
    baton_array *array;
    if (one_device())
        return;
    struct lent lent = lend_on(1, BATON_DEVICE, 8);
    refused(BATON_ERR_DEVICE, wrap_as(0, 0, lent.address, 8, &array));
    ck_assert_ptr_nonnull(strstr(error.message, "device 1, not of device 0"));
    refused(BATON_ERR_DEVICE, wrap_as(BATON_DEVICE, 0, lent.address, 8, &array));
    ok(wrap_as(0, 1, lent.address, 8, &array));
    ck_assert_int_eq(info_of(array).device, 1);
    baton_array_release(array);
    lent_free(&lent);
}
END_TEST

START_TEST(pinned_and_unified_memory_belongs_to_no_device_alone)
{
    if (one_device())
        return;
    for (int32_t kind = BATON_HOST; kind <= BATON_UNIFIED; kind++) {
        struct lent lent = lend_on(1, kind, 8);
        baton_array *array;
        ok(wrap_as(0, 0, lent.address, 8, &array));
        ck_assert_int_eq(info_of(array).kind, kind);
        baton_array_release(array);
        lent_free(&lent);
    }
}
END_TEST

/* A driver that cannot tell where an allocation ends, or whose it is, stands in nobody's way. */
START_TEST(what_the_driver_does_not_tell_is_accepted)
{
    struct lent lent = lend_on(0, BATON_DEVICE, 1 << 20);
    baton_array *array;
    for (unsigned nth = 3; nth <= 5; nth++) {           /* ordinal, start, size */
        instrument_reset();
        instrument_fail(DRIVER_ROW_pointer_attribute, nth, DRIVER_INVALID_VALUE, 0);
        ok(wrap_as(0, 0, lent.address, nth == 3 ? 8 : FAR, &array));
        ck_assert_int_eq(info_of(array).kind, BATON_DEVICE);
        baton_array_release(array);
    }
    instrument_reset();
    lent_free(&lent);
}
END_TEST

START_TEST(a_driver_that_fails_while_it_is_asked_is_an_error)
{
    struct lent lent = lend_on(0, BATON_DEVICE, 8);
    baton_array *array = NULL;
    for (unsigned nth = 1; nth <= 5; nth++) {
        instrument_reset();
        instrument_fail(DRIVER_ROW_pointer_attribute, nth, DRIVER_INVALID_CONTEXT, 0);
        refused(BATON_ERR_DRIVER, wrap_as(0, 0, lent.address, 8, &array));
        ck_assert_ptr_null(array);
    }
    instrument_reset();
    lent_free(&lent);
}
END_TEST

static void tensor_delete(struct dlpack_managed *managed)
{
    ck_abort_msg("the tensor at %p was taken over", (void *)managed);
}

static int32_t import(const struct lent *lent, int32_t type, int32_t device, int64_t elements)
{
    int64_t one = 1;
    baton_array *array;
    struct dlpack_managed managed = { .major = DLPACK_MAJOR, .deleter = tensor_delete,
                                      .tensor = { .data = (void *)(uintptr_t)lent->address, .device_type = type,
                                                  .device_id = device, .ndim = 1, .code = 0, .bits = 32, .lanes = 1,
                                                  .shape = &elements, .strides = &one } };
    return baton_dlpack_import(runtime, &managed, NULL, &array, &error);
}

START_TEST(a_tensor_that_leaves_its_allocation_or_names_the_wrong_device_is_refused)
{
    struct lent lent = lend_on(0, BATON_DEVICE, 1 << 20);
    if (beyond(&lent))
        refused(BATON_ERR_BOUNDS, import(&lent, DLPACK_CUDA, 0, FAR));
    lent_free(&lent);
    if (one_device())
        return;
    lent = lend_on(1, BATON_DEVICE, 8);
    refused(BATON_ERR_DEVICE, import(&lent, DLPACK_CUDA, 0, 8));
    lent_free(&lent);
}
END_TEST

SUPPORT_WITHOUT_CACHE

SUPPORT_MAIN("place", 60, wrap_asks_the_driver_for_the_kind_that_was_left_open,
             memory_of_a_detected_kind_obeys_the_rules_of_that_kind, a_kind_that_is_none_is_refused,
             an_array_that_leaves_its_allocation_is_refused,
             the_end_of_an_array_is_held_against_the_end_of_the_allocation,
             memory_of_another_device_is_refused_and_both_are_named,
             pinned_and_unified_memory_belongs_to_no_device_alone, what_the_driver_does_not_tell_is_accepted,
             a_driver_that_fails_while_it_is_asked_is_an_error,
             a_tensor_that_leaves_its_allocation_or_names_the_wrong_device_is_refused)
