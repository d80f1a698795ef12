/* Runs simulated programs, each in a process of its own where one may fail. */
#ifndef BATON_TEST_SIMULATE_ENGINE_H
#define BATON_TEST_SIMULATE_ENGINE_H

#include <stdio.h>

#include "program.h"

struct figures {
    uint64_t programs, operations, suspensions, faults, waits, lost;
};

/* What a run found. "" in trouble: nothing. */
struct verdict {
    char trouble[512];
    struct figures figures;     /* added to */
};

/* In this process. With `print`, the program is printed as C in the end, also when nothing was found. */
void engine_run(const struct program *program, struct verdict *verdict, FILE *print);

/* In a child, which is killed after some seconds. Returns whether something was found, a crash included. */
int engine_try(const struct program *program, struct verdict *verdict, const char *print);

/* The first program, of those that `seeds` from `first` on give, in which something is found: its seed, or 0. */
struct batch {
    uint64_t first, seeds;
    int steps, faults, drop_wait, seconds;
};
uint64_t engine_batch(const struct batch *batch, struct verdict *verdict);

#endif
