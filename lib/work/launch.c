#include "base/options.h"
#include "work/launch.h"
#include "work/managed.h"
#include "work/module.h"
#include "work/submit.h"

enum { OPTIONS_LEAST = offsetof(baton_launch_options, scope) };

/* What the driver takes: a pointer to each value. An array's value is its address. */
struct values {
    void *pointers[KERNEL_PARAMETERS];
    uint64_t addresses[KERNEL_PARAMETERS];
};

/* One dimension given is three given. */
static void fill_in(baton_launch_options *own)
{
    int clusters = own->cluster[0] || own->cluster[1] || own->cluster[2];
    for (int i = 0; i < 3; i++) {
        own->grid[i] = own->grid[i] ? own->grid[i] : 1;
        own->block[i] = own->block[i] ? own->block[i] : 1;
        own->cluster[i] = own->cluster[i] || !clusters ? own->cluster[i] : 1;
    }
}

/* The usual case: the caller knows the same struct, and asks for nothing but a grid. */
static int options_plain(const baton_launch_options *options)
{
    return options && options->struct_size == sizeof *options && !options->scope &&
           !(options->flags | options->reserved32 | options->reserved33 | options->cluster[0] | options->cluster[1] | options->cluster[2]);
}

static int32_t options_check(const baton_launch_options *options, baton_launch_options *own, baton_error *err)
{
    int32_t status = options_read(own, sizeof *own, options, OPTIONS_LEAST, "baton_launch_options", err);
    if (status)
        return status;
    if (own->flags & ~(uint32_t)BATON_LAUNCH_COOPERATIVE || own->reserved32 || own->reserved33)
        return fail(err, BATON_ERR_VERSION, "an unknown flag or a reserved member of baton_launch_options is not zero");
    fill_in(own);
    return own->scope ? scope_check(own->scope, err) : BATON_OK;
}

static int32_t size_check(const baton_kernel *kernel, uint32_t index, uint32_t bytes, baton_error *err)
{
    if (!kernel->known || kernel->bytes[index] == bytes)
        return BATON_OK;
    return fail(err, BATON_ERR_ARGUMENT, "argument %u has %u bytes, the kernel's parameter %u", index, bytes, kernel->bytes[index]);
}

/* A raw value, or an array that the operation then uses. */
static int32_t add_argument(struct operation *op, const baton_kernel *kernel, const baton_argument *argument, uint32_t index, struct values *values, baton_error *err)
{
    int32_t status;
    if (!argument->array) {
        if (!argument->data || !argument->bytes)
            return fail(err, BATON_ERR_ARGUMENT, "argument %u is neither an array nor a value", index);
        values->pointers[index] = (void *)(uintptr_t)argument->data;
        return size_check(kernel, index, argument->bytes, err);
    }
    if (argument->data || argument->bytes)
        return fail(err, BATON_ERR_ARGUMENT, "argument %u is both an array and a value", index);
    if ((status = array_check(argument->array, err)) || (status = size_check(kernel, index, sizeof(uint64_t), err)))
        return status;
    values->addresses[index] = array_address(argument->array);
    values->pointers[index] = &values->addresses[index];
    struct memory *memory = argument->array->memory;
    if (argument->access - 1 < BATON_READ_WRITE && memory->bytes && operation_append(op, memory, argument->access))
        return BATON_OK;
    return operation_add(op, memory, argument->access, err);
}

static int32_t add_arguments(struct operation *op, const baton_kernel *kernel, const baton_argument *arguments, uint32_t count, struct values *values, baton_error *err)
{
    int32_t status = BATON_OK;
    if (count > KERNEL_PARAMETERS || (count && !arguments))
        return fail(err, BATON_ERR_ARGUMENT, "%u arguments: 0 to %d can be given", count, KERNEL_PARAMETERS);
    if (kernel->known && kernel->count != count)
        return fail(err, BATON_ERR_ARGUMENT, "%u arguments are given, the kernel has %u parameters", count, kernel->count);
    for (uint32_t i = 0; i < count && !status; i++)
        status = add_argument(op, kernel, &arguments[i], i, values, err);
    return status;
}

static int32_t device_check(const baton_kernel *kernel, const baton_stream *stream, baton_error *err)
{
    if (device_same(kernel->module->device, stream->device))
        return BATON_OK;
    return fail(err, BATON_ERR_DEVICE, "the kernel was loaded on device %d, the stream belongs to device %d", kernel->module->device->ordinal,
                stream->device->ordinal);
}

static void keep_kernel(void *kernel)
{
    baton_kernel_retain(kernel);
}

static void let_kernel_go(void *kernel)
{
    baton_kernel_release(kernel);
}

/* What the driver must be asked or told before anything is locked. */
static int32_t prepare(baton_kernel *kernel, const baton_launch_options *own, baton_error *err)
{
    int32_t status = BATON_OK;
    if (own->shared_bytes)
        status = kernel_allow_shared(kernel, own->shared_bytes, err);
    if (!status && launch_is_extended(own))
        status = launch_extended_check(kernel, own, err);
    return status;
}

static uint32_t extent(uint32_t given)
{
    return given ? given : 1;
}

/* The operation has begun. */
static int32_t submit(struct operation *op, baton_kernel *kernel, const baton_launch_options *own, void **parameters, baton_error *err)
{
    if (launch_is_extended(own)) {
        int code = launch_extended(kernel, own, parameters);
        int32_t status = submit_end(op, code, DRIVER_ROW_launch_ex, err);
        return status ? launch_extended_failed(kernel, own, code, status, err) : status;
    }
    const baton_stream *stream = op->stream;
    int code = stream->device->driver->launch(kernel->native, extent(own->grid[0]), extent(own->grid[1]), extent(own->grid[2]), extent(own->block[0]),
                                              extent(own->block[1]), extent(own->block[2]), own->shared_bytes, stream->native, parameters, NULL);
    return submit_end(op, code, DRIVER_ROW_launch, err);
}

/* The driver's last launch has pushed the arrays out of the nearest cache. */
static void prefetch(const baton_argument *arguments, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < OPERATION_INLINE && arguments; i++)
        __builtin_prefetch(arguments[i].array);
}

__attribute__((hot)) int32_t baton_launch(baton_kernel *kernel, const baton_launch_options *options, const baton_argument *arguments, uint32_t count, baton_error *err)
{
    struct operation op;
    struct values values;
    baton_launch_options own;
    prefetch(arguments, count);
    int32_t status = kernel_check(kernel, err);
    if (!status && !options_plain(options)) {
        status = options_check(options, &own, err);
        options = &own;
    }
    baton_stream *stream = status ? NULL : options->stream;
    if (status || (status = stream_resolve(&stream, err)) || (status = device_check(kernel, stream, err)))
        return status;
    own.stream = stream;        /* resolved, for those who look at the copy */
    stream_prefetch(stream);
    operation_init(&op, stream, BATON_OP_LAUNCH, 0);
    op.parent = options->scope ? &options->scope->op : NULL;
    status = add_arguments(&op, kernel, arguments, count, &values, err);
    if (!status)
        status = prepare(kernel, options, err);
    if (status) {
        operation_discard(&op);
        return status;
    }
    if ((status = submit_start(&op, err)))
        return status;
    if (op.tracked && (status = operation_keep(&op, kernel, keep_kernel, let_kernel_go, err))) {
        submit_drop(&op);
        return status;
    }
    return submit(&op, kernel, options, values.pointers, err);
}
