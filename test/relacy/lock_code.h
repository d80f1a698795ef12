/* The lock's code, in a translation unit of its own, so that a changed version compiles quickly. */
#ifndef BATON_TEST_RELACY_LOCK_CODE_H
#define BATON_TEST_RELACY_LOCK_CODE_H

#include "c11.h"

#include "base/status.h"
#include "translated/lock.h"

extern int has_membarrier;          /* whether the system has it */
extern int patience;                /* LOCK_PATIENCE */

/* What lock.c has once in a process is new for each execution. */
struct world;
struct world *world_new();
void world_free(struct world *world);

/* The functions that lock.h has inline. */
int code_try(struct lock *lock, uint64_t token);
void code_release(struct lock *lock);
uint64_t code_holder(const struct lock *lock);
int code_is_free(const struct lock *lock);
int code_nobody_parked();

#endif
