/* Counts this thread's allocations from the C library's heap. A program that links heap.c has its own malloc. */
#ifndef BATON_BENCH_HEAP_H
#define BATON_BENCH_HEAP_H

#include <stdint.h>

/* Starts the count at 0 and stops it. Pauses nest: the driver's own allocations are not the library's. */
void heap_count_start(void);
uint64_t heap_count_stop(void);
void heap_pause(void);
void heap_resume(void);

#endif
