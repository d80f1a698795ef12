/* Looking things up in the driver's journal. */
#ifndef BATON_TEST_JOURNAL_H
#define BATON_TEST_JOURNAL_H

#include "support.h"

/* How many calls of `row` there were on that native stream (NULL: any) after call number `after`. *last, unless NULL,
 * becomes the newest one's number. */
size_t journal_find(enum driver_row row, const void *stream, uint64_t after, uint64_t *last);

/* How many calls of `row` named that native event. */
size_t journal_event(enum driver_row row, const void *event);

/* The stream's native handle, as the journal names it; the stream is not marked as exposed. */
const void *stream_handle(baton_stream *stream);

#endif
