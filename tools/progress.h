/* A line on a terminal that says how far a long run is. Nothing is written to files and pipes. */
#ifndef BATON_TOOLS_PROGRESS_H
#define BATON_TOOLS_PROGRESS_H

#include <stdint.h>

/* Zeroed at the start; used by one thread at a time. */
struct progress {
    uint64_t shown_ns;      /* when the line was written last; 0: never */
};

/* Frame `frame` of `frames` is done; counted from 0. */
void progress_show(struct progress *progress, uint32_t frame, uint32_t frames);
/* Wipes the line. */
void progress_clear(const struct progress *progress);

#endif
