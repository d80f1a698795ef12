/* What the fuzz targets share: a target turns any bytes into a structure from outside, has it taken in, and checks what must hold whatever it is.
 *
 *      target [-m ROUNDS] FILE...      runs each file, and ROUNDS changed versions of it; the same ones each time
 *
 * A fuzzer that writes files (AFL++: afl-fuzz -i corpus/TARGET -o out ./TARGET @@) needs nothing more. */
#ifndef BATON_TEST_FUZZ_H
#define BATON_TEST_FUZZ_H

#include "baton.h"

/* Memory of every kind, and a stream, for pointers that are right. */
struct world {
    baton_runtime *runtime;
    baton_stream *stream;
    baton_array *arrays[4];             /* device 0, device 1, pinned, unified */
    uint64_t addresses[4];
};
extern struct world world;

struct input {
    const uint8_t *bytes;
    size_t count, at;
};

/* The next bytes of the input; zeros behind its end. */
void take(struct input *input, void *value, size_t bytes);
uint8_t take_byte(struct input *input);
/* An address: none, ordinary memory, one of the world's, or any number; sometimes shifted. */
void *take_address(struct input *input);

/* Gives the array back, and drains until *deleted rises, when it has to. */
void give_back(baton_array *array, const int *deleted, int wanted);

/* What every refusal owes the caller. */
void check_refused(int32_t status, const baton_error *err, const baton_array *array, int deleted);

#define must(condition) ((condition) ? (void)0 : fuzz_failed(#condition, __FILE__, __LINE__))
void fuzz_failed(const char *condition, const char *file, int line);

/* The target's. */
void fuzz_one(struct input *input);

#endif
