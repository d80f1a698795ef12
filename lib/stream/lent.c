/* Lent streams. Protocols name a consumer's or a producer's stream by its number, and promise that it lives during the call, no longer: a handle that was destroyed
 * crashes the driver, or stands for somebody else's stream by now.
 *
 *      call that names it          other calls                            call that names it
 *      ---- record ---- work record ---- follow the record, never touch ---- record ---- ...
 *
 * So the stream is recorded whenever it is named, and again behind each submission of the library's: what the library has put there is followed by that event, for which
 * the stream need not live. What others have put there since lies behind no event. It has a ticket that nobody has drawn (stream_foreign_ticket), which the next
 * naming call draws and records; until then it is followed by waiting, on the host, for all that is on the device.
 *
 * With something that keeps it alive (baton_stream_keep), the stream is one like any other from outside. */
#include "stream/stream.h"

int32_t lent_named(baton_stream *stream, baton_error *err)
{
    int capturing = 0;
    int32_t status = stream_foreign_capture(stream, &capturing, err);
    if (status || capturing)
        return status;
    stream_lock(stream);
    if (!stream->capture) {
        stream_ticket(stream, BATON_OP_FOREIGN);
        status = stream_record_locked(stream, err);
    }
    stream_unlock(stream);
    return status;
}

/* Nonzero when the stream was lent until now. A ticket is drawn that is behind all that were promised. */
static int take_over(baton_stream *stream, baton_deleter deleter, void *user)
{
    stream_lock(stream);
    int lent = stream_lent(stream);
    if (lent) {
        stream->deleter = deleter;
        stream->user = user;
        stream_ticket(stream, BATON_OP_FOREIGN);
        atomic_store_explicit(&stream->lent, 0, memory_order_release);
    }
    stream_unlock(stream);
    return lent;
}

int32_t baton_stream_keep(baton_stream *stream, baton_deleter deleter, void *user, baton_error *err)
{
    int32_t status = stream_check(stream, err);
    if (!status && !take_over(stream, deleter, user) && deleter)
        deleter(user, (uint64_t)(uintptr_t)stream->native);
    return status;
}

int32_t baton_stream_lent(baton_stream *stream, int32_t *lent, baton_error *err)
{
    int32_t status = handle_check(stream ? &stream->handle : NULL, HANDLE_STREAM, "stream", err);
    if (status)
        return status;
    if (!lent)
        return fail(err, BATON_ERR_ARGUMENT, "lent is NULL");
    *lent = stream_lent(stream);
    return BATON_OK;
}
