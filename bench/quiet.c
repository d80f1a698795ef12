#include "quiet.h"

#include <sched.h>
#include <stdint.h>

#include "bench.h"

enum { CHAINS = 8, STEPS = 2000, TRIES = 3 };

/* As many independent chains as keep all units busy: what shares them shows. */
static uint64_t work_ns(void)
{
    static volatile uint64_t kept;
    uint64_t chains[CHAINS], start = bench_now();
    for (uint64_t c = 0; c < CHAINS; c++)
        chains[c] = kept + c;
    for (int step = 0; step < STEPS; step++)
        for (int c = 0; c < CHAINS; c++)
            chains[c] = (chains[c] ^ chains[c] >> 7) + 0x9E3779B97F4A7C15u;
    for (int c = 0; c < CHAINS; c++)
        kept ^= chains[c];
    return bench_now() - start;
}

int quiet(void)
{
    static uint64_t best = UINT64_MAX;
    uint64_t now = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t ns = work_ns();
        now = ns < now ? ns : now;
    }
    best = now < best ? now : best;
    return now <= best + best / 5;
}

void quiet_seek(void)
{
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all))
        return;
    size_t cpu = 0;
    for (int tried = 0; !quiet() && tried < CPU_COUNT(&all); tried++) {
        do
            cpu = (cpu + 1) % CPU_SETSIZE;
        while (!CPU_ISSET(cpu, &all));
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        sched_setaffinity(0, sizeof all, &all);         /* there until something else takes it away */
    }
}
