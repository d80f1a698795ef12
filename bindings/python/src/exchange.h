/* The structures that cross library borders, declared from the specifications of DLPack 1.3 and Arrow (LP64), and what the files of the exchange share. */
#ifndef BATON_PYTHON_EXCHANGE_H
#define BATON_PYTHON_EXCHANGE_H

#include "core.h"

/* ---- DLPack */

enum { DLPACK_MAJOR = 1, DLPACK_MINOR = 3 };
enum { PLACE_CPU = 1, PLACE_CUDA = 2, PLACE_CUDA_HOST = 3, PLACE_CUDA_MANAGED = 13 };

struct dlpack_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape;
    int64_t *strides;                   /* elements */
    uint64_t byte_offset;
};

struct dlpack_managed {                 /* DLManagedTensorVersioned */
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct dlpack_managed *self);
    uint64_t flags;
    struct dlpack_tensor tensor;        /* only to be read when major is DLPACK_MAJOR */
};

struct dlpack_legacy {                  /* DLManagedTensor */
    struct dlpack_tensor tensor;
    void *context;
    void (*deleter)(struct dlpack_legacy *self);
};

struct dlpack_api_header {
    uint32_t major, minor;
    struct dlpack_api_header *older;    /* NULL, or a table of an earlier version */
};

typedef void (*dlpack_report)(void *context, const char *kind, const char *message);

struct dlpack_api {                     /* DLPackExchangeAPI; 0, or -1 with an exception */
    struct dlpack_api_header header;
    int (*allocate)(struct dlpack_tensor *prototype, struct dlpack_managed **out, void *context, dlpack_report report);
    int (*from_object)(void *object, struct dlpack_managed **out);
    int (*to_object)(struct dlpack_managed *managed, void **object);
    int (*borrow)(void *object, struct dlpack_tensor *out);
    int (*current_stream)(int type, int32_t id, void **native);
};

_Static_assert(sizeof(struct dlpack_tensor) == 48, "DLTensor");
_Static_assert(sizeof(struct dlpack_managed) == 80 && offsetof(struct dlpack_managed, tensor) == 32, "DLManagedTensorVersioned");
_Static_assert(sizeof(struct dlpack_legacy) == 64, "DLManagedTensor");
_Static_assert(sizeof(struct dlpack_api_header) == 16 && sizeof(struct dlpack_api) == 56, "DLPackExchangeAPI");

/* ---- Arrow */

struct arrow_schema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct arrow_schema **children, *dictionary;
    void (*release)(struct arrow_schema *self);
    void *private_data;
};

struct arrow_array {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct arrow_array **children, *dictionary;
    void (*release)(struct arrow_array *self);
    void *private_data;
};

struct arrow_device_array {
    struct arrow_array array;
    int64_t device_id;
    int32_t device_type;
    void *sync_event;
    int64_t reserved[3];
};

_Static_assert(sizeof(struct arrow_schema) == 72, "ArrowSchema");
_Static_assert(sizeof(struct arrow_array) == 80 && sizeof(struct arrow_device_array) == 128, "ArrowDeviceArray");

/* ---- shared */

/* -1 and an exception when status is below zero: what the other side's protocol calls a refusal is a BufferError, whose cause is the library's own error. */
int exchange_check(int32_t status, const baton_error *error);
/* DLPack's device of an array, and the number of its device. */
int exchange_place(PyObject *array, int32_t *type, int32_t *id);
/* 1 when the driver is the software device; -1: exception. */
int exchange_is_soft(struct state *state);
/* BufferError for memory that the runtime's driver does not reach; must come before its stream or event is touched. */
int exchange_reachable(struct state *state, int32_t type);
/* A new reference on the handle of a stream that others name by its number. */
int exchange_stream(struct state *state, int32_t device, uint64_t native, baton_stream **stream);
/* The same for a consumer's, which is kept if the object is at hand that it belongs to. */
int exchange_consumer(struct state *state, int32_t device, uint64_t native, baton_stream **stream);
/* The number of a Stream, never 0. */
int exchange_number(PyObject *stream, uint64_t *native);
/* A new Array; steals the handle. */
PyObject *exchange_array(struct state *state, baton_array *handle);
/* An array over the tensor, which is taken over in every case; its last user is the stream (NULL: none). */
PyObject *exchange_take(struct state *state, struct dlpack_managed *managed, baton_stream *stream);
PyObject *exchange_take_legacy(struct state *state, struct dlpack_legacy *legacy, baton_stream *stream);
/* A tensor of the array; NULL: exception. */
void *exchange_give(PyObject *array, const baton_dlpack_options *options);
/* By its deleter, if it has one; an exception that is set stays. */
void exchange_delete(struct dlpack_managed *managed);
void exchange_delete_legacy(struct dlpack_legacy *legacy);

/* The table of an object's type; NULL: it has none. */
const struct dlpack_api *exchange_table(PyObject *object);
PyObject *exchange_import(struct state *state, const struct dlpack_api *table, PyObject *producer);

#endif
