/* Kernels of the tests, for the software device. */
#include <baton.h>

#include <string.h>

void add_one(const baton_host_launch *launch, void *const *arguments);
void scale(const baton_host_launch *launch, void *const *arguments);
void many(const baton_host_launch *launch, void *const *arguments);
void shape(const baton_host_launch *launch, void *const *arguments);
void raw(const baton_host_launch *launch, void *const *arguments);

void add_one(const baton_host_launch *launch, void *const *arguments)
{
    float *x = *(float **)arguments[0];
    for (uint32_t i = 0; i < launch->grid[0]; i++)
        x[i] += 1;
}

void scale(const baton_host_launch *launch, void *const *arguments)
{
    float *to = *(float **)arguments[0];
    const float *from = *(float **)arguments[1];
    float factor = *(float *)arguments[2];
    for (uint32_t i = 0; i < launch->grid[0]; i++)
        to[i] = factor * from[i];
}

/* The sum of 20 int32 arguments into the first, an int64. */
void many(const baton_host_launch *launch, void *const *arguments)
{
    int64_t sum = 0;
    (void)launch;
    for (int i = 1; i <= 20; i++)
        sum += *(int32_t *)arguments[i];
    **(int64_t **)arguments[0] = sum;
}

/* The launch's own numbers into seven int32. */
void shape(const baton_host_launch *launch, void *const *arguments)
{
    uint32_t *to = *(uint32_t **)arguments[0];
    memcpy(to, launch->grid, sizeof launch->grid);
    memcpy(to + 3, launch->block, sizeof launch->block);
    to[6] = launch->shared_bytes;
}

/* A struct of 24 bytes by value. */
void raw(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch;
    memcpy(*(void **)arguments[0], arguments[1], 24);
}
