#include <string.h>

#include "work/builtin.h"
#include "work/submit.h"

/* What is left of a fill after merging dimensions: one run of words that the driver fills itself, or a kernel. */
struct fill {
    struct layout layout;       /* collapsed; only set when the array is not row-major as it is, or the kernel has to do it */
    uint64_t address, count;
    uint32_t word;              /* bytes of the repeated pattern: 1, 2 or 4; 0: the kernel's work */
    uint8_t value[16];
};

/* A value of 8 or 16 bytes that repeats one 4-byte word is a fill of that word. */
static uint32_t word_of(const uint8_t *value, uint32_t bytes)
{
    if (bytes <= 4)
        return bytes;
    for (uint32_t i = 4; i < bytes; i += 4)
        if (memcmp(value, value + i, 4) != 0)
            return 0;
    return 4;
}

static void collapse(struct fill *fill, const baton_array *array)
{
    fill->layout = array->layout;
    layout_collapse(&fill->layout, NULL);
    fill->word = layout_contiguous(&fill->layout) ? word_of(fill->value, array->element_bytes) : 0;
}

static void plan(struct fill *fill, const baton_array *array, const void *value)
{
    fill->address = array_address(array);
    memset(fill->value, 0, sizeof fill->value);
    memcpy(fill->value, value, array->element_bytes);
    fill->word = array->contiguous ? word_of(fill->value, array->element_bytes) : 0;
    if (!fill->word)
        collapse(fill, array);
    fill->count = array->bytes / (fill->word ? fill->word : array->element_bytes);
}

static int fill_words(const struct fill *fill, baton_stream *stream, enum driver_row *row)
{
    const struct driver *driver = stream->device->driver;
    uint16_t half;
    uint32_t word;
    switch (fill->word) {
    case 1:
        *row = DRIVER_ROW_fill8;
        return driver->fill8(fill->address, fill->value[0], fill->count, stream->native);
    case 2:
        memcpy(&half, fill->value, sizeof half);
        *row = DRIVER_ROW_fill16;
        return driver->fill16(fill->address, half, fill->count, stream->native);
    default:
        memcpy(&word, fill->value, sizeof word);
        *row = DRIVER_ROW_fill32;
        return driver->fill32(fill->address, word, fill->count, stream->native);
    }
}

static int fill_strided(const struct fill *fill, uint32_t element_bytes, driver_function function, baton_stream *stream, enum driver_row *row)
{
    uint64_t address = fill->address;
    struct fill_strided strided = { .ndim = (uint32_t)fill->layout.ndim, .element_bytes = element_bytes, .count = fill->count };
    void *parameters[] = { &address, &strided };
    memcpy(strided.shape, fill->layout.shape, sizeof strided.shape);
    memcpy(strided.strides, fill->layout.strides, sizeof strided.strides);
    memcpy(strided.value, fill->value, sizeof strided.value);
    *row = DRIVER_ROW_launch;
    return builtin_launch(function, stream, fill->count, parameters);
}

int32_t baton_fill(baton_array *array, const void *value, uint64_t bytes, baton_stream *stream, baton_error *err)
{
    struct operation op;
    struct fill fill;
    driver_function function = NULL;
    enum driver_row row;
    int32_t status = submit_check(array, &stream, err);
    if (status)
        return status;
    if (!value || bytes != array->element_bytes)
        return fail(err, BATON_ERR_ARGUMENT, "the value is %s, %llu bytes; the elements have %u", value ? "given" : "NULL",
                    (unsigned long long)bytes, array->element_bytes);
    plan(&fill, array, value);
    if (fill.count == 0)
        return BATON_OK;                    /* S1 */
    if (!fill.word && (status = builtin_get(stream->device, BUILTIN_FILL, &function, err)))
        return status;
    status = submit_begin(&op, stream, BATON_OP_FILL, 0, &(struct submit_use) { array, BATON_WRITE }, 1, err);
    if (status)
        return status;
    int code = fill.word ? fill_words(&fill, stream, &row) : fill_strided(&fill, (uint32_t)bytes, function, stream, &row);
    return submit_end(&op, code, row, err);
}
