/* Order on the device: after's future work runs behind before's work up to a ticket. The host never waits here. */
#ifndef BATON_STREAM_ORDER_H
#define BATON_STREAM_ORDER_H

#include "stream/stream.h"

enum order_need { ORDER_SAME, ORDER_COMPLETE, ORDER_COVERED, ORDER_WAIT };

/* What S4 asks for: whether `after` must wait for ticket `ticket` of `before`. No driver call. Counts the elision. */
__attribute__((hot)) enum order_need order_need(baton_stream *after, baton_stream *before, uint64_t ticket);

/* The same question, uncounted: nothing has to be waited for. */
int order_follows(baton_stream *after, baton_stream *before, uint64_t ticket);

/* S5: at most one record on `before`, one wait on `after`; after's clock joins before's as it was at the record. */
int32_t order_wait(baton_stream *after, baton_stream *before, uint64_t ticket, baton_error *err);
/* The same without a ticket for the wait: the caller draws one behind it, for it is work of `after` too. */
__attribute__((hot)) int32_t order_queue(baton_stream *after, baton_stream *before, uint64_t ticket, baton_error *err);

/* The same behind an event of somebody else's. BATON_ERR_CAPTURE while the stream is captured: such a wait would break the capture. */
int32_t order_wait_event(baton_stream *after, driver_event event, baton_error *err);

#endif
