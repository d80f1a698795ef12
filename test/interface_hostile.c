/* Descriptions of CUDA arrays that are wrong: refused with a sentence, and the memory stays the caller's (E1). */
#include "exchange_support.h"

enum { COUNT = 100 };

static void count_deleter(void *user, uint64_t address)
{
    (void)address;
    ++*(int *)user;
}

START_TEST(impossible_descriptions_are_refused_and_stay_the_callers)
{
    static int32_t values[COUNT];
    baton_stream *s = make_stream();
    baton_array *memory = make_array(COUNT, s), *array = NULL;
    uint64_t address;
    int deleted = 0;
    ok(baton_array_pointer(memory, s, BATON_READ_WRITE, &address, &error));
#define REFUSED(status, ...)                                                                                                            \
    do {                                                                                                                                \
        baton_interface_info info = { .struct_size = sizeof info, .address = address, .typestr = "<i4", .ndim = 1, .shape = { COUNT },  \
                                      .strides = { 4 } };                                                                              \
        __VA_ARGS__;                                                                                                                    \
        refused(status, baton_interface_import(runtime, &info, count_deleter, &deleted, &array, &error));                               \
        drain();                                                                                                                        \
        ck_assert_int_eq(deleted, 0);                                                                                                   \
        ck_assert_ptr_null(array);                                                                                                      \
    } while (0)
    REFUSED(BATON_ERR_VERSION, info.struct_size = 8);
    REFUSED(BATON_ERR_DTYPE, info.typestr[0] = '>');
    REFUSED(BATON_ERR_DTYPE, info.typestr[0] = '|');
    REFUSED(BATON_ERR_DTYPE, info.typestr[0] = 0);
    REFUSED(BATON_ERR_DTYPE, info.typestr[1] = 'V');
    REFUSED(BATON_ERR_DTYPE, info.typestr[2] = '3');
    REFUSED(BATON_ERR_DTYPE, info.typestr[3] = '4');
    REFUSED(BATON_ERR_DTYPE, memset(info.typestr, 'i', 8));
    REFUSED(BATON_ERR_SHAPE, info.ndim = -1);
    REFUSED(BATON_ERR_SHAPE, info.ndim = 17);
    REFUSED(BATON_ERR_SHAPE, info.ndim = INT32_MAX);
    REFUSED(BATON_ERR_SHAPE, info.shape[0] = -1);
    REFUSED(BATON_ERR_SHAPE, info.shape[0] = INT64_MAX);
    REFUSED(BATON_ERR_SHAPE, info.strides[0] = 6);
    REFUSED(BATON_ERR_SHAPE, info.strides[0] = INT64_MIN);
    REFUSED(BATON_ERR_BOUNDS, info.strides[0] = -(INT64_MAX / 256 / 4 * 4));
    REFUSED(BATON_ERR_ARGUMENT, info.address = 0);
    REFUSED(BATON_ERR_ARGUMENT, info.address++);
    REFUSED(BATON_ERR_KIND, info.address = (uint64_t)(uintptr_t)values);        /* no device reaches it */
    REFUSED(BATON_ERR_ARGUMENT, info.read_only = 2);
    REFUSED(BATON_ERR_ARGUMENT, info.contiguous = -1);
    REFUSED(BATON_ERR_DEVICE, info.shape[0] = 0; info.device = 9);
    baton_interface_info info = { .struct_size = sizeof info, .address = address, .typestr = "<i4", .ndim = 1, .shape = { COUNT }, .contiguous = 1, .read_only = 1 };
    refused(BATON_ERR_ARGUMENT, baton_interface_import(runtime, NULL, NULL, NULL, &array, &error));
    refused(BATON_ERR_ARGUMENT, baton_interface_import(runtime, &info, NULL, NULL, NULL, &error));
    ok(baton_interface_import(runtime, &info, count_deleter, &deleted, &array, &error));
    refused(BATON_ERR_KIND, baton_fill(array, values, 4, s, &error));
    arrays_release(array, memory);
    drain();
    ck_assert_int_eq(deleted, 1);
    baton_stream_release(s);
}
END_TEST

SUPPORT_MAIN("interface hostile", 60, impossible_descriptions_are_refused_and_stay_the_callers)
