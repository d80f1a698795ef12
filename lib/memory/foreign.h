/* Memories in the hands of code that the library does not submit (P1, P2, P4), and waiting for one memory on the host (O7). */
#ifndef BATON_MEMORY_FOREIGN_H
#define BATON_MEMORY_FOREIGN_H

#include "memory/memory.h"
#include "stream/wait.h"

/* Host-waits until every use has finished, other than on `except` (may be NULL); readers do not matter with writes_only. The wait is done with no lock held.
 * BATON_ERR_SCOPE_OPEN when this thread's own scope holds the lock. */
int32_t memory_wait(struct memory *memory, baton_stream *except, int writes_only, const struct wait_how *how, baton_error *err);

/* P1: waits for other streams' uses and for what is pending, then s (resolved) is the owner, and the memory is escaped on it. While s is captured the foreign
 * work goes into the graph: the memory joins its set, and nothing is waited for or taken (C4, C11). */
int32_t memory_expose(struct memory *memory, baton_stream *s, uint32_t access, baton_error *err);

/* Foreign work on s, submitted before this call, used the memory: s follows its other uses and is its owner, and the memory is escaped on s (P4). */
int32_t memory_note_use(struct memory *memory, baton_stream *s, baton_error *err);

/* BATON_OK, or BATON_NOT_READY: never waits. */
int32_t memory_query(struct memory *memory, baton_error *err);

/* A fence over every unfinished use. */
int32_t memory_fence(struct memory *memory, baton_fence **fence, baton_error *err);

#endif
