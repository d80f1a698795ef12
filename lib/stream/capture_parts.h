/* What the files of captures share. Not for other folders. */
#ifndef BATON_STREAM_CAPTURE_PARTS_H
#define BATON_STREAM_CAPTURE_PARTS_H

#include "stream/capture.h"

/* Holds new submissions on the stream back and waits for those under way; BATON_ERR_BUSY when they do not end. */
int32_t submission_hold(baton_stream *stream, baton_error *err);
void submission_release(baton_stream *stream);

/* Takes room for one more stream, so that joining cannot fail once the driver has joined it. */
int32_t capture_reserve(struct capture *capture, baton_error *err);

/* The stream takes part from now on. Room was reserved; submissions are held and the stream's lock too. */
void capture_add(struct capture *capture, baton_stream *stream);

/* The event through which others follow the stream's earlier work. The stream's lock is held, and no submission is under way. */
int32_t capture_mark_locked(baton_stream *stream, baton_error *err);

#endif
