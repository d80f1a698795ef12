/* What concerns the whole process: its clock, its threads, and whether it is a forked child. */
#ifndef BATON_BASE_PROCESS_H
#define BATON_BASE_PROCESS_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/status.h"

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t process_now(void);

/* A number for the calling thread, from 1, never reused in this process. */
uint64_t process_thread(void);

/* Registers the fork handler, once. BATON_ERR_MEMORY when that fails. */
int32_t process_watch_forks(baton_error *err);

/* True in a child that was forked after process_watch_forks. One relaxed load. */
extern _Atomic int process_was_forked;
static inline int process_forked(void)
{
    return atomic_load_explicit(&process_was_forked, memory_order_relaxed);
}

/* BATON_ERR_FORKED in such a child. */
int32_t process_check(baton_error *err);

#endif
