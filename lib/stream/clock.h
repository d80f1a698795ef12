/* A stream's clock: for other streams, the highest ticket that this stream already follows on the device.
 *
 * Pure values: no lock, no driver. Direct-mapped by stream id and bounded, so it may forget: forgetting costs a wait that was not needed, never
 * an order. */
#ifndef BATON_STREAM_CLOCK_H
#define BATON_STREAM_CLOCK_H

#include <stdint.h>

enum { CLOCK_SLOTS = 64 };

struct clock {
    uint64_t occupied;              /* bit i: slot i holds something */
    struct clock_slot {
        uint64_t id, ticket;
    } slots[CLOCK_SLOTS];
};

/* The ticket of stream `id` that this clock follows; 0: none known. */
__attribute__((hot)) uint64_t clock_get(const struct clock *clock, uint64_t id);

/* From now on this clock follows stream `id` up to `ticket` (never lowers it). */
__attribute__((hot)) void clock_raise(struct clock *clock, uint64_t id, uint64_t ticket);

/* Joins `other` into `clock`, leaving out `self`: a stream does not follow itself. */
__attribute__((hot)) void clock_join(struct clock *clock, const struct clock *other, uint64_t self);

/* Copies what is occupied. */
__attribute__((hot)) void clock_copy(struct clock *to, const struct clock *from);

#endif
