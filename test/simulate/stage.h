/* What simulated programs act on, and those that are printed: handles by number, and the small things that stand around a call. It uses the public
 * interface, and the software device's helpers for tests. */
#ifndef BATON_TEST_SIMULATE_STAGE_H
#define BATON_TEST_SIMULATE_STAGE_H

#include <stddef.h>
#include <stdint.h>

#include "baton.h"
#include "driver/instrument.h"
#include "driver/soft/soft.h"

#include "turns.h"

enum { ARRAYS = 12, STREAMS = 8, GRAPHS = 4, FENCES = 4, EXPORTS = 4, PLACES = 4, LONGEST = 32 };

extern baton_runtime *rt;
extern baton_array *a[ARRAYS];
extern baton_stream *s[STREAMS];
extern baton_scope *scope[TURNS_TASKS];
extern baton_operand held[TURNS_TASKS][2];      /* operands of the task's scope */
extern baton_graph *g[GRAPHS];
extern baton_executable *x[GRAPHS];
extern baton_fence *f[FENCES];
extern void *m[EXPORTS];                        /* DLPack tensors */
extern uint64_t native[STREAMS], address[ARRAYS];
extern int32_t (*place)[LONGEST];               /* PLACES of them, pinned: where downloads go */
extern baton_error error;

struct arrow_pair {
    uint64_t array[16], schema[9];              /* ArrowDeviceArray and ArrowSchema */
};
extern struct arrow_pair arrow[EXPORTS];

#define ARRAY_WITH(flags_, device_, kind_, count_, stream_) (&(baton_array_options) { .struct_size = sizeof(baton_array_options), .flags = flags_, \
    .device = device_, .kind = kind_, .dtype = BATON_I32, .ndim = 1, .shape = &(int64_t) { count_ }, .stream = stream_ })
#define ARRAY(device_, kind_, count_, stream_) ARRAY_WITH(0, device_, kind_, count_, stream_)
#define AT_ONCE(device_, kind_, count_, stream_) ARRAY_WITH(BATON_ALLOC_TRY, device_, kind_, count_, stream_)
#define SLICE(start_, count_, step_) (&(baton_view_options) { .struct_size = sizeof(baton_view_options), .ndim = 1, .start = &(int64_t) { start_ }, \
    .count = &(int64_t) { count_ }, .step = &(int64_t) { step_ } })
#define IN(array_) (&(baton_argument) { .array = array_, .access = BATON_READ })
#define VALUE(value_) (&(baton_argument) { .data = &(int32_t) { value_ }, .bytes = 4 })

/* Opens the runtime on two software devices whose order of work is drawn from the seed. flags: BATON_RUNTIME_...; the hook lets tasks take turns while one waits
 * (yield), or is called around waits (before_block, after_block). */
void stage_open(uint64_t seed, uint32_t flags, int32_t (*hook)(void *user), int yields);
/* What is left in the tables is released, the runtime closed before that or after it. "" or what is wrong: a leak, a race, a deleter not called. A lost device
 * keeps what it had given out. */
const char *stage_close(int runtime_first, int lost);

/* Calls of the library that no table holds. */
int32_t mix(baton_scope *in, baton_array *to, baton_array *left, baton_array *right, int32_t k, baton_stream *stream);    /* to = 3 * left + 5 * right + k */
int32_t wrap(int array, int count, baton_stream *stream);                       /* memory of malloc, with a deleter */
int32_t upload(baton_array *to, int32_t first, int32_t step, int count, baton_stream *stream);
int32_t managed(baton_array *array, int32_t value, int count, baton_stream *stream);   /* baton_with_managed, and foreign work in it */
int32_t exchange(baton_array *array, int32_t value, baton_stream *stream);      /* out through DLPack and in again, and filled */
int32_t arrow_out(baton_array *array, int number);
int32_t arrow_end(int number);
int32_t tensor_end(int number);
uint64_t tensor_address(int number);
/* Work that the library is not told of. */
int32_t foreign_fill(uint64_t to, int32_t value, int count, int device, uint64_t stream);
/* A stream that the library does not keep, by its number; and its end, which the library is not told of. */
int32_t adopt(int stream, int device);
int32_t lent_end(int stream);
/* Released by whoever next waits, or by garbage_collect. */
void garbage(baton_array *array);
int32_t garbage_collect(void);
/* What the library's hooks do here: collect garbage, and let another task run. */
int32_t stage_hook(void *user);

/* Programs that are printed: the status must be among the allowed ones, bits as MAY has them. */
#define MAY(status) ((uint64_t)1 << (8 - (status)))
#define may(call, allowed) stage_check((call), (allowed), #call, __LINE__)
void stage_check(int32_t status, uint64_t allowed, const char *call, int line);
int stage_end(const char *left);        /* what stage_close has said, as an exit status */
void expect(const int32_t *found, const char *expected, int line);     /* numbers, or ? where anything may be */

#endif
