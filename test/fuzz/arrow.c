/* Any bytes as an Arrow device array with its schema. */
#include "exchange/arrow.h"

#include <string.h>

#include "fuzz.h"

enum { FORMAT = 16, RELEASED = 1, WITH_STREAM = 2, NO_BUFFERS = 4, NO_CHILDREN = 8, EMPTY_CHILD = 16, DICTIONARY = 32, WITH_EVENT = 64 };

static int released;

static void release(struct arrow_array *array)
{
    array->release = NULL;
    released++;
}

static void release_schema(struct arrow_schema *schema)
{
    schema->release = NULL;
}

/* An array or a child with all that it points to. */
struct level {
    struct arrow_array array, *children[1];
    struct arrow_schema schema, *types[1];
    const void *buffers[2];
    char format[FORMAT + 1];
};

static void read_level(struct input *input, struct level *level, struct level *child)
{
    uint8_t flags = take_byte(input);
    *level = (struct level) { .children = { NULL } };
    take(input, level->format, FORMAT);
    take(input, &level->array.length, 8);
    take(input, &level->array.null_count, 8);
    take(input, &level->array.offset, 8);
    take(input, &level->array.n_buffers, 8);
    take(input, &level->array.n_children, 8);
    take(input, &level->schema.n_children, 8);
    level->buffers[0] = take_address(input);
    level->buffers[1] = take_address(input);
    level->children[0] = child && !(flags & EMPTY_CHILD) ? &child->array : NULL;
    level->types[0] = child && !(flags & EMPTY_CHILD) ? &child->schema : NULL;
    level->array.buffers = flags & NO_BUFFERS ? NULL : level->buffers;
    level->array.children = flags & NO_CHILDREN ? NULL : level->children;
    level->array.dictionary = flags & DICTIONARY ? &level->array : NULL;
    level->array.release = flags & RELEASED ? NULL : release;
    level->schema.format = level->format;
    level->schema.children = flags & NO_CHILDREN ? NULL : level->types;
    level->schema.release = release_schema;
}

void fuzz_one(struct input *input)
{
    struct level child, parent;
    struct arrow_device_array from;
    baton_error err = BATON_ERROR_INIT;
    baton_array *array = NULL;
    void *event;
    uint8_t flags = take_byte(input);
    memset(&from, 0, sizeof from);
    take(input, &from.device_type, sizeof from.device_type);
    take(input, &from.device_id, sizeof from.device_id);
    take(input, &from.reserved[flags % 3], 1);
    take(input, &event, flags & WITH_EVENT ? sizeof event : 0);
    from.sync_event = flags & WITH_EVENT ? &event : NULL;
    read_level(input, &parent, &child);
    read_level(input, &child, NULL);
    from.array = parent.array;
    struct arrow_device_array before = from;
    released = 0;
    int32_t status = baton_arrow_import(world.runtime, &from, &parent.schema, flags & WITH_STREAM ? world.stream : NULL, &array, &err);
    if (status) {
        check_refused(status, &err, array, released);
        must(!memcmp(&before, &from, sizeof from));
        return;
    }
    baton_array_info info = { .struct_size = sizeof info };
    must(baton_array_info_read(array, &info, NULL) == BATON_OK);
    must(!from.array.release && !released);
    must(info.shape[0] == before.array.length && info.flags & BATON_ARRAY_READ_ONLY);
    must(info.ndim == (parent.format[0] == '+' ? 2 : 1));
    give_back(array, &released, 1);
}

void fuzz_begin(void)
{
    world_make();
}

void fuzz_end(void)
{
    world_end();
}
