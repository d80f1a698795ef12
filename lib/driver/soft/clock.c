#include "driver/soft/check.h"

#include <stdlib.h>
#include <string.h>

static int clock_reach(struct soft_clock *clock, uint32_t count)
{
    uint64_t *ticks;
    uint32_t size = (count + 15) / 16 * 16;
    if (count <= clock->count)
        return 1;
    ticks = realloc(clock->ticks, size * sizeof *ticks);
    if (!ticks)
        return 0;
    memset(ticks + clock->count, 0, (size - clock->count) * sizeof *ticks);
    clock->ticks = ticks;
    clock->count = size;
    return 1;
}

void soft_clock_join(struct soft_clock *clock, const struct soft_clock *other)
{
    if (!clock_reach(clock, other->count))
        return;
    for (uint32_t i = 0; i < other->count; i++)
        if (clock->ticks[i] < other->ticks[i])
            clock->ticks[i] = other->ticks[i];
}

void soft_clock_raise(struct soft_clock *clock, uint32_t slot, uint64_t tick)
{
    if (clock_reach(clock, slot + 1) && clock->ticks[slot] < tick)
        clock->ticks[slot] = tick;
}

uint64_t soft_clock_at(const struct soft_clock *clock, uint32_t slot)
{
    return slot < clock->count ? clock->ticks[slot] : 0;
}

void soft_clock_clear(struct soft_clock *clock)
{
    free(clock->ticks);
    *clock = (struct soft_clock) { 0 };
}
