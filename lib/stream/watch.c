#include "stream/watch.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum { NAP_LEAST_NS = 20000, NAP_MOST_NS = 1000000 };

struct watched {
    baton_fence *fence;         /* one reference */
    struct watched *next;
};

struct watch {
    pthread_t thread;
    pthread_mutex_t lock;       /* a leaf */
    pthread_cond_t changed;
    struct watched *added;      /* guarded by lock: not seen by the thread yet */
    int stopping;               /* guarded by lock */
};

/* Leaves the fences that have not settled. */
static struct watched *settle(struct watched *list)
{
    struct watched *left = NULL;
    for (struct watched *item = list, *next; item; item = next) {
        next = item->next;
        if (fence_settle(item->fence)) {
            baton_fence_release(item->fence);
            free(item);
        } else {
            item->next = left;
            left = item;
        }
    }
    return left;
}

static struct watched *join(struct watched *list, struct watched *more)
{
    while (more) {
        struct watched *next = more->next;
        more->next = list;
        list = more;
        more = next;
    }
    return list;
}

static void rest_locked(struct watch *watch, int idle, long nap)
{
    struct timespec until;
    if (idle) {
        pthread_cond_wait(&watch->changed, &watch->lock);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += nap;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&watch->changed, &watch->lock, &until);
}

static void drop(struct watched *list)
{
    for (struct watched *next; list; list = next) {
        next = list->next;
        baton_fence_release(list->fence);
        free(list);
    }
}

static void *run(void *argument)
{
    struct watch *watch = argument;
    struct watched *list = NULL;
    long nap = NAP_LEAST_NS;
    pthread_mutex_lock(&watch->lock);
    for (int last = 0; !last;) {
        last = watch->stopping;
        nap = watch->added ? NAP_LEAST_NS : nap * 2 < NAP_MOST_NS ? nap * 2 : NAP_MOST_NS;
        list = join(list, watch->added);
        watch->added = NULL;
        pthread_mutex_unlock(&watch->lock);
        list = settle(list);
        pthread_mutex_lock(&watch->lock);
        if (!last && !watch->added && !watch->stopping)
            rest_locked(watch, list == NULL, nap);
    }
    pthread_mutex_unlock(&watch->lock);
    drop(list);
    return NULL;
}

/* The new thread inherits a mask in which every signal is blocked: signals are the embedder's. */
static int start_thread(struct watch *watch)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int failed = pthread_create(&watch->thread, NULL, run, watch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

static struct watch *watch_new(void)
{
    struct watch *watch = calloc(1, sizeof *watch);
    pthread_condattr_t monotonic;
    if (!watch)
        return NULL;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&watch->lock, NULL);
    if (start_thread(watch) == 0)
        return watch;
    pthread_cond_destroy(&watch->changed);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
    return NULL;
}

/* The runtime's thread, started when it is first needed; NULL when that fails or the runtime is closed. runtime->watch_lock is held. */
static struct watch *watch_get_locked(baton_runtime *runtime)
{
    if (!runtime->watch && !atomic_load(&runtime->closed))
        runtime->watch = watch_new();
    return runtime->watch;
}

static void hand_over(struct watch *watch, struct watched *item)
{
    pthread_mutex_lock(&watch->lock);
    item->next = watch->added;
    watch->added = item;
    pthread_cond_signal(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
}

int32_t watch_add(baton_runtime *runtime, baton_fence *fence, baton_error *err)
{
    struct watched *item = malloc(sizeof *item);
    if (!item)
        return fail(err, BATON_ERR_MEMORY, "no host memory to watch a fence");
    item->fence = fence;
    pthread_mutex_lock(&runtime->watch_lock);
    struct watch *watch = watch_get_locked(runtime);
    if (watch && !baton_fence_retain(fence))
        hand_over(watch, item);
    pthread_mutex_unlock(&runtime->watch_lock);
    if (watch)
        return BATON_OK;
    free(item);
    if (atomic_load(&runtime->closed))
        return fail(err, BATON_ERR_CLOSED, "cannot watch a fence: the runtime is closed");
    return fail(err, BATON_ERR_MEMORY, "cannot watch a fence: no thread can be started");
}

void watch_stop(baton_runtime *runtime)
{
    pthread_mutex_lock(&runtime->watch_lock);
    struct watch *watch = runtime->watch;
    runtime->watch = NULL;
    pthread_mutex_unlock(&runtime->watch_lock);
    if (!watch)
        return;
    pthread_mutex_lock(&watch->lock);
    watch->stopping = 1;
    pthread_cond_signal(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
    pthread_join(watch->thread, NULL);
    pthread_cond_destroy(&watch->changed);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
}
