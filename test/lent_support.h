/* What the tests of lent streams share. */
#ifndef BATON_TEST_LENT_SUPPORT_H
#define BATON_TEST_LENT_SUPPORT_H

#include "exchange_support.h"

enum { COUNT = 100 };

static inline uint64_t number(driver_stream native)
{
    return (uint64_t)(uintptr_t)native;
}

int32_t is_lent(baton_stream *stream);

/* The consumer names its stream, and nobody keeps the handle. */
struct dlpack_managed *export_to(baton_array *array, driver_stream native);
void consumer_fill(const struct dlpack_managed *managed, int32_t value, driver_stream native);
/* By the tensor's deleter. */
void consumer_end(struct dlpack_managed *managed);

/* The stream ends, and its handle is somebody else's at once: that one's. (CUDA may keep the handle for later.) */
driver_stream recycle(driver_stream native);
/* Since then, or since counting_start, no call has named what ended last. */
void expect_untouched(void);

/* Host waits for consumers. */
uint64_t export_waits(void);
/* A copy of the array waits on the host for what `open` holds, and then has that value. */
void copy_must_wait(baton_array *array, int32_t value, baton_stream *on, _Atomic int *open);

#endif
