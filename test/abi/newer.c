/* A program of a version to come: its header has a member more in each struct that may grow, and a function more (test/abi_clients.sh makes it so). It runs with
 * the library of today, which understands what it knows and says what it does not. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <baton_ffi.h>

enum { NEWER_ABI = 1000000 };

static baton_runtime *runtime;
static baton_stream *stream;
static baton_array *array;
static baton_kernel *kernel;
static baton_graph *graph;
static baton_error error;
static int failures;

static void expect(int holds, const char *what)
{
    if (!holds)
        printf("does not hold: %s (%s)\n", what, error.message);
    failures += !holds;
}
#define EXPECT(condition) expect(condition, #condition)

static void nothing(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch, (void)arguments;
}

/* Without the newer member set the call does what it does; with it, it says which struct the library does not know so. */
#define GIVEN(type, wanted, call, ...)                                                      \
    do {                                                                                    \
        type options = { .struct_size = sizeof options, __VA_ARGS__ };                      \
        error = (baton_error) { .struct_size = sizeof error };                              \
        expect((call) == (wanted), #type ", newer member 0");                               \
        options.newer_member = 1;                                                           \
        error = (baton_error) { .struct_size = sizeof error };                              \
        expect((call) == BATON_ERR_VERSION, #type ", newer member 1");                      \
        expect(strstr(error.message, #type ": a member that this version of the library does not know is set") != NULL, #type ", message");  \
    } while (0)

/* The member that the library does not know is as it was. */
#define FILLED(type, call)                                                                  \
    do {                                                                                    \
        type info;                                                                          \
        memset(&info, 0x5A, sizeof info);                                                   \
        info.struct_size = sizeof info;                                                     \
        expect((call) == BATON_OK, #type);                                                  \
        expect(info.newer_member == 0x5A5A5A5A5A5A5A5A && info.struct_size == sizeof info, #type ", newer member");  \
    } while (0)

static int32_t open_close(const baton_runtime_options *options)
{
    baton_runtime *second;
    int32_t status = baton_runtime_open(options, &second, &error);
    return status ? status : baton_runtime_close(second, &error);
}

/* Takes the address: the array itself would be read before the call that makes it, or after it, as the compiler likes. */
static int32_t end(int32_t status, baton_array *const *made)
{
    if (!status)
        baton_array_release(*made);
    return status;
}

static int32_t export_import(const baton_dlpack_options *options)
{
    void *managed;
    baton_array *back;
    int32_t status = baton_dlpack_export_with(array, options, &managed, &error);
    return status ? status : end(baton_dlpack_import(runtime, managed, stream, &back, &error), &back);
}

static void structs(void)
{
    int64_t shape = 8;
    baton_array *made = NULL;
    baton_module *module = NULL;
    baton_interface_info description = { .struct_size = sizeof description };
    GIVEN(baton_runtime_options, BATON_OK, open_close(&options), .driver = "soft");
    GIVEN(baton_array_options, BATON_OK, end(baton_array_create(runtime, &options, &made, &error), &made), .dtype = BATON_I32, .ndim = 1, .shape = &shape);
    GIVEN(baton_view_options, BATON_OK, end(baton_array_view(array, &options, &made, &error), &made), .ndim = 1);
    GIVEN(baton_launch_options, BATON_OK, baton_launch(kernel, &options, NULL, 0, &error), .stream = stream);
    GIVEN(baton_compile_options, BATON_ERR_UNSUPPORTED, baton_module_compile(runtime, 0, "", &options, &module, &error), .flags = 0);
    GIVEN(baton_dlpack_options, BATON_OK, export_import(&options), .stream = stream);
    EXPECT(baton_interface_export(array, &description, &error) == BATON_OK);
    GIVEN(baton_interface_info, BATON_OK,
          (memcpy(options.typestr, description.typestr, 8), end(baton_interface_import(runtime, &options, NULL, NULL, &made, &error), &made)),
          .address = description.address, .ndim = 1, .contiguous = 1, .shape = { 8 });
    FILLED(baton_runtime_info, baton_runtime_info_read(runtime, &info, &error));
    FILLED(baton_device_info, baton_device_info_read(runtime, 0, &info, &error));
    FILLED(baton_stats, baton_stats_read(runtime, &info, &error));
    FILLED(baton_array_info, baton_array_info_read(array, &info, &error));
    FILLED(baton_kernel_info, baton_kernel_info_read(kernel, &info, &error));
    FILLED(baton_graph_info, baton_graph_info_read(graph, &info, &error));
    FILLED(baton_interface_info, baton_interface_export(array, &info, &error));
}

/* Weak, so that the program starts without it. */
#pragma weak baton_newer

int main(void)
{
    baton_runtime_options soft = { .struct_size = sizeof soft, .driver = "soft" };
    int64_t shape = 8;
    baton_array_options options = { .struct_size = sizeof options, .dtype = BATON_I32, .ndim = 1, .shape = &shape };
    EXPECT(!baton_newer && !dlsym(RTLD_DEFAULT, "baton_newer"));
    EXPECT(dlsym(RTLD_DEFAULT, "baton_abi_version") && baton_abi_version() >= 1 && baton_abi_version() < NEWER_ABI);
    EXPECT(baton_runtime_open(&soft, &runtime, &error) == BATON_OK);
    EXPECT(baton_stream_create(runtime, 0, 0, 0, &stream, &error) == BATON_OK);
    EXPECT(baton_array_create(runtime, &options, &array, &error) == BATON_OK);
    EXPECT(baton_kernel_host(runtime, 0, nothing, "nothing", NULL, 0, &kernel, &error) == BATON_OK);
    EXPECT(baton_capture_begin(stream, BATON_CAPTURE_RELAXED, &error) == BATON_OK && baton_capture_end(stream, &graph, &error) == BATON_OK);
    if (!failures)
        structs();
    baton_graph_release(graph);
    baton_kernel_release(kernel);
    baton_array_release(array);
    baton_stream_release(stream);
    EXPECT(baton_runtime_close(runtime, &error) == BATON_OK);
    return failures != 0;
}
