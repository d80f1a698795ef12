#include "census.h"

#include "driver/instrument.h"
#include "needs.h"

/* As they were when the test began. */
static uint64_t succeeded[DRIVER_ROW_COUNT], lost;

void census_begin(void)
{
    for (int row = 0; row < DRIVER_ROW_COUNT; row++)
        succeeded[row] = instrument_succeeded((enum driver_row)row);
    lost = instrument_lost();
}

int census_lost(void)
{
    return instrument_lost() != lost;
}

static uint64_t calls_of(enum driver_row row)
{
    return instrument_succeeded(row) - succeeded[row];
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
    census.modules = calls_of(DRIVER_ROW_module_load) + calls_of(DRIVER_ROW_module_load_ex) - calls_of(DRIVER_ROW_module_unload);
    census.graphs = calls_of(DRIVER_ROW_capture_end) - calls_of(DRIVER_ROW_graph_destroy);
    census.executables = calls_of(DRIVER_ROW_graph_instantiate) - calls_of(DRIVER_ROW_graph_exec_destroy);
    census.contexts = calls_of(DRIVER_ROW_primary_retain) - calls_of(DRIVER_ROW_primary_release);
    return census;
}
