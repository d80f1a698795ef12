#include "driver/cast_kernels.h"

#include "driver/soft/soft.h"

static char *value_address(const void *argument)
{
    uint64_t value;
    memcpy(&value, argument, sizeof value);
    return (char *)(uintptr_t)value;
}

#define SOFT_ELEMENTWISE(name, type, wrapping, most)                                                                \
    static void soft_elementwise_##name(const struct soft_grid *grid, void *const *arguments)                       \
    {                                                                                                               \
        (void)grid;                                                                                                 \
        elementwise_##name(value_address(arguments[0]), value_address(arguments[1]), value_address(arguments[2]),   \
                           arguments[3], 0, 1);                                                                     \
    }
ARITHMETIC_TYPES(SOFT_ELEMENTWISE)

static void soft_cast(const struct soft_grid *grid, void *const *arguments)
{
    (void)grid;
    cast_run(value_address(arguments[0]), value_address(arguments[1]), arguments[2], 0, 1);
}

static void soft_range(const struct soft_grid *grid, void *const *arguments)
{
    (void)grid;
    range_run(value_address(arguments[0]), arguments[1], 0, 1);
}

static const struct soft_parameter elementwise_parameters[] = {
    { .bytes = sizeof(uint64_t), .access = 2 },
    { .bytes = sizeof(uint64_t), .access = 1 },
    { .bytes = sizeof(uint64_t), .access = 1 },
    { .bytes = sizeof(struct elementwise) },
};

static const struct soft_parameter cast_parameters[] = {
    { .bytes = sizeof(uint64_t), .access = 2 },
    { .bytes = sizeof(uint64_t), .access = 1 },
    { .bytes = sizeof(struct cast) },
};

static const struct soft_parameter range_parameters[] = {
    { .bytes = sizeof(uint64_t), .access = 2 },
    { .bytes = sizeof(struct range) },
};

#define SOFT_KERNEL(kernel, code, list) \
    { .name = kernel, .function = code, .parameters = list, .count = sizeof list / sizeof *list }
#define SOFT_ELEMENTWISE_KERNEL(type, c_type, wrapping, most) \
    SOFT_KERNEL(ARITHMETIC_ELEMENTWISE(type), soft_elementwise_##type, elementwise_parameters),

static const struct soft_kernel kernels[] = {
    ARITHMETIC_TYPES(SOFT_ELEMENTWISE_KERNEL)
    SOFT_KERNEL(ARITHMETIC_CAST, soft_cast, cast_parameters),
    SOFT_KERNEL(ARITHMETIC_RANGE, soft_range, range_parameters),
};

const struct soft_image soft_arithmetic_image = {
    .magic = SOFT_IMAGE_MAGIC, .count = sizeof kernels / sizeof *kernels, .kernels = kernels
};
