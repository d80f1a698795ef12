/* What a structure from outside claims about memory, held against what can be known. Nothing of it is trusted. */
#ifndef BATON_EXCHANGE_CLAIM_H
#define BATON_EXCHANGE_CLAIM_H

#include "array/array.h"

/* DLPack's device types, which Arrow shares. */
enum { PLACE_CPU = 1, PLACE_CUDA = 2, PLACE_CUDA_HOST = 3, PLACE_CUDA_MANAGED = 13 };

/* The type for memory of the library's. The software device's memory is the host's. */
int32_t place_type(const struct memory *memory);

struct claim {
    struct layout layout;       /* offset from the lowest address in use */
    struct device *device;
    uint64_t address, bytes;    /* from the lowest address in use */
    int32_t dtype, kind;
    int pageable;               /* ordinary memory of the host, which the driver does not know */
};

/* The element at index 0… lies `offset` bytes behind `data`. strides in elements; NULL: row-major. Fills layout, dtype, address and bytes. */
int32_t claim_layout(struct claim *claim, int32_t dtype, int32_t ndim, const int64_t *shape, const int64_t *strides, uint64_t data, uint64_t offset, baton_error *err);

/* Fills device and kind, which are what the driver says; a claim that differs is refused, but for the software device's memory, which is the host's. */
int32_t claim_place(baton_runtime *runtime, int32_t type, int64_t id, struct claim *claim, baton_error *err);

/* The same for an address without a claim, which the driver has to know; `fallback` is the device of an empty array. */
int32_t claim_find(baton_runtime *runtime, int32_t fallback, struct claim *claim, baton_error *err);

/* An array over it. stream (may be NULL, resolved) may still use it. On failure the deleter is not called. */
int32_t claim_take(const struct claim *claim, baton_stream *stream, baton_deleter deleter, void *user, int read_only, baton_array **array, baton_error *err);

#endif
