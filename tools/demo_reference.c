/* The demo's filters on the CPU, written for the eye: every sample looks at its nine neighbours. */
#include "demo.h"

#include <stdlib.h>
#include <string.h>

static uint32_t clamped(int64_t index, uint32_t count)
{
    return index < 0 ? 0 : index >= count ? count - 1 : (uint32_t)index;
}

static uint32_t sample_at(const struct image *image, int64_t x, int64_t y, uint32_t channel)
{
    size_t pixel = (size_t)clamped(y, image->height) * image->width + clamped(x, image->width);
    return image->samples[pixel * image->channels + channel];
}

/* Mean of the 3 by 3 neighbourhood, rounded; beyond an edge the edge is repeated. */
static uint32_t blurred(const struct image *image, int64_t x, int64_t y, uint32_t channel)
{
    uint32_t sum = 0;
    for (int64_t dy = -1; dy <= 1; dy++)
        for (int64_t dx = -1; dx <= 1; dx++)
            sum += sample_at(image, x + dx, y + dy, channel);
    return (sum + 4) / 9;
}

static uint32_t sharpened(const struct image *image, int64_t x, int64_t y, uint32_t channel)
{
    uint32_t twice = 2 * sample_at(image, x, y, channel), blur = blurred(image, x, y, channel);
    uint32_t value = twice > blur ? twice - blur : 0;
    return value > 255 ? 255 : value;
}

static void filter_image(const struct image *image, int sharpen, uint8_t *out)
{
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++)
            for (uint32_t channel = 0; channel < image->channels; channel++)
                *out++ = (uint8_t)(sharpen ? sharpened(image, x, y, channel) : blurred(image, x, y, channel));
}

int demo_reference(const struct image *image, uint32_t filters, uint8_t *result)
{
    struct image step = *image;
    step.samples = malloc(image->bytes);
    if (!step.samples)
        return -1;
    memcpy(step.samples, image->samples, image->bytes);
    for (uint32_t i = 0; i < filters; i++) {
        filter_image(&step, demo_filter_sharpens(i), result);
        memcpy(step.samples, result, image->bytes);
    }
    image_free(&step);
    return 0;
}
