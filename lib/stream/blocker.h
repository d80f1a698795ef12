/* Long waits without busy CPU. An event that lets the host sleep costs every record of it nearly a microsecond, so marks are not such events: a wait that lasts puts
 * one behind the mark, on a stream of its own. */
#ifndef BATON_STREAM_BLOCKER_H
#define BATON_STREAM_BLOCKER_H

#include "stream/stream.h"

/* Sleeps until what the mark stands for has finished. The device is entered. Returns the driver's code, and the row that gave it. */
int blocker_wait(struct device *device, const struct mark *mark, enum driver_row *row);

/* Gives back what the device's waits used; without driver calls when the device is not usable. Nobody waits. */
void blockers_destroy(struct device *device, int usable);

#endif
