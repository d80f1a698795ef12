#include "stream/clock.h"

uint64_t clock_get(const struct clock *clock, uint64_t id)
{
    unsigned slot = (unsigned)(id % CLOCK_SLOTS);
    return (clock->occupied >> slot & 1) && clock->id[slot] == id ? clock->ticket[slot] : 0;
}

void clock_raise(struct clock *clock, uint64_t id, uint64_t ticket)
{
    unsigned slot = (unsigned)(id % CLOCK_SLOTS);
    if (clock_get(clock, id) >= ticket)
        return;
    clock->occupied |= (uint64_t)1 << slot;
    clock->id[slot] = id;
    clock->ticket[slot] = ticket;
}

void clock_join(struct clock *clock, const struct clock *other, uint64_t self)
{
    for (uint64_t left = other->occupied; left; left &= left - 1) {
        int slot = __builtin_ctzll(left);
        if (other->id[slot] != self)
            clock_raise(clock, other->id[slot], other->ticket[slot]);
    }
}

void clock_copy(struct clock *to, const struct clock *from)
{
    to->occupied = from->occupied;
    for (uint64_t left = from->occupied; left; left &= left - 1) {
        int slot = __builtin_ctzll(left);
        to->id[slot] = from->id[slot];
        to->ticket[slot] = from->ticket[slot];
    }
}
