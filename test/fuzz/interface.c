/* Any bytes as the description of a CUDA array, of any struct_size. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static int deleted;

static void count_deleted(void *user, uint64_t address)
{
    (void)user, (void)address;
    deleted++;
}

static void read_info(struct input *input, baton_interface_info *info)
{
    uint64_t native;
    take(input, info->typestr, sizeof info->typestr);
    take(input, &info->ndim, sizeof info->ndim);
    info->read_only = (int8_t)take_byte(input);
    info->contiguous = (int8_t)take_byte(input);
    take(input, &info->device, sizeof info->device);
    info->address = (uint64_t)(uintptr_t)take_address(input);
    take(input, &info->stream, sizeof info->stream);
    if (info->stream == UINT64_MAX) {
        must(baton_stream_native(world.stream, &native, NULL) == BATON_OK);
        info->stream = native;
    }
    for (int i = 0; i < 16; i++) {
        info->shape[i] = take_number(input);
        info->strides[i] = take_number(input);
    }
}

static void check_taken(const baton_interface_info *info, baton_array *array)
{
    baton_array_info seen = { .struct_size = sizeof seen };
    must(baton_array_info_read(array, &seen, NULL) == BATON_OK);
    must(!deleted && seen.ndim == info->ndim);
    must(!seen.ndim || !memcmp(seen.shape, info->shape, (size_t)seen.ndim * sizeof *info->shape));
    must(!seen.elements || info->address);
    must(!!(seen.flags & BATON_ARRAY_READ_ONLY) == info->read_only);
}

/* What was taken in can be described again, alike. */
static void check_described(const baton_interface_info *info, baton_array *array)
{
    baton_interface_info out = { .struct_size = sizeof out };
    baton_error err = BATON_ERROR_INIT;
    int32_t status = baton_interface_export(array, &out, &err);
    if (status) {
        check_failed(status, &err);
        return;
    }
    must(out.ndim == info->ndim && out.read_only == info->read_only && !strcmp(out.typestr + 1, info->typestr + 1));
    must(!out.address || out.address == info->address);
}

void fuzz_one(struct input *input)
{
    baton_interface_info own = { .struct_size = 0 };
    baton_error err = BATON_ERROR_INIT;
    baton_array *array = NULL;
    read_info(input, &own);
    baton_interface_info *info = take_struct(input, READ, &own, sizeof own);
    deleted = 0;
    int32_t status = baton_interface_import(world.runtime, info, count_deleted, NULL, &array, &err);
    free(info);
    if (status) {
        check_refused(status, &err, array, deleted);
        return;
    }
    must(!take_struct_unknown);
    check_taken(&own, array);
    check_reach(own.address, 0, array);
    check_described(&own, array);
    give_back(array, &deleted, 1);
}

void fuzz_begin(void)
{
    world_make();
}

void fuzz_end(void)
{
    world_end();
}
