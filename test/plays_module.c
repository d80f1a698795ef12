/* Stories of code: images, and source that is compiled by a stand-in (fake_nvrtc.c). The device's own driver is replaced by one that says it takes such images, and takes for each
 * a module of C functions. */
#include <stdlib.h>

#include "driver/soft/soft.h"
#include "stream/device.h"

#include "plays_acts.h"

static const struct driver *beneath;

static void nothing(const struct soft_grid *grid, void *const *arguments)
{
    (void)grid;
    (void)arguments;
}

static int load(driver_module *module, const void *image, unsigned int count, driver_jit_option *options, void **values)
{
    static const struct soft_kernel kernel = { "scale", nothing, NULL, 0 };
    static const struct soft_image stand_in = { .magic = SOFT_IMAGE_MAGIC, .count = 1, .kernels = &kernel };
    (void)image;
    return beneath->module_load_ex(module, &stand_in, count, options, values);
}

static int32_t with_images(struct play *play, int32_t (*act)(struct play *play))
{
    static struct driver gpu;
    struct device *device = &play->runtime->devices[0];
    beneath = device->driver;
    gpu = *beneath;
    gpu.host_kernels = 0;
    gpu.module_load_ex = load;
    device->driver = &gpu;
    int32_t status = act(play);
    device->driver = beneath;
    return status;
}

/* The kernel keeps its module; both have a second reference for a while. */
static int32_t take_kernel(struct play *play, baton_module *module)
{
    baton_kernel *kernel;
    int32_t status = baton_module_kernel(module, "scale", &kernel, &play->error);
    if (!status && !(status = baton_module_retain(module))) {
        baton_module_release(module);
        if (!(status = baton_kernel_retain(kernel)))
            baton_kernel_release(kernel);
        baton_kernel_release(kernel);
    }
    return status;
}

static int32_t load_image(struct play *play)
{
    static const char image[] = ".version 7.0";
    baton_module *module;
    int32_t status = baton_module_load(play->runtime, 0, image, sizeof image, &module, &play->error);
    if (status)
        return status;
    status = take_kernel(play, module);
    baton_module_release(module);
    return status;
}

static int32_t compile(struct play *play)
{
    char log[64];
    baton_compile_options options = { .struct_size = sizeof options, .flags = BATON_COMPILE_NO_CACHE, .log = log, .log_bytes = sizeof log };
    baton_module *module;
    int32_t status = baton_module_compile(play->runtime, 0, "scale", &options, &module, &play->error);
    if (status)
        return status;
    status = take_kernel(play, module);
    baton_module_release(module);
    return status;
}

int32_t act_module(struct play *play)
{
    return with_images(play, load_image);
}

int32_t act_compile(struct play *play)
{
    return with_images(play, compile);
}
