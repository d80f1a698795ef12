#include "work/builtin.h"

#include "stream/stream.h"

enum { BLOCK = ARITHMETIC_BLOCK, MOST_BLOCKS = 4096 };

static const char *const names[BUILTIN_KERNELS] = {
    [BUILTIN_COPY] = BUILTIN_COPY_STRIDED, [BUILTIN_FILL] = BUILTIN_FILL_STRIDED, [BUILTIN_HOLD] = BUILTIN_GATE,
    [BUILTIN_F32] = ARITHMETIC_ELEMENTWISE(f32), [BUILTIN_F64] = ARITHMETIC_ELEMENTWISE(f64),
    [BUILTIN_I32] = ARITHMETIC_ELEMENTWISE(i32), [BUILTIN_I64] = ARITHMETIC_ELEMENTWISE(i64),
    [BUILTIN_CAST] = ARITHMETIC_CAST, [BUILTIN_RANGE] = ARITHMETIC_RANGE,
};

/* The device is entered and its lock is held. */
static int32_t load_locked(struct device *device, enum builtin which, driver_function *function, baton_error *err)
{
    const struct driver *driver = device->driver;
    int arithmetic = which >= BUILTIN_F32;
    driver_module *module = arithmetic ? &device->arithmetic : &device->builtin;
    int code = *module ? DRIVER_SUCCESS : driver->module_load(module, arithmetic ? driver->arithmetic_image : driver->builtin_image);
    if (code) {
        *module = NULL;
        return device_status(device, code, DRIVER_ROW_module_load, BATON_OP_MODULE, NULL, err);
    }
    code = driver->module_function(function, *module, names[which]);
    return device_status(device, code, DRIVER_ROW_module_function, BATON_OP_MODULE, NULL, err);
}

int32_t builtin_get(struct device *device, enum builtin which, driver_function *function, baton_error *err)
{
    struct device_entry entry;
    driver_function found = atomic_load_explicit(&device->builtins[which], memory_order_acquire);
    int32_t status = found ? BATON_OK : device_enter(device, &entry, err);
    if (status)
        return status;
    if (!found) {
        pthread_mutex_lock(&device->lock);
        status = load_locked(device, which, &found, err);
        if (!status)
            atomic_store_explicit(&device->builtins[which], found, memory_order_release);
        pthread_mutex_unlock(&device->lock);
        device_leave(device, &entry);
    }
    if (!status)
        *function = found;
    return status;
}

int builtin_launch(driver_function function, baton_stream *stream, uint64_t count, void **parameters)
{
    uint64_t blocks = count / BLOCK + (count % BLOCK != 0);
    unsigned int grid = (unsigned int)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS);
    return stream->device->driver->launch(function, grid ? grid : 1, 1, 1, count > 1 ? BLOCK : 1, 1, 1, 0, stream->native, parameters, NULL);
}
