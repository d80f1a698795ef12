/* Every live stream of the process, by id: to learn from one wait what else has finished, and to sum statistics. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->id = 0)

#include <stdlib.h>

#include "stream/stream.h"

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;   /* a leaf, but for atomics */
static baton_stream *registry;                                      /* guarded by registry_lock */
static uint64_t last_id;                                            /* guarded by registry_lock */

int stream_register(baton_stream *stream)
{
    pthread_mutex_lock(&registry_lock);
    stream->id = ++last_id;
    HASH_ADD(hh, registry, id, sizeof stream->id, stream);
    int added = stream->id != 0;
    pthread_mutex_unlock(&registry_lock);
    return added;
}

void stream_unregister(baton_stream *stream)
{
    pthread_mutex_lock(&registry_lock);
    HASH_DEL(registry, stream);
    pthread_mutex_unlock(&registry_lock);
}

void stream_each(baton_runtime *runtime, void (*visit)(baton_stream *stream, void *user), void *user)
{
    baton_stream *stream, *next;
    pthread_mutex_lock(&registry_lock);
    HASH_ITER(hh, registry, stream, next)
        if (!runtime || stream->runtime == runtime)
            visit(stream, user);
    pthread_mutex_unlock(&registry_lock);
}

static void raise_completed(baton_stream *stream, uint64_t ticket)
{
    uint64_t old = atomic_load_explicit(&stream->completed, memory_order_relaxed);
    while (old < ticket && !atomic_compare_exchange_weak_explicit(&stream->completed, &old, ticket, memory_order_release,
                                                                  memory_order_relaxed))
        ;
}

void stream_complete(baton_stream *stream, uint64_t ticket, const struct clock *clock)
{
    raise_completed(stream, ticket);
    if (!clock || !clock->occupied)
        return;
    pthread_mutex_lock(&registry_lock);
    for (uint64_t left = clock->occupied; left; left &= left - 1) {
        int slot = __builtin_ctzll(left);
        baton_stream *other = NULL;
        HASH_FIND(hh, registry, &clock->slots[slot].id, sizeof clock->slots[slot].id, other);
        if (other)
            raise_completed(other, clock->slots[slot].ticket);
    }
    pthread_mutex_unlock(&registry_lock);
}

static void count_stream(baton_stream *stream, void *user)
{
    (void)stream;
    ++((struct stream_list *)user)->capacity;
}

static void list_stream(baton_stream *stream, void *user)
{
    struct stream_list *list = user;
    if (stream->kind == STREAM_PER_THREAD && !stream->thread)
        return;                             /* stands for the streams of all threads, which are listed too */
    if (list->device && !device_same(stream->device, list->device))
        return;
    if (list->count < list->capacity && !handle_retain(&stream->handle, HANDLE_STREAM))
        list->streams[list->count++] = stream;
}

int32_t stream_list_make(baton_runtime *runtime, struct device *device, struct stream_list *list, baton_error *err)
{
    *list = (struct stream_list) { .device = device };
    stream_each(runtime, count_stream, list);
    list->streams = calloc(list->capacity + 1, sizeof(baton_stream *));
    if (!list->streams)
        return fail(err, BATON_ERR_MEMORY, "no host memory to list the streams");
    stream_each(runtime, list_stream, list);
    return BATON_OK;
}

void stream_list_free(struct stream_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        stream_release(list->streams[i]);
    free(list->streams);
}
