/* Streams that come back by their number: other libraries name streams so. The same stream must be the same handle each time, or the library would order it
 * behind itself, and forget what it follows already. */
#include "stream/stream.h"

/* For the special streams, which have numbers of their own. */
static const uint64_t SPECIAL = UINT64_MAX;

struct wanted {
    struct device *device;
    driver_stream native;
    uint64_t adopted;
    baton_stream *found;        /* retained */
};

/* A stream of the library's own lives as long as its handle; of those made elsewhere `adopted` tells whether it is the one that was there before. */
static void look_at(baton_stream *stream, void *user)
{
    struct wanted *wanted = user;
    if (wanted->found || stream->native != wanted->native || stream->thread || !device_same(stream->device, wanted->device))
        return;
    if (stream->wrapped && stream->adopted != wanted->adopted)
        return;
    if (!handle_retain(&stream->handle, HANDLE_STREAM))
        wanted->found = stream;
}

/* While it captures: to ask for its number would end the capture. The capture's own number stands for it; a stream that ends takes its capture along. */
static int32_t identify_captured(struct device *device, struct wanted *wanted, int *captured, baton_error *err)
{
    driver_capture_status status = DRIVER_CAPTURE_STATUS_NONE;
    driver_capture_id number = 0;
    int code = device->driver->capture_info(wanted->native, &status, &number, NULL, NULL, NULL);
    *captured = status != DRIVER_CAPTURE_STATUS_NONE;
    wanted->adopted = ~(uint64_t)number;
    return device_status(device, code, DRIVER_ROW_capture_info, BATON_OP_STREAM, NULL, err);
}

static int32_t identify(struct device *device, struct wanted *wanted, baton_error *err)
{
    unsigned long long number = 0;
    int captured = 1;
    wanted->adopted = SPECIAL;
    if (wanted->native == DRIVER_STREAM_LEGACY || wanted->native == DRIVER_STREAM_PER_THREAD)
        return BATON_OK;
    int32_t status = identify_captured(device, wanted, &captured, err);
    if (status || captured)
        return status;
    int code = device->driver->stream_id(wanted->native, &number);
    wanted->adopted = number + 1;       /* 0 is nobody's */
    return device_status(device, code, DRIVER_ROW_stream_id, BATON_OP_STREAM, NULL, err);
}

int32_t baton_stream_adopt(baton_runtime *runtime, int32_t ordinal, uint64_t native, baton_stream **stream, baton_error *err)
{
    struct wanted wanted = { .native = native ? (driver_stream)(uintptr_t)native : DRIVER_STREAM_LEGACY };
    int32_t status = runtime_check(runtime, err);
    if (status || (status = device_get(runtime, ordinal, &wanted.device, err)))
        return status;
    if (!stream)
        return fail(err, BATON_ERR_ARGUMENT, "stream is NULL");
    if ((status = identify(wanted.device, &wanted, err)))
        return status;
    stream_each(runtime, look_at, &wanted);
    if (!wanted.found)
        return stream_wrap(wanted.device, native, wanted.adopted, stream, err);
    atomic_store_explicit(&wanted.found->exposed, 1, memory_order_relaxed);     /* P6: its number is known outside */
    *stream = wanted.found;
    return BATON_OK;
}
