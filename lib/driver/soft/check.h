/* Problem detection, in stream order at submission, with vector clocks: who follows whom is known then, whatever the
 * threads do later. */
#ifndef BATON_DRIVER_SOFT_CHECK_H
#define BATON_DRIVER_SOFT_CHECK_H

#include "driver/soft/heap.h"

/* Clocks. A failed allocation loses knowledge of order; it never crashes. */
void soft_clock_join(struct soft_clock *clock, const struct soft_clock *other);
void soft_clock_raise(struct soft_clock *clock, uint32_t slot, uint64_t tick);
uint64_t soft_clock_at(const struct soft_clock *clock, uint32_t slot);
void soft_clock_clear(struct soft_clock *clock);

void soft_problem(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Checks and notes the uses of a task that is about to be pushed with tick `soft_machine.ticks[slot] + 1`. Returns
 * the sticky code that its execution must raise, or 0. */
int soft_check_task(struct soft_queue *queue, const struct soft_task *task);
/* Checks and notes one use of a block's bytes [low, high). */
void soft_check_use(struct soft_queue *queue, struct soft_block *block, uint64_t low, uint64_t high, uint32_t access);
/* The host has seen that the clock's ticks are finished. */
void soft_check_host(const struct soft_clock *clock);
/* Brings what host waits have shown into the queue's clock. */
void soft_check_submit(struct soft_queue *queue);

#endif
