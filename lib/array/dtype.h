/* Element types: one row per type, from which names, sizes and the exchange with DLPack follow. Pure. */
#ifndef BATON_ARRAY_DTYPE_H
#define BATON_ARRAY_DTYPE_H

#include "baton.h"

/* ROW(constant, name, bytes, DLPack code, DLPack bits) */
#define DTYPE_ROWS(ROW)                 \
    ROW(BATON_BOOL, "bool", 1, 6, 8)    \
    ROW(BATON_I8, "i8", 1, 0, 8)        \
    ROW(BATON_I16, "i16", 2, 0, 16)     \
    ROW(BATON_I32, "i32", 4, 0, 32)     \
    ROW(BATON_I64, "i64", 8, 0, 64)     \
    ROW(BATON_U8, "u8", 1, 1, 8)        \
    ROW(BATON_U16, "u16", 2, 1, 16)     \
    ROW(BATON_U32, "u32", 4, 1, 32)     \
    ROW(BATON_U64, "u64", 8, 1, 64)     \
    ROW(BATON_F16, "f16", 2, 2, 16)     \
    ROW(BATON_BF16, "bf16", 2, 4, 16)   \
    ROW(BATON_F32, "f32", 4, 2, 32)     \
    ROW(BATON_F64, "f64", 8, 2, 64)     \
    ROW(BATON_C64, "c64", 8, 5, 64)     \
    ROW(BATON_C128, "c128", 16, 5, 128)

/* Bytes per element; 0 for a number that is no dtype. */
uint32_t dtype_bytes(int32_t dtype);

/* BATON_ERR_DTYPE when there is no counterpart; vectors (lanes other than 1) have none. */
int32_t dtype_from_dlpack(uint8_t code, uint8_t bits, uint16_t lanes, int32_t *dtype);
int32_t dtype_to_dlpack(int32_t dtype, uint8_t *code, uint8_t *bits);

#endif
