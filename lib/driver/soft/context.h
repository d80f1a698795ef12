/* Primary contexts: made by the first retain, destroyed with everything in them by the last release. */
#ifndef BATON_DRIVER_SOFT_CONTEXT_H
#define BATON_DRIVER_SOFT_CONTEXT_H

#include "driver/soft/machine.h"

/* Waits for its work, then frees all that belongs to it. Nothing when it is not active. Gives the lock up meanwhile. */
void soft_context_destroy(struct soft_context *context);

#endif
