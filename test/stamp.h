/* Work that leaves evidence: kernels which compute on what they really find, so that an order that was lost shows as wrong data. What they write for the
 * host lies in memory that the device reaches, which shared_new gives. */
#ifndef BATON_TEST_STAMP_H
#define BATON_TEST_STAMP_H

#include "baton.h"

enum { STAMP_ELEMENTS = 4 };    /* u64 elements of every array that the kernels work on, all equal */

/* One launch's witness: what it must find, and what it found. Zero `expected` and `found` before the launch; alive until it has run. */
struct stamp {
    uint64_t operation;
    uint64_t expected, found;
};

struct stamp_kernels {
    baton_kernel *mix;          /* (out to, in a, in b, value stamp *) */
    baton_kernel *update;       /* (inout to, in a, value stamp *) */
    baton_kernel *observe;      /* (in a, value stamp *) */
    baton_kernel *bump;         /* (inout to, value _Atomic uint64_t *torn): adds one to each element, unequal elements are torn */
    baton_kernel *peek;         /* (in a, value _Atomic uint64_t *torn) */
};

int32_t stamp_kernels_make(baton_runtime *runtime, int32_t device, struct stamp_kernels *kernels, baton_error *err);
void stamp_kernels_release(struct stamp_kernels *kernels);

/* Zeroed pinned memory, under the address that the device has for it too. */
void *shared_new(baton_runtime *runtime, uint64_t bytes, baton_array **owner);

/* What mix and update leave behind, and what a stamp finds: a value that depends on everything that was read. */
uint64_t stamp_mixed(uint64_t operation, uint64_t a, uint64_t b);

/* splitmix64 */
uint64_t stamp_random(uint64_t *state);

#endif
