#include "stamp.h"

#include "kernels.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

uint64_t stamp_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

uint64_t stamp_mixed(uint64_t operation, uint64_t a, uint64_t b)
{
    uint64_t state = operation ^ a;
    state = stamp_random(&state) ^ b;
    return stamp_random(&state);
}

static uint64_t *words(void *const *arguments, int index)
{
    return (uint64_t *)(uintptr_t)*(const uint64_t *)arguments[index];
}

static struct stamp *stamp_of(void *const *arguments, int index)
{
    return *(struct stamp *const *)arguments[index];
}

/* All elements as one value; a mixture of two states is neither. */
static uint64_t whole(const uint64_t *elements)
{
    for (int i = 1; i < STAMP_ELEMENTS; i++)
        if (elements[i] != elements[0])
            return ~elements[0] ^ elements[i];
    return elements[0];
}

static void spread(uint64_t *elements, uint64_t value)
{
    for (int i = 0; i < STAMP_ELEMENTS; i++)
        elements[i] = value;
}

/* Reads, lets other streams run, and writes. */
static uint64_t witness(struct stamp *stamp, const uint64_t *a, const uint64_t *b)
{
    uint64_t first = whole(a);
    sched_yield();
    uint64_t value = stamp_mixed(stamp->operation, first, whole(b));
    stamp->found = value;
    return value;
}

static void mix(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch;
    spread(words(arguments, 0), witness(stamp_of(arguments, 3), words(arguments, 1), words(arguments, 2)));
}

static void update(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch;
    spread(words(arguments, 0), witness(stamp_of(arguments, 2), words(arguments, 0), words(arguments, 1)));
}

static void observe(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch;
    witness(stamp_of(arguments, 1), words(arguments, 0), words(arguments, 0));
}

static void look(const uint64_t *elements, _Atomic uint64_t *torn)
{
    for (int i = 1; i < STAMP_ELEMENTS; i++) {
        if (elements[i] != elements[0])
            atomic_fetch_add(torn, 1);
        sched_yield();
    }
}

static void bump(const baton_host_launch *launch, void *const *arguments)
{
    uint64_t *elements = words(arguments, 0);
    (void)launch;
    look(elements, *(_Atomic uint64_t *const *)arguments[1]);
    for (int i = 0; i < STAMP_ELEMENTS; i++) {
        uint64_t old = elements[i];
        sched_yield();
        elements[i] = old + 1;
    }
}

static void peek(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch;
    look(words(arguments, 0), *(_Atomic uint64_t *const *)arguments[1]);
}

int32_t stamp_kernels_make(baton_runtime *runtime, int32_t device, struct stamp_kernels *kernels, baton_error *err)
{
    static const baton_host_parameter out = { 8, BATON_WRITE }, in = { 8, BATON_READ }, both = { 8, BATON_READ_WRITE }, raw = { 8, 0 };
    const struct {
        baton_kernel **kernel;
        baton_host_kernel function;
        const char *name;
        baton_host_parameter parameters[4];
        uint32_t count;
    } rows[] = {
        { &kernels->mix, mix, "mix", { out, in, in, raw }, 4 },
        { &kernels->update, update, "update", { both, in, raw }, 3 },
        { &kernels->observe, observe, "observe", { in, raw }, 2 },
        { &kernels->bump, bump, "bump", { both, raw }, 2 },
        { &kernels->peek, peek, "peek", { in, raw }, 2 },
    };
    int32_t status = BATON_OK;
    *kernels = (struct stamp_kernels) { .mix = NULL };
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !status; i++)
        status = kernel_make(runtime, device, rows[i].function, rows[i].name, rows[i].parameters, rows[i].count, rows[i].kernel, err);
    return status;
}

void *shared_new(baton_runtime *runtime, uint64_t bytes, baton_array **owner)
{
    int64_t elements = (int64_t)bytes;
    void *address;
    baton_array_options options = { .struct_size = sizeof options, .kind = BATON_HOST, .dtype = BATON_U8, .ndim = 1, .shape = &elements };
    if (baton_array_create(runtime, &options, owner, NULL) || baton_array_host_pointer(*owner, BATON_READ_WRITE, &address, NULL))
        abort();
    return memset(address, 0, bytes);
}

void stamp_kernels_release(struct stamp_kernels *kernels)
{
    baton_kernel_release(kernels->mix);
    baton_kernel_release(kernels->update);
    baton_kernel_release(kernels->observe);
    baton_kernel_release(kernels->bump);
    baton_kernel_release(kernels->peek);
}
