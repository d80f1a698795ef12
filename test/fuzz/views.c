/* Views of views of an array, and work on them: an element lies where shape and strides say, and nothing else is written. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { DIMS = 16, MOST_BYTES = 4096, VIEWS = 5, BEFORE = 0x11, AFTER = 0x5A };

struct lists {
    int64_t numbers[5][DIMS];       /* start, count, step, shape, strides */
    int32_t permutation[DIMS];
};

static int32_t read_list(struct input *input, int64_t *numbers)
{
    int32_t count = take_byte(input) % 6;
    for (int32_t i = 0; i < DIMS; i++)
        numbers[i] = i < count ? take_number(input) : 0;
    return count;
}

static void read_options(struct input *input, int32_t ndim, struct lists *lists, baton_view_options *options)
{
    uint8_t given = take_byte(input);
    for (int i = 0; i < 3; i++)
        read_list(input, lists->numbers[i]);
    for (int i = 0; i < DIMS; i++)
        lists->permutation[i] = given & 8 ? (int32_t)take_byte(input) % DIMS : 0;
    options->shape_ndim = read_list(input, lists->numbers[3]);
    options->ndim = given & 64 ? (int8_t)take_byte(input) : ndim;
    options->dtype = given & 32 ? (int8_t)take_byte(input) : 0;
    options->start = given & 1 ? lists->numbers[0] : NULL;
    options->count = given & 2 ? lists->numbers[1] : NULL;
    options->step = given & 4 ? lists->numbers[2] : NULL;
    options->permutation = given & 8 ? lists->permutation : NULL;
    options->shape = given & 16 ? lists->numbers[3] : NULL;
}

static baton_array_info info_of(baton_array *array)
{
    baton_array_info info = { .struct_size = sizeof info };
    must(baton_array_info_read(array, &info, NULL) == BATON_OK);
    return info;
}

/* Every byte that the view says it has becomes AFTER; returns whether each element lies inside. */
static void mark(const baton_array_info *info, uint8_t *expected)
{
    uint32_t size = baton_dtype_size(info->dtype);
    must(info->bytes == info->elements * size);
    for (uint64_t n = 0; n < info->elements; n++) {
        uint64_t rest = n;
        __int128 at = info->offset_bytes;
        for (int32_t i = info->ndim - 1; i >= 0; i--) {
            at += (__int128)(rest % (uint64_t)info->shape[i]) * info->strides[i] * size;
            rest /= (uint64_t)info->shape[i];
        }
        must(at >= 0 && at + size <= info->memory_bytes);
        memset(expected + at, AFTER, size);
    }
}

/* The device's memory is this process's. */
static uint8_t *memory_of(baton_array *root)
{
    uint64_t address;
    must(baton_stream_synchronize(world.stream, BATON_WAIT_AUTO, NULL) == BATON_OK);
    must(baton_array_pointer(root, world.stream, BATON_READ_WRITE, &address, NULL) == BATON_OK);
    return (uint8_t *)(uintptr_t)address;
}

static void check_fill(baton_array *root, baton_array *view)
{
    uint8_t expected[MOST_BYTES], value[16];
    baton_array_info info = info_of(view);
    uint8_t *memory = memory_of(root);
    memset(value, AFTER, sizeof value);
    if (memory)
        memset(memory, BEFORE, info.memory_bytes);
    memset(expected, BEFORE, sizeof expected);
    mark(&info, expected);
    must(baton_fill(view, value, baton_dtype_size(info.dtype), world.stream, NULL) == BATON_OK);
    must(baton_stream_synchronize(world.stream, BATON_WAIT_AUTO, NULL) == BATON_OK);
    must(!info.memory_bytes || !memcmp(memory, expected, info.memory_bytes));
}

/* Up and down again is the same. */
static void check_transfer(baton_array *view)
{
    baton_array_info info = info_of(view);
    uint8_t *up = malloc(info.bytes + 1), *down = malloc(info.bytes + 1);
    must(up && down);
    for (uint64_t i = 0; i < info.bytes; i++)
        up[i] = (uint8_t)(7 * i + 1);
    must(baton_upload(view, up, info.bytes, world.stream, NULL) == BATON_OK);
    must(baton_download(down, info.bytes, view, world.stream, NULL) == BATON_OK);
    must(!memcmp(up, down, info.bytes));
    free(up);
    free(down);
}

/* Whatever the layouts are, this ends, and what it refuses it refuses with a sentence. */
static void work(struct input *input, baton_array *a, baton_array *b)
{
    baton_error err = BATON_ERROR_INIT;
    uint8_t choice = take_byte(input);
    uint64_t step[2] = { 1, 0 };
    int32_t status;
    switch (choice % 4) {
    case 0: status = baton_copy(a, b, world.stream, &err); break;
    case 1: status = baton_cast(a, b, world.stream, &err); break;
    case 2: status = baton_elementwise(choice / 4 % 6, a, &(baton_argument)baton_in(b), &(baton_argument)baton_in(a), world.stream, &err); break;
    default: status = baton_range(a, step, step, baton_dtype_size(info_of(a).dtype), world.stream, &err); break;
    }
    if (status)
        check_failed(status, &err);
}

static baton_array *make(struct input *input)
{
    static const int8_t types[] = { BATON_U8, BATON_I16, BATON_I32, BATON_F64, BATON_C128 };
    struct lists lists;
    baton_error err = BATON_ERROR_INIT;
    baton_array *made = NULL;
    baton_array_options options = { .struct_size = sizeof options, .shape = lists.numbers[0] };
    options.ndim = read_list(input, lists.numbers[0]);
    options.strides = read_list(input, lists.numbers[1]) ? lists.numbers[1] : NULL;
    options.dtype = types[take_byte(input) % 5];
    options.kind = take_byte(input) % 4;
    int32_t status = baton_array_create(world.runtime, &options, &made, &err);
    if (status)
        check_failed(status, &err);
    if (!status && info_of(made).memory_bytes <= MOST_BYTES)
        return made;
    baton_array_release(made);
    return NULL;
}

static baton_array *view_of(struct input *input, baton_array *array)
{
    struct lists lists;
    baton_view_options options = { .struct_size = sizeof options };
    baton_error err = BATON_ERROR_INIT;
    baton_array *view = NULL;
    read_options(input, info_of(array).ndim, &lists, &options);
    int32_t status = baton_array_view(array, &options, &view, &err);
    if (status)
        check_failed(status, &err);
    return view;
}

void fuzz_one(struct input *input)
{
    baton_array *arrays[VIEWS + 1] = { make(input) };
    uint64_t count = 1;
    if (!arrays[0])
        return;
    while (count <= VIEWS && input->at < input->count) {
        baton_array *view = view_of(input, arrays[take_byte(input) % count]);
        if (!view)
            break;
        arrays[count++] = view;
        check_fill(arrays[0], view);
        check_transfer(view);
        work(input, view, arrays[take_byte(input) % count]);
    }
    must(baton_stream_synchronize(world.stream, BATON_WAIT_AUTO, NULL) == BATON_OK);
    baton_array_release_n(arrays, count);
    must(baton_drain(world.runtime, 0, NULL, NULL) == BATON_OK);
}

void fuzz_begin(void)
{
    world_make();
}

void fuzz_end(void)
{
    world_end();
}
