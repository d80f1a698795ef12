/* What the tests of the exchange with other libraries share. */
#ifndef BATON_TEST_EXCHANGE_SUPPORT_H
#define BATON_TEST_EXCHANGE_SUPPORT_H

#include "exchange/arrow.h"
#include "exchange/dlpack.h"

#include "journal.h"
#include "outside.h"
#include "waiter.h"

/* From here to outside_restore the software device's memory is given out as a GPU's, which consumers may use on the device only. Streams and arrays may
 * be made before and after. */
void as_a_gpu(void);

/* Host waits that the driver was asked for since counting_start. */
uint64_t host_waits(void);

void drain(void);
/* Until no memory is left. Where any stream may have used it, a drain asks them all, and a later one finds that done. */
void drain_all(void);
baton_stream *adopt(uint64_t native);
void *export_with(baton_array *array, uint32_t flags, baton_stream *stream);

/* A consumer's work on device 0's legacy stream. */
void legacy_fill(uint64_t address, int32_t value, size_t count);

/* A 1-D or 2-D array of that dtype and shape (columns 0: 1-D), clean. */
baton_array *make_rows(int32_t dtype, int64_t rows, int64_t columns, baton_stream *stream);

/* Calls release or the deleter on a thread that has never seen the library. */
void end_elsewhere(void *managed);
void end_legacy(void *managed);
void release_elsewhere(struct arrow_array *array);

#endif
