/* The floors of overhead.py: the same operations by C, in the same process and in turns with it; through the driver alone, and
 * through Baton. A library for ctypes. Each measuring function does n operations and returns their nanoseconds, 0 after a failure
 * that floor_problem tells. For one thread. What floor_open makes lives as long as the process. */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

#include <baton.h>

#include "kernels_ptx.h"

enum { ELEMENTS = 512, SMALL = 16, NON_BLOCKING = 1, DISABLE_TIMING = 2 };
#define EXPORT __attribute__((visibility("default")))

EXPORT const char *floor_open(const char *driver);
EXPORT const char *floor_problem(void);
EXPORT int floor_has_driver(void);
EXPORT uint64_t floor_driver_ping_pong(uint64_t n);
EXPORT uint64_t floor_baton_ping_pong(uint64_t n);
EXPORT uint64_t floor_baton_create(uint64_t n);
EXPORT void floor_settle(void);

static struct {
    baton_runtime *runtime;
    baton_stream *streams[2];
    baton_array *array;
    baton_kernel *kernel;
} ours;

static struct {
    int (*init)(unsigned flags);
    int (*retain)(void **context, int device);
    int (*push)(void *context);
    int (*pop)(void **context);
    int (*load)(void **module, const void *image);
    int (*find)(void **function, void *module, const char *name);
    int (*allocate)(uint64_t *address, size_t bytes);
    int (*make_stream)(void **stream, unsigned flags);
    int (*make_event)(void **event, unsigned flags);
    int (*record)(void *event, void *stream);
    int (*wait)(void *stream, void *event, unsigned flags);
    int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
                  void **parameters, void **extra);
    int (*synchronize)(void *stream);
} cuda;

static struct {
    void *context, *function, *streams[2], *events[2];
    uint64_t memory;
} raw;

static baton_error error = BATON_ERROR_INIT;
static char problem[sizeof error.message + 64];

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t measured(uint64_t start, int failed, const char *who)
{
    uint64_t end = now();
    if (!failed)
        return end - start;
    snprintf(problem, sizeof problem, "%s: status %d %s", who, failed, failed < 0 ? error.message : "");
    return 0;
}

/* ---- Baton */

static void nothing(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch;
    (void)arguments;
}

static int32_t open_kernel(int soft)
{
    static const baton_host_parameter parameter = { 8, BATON_READ_WRITE };
    baton_module *module;
    if (soft)
        return baton_kernel_host(ours.runtime, 0, nothing, "nothing", &parameter, 1, &ours.kernel, &error);
    int32_t status = baton_module_load(ours.runtime, 0, bench_kernels_ptx, sizeof bench_kernels_ptx, &module, &error);
    return status ? status : baton_module_kernel(module, "bench_touch1", &ours.kernel, &error);
}

static int32_t open_ours(const char *driver, int soft)
{
    baton_runtime_options options = { .struct_size = sizeof options, .driver = driver };
    baton_array_options array = { .struct_size = sizeof array, .dtype = BATON_F32, .ndim = 1, .shape = (int64_t[]) { ELEMENTS } };
    int32_t status = baton_runtime_open(&options, &ours.runtime, &error);
    for (int i = 0; i < 2 && !status; i++)
        status = baton_stream_create(ours.runtime, 0, 0, 0, &ours.streams[i], &error);
    if (!status)
        status = baton_array_create(ours.runtime, &array, &ours.array, &error);
    return status ? status : open_kernel(soft);
}

uint64_t floor_baton_ping_pong(uint64_t n)
{
    baton_launch_options options[2];
    baton_argument argument = baton_inout(ours.array);
    int32_t status = 0;
    for (int i = 0; i < 2; i++)
        options[i] = (baton_launch_options) { .struct_size = sizeof options[i], .grid = { 1 }, .stream = ours.streams[i] };
    uint64_t start = now();
    for (uint64_t i = 0; i < n && !status; i++)
        status = baton_launch(ours.kernel, &options[i % 2], &argument, 1, &error);
    return measured(start, status, "launch");
}

uint64_t floor_baton_create(uint64_t n)
{
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_F32, .ndim = 1, .shape = (int64_t[]) { SMALL },
                                    .stream = ours.streams[0] };
    baton_array *array;
    int32_t status = 0;
    uint64_t start = now();
    for (uint64_t i = 0; i < n && !status; i++) {
        status = baton_array_create(ours.runtime, &options, &array, &error);
        if (!status)
            baton_array_release(array);
    }
    return measured(start, status, "create");
}

/* ---- the driver alone */

static int find_driver(void)
{
    static const struct { const char *name; void *place; } calls[] = {
        { "cuInit", &cuda.init }, { "cuDevicePrimaryCtxRetain", &cuda.retain }, { "cuCtxPushCurrent_v2", &cuda.push },
        { "cuCtxPopCurrent_v2", &cuda.pop }, { "cuModuleLoadData", &cuda.load }, { "cuModuleGetFunction", &cuda.find },
        { "cuMemAlloc_v2", &cuda.allocate }, { "cuStreamCreate", &cuda.make_stream }, { "cuEventCreate", &cuda.make_event },
        { "cuEventRecord", &cuda.record }, { "cuStreamWaitEvent", &cuda.wait }, { "cuLaunchKernel", &cuda.launch },
        { "cuStreamSynchronize", &cuda.synchronize },
    };
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    for (unsigned i = 0; library && i < sizeof calls / sizeof *calls; i++)
        if (!(*(void **)calls[i].place = dlsym(library, calls[i].name)))
            return -1;
    return library ? 0 : -1;
}

static int make_raw(void)
{
    void *module;
    int failed = cuda.load(&module, bench_kernels_ptx);
    if (!failed)
        failed = cuda.find(&raw.function, module, "bench_touch1");
    if (!failed)
        failed = cuda.allocate(&raw.memory, ELEMENTS * sizeof(float));
    for (int i = 0; i < 2 && !failed; i++) {
        failed = cuda.make_stream(&raw.streams[i], NON_BLOCKING);
        if (!failed)
            failed = cuda.make_event(&raw.events[i], DISABLE_TIMING);
    }
    return failed;
}

static int open_raw(void)
{
    void *context;
    int failed = find_driver();
    if (!failed)
        failed = cuda.init(0);
    if (!failed)
        failed = cuda.retain(&raw.context, 0);
    if (!failed)
        failed = cuda.push(raw.context);
    if (failed)
        return failed;
    failed = make_raw();
    cuda.pop(&context);
    return failed;
}

static int raw_ping_pong(uint64_t n)
{
    void *parameters[] = { &raw.memory };
    int failed = 0;
    for (uint64_t i = 0; i < n && !failed; i++) {
        uint64_t to = i % 2;
        failed = cuda.record(raw.events[!to], raw.streams[!to]);
        if (!failed)
            failed = cuda.wait(raw.streams[to], raw.events[!to], 0);
        if (!failed)
            failed = cuda.launch(raw.function, 1, 1, 1, 1, 1, 1, 0, raw.streams[to], parameters, NULL);
    }
    return failed;
}

uint64_t floor_driver_ping_pong(uint64_t n)
{
    void *context;
    cuda.push(raw.context);
    uint64_t start = now(), ns = measured(start, raw_ping_pong(n), "the driver");
    cuda.pop(&context);
    return ns;
}

/* ---- for the caller */

const char *floor_problem(void)
{
    return problem;
}

int floor_has_driver(void)
{
    return raw.function != NULL;
}

void floor_settle(void)
{
    void *context;
    baton_array_synchronize(ours.array, BATON_WAIT_AUTO, NULL);
    baton_drain(ours.runtime, 0, NULL, NULL);
    if (!floor_has_driver())
        return;
    cuda.push(raw.context);
    for (int i = 0; i < 2; i++)
        cuda.synchronize(raw.streams[i]);
    cuda.pop(&context);
}

/* NULL, or what went wrong. */
const char *floor_open(const char *driver)
{
    int soft = driver[0] == 's';
    int32_t status = open_ours(driver, soft);
    if (status)
        return error.message;
    return !soft && open_raw() ? "the driver could not be used directly" : NULL;
}
