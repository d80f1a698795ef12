/* Every public struct that begins with struct_size: an older client's smaller one and a newer client's larger one. */
#include "exchange/dlpack.h"

#include "support.h"

/* A caller's struct with room behind it. */
union wide {
    uint32_t struct_size;
    baton_runtime_options runtime;
    baton_array_options array;
    baton_view_options view;
    baton_launch_options launch;
    baton_compile_options compile;
    baton_kernel_info kernel_info;
    baton_runtime_info runtime_info;
    baton_device_info device_info;
    baton_stats stats;
    baton_array_info array_info;
    baton_graph_info graph_info;
    baton_dlpack_options dlpack;
    baton_interface_info interface;
    unsigned char bytes[4096];
};

static baton_stream *stream;
static baton_array *array;
static baton_kernel *kernel;
static baton_graph *graph;

static void nothing(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch, (void)arguments;
}

static int32_t open_runtime(union wide *own)
{
    baton_runtime *second;
    setenv("BATON_DRIVER", needs_driver(), 1);      /* also for a client that knows no member but the first two */
    own->runtime.driver = needs_driver();
    int32_t status = baton_runtime_open(&own->runtime, &second, &error);
    if (!status)
        ok(baton_runtime_close(second, &error));
    return status;
}

static int32_t create_array(union wide *own)
{
    baton_array *made;
    own->array.dtype = BATON_I32;
    int32_t status = baton_array_create(runtime, &own->array, &made, &error);
    if (!status)
        baton_array_release(made);
    return status;
}

static int32_t view_array(union wide *own)
{
    baton_array *made;
    own->view.ndim = 1;
    int32_t status = baton_array_view(array, &own->view, &made, &error);
    if (!status)
        baton_array_release(made);
    return status;
}

static int32_t launch(union wide *own)
{
    own->launch.stream = stream;
    return baton_launch(kernel, &own->launch, NULL, 0, &error);
}

/* Where nothing can be compiled, that is said after the options were understood. */
static int32_t compile(union wide *own)
{
    baton_module *made;
    own->compile.flags = BATON_COMPILE_NO_CACHE;
    int32_t status = baton_module_compile(runtime, 0, "", &own->compile, &made, &error);
    if (!status)
        baton_module_release(made);
    return status == BATON_ERR_UNSUPPORTED ? BATON_OK : status;
}

static int32_t read_kernel(union wide *own) { return baton_kernel_info_read(kernel, &own->kernel_info, &error); }
static int32_t export_dlpack(union wide *own)
{
    void *managed;
    own->dlpack.stream = stream;
    int32_t status = baton_dlpack_export_with(array, &own->dlpack, &managed, &error);
    if (!status)
        ((struct dlpack_managed *)managed)->deleter(managed);
    return status;
}

static int32_t import_interface(union wide *own)
{
    baton_array *made;
    if (own->struct_size >= offsetof(baton_interface_info, typestr) + 8)
        memcpy(own->interface.typestr, "<i4", 4);
    if (own->struct_size >= offsetof(baton_interface_info, ndim) + 4)
        own->interface.ndim = 1;                /* without elements */
    int32_t status = baton_interface_import(runtime, &own->interface, NULL, NULL, &made, &error);
    if (!status)
        baton_array_release(made);
    return status;
}

static int32_t read_interface(union wide *own) { return baton_interface_export(array, &own->interface, &error); }
static int32_t read_runtime(union wide *own) { return baton_runtime_info_read(runtime, &own->runtime_info, &error); }
static int32_t read_device(union wide *own) { return baton_device_info_read(runtime, 0, &own->device_info, &error); }
static int32_t read_stats(union wide *own) { return baton_stats_read(runtime, &own->stats, &error); }
static int32_t read_array(union wide *own) { return baton_array_info_read(array, &own->array_info, &error); }
static int32_t read_graph(union wide *own) { return baton_graph_info_read(graph, &own->graph_info, &error); }

static const struct input {
    const char *name;
    uint32_t least, size;
    int32_t (*call)(union wide *own);
} inputs[] = {
    { "baton_runtime_options", offsetof(baton_runtime_options, driver), sizeof(baton_runtime_options), open_runtime },
    { "baton_array_options", offsetof(baton_array_options, level), sizeof(baton_array_options), create_array },
    { "baton_view_options", offsetof(baton_view_options, permutation), sizeof(baton_view_options), view_array },
    { "baton_launch_options", offsetof(baton_launch_options, scope), sizeof(baton_launch_options), launch },
    { "baton_compile_options", offsetof(baton_compile_options, tag), sizeof(baton_compile_options), compile },
    { "baton_dlpack_options", offsetof(baton_dlpack_options, reserved), sizeof(baton_dlpack_options), export_dlpack },
    { "baton_interface_info", sizeof(baton_interface_info), sizeof(baton_interface_info), import_interface },
}, outputs[] = {
    { "baton_kernel_info", 8, sizeof(baton_kernel_info), read_kernel },
    { "baton_runtime_info", 8, sizeof(baton_runtime_info), read_runtime },
    { "baton_device_info", 8, sizeof(baton_device_info), read_device },
    { "baton_stats", 8, sizeof(baton_stats), read_stats },
    { "baton_array_info", 8, sizeof(baton_array_info), read_array },
    { "baton_graph_info", 8, sizeof(baton_graph_info), read_graph },
    { "baton_interface_info", sizeof(baton_interface_info), sizeof(baton_interface_info), read_interface },
};

static void world_make(void)
{
    stream = make_stream();
    array = make_array(8, stream);
    kernel = make_kernel(0, nothing, "nothing", NULL, 0);
    ok(baton_capture_begin(stream, BATON_CAPTURE_RELAXED, &error));
    ok(baton_capture_end(stream, &graph, &error));
}

static void world_end(void)
{
    baton_graph_release(graph);
    baton_kernel_release(kernel);
    baton_array_release(array);
    baton_stream_release(stream);
}

static int32_t call(const struct input *input, uint32_t struct_size, int32_t tail)
{
    union wide own = { .bytes = { 0 } };
    own.struct_size = struct_size;
    if (tail >= 0)
        own.bytes[tail] = 1;
    error = (baton_error)BATON_ERROR_INIT;
    return input->call(&own);
}

/* An older client does not know the last members; a newer one has members behind ours. What we do not know must be zero. */
START_TEST(options_of_older_and_newer_clients_are_understood)
{
    world_make();
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        const struct input *input = &inputs[i];
        for (uint32_t size = 0; size <= input->size + 64; size++) {
            int whole = size % 8 == 0;      /* every member ends at a multiple of eight, or shares one */
            int32_t wanted = size < input->least || !whole ? BATON_ERR_VERSION : BATON_OK, status = call(input, size, -1);
            if (size < input->least && whole && status < 0)
                continue;
            ck_assert_msg(status == wanted, "%s with struct_size %u: %s: %s", input->name, size, baton_status_name(status), error.message);
        }
        ck_assert_int_eq(call(input, input->size + 64, (int32_t)input->size), BATON_ERR_VERSION);
        ck_assert_int_eq(call(input, input->size + 64, (int32_t)input->size + 63), BATON_ERR_VERSION);
        ck_assert_int_eq(call(input, UINT32_MAX, -1), BATON_ERR_VERSION);
    }
    world_end();
}
END_TEST

/* How many bytes reach to the last one that is not 0x5A. */
static size_t last_written(const union wide *own)
{
    size_t count = sizeof own->bytes;
    while (count && own->bytes[count - 1] == 0x5A)
        count--;
    return count;
}

/* Nothing is written behind the caller's struct_size, which stays what the caller set. */
START_TEST(outputs_for_older_and_newer_clients_stay_inside_their_size)
{
    world_make();
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        for (uint32_t size = 0; size <= outputs[i].size + 64; size++) {
            union wide own;
            memset(own.bytes, 0x5A, sizeof own.bytes);
            own.struct_size = size;
            error = (baton_error)BATON_ERROR_INIT;
            int32_t status = outputs[i].call(&own);
            ck_assert_msg(status == (size < outputs[i].least ? BATON_ERR_VERSION : BATON_OK), "%s with struct_size %u: %s", outputs[i].name, size,
                          baton_status_name(status));
            ck_assert_uint_eq(own.struct_size, size);
            size_t written = last_written(&own), most = size < outputs[i].size ? size : outputs[i].size;
            ck_assert_msg(written <= most || written <= sizeof size, "%s with struct_size %u: %zu bytes", outputs[i].name, size, written);
        }
    world_end();
}
END_TEST

SUPPORT_MAIN("struct size", 60, options_of_older_and_newer_clients_are_understood, outputs_for_older_and_newer_clients_stay_inside_their_size)
