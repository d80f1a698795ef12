/* Arrow structures that are wrong, moved or released: refused with a sentence, unchanged, and still the caller's. What is right is released once, after its last
 * use, on whichever thread. */
#include "exchange_support.h"

enum { VALUES = 64 };

/* An array made elsewhere, over ordinary host memory: primitive, or with a child as a list of a fixed size. */
struct made {
    struct arrow_device_array array;
    struct arrow_schema schema;
    struct arrow_array child, *children[1];
    struct arrow_schema item, *items[1];
    const void *buffers[2], *child_buffers[2];
    int32_t values[VALUES];
    int released, described;
};

static void release(struct arrow_array *array)
{
    ((struct made *)array->private_data)->released++;
    array->release = NULL;
}

static void release_schema(struct arrow_schema *schema)
{
    ((struct made *)schema->private_data)->described++;
    schema->release = NULL;
}

static void make(struct made *made)
{
    *made = (struct made) { .buffers = { NULL, made->values } };
    for (int i = 0; i < VALUES; i++)
        made->values[i] = i;
    made->schema = (struct arrow_schema) { .format = "i", .name = "", .release = release_schema, .private_data = made };
    made->array.array = (struct arrow_array) { .length = 10, .n_buffers = 2, .buffers = made->buffers, .release = release, .private_data = made };
    made->array.device_id = -1;
    made->array.device_type = DLPACK_CPU;
}

static void make_list(struct made *made)
{
    make(made);
    made->item = made->schema;
    made->items[0] = &made->item;
    made->schema.format = "+w:4";
    made->schema.n_children = 1;
    made->schema.children = made->items;
    made->child = made->array.array;
    made->child.length = 40;
    made->children[0] = &made->child;
    made->child_buffers[1] = made->values;
    made->child.buffers = made->child_buffers;
    made->buffers[1] = NULL;
    made->array.array.n_buffers = 1;
    made->array.array.n_children = 1;
    made->array.array.children = made->children;
}

static baton_array *array;

static void expect_refused(struct made *made, int32_t status)
{
    struct made before = *made;
    refused(status, baton_arrow_import(runtime, &made->array, &made->schema, NULL, &array, &error));
    drain();
    ck_assert_mem_eq(made, &before, sizeof before);
    ck_assert_ptr_null(array);
}

#define REFUSED(maker, status, ...)             \
    do {                                        \
        struct made m;                          \
        maker(&m);                              \
        __VA_ARGS__;                            \
        expect_refused(&m, status);             \
    } while (0)

START_TEST(impossible_arrays_are_refused_and_stay_the_callers)
{
    struct arrow_array *none[] = { NULL };
    REFUSED(make, BATON_ERR_ARGUMENT, m.array.array.release = NULL);                    /* moved, or released */
    REFUSED(make, BATON_ERR_VERSION, m.array.reserved[0] = 1);
    REFUSED(make, BATON_ERR_VERSION, m.array.reserved[2] = -1);
    REFUSED(make, BATON_ERR_KIND, m.array.array.null_count = 1);
    REFUSED(make, BATON_ERR_KIND, m.array.array.null_count = -2);
    REFUSED(make, BATON_ERR_KIND, m.array.array.null_count = INT64_MIN);
    REFUSED(make, BATON_ERR_KIND, m.array.array.null_count = -1; m.buffers[0] = m.values);      /* not counted */
    REFUSED(make, BATON_ERR_SHAPE, m.array.array.offset = -1);
    REFUSED(make, BATON_ERR_SHAPE, m.array.array.length = -1);
    REFUSED(make, BATON_ERR_SHAPE, m.array.array.length = INT64_MAX);
    REFUSED(make, BATON_ERR_BOUNDS, m.array.array.offset = INT64_MAX);
    REFUSED(make, BATON_ERR_BOUNDS, m.array.array.length = INT64_MAX / 4; m.array.array.offset = INT64_MAX / 2);
    REFUSED(make, BATON_ERR_ARGUMENT, m.array.array.n_buffers = 1);
    REFUSED(make, BATON_ERR_ARGUMENT, m.array.array.n_buffers = 3);
    REFUSED(make, BATON_ERR_ARGUMENT, m.array.array.n_buffers = INT64_MIN);
    REFUSED(make, BATON_ERR_ARGUMENT, m.array.array.buffers = NULL);
    REFUSED(make, BATON_ERR_ARGUMENT, m.buffers[1] = NULL);
    REFUSED(make, BATON_ERR_ARGUMENT, m.buffers[1] = (char *)m.values + 1);
    REFUSED(make, BATON_ERR_ARGUMENT, m.array.array.n_children = 1);
    REFUSED(make, BATON_ERR_ARGUMENT, m.array.array.n_children = -1);
    REFUSED(make, BATON_ERR_DTYPE, m.array.array.dictionary = &m.child);
    REFUSED(make, BATON_ERR_DEVICE, m.array.device_type = 0);
    REFUSED(make, BATON_ERR_DEVICE, m.array.device_type = 4);
    REFUSED(make, BATON_ERR_DEVICE, m.array.device_type = -1);
    REFUSED(make, BATON_ERR_DEVICE, m.array.device_type = DLPACK_CUDA; m.array.device_id = 9);
    REFUSED(make, BATON_ERR_DEVICE, m.array.device_type = DLPACK_CUDA; m.array.device_id = -1);
    REFUSED(make, BATON_ERR_DEVICE, m.array.device_type = DLPACK_CUDA; m.array.device_id = INT64_MAX);
    REFUSED(make, BATON_ERR_KIND, m.array.device_type = DLPACK_CUDA; m.array.device_id = 0);
    REFUSED(make, BATON_ERR_KIND, m.array.device_type = DLPACK_CUDA_MANAGED);
    REFUSED(make_list, BATON_ERR_BOUNDS, m.child.length = 39);
    REFUSED(make_list, BATON_ERR_BOUNDS, m.array.array.offset = 1);
    REFUSED(make_list, BATON_ERR_BOUNDS, m.array.array.offset = INT64_MAX);
    REFUSED(make_list, BATON_ERR_BOUNDS, m.array.array.length = INT64_MAX / 2);
    REFUSED(make_list, BATON_ERR_BOUNDS, m.child.offset = INT64_MAX);
    REFUSED(make_list, BATON_ERR_SHAPE, m.child.offset = -1);
    REFUSED(make_list, BATON_ERR_SHAPE, m.child.length = -40);
    REFUSED(make_list, BATON_ERR_ARGUMENT, m.child.release = NULL);
    REFUSED(make_list, BATON_ERR_ARGUMENT, m.array.array.children = NULL);
    REFUSED(make_list, BATON_ERR_ARGUMENT, m.array.array.children = none);
    REFUSED(make_list, BATON_ERR_ARGUMENT, m.array.array.n_children = 2);
    REFUSED(make_list, BATON_ERR_KIND, m.child.null_count = 1);
    REFUSED(make_list, BATON_ERR_ARGUMENT, m.child_buffers[1] = NULL);
}
END_TEST

START_TEST(impossible_schemas_are_refused)
{
    static const char *const unknown[] = { "", "b", "ii", "i ", "z", "u", "n", "tdD", "tsn:", "d:10,2", "w:4", "+s", "+l", "+w", "+w:", "+w:x", "+w:-1", "+w:4 ",
                                           "+w:99999999999999999999", "+w:2147483648", "+ud:1", "\xff\xfe" };
    struct arrow_schema *none[] = { NULL };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        REFUSED(make, BATON_ERR_DTYPE, m.schema.format = unknown[i]);
    REFUSED(make, BATON_ERR_ARGUMENT, m.schema.format = NULL);
    REFUSED(make, BATON_ERR_ARGUMENT, m.schema.release = NULL);
    REFUSED(make, BATON_ERR_DTYPE, m.schema.dictionary = &m.item);
    REFUSED(make, BATON_ERR_ARGUMENT, m.schema.n_children = 1);
    REFUSED(make, BATON_ERR_ARGUMENT, m.schema.n_children = -1);
    REFUSED(make, BATON_ERR_ARGUMENT, m.schema.format = "+w:4");                        /* without a child */
    REFUSED(make_list, BATON_ERR_ARGUMENT, m.schema.n_children = 2);
    REFUSED(make_list, BATON_ERR_ARGUMENT, m.schema.children = NULL);
    REFUSED(make_list, BATON_ERR_ARGUMENT, m.schema.children = none);
    REFUSED(make_list, BATON_ERR_ARGUMENT, m.schema.dictionary = &m.item);
    REFUSED(make_list, BATON_ERR_ARGUMENT, m.item.release = NULL);
    REFUSED(make_list, BATON_ERR_DTYPE, m.item.format = "+w:2");                        /* lists of lists */
    REFUSED(make_list, BATON_ERR_ARGUMENT, m.schema.format = "i"; m.schema.n_children = 0; m.schema.children = NULL);
}
END_TEST

/* The list's size may be anything, as long as the child has that many. */
START_TEST(a_schema_that_does_not_fit_the_array_is_refused)
{
    REFUSED(make_list, BATON_ERR_BOUNDS, m.schema.format = "+w:5");
    REFUSED(make_list, BATON_ERR_BOUNDS, m.schema.format = "+w:2147483647");
}
END_TEST

START_TEST(wrong_calls_are_refused)
{
    baton_stream *s = make_stream();
    struct made m;
    make(&m);
    refused(BATON_ERR_ARGUMENT, baton_arrow_import(NULL, &m.array, &m.schema, s, &array, &error));
    refused(BATON_ERR_ARGUMENT, baton_arrow_import(runtime, NULL, &m.schema, s, &array, &error));
    refused(BATON_ERR_ARGUMENT, baton_arrow_import(runtime, &m.array, NULL, s, &array, &error));
    refused(BATON_ERR_ARGUMENT, baton_arrow_import(runtime, &m.array, &m.schema, s, NULL, &error));
    refused(BATON_ERR_HANDLE, baton_arrow_import(runtime, &m.array, &m.schema, (baton_stream *)(void *)runtime, &array, &error));
    ck_assert_int_eq(m.released + m.described, 0);
    ck_assert_ptr_null(array);
    baton_stream_release(s);
}
END_TEST

/* An event that is none: the driver says so, and nothing is taken. */
START_TEST(an_event_that_the_driver_does_not_know_is_an_error)
{
    baton_stream *s = make_stream();
    struct made m;
    void *nothing = NULL;
    make(&m);
    m.array.sync_event = &nothing;
    refused(BATON_ERR_DRIVER, baton_arrow_import(runtime, &m.array, &m.schema, s, &array, &error));
    ck_assert_ptr_nonnull(m.array.array.release);
    ck_assert_int_eq(m.released, 0);
    baton_stream_release(s);
}
END_TEST

/* Offsets of the array, of the list and of its child are all added up. */
START_TEST(slices_are_understood)
{
    baton_stream *s = make_stream();
    struct made m;
    int32_t found[8];
    make(&m);
    m.array.array.offset = 5;
    m.array.array.length = 8;
    m.array.array.null_count = -1;                  /* not counted, and no bits: none */
    ok(baton_arrow_import(runtime, &m.array, &m.schema, NULL, &array, &error));
    ok(baton_download(found, sizeof found, array, s, &error));
    ck_assert_mem_eq(found, m.values + 5, sizeof found);
    baton_array_release(array);
    drain();
    ck_assert_int_eq(m.released, 1);
    make_list(&m);
    m.child.offset = 3;
    m.array.array.offset = 2;
    m.array.array.length = 2;
    ok(baton_arrow_import(runtime, &m.array, &m.schema, NULL, &array, &error));
    ck_assert_int_eq(info_of(array).ndim, 2);
    ok(baton_download(found, sizeof found, array, s, &error));
    ck_assert_mem_eq(found, m.values + 3 + 2 * 4, sizeof found);
    baton_array_release(array);
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    drain();
    ck_assert_int_eq(m.released, 1);
    ck_assert_int_eq(m.described, 0);               /* stays the caller's */
    array = NULL;
    baton_stream_release(s);
}
END_TEST

/* Arrow data are never changed. */
START_TEST(what_is_taken_in_is_read_only)
{
    baton_stream *s = make_stream();
    int32_t value = 1;
    struct made m;
    make(&m);
    ok(baton_arrow_import(runtime, &m.array, &m.schema, NULL, &array, &error));
    refused(BATON_ERR_KIND, baton_fill(array, &value, sizeof value, s, &error));
    baton_array_release(array);
    drain();
    ck_assert_int_eq(m.released, 1);
    array = NULL;
    baton_stream_release(s);
}
END_TEST

/* O9: once, at a drain, after the last use. */
START_TEST(the_release_comes_after_the_last_use)
{
    baton_stream *s = make_stream();
    baton_array *copy = make_array(10, s);
    struct made m;
    make(&m);
    ok(baton_arrow_import(runtime, &m.array, &m.schema, NULL, &array, &error));
    baton_gate *gate = close_gate(s);
    ok(baton_copy(copy, array, s, &error));
    baton_array_release(array);
    drain();
    ck_assert_int_eq(m.released, 0);
    open_gate(gate);
    ok(baton_stream_synchronize(s, BATON_WAIT_AUTO, &error));
    drain();
    drain();
    ck_assert_int_eq(m.released, 1);
    baton_array_release(copy);
    array = NULL;
    baton_stream_release(s);
}
END_TEST

SUPPORT_MAIN("arrow hostile", 60, impossible_arrays_are_refused_and_stay_the_callers, impossible_schemas_are_refused,
             a_schema_that_does_not_fit_the_array_is_refused, wrong_calls_are_refused, an_event_that_the_driver_does_not_know_is_an_error,
             slices_are_understood, what_is_taken_in_is_read_only, the_release_comes_after_the_last_use)
