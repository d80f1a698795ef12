/* Copies where the stream's device cannot touch the memory: there is no peer access (S12). */
#ifndef BATON_WORK_BOUNCE_H
#define BATON_WORK_BOUNCE_H

#include "array/array.h"

/* Whether work on the stream's device cannot reach the array's memory. May enable peer access. */
int32_t bounce_needed(const baton_array *array, baton_stream *stream, int *needed, baton_error *err);

/* Copies between arrays of equal shape and type, each part on its own memory's device, through pinned memory where the parts do not meet. The host
 * waits for the stream before and for the copy after it, so that it stands in the stream's order. BATON_ERR_PEER, naming both devices, while the
 * stream is captured. */
int32_t bounce_copy(baton_array *to, baton_array *from, baton_stream *stream, baton_error *err);

#endif
