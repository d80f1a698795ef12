#include "census.h"

#include <string.h>

#include "driver/instrument.h"
#include "needs.h"

static int64_t carried[DRIVER_ROW_COUNT];
static int lost;

void census_begin(void)
{
    memset(carried, 0, sizeof carried);
    lost = 0;
    instrument_reset();
}

/* Of which the journal knows: it keeps the newest few thousand calls, more than a test makes before one fails. */
static int64_t failed_calls(enum driver_row row)
{
    static struct instrument_call journal[4096];
    size_t count = instrument_journal(journal, sizeof journal / sizeof *journal);
    int64_t failed = 0;
    for (size_t i = 0; i < count; i++) {
        failed += journal[i].row == row && journal[i].code != DRIVER_SUCCESS;
        lost |= driver_code_sticky(journal[i].code);
    }
    return failed;
}

static const enum driver_row rows[] = {
    DRIVER_ROW_alloc_async, DRIVER_ROW_alloc, DRIVER_ROW_alloc_managed, DRIVER_ROW_host_alloc, DRIVER_ROW_free_async, DRIVER_ROW_free, DRIVER_ROW_host_free,
    DRIVER_ROW_stream_create, DRIVER_ROW_stream_destroy, DRIVER_ROW_event_create, DRIVER_ROW_event_destroy, DRIVER_ROW_module_load, DRIVER_ROW_module_unload,
    DRIVER_ROW_capture_end, DRIVER_ROW_graph_destroy, DRIVER_ROW_graph_instantiate, DRIVER_ROW_graph_exec_destroy
};

static int64_t calls_of(enum driver_row row)
{
    return carried[row] + (int64_t)instrument_count(row) - failed_calls(row);
}

void census_reset(void)
{
    for (size_t i = 0; !on_soft() && i < sizeof rows / sizeof *rows; i++)
        carried[rows[i]] = calls_of(rows[i]);
    instrument_reset();
}

static uint64_t alive(enum driver_row give, enum driver_row take)
{
    return (uint64_t)(calls_of(give) - calls_of(take));
}

struct soft_census census_read(void)
{
    struct soft_census census = { .bytes = 0 };
    if (on_soft()) {
        soft_census(&census);
        return census;
    }
    census.allocations = (uint64_t)(calls_of(DRIVER_ROW_alloc_async) + calls_of(DRIVER_ROW_alloc) + calls_of(DRIVER_ROW_alloc_managed)
                                    + calls_of(DRIVER_ROW_host_alloc) - calls_of(DRIVER_ROW_free_async) - calls_of(DRIVER_ROW_free)
                                    - calls_of(DRIVER_ROW_host_free));
    census.streams = alive(DRIVER_ROW_stream_create, DRIVER_ROW_stream_destroy);
    census.events = alive(DRIVER_ROW_event_create, DRIVER_ROW_event_destroy);
    census.modules = alive(DRIVER_ROW_module_load, DRIVER_ROW_module_unload);
    census.graphs = alive(DRIVER_ROW_capture_end, DRIVER_ROW_graph_destroy);
    census.executables = alive(DRIVER_ROW_graph_instantiate, DRIVER_ROW_graph_exec_destroy);
    return census;
}

int census_lost(void)
{
    census_read();
    return lost;
}
