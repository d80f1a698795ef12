/* A picture on the device, and a filter over it. */
#include "demo.h"

int32_t demo_array_create(baton_runtime *runtime, const struct image *image, baton_stream *stream, baton_array **array,
                          baton_error *err)
{
    const int64_t shape[] = { image->height, image->width, image->channels };
    baton_array_options options = {
        .struct_size = sizeof options, .dtype = BATON_U8, .ndim = 3, .shape = shape, .stream = stream,
    };
    int32_t status = baton_stream_device(stream, &options.device, err);
    return status ? status : baton_array_create(runtime, &options, array, err);
}

int32_t demo_filter_launch(const struct demo_kernels *kernels, const struct image *image, uint32_t filter,
                           baton_array *out, baton_array *in, baton_stream *stream, baton_error *err)
{
    enum { BLOCK = 256, MOST_BLOCKS = 65535 };
    size_t blocks = image->bytes / BLOCK + 1;
    const baton_launch_options options = {
        .struct_size = sizeof options, .stream = stream, .block = { BLOCK },
        .grid = { blocks < MOST_BLOCKS ? (uint32_t)blocks : MOST_BLOCKS },
    };
    const baton_argument arguments[] = {
        baton_out(out), baton_in(in),
        baton_value(image->width), baton_value(image->height), baton_value(image->channels),
    };
    baton_kernel *kernel = demo_filter_sharpens(filter) ? kernels->sharpen : kernels->blur;
    return baton_launch(kernel, &options, arguments, sizeof arguments / sizeof arguments[0], err);
}
