/* Every public struct that a caller fills or has filled, with any struct_size and any contents. Pointers are right or NULL: nobody can check them. */
#include <stdlib.h>
#include <string.h>

#include "exchange/dlpack.h"
#include "fuzz.h"

enum { DIMS = 16, MOST_STRINGS = 65536, MOST_ARGUMENTS = 70, VALUE_BYTES = 4200, LOG_BYTES = 64 };

/* What a call needs beside its struct; freed after it. */
struct scene {
    struct input *input;
    baton_error *err;
    baton_array *array;
    void *kept[8];
    int count;
};

static baton_kernel *kernel;
static baton_graph *graph;
static int deleted;

static void *keep(struct scene *scene, void *block)
{
    must(block && scene->count < 8);
    return scene->kept[scene->count++] = block;
}

static void nothing(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch, (void)arguments;
}

static void count_deleted(void *user, uint64_t address)
{
    (void)user, (void)address;
    deleted++;
}

/* So many numbers as a layout of `ndim` dimensions may be read for, and no more. */
static int64_t *numbers(struct scene *scene, int64_t ndim)
{
    int64_t count = ndim < 0 ? 0 : ndim > DIMS ? 0 : ndim;
    int64_t *made = keep(scene, malloc((size_t)count * sizeof *made + !count));
    for (int64_t i = 0; i < count; i++)
        made[i] = take_number(scene->input);
    return take_byte(scene->input) % 8 ? made : NULL;
}

static int32_t open_runtime(struct scene *scene)
{
    baton_runtime_options own;
    baton_runtime *made;
    take(scene->input, &own, sizeof own);
    own.driver = take_byte(scene->input) % 2 ? "soft:2" : keep(scene, take_text(scene->input, 100));
    own.user = NULL, own.yield = own.before_block = own.after_block = NULL, own.reclaim = NULL;
    if (take_byte(scene->input) % 4)
        own.flags %= 4, memset(own.reserved, 0, sizeof own.reserved);
    int32_t status = baton_runtime_open(keep(scene, take_struct(scene->input, READ, &own, sizeof own)), &made, scene->err);
    if (!status)
        must(baton_runtime_close(made, NULL) == BATON_OK);
    return status;
}

static void read_array_options(struct scene *scene, baton_array_options *own)
{
    take(scene->input, own, sizeof *own);
    if (take_byte(scene->input) % 4) {
        own->flags %= 2, own->device %= 3, own->kind %= 5, own->dtype %= 17, own->ndim %= 18, own->level %= 4, own->read_only %= 3;
        memset(own->reserved, 0, sizeof own->reserved);
    }
    own->stream = take_byte(scene->input) % 2 ? world.stream : NULL;
    own->shape = numbers(scene, own->ndim);
    own->strides = take_byte(scene->input) % 2 ? numbers(scene, own->ndim) : NULL;
}

static int32_t create(struct scene *scene)
{
    baton_array_options own;
    baton_array *made;
    read_array_options(scene, &own);
    if (own.kind == BATON_HOST)
        own.kind = BATON_DEVICE;                /* no limit is set on it */
    int32_t status = baton_array_create(world.runtime, keep(scene, take_struct(scene->input, READ, &own, sizeof own)), &made, scene->err);
    if (!status)
        baton_array_release(made);
    return status;
}

static int32_t wrap(struct scene *scene)
{
    baton_array_options own;
    baton_array *made;
    read_array_options(scene, &own);
    deleted = 0;
    int32_t status = baton_array_wrap(world.runtime, keep(scene, take_struct(scene->input, READ, &own, sizeof own)), (uint64_t)(uintptr_t)take_address(scene->input),
                                      count_deleted, NULL, &made, scene->err);
    if (!status)
        give_back(made, &deleted, 1);
    must(deleted == !status);
    return status;
}

static int32_t view(struct scene *scene)
{
    baton_view_options own;
    baton_array *made;
    take(scene->input, &own, sizeof own);
    own.dtype %= 17;
    if (take_byte(scene->input) % 4)
        own.ndim = 1, own.shape_ndim %= 18, own.reserved32 = own.reserved33 = 0, memset(own.reserved, 0, sizeof own.reserved);
    own.start = take_byte(scene->input) % 2 ? numbers(scene, 1) : NULL;
    own.count = take_byte(scene->input) % 2 ? numbers(scene, 1) : NULL;
    own.step = take_byte(scene->input) % 2 ? numbers(scene, 1) : NULL;
    own.permutation = take_byte(scene->input) % 2 ? (const int32_t *)(void *)numbers(scene, 1) : NULL;
    own.shape = numbers(scene, own.shape_ndim);
    int32_t status = baton_array_view(scene->array, keep(scene, take_struct(scene->input, READ, &own, sizeof own)), &made, scene->err);
    if (!status)
        baton_array_release(made);
    return status;
}

/* Arrays, values with as many bytes as they say, both, and neither. */
static baton_argument *arguments(struct scene *scene, uint32_t count)
{
    baton_argument *made = keep(scene, calloc(count + !count, sizeof *made));
    char *value = keep(scene, calloc(1, VALUE_BYTES));
    for (uint32_t i = 0; i < count; i++) {
        uint8_t choice = take_byte(scene->input);
        int64_t bytes = take_number(scene->input);
        made[i].array = choice & 1 ? scene->array : NULL;
        made[i].data = choice & 2 ? value : NULL;
        made[i].bytes = choice & 4 ? (uint32_t)bytes % VALUE_BYTES : choice & 2 ? 8 : 0;
        made[i].access = choice & 8 ? (uint32_t)take_number(scene->input) : choice / 16 % 4;
    }
    return made;
}

static int32_t launch(struct scene *scene)
{
    baton_launch_options own;
    uint8_t choice = take_byte(scene->input);
    uint32_t count = choice < 128 ? 2 : (uint32_t)choice % MOST_ARGUMENTS;
    take(scene->input, &own, sizeof own);
    if (take_byte(scene->input) % 4)
        own.flags %= 2, own.reserved32 = own.reserved33 = 0, own.block[0] %= 2000, own.block[1] %= 3, own.block[2] %= 3;
    own.stream = choice % 16 ? world.stream : NULL;
    own.scope = NULL;
    return baton_launch(kernel, keep(scene, take_struct(scene->input, READ, &own, sizeof own)), arguments(scene, count), count, scene->err);
}

static const char *const *strings(struct scene *scene, uint32_t count)
{
    const char **made = keep(scene, calloc(count <= MOST_STRINGS ? count + 1 : 1, sizeof *made));
    uint8_t hole = take_byte(scene->input);
    for (uint32_t i = 0; i < count && count <= MOST_STRINGS; i++)
        made[i] = i + 1 == hole ? NULL : "text";
    return hole == 255 ? NULL : made;
}

static int32_t compile(struct scene *scene)
{
    baton_compile_options own;
    baton_module *made;
    uint64_t needed = 0;
    take(scene->input, &own, sizeof own);
    own.flags %= 4;
    own.option_count = (uint32_t)take_number(scene->input);
    own.expression_count = (uint32_t)take_number(scene->input);
    own.header_count = (uint32_t)take_number(scene->input);
    if (take_byte(scene->input) % 8)
        own.option_count %= 4, own.expression_count %= 4, own.header_count %= 4, own.reserved32 = 0, memset(own.reserved, 0, sizeof own.reserved);
    own.name = own.tag = own.cache = NULL;
    own.options = strings(scene, own.option_count), own.expressions = strings(scene, own.expression_count);
    own.headers = strings(scene, own.header_count), own.header_names = strings(scene, own.header_count);
    own.log_bytes = take_byte(scene->input) % LOG_BYTES;
    own.log = take_byte(scene->input) % 8 ? keep(scene, malloc(own.log_bytes + 1)) : NULL;
    own.log_needed = &needed;
    return baton_module_compile(world.runtime, 0, "text", keep(scene, take_struct(scene->input, READ, &own, sizeof own)), &made, scene->err);
}

static int32_t export_dlpack(struct scene *scene)
{
    baton_dlpack_options own;
    void *managed = NULL;
    take(scene->input, &own, sizeof own);
    if (take_byte(scene->input) % 4)
        own.flags %= 16, memset(own.reserved, 0, sizeof own.reserved);
    own.stream = take_byte(scene->input) % 2 ? world.stream : NULL;
    int32_t status = baton_dlpack_export_with(scene->array, keep(scene, take_struct(scene->input, READ, &own, sizeof own)), &managed, scene->err);
    if (status)
        return status;
    if (own.flags & BATON_DLPACK_LEGACY)
        ((struct dlpack_legacy *)managed)->deleter(managed);
    else
        ((struct dlpack_managed *)managed)->deleter(managed);
    return status;
}

static int32_t host_kernel(struct scene *scene)
{
    uint32_t count = take_byte(scene->input) % MOST_ARGUMENTS;
    baton_host_parameter *parameters = keep(scene, calloc(count + 1, sizeof *parameters));
    baton_kernel *made;
    for (uint32_t i = 0; i < count; i++)
        parameters[i] = (baton_host_parameter) { .bytes = (uint32_t)take_number(scene->input), .access = (uint32_t)take_number(scene->input) };
    int32_t status = baton_kernel_host(world.runtime, take_byte(scene->input) % 3, nothing, keep(scene, take_text(scene->input, 100)),
                                       take_byte(scene->input) % 8 ? parameters : NULL, count, &made, scene->err);
    if (!status)
        baton_kernel_release(made);
    return status;
}

static int32_t scope(struct scene *scene)
{
    uint64_t count = take_byte(scene->input) % 8;
    baton_operand *operands = keep(scene, calloc(count + 1, sizeof *operands));
    baton_scope *made;
    for (uint64_t i = 0; i < count; i++)
        operands[i] = (baton_operand) { .array = take_byte(scene->input) % 8 ? scene->array : NULL, .access = (uint32_t)take_number(scene->input),
                                        .reserved = take_byte(scene->input) == 255 };
    int32_t status = baton_scope_begin(world.stream, NULL, operands, count, take_byte(scene->input) % 3, &made, scene->err);
    if (!status)
        baton_scope_release(made);
    return status;
}

static int32_t compute(struct scene *scene)
{
    const baton_argument *both = arguments(scene, 2);
    int32_t function = (int32_t)take_number(scene->input);
    uint64_t bytes = take_byte(scene->input) % 20;
    switch (take_byte(scene->input) % 3) {
    case 0: return baton_elementwise(function, scene->array, &both[0], &both[1], world.stream, scene->err);
    case 1: return baton_fill(scene->array, keep(scene, calloc(1, 20)), bytes, world.stream, scene->err);
    default: return baton_range(scene->array, keep(scene, calloc(1, 20)), keep(scene, calloc(1, 20)), bytes, world.stream, scene->err);
    }
}

/* Numbers that are no member of a struct. */
static int32_t numbers_alone(struct scene *scene)
{
    int64_t a = take_number(scene->input), b = take_number(scene->input);
    uint32_t blocks, threads, count;
    uint64_t needed;
    char text[64];
    int32_t status;
    baton_gate *gate;
    baton_stream *stream;
    switch (take_byte(scene->input) % 8) {
    case 0: return baton_kernel_occupancy(kernel, (uint32_t)a, (uint32_t)b, &blocks, scene->err);
    case 1: return baton_kernel_block_size(kernel, (uint32_t)a, (uint32_t)b, &threads, &blocks, scene->err);
    case 2: return baton_array_resize(scene->array, a, world.stream, scene->err);
    case 3: return baton_trim(world.runtime, (int32_t)a, (uint64_t)b, scene->err);
    case 4: return baton_graph_dot(graph, text, (uint64_t)a % sizeof text, &needed, scene->err);
    case 5: return baton_trace_read(world.runtime, NULL, (uint32_t)a & 1, &count, scene->err);
    case 6:
        if (!(status = baton_gate_create(world.stream, (uint64_t)a, &gate, scene->err)))
            baton_gate_release(gate);
        return status;
    default:
        if (!(status = baton_stream_create(world.runtime, (int32_t)a % 4, (uint32_t)b & 1, (int32_t)b, &stream, scene->err)))
            baton_stream_release(stream);
        return status;
    }
}

/* ---- what the library fills in */

#define READS(name, type, call)                                                                                     \
    static int32_t name(struct scene *scene)                                                                        \
    {                                                                                                               \
        type own = { .struct_size = 0 };                                                                            \
        type *out = keep(scene, take_struct(scene->input, FILLED_IN, &own, sizeof own));                                       \
        int32_t status = call;                                                                                      \
        must(out->struct_size == own.struct_size);                                                                  \
        return status;                                                                                              \
    }
READS(read_runtime, baton_runtime_info, baton_runtime_info_read(world.runtime, out, scene->err))
READS(read_device, baton_device_info, baton_device_info_read(world.runtime, take_byte(scene->input) % 3, out, scene->err))
READS(read_stats, baton_stats, baton_stats_read(world.runtime, out, scene->err))
READS(read_array, baton_array_info, baton_array_info_read(scene->array, out, scene->err))
READS(read_kernel, baton_kernel_info, baton_kernel_info_read(kernel, out, scene->err))
READS(read_graph, baton_graph_info, baton_graph_info_read(graph, out, scene->err))
READS(read_interface, baton_interface_info, baton_interface_export(scene->array, out, scene->err))

static int32_t read_trace(struct scene *scene)
{
    uint32_t capacity = take_byte(scene->input), count = 0;
    baton_trace_entry *entries = keep(scene, malloc(capacity * sizeof *entries + 1));
    int32_t status = baton_trace_start(world.runtime, take_byte(scene->input), scene->err);
    if (status)
        return status;
    status = baton_trace_read(world.runtime, entries, capacity, &count, scene->err);
    must(status || count <= capacity);
    return status;
}

static int32_t (*const calls[])(struct scene *) = {
    open_runtime, create, wrap, view, launch, compile, export_dlpack, host_kernel, scope, compute, read_runtime, read_device, read_stats, read_array, read_kernel,
    read_graph, read_interface, read_trace, numbers_alone,
};

/* An error record is a struct of the caller's, too. */
void fuzz_one(struct input *input)
{
    static const int8_t types[] = { BATON_U8, BATON_I32, BATON_F32, BATON_F64 };
    int64_t count = 16;
    baton_array_options options = { .struct_size = sizeof options, .dtype = types[take_byte(input) % 4], .ndim = 1, .shape = &count };
    baton_error own = { .struct_size = 0 };
    uint8_t choice = take_byte(input);
    struct scene scene = { .input = input, .err = take_struct(input, FILLED_IN, &own, sizeof own) };
    must(baton_array_create(world.runtime, &options, &scene.array, NULL) == BATON_OK);
    take_struct_unknown = 0;
    int32_t (*call)(struct scene *) = calls[choice % (sizeof calls / sizeof *calls)];
    int32_t status = call(&scene);
    must((status <= BATON_OK || status == BATON_OOM_RETRY || (status == BATON_WOULD_BLOCK && call == create)) && strcmp(baton_status_name(status), "unknown"));
    must(scene.err->struct_size == own.struct_size);
    must(!take_struct_unknown || status == BATON_ERR_VERSION);
    if (status < 0 && own.struct_size == sizeof own)
        check_failed(status, scene.err);
    baton_array_release(scene.array);
    must(baton_drain(world.runtime, 0, NULL, NULL) == BATON_OK);
    for (int i = 0; i < scene.count; i++)
        free(scene.kept[i]);
    free(scene.err);
}

void fuzz_begin(void)
{
    static const baton_host_parameter parameters[] = { { 8, BATON_READ_WRITE }, { 8, 0 } };
    world_make();
    must(baton_kernel_host(world.runtime, 0, nothing, "nothing", parameters, 2, &kernel, NULL) == BATON_OK);
    must(baton_capture_begin(world.stream, BATON_CAPTURE_RELAXED, NULL) == BATON_OK);
    must(baton_capture_end(world.stream, &graph, NULL) == BATON_OK);
}

void fuzz_end(void)
{
    baton_graph_release(graph);
    baton_kernel_release(kernel);
    world_end();
}
