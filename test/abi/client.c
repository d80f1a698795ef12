/* A program of the first version: it was compiled with the header that test/abi keeps, and runs with the library of today or a newer one. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <baton_ffi.h>

enum { COUNT = 16, BEHIND = 64 };

static baton_error error = { .struct_size = sizeof error };
static int failures;

static void expect(int holds, const char *what)
{
    if (!holds)
        printf("does not hold: %s (%s)\n", what, error.message);
    failures += !holds;
}
#define EXPECT(condition) expect(condition, #condition)
#define OK(call) expect((call) == BATON_OK, #call)

static void twice(const baton_host_launch *launch, void *const *arguments)
{
    for (uint32_t i = 0; i < launch->grid[0]; i++)
        (*(int32_t **)arguments[0])[i] *= 2;
}

/* Something that the library fills in, with room behind it that is not the library's. */
#define FILLED(type, call)                                                          \
    do {                                                                            \
        struct { type info; unsigned char behind[BEHIND]; } own;                    \
        memset(&own, 0x5A, sizeof own);                                             \
        own.info.struct_size = sizeof own.info;                                     \
        type *info = &own.info;                                                     \
        OK(call);                                                                   \
        EXPECT(own.info.struct_size == sizeof own.info);                            \
        for (int i = 0; i < BEHIND; i++)                                            \
            EXPECT(own.behind[i] == 0x5A);                                          \
    } while (0)

static void ask(baton_runtime *runtime, baton_array *array, baton_kernel *kernel, baton_graph *graph)
{
    FILLED(baton_runtime_info, baton_runtime_info_read(runtime, info, &error));
    FILLED(baton_device_info, baton_device_info_read(runtime, 0, info, &error));
    FILLED(baton_stats, baton_stats_read(runtime, info, &error));
    FILLED(baton_array_info, baton_array_info_read(array, info, &error));
    FILLED(baton_kernel_info, baton_kernel_info_read(kernel, info, &error));
    FILLED(baton_graph_info, baton_graph_info_read(graph, info, &error));
    FILLED(baton_interface_info, baton_interface_export(array, info, &error));
}

static void exchange(baton_runtime *runtime, baton_array *array, baton_stream *stream)
{
    baton_interface_info info = { .struct_size = sizeof info };
    baton_dlpack_options options = { .struct_size = sizeof options, .stream = stream };
    baton_array *back = NULL;
    void *managed = NULL;
    OK(baton_interface_export(array, &info, &error));
    OK(baton_interface_import(runtime, &info, NULL, NULL, &back, &error));
    baton_array_release(back);
    OK(baton_dlpack_export_with(array, &options, &managed, &error));
    OK(baton_dlpack_import(runtime, managed, stream, &back, &error));
    baton_array_release(back);
}

static void compile(baton_runtime *runtime)
{
    char log[32] = "?";
    baton_compile_options options = { .struct_size = sizeof options, .log = log, .log_bytes = sizeof log };
    baton_module *module;
    EXPECT(baton_module_compile(runtime, 0, "", &options, &module, &error) == BATON_ERR_UNSUPPORTED);     /* the device runs C functions */
    EXPECT(!*log && *error.message);
}

static void work(baton_runtime *runtime, baton_array *array, baton_stream *stream, baton_kernel *kernel)
{
    baton_argument argument = { .array = array, .access = BATON_READ_WRITE };
    baton_launch_options options = { .struct_size = sizeof options, .grid = { COUNT }, .stream = stream };
    int64_t start = 2, count = 3;
    baton_view_options part = { .struct_size = sizeof part, .ndim = 1, .start = &start, .count = &count };
    baton_graph *graph = NULL;
    baton_array *view = NULL;
    int32_t values[3] = { 0 }, one = 1;
    OK(baton_fill(array, &one, sizeof one, stream, &error));
    OK(baton_launch(kernel, &options, &argument, 1, &error));
    OK(baton_capture_begin(stream, BATON_CAPTURE_RELAXED, &error));
    OK(baton_launch(kernel, &options, &argument, 1, &error));
    OK(baton_capture_end(stream, &graph, &error));
    OK(baton_array_view(array, &part, &view, &error));
    OK(baton_download(values, sizeof values, view, stream, &error));
    EXPECT(values[0] == 2 && values[1] == 2 && values[2] == 2);
    ask(runtime, array, kernel, graph);
    exchange(runtime, array, stream);
    compile(runtime);
    baton_array_release(view);
    baton_graph_release(graph);
}

int main(void)
{
    baton_runtime_options soft = { .struct_size = sizeof soft, .driver = "soft" };
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_I32, .ndim = 1, .shape = (int64_t[]) { COUNT } };
    baton_host_parameter parameter = { 8, BATON_READ_WRITE };
    baton_runtime *runtime = NULL;
    baton_stream *stream = NULL;
    baton_array *array = NULL;
    baton_kernel *kernel = NULL;
    EXPECT(baton_abi_version() >= 1);
    OK(baton_runtime_open(&soft, &runtime, &error));
    OK(baton_stream_create(runtime, 0, 0, 0, &stream, &error));
    OK(baton_array_create(runtime, &options, &array, &error));
    OK(baton_kernel_host(runtime, 0, twice, "twice", &parameter, 1, &kernel, &error));
    if (!failures)
        work(runtime, array, stream, kernel);
    baton_kernel_release(kernel);
    baton_array_release(array);
    baton_stream_release(stream);
    OK(baton_runtime_close(runtime, &error));
    return failures != 0;
}
