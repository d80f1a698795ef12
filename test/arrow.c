/* Arrow device arrays out and in again: what they say, and how long they live. */
#include "census.h"
#include "exchange_support.h"

enum { COUNT = 100 };

struct arrow {
    struct arrow_device_array array;
    struct arrow_schema schema;
};

static void give_out(baton_array *array, struct arrow *arrow)
{
    ok(baton_arrow_export(array, &arrow->array, &arrow->schema, &error));
}

static baton_array *take_in(struct arrow *arrow, baton_stream *s)
{
    baton_array *array;
    ok(baton_arrow_import(runtime, &arrow->array, &arrow->schema, s, &array, &error));
    ck_assert_ptr_null(arrow->array.array.release);                 /* moved */
    arrow->schema.release(&arrow->schema);
    return array;
}

static void drop(struct arrow *arrow)
{
    arrow->array.array.release(&arrow->array.array);
    ck_assert_ptr_null(arrow->array.array.release);
    arrow->schema.release(&arrow->schema);
    ck_assert_ptr_null(arrow->schema.release);
}

static const struct { int32_t dtype; const char *format; } types[] = {
    { BATON_I8, "c" }, { BATON_U8, "C" }, { BATON_I16, "s" }, { BATON_U16, "S" }, { BATON_I32, "i" }, { BATON_U32, "I" },
    { BATON_I64, "l" }, { BATON_U64, "L" }, { BATON_F16, "e" }, { BATON_F32, "f" }, { BATON_F64, "g" },
};

static void expect_schema(const struct arrow_schema *schema, const char *format, int64_t children)
{
    ck_assert_str_eq(schema->format, format);
    ck_assert_ptr_nonnull(schema->name);
    ck_assert_int_eq(schema->n_children, children);
    ck_assert_ptr_null(schema->dictionary);
    ck_assert_ptr_null(schema->metadata);
}

static void expect_primitive(const struct arrow_array *array, int64_t length)
{
    ck_assert_int_eq(array->length, length);
    ck_assert_int_eq(array->null_count, 0);
    ck_assert_int_eq(array->offset, 0);
    ck_assert_int_eq(array->n_buffers, 2);
    ck_assert_int_eq(array->n_children, 0);
    ck_assert_ptr_null(array->buffers[0]);
    ck_assert_ptr_null(array->dictionary);
}

START_TEST(one_dimension_is_a_primitive_array_in_every_type_that_arrow_has)
{
    baton_stream *s = make_stream();
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        baton_array *array = make_rows(types[i].dtype, COUNT, 0, s);
        struct arrow arrow;
        give_out(array, &arrow);
        expect_schema(&arrow.schema, types[i].format, 0);
        expect_primitive(&arrow.array.array, COUNT);
        for (int k = 0; k < 3; k++)
            ck_assert_int_eq(arrow.array.reserved[k], 0);
        baton_array *back = take_in(&arrow, s);
        ck_assert_int_eq(info_of(back).dtype, types[i].dtype);
        ck_assert_int_eq(info_of(back).shape[0], COUNT);
        ck_assert_uint_ne(info_of(back).flags & BATON_ARRAY_READ_ONLY, 0);
        arrays_release(array, back);
        drain();
    }
    baton_stream_release(s);
}
END_TEST

START_TEST(two_dimensions_are_lists_of_a_fixed_size)
{
    baton_stream *s = make_stream();
    baton_array *array = make_rows(BATON_I32, 4, 25, s);
    struct arrow arrow;
    fill(array, 6, s);
    give_out(array, &arrow);
    expect_schema(&arrow.schema, "+w:25", 1);
    expect_schema(arrow.schema.children[0], "i", 0);
    ck_assert_int_eq(arrow.array.array.length, 4);
    ck_assert_int_eq(arrow.array.array.n_buffers, 1);
    ck_assert_ptr_null(arrow.array.array.buffers[0]);
    expect_primitive(arrow.array.array.children[0], 100);
    baton_array *back = take_in(&arrow, s);
    ck_assert_int_eq(info_of(back).ndim, 2);
    ck_assert_int_eq(info_of(back).shape[1], 25);
    expect(back, 6, s);
    arrays_release(array, back);
    drain_all();
    baton_stream_release(s);
}
END_TEST

START_TEST(empty_arrays_are_exchanged)
{
    static const struct { int64_t rows, columns; } shapes[] = { { 0, 0 }, { 0, 3 } };
    baton_stream *s = make_stream();
    for (int i = 0; i < 2; i++) {
        baton_array *array = make_rows(BATON_F32, shapes[i].rows, shapes[i].columns, s), *back;
        struct arrow arrow;
        give_out(array, &arrow);
        ck_assert_ptr_null(arrow.array.sync_event);
        back = take_in(&arrow, s);
        ck_assert_uint_eq(info_of(back).elements, 0);
        ck_assert_int_eq(info_of(back).ndim, info_of(array).ndim);
        arrays_release(array, back);
    }
    drain();
    baton_stream_release(s);
}
END_TEST

/* The specification lets a consumer move a child out before it releases the parent. */
START_TEST(a_child_that_was_moved_out_outlives_its_parent)
{
    baton_stream *s = make_stream();
    baton_array *array = make_rows(BATON_I32, 4, 5, s);
    struct arrow arrow;
    fill(array, 7, s);
    give_out(array, &arrow);
    struct arrow_array child = *arrow.array.array.children[0];
    struct arrow_schema type = *arrow.schema.children[0];
    arrow.array.array.children[0]->release = NULL;
    arrow.schema.children[0]->release = NULL;
    drop(&arrow);
    baton_array_release(array);
    drain();
    ck_assert_str_eq(type.format, "i");
    ck_assert_int_eq(child.length, 20);
    ck_assert_uint_ne(stats().live_bytes, 0);
    child.release(&child);
    type.release(&type);
    drain_all();
    baton_stream_release(s);
}
END_TEST

/* O9, P5: the export keeps the memory, and its event; the release calls no driver. */
START_TEST(a_release_from_any_thread_gives_memory_and_event_back_later)
{
    baton_stream *a = make_stream();
    as_a_gpu();
    baton_array *array = make_array(COUNT, a);
    struct arrow arrow;
    fill(array, 1, a);
    ok(baton_stream_synchronize(a, BATON_WAIT_AUTO, &error));
    drain();
    uint64_t allocations = census_read().allocations;
    give_out(array, &arrow);
    const void *event = *(void *const *)arrow.array.sync_event;
    refused(BATON_ERR_BUSY, baton_array_dispose(array, &error));
    baton_array_release(array);
    drain();
    ck_assert_uint_eq(census_read().allocations, allocations);
    ck_assert_uint_eq(journal_event(DRIVER_ROW_event_destroy, event), 0);
    counting_start();
    release_elsewhere(&arrow.array.array);
    ck_assert_uint_eq(calls(DRIVER_ROW_COUNT), 0);
    arrow.schema.release(&arrow.schema);
    drain();
    ck_assert_uint_eq(journal_event(DRIVER_ROW_event_destroy, event), 1);
    drain_all();
    outside_restore();
    baton_stream_release(a);
}
END_TEST

/* C2, C3: what a capture holds has not run; earlier work is what others get. A stream that is captured cannot wait for an event of others. */
START_TEST(captures_are_neither_broken_nor_waited_for)
{
    baton_stream *a = make_stream(), *b = make_stream();
    as_a_gpu();
    baton_array *array = make_array(COUNT, a), *back = NULL;
    baton_graph *graph;
    struct arrow arrow;
    fill(array, 1, a);
    ok(baton_capture_begin(a, BATON_CAPTURE_RELAXED, &error));
    fill(array, 2, a);
    give_out(array, &arrow);
    refused(BATON_ERR_CAPTURE, baton_arrow_import(runtime, &arrow.array, &arrow.schema, a, &back, &error));
    ck_assert_ptr_nonnull(arrow.array.array.release);               /* still the caller's */
    back = take_in(&arrow, b);
    ok(baton_capture_end(a, &graph, &error));
    expect(back, 1, b);
    baton_graph_release(graph);
    arrays_release(array, back);
    drain();
    outside_restore();
    streams_release(a, b);
}
END_TEST

/* E1 */
START_TEST(arrays_that_arrow_cannot_say_are_refused)
{
    static const int32_t unknown[] = { BATON_BOOL, BATON_BF16, BATON_C64, BATON_C128 };
    baton_stream *s = make_stream();
    struct arrow arrow, untouched;
    memset(&arrow, 0x5A, sizeof arrow);
    untouched = arrow;
    for (int i = 0; i < 4; i++) {
        baton_array *array = make_rows(unknown[i], COUNT, 0, s);
        refused(BATON_ERR_DTYPE, baton_arrow_export(array, &arrow.array, &arrow.schema, &error));
        baton_array_release(array);
    }
    int64_t step = 2, count = COUNT / 2, three[] = { 5, 5, 4 };
    int32_t turned[] = { 1, 0 };
    baton_array *array = make_array(COUNT, s), *rows = make_rows(BATON_I32, 10, 10, s), *views[3];
    ok(baton_array_view(array, &(baton_view_options) { .struct_size = sizeof(baton_view_options), .ndim = 1, .count = &count, .step = &step }, &views[0], &error));
    ok(baton_array_view(array, &(baton_view_options) { .struct_size = sizeof(baton_view_options), .ndim = 1, .shape = three, .shape_ndim = 3 }, &views[1], &error));
    ok(baton_array_view(rows, &(baton_view_options) { .struct_size = sizeof(baton_view_options), .ndim = 2, .permutation = turned }, &views[2], &error));
    for (int i = 0; i < 3; i++) {
        refused(BATON_ERR_SHAPE, baton_arrow_export(views[i], &arrow.array, &arrow.schema, &error));
        baton_array_release(views[i]);
    }
    refused(BATON_ERR_ARGUMENT, baton_arrow_export(array, NULL, &arrow.schema, &error));
    ck_assert_mem_eq(&arrow, &untouched, sizeof arrow);
    arrays_release(array, rows);
    baton_stream_release(s);
}
END_TEST

/* The schema is not always wanted. */
START_TEST(an_export_without_a_schema_is_the_same)
{
    baton_stream *s = make_stream();
    baton_array *array = make_array(COUNT, s);
    struct arrow_device_array out;
    ok(baton_arrow_export(array, &out, NULL, &error));
    expect_primitive(&out.array, COUNT);
    out.array.release(&out.array);
    baton_array_release(array);
    drain();
    baton_stream_release(s);
}
END_TEST

SUPPORT_MAIN("arrow", 60, one_dimension_is_a_primitive_array_in_every_type_that_arrow_has,
             two_dimensions_are_lists_of_a_fixed_size, empty_arrays_are_exchanged,
             a_child_that_was_moved_out_outlives_its_parent,
             a_release_from_any_thread_gives_memory_and_event_back_later, captures_are_neither_broken_nor_waited_for,
             arrays_that_arrow_cannot_say_are_refused, an_export_without_a_schema_is_the_same)
