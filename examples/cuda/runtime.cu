/* Code of the CUDA runtime API and Baton in one program: streams, memory and kernels both ways.
 *
 * One of the two streams stands still while arrays pass between them, so that a host that waited would show, and so would
 * a kernel that ran too early. Kernels compute x = factor * x + term, whose order matters. */
#include <cuda_runtime.h>

#include <cstdio>

#include "common.h"

enum { COUNT = 1 << 16 };

static baton_stream *ours;      /* Baton's */
static cudaStream_t theirs;     /* the runtime API's … */
static baton_stream *wrapped;   /* … and what Baton calls it */
static baton_array *numbers;    /* 0, 1, 2 … */

#define need_cuda(call) need_success((call), #call)
static void need_success(cudaError_t code, const char *call)
{
    if (code != cudaSuccess)
        example_die(call, cudaGetErrorString(code));
}

__global__ static void scale(float *x, int count, float factor, float term)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        x[i] = factor * x[i] + term;
}

static void scale_on(cudaStream_t stream, float *x, float factor, float term)
{
    scale<<<COUNT / 256, 256, 0, stream>>>(x, COUNT, factor, term);
    need_cuda(cudaGetLastError());
}

/* Exact: the numbers are small. */
static int holds(baton_array *array, baton_stream *stream, float factor, float term)
{
    static float values[COUNT];
    need(baton_download(values, sizeof values, array, stream, &error));
    for (int i = 0; i < COUNT; i++)
        if (values[i] != factor * (float)i + term)
            return 0;
    return 1;
}

/* The body of a managed call: what may be used is in `operands`, and only on this stream. */
static int32_t scale_managed(void *, baton_stream *stream, const baton_operand *operands, uint64_t)
{
    uint64_t native;
    int32_t status = baton_stream_native(stream, &native, &error);
    if (status)
        return status;
    scale_on((cudaStream_t)native, (float *)operands[0].address, 2, 1);
    return BATON_OK;
}

static void scale_in_scope(baton_array *array, baton_stream *stream)
{
    baton_operand operand = {};
    operand.array = array;
    operand.access = BATON_READ_WRITE;
    need(baton_with_managed(stream, &operand, 1, scale_managed, NULL, &error));
}

/* The driver loads a kernel at its first launch, and may wait for the device then. */
static void warm_up()
{
    float *x;
    need_cuda(cudaMalloc((void **)&x, COUNT * sizeof *x));
    scale_on(theirs, x, 1, 0);
    need_cuda(cudaDeviceSynchronize());
    need_cuda(cudaFree(x));
}

static void begin()
{
    static float values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = (float)i;
    need_cuda(cudaSetDevice(0));
    need_cuda(cudaStreamCreateWithFlags(&theirs, cudaStreamNonBlocking));
    warm_up();
    ours = stream_new();
    need(baton_stream_wrap(runtime, 0, (uint64_t)theirs, &wrapped, &error));
    numbers = array_from(values, BATON_F32, COUNT, ours);
}

/* ---- a kernel of the runtime API on Baton's memory */

static void kernel_on_a_runtime_stream()
{
    baton_array *x = array_new(BATON_F32, COUNT, ours);
    step_begin("<<<>>> on a cudaStream_t, Baton's array written on Baton's stream");
    hold(ours);
    need(baton_copy(x, numbers, ours, &error));
    scale_in_scope(x, wrapped);
    step_check_held(wrapped);
    step_end(MUST_NOT_WAIT);
    let_go();
    step_check(holds(x, wrapped, 2, 1), "wrong numbers");
    baton_array_release(x);
}

static void kernel_on_our_stream()
{
    baton_array *x = array_new(BATON_F32, COUNT, wrapped);
    step_begin("<<<>>> on Baton's stream, array written on a cudaStream_t");
    hold(wrapped);
    need(baton_copy(x, numbers, wrapped, &error));
    scale_in_scope(x, ours);
    step_check_held(ours);
    step_end(MUST_NOT_WAIT);
    let_go();
    step_check(holds(x, ours, 2, 1), "wrong numbers");
    baton_array_release(x);
}

/* The address leaves for good, so the host waits until nothing else uses the memory. */
static void pointer_for_foreign_code()
{
    uint64_t address;
    baton_array *x = array_new(BATON_F32, COUNT, ours);
    step_begin("baton_array_pointer, array written on another stream");
    hold(ours);
    need(baton_copy(x, numbers, ours, &error));
    let_go_soon();
    need(baton_array_pointer(x, wrapped, BATON_READ_WRITE, &address, &error));
    step_check(was_let_go(), "the pointer came before the work was done");
    step_end(MUST_WAIT);
    let_go();
    scale_on(theirs, (float *)address, 3, 2);
    step_check(holds(x, ours, 3, 2), "wrong numbers");      /* ordered behind the kernel */
    baton_array_release(x);
}

/* ---- memory of the runtime API */

static void give_back(void *user, uint64_t address)
{
    void *memory = (void *)address;
    switch (*(const char *)user) {
    case 'h': need_cuda(cudaFreeHost(memory)); break;
    case 'a': need_cuda(cudaFreeAsync(memory, theirs)); break;
    default: need_cuda(cudaFree(memory));
    }
}

static baton_array *wrap(float *memory, const char *kind, int32_t expected)
{
    int64_t count = COUNT;
    baton_array *array;
    baton_array_options options = {};
    baton_array_info info = {};
    info.struct_size = sizeof info;
    options.struct_size = sizeof options;   /* kind 0: the driver is asked */
    options.dtype = BATON_F32;
    options.ndim = 1;
    options.shape = &count;
    options.stream = wrapped;               /* work on it uses the memory */
    need(baton_array_wrap(runtime, &options, (uint64_t)memory, give_back, (void *)kind, &array, &error));
    need(baton_array_info_read(array, &info, &error));
    step_check(info.kind == expected, "the kind was not detected");
    return array;
}

/* Written by the runtime API's kernel on its own stream, which is held; used by Baton's. */
static void memory_comes_in(const char *what, float *memory, const char *kind, int32_t expected, enum waits waits)
{
    baton_array *copy = array_new(BATON_F32, COUNT, ours), *array;
    need_cuda(cudaMemsetAsync(memory, 0, COUNT * sizeof *memory, theirs));
    step_begin(what);
    hold(wrapped);
    scale_on(theirs, memory, 1, 7);
    array = wrap(memory, kind, expected);
    if (waits != MUST_NOT_WAIT)
        let_go_soon();
    need(baton_copy(copy, array, ours, &error));
    if (waits == MUST_NOT_WAIT)
        step_check_held(ours);
    step_end(waits);
    let_go();
    step_check(holds(copy, ours, 0, 7), "wrong numbers");
    baton_array_release(array);
    baton_array_release(copy);
    need(baton_drain(runtime, 0, NULL, &error));
}

static void memory_of_every_kind()
{
    float *memory;
    need_cuda(cudaMalloc((void **)&memory, COUNT * sizeof *memory));
    memory_comes_in("cudaMalloc, written on a cudaStream_t, read on Baton's", memory, "device", BATON_DEVICE,
                    MUST_NOT_WAIT);
    need_cuda(cudaMallocAsync((void **)&memory, COUNT * sizeof *memory, theirs));
    memory_comes_in("cudaMallocAsync, the same", memory, "async", BATON_DEVICE, MUST_NOT_WAIT);
    need_cuda(cudaMallocManaged((void **)&memory, COUNT * sizeof *memory));
    memory_comes_in("cudaMallocManaged, the same", memory, "managed", BATON_UNIFIED, MAY_WAIT);
    need_cuda(cudaMallocHost((void **)&memory, COUNT * sizeof *memory));
    memory_comes_in("cudaMallocHost, the same", memory, "host", BATON_HOST, MAY_WAIT);
}

static void wrong_declarations()
{
    int64_t count = COUNT;
    float *memory;
    baton_array *array;
    baton_array_options options = {};
    options.struct_size = sizeof options;
    options.kind = BATON_HOST;
    options.dtype = BATON_F32;
    options.ndim = 1;
    options.shape = &count;
    need_cuda(cudaMalloc((void **)&memory, COUNT * sizeof *memory));
    step_begin("wrong declarations are refused");
    must_refuse(BATON_ERR_KIND, baton_array_wrap(runtime, &options, (uint64_t)memory, NULL, NULL, &array, &error));
    options.kind = 0;
    count = (int64_t)1 << 40;
    must_refuse(BATON_ERR_BOUNDS, baton_array_wrap(runtime, &options, (uint64_t)memory, NULL, NULL, &array, &error));
    step_end(MUST_NOT_WAIT);
    need_cuda(cudaFree(memory));
}

/* Work that Baton did not see, announced afterwards. */
static void announced_work()
{
    uint64_t address;
    baton_array *x = array_new(BATON_F32, COUNT, wrapped);
    need(baton_copy(x, numbers, wrapped, &error));
    need(baton_array_pointer(x, wrapped, BATON_READ_WRITE, &address, &error));
    step_begin("a kernel on a cudaStream_t, announced with baton_array_note_use");
    hold(wrapped);
    scale_on(theirs, (float *)address, 5, 3);
    need(baton_array_note_use(x, wrapped, BATON_READ_WRITE, &error));
    scale_in_scope(x, ours);
    step_check_held(ours);
    step_end(MUST_NOT_WAIT);
    let_go();
    step_check(holds(x, ours, 10, 7), "wrong numbers");
    baton_array_release(x);
}

int main()
{
    example_open();
    begin();
    kernel_on_a_runtime_stream();
    kernel_on_our_stream();
    pointer_for_foreign_code();
    memory_of_every_kind();
    wrong_declarations();
    announced_work();
    baton_array_release(numbers);
    baton_stream_release(ours);
    baton_stream_release(wrapped);
    int status = example_close();
    need_cuda(cudaStreamDestroy(theirs));      /* after everything that names it */
    return status;
}
