/* The library's own kernels on a device, loaded when they are first needed. */
#ifndef BATON_WORK_BUILTIN_H
#define BATON_WORK_BUILTIN_H

#include "driver/arithmetic.h"
#include "stream/device.h"

enum builtin {
    BUILTIN_COPY, BUILTIN_FILL, BUILTIN_HOLD,
    BUILTIN_F32, BUILTIN_F64, BUILTIN_I32, BUILTIN_I64, BUILTIN_CAST, BUILTIN_RANGE     /* of driver/arithmetic.h */
};

int32_t builtin_get(struct device *device, enum builtin which, driver_function *function, baton_error *err);

/* Launches over `count` elements with the kernel's parameters; returns the driver's code. */
int builtin_launch(driver_function function, baton_stream *stream, uint64_t count, void **parameters);

#endif
