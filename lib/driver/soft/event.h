/* Events: a name for the newest record. */
#ifndef BATON_DRIVER_SOFT_EVENT_H
#define BATON_DRIVER_SOFT_EVENT_H

#include "driver/soft/capture.h"

struct soft_event {
    struct soft_handle handle;
    struct soft_context *context;
    struct soft_operation *record;  /* retained; NULL: never recorded, or captured */
    struct soft_capture *capture;   /* retained: recorded in it last, even after it ended */
    struct soft_set after;          /* nodes of the capture at the record; of no meaning after its end */
};

void soft_event_delete(struct soft_event *event);

#endif
