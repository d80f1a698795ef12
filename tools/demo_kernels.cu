/* The demo's filters on images of 8-bit samples, row by row, channels interleaved. One sample per thread; any number of
 * threads does the whole image. scripts/make-ptx turns this file into demo_kernels_ptx.h. */
#include <stdint.h>

struct image {
    const uint8_t *samples;
    uint32_t width, height, channels;
};

static __device__ uint32_t clamped(int64_t index, uint32_t count)
{
    return index < 0 ? 0 : index >= count ? count - 1 : (uint32_t)index;
}

/* Mean of the 3 by 3 neighbourhood, rounded; beyond an edge the edge is repeated. */
static __device__ uint32_t blurred(const struct image &image, uint64_t sample)
{
    uint32_t channel = (uint32_t)(sample % image.channels);
    uint64_t pixel = sample / image.channels;
    int64_t x = (int64_t)(pixel % image.width);
    int64_t y = (int64_t)(pixel / image.width);
    uint32_t sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            uint64_t row = clamped(y + dy, image.height);
            uint64_t at = row * image.width + clamped(x + dx, image.width);
            sum += image.samples[at * image.channels + channel];
        }
    return (sum + 4) / 9;
}

static __device__ uint64_t sample_count(const struct image &image)
{
    return (uint64_t)image.width * image.height * image.channels;
}

static __device__ uint64_t thread_first()
{
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ uint64_t thread_step()
{
    return (uint64_t)gridDim.x * blockDim.x;
}

extern "C" __global__ void baton_demo_blur(uint64_t out, uint64_t in, uint32_t width, uint32_t height, uint32_t channels)
{
    const struct image image = { (const uint8_t *)in, width, height, channels };
#pragma unroll 1
    for (uint64_t i = thread_first(); i < sample_count(image); i += thread_step())
        ((uint8_t *)out)[i] = (uint8_t)blurred(image, i);
}

/* Twice the sample less its blur, clamped to 0 … 255. */
extern "C" __global__ void baton_demo_sharpen(uint64_t out, uint64_t in, uint32_t width, uint32_t height,
                                              uint32_t channels)
{
    const struct image image = { (const uint8_t *)in, width, height, channels };
#pragma unroll 1
    for (uint64_t i = thread_first(); i < sample_count(image); i += thread_step()) {
        int value = 2 * (int)image.samples[i] - (int)blurred(image, i);
        ((uint8_t *)out)[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
}
