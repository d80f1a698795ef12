#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_CAPACITY = 256 };

/* At least doubles, so that many small additions stay cheap. */
static int make_room(struct bytes *bytes, size_t count)
{
    size_t wanted = bytes->count + count, capacity = bytes->capacity ? bytes->capacity : LEAST_CAPACITY;
    if (wanted < count || wanted > SIZE_MAX / 2)
        return 0;
    while (capacity < wanted)
        capacity *= 2;
    unsigned char *data = realloc(bytes->data, capacity);
    if (!data)
        return 0;
    bytes->data = data;
    bytes->capacity = capacity;
    return 1;
}

unsigned char *bytes_grow(struct bytes *bytes, size_t count)
{
    if (bytes->failed || ((bytes->count + count > bytes->capacity || !bytes->data) && !make_room(bytes, count))) {
        bytes->failed = 1;
        return NULL;
    }
    bytes->count += count;
    return bytes->data + bytes->count - count;
}

void bytes_add(struct bytes *bytes, const void *data, size_t count)
{
    unsigned char *place = bytes_grow(bytes, count);
    if (place && count)
        memcpy(place, data, count);
}

void bytes_add_u64(struct bytes *bytes, uint64_t number)
{
    bytes_add(bytes, &number, sizeof number);
}

void bytes_add_text(struct bytes *bytes, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    bytes_add_u64(bytes, text ? length : UINT64_MAX);
    bytes_add(bytes, text, length);
}

void bytes_clear(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes) { .data = NULL };
}

/* FNV-1a, then a mix of the high bits into the low ones. */
uint64_t bytes_hash(const void *data, size_t count, uint64_t seed)
{
    const unsigned char *byte = data;
    uint64_t hash = 0xcbf29ce484222325u ^ seed;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3u;
    hash ^= hash >> 32;
    hash *= 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}
