/* The Arrow C data interface and its device extension, declared from their specifications: the structs that cross library borders. LP64. */
#ifndef BATON_EXCHANGE_ARROW_H
#define BATON_EXCHANGE_ARROW_H

#include <stddef.h>
#include <stdint.h>

enum { ARROW_NULLABLE = 2 };

struct arrow_schema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct arrow_schema **children;
    struct arrow_schema *dictionary;
    void (*release)(struct arrow_schema *self);     /* NULL: released, or moved elsewhere */
    void *private_data;
};

struct arrow_array {
    int64_t length;
    int64_t null_count;         /* -1: not counted */
    int64_t offset;             /* elements */
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;       /* primitive: validity, data; fixed-size list: validity. A NULL validity: no nulls */
    struct arrow_array **children;
    struct arrow_array *dictionary;
    void (*release)(struct arrow_array *self);
    void *private_data;
};

struct arrow_device_array {
    struct arrow_array array;
    int64_t device_id;          /* -1: the CPU */
    int32_t device_type;        /* DLPack's numbers */
    void *sync_event;           /* a pointer to the driver's event, which is the array's; NULL: nothing to wait for */
    int64_t reserved[3];        /* zero */
};

_Static_assert(sizeof(struct arrow_schema) == 72, "ArrowSchema");
_Static_assert(sizeof(struct arrow_array) == 80, "ArrowArray");
_Static_assert(sizeof(struct arrow_device_array) == 128, "ArrowDeviceArray");
_Static_assert(offsetof(struct arrow_device_array, sync_event) == 96, "ArrowDeviceArray.sync_event");

/* Arrow's letter for a primitive type; 0: there is none. */
char arrow_letter(int32_t dtype);
/* 0: no dtype is written so. */
int32_t arrow_dtype(const char *format);

#endif
