/* A fence: a snapshot of work that can be asked about, waited for with a limit, or polled through a descriptor. */
#ifndef BATON_STREAM_FENCE_H
#define BATON_STREAM_FENCE_H

#include "stream/stream.h"

struct use {
    baton_stream *stream;
    uint64_t ticket;
    int stands_for_others;      /* the stream follows, on the device only, uses that are named nowhere else any more (S6) */
};

/* A fence over the uses, whose streams it retains; one reference for the caller. Records where no mark covers a use yet. Uses that are known to be finished
 * are left out. Driver calls, no waiting. */
int32_t fence_make(baton_runtime *runtime, const struct use *uses, uint32_t count, baton_fence **fence, baton_error *err);

/* For the thread behind the descriptors: queries; when the answer is final, makes the descriptor readable and returns true. */
int fence_settle(baton_fence *fence);

#endif
