/* Primary contexts: made by the first retain, destroyed with everything in them by the last release. */
#ifndef BATON_DRIVER_SOFT_CONTEXT_H
#define BATON_DRIVER_SOFT_CONTEXT_H

#include "driver/soft/machine.h"

/* Waits for its work, then frees all that belongs to it. Nothing when it is not active. Gives the lock up meanwhile. */
void soft_context_destroy(struct soft_context *context);

/* Poisons the context. What it has queued does not run any more, so that nobody else has to come behind it. */
void soft_context_lose(struct soft_context *context, int code);

#endif
