/* What other code in the process does: work and streams of its own. */
#include "stage.h"

static struct lent {
    driver_stream native;
    int device;
} lent[STREAMS];

static const struct driver *enter(int device)
{
    const struct driver *driver = instrument_wrap(soft_driver());
    driver_context context;
    if (driver->primary_retain(&context, device))
        return NULL;
    driver->context_push(context);
    return driver;
}

static int32_t leave(const struct driver *driver, int device, int code)
{
    driver_context context;
    driver->context_pop(&context);
    driver->primary_release(device);
    return code ? BATON_ERR_DRIVER : BATON_OK;
}

int32_t foreign_fill(uint64_t to, int32_t value, int count, int device, uint64_t stream)
{
    const struct driver *driver = enter(device);
    return driver ? leave(driver, device, driver->fill32(to, (unsigned)value, (size_t)count, (driver_stream)(uintptr_t)stream)) : BATON_ERR_DRIVER;
}

int32_t adopt(int stream, int device)
{
    const struct driver *driver = enter(device);
    struct lent made = { .device = device };
    if (!driver || leave(driver, device, driver->stream_create(&made.native, DRIVER_STREAM_NON_BLOCKING, 0)))
        return BATON_ERR_DRIVER;
    lent[stream] = made;
    native[stream] = (uint64_t)(uintptr_t)made.native;
    int32_t status = baton_stream_adopt(rt, device, native[stream], &s[stream], &error);
    if (status)
        lent_end(stream);
    return status;
}

int32_t lent_end(int stream)
{
    struct lent gone = lent[stream];
    const struct driver *driver = gone.native ? enter(gone.device) : NULL;
    lent[stream].native = NULL;
    return driver ? leave(driver, gone.device, driver->stream_destroy(gone.native)) : BATON_OK;
}
