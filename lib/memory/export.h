/* A live export (P5): a consumer outside the library that may use the memory at any time until it gives it back. */
#ifndef BATON_MEMORY_EXPORT_H
#define BATON_MEMORY_EXPORT_H

#include "memory/memory.h"

struct export;

/* With s (resolved), its stream is made to follow the memory's uses on the device; with NULL the host waits for them, and the consumer counts as being on
 * every stream. Retains the memory until the export has ended. */
int32_t export_make(struct memory *memory, baton_stream *s, struct export **export, baton_error *err);

/* The consumer sees to the order itself: nothing waits for anything now. Afterwards it counts as being on every stream. */
int32_t export_make_unordered(struct memory *memory, struct export **export, baton_error *err);

/* The consumer only reads, with the host: waits for the last write. Later reads do not wait for it. */
int32_t export_make_read(struct memory *memory, struct export **export, baton_error *err);

/* The consumer only reads, on a stream that is not known, behind an event of its own: recorded behind everything that it has to follow, and destroyed some time
 * after the export has ended. The host does not wait, but where it would for a read on the device (S9, S10). */
int32_t export_make_event(struct memory *memory, struct export **export, baton_error *err);

/* That event; the place keeps its address. */
driver_event *export_event(struct export *export);

/* The consumer's stream, or NULL. */
baton_stream *export_stream(const struct export *export);

/* An export to a stream that may have fallen behind: its stream follows all that has used the memory since. */
int32_t export_follow(struct export *export, baton_error *err);

/* Whether the export is of this memory. */
int export_is_of(const struct export *export, const struct memory *memory);

/* `older` (NULL: none) ends when `export` does. */
void export_chain(struct export *export, struct export *older);

/* The stream that used the memory last, retained; NULL when there is none on which others can be ordered now: per-thread, lent, or captured by
 * the library. */
int32_t export_owner(struct memory *memory, baton_stream **owner, baton_error *err);

/* The consumer is done; NULL is allowed. Any thread, any state: no lock, no driver call; what follows happens at a drain. */
void export_end(struct export *export);

#endif
