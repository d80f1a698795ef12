/* Submissions against the turns of captures (C1): many may be under way on a stream, and none while a capture begins or ends there. */
#include <sched.h>

#include "stream/capture_parts.h"

struct capture *submission_enter(baton_stream *stream)
{
    for (;;) {
        atomic_fetch_add(&stream->progress, 1);
        if (!atomic_load(&stream->turning))
            return stream_tracked(stream) ? stream->capture : NULL;     /* stays: whoever changes it waits for this submission */
        atomic_fetch_sub(&stream->progress, 1);
        sched_yield();
    }
}

void submission_leave(baton_stream *stream)
{
    atomic_fetch_sub(&stream->progress, 1);
}

static int under_way(baton_stream *stream)
{
    return (atomic_load(&stream->progress) & ((1u << SUBMITTING_BITS) - 1)) != 0;
}

/* Holds new submissions back and waits for those under way: they wait for nobody in turn, but for a scope, which is as long as its owner likes. */
int32_t submission_hold(baton_stream *stream, baton_error *err)
{
    for (int expected = 0; !atomic_compare_exchange_strong(&stream->turning, &expected, 1); expected = 0)
        sched_yield();
    while (under_way(stream)) {
        if (atomic_load(&stream->scopes)) {
            atomic_store(&stream->turning, 0);
            return fail(err, BATON_ERR_BUSY, "a scope is open on stream %llu: end it before a capture begins or ends there", (unsigned long long)stream->id);
        }
        sched_yield();
    }
    return BATON_OK;
}

void submission_release(baton_stream *stream)
{
    atomic_store(&stream->turning, 0);
}
