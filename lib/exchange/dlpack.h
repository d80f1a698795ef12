/* DLPack 1.x, declared from its specification: the structs that cross library borders. LP64. */
#ifndef BATON_EXCHANGE_DLPACK_H
#define BATON_EXCHANGE_DLPACK_H

#include <stddef.h>
#include <stdint.h>

enum { DLPACK_MAJOR = 1, DLPACK_MINOR = 3 };
enum { DLPACK_CPU = 1, DLPACK_CUDA = 2, DLPACK_CUDA_HOST = 3, DLPACK_CUDA_MANAGED = 13 };
enum { DLPACK_READ_ONLY = 1, DLPACK_IS_COPIED = 2 };

struct dlpack_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape;
    int64_t *strides;       /* elements; NULL from old producers: row-major */
    uint64_t byte_offset;
};

struct dlpack_managed {     /* DLManagedTensorVersioned */
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct dlpack_managed *self);
    uint64_t flags;
    struct dlpack_tensor tensor;
};

struct dlpack_legacy {      /* DLManagedTensor */
    struct dlpack_tensor tensor;
    void *context;
    void (*deleter)(struct dlpack_legacy *self);
};

_Static_assert(sizeof(struct dlpack_tensor) == 48, "DLTensor");
_Static_assert(sizeof(struct dlpack_managed) == 80, "DLManagedTensorVersioned");
_Static_assert(offsetof(struct dlpack_managed, tensor) == 32, "DLManagedTensorVersioned.dl_tensor");
_Static_assert(sizeof(struct dlpack_legacy) == 64, "DLManagedTensor");

#endif
