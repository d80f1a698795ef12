#include "fuzz.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 4096, PATIENCE = 1000000 };

struct world world;
static long taken, refused;

void fuzz_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();                    /* what a fuzzer looks for */
}

void take(struct input *input, void *value, size_t bytes)
{
    size_t left = input->count - input->at, got = left < bytes ? left : bytes;
    memset(value, 0, bytes);
    memcpy(value, input->bytes + input->at, got);
    input->at += got;
}

uint8_t take_byte(struct input *input)
{
    uint8_t byte;
    take(input, &byte, 1);
    return byte;
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

void give_back(baton_array *array, const int *deleted, int wanted)
{
    taken++;
    baton_array_release(array);
    for (int left = PATIENCE; *deleted < wanted && left; left--) {
        must(baton_drain(world.runtime, 0, NULL, NULL) == BATON_OK);
        sched_yield();
    }
    must(baton_drain(world.runtime, 0, NULL, NULL) == BATON_OK);
    must(*deleted == wanted);
}

void check_refused(int32_t status, const baton_error *err, const baton_array *array, int deleted)
{
    refused++;
    must(status < 0 && err->status == status);
    must(err->message[0] && memchr(err->message, 0, sizeof err->message));
    must(!array && !deleted);
    must(baton_drain(world.runtime, 0, NULL, NULL) == BATON_OK);
}

static void world_make(void)
{
    static const int32_t kinds[] = { BATON_DEVICE, BATON_DEVICE, BATON_HOST, BATON_UNIFIED };
    baton_runtime_options options = { .struct_size = sizeof options, .driver = "soft:2" };
    must(baton_runtime_open(&options, &world.runtime, NULL) == BATON_OK);
    must(baton_stream_create(world.runtime, 0, 0, 0, &world.stream, NULL) == BATON_OK);
    for (int i = 0; i < 4; i++) {
        int64_t count = 512;
        baton_array_options array = { .struct_size = sizeof array, .device = i == 1, .kind = kinds[i], .dtype = BATON_U8, .ndim = 1, .shape = &count };
        must(baton_array_create(world.runtime, &array, &world.arrays[i], NULL) == BATON_OK);
        must(baton_array_pointer(world.arrays[i], world.stream, BATON_READ, &world.addresses[i], NULL) == BATON_OK);
    }
}

static void world_end(void)
{
    baton_array_release_n(world.arrays, 4);
    baton_stream_release(world.stream);
    must(baton_runtime_close(world.runtime, NULL) == BATON_OK);
}

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* A few bytes become others: flipped, or numbers at the edges of what they mean. */
static void change(uint8_t *bytes, size_t count, uint64_t *state)
{
    static const uint8_t edges[] = { 0, 1, 2, 0x7F, 0x80, 0xFF };
    for (uint64_t left = 1 + next(state) % 6; left && count; left--) {
        uint64_t random = next(state);
        size_t at = (size_t)(random >> 8) % count, most = (random & 7) == 7 ? 8 : 1;
        uint8_t value = random & 8 ? edges[(random >> 40) % sizeof edges] : (uint8_t)(random >> 48);
        for (size_t i = at; i < count && i < at + most; i++)
            bytes[i] = value;
    }
}

static void run_file(const char *name, long rounds)
{
    uint8_t original[LONGEST], changed[LONGEST];
    uint64_t state = 0x9E3779B97F4A7C15u;
    FILE *file = fopen(name, "rb");
    if (!file) {
        perror(name);
        exit(EXIT_FAILURE);
    }
    size_t count = fread(original, 1, sizeof original, file);
    fclose(file);
    fuzz_one(&(struct input) { .bytes = original, .count = count });
    for (long i = 0; i < rounds; i++) {
        memcpy(changed, original, count);
        change(changed, count, &state);
        fuzz_one(&(struct input) { .bytes = changed, .count = count });
    }
}

int main(int count, char **arguments)
{
    int first = 1;
    long rounds = 0;
    if (count > 2 && !strcmp(arguments[1], "-m")) {
        rounds = strtol(arguments[2], NULL, 10);
        first = 3;
    }
    world_make();
    for (int i = first; i < count; i++)
        run_file(arguments[i], rounds);
    world_end();
    printf("%d files, %ld versions of each: %ld taken in, %ld refused\n", count - first, rounds + 1, taken, refused);
    return count > first ? EXIT_SUCCESS : EXIT_FAILURE;
}
