/* One call of every public function that can say no, in which everything is right: for tests that call them all, with one thing wrong.
 *
 * The includer defines every_position, by way of which each handle and each pointer to data comes. */
#ifndef BATON_TEST_EVERY_CALL_H
#define BATON_TEST_EVERY_CALL_H

#include "support.h"

/* Valid objects, and a freed one of each kind of handle. */
static struct every {
    baton_stream *stream;
    baton_array *array, *other;
    baton_scope *scope;
    baton_fence *fence;
    baton_kernel *kernel;
    baton_gate *gate;
    baton_graph *graph;
    baton_executable *executable;
} good, dead;

static void *every_position(void *valid, void *freed, int is_handle);

#define H(kind) every_position(good.kind, dead.kind, 1)
#define R every_position(runtime, dead.stream, 1)
#define D(pointer) every_position((pointer), NULL, 0)

/* Outputs and inputs that a successful call could use. */
static union {
    char bytes[4096];
    uint64_t number;
    int32_t small;
    void *pointer;
} out;
static int32_t value[64];
static char name[] = "k";
static int64_t shape = 64;
static baton_array_options array_options;
static baton_view_options view_options = { .struct_size = sizeof view_options };
static baton_launch_options launch_options;
static baton_operand operand;
static baton_argument input;
static baton_runtime_info runtime_info = { .struct_size = sizeof runtime_info };
static baton_device_info device_info = { .struct_size = sizeof device_info };
static baton_stats all_stats = { .struct_size = sizeof all_stats };
static baton_kernel_info kernel_info = { .struct_size = sizeof kernel_info };
static baton_array_info array_info = { .struct_size = sizeof array_info };
static baton_graph_info graph_info = { .struct_size = sizeof graph_info };
static baton_dlpack_options dlpack_options = { .struct_size = sizeof dlpack_options };
static baton_interface_info interface_info = { .struct_size = sizeof interface_info };
static baton_host_parameter parameter = { 8, BATON_READ };

static void host_kernel(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch;
    (void)arguments;
}

static int32_t managed(void *user, baton_stream *stream, const baton_operand *operands, uint64_t count)
{
    (void)user, (void)stream, (void)operands, (void)count;
    return BATON_OK;
}

static int32_t body(void *user, baton_stream *stream)
{
    (void)user, (void)stream;
    return BATON_OK;
}

/* ROW(function, call): a call in which every position is right, were it not for the attack. */
#define ROWS(ROW)                                                                                                                       \
    ROW(baton_runtime_info_read, baton_runtime_info_read(R, D(&runtime_info), &error))                                                  \
    ROW(baton_device_count, baton_device_count(R, D(&out), &error))                                                                     \
    ROW(baton_device_info_read, baton_device_info_read(R, 0, D(&device_info), &error))                                                  \
    ROW(baton_stats_read, baton_stats_read(R, D(&all_stats), &error))                                                                   \
    ROW(baton_drain, baton_drain(R, 1, NULL, &error))                                                                                   \
    ROW(baton_trim, baton_trim(R, 0, 0, &error))                                                                                        \
    ROW(baton_set_memory_limit, baton_set_memory_limit(R, 0, 0, &error))                                                                \
    ROW(baton_trace_start, baton_trace_start(R, 16, &error))                                                                            \
    ROW(baton_trace_read, baton_trace_read(R, D(&out), 4, D(&out), &error))                                                             \
    ROW(baton_stream_native, baton_stream_native(H(stream), D(&out), &error))                                                           \
    ROW(baton_stream_id, baton_stream_id(H(stream), D(&out), &error))                                                                   \
    ROW(baton_stream_device, baton_stream_device(H(stream), D(&out), &error))                                                           \
    ROW(baton_stream_set_task, baton_stream_set_task(H(stream), 0, &error))                                                             \
    ROW(baton_stream_query, baton_stream_query(H(stream), &error))                                                                      \
    ROW(baton_stream_synchronize, baton_stream_synchronize(H(stream), 0, &error))                                                       \
    ROW(baton_stream_follow, baton_stream_follow(H(stream), H(stream), &error))                                                         \
    ROW(baton_array_info_read, baton_array_info_read(H(array), D(&array_info), &error))                                                 \
    ROW(baton_array_synchronize, baton_array_synchronize(H(array), 0, &error))                                                          \
    ROW(baton_array_wait, baton_array_wait(H(array), H(stream), 0, &error))                                                             \
    ROW(baton_dlpack_device, baton_dlpack_device(H(array), D(&out.small), D(&out.small), &error))                                       \
    ROW(baton_array_query, baton_array_query(H(array), &error))                                                                         \
    ROW(baton_array_set_synchronizing, baton_array_set_synchronizing(H(array), 1, &error))                                              \
    ROW(baton_array_pointer, baton_array_pointer(H(array), H(stream), 0, D(&out), &error))                                              \
    ROW(baton_array_note_use, baton_array_note_use(H(array), H(stream), 0, &error))                                                     \
    ROW(baton_array_resize, baton_array_resize(H(array), 64, H(stream), &error))                                                        \
    ROW(baton_copy, baton_copy(H(other), H(array), H(stream), &error))                                                                  \
    ROW(baton_upload, baton_upload(H(array), D(value), sizeof value, H(stream), &error))                                                \
    ROW(baton_download, baton_download(D(value), sizeof value, H(array), H(stream), &error))                                            \
    ROW(baton_fill, baton_fill(H(array), D(value), 4, H(stream), &error))                                                               \
    ROW(baton_elementwise, baton_elementwise(1, H(array), D(&input), D(&input), H(stream), &error))                                     \
    ROW(baton_cast, baton_cast(H(other), H(array), H(stream), &error))                                                                  \
    ROW(baton_range, baton_range(H(array), D(value), D(value), 4, H(stream), &error))                                                   \
    ROW(baton_launch, baton_launch(H(kernel), D(&launch_options), D(&(baton_argument) { .array = good.array }), 1, &error))             \
    ROW(baton_kernel_info_read, baton_kernel_info_read(H(kernel), D(&kernel_info), &error))                                             \
    ROW(baton_kernel_occupancy, baton_kernel_occupancy(H(kernel), 32, 0, D(&out), &error))                                               \
    ROW(baton_kernel_block_size, baton_kernel_block_size(H(kernel), 0, 0, D(&out), D(&out), &error))                                    \
    ROW(baton_with_managed, baton_with_managed(H(stream), D(&operand), 1, managed, NULL, &error))                                       \
    ROW(baton_graph_info_read, baton_graph_info_read(H(graph), D(&graph_info), &error))                                                 \
    ROW(baton_graph_dot, baton_graph_dot(H(graph), D(&out), sizeof out, D(&out.number), &error))                                        \
    ROW(baton_graph_update, baton_graph_update(H(executable), H(graph), &error))                                                        \
    ROW(baton_graph_launch, baton_graph_launch(H(executable), H(stream), &error))                                                       \
    ROW(baton_capture_active, baton_capture_active(H(stream), D(&out), &error))                                                         \
    ROW(baton_stream_lent, baton_stream_lent(H(stream), D(&out), &error))                                                               \
    ROW(baton_stream_keep, baton_stream_keep(H(stream), NULL, NULL, &error))                                                            \
    ROW(baton_capture_abandon, baton_capture_abandon(H(stream), &error))                                                                \
    ROW(baton_fence_query, baton_fence_query(H(fence), &error))                                                                         \
    ROW(baton_fence_wait, baton_fence_wait(H(fence), 0, 0, &error))                                                                     \
    ROW(baton_fence_descriptor, baton_fence_descriptor(H(fence), D(&out), &error))                                                      \
    ROW(baton_gate_open, baton_gate_open(H(gate), &error))

/* Rows whose success would make an object, or whose success is no part of this test: only attacked. */
#define MAKERS(ROW)                                                                                                                     \
    ROW(baton_stream_create, 2, baton_stream_create(R, 0, 0, 0, D(&out), &error))                                                       \
    ROW(baton_stream_wrap, 2, baton_stream_wrap(R, 0, 1, D(&out), &error))                                                              \
    ROW(baton_runtime_open, 1, baton_runtime_open(NULL, D(&out), &error))                                                               \
    ROW(baton_runtime_close, 1, baton_runtime_close(R, &error))                                                                         \
    ROW(baton_array_create, 3, baton_array_create(R, D(&array_options), D(&out), &error))                                               \
    ROW(baton_array_wrap, 4, baton_array_wrap(R, D(&array_options), (uint64_t)(uintptr_t)D(value), NULL, NULL, D(&out), &error))        \
    ROW(baton_array_view, 3, baton_array_view(H(array), D(&view_options), D(&out), &error))                                             \
    ROW(baton_array_dispose, 1, baton_array_dispose(H(array), &error))                                                                  \
    ROW(baton_array_host_pointer, 2, baton_array_host_pointer(H(array), 0, D(&out), &error))                                            \
    ROW(baton_array_fence, 2, baton_array_fence(H(array), D(&out), &error))                                                             \
    ROW(baton_stream_fence, 2, baton_stream_fence(H(stream), D(&out), &error))                                                          \
    ROW(baton_download_async, 4, baton_download_async(D(value), sizeof value, H(array), H(stream), D(&out), &error))                    \
    ROW(baton_module_load, 3, baton_module_load(R, 0, D(value), sizeof value, D(&out), &error))                                         \
    ROW(baton_module_compile, 3, baton_module_compile(R, 0, D(name), NULL, D(&out), &error))                                            \
    ROW(baton_module_kernel, 3, baton_module_kernel((baton_module *)H(stream), D(name), D(&out), &error))                                \
    ROW(baton_kernel_host, 4, baton_kernel_host(R, 0, host_kernel, D(name), D(&parameter), 1, D(&out), &error))                          \
    ROW(baton_scope_begin, 3, baton_scope_begin(H(stream), NULL, D(&operand), 1, 0, D(&out), &error))                                   \
    ROW(baton_scope_add, 2, baton_scope_add(H(scope), D(&operand), &error))                                                             \
    ROW(baton_scope_pointer, 3, baton_scope_pointer(H(scope), H(array), 0, D(&out), &error))                                            \
    ROW(baton_scope_end, 1, baton_scope_end(H(scope), &error))                                                                          \
    ROW(baton_capture_begin, 1, baton_capture_begin(H(stream), 0, &error))                                                              \
    ROW(baton_capture_end, 2, baton_capture_end(H(stream), D(&out), &error))                                                            \
    ROW(baton_capture_run, 2, baton_capture_run(H(stream), 0, body, NULL, D(&out), NULL, NULL, &error))                                 \
    ROW(baton_graph_instantiate, 2, baton_graph_instantiate(H(graph), D(&out), &error))                                                 \
    ROW(baton_gate_create, 2, baton_gate_create(H(stream), 1000, D(&out), &error))                                                      \
    ROW(baton_dlpack_export, 2, baton_dlpack_export(H(array), NULL, D(&out), &error))                                                   \
    ROW(baton_dlpack_import, 3, baton_dlpack_import(R, D(value), NULL, D(&out), &error))                                                \
    ROW(baton_dlpack_import_legacy, 3, baton_dlpack_import_legacy(R, D(value), NULL, D(&out), &error))                                  \
    ROW(baton_dlpack_export_with, 3, baton_dlpack_export_with(H(array), D(&dlpack_options), D(&out), &error))                           \
    ROW(baton_arrow_export, 2, baton_arrow_export(H(array), D(&out), NULL, &error))                                                     \
    ROW(baton_arrow_import, 4, baton_arrow_import(R, D(value), D(value), NULL, D(&out), &error))                                        \
    ROW(baton_interface_export, 2, baton_interface_export(H(array), D(&interface_info), &error))                                        \
    ROW(baton_interface_import, 3, baton_interface_import(R, D(&interface_info), NULL, NULL, D(&out), &error))                          \
    ROW(baton_stream_adopt, 2, baton_stream_adopt(R, 0, 1, D(&out), &error))

struct row {
    const char *name;
    int positions;
    int32_t (*call)(void);
};
#define CALL(name, call) static int32_t call_##name(void) { return call; }
#define CALL_MAKER(name, positions, call) CALL(name, call)
ROWS(CALL)
MAKERS(CALL_MAKER)
#define ENTRY(name, call) { #name, 0, call_##name },
#define ENTRY_MAKER(name, positions, call) { #name, positions, call_##name },
static const struct row rows[] = { ROWS(ENTRY) };
static const struct row makers[] = { MAKERS(ENTRY_MAKER) };

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static void every_make(struct every *all, baton_stream *stream)
{
    all->stream = stream;
    all->array = make_array(64, stream);
    all->other = make_array(64, stream);
    ok(baton_stream_fence(stream, &all->fence, &error));
    all->kernel = make_kernel(0, host_kernel, "nothing_with", &parameter, 1);
    all->gate = close_gate(stream);
    ok(baton_gate_open(all->gate, &error));
    ok(baton_capture_begin(stream, BATON_CAPTURE_RELAXED, &error));
    fill(all->array, 1, stream);
    ok(baton_capture_end(stream, &all->graph, &error));
    ok(baton_graph_instantiate(all->graph, &all->executable, &error));
    ok(baton_scope_begin(stream, NULL, NULL, 0, 0, &all->scope, &error));
}

static void every_release(struct every *all)
{
    baton_scope_release(all->scope);
    baton_executable_release(all->executable);
    baton_graph_release(all->graph);
    baton_gate_release(all->gate);
    baton_kernel_release(all->kernel);
    baton_fence_release(all->fence);
    baton_array_release(all->array);
    baton_array_release(all->other);
    baton_stream_release(all->stream);
}

/* Makes both sets. */
static void every_begin(void)
{
    array_options = (baton_array_options) { .struct_size = sizeof array_options, .dtype = BATON_I32, .ndim = 1, .shape = &shape };
    every_make(&dead, make_stream());
    every_release(&dead);
    ok(baton_drain(runtime, 0, NULL, &error));
    every_make(&good, make_stream());
    launch_options = (baton_launch_options) { .struct_size = sizeof launch_options, .stream = good.stream };
    operand = (baton_operand) { .array = good.array };
    input = (baton_argument) { .array = good.array };
}

#endif
