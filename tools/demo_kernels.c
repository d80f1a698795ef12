/* The demo's filters as kernels. */
#include "demo.h"

#include <string.h>

#include "demo_kernels_ptx.h"

/* One launch's arguments: out, in, width, height, channels. */
struct frame {
    uint8_t *out;
    const uint8_t *in;
    size_t width, height, channels;
};

static struct frame frame_from(void *const *arguments)
{
    return (struct frame) {
        .out = (uint8_t *)(uintptr_t) * (const uint64_t *)arguments[0],
        .in = (const uint8_t *)(uintptr_t) * (const uint64_t *)arguments[1],
        .width = *(const uint32_t *)arguments[2],
        .height = *(const uint32_t *)arguments[3],
        .channels = *(const uint32_t *)arguments[4],
    };
}

/* The sums of three samples, one above the other, around row y. */
struct rows {
    const uint8_t *above, *here, *below;
};

static struct rows rows_around(const struct frame *frame, size_t y)
{
    size_t bytes = frame->width * frame->channels;
    const uint8_t *here = frame->in + y * bytes;
    return (struct rows) { y > 0 ? here - bytes : here, here, y + 1 < frame->height ? here + bytes : here };
}

static uint32_t column_sum(const struct rows *rows, size_t at)
{
    return (uint32_t)rows->above[at] + rows->here[at] + rows->below[at];
}

static uint8_t sharpened(uint32_t sample, uint32_t blur)
{
    int32_t value = 2 * (int32_t)sample - (int32_t)blur;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static void filter_row(const struct frame *frame, size_t y, int sharpen)
{
    size_t channels = frame->channels, bytes = frame->width * channels;
    struct rows rows = rows_around(frame, y);
    uint8_t *out = frame->out + y * bytes;
    for (size_t at = 0; at < bytes; at++) {
        size_t left = at >= channels ? at - channels : at, right = at + channels < bytes ? at + channels : at;
        uint32_t sum = column_sum(&rows, left) + column_sum(&rows, at) + column_sum(&rows, right);
        uint32_t blur = (sum + 4) / 9;
        out[at] = sharpen ? sharpened(rows.here[at], blur) : (uint8_t)blur;
    }
}

static void blur_host(const baton_host_launch *launch, void *const *arguments)
{
    struct frame frame = frame_from(arguments);
    (void)launch;
    for (size_t y = 0; y < frame.height; y++)
        filter_row(&frame, y, 0);
}

static void sharpen_host(const baton_host_launch *launch, void *const *arguments)
{
    struct frame frame = frame_from(arguments);
    (void)launch;
    for (size_t y = 0; y < frame.height; y++)
        filter_row(&frame, y, 1);
}

static int32_t open_host(baton_runtime *runtime, int32_t device, struct demo_kernels *kernels, baton_error *err)
{
    static const baton_host_parameter parameters[] = {
        { 8, BATON_WRITE }, { 8, BATON_READ }, { 4, 0 }, { 4, 0 }, { 4, 0 },
    };
    uint32_t count = sizeof parameters / sizeof parameters[0];
    int32_t status;
    status = baton_kernel_host(runtime, device, blur_host, "baton_demo_blur", parameters, count, &kernels->blur, err);
    if (!status)
        status = baton_kernel_host(runtime, device, sharpen_host, "baton_demo_sharpen", parameters, count,
                                   &kernels->sharpen, err);
    return status;
}

static int32_t open_ptx(baton_runtime *runtime, int32_t device, struct demo_kernels *kernels, baton_error *err)
{
    int32_t status = baton_module_load(runtime, device, demo_kernels_ptx, sizeof demo_kernels_ptx, &kernels->module, err);
    if (status)
        return status;
    status = baton_module_kernel(kernels->module, "baton_demo_blur", &kernels->blur, err);
    if (status)
        return status;
    return baton_module_kernel(kernels->module, "baton_demo_sharpen", &kernels->sharpen, err);
}

int32_t demo_kernels_open(baton_runtime *runtime, int32_t device, struct demo_kernels *kernels, baton_error *err)
{
    baton_runtime_info info = { .struct_size = sizeof info };
    struct demo_kernels made = { .module = NULL };
    int32_t status = baton_runtime_info_read(runtime, &info, err);
    if (status)
        return status;
    status = strcmp(info.driver, "cuda") ? open_host(runtime, device, &made, err) : open_ptx(runtime, device, &made, err);
    if (status)
        demo_kernels_close(&made);
    else
        *kernels = made;
    return status;
}

void demo_kernels_close(struct demo_kernels *kernels)
{
    if (kernels->sharpen)
        baton_kernel_release(kernels->sharpen);
    if (kernels->blur)
        baton_kernel_release(kernels->blur);
    if (kernels->module)
        baton_module_release(kernels->module);
}
