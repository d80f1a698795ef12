/* What the driver knows about memory that somebody else allocated, held against what was declared. */
#ifndef BATON_ARRAY_PLACE_H
#define BATON_ARRAY_PLACE_H

#include "stream/device.h"

struct place {
    int32_t kind;       /* BATON_DEVICE, BATON_UNIFIED, or BATON_HOST for pinned and ordinary host memory */
    int known;          /* 0: ordinary host memory, of which the driver knows nothing */
    int32_t device;     /* ordinal of the device that it was made for; -1: not told */
    uint64_t start;     /* the allocation's first address … */
    uint64_t bytes;     /* … and size; 0: not told */
};

/* `device` is only the one that is asked. One to five driver calls. */
int32_t place_detect(struct device *device, uint64_t address, struct place *place, baton_error *err);

/* BATON_ERR_DEVICE when it is device memory of another device, BATON_ERR_BOUNDS when [address, address + bytes) leaves the allocation, as far as the driver told. */
int32_t place_check(const struct place *place, const struct device *device, uint64_t address, uint64_t bytes, baton_error *err);

#endif
