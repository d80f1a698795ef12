/* Arrays given out as Arrow data. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "exchange/arrow.h"
#include "exchange/claim.h"

enum { FORMAT_BYTES = 24 };

/* The array's side: shared by the array and its child, which a consumer may move apart. */
struct exported {
    _Atomic uint32_t references;
    baton_array *array;                 /* one reference */
    struct export *export;
    const void *buffers[2];             /* validity (none) and data */
    struct arrow_array child, *children[1];
};

struct described {
    _Atomic uint32_t references;
    char format[FORMAT_BYTES], letter[2];
    struct arrow_schema child, *children[1];
};

static int last(_Atomic uint32_t *references)
{
    return atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel) == 1;
}

/* Called by the consumer from any thread, in any state: no lock, no driver call. */
static void release_array(struct arrow_array *self)
{
    struct exported *exported = self->private_data;
    for (int64_t i = 0; i < self->n_children; i++)
        if (self->children[i]->release)
            self->children[i]->release(self->children[i]);
    self->release = NULL;
    if (!last(&exported->references))
        return;
    export_end(exported->export);
    baton_array_release(exported->array);
    free(exported);
}

static void release_schema(struct arrow_schema *self)
{
    struct described *described = self->private_data;
    for (int64_t i = 0; i < self->n_children; i++)
        if (self->children[i]->release)
            self->children[i]->release(self->children[i]);
    self->release = NULL;
    if (last(&described->references))
        free(described);
}

static int32_t check(const baton_array *array, baton_error *err)
{
    const struct layout *layout = &array->layout;
    if (!arrow_letter(array->dtype))
        return fail(err, BATON_ERR_DTYPE, "Arrow has no type for %s that is laid out so", baton_dtype_name(array->dtype));
    if (layout->ndim != 1 && layout->ndim != 2)
        return fail(err, BATON_ERR_SHAPE, "Arrow data are 1-D, or 2-D as lists of a fixed size; the array has %d dimensions", layout->ndim);
    if (!layout_contiguous(layout))
        return fail(err, BATON_ERR_SHAPE, "Arrow data are contiguous: copy the array first");
    if (layout->ndim == 2 && layout->shape[1] > INT32_MAX)
        return fail(err, BATON_ERR_SHAPE, "rows of %lld elements are too long for Arrow's lists", (long long)layout->shape[1]);
    return BATON_OK;
}

static struct arrow_array primitive(struct exported *exported, int64_t length)
{
    return (struct arrow_array) { .length = length, .n_buffers = 2, .buffers = exported->buffers, .release = release_array, .private_data = exported };
}

static struct arrow_array rows_of(struct exported *exported, const struct layout *layout)
{
    exported->child = primitive(exported, layout_elements(layout));
    exported->children[0] = &exported->child;
    return (struct arrow_array) { .length = layout->shape[0], .n_buffers = 1, .n_children = 1, .buffers = exported->buffers, .children = exported->children,
                                  .release = release_array, .private_data = exported };
}

static struct arrow_schema scalar(struct described *described, const char *name)
{
    return (struct arrow_schema) { .format = described->letter, .name = name, .flags = ARROW_NULLABLE, .release = release_schema, .private_data = described };
}

static struct described *describe(const baton_array *array, struct arrow_schema *schema)
{
    struct described *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->letter[0] = arrow_letter(array->dtype);
    atomic_init(&made->references, (uint32_t)array->layout.ndim);
    *schema = scalar(made, "");
    if (array->layout.ndim == 1)
        return made;
    snprintf(made->format, sizeof made->format, "+w:%lld", (long long)array->layout.shape[1]);
    made->child = scalar(made, "item");
    made->children[0] = &made->child;
    schema->format = made->format;
    schema->n_children = 1;
    schema->children = made->children;
    return made;
}

/* A consumer on the CPU has no event to wait for. */
static int32_t start(struct exported *exported, int32_t type, baton_error *err)
{
    struct memory *memory = exported->array->memory;
    return type == PLACE_CPU || !memory->bytes ? export_make_read(memory, &exported->export, err) : export_make_event(memory, &exported->export, err);
}

static int32_t make(baton_array *array, struct arrow_device_array *out, baton_error *err)
{
    int32_t type = place_type(array->memory);
    struct exported *made = calloc(1, sizeof *made);
    if (!made)
        return fail(err, BATON_ERR_MEMORY, "no host memory for an Arrow array");
    made->array = array;
    int32_t status = start(made, type, err);
    if (status) {
        free(made);
        return status;
    }
    baton_array_retain(array);
    atomic_init(&made->references, (uint32_t)array->layout.ndim);
    made->buffers[1] = layout_elements(&array->layout) ? (const void *)(uintptr_t)array_address(array) : NULL;
    *out = (struct arrow_device_array) { .device_id = type == PLACE_CPU ? -1 : array->memory->device->ordinal, .device_type = type };
    out->array = array->layout.ndim == 1 ? primitive(made, array->layout.shape[0]) : rows_of(made, &array->layout);
    if (type != PLACE_CPU && array->memory->bytes)
        out->sync_event = export_event(made->export);
    return BATON_OK;
}

int32_t baton_arrow_export(baton_array *array, void *device_array, void *schema, baton_error *err)
{
    struct arrow_schema own;
    struct described *described = NULL;
    int32_t status = array_check(array, err);
    if (status)
        return status;
    if (!device_array)
        return fail(err, BATON_ERR_ARGUMENT, "device_array is NULL");
    if ((status = check(array, err)))
        return status;
    if (schema && !(described = describe(array, &own)))
        return fail(err, BATON_ERR_MEMORY, "no host memory for an Arrow schema");
    status = make(array, device_array, err);
    if (status)
        free(described);
    else if (schema)
        *(struct arrow_schema *)schema = own;
    return status;
}
