/* The only place where the host waits for the device. No memory lock and no lock of the runtime's language is held here (H4). */
#ifndef BATON_STREAM_WAIT_H
#define BATON_STREAM_WAIT_H

#include "stream/stream.h"

#define WAIT_FOREVER UINT64_MAX

struct wait_how {
    int32_t mode;           /* BATON_WAIT_... */
    int32_t cause;          /* BATON_HOST_WAIT_...: what the statistics call it */
    uint64_t deadline_ns;   /* on process_now()'s clock, or WAIT_FOREVER */
    int32_t operation;      /* for error records */
    uint64_t task;          /* the waiting task's tag; 0: unknown (C3) */
};

/* Waits until ticket `ticket` of the stream has finished. No driver call when that is known already (H2). BATON_TIMEOUT leaves everything as it was.
 * The stream is resolved. BATON_ERR_THREAD: see stream_mark_locked. */
int32_t wait_stream(baton_stream *stream, uint64_t ticket, const struct wait_how *how, baton_error *err);

/* Waits for a mark of that stream. */
int32_t wait_mark(baton_stream *stream, struct mark *mark, const struct wait_how *how, baton_error *err);

/* Waits for every stream of the device that the library knows, and for the legacy stream, which waits for other people's blocking streams. */
int32_t wait_everything(struct device *device, const struct wait_how *how, baton_error *err);

/* BATON_OK when all of that has finished, BATON_NOT_READY, or an error: never waits. */
int32_t query_everything(struct device *device);
/* BATON_OK when the use has finished. On a stream that may hold work without tickets: when all that it was given has, without an event that would be newer each time. */
int32_t query_use(baton_stream *stream, uint64_t ticket);

/* BATON_OK or BATON_NOT_READY: one query, no waiting. */
int32_t wait_query(baton_stream *stream, struct mark *mark, int32_t operation, baton_error *err);

/* BATON_ERR_ARGUMENT for an unknown mode. */
int32_t wait_mode_check(int32_t mode, baton_error *err);

#endif
