/* A timeline: who submitted what, and who waited for whom, one column per stream. */
#ifndef BATON_TOOLS_TIMELINE_H
#define BATON_TOOLS_TIMELINE_H

#include "baton.h"

enum { TIMELINE_ENTRIES = 32768, TIMELINE_STREAMS = 66 };

struct timeline {
    uint64_t streams[TIMELINE_STREAMS];     /* ids: the first uploads, the last downloads, filters between them */
    uint32_t stream_count;
    uint32_t count;
    baton_trace_entry *entries;             /* owned; the newest TIMELINE_ENTRIES up to the read */
};

/* Takes the runtime's trace and stops it. */
int32_t timeline_read(struct timeline *timeline, baton_runtime *runtime, baton_error *err);
void timeline_free(struct timeline *timeline);

/* Prints the first frame: on each stream, everything up to its first upload, launch or download. */
void timeline_print(const struct timeline *timeline);

#endif
