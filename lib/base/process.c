#include "base/process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

_Atomic int process_was_forked;
static int watch_result;        /* written inside pthread_once */

uint64_t process_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t process_thread(void)
{
    static _Atomic uint64_t last;
    static _Thread_local uint64_t self;
    if (!self)
        self = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    return self;
}

static void mark_forked(void)
{
    atomic_store_explicit(&process_was_forked, 1, memory_order_relaxed);
}

static void watch(void)
{
    watch_result = pthread_atfork(NULL, NULL, mark_forked);
}

int32_t process_watch_forks(baton_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch);
    return watch_result ? fail(err, BATON_ERR_MEMORY, "cannot register the fork handler") : BATON_OK;
}

int32_t process_check(baton_error *err)
{
    if (!process_forked())
        return BATON_OK;
    return fail(err, BATON_ERR_FORKED, "this process was forked after the library was opened: the driver does not survive "
                                       "a fork; open the library in the child only");
}
