/* What the driver has given out and not got back. The software device is asked; on another driver it follows from the
 * calls that succeeded since the test began, as the instrument saw them. */
#ifndef BATON_TEST_CENSUS_H
#define BATON_TEST_CENSUS_H

#include "driver/soft/soft.h"

/* A test begins, with nothing given out. */
void census_begin(void);
/* Bytes and functions are counted on the software device only. */
struct soft_census census_read(void);
/* Whether a device was lost since the test began, with all that it had given out. */
int census_lost(void);

#endif
