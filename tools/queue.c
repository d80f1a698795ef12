#include "queue.h"

void queue_init(struct queue *queue)
{
    *queue = (struct queue) { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
}

void queue_destroy(struct queue *queue)
{
    for (uint32_t i = 0; i < queue->count; i++)
        baton_array_release(queue->arrays[(queue->first + i) % QUEUE_ARRAYS]);
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
}

void queue_push(struct queue *queue, baton_array *array)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->count == QUEUE_ARRAYS && !queue->closed)
        pthread_cond_wait(&queue->changed, &queue->lock);
    int closed = queue->closed;
    if (!closed)
        queue->arrays[(queue->first + queue->count++) % QUEUE_ARRAYS] = array;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    if (closed)
        baton_array_release(array);
}

baton_array *queue_pop(struct queue *queue)
{
    baton_array *array = NULL;
    pthread_mutex_lock(&queue->lock);
    while (queue->count == 0 && !queue->closed)
        pthread_cond_wait(&queue->changed, &queue->lock);
    if (!queue->closed) {
        array = queue->arrays[queue->first];
        queue->first = (queue->first + 1) % QUEUE_ARRAYS;
        queue->count--;
    }
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return array;
}

void queue_close(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = 1;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}
