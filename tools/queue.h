/* A small queue that passes array handles from one task to the next. It moves handles only: nothing here waits for
 * the GPU. */
#ifndef BATON_TOOLS_QUEUE_H
#define BATON_TOOLS_QUEUE_H

#include <pthread.h>

#include "baton.h"

enum { QUEUE_ARRAYS = 2 };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    baton_array *arrays[QUEUE_ARRAYS];      /* guarded by lock, like all below; owned references */
    uint32_t first, count;
    int closed;
};

void queue_init(struct queue *queue);
/* Releases what is left. Nobody uses the queue any more. */
void queue_destroy(struct queue *queue);
/* Waits for room and takes the reference over; a closed queue releases it. */
void queue_push(struct queue *queue, baton_array *array);
/* Waits for an array, whose reference the caller then owns; NULL from a closed queue. */
baton_array *queue_pop(struct queue *queue);
void queue_close(struct queue *queue);

#endif
