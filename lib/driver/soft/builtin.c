#include "driver/builtin.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "driver/soft/soft.h"

enum { GATE_POLL_NS = 20000 };

static uint64_t value_u64(const void *argument)
{
    uint64_t value;
    memcpy(&value, argument, sizeof value);
    return value;
}

static char *value_address(const void *argument)
{
    return (char *)(uintptr_t)value_u64(argument);
}

/* Steps a row-major index to its successor. Past the last it is all 0 again. */
static void index_next(int64_t *index, uint32_t ndim, const int64_t *shape)
{
    for (uint32_t d = ndim; d-- > 0;) {
        if (++index[d] < shape[d])
            return;
        index[d] = 0;
    }
}

/* Distance, in elements, of an index from the first element. */
static int64_t index_offset(const int64_t *index, uint32_t ndim, const int64_t *strides)
{
    int64_t offset = 0;
    for (uint32_t d = 0; d < ndim; d++)
        offset += index[d] * strides[d];
    return offset;
}

static void copy_strided(const struct soft_grid *grid, void *const *arguments)
{
    char *to = value_address(arguments[0]);
    const char *from = value_address(arguments[1]);
    const struct strided *how = arguments[2];
    int64_t index[BUILTIN_DIMENSIONS] = { 0 };
    int64_t bytes = how->element_bytes;
    (void)grid;
    for (uint64_t i = 0; i < how->count; i++) {
        memcpy(to + index_offset(index, how->ndim, how->to_strides) * bytes,
               from + index_offset(index, how->ndim, how->from_strides) * bytes, how->element_bytes);
        index_next(index, how->ndim, how->shape);
    }
}

static void fill_strided(const struct soft_grid *grid, void *const *arguments)
{
    char *to = value_address(arguments[0]);
    const struct fill_strided *how = arguments[1];
    int64_t index[BUILTIN_DIMENSIONS] = { 0 };
    int64_t bytes = how->element_bytes;
    (void)grid;
    for (uint64_t i = 0; i < how->count; i++) {
        memcpy(to + index_offset(index, how->ndim, how->strides) * bytes, how->value, how->element_bytes);
        index_next(index, how->ndim, how->shape);
    }
}

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Sleeps between looks: a closed gate must not cost a core. */
static void gate(const struct soft_grid *grid, void *const *arguments)
{
    _Atomic uint32_t *flag = (_Atomic uint32_t *)(void *)value_address(arguments[0]);
    uint64_t limit_ns = value_u64(arguments[1]);
    uint64_t begin = clock_ns();
    (void)grid;
    while (atomic_load_explicit(flag, memory_order_acquire) == 0 && clock_ns() - begin < limit_ns)
        nanosleep(&(struct timespec) { .tv_nsec = GATE_POLL_NS }, NULL);
}

static const struct soft_parameter copy_parameters[] = {
    { .bytes = sizeof(uint64_t), .access = 2 },
    { .bytes = sizeof(uint64_t), .access = 1 },
    { .bytes = sizeof(struct strided) },
};

static const struct soft_parameter fill_parameters[] = {
    { .bytes = sizeof(uint64_t), .access = 2 },
    { .bytes = sizeof(struct fill_strided) },
};

/* The flag is the host's to write at any time, hence no declared access. */
static const struct soft_parameter gate_parameters[] = {
    { .bytes = sizeof(uint64_t) },
    { .bytes = sizeof(uint64_t) },
};

static const struct soft_kernel kernels[] = {
    { .name = BUILTIN_COPY_STRIDED, .function = copy_strided, .parameters = copy_parameters, .count = 3 },
    { .name = BUILTIN_FILL_STRIDED, .function = fill_strided, .parameters = fill_parameters, .count = 2 },
    { .name = BUILTIN_GATE, .function = gate, .parameters = gate_parameters, .count = 2 },
};

const struct soft_image soft_builtin_image = { .magic = SOFT_IMAGE_MAGIC, .count = 3, .kernels = kernels };
