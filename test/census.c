#include "census.h"

#include <string.h>

#include "driver/instrument.h"
#include "needs.h"

static uint64_t carried[DRIVER_ROW_COUNT];

void census_begin(void)
{
    memset(carried, 0, sizeof carried);
    instrument_reset();
}

void census_reset(void)
{
    for (int row = 0; row < DRIVER_ROW_COUNT; row++)
        carried[row] += instrument_count((enum driver_row)row);
    instrument_reset();
}

static uint64_t calls_of(enum driver_row row)
{
    return carried[row] + instrument_count(row);
}

struct soft_census census_read(void)
{
    struct soft_census census = { .bytes = 0 };
    if (on_soft()) {
        soft_census(&census);
        return census;
    }
    census.allocations = calls_of(DRIVER_ROW_alloc_async) + calls_of(DRIVER_ROW_alloc) + calls_of(DRIVER_ROW_alloc_managed)
                         + calls_of(DRIVER_ROW_host_alloc) - calls_of(DRIVER_ROW_free_async) - calls_of(DRIVER_ROW_free)
                         - calls_of(DRIVER_ROW_host_free);
    census.streams = calls_of(DRIVER_ROW_stream_create) - calls_of(DRIVER_ROW_stream_destroy);
    census.events = calls_of(DRIVER_ROW_event_create) - calls_of(DRIVER_ROW_event_destroy);
    census.modules = calls_of(DRIVER_ROW_module_load) - calls_of(DRIVER_ROW_module_unload);
    census.graphs = calls_of(DRIVER_ROW_capture_end) - calls_of(DRIVER_ROW_graph_destroy);
    census.executables = calls_of(DRIVER_ROW_graph_instantiate) - calls_of(DRIVER_ROW_graph_exec_destroy);
    return census;
}
