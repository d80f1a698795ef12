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

/* Waits until ticket `ticket` of the stream has finished. No driver call when that is known already (H2). BATON_TIMEOUT leaves everything as it was. For a ticket
 * that is out of reach everything on the device is waited for, without a limit of time.
 * The stream is resolved. BATON_ERR_THREAD: see stream_mark_locked. */
int32_t wait_stream(baton_stream *stream, uint64_t ticket, const struct wait_how *how, baton_error *err);

/* Waits for a mark of that stream. */
int32_t wait_mark(baton_stream *stream, struct mark *mark, const struct wait_how *how, baton_error *err);

/* Waits for every stream of the device, also for those that the library does not know. */
int32_t wait_everything(struct device *device, const struct wait_how *how, baton_error *err);

/* BATON_OK when every stream that the library knows has finished, and the legacy stream, which waits for other people's blocking streams; BATON_NOT_READY, or an error:
 * never waits. */
int32_t query_everything(struct device *device);

/* BATON_OK or BATON_NOT_READY: one query, no waiting. */
int32_t wait_query(baton_stream *stream, struct mark *mark, int32_t operation, baton_error *err);

/* Waits for the stream as its runtime closes. `promised`: of a lent one, for what others may have put there since it was named, too. */
int32_t wait_closing(baton_stream *stream, int promised, baton_error *err);

/* BATON_ERR_ARGUMENT for an unknown mode. */
int32_t wait_mode_check(int32_t mode, baton_error *err);

#endif
