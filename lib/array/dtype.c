#include "array/dtype.h"

struct dtype_row {
    int32_t dtype;
    const char *name;
    uint32_t bytes;
    uint8_t code, bits;
};

static const struct dtype_row rows[] = {
#define DTYPE_ROW(constant, name, bytes, code, bits) { constant, name, bytes, code, bits },
    DTYPE_ROWS(DTYPE_ROW)
#undef DTYPE_ROW
};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

static const struct dtype_row *dtype_row(int32_t dtype)
{
    return dtype >= 1 && dtype <= ROW_COUNT ? &rows[dtype - 1] : NULL;
}

uint32_t dtype_bytes(int32_t dtype)
{
    const struct dtype_row *row = dtype_row(dtype);
    return row ? row->bytes : 0;
}

uint32_t baton_dtype_size(int32_t dtype)
{
    return dtype_bytes(dtype);
}

const char *baton_dtype_name(int32_t dtype)
{
    const struct dtype_row *row = dtype_row(dtype);
    return row ? row->name : "unknown";
}

int32_t dtype_from_dlpack(uint8_t code, uint8_t bits, uint16_t lanes, int32_t *dtype)
{
    if (lanes != 1)
        return BATON_ERR_DTYPE;
    for (int i = 0; i < ROW_COUNT; i++) {
        if (rows[i].code == code && rows[i].bits == bits) {
            *dtype = rows[i].dtype;
            return BATON_OK;
        }
    }
    return BATON_ERR_DTYPE;
}

int32_t dtype_to_dlpack(int32_t dtype, uint8_t *code, uint8_t *bits)
{
    const struct dtype_row *row = dtype_row(dtype);
    if (!row)
        return BATON_ERR_DTYPE;
    *code = row->code;
    *bits = row->bits;
    return BATON_OK;
}
