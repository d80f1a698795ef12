/* y = a * x + y, compiled at run time, on arrays that pass between two streams. Without a GPU a C function does it. */
#include <baton.h>
#include <stdio.h>

enum { N = 1000, BLOCK = 256 };

static const char source[] =
    "extern \"C\" __global__ void saxpy(float a, const float *x, float *y, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] += a * x[i];\n"
    "}\n";

static void saxpy(const baton_host_launch *launch, void *const *arguments)
{
    float a = *(float *)arguments[0], *x = *(float **)arguments[1], *y = *(float **)arguments[2];
    (void)launch;
    for (int i = 0; i < *(int *)arguments[3]; i++)
        y[i] += a * x[i];
}

static int32_t get_kernel(baton_runtime *runtime, baton_kernel **kernel, baton_error *error)
{
    static const baton_host_parameter parameters[] = { { 4, 0 }, { 8, BATON_READ }, { 8, BATON_READ_WRITE }, { 4, 0 } };
    baton_module *module;
    int32_t status = baton_module_compile(runtime, 0, source, NULL, &module, error);
    if (status == BATON_ERR_UNSUPPORTED)        /* no compiler, or no GPU */
        return baton_kernel_host(runtime, 0, saxpy, "saxpy", parameters, 4, kernel, error);
    if (status)
        return status;
    status = baton_module_kernel(module, "saxpy", kernel, error);
    baton_module_release(module);               /* the kernel keeps it */
    return status;
}

int main(void)
{
    baton_error error = BATON_ERROR_INIT;
    baton_array_options vector = { .struct_size = sizeof vector, .dtype = BATON_F32, .ndim = 1, .shape = (int64_t[]) { N } };
    baton_launch_options on_a = { .struct_size = sizeof on_a, .grid = { (N + BLOCK - 1) / BLOCK }, .block = { BLOCK } }, on_b = on_a;
    baton_runtime *runtime; baton_kernel *kernel; baton_array *x, *y;
    float a = 2, one = 1, result[N];
    int n = N, wrong = 0;
    if (baton_runtime_open(NULL, &runtime, &error) || baton_array_create(runtime, &vector, &x, &error) || baton_array_create(runtime, &vector, &y, &error)
        || baton_stream_create(runtime, 0, 0, 0, &on_a.stream, &error) || baton_stream_create(runtime, 0, 0, 0, &on_b.stream, &error)
        || get_kernel(runtime, &kernel, &error) || baton_fill(x, &one, sizeof one, on_a.stream, &error) || baton_fill(y, &one, sizeof one, on_b.stream, &error)
        || baton_launch(kernel, &on_a, (baton_argument[]) { baton_value(a), baton_in(x), baton_inout(y), baton_value(n) }, 4, &error)
        || baton_launch(kernel, &on_b, (baton_argument[]) { baton_value(a), baton_in(y), baton_inout(x), baton_value(n) }, 4, &error)
        || baton_download(result, sizeof result, x, on_a.stream, &error))
        return fprintf(stderr, "%s\n", error.message), 1;
    for (int i = 0; i < N; i++)
        wrong += result[i] != 7;                /* y = 2 * 1 + 1, then x = 2 * y + 1 */
    printf("%d of %d wrong\n", wrong, N);
    baton_array_release(x); baton_array_release(y); baton_kernel_release(kernel);
    baton_stream_release(on_a.stream); baton_stream_release(on_b.stream);
    return baton_runtime_close(runtime, &error) || wrong;
}
