/* A live export (P5): a consumer outside the library that may use the memory at any time until it gives it back. */
#ifndef BATON_MEMORY_EXPORT_H
#define BATON_MEMORY_EXPORT_H

#include "memory/memory.h"

struct export;

/* With s (resolved), its stream is made to follow the memory's uses on the device; with NULL the host waits for them, and the consumer counts as being on
 * every stream. Retains the memory until the export has ended. */
int32_t export_make(struct memory *memory, baton_stream *s, struct export **export, baton_error *err);

/* The consumer is done. Any thread, any state: no lock, no driver call; what follows happens at a drain. */
void export_end(struct export *export);

#endif
