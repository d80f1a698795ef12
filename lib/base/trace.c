#include "base/trace.h"

#include <stdlib.h>

int32_t trace_init(struct trace *trace, baton_error *err)
{
    *trace = (struct trace) { .capacity = 0 };
    return pthread_mutex_init(&trace->lock, NULL) ? fail(err, BATON_ERR_MEMORY, "cannot make the trace's mutex") : BATON_OK;
}

void trace_destroy(struct trace *trace)
{
    free(trace->ring);
    pthread_mutex_destroy(&trace->lock);
}

int32_t trace_start(struct trace *trace, uint32_t capacity, baton_error *err)
{
    baton_trace_entry *ring = capacity ? calloc(capacity, sizeof *ring) : NULL;
    if (capacity && !ring)
        return fail(err, BATON_ERR_MEMORY, "no host memory for a trace of %u entries", capacity);
    pthread_mutex_lock(&trace->lock);
    baton_trace_entry *old = trace->ring;
    trace->ring = ring;
    trace->capacity = capacity;
    trace->written = trace->read = 0;
    atomic_store_explicit(&trace->on, capacity != 0, memory_order_relaxed);
    pthread_mutex_unlock(&trace->lock);
    free(old);
    return BATON_OK;
}

uint32_t trace_read(struct trace *trace, baton_trace_entry *entries, uint32_t capacity)
{
    uint32_t count = 0;
    pthread_mutex_lock(&trace->lock);
    if (trace->written - trace->read > trace->capacity)
        trace->read = trace->written - trace->capacity;
    for (; count < capacity && trace->read < trace->written; count++)
        entries[count] = trace->ring[trace->read++ % trace->capacity];
    pthread_mutex_unlock(&trace->lock);
    return count;
}

void trace_write(struct trace *trace, const baton_trace_entry *entry)
{
    pthread_mutex_lock(&trace->lock);
    if (trace->capacity)
        trace->ring[trace->written++ % trace->capacity] = *entry;
    pthread_mutex_unlock(&trace->lock);
}
