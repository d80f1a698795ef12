/* What the files of a memory's life share. Not for other folders. Nobody else can use the memory meanwhile: it has no references, or was disposed of. */
#ifndef BATON_MEMORY_MEMORY_PARTS_H
#define BATON_MEMORY_MEMORY_PARTS_H

#include "memory/memory.h"

/* Gives the bytes back, or a nonzero status: too early, or the driver refused for now. */
int32_t memory_retire(struct memory *memory);

/* BATON_OK when every use has finished. Never waits: asks the driver once per unfinished use. */
int32_t memory_finished(struct memory *memory);

void memory_forget_uses(struct memory *memory);

/* The first of `count` numbers that no memory has had. */
uint64_t memory_ids(uint64_t count);

/* The end of the struct, and of what it keeps for the next array. */
void memory_free(struct memory *memory);

#endif
