#include "stream/clock.h"

uint64_t clock_get(const struct clock *clock, uint64_t id)
{
    unsigned slot = (unsigned)(id % CLOCK_SLOTS);
    return (clock->occupied >> slot & 1) && clock->slots[slot].id == id ? clock->slots[slot].ticket : 0;
}

void clock_raise(struct clock *clock, uint64_t id, uint64_t ticket)
{
    unsigned slot = (unsigned)(id % CLOCK_SLOTS);
    if (clock_get(clock, id) >= ticket)
        return;
    clock->occupied |= (uint64_t)1 << slot;
    clock->slots[slot].id = id;
    clock->slots[slot].ticket = ticket;
}

void clock_join(struct clock *clock, const struct clock *other, uint64_t self)
{
    for (uint64_t left = other->occupied; left; left &= left - 1) {
        int slot = __builtin_ctzll(left);
        if (other->slots[slot].id != self)
            clock_raise(clock, other->slots[slot].id, other->slots[slot].ticket);
    }
}

void clock_copy(struct clock *to, const struct clock *from)
{
    to->occupied = from->occupied;
    for (uint64_t left = from->occupied; left; left &= left - 1) {
        int slot = __builtin_ctzll(left);
        to->slots[slot] = from->slots[slot];
    }
}
