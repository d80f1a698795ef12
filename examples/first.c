#include <baton.h>
#include <stdio.h>

static void add_one(const baton_host_launch *launch, void *const *arguments)
{
    for (uint32_t i = 0; i < launch->grid[0]; i++)
        (*(float **)arguments[0])[i] += 1;
}

int main(void)
{
    baton_runtime_options soft = { .struct_size = sizeof soft, .driver = "soft" };
    baton_array_options f = { .struct_size = sizeof f, .dtype = BATON_F32, .ndim = 1, .shape = (int64_t[]){ 4 } };
    baton_launch_options a = { .struct_size = sizeof a, .grid = { 4 } }, b = a;
    baton_runtime *rt; baton_array *x; baton_kernel *kernel; float result[4];
    if (baton_runtime_open(&soft, &rt, NULL) || baton_array_create(rt, &f, &x, NULL)
        || baton_stream_create(rt, 0, 0, 0, &a.stream, NULL) || baton_stream_create(rt, 0, 0, 0, &b.stream, NULL)
        || baton_kernel_host(rt, 0, add_one, "add", &(baton_host_parameter){ 8, BATON_READ_WRITE }, 1, &kernel, NULL)
        || baton_fill(x, &(float){ 40 }, sizeof(float), a.stream, NULL)
        || baton_launch(kernel, &a, &(baton_argument)baton_inout(x), 1, NULL) /* written on a … */
        || baton_launch(kernel, &b, &(baton_argument)baton_inout(x), 1, NULL) /* … read on b */
        || baton_download(result, sizeof result, x, b.stream, NULL))
        return 1;
    return printf("%g %g %g %g\n", result[0], result[1], result[2], result[3]) < 0 || baton_runtime_close(rt, NULL);
}
