#include "fuzz.h"

#include <ftw.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/soft/soft.h"

enum { PATIENCE = 1000000, WORLD_BYTES = 512, LIMIT_BYTES = 1 << 20, OPEN_FOLDERS = 8, MOST_READ = 65536 };

struct world world;
static char folder[256];
static int ending;
int take_struct_unknown;

void fuzz_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();                    /* what a fuzzer looks for */
}

void take(struct input *input, void *value, size_t bytes)
{
    size_t left = input->count - input->at, got = left < bytes ? left : bytes;
    memset(value, 0, bytes);
    if (got)
        memcpy(value, input->bytes + input->at, got);
    input->at += got;
}

uint8_t take_byte(struct input *input)
{
    uint8_t byte;
    take(input, &byte, 1);
    return byte;
}

int64_t take_number(struct input *input)
{
    static const int64_t edges[] = { INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX / 2, INT64_MAX / 4 + 1, INT64_MIN / 8,
                                     (int64_t)1 << 62, (int64_t)1 << 61, (int64_t)1 << 60, 3037000499, 3037000500, 65536, -65536, 4294967296 };
    int64_t any;
    uint8_t byte = take_byte(input);
    if (byte < 0xC0)
        return (int64_t)(byte % 64) - (byte >= 0x80 ? 32 : 0);
    if (byte < 0xF0)
        return edges[byte % 16];
    take(input, &any, sizeof any);
    return any;
}

void *take_address(struct input *input)
{
    static uint64_t ordinary[64];
    uint64_t number;
    uint8_t choice = take_byte(input);
    if (choice % 8 == 7)
        take(input, &number, sizeof number);
    else
        number = choice % 8 == 0 ? 0 : choice % 8 < 5 ? world.addresses[choice % 8 - 1] : (uint64_t)(uintptr_t)ordinary;
    return (void *)(uintptr_t)(number + (number && choice % 8 != 7 ? choice / 64 : 0));
}

uint8_t *take_rest(struct input *input, size_t most, size_t *count)
{
    size_t left = input->count - input->at, wanted = left < most ? left : most;
    uint8_t *bytes = malloc(wanted ? wanted : 1);
    must(bytes);
    take(input, bytes, wanted);
    *count = wanted;
    return bytes;
}

char *take_text(struct input *input, size_t most)
{
    size_t left = input->count - input->at, length = strnlen((const char *)input->bytes + input->at, left < most ? left : most);
    char *text = malloc(length + 1);
    must(text);
    take(input, text, length);
    text[length] = '\0';
    input->at += input->at < input->count && !input->bytes[input->at];
    return text;
}

static uint32_t take_size(struct input *input, uint32_t known)
{
    uint8_t choice = take_byte(input);
    if (choice < 160)
        return known;
    if (choice < 240)
        return 8 * (uint32_t)(choice - 160);
    return choice < 248 ? known + 8 * (uint32_t)(choice - 239) : (uint32_t)take_number(input);
}

void *take_struct(struct input *input, enum direction direction, void *own, uint32_t known)
{
    uint32_t size = take_size(input, known), least = sizeof size, room = size < least ? least : size <= MOST_READ ? size : direction == READ ? least : known;
    unsigned char *block = calloc(1, room), odd = take_byte(input);
    must(block);
    if (size < known)
        memset((char *)own + size, 0, known - size);
    memcpy(own, &size, sizeof size);
    memcpy(block, own, room < known ? room : known);
    if (direction == READ)
        take_struct_unknown = room > known && odd > 250;
    if (room > known && odd > 250)
        block[known + (uint32_t)take_byte(input) * (room - known - 1) / 255] = 1;
    return block;
}

void give_back(baton_array *array, const int *deleted, int wanted)
{
    baton_array_release(array);
    for (int left = PATIENCE; *deleted < wanted && left; left--) {
        must(baton_drain(world.runtime, 0, NULL, NULL) == BATON_OK);
        sched_yield();
    }
    must(baton_drain(world.runtime, 0, NULL, NULL) == BATON_OK);
    must(*deleted == wanted);
}

void check_failed(int32_t status, const baton_error *err)
{
    must(status < 0 && strcmp(baton_status_name(status), "unknown"));
    must(err->status == status);
    must(err->message[0] && memchr(err->message, 0, sizeof err->message));
}

void check_refused(int32_t status, const baton_error *err, const baton_array *array, int deleted)
{
    check_failed(status, err);
    must(!array && !deleted);
    must(baton_drain(world.runtime, 0, NULL, NULL) == BATON_OK);
}

void check_reach(uint64_t data, uint64_t offset, baton_array *array)
{
    baton_array_info info = { .struct_size = sizeof info };
    must(baton_array_info_read(array, &info, NULL) == BATON_OK);
    __int128 size = baton_dtype_size(info.dtype), low = (__int128)data + offset, high = low + size;
    if (!info.elements)
        return;
    for (int32_t i = 0; i < info.ndim; i++) {
        __int128 reach = info.shape[i] > 1 ? (__int128)(info.shape[i] - 1) * info.strides[i] * size : 0;
        *(reach < 0 ? &low : &high) += reach;
    }
    must(low >= 0 && high <= (__int128)UINT64_MAX + 1 && high - low == info.memory_bytes);
}

void world_make(void)
{
    static const int32_t kinds[] = { BATON_DEVICE, BATON_DEVICE, BATON_HOST, BATON_UNIFIED };
    baton_runtime_options options = { .struct_size = sizeof options, .driver = "soft:2" };
    soft_schedule(1);
    must(baton_runtime_open(&options, &world.runtime, NULL) == BATON_OK);
    must(baton_stream_create(world.runtime, 0, 0, 0, &world.stream, NULL) == BATON_OK);
    for (int i = 0; i < 4; i++) {
        int64_t count = WORLD_BYTES;
        baton_array_options array = { .struct_size = sizeof array, .device = i == 1, .kind = kinds[i], .dtype = BATON_U8, .ndim = 1, .shape = &count };
        must(baton_array_create(world.runtime, &array, &world.arrays[i], NULL) == BATON_OK);
        must(baton_array_pointer(world.arrays[i], world.stream, BATON_READ, &world.addresses[i], NULL) == BATON_OK);
    }
    for (int device = 0; device < 2; device++)
        must(baton_set_memory_limit(world.runtime, device, LIMIT_BYTES, NULL) == BATON_OK);
}

void world_end(void)
{
    baton_array_release_n(world.arrays, 4);
    baton_stream_release(world.stream);
    must(baton_runtime_close(world.runtime, NULL) == BATON_OK);
}

const char *fuzz_folder(void)
{
    const char *where = getenv("TMPDIR");
    if (!*folder) {
        snprintf(folder, sizeof folder, "%.200s/baton-fuzz.XXXXXX", where ? where : "/tmp");
        must(mkdtemp(folder));
    }
    return folder;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type;
    return where->level || ending ? remove(path) : 0;
}

void fuzz_folder_empty(void)
{
    nftw(fuzz_folder(), remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

static void end(void)
{
    fuzz_end();
    ending = 1;
    if (*folder)
        fuzz_folder_empty();
}

/* Not before the first input: a fuzzer may fork until then. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static int begun;
    struct input input = { .bytes = bytes, .count = count };
    if (!begun) {
        begun = 1;
        fuzz_begin();
        atexit(end);
    }
    fuzz_one(&input);
    return 0;
}
