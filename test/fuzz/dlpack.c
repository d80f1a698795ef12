/* Any bytes as a DLPack tensor of either form. */
#include "exchange/dlpack.h"

#include <string.h>

#include "fuzz.h"

enum { DIMS = 16, LEGACY = 1, NO_STRIDES = 2, NO_SHAPE = 4, NO_DELETER = 8, WITH_STREAM = 16 };

static int deleted;

static void versioned_delete(struct dlpack_managed *managed)
{
    (void)managed;
    deleted++;
}

static void legacy_delete(struct dlpack_legacy *managed)
{
    (void)managed;
    deleted++;
}

static void read_tensor(struct input *input, uint8_t flags, struct dlpack_tensor *tensor, int64_t *shape, int64_t *strides)
{
    take(input, &tensor->device_type, sizeof tensor->device_type);
    take(input, &tensor->device_id, sizeof tensor->device_id);
    take(input, &tensor->ndim, sizeof tensor->ndim);
    take(input, &tensor->code, 1);
    take(input, &tensor->bits, 1);
    take(input, &tensor->lanes, 2);
    take(input, &tensor->byte_offset, sizeof tensor->byte_offset);
    tensor->data = take_address(input);
    tensor->shape = flags & NO_SHAPE ? NULL : shape;
    tensor->strides = flags & NO_STRIDES ? NULL : strides;
    for (int i = 0; i < DIMS; i++) {
        take(input, &shape[i], sizeof shape[i]);
        take(input, &strides[i], sizeof strides[i]);
    }
}

void fuzz_one(struct input *input)
{
    struct dlpack_managed versioned = { .deleter = versioned_delete };
    struct dlpack_legacy legacy = { .deleter = legacy_delete };
    int64_t shape[DIMS], strides[DIMS];
    baton_error err = BATON_ERROR_INIT;
    baton_array *array = NULL;
    uint8_t flags = take_byte(input);
    baton_stream *stream = flags & WITH_STREAM ? world.stream : NULL;
    struct dlpack_tensor *tensor = flags & LEGACY ? &legacy.tensor : &versioned.tensor;
    take(input, &versioned.major, sizeof versioned.major);
    take(input, &versioned.minor, sizeof versioned.minor);
    take(input, &versioned.flags, sizeof versioned.flags);
    read_tensor(input, flags, tensor, shape, strides);
    if (flags & NO_DELETER)
        versioned.deleter = NULL, legacy.deleter = NULL;
    deleted = 0;
    int32_t status = flags & LEGACY ? baton_dlpack_import_legacy(world.runtime, &legacy, stream, &array, &err)
                                    : baton_dlpack_import(world.runtime, &versioned, stream, &array, &err);
    if (status) {
        check_refused(status, &err, array, deleted);
        return;
    }
    baton_array_info info = { .struct_size = sizeof info };
    must(baton_array_info_read(array, &info, NULL) == BATON_OK);
    must(info.ndim == tensor->ndim && !deleted);
    must(!info.ndim || !memcmp(info.shape, shape, (size_t)info.ndim * sizeof *shape));
    must(!info.elements || tensor->data);
    must(tensor->lanes == 1 && (flags & LEGACY || versioned.major == 1));
    check_reach((uint64_t)(uintptr_t)tensor->data, tensor->byte_offset, array);
    give_back(array, &deleted, flags & NO_DELETER ? 0 : 1);
}

void fuzz_begin(void)
{
    world_make();
}

void fuzz_end(void)
{
    world_end();
}
