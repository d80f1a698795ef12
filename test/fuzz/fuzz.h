/* What the fuzz targets share: a target turns any bytes into what comes from outside, has it read, and checks what must hold whatever it is.
 *
 *      target [-m ROUNDS] FILE...      runs each file, and ROUNDS changed versions of it; the same ones each time (main.c)
 *
 * scripts/fuzz builds the targets for libFuzzer or AFL++ instead, which know LLVMFuzzerTestOneInput. */
#ifndef BATON_TEST_FUZZ_H
#define BATON_TEST_FUZZ_H

#include "baton.h"

/* Memory of every kind, and a stream, for pointers that are right. The device's work runs on the calling thread. */
struct world {
    baton_runtime *runtime;
    baton_stream *stream;
    baton_array *arrays[4];             /* device 0, device 1, pinned, unified */
    uint64_t addresses[4];
};
extern struct world world;
void world_make(void);
void world_end(void);

struct input {
    const uint8_t *bytes;
    size_t count, at;
};

/* The next bytes of the input; zeros behind its end. */
void take(struct input *input, void *value, size_t bytes);
uint8_t take_byte(struct input *input);
/* A number that is often small, often at an edge, and sometimes any. */
int64_t take_number(struct input *input);
/* An address: none, ordinary memory, one of the world's, or any number; sometimes shifted. */
void *take_address(struct input *input);
/* What is left, or the next `most` bytes of it, in memory that ends where it ends; the _text is terminated, and has no other zero. To be freed. */
uint8_t *take_rest(struct input *input, size_t most, size_t *count);
char *take_text(struct input *input, size_t most);

/* A copy of *own, which has `known` bytes, with any struct_size (also put into *own), in memory that ends there; what is behind the known part is
 * nearly always zero. Of one that is filled in and has an absurd size, the known part is there, of one that is read nothing but the size. To be freed. */
enum direction { FILLED_IN, READ };
void *take_struct(struct input *input, enum direction direction, void *own, uint32_t known);
/* Whether the last one that is read has something set behind what is known: the call must say BATON_ERR_VERSION. */
extern int take_struct_unknown;

/* What was taken in over [data + offset, ...) lies in the address space as a whole, and its memory has just the bytes that its elements reach. */
void check_reach(uint64_t data, uint64_t offset, baton_array *array);

/* Gives the array back, and drains until *deleted rises, when it has to. */
void give_back(baton_array *array, const int *deleted, int wanted);

/* What every failure owes the caller; and, of a structure that was refused, that it is still the caller's. */
void check_failed(int32_t status, const baton_error *err);
void check_refused(int32_t status, const baton_error *err, const baton_array *array, int deleted);

/* A folder of this process's own, removed at the end, or emptied before. */
const char *fuzz_folder(void);
void fuzz_folder_empty(void);

#define must(condition) ((condition) ? (void)0 : fuzz_failed(#condition, __FILE__, __LINE__))
_Noreturn void fuzz_failed(const char *condition, const char *file, int line);

/* The target's: before the first input, for each, and at the end. */
void fuzz_begin(void);
void fuzz_one(struct input *input);
void fuzz_end(void);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

#endif
