/* Graphs and executables. A graph owns what its launches use; an executable keeps the graph that it was last made from. */
#ifndef BATON_WORK_GRAPH_H
#define BATON_WORK_GRAPH_H

#include "stream/capture.h"

struct baton_graph {
    struct handle handle;
    struct deferred node;
    baton_runtime *runtime;         /* retained */
    struct device *device;
    driver_graph native;
    struct capture_set set;         /* fixed at birth */
};

struct baton_executable {
    struct handle handle;
    struct deferred node;
    baton_runtime *runtime;         /* retained */
    struct device *device;
    pthread_mutex_t lock;           /* guards native and graph against an update during a launch; taken after memory locks */
    driver_graph_exec native;
    baton_graph *graph;             /* retained */
};

int32_t graph_check(const baton_graph *graph, baton_error *err);
int32_t executable_check(const baton_executable *executable, baton_error *err);

/* Items of the set that are memories (the others are kernels, and have no access). */
static inline int item_is_memory(const struct capture_item *item)
{
    return item->access != 0;
}

#endif
