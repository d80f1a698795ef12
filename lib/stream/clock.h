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
static inline uint64_t clock_get(const struct clock *clock, uint64_t id)
{
    unsigned slot = (unsigned)(id % CLOCK_SLOTS);
    return (clock->occupied >> slot & 1) && clock->slots[slot].id == id ? clock->slots[slot].ticket : 0;
}

/* From now on this clock follows stream `id` up to `ticket` (never lowers it). */
static inline void clock_raise(struct clock *clock, uint64_t id, uint64_t ticket)
{
    unsigned slot = (unsigned)(id % CLOCK_SLOTS);
    if (clock_get(clock, id) >= ticket)
        return;
    clock->occupied |= (uint64_t)1 << slot;
    clock->slots[slot].id = id;
    clock->slots[slot].ticket = ticket;
}

/* Joins `other` into `clock`, leaving out `self`: a stream does not follow itself. */
static inline void clock_join(struct clock *clock, const struct clock *other, uint64_t self)
{
    for (uint64_t left = other->occupied; left; left &= left - 1) {
        int slot = __builtin_ctzll(left);
        if (other->slots[slot].id != self)
            clock_raise(clock, other->slots[slot].id, other->slots[slot].ticket);
    }
}

/* Copies what is occupied. */
static inline void clock_copy(struct clock *to, const struct clock *from)
{
    to->occupied = from->occupied;
    for (uint64_t left = from->occupied; left; left &= left - 1) {
        int slot = __builtin_ctzll(left);
        to->slots[slot] = from->slots[slot];
    }
}

#endif
