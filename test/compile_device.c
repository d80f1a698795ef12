/* Compiled kernels at work on a GPU: arguments by value, much shared memory, clusters, grids that wait for each other, and the driver's own opinions. Needs a
 * GPU and NVRTC (BATON_DRIVER=cuda); else skipped. */
#include <stdio.h>

#include "compile_support.h"

enum { N = 4096, BLOCK = 128 };

static const char source[] =
    "extern \"C\" __global__ void saxpy(float a, const int *x, int *y, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        y[i] += (int)(a * x[i]);\n"
    "}\n"
    "template <class T, int by> __global__ void scale(T *x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= by; }\n"
    "extern \"C\" __global__ void turn(int *x, int words)\n"      /* the last words of shared memory become the first of x */
    "{\n"
    "    extern __shared__ int own[];\n"
    "    for (int i = threadIdx.x; i < words; i += blockDim.x)\n"
    "        own[i] = i;\n"
    "    __syncthreads();\n"
    "    x[threadIdx.x] = own[words - 1 - threadIdx.x];\n"
    "}\n"
    "extern \"C\" __global__ void rank(int *x)\n"
    "{\n"
    "    unsigned rank, size;\n"
    "    asm(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));\n"
    "    asm(\"mov.u32 %0, %%cluster_nctarank;\" : \"=r\"(size));\n"
    "    if (threadIdx.x == 0)\n"
    "        x[blockIdx.x] = (int)(100 * size + rank);\n"
    "}\n"
    "extern \"C\" __global__ void meet(int *x)\n"                 /* x[0] counts those that came; x[1] those that saw all the others */
    "{\n"
    "    if (threadIdx.x)\n"
    "        return;\n"
    "    atomicAdd(x, 1);\n"
    "    for (long i = 0; i < 1l << 24; i++)\n"
    "        if (atomicAdd(x, 0) == (int)gridDim.x) {\n"
    "            atomicAdd(x + 1, 1);\n"
    "            return;\n"
    "        }\n"
    "}\n";

static baton_module *module;
static baton_stream *a, *b;
static baton_array *x, *y;

static void begin(void)
{
    baton_compile_options options = compile_options();
    compile_folder();
    support_setup();
    needs_limit(120);
    options.expressions = (const char *const[]) { "scale<int, 3>" };
    options.expression_count = 1;
    ok(baton_module_compile(runtime, 0, source, &options, &module, &error));
    baton_module_release(module);
    ok(baton_module_compile(runtime, 0, source, &options, &module, &error));      /* from the cache, with the same effect */
    ck_assert_int_eq(cache_files(".baton"), 1);
    a = make_stream();
    b = make_stream();
    x = make_array(N, a);
    y = make_array(N, a);
    fill(x, 2, a);
    fill(y, 1, b);
}

static void end(void)
{
    baton_module_release(module);
    baton_array_release(x);
    baton_array_release(y);
    baton_stream_release(a);
    baton_stream_release(b);
    support_teardown();
    compile_end();
}

static baton_kernel *kernel_of(const char *name)
{
    baton_kernel *kernel;
    ok(baton_module_kernel(module, name, &kernel, &error));
    return kernel;
}

static baton_launch_options launch_of(uint32_t grid, uint32_t block)
{
    return (baton_launch_options) { .struct_size = sizeof(baton_launch_options), .stream = a, .grid = { grid }, .block = { block } };
}

static int32_t launch_x(baton_kernel *kernel, const baton_launch_options *options)
{
    error = (baton_error)BATON_ERROR_INIT;
    return baton_launch(kernel, options, (baton_argument[]) { baton_inout(x) }, 1, &error);
}

static void read_x(int32_t *host, baton_stream *stream)
{
    ok(baton_download(host, N * sizeof *host, x, stream, &error));
}

START_TEST(compiled_kernels_hand_over_between_streams)
{
    baton_kernel *saxpy = kernel_of("saxpy"), *scale = kernel_of("scale<int, 3>");
    baton_launch_options on_a = launch_of(N / BLOCK, BLOCK), on_b = on_a;
    float factor = 2.5f;
    int32_t n = N;
    on_b.stream = b;
    ok(baton_launch(saxpy, &on_a, (baton_argument[]) { baton_value(factor), baton_in(x), baton_inout(y), baton_value(n) }, 4, &error));
    ok(baton_launch(scale, &on_b, (baton_argument[]) { baton_inout(y) }, 1, &error));
    expect(y, 18, a);
    refused(BATON_ERR_ARGUMENT, baton_launch(saxpy, &on_a, (baton_argument[]) { baton_value(factor), baton_in(x), baton_inout(y) }, 3, &error));
    baton_kernel_release(saxpy);
    baton_kernel_release(scale);
}
END_TEST

START_TEST(all_the_shared_memory_of_the_device_can_be_used)
{
    baton_kernel *turn = kernel_of("turn");
    baton_kernel_info info = { .struct_size = sizeof info };
    baton_launch_options options = launch_of(1, BLOCK);
    int32_t host[N];
    ok(baton_kernel_info_read(turn, &info, &error));
    ck_assert_uint_ge(info.most_shared_bytes, 48 * 1024);
    options.shared_bytes = (uint32_t)info.most_shared_bytes;
    int32_t words = (int32_t)(options.shared_bytes / 4);
    ok(baton_launch(turn, &options, (baton_argument[]) { baton_out(x), baton_value(words) }, 2, &error));
    read_x(host, b);
    for (int i = 0; i < BLOCK; i++)
        ck_assert_int_eq(host[i], words - 1 - i);
    options.shared_bytes += 4;
    refused(BATON_ERR_ARGUMENT, baton_launch(turn, &options, (baton_argument[]) { baton_out(x), baton_value(words) }, 2, &error));
    baton_kernel_release(turn);
}
END_TEST

/* 16 blocks are more than every device with clusters has. */
START_TEST(blocks_form_the_clusters_that_were_asked_for)
{
    const uint32_t sizes[] = { 1, 2, 4, 8, 16 };
    baton_kernel *rank = kernel_of("rank");
    baton_launch_options options = launch_of(32, BLOCK);
    int32_t host[N];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        options.cluster[0] = sizes[i];
        int32_t status = launch_x(rank, &options);
        if (status == BATON_ERR_UNSUPPORTED)
            break;
        ok(status);
        read_x(host, b);
        for (uint32_t k = 0; k < 32; k++)
            ck_assert_int_eq(host[k], (int32_t)(100 * sizes[i] + k % sizes[i]));
    }
    baton_kernel_release(rank);
}
END_TEST

START_TEST(a_cooperative_grid_is_resident_as_a_whole_or_refused)
{
    baton_kernel *meet = kernel_of("meet");
    baton_device_info device = { .struct_size = sizeof device };
    baton_launch_options options = launch_of(1, BLOCK);
    uint32_t blocks = 0;
    int32_t host[N];
    ok(baton_device_info_read(runtime, 0, &device, &error));
    ok(baton_kernel_occupancy(meet, BLOCK, 0, &blocks, &error));
    options.grid[0] = blocks * (uint32_t)device.multiprocessors;
    options.flags = BATON_LAUNCH_COOPERATIVE;
    fill(x, 0, b);
    ok(launch_x(meet, &options));
    read_x(host, b);
    ck_assert_int_eq(host[0], (int32_t)options.grid[0]);
    ck_assert_int_eq(host[1], (int32_t)options.grid[0]);
    options.grid[0]++;
    refused(BATON_ERR_ARGUMENT, launch_x(meet, &options));
    ck_assert_int_eq(error.driver_code, DRIVER_COOPERATIVE_LAUNCH_TOO_LARGE);
    fill(x, 3, a);                                      /* the device is not lost */
    expect(x, 3, b);
    baton_kernel_release(meet);
}
END_TEST

START_TEST(such_launches_work_in_graphs)
{
    baton_kernel *meet = kernel_of("meet"), *rank = kernel_of("rank");
    baton_launch_options options = launch_of(8, BLOCK);
    baton_graph *graph;
    baton_executable *executable;
    int32_t host[N];
    options.flags = BATON_LAUNCH_COOPERATIVE;
    ok(baton_capture_begin(a, BATON_CAPTURE_THREAD_LOCAL, &error));
    fill(x, 0, a);
    ok(launch_x(meet, &options));
    ok(baton_capture_end(a, &graph, &error));
    ok(baton_graph_instantiate(graph, &executable, &error));
    baton_graph_release(graph);
    for (int i = 0; i < 2; i++) {
        ok(baton_graph_launch(executable, i ? b : a, &error));
        read_x(host, a);
        ck_assert_int_eq(host[0], 8);
        ck_assert_int_eq(host[1], 8);
    }
    baton_executable_release(executable);
    options.flags = 0;
    options.cluster[0] = 4;
    ok(baton_capture_begin(a, BATON_CAPTURE_THREAD_LOCAL, &error));
    int32_t status = launch_x(rank, &options);
    ok(baton_capture_end(a, &graph, &error));
    if (status != BATON_ERR_UNSUPPORTED) {
        ok(baton_graph_instantiate(graph, &executable, &error));
        ok(baton_graph_launch(executable, b, &error));
        read_x(host, a);
        ck_assert_int_eq(host[7], 403);
        baton_executable_release(executable);
    }
    baton_graph_release(graph);
    baton_kernel_release(meet);
    baton_kernel_release(rank);
}
END_TEST

START_TEST(a_kernel_tells_what_the_compiler_made_of_it)
{
    baton_kernel *saxpy = kernel_of("saxpy");
    baton_kernel_info info = { .struct_size = sizeof info };
    baton_device_info device = { .struct_size = sizeof device };
    uint32_t threads = 0, grid = 0, blocks = 0;
    ok(baton_device_info_read(runtime, 0, &device, &error));
    ok(baton_kernel_info_read(saxpy, &info, &error));
    ck_assert_int_eq(info.binary_version, 10 * device.compute_major + device.compute_minor);
    ck_assert_int_gt(info.registers, 0);
    ck_assert_int_ge(info.most_threads, 32);
    ck_assert(info.parameters == 4 || info.parameters == -1);
    ck_assert_uint_eq(info.shared_bytes, 0);
    ok(baton_kernel_block_size(saxpy, 0, 0, &threads, &grid, &error));
    ok(baton_kernel_occupancy(saxpy, threads, 0, &blocks, &error));
    ck_assert(threads > 0 && threads <= (uint32_t)info.most_threads);
    ck_assert_uint_eq(grid, blocks * (uint32_t)device.multiprocessors);
    baton_kernel_release(saxpy);
}
END_TEST

START_TEST(ptx_is_translated_by_the_driver_which_is_quoted_when_it_cannot)
{
    static const char wrong[] = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n    nonsense.u32 %r1;\n}\n";
    static const char future[] = ".version 99.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n    ret;\n}\n";
    baton_compile_options options = compile_options();
    baton_module *made;
    options.options = (const char *const[]) { "-arch=compute_75" };
    options.option_count = 1;
    ok(baton_module_compile(runtime, 0, "extern \"C\" __global__ void k() {}", &options, &made, &error));
    baton_module_release(made);
    refused(BATON_ERR_DRIVER, baton_module_load(runtime, 0, wrong, sizeof wrong, &made, &error));
    ck_assert_msg(error.driver_code == DRIVER_INVALID_PTX && strstr(error.message, "ptxas"), "%s", error.message);
    refused(BATON_ERR_DRIVER, baton_module_load(runtime, 0, future, sizeof future, &made, &error));
    ck_assert_msg(error.driver_code == DRIVER_UNSUPPORTED_PTX_VERSION, "%s", error.message);
    expect(x, 2, b);                                    /* the device is not lost */
}
END_TEST

int main(void)
{
    const support_test tests[] = { compiled_kernels_hand_over_between_streams, all_the_shared_memory_of_the_device_can_be_used,
                                   blocks_form_the_clusters_that_were_asked_for, a_cooperative_grid_is_resident_as_a_whole_or_refused,
                                   such_launches_work_in_graphs, a_kernel_tells_what_the_compiler_made_of_it,
                                   ptx_is_translated_by_the_driver_which_is_quoted_when_it_cannot };
    if (on_soft()) {
        printf("skipped: compile_device: all: needs a GPU\n");
        return NEEDS_SKIPPED;
    }
    needs_contexts();
    return compile_main("compile: device", tests, sizeof tests / sizeof *tests, begin, end);
}
