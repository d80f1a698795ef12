/* What the driver has given out and not got back. The software device is asked; on another driver it follows from the
 * calls that succeeded since the test began, as the instrument saw them. */
#ifndef BATON_TEST_CENSUS_H
#define BATON_TEST_CENSUS_H

#include "driver/soft/soft.h"

/* Forgets all counts: a test begins. */
void census_begin(void);
/* In place of instrument_reset: what was counted so far is carried over. */
void census_reset(void);
/* Allocations, streams, events, modules, graphs and executables; bytes and functions only on the software device. */
struct soft_census census_read(void);
/* Whether a device was lost since the test began, with all that it had given out. On the software device never asked. */
int census_lost(void);

#endif
