/* The thread behind fence descriptors: started by the first descriptor of a runtime, it queries the fences it was given and makes their descriptors
 * readable. It runs no code of the embedder and blocks all signals. */
#ifndef BATON_STREAM_WATCH_H
#define BATON_STREAM_WATCH_H

#include "stream/fence.h"

/* Watches the fence, holding one reference, until it settles. */
int32_t watch_add(baton_runtime *runtime, baton_fence *fence, baton_error *err);

/* Settles what is left and ends the thread. */
void watch_stop(baton_runtime *runtime);

#endif
