/* Runs files through a fuzz target without a fuzzer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { LONGEST = 4096 };

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

/* In memory that ends where the bytes end. */
static void run(const uint8_t *bytes, size_t count, uint64_t *state)
{
    uint8_t *own = malloc(count ? count : 1);
    must(own);
    memcpy(own, bytes, count);
    if (state)
        change(own, count, state);
    LLVMFuzzerTestOneInput(own, count);
    free(own);
}

static void run_file(const char *name, long rounds)
{
    uint8_t bytes[LONGEST];
    uint64_t state = 0x9E3779B97F4A7C15u;
    FILE *file = fopen(name, "rb");
    if (!file) {
        perror(name);
        exit(EXIT_FAILURE);
    }
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    run(bytes, count, NULL);
    for (long i = 0; i < rounds; i++)
        run(bytes, count, &state);
}

int main(int count, char **arguments)
{
    int first = 1;
    long rounds = 0;
    if (count > 2 && !strcmp(arguments[1], "-m")) {
        rounds = strtol(arguments[2], NULL, 10);
        first = 3;
    }
    for (int i = first; i < count; i++)
        run_file(arguments[i], rounds);
    printf("%d files, %ld versions of each\n", count - first, rounds + 1);
    return count > first ? EXIT_SUCCESS : EXIT_FAILURE;
}
