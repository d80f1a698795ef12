/* Bytes from the driver and back, the limits, and the out-of-memory ladder (doc/memory.md). */
#ifndef BATON_MEMORY_POOL_H
#define BATON_MEMORY_POOL_H

#include "memory/memory.h"

/* Allocates; device memory in the order of options->stream. Climbs the ladder when memory is short: drains what was released, waits for frees in flight, asks
 * the embedder to collect, trims the pool. No lock is held. BATON_OOM_RETRY with BATON_ALLOC_NO_HOOK. Counts the bytes as held.
 * *ticket is the allocation's on the stream (device memory), else 0. BATON_ERR_CAPTURE when the stream is being captured: take another (C9). */
int32_t pool_alloc(const struct memory_options *options, uint64_t *address, uint64_t *ticket, baton_error *err);

/* Room for `bytes` under the device's limit: counts them as held, or says no. */
int pool_reserve(struct device *device, uint64_t bytes);

/* The same question without counting anything. */
int pool_has_room(const struct memory_options *options);

/* Gives the bytes back: device memory in `stream`'s order, the other kinds at once. On failure nothing was given back: try again later. What is lost with its
 * context counts as given back. charge: what the device's account holds for them. */
int32_t pool_free(struct device *device, int32_t kind, uint64_t address, uint64_t charge, baton_stream *stream);

#endif
