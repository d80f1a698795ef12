/* Random operations, each checked in three ways. The data: every kernel writes down what it found. The oracle: a happens-before model of what the
 * journal shows. The device: its own check of conflicting uses. */
#ifndef BATON_TEST_STRESS_STEPS_H
#define BATON_TEST_STRESS_STEPS_H

#include "stress_world.h"

/* A world from its beginning to its end; what the oracle has seen. */
struct oracle_counts stress_run(uint64_t seed, const struct world_options *options);
/* The same with the device's work run in an order that the seed draws, in a runtime of its own. The software device only. */
struct oracle_counts stress_run_drawn(uint64_t seed, const struct world_options *options);

#endif
