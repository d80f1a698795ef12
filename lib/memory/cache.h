/* Blocks that were released and wait to be used again: each is a memory whose last uses are known, handed out as it is.
 *
 * A block is handed to a stream that need not wait for it: its own last one, one that already follows it on the device, or any when its uses have
 * finished. The rules of a hand-over (S4, S6) then find nothing to wait for. A block that is still busy elsewhere would tie two streams together that have nothing to
 * do with each other: it is handed out only when the device has no room for a new one, and then those rules order its first use.
 *
 * Pinned and unified memory is kept too, once its uses have finished: the driver frees it only when the whole device is idle, and a drain must not wait for that. */
#ifndef BATON_MEMORY_CACHE_H
#define BATON_MEMORY_CACHE_H

#include "memory/memory.h"

enum { CACHE_GRAIN = 512 };     /* bytes: the driver hands out no less */

/* Takes the memory in, whose last reference is gone, and its reference on the runtime: nonzero when it did. */
int cache_put(struct memory *memory, enum cache_how how);

/* A block for options->bytes, with one reference for the caller, or NULL. CACHE_ANY: also one that is busy elsewhere. */
struct memory *cache_take(const struct memory_options *options, enum cache_how how);

/* Gives the oldest blocks back to the pool until keep_bytes are left, or those that remain cannot be given back now. */
void cache_shrink(struct device *device, uint64_t keep_bytes);

#endif
