/* Stories of arrays that leave for other libraries and come back. */
#include "exchange/arrow.h"
#include "exchange/dlpack.h"
#include "stream/device.h"

#include "plays_acts.h"

static int32_t use(struct play *play, baton_array *array, int32_t value)
{
    int32_t status = play_fill(play, array, value, play->b);
    baton_array_release(array);
    return status;
}

int32_t act_export(struct play *play)
{
    void *managed;
    baton_array *imported;
    int32_t status = baton_dlpack_export(play->x, play->b, &managed, &play->error);
    if (status)
        return status;
    status = baton_dlpack_import(play->runtime, managed, play->b, &imported, &play->error);
    if (status) {
        ((struct dlpack_managed *)managed)->deleter(managed);
        return status;
    }
    return use(play, imported, 7);
}

static int32_t export_copy(struct play *play, uint32_t flags, baton_stream *stream)
{
    void *managed;
    baton_array *imported;
    baton_dlpack_options options = { .struct_size = sizeof options, .flags = flags | BATON_DLPACK_LEGACY | BATON_DLPACK_COPY, .stream = stream };
    int32_t status = baton_dlpack_export_with(play->x, &options, &managed, &play->error);
    if (status)
        return status;
    status = baton_dlpack_import_legacy(play->runtime, managed, stream, &imported, &play->error);
    if (status) {
        ((struct dlpack_legacy *)managed)->deleter(managed);
        return status;
    }
    return use(play, imported, 9);                  /* which is not x */
}

int32_t act_export_copies(struct play *play)
{
    void *managed;
    baton_dlpack_options unordered = { .struct_size = sizeof unordered, .flags = BATON_DLPACK_UNORDERED };
    int32_t status = export_copy(play, 0, play->b);
    if (status || (status = export_copy(play, BATON_DLPACK_HOST, NULL)) ||
        (status = baton_dlpack_export_with(play->x, &unordered, &managed, &play->error)))
        return status;
    ((struct dlpack_managed *)managed)->deleter(managed);
    return play_fill(play, play->x, 7, play->a);
}

static int32_t exchange_arrow(struct play *play)
{
    struct arrow_device_array out;
    struct arrow_schema schema;
    baton_array *imported;
    int32_t status = baton_arrow_export(play->x, &out, &schema, &play->error);
    if (status)
        return status;
    status = baton_arrow_import(play->runtime, &out, &schema, play->b, &imported, &play->error);
    schema.release(&schema);
    if (status) {
        out.array.release(&out.array);
        return status;
    }
    status = baton_copy(play->y, imported, play->b, &play->error);
    baton_array_release(imported);
    return status;
}

/* Once as a CPU's memory, once as a GPU's, behind an event. */
int32_t act_arrow(struct play *play)
{
    static struct driver gpu;
    struct device *device = &play->runtime->devices[0];
    const struct driver *own = device->driver;
    int32_t status = exchange_arrow(play);
    if (status)
        return status;
    gpu = *own;
    gpu.host_kernels = 0;
    device->driver = &gpu;
    status = exchange_arrow(play);
    device->driver = own;
    return status;
}

int32_t act_interface(struct play *play)
{
    baton_interface_info info = { .struct_size = sizeof info };
    baton_array *view, *imported;
    int32_t status = baton_array_view(play->x, &(baton_view_options) { .struct_size = sizeof(baton_view_options), .ndim = 1 }, &view, &play->error);
    if (status)
        return status;
    if (!(status = baton_interface_export(view, &info, &play->error)) && !(status = baton_interface_export(view, &info, &play->error)) &&
        !(status = baton_interface_import(play->runtime, &info, NULL, NULL, &imported, &play->error)))
        status = use(play, imported, 7);
    if (!status)
        status = baton_stream_follow(play->a, play->b, &play->error);       /* handed back: the same bytes are two memories to the library */
    if (status)
        baton_stream_synchronize(play->b, BATON_WAIT_BLOCK, NULL);
    baton_array_release(view);
    return status;
}

/* A second handle for stream a, as of somebody else who made it. */
int32_t act_wrap_stream(struct play *play)
{
    uint64_t native;
    baton_stream *wrapped;
    int32_t status = baton_stream_native(play->a, &native, &play->error);
    if (status || (status = baton_stream_wrap(play->runtime, 0, native, &wrapped, &play->error)))
        return status;
    status = play_fill(play, play->x, 7, wrapped);
    baton_stream_release(wrapped);
    return status;
}

int32_t act_adopt(struct play *play)
{
    uint64_t native;
    int32_t lent;
    baton_stream *own, *legacy;
    int32_t status = baton_stream_native(play->a, &native, &play->error);
    if (status || (status = baton_stream_adopt(play->runtime, 0, native, &own, &play->error)))
        return status;
    if (!(status = baton_stream_adopt(play->runtime, 0, BATON_STREAM_LEGACY, &legacy, &play->error))) {
        status = play_fill(play, play->x, 7, legacy);
        baton_stream_release(legacy);
    }
    if (!status && !(status = baton_stream_lent(own, &lent, &play->error)))
        status = baton_stream_keep(own, NULL, NULL, &play->error);
    baton_stream_release(own);
    return status;
}

static int32_t lend(struct play *play, baton_stream *lent)
{
    void *managed;
    int32_t status = baton_dlpack_export(play->x, lent, &managed, &play->error);
    if (status)
        return status;
    ((struct dlpack_managed *)managed)->deleter(managed);
    return play_fill(play, play->y, PLAY_Y, lent);
}

/* A stream of another runtime, which is gone before its last uses are followed. */
int32_t act_lent(struct play *play)
{
    struct play other;
    uint64_t native;
    baton_stream *lent;
    int32_t status = play_open(&other);
    play->error = other.error;
    if (!other.runtime)
        return status;
    if (!status && !(status = baton_stream_native(other.a, &native, &play->error)) &&
        !(status = baton_stream_adopt(play->runtime, 0, native, &lent, &play->error))) {
        status = lend(play, lent);
        baton_stream_release(lent);
    }
    play_release(&other);
    int32_t closed = baton_runtime_close(other.runtime, status ? NULL : &play->error);
    status = status ? status : closed;
    if (!status && !(status = baton_drain(play->runtime, 0, NULL, &play->error)))
        status = baton_copy(play->x, play->y, play->b, &play->error);
    if (!status)
        status = play_fill(play, play->x, 7, play->b);
    if (status)
        baton_trim(play->runtime, 0, 0, NULL);      /* waits for all that the stream may have left; else x and y would go with the runtime */
    return status;
}
