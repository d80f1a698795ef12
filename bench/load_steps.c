#include <poll.h>

#include "load.h"

enum { LARGEST = 1 << 14 };     /* elements of a new array, at most */

/* The task's own stream most of the time. */
static baton_stream *draw_stream(struct task *task)
{
    return draw(task, 4) ? task->home : load.streams[draw(task, load.options.streams)];
}

static int32_t array_new(struct task *task, int32_t kind, int64_t elements, baton_array **array)
{
    baton_array_options options = { .struct_size = sizeof options, .kind = kind, .dtype = BATON_F32, .ndim = 1, .shape = &elements };
    options.stream = draw_stream(task);
    return baton_array_create(load.runtime, &options, array, &task->error);
}

static int32_t add_one(struct task *task, struct cell *cell, baton_array *array, baton_stream *stream)
{
    const float one = 1;
    tally_begin(&cell->added);
    int32_t status = baton_elementwise(BATON_ADD, array, &(baton_argument)baton_in(array), &(baton_argument)baton_value(one), stream, &task->error);
    tally_done(&cell->added);
    return status;
}

static int32_t step_add(struct task *task)
{
    struct cell *cell = draw_counter(task);
    return add_one(task, cell, cell->array, draw_stream(task));
}

static int32_t step_add_view(struct task *task)
{
    struct cell *cell = draw_counter(task);
    const int64_t square[] = { 8, ELEMENTS / 8 };
    baton_view_options options = { .struct_size = sizeof options, .ndim = 1, .shape = square, .shape_ndim = 2 };
    baton_array *view;
    int32_t status = baton_array_view(cell->array, &options, &view, &task->error);
    if (status)
        return status;
    status = add_one(task, cell, view, draw_stream(task));
    baton_array_release(view);
    return status;
}

static int32_t touch(struct task *task, struct cell *cell, baton_stream *stream, baton_scope *scope)
{
    baton_launch_options options = { .struct_size = sizeof options, .stream = stream, .scope = scope };
    tally_begin(&cell->touched);
    int32_t status = baton_launch(load.kernels[KERNEL_TOUCH1], &options, &(baton_argument)baton_inout(cell->array), 1, &task->error);
    tally_done(&cell->touched);
    return status;
}

static int32_t step_touch(struct task *task)
{
    return touch(task, draw_counter(task), draw_stream(task), NULL);
}

static int32_t step_fill(struct task *task)
{
    struct write write = write_begin(draw_register(task));
    float stamp = (float)write.stamp;
    int32_t status = baton_fill(write.cell->array, &stamp, sizeof stamp, draw_stream(task), &task->error);
    write_end(&write);
    return status;
}

static int32_t step_upload(struct task *task)
{
    struct write write = write_begin(draw_register(task));
    float values[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++)
        values[i] = (float)write.stamp;
    int32_t status = baton_upload(write.cell->array, values, sizeof values, draw_stream(task), &task->error);
    write_end(&write);
    return status;
}

/* A new array is written on one stream and copied on another one. */
static int32_t step_copy_in(struct task *task)
{
    struct write write = write_begin(draw_register(task));
    float stamp = (float)write.stamp;
    baton_array *new;
    int32_t status = array_new(task, BATON_DEVICE, ELEMENTS, &new);
    if (!status) {
        status = baton_fill(new, &stamp, sizeof stamp, draw_stream(task), &task->error);
        if (!status)
            status = baton_copy(write.cell->array, new, draw_stream(task), &task->error);
        baton_array_release(new);
    }
    write_end(&write);
    return status;
}

static struct cell *draw_any(struct task *task)
{
    return draw(task, 2) ? draw_counter(task) : draw_register(task);
}

static int32_t step_download(struct task *task)
{
    float values[ELEMENTS];
    struct look look = look_begin(draw_any(task));
    int32_t status = baton_download(values, sizeof values, look.cell->array, draw_stream(task), &task->error);
    if (!status)
        look_check(&look, values);
    return status;
}

static int32_t step_copy_out(struct task *task)
{
    float values[ELEMENTS];
    baton_array *copy;
    int32_t status = array_new(task, BATON_DEVICE, ELEMENTS, &copy);
    if (status)
        return status;
    struct look look = look_begin(draw_any(task));
    status = baton_copy(copy, look.cell->array, draw_stream(task), &task->error);
    if (!status)
        status = baton_download(values, sizeof values, copy, draw_stream(task), &task->error);
    baton_array_release(copy);
    if (!status)
        look_check(&look, values);
    return status;
}

/* A part of the array, by a view that ends before the download does. */
static int32_t step_slice(struct task *task)
{
    enum { START = 24, COUNT = 16 };
    float values[COUNT];
    const int64_t start = START, count = COUNT;
    baton_view_options options = { .struct_size = sizeof options, .ndim = 1, .start = &start, .count = &count };
    baton_array *view, *copy;
    struct look look = look_begin(draw_any(task));
    int32_t status = baton_array_view(look.cell->array, &options, &view, &task->error);
    if (status)
        return status;
    status = array_new(task, BATON_DEVICE, COUNT, &copy);
    if (!status)
        status = baton_copy(copy, view, draw_stream(task), &task->error);
    baton_array_release(view);
    if (status)
        return status;
    status = baton_download(values, sizeof values, copy, draw_stream(task), &task->error);
    baton_array_release(copy);
    if (!status)
        look_check_some(&look, values, COUNT);
    return status;
}

static int32_t step_sum(struct task *task)
{
    float values[ELEMENTS];
    baton_array *sum;
    int32_t status = array_new(task, BATON_DEVICE, ELEMENTS, &sum);
    if (status)
        return status;
    struct look left = look_begin(draw_counter(task)), right = look_begin(draw_counter(task));
    status = baton_elementwise(BATON_ADD, sum, &(baton_argument)baton_in(left.cell->array), &(baton_argument)baton_in(right.cell->array),
                               draw_stream(task), &task->error);
    if (!status)
        status = baton_download(values, sizeof values, sum, draw_stream(task), &task->error);
    baton_array_release(sum);
    if (!status)
        look_check_sum(&left, &right, values);
    return status;
}

/* Each array is touched while all are held; one that was drawn twice, twice. */
static int32_t step_scope(struct task *task)
{
    struct cell *cells[SCOPE_MOST];
    baton_operand operands[SCOPE_MOST];
    uint64_t count = 2 + draw(task, SCOPE_MOST - 1);
    baton_stream *stream = draw_stream(task);
    baton_scope *scope;
    for (uint64_t i = 0; i < count; i++) {
        cells[i] = draw_counter(task);
        operands[i] = (baton_operand) { .array = cells[i]->array };
    }
    int32_t status = baton_scope_begin(stream, NULL, operands, count, 0, &scope, &task->error);
    if (status)
        return status;
    for (uint64_t i = 0; i < count && !status; i++)
        status = touch(task, cells[i], stream, scope);
    if (!status)
        status = baton_scope_end(scope, &task->error);
    baton_scope_release(scope);
    return status;
}

/* Used on three streams and released while the last use may still be under way. */
static int32_t step_create(struct task *task)
{
    const float value = (float)draw(task, EXACT);
    int64_t elements = 1 + (int64_t)draw(task, LARGEST);
    baton_array *left, *right = NULL;
    int32_t status = array_new(task, BATON_DEVICE, elements, &left);
    if (status)
        return status;
    status = array_new(task, BATON_DEVICE, elements, &right);
    if (!status)
        status = baton_fill(left, &value, sizeof value, draw_stream(task), &task->error);
    if (!status)
        status = baton_copy(right, left, draw_stream(task), &task->error);
    if (!status)
        status = baton_elementwise(BATON_MULTIPLY, right, &(baton_argument)baton_in(left), &(baton_argument)baton_in(right), draw_stream(task), &task->error);
    baton_array_release(left);
    if (right)
        baton_array_release(right);
    return status;
}

/* Memory of the host's, written by a stream and read here. */
static int32_t step_host(struct task *task)
{
    const float value = (float)draw(task, EXACT);
    baton_array *array;
    void *address;
    int32_t status = array_new(task, BATON_HOST, ELEMENTS, &array);
    if (status)
        return status;
    status = baton_fill(array, &value, sizeof value, draw_stream(task), &task->error);
    if (!status)
        status = baton_array_host_pointer(array, BATON_READ, &address, &task->error);
    for (int i = 0; i < ELEMENTS && !status; i++)
        if (((float *)address)[i] != value) {
            atomic_fetch_add(&load.wrong, 1);
            break;
        }
    baton_array_release(array);
    return status;
}

/* Nobody uses the address; but the library must think so from now on. */
static int32_t step_pointer(struct task *task)
{
    uint64_t address;
    return baton_array_pointer(draw_any(task)->array, draw_stream(task), BATON_READ, &address, &task->error);
}

/* A stream that is gone while arrays still name it. */
static int32_t step_stream(struct task *task)
{
    baton_stream *stream;
    int32_t status = baton_stream_create(load.runtime, 0, 0, 0, &stream, &task->error);
    if (status)
        return status;
    for (int i = 0; i < 2 && !status; i++)
        status = touch(task, draw_counter(task), stream, NULL);
    baton_stream_release(stream);
    return status;
}

static int32_t step_synchronize(struct task *task)
{
    if (draw(task, 2))
        return baton_stream_synchronize(draw_stream(task), BATON_WAIT_AUTO, &task->error);
    return baton_array_synchronize(draw_any(task)->array, BATON_WAIT_AUTO, &task->error);
}

static int32_t wait_for_descriptor(struct task *task, baton_fence *fence)
{
    struct pollfd wanted = { .events = POLLIN };
    int32_t status = baton_fence_descriptor(fence, &wanted.fd, &task->error);
    while (!status && poll(&wanted, 1, -1) != 1)
        ;
    return status;
}

static int32_t step_fence(struct task *task)
{
    baton_fence *fence;
    int32_t status = baton_array_fence(draw_any(task)->array, &fence, &task->error);
    if (status)
        return status;
    status = draw(task, 2) ? wait_for_descriptor(task, fence) : baton_fence_wait(fence, BATON_UNLIMITED, BATON_WAIT_AUTO, &task->error);
    baton_fence_release(fence);
    return status;
}

static const struct step {
    int32_t (*run)(struct task *task);
    uint64_t share;             /* of a hundred */
} steps[OPERATIONS] = {
    [OPERATION_ADD] = { step_add, 16 }, [OPERATION_ADD_VIEW] = { step_add_view, 6 }, [OPERATION_TOUCH] = { step_touch, 10 },
    [OPERATION_FILL] = { step_fill, 13 }, [OPERATION_UPLOAD] = { step_upload, 3 }, [OPERATION_COPY_IN] = { step_copy_in, 7 },
    [OPERATION_DOWNLOAD] = { step_download, 8 }, [OPERATION_COPY_OUT] = { step_copy_out, 6 }, [OPERATION_SLICE] = { step_slice, 4 },
    [OPERATION_SUM] = { step_sum, 4 }, [OPERATION_SCOPE] = { step_scope, 10 }, [OPERATION_CREATE] = { step_create, 5 },
    [OPERATION_HOST] = { step_host, 2 }, [OPERATION_POINTER] = { step_pointer, 1 }, [OPERATION_STREAM] = { step_stream, 1 },
    [OPERATION_SYNCHRONIZE] = { step_synchronize, 2 }, [OPERATION_FENCE] = { step_fence, 2 },
};

const char *const operation_names[OPERATIONS] = {
    "add", "add by a view", "touch", "fill", "upload", "copy in", "download", "copy out", "slice", "sum", "scope", "create", "host pointer", "pointer",
    "stream", "synchronize", "fence"
};

enum operation draw_operation(struct task *task)
{
    uint64_t drawn = draw(task, 100);
    int operation = 0;
    while (drawn >= steps[operation].share)
        drawn -= steps[operation++].share;
    return (enum operation)operation;
}

int32_t operation_run(struct task *task, enum operation operation)
{
    uint64_t begin = now_ns();
    waits_enter(operation);
    int32_t status = steps[operation].run(task);
    duration_add(operation, now_ns() - begin);
    return status;
}
