/* Any bytes as a file of the compiler's cache. BATON_CUDA_LIBRARY and BATON_NVRTC_LIBRARY name the stand-ins (test/fake_cuda.c, test/fake_nvrtc.c). */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/store.h"
#include "fuzz.h"

enum { NAME = 64, ROOM = 1 << 16, START = 56, CHECKED_FROM = 24 };    /* of a file: its header, and where what is checked begins */

static const char *const expressions[] = { "twice<int>" };
static const char source[] = ".version kernel twice";
static char file_path[512], folder[300];
static uint8_t kept[ROOM];
static size_t kept_bytes;
static uint64_t key_bytes;

static baton_compile_options compile_options(void)
{
    return (baton_compile_options) { .struct_size = sizeof(baton_compile_options), .expressions = expressions, .expression_count = 1, .cache = folder };
}

/* The driver knows from a cubin's header how long it is; its stand-in looks for text behind the header, and for the zero that ends it. */
static size_t with_text(uint8_t *image, size_t length)
{
    if (length && length <= sizeof(Elf64_Ehdr))
        length = sizeof(Elf64_Ehdr) + 1;
    if (length)
        image[length - 1] = '\0';
    return length;
}

/* A file like one that the library wrote, with these parts; its header is right but where a flag says otherwise. */
static size_t build(struct input *input, uint8_t *file)
{
    uint8_t flags = take_byte(input);
    uint64_t bytes, check, part_bytes[STORE_PARTS];
    size_t at = START + key_bytes;
    memcpy(file, kept, at);
    for (int i = 0; i < STORE_PARTS; i++) {
        uint8_t part[256] = { 0 };
        size_t length = take_byte(input);
        take(input, part, length);
        if (i == 0 && *part != '.')
            length = with_text(part, length);
        memcpy(file + at, part, length);
        at += length;
        part_bytes[i] = flags & 1 << i ? (uint64_t)take_number(input) : length;
    }
    bytes = flags & 8 ? (uint64_t)take_number(input) : at;
    memcpy(file + 8, &bytes, 8);
    memcpy(file + 32, part_bytes, sizeof part_bytes);
    if (flags & 16)
        file[take_byte(input) % (START + key_bytes)] ^= take_byte(input);
    check = flags & 32 ? (uint64_t)take_number(input) : bytes_hash(file + CHECKED_FROM, at - CHECKED_FROM, 0);
    memcpy(file + 16, &check, 8);
    return flags & 64 ? at % (take_byte(input) + 1u) : at;
}

static void put(const uint8_t *bytes, size_t count)
{
    int file = open(file_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(file >= 0 && write(file, bytes, count) == (ssize_t)count && !close(file));
}

/* What the store gives out is what such a file has. */
static void check_store(const uint8_t *bytes, size_t count)
{
    struct store store;
    struct bytes key = { .data = kept + START, .count = key_bytes, .capacity = key_bytes }, parts[STORE_PARTS];
    store_open(&store, folder, ROOM);
    must(store.directory >= 0);
    if (store_read(&store, &key, parts)) {
        size_t at = START + key_bytes;
        for (int i = 0; i < STORE_PARTS; i++) {
            must(at + parts[i].count <= count && !memcmp(parts[i].data, bytes + at, parts[i].count));
            at += parts[i].count;
            bytes_clear(&parts[i]);
        }
        must(at == count);
    }
    store_close(&store);
}

/* Whatever the file is, the source compiles, and its kernel is found or not: no more. */
static void check_compile(void)
{
    baton_compile_options options = compile_options();
    baton_error err = BATON_ERROR_INIT;
    baton_module *module;
    baton_kernel *kernel;
    int32_t status = baton_module_compile(world.runtime, 0, source, &options, &module, &err);
    if (status)
        fprintf(stderr, "%s\n", err.message);
    must(status == BATON_OK);
    status = baton_module_kernel(module, expressions[0], &kernel, &err);
    if (status)
        check_failed(status, &err);
    else
        baton_kernel_release(kernel);
    baton_module_release(module);
    must(baton_drain(world.runtime, 0, NULL, NULL) == BATON_OK);
}

void fuzz_one(struct input *input)
{
    static uint8_t file[ROOM];
    size_t count;
    if (take_byte(input) % 4) {
        count = build(input, file);
    } else {
        uint8_t *rest = take_rest(input, ROOM, &count);
        memcpy(file, rest, count);
        free(rest);
    }
    put(file, count);
    check_store(file, count);
    check_compile();
}

/* The library writes the first file, which shows the name and the key. */
static void learn(void)
{
    FILE *list;
    char command[400], name[NAME] = "";
    check_compile();
    snprintf(command, sizeof command, "ls '%s'", folder);
    must((list = popen(command, "re")) && fscanf(list, "%63s", name) == 1 && !pclose(list));
    snprintf(file_path, sizeof file_path, "%s/%s", folder, name);
    int file = open(file_path, O_RDONLY | O_CLOEXEC);
    kept_bytes = file < 0 ? 0 : (size_t)read(file, kept, sizeof kept);
    must(kept_bytes > START && !close(file));
    memcpy(&key_bytes, kept + CHECKED_FROM, 8);
    must(START + key_bytes < kept_bytes);
}

void fuzz_begin(void)
{
    baton_runtime_options options = { .struct_size = sizeof options, .driver = "cuda" };
    snprintf(folder, sizeof folder, "%s", fuzz_folder());
    must(baton_runtime_open(&options, &world.runtime, NULL) == BATON_OK);
    learn();
}

void fuzz_end(void)
{
    must(baton_runtime_close(world.runtime, NULL) == BATON_OK);
}
