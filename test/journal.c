/* The library's own headers come first: Check has a macro named fail. */
#include "stream/stream.h"

#include "journal.h"

static struct instrument_call all[4096];

size_t journal_find(enum driver_row row, const void *stream, uint64_t after, uint64_t *last)
{
    size_t count = instrument_journal(all, sizeof all / sizeof *all), found = 0;
    for (size_t i = 0; i < count; i++)
        if (all[i].row == row && all[i].sequence > after && (!stream || all[i].stream == stream)) {
            found++;
            if (last)
                *last = all[i].sequence;
        }
    return found;
}

size_t journal_event(enum driver_row row, const void *event)
{
    size_t count = instrument_journal(all, sizeof all / sizeof *all), found = 0;
    for (size_t i = 0; i < count; i++)
        found += all[i].row == row && all[i].event == event;
    return found;
}

const void *stream_handle(baton_stream *stream)
{
    return stream->native;
}
