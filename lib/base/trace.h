/* The trace: the newest operations and waits of a runtime, in a ring, when somebody asked for it. */
#ifndef BATON_BASE_TRACE_H
#define BATON_BASE_TRACE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/status.h"

struct trace {
    _Atomic int on;
    pthread_mutex_t lock;           /* a leaf: nothing is taken under it */
    baton_trace_entry *ring;        /* guarded by lock, like all below */
    uint32_t capacity;
    uint64_t written, read;         /* entries ever; ring index is the count modulo capacity */
};

int32_t trace_init(struct trace *trace, baton_error *err);
void trace_destroy(struct trace *trace);

/* capacity 0 stops. What was not read is dropped. */
int32_t trace_start(struct trace *trace, uint32_t capacity, baton_error *err);
uint32_t trace_read(struct trace *trace, baton_trace_entry *entries, uint32_t capacity);
void trace_write(struct trace *trace, const baton_trace_entry *entry);

static inline int trace_on(struct trace *trace)
{
    return atomic_load_explicit(&trace->on, memory_order_relaxed);
}

#endif
