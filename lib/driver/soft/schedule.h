/* The seeded mode: operations run on the calling threads, in an order drawn from the seed. */
#ifndef BATON_DRIVER_SOFT_SCHEDULE_H
#define BATON_DRIVER_SOFT_SCHEDULE_H

#include "driver/soft/queue.h"

/* Runs a drawn number of ready operations; nothing in threaded mode. Gives the lock up meanwhile. */
void soft_schedule_some(void);
/* Runs one drawn ready operation; 0 when none is ready. */
int soft_schedule_one(void);

#endif
