#include "julia_runtime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utlist.h>

#include "driver/instrument.h"
#include "fiber.h"

enum { COLLECT_EVERY = 64 };        /* allocations, about */

/* What Julia keeps for a thread: here in the thread itself, which is in the list while it is GC-unsafe, and cannot end then. */
struct thread {
    struct thread *next;
    _Atomic(const char *) call;     /* the library's function that it is in; NULL: none */
    int unsafe, safe_call, finalizing;
};

struct julia_object {
    struct julia_object *next;
    void *handle;
    void (*finalizer)(void *handle);
};

static struct julia {
    pthread_mutex_t lock;           /* guards all of this */
    pthread_cond_t changed;
    struct thread *unsafe;          /* threads in Julia code */
    int stopping, ended;
    struct julia_object *dropped, *elsewhere;
    uint64_t alive, due, random;    /* objects in all, and those of the other thread that are not finalized yet */
    pthread_t finalizers;
    struct julia_counts counts;
    char problem[160];
} julia = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Atomic(const char *) undeclared;
static _Thread_local struct thread this_thread;

/* Not inlined: a task may go on on another thread, whose variable is another one. */
static __attribute__((noinline)) struct thread *self(void)
{
    __asm__ volatile("");
    return &this_thread;
}

static void problem_locked(const char *what, const char *where)
{
    if (!julia.problem[0])
        snprintf(julia.problem, sizeof julia.problem, "%s: %s", where, what);
}

static void problem(const char *what, const char *where)
{
    pthread_mutex_lock(&julia.lock);
    problem_locked(what, where);
    pthread_mutex_unlock(&julia.lock);
}

const char *julia_problem(void)
{
    return julia.problem;
}

static uint64_t draw_locked(uint64_t below)
{
    julia.random ^= julia.random << 13;
    julia.random ^= julia.random >> 7;
    julia.random ^= julia.random << 17;
    return (julia.random >> 11) % below;
}

/* ---- threads */

static void enter_locked(struct thread *thread)
{
    while (julia.stopping)
        pthread_cond_wait(&julia.changed, &julia.lock);
    thread->unsafe = 1;
    LL_PREPEND(julia.unsafe, thread);
}

static void leave_locked(struct thread *thread)
{
    LL_DELETE(julia.unsafe, thread);
    thread->unsafe = 0;
    pthread_cond_broadcast(&julia.changed);
}

void julia_enter(void)
{
    struct thread *thread = self();
    pthread_mutex_lock(&julia.lock);
    enter_locked(thread);
    pthread_mutex_unlock(&julia.lock);
}

void julia_leave(void)
{
    struct thread *thread = self();
    pthread_mutex_lock(&julia.lock);
    leave_locked(thread);
    pthread_mutex_unlock(&julia.lock);
}

void julia_safepoint(void)
{
    struct thread *thread = self();
    pthread_mutex_lock(&julia.lock);
    if (julia.stopping) {
        leave_locked(thread);
        enter_locked(thread);
    }
    pthread_mutex_unlock(&julia.lock);
}

void julia_yield(void)
{
    julia_leave();      /* the scheduler waits for work in a safe region */
    fiber_yield(NULL);
    julia_enter();
}

/* ---- objects */

struct julia_object *julia_object(void *handle, void (*finalizer)(void *handle))
{
    struct julia_object *object = malloc(sizeof *object);
    if (!object)
        abort();
    *object = (struct julia_object) { .handle = handle, .finalizer = finalizer };
    pthread_mutex_lock(&julia.lock);
    julia.alive++;
    pthread_mutex_unlock(&julia.lock);
    return object;
}

void julia_drop(struct julia_object *object)
{
    pthread_mutex_lock(&julia.lock);
    LL_PREPEND(julia.dropped, object);
    pthread_mutex_unlock(&julia.lock);
}

/* In Julia code of whichever task is running on the thread, between two of its steps. */
static void finalize(struct julia_object *object, uint64_t *count, uint64_t due)
{
    struct thread *thread = self();
    thread->finalizing = 1;
    object->finalizer(object->handle);
    thread->finalizing = 0;
    free(object);
    pthread_mutex_lock(&julia.lock);
    julia.alive--;
    julia.due -= due;
    (*count)++;
    pthread_cond_broadcast(&julia.changed);
    pthread_mutex_unlock(&julia.lock);
}

static struct julia_object *pop(struct julia_object **list)
{
    struct julia_object *object = *list;
    if (object)
        *list = object->next;
    return object;
}

static void *finalizers(void *argument)
{
    struct julia_object *object;
    pthread_mutex_lock(&julia.lock);
    for (;;) {
        while (!(object = pop(&julia.elsewhere)) && !julia.ended)
            pthread_cond_wait(&julia.changed, &julia.lock);
        if (!object)
            break;
        enter_locked(self());
        pthread_mutex_unlock(&julia.lock);
        finalize(object, &julia.counts.finalized_elsewhere, 1);
        pthread_mutex_lock(&julia.lock);
        leave_locked(self());
    }
    pthread_mutex_unlock(&julia.lock);
    return argument;
}

/* ---- the collector */

/* NULL, or where a thread is that has not stopped in time. */
static const char *stop_locked(uint64_t limit_ns)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    uint64_t ns = (uint64_t)end.tv_nsec + limit_ns;
    end.tv_sec += (time_t)(ns / 1000000000u);
    end.tv_nsec = (long)(ns % 1000000000u);
    julia.stopping = 1;
    while (julia.unsafe)
        if (pthread_cond_timedwait(&julia.changed, &julia.lock, &end)) {
            const char *call = julia.unsafe ? atomic_load(&julia.unsafe->call) : NULL;
            return call || !julia.unsafe ? call : "Julia code";
        }
    return NULL;
}

/* The dropped objects: some for this thread, the others for the one beside. */
static struct julia_object *sweep_locked(void)
{
    struct julia_object *here = NULL, *object;
    while ((object = pop(&julia.dropped))) {
        if (draw_locked(2)) {
            LL_PREPEND(here, object);
            continue;
        }
        LL_PREPEND(julia.elsewhere, object);
        julia.due++;
    }
    return here;
}

const char *julia_collect(uint64_t limit_ns)
{
    struct thread *thread = self();
    struct julia_object *here = NULL, *object;
    const char *missing = NULL;
    pthread_mutex_lock(&julia.lock);
    leave_locked(thread);
    if (!julia.stopping) {      /* else another thread's collection is this one's too */
        missing = stop_locked(limit_ns);
        if (missing)
            problem_locked("the collector waited for it in vain", missing);
        else
            here = sweep_locked();
        julia.counts.collections++;
        julia.stopping = 0;
        pthread_cond_broadcast(&julia.changed);
    }
    enter_locked(thread);
    pthread_mutex_unlock(&julia.lock);
    while ((object = pop(&here)))
        finalize(object, &julia.counts.finalized_here, 0);
    return missing;
}

const char *julia_collect_all(uint64_t limit_ns)
{
    const char *missing = julia_collect(limit_ns);
    julia_leave();
    pthread_mutex_lock(&julia.lock);
    while (julia.due)
        pthread_cond_wait(&julia.changed, &julia.lock);
    pthread_mutex_unlock(&julia.lock);
    julia_enter();
    return missing;
}

void julia_allocate(void)
{
    pthread_mutex_lock(&julia.lock);
    int collects = draw_locked(COLLECT_EVERY) == 0;
    pthread_mutex_unlock(&julia.lock);
    if (collects)
        julia_collect(JULIA_LIMIT_NS);
    else
        julia_safepoint();
}

struct julia_counts julia_counts(void)
{
    return julia.counts;
}

/* ---- calls */

void julia_undeclare(const char *function)
{
    atomic_store(&undeclared, function);
}

void julia_call_begin(const char *function, int safe)
{
    struct thread *thread = self();
    const char *not = atomic_load(&undeclared);
    atomic_store(&thread->call, function);
    thread->safe_call = safe && !(not && strcmp(not, function) == 0);
    pthread_mutex_lock(&julia.lock);
    if (!thread->unsafe)
        problem_locked("called by a thread that runs no Julia code", function);
    if (thread->finalizing && safe)
        problem_locked("a finalizer lets the collector go on in the middle of it", function);
    *(safe ? &julia.counts.safe_calls : &julia.counts.unsafe_calls) += 1;
    if (thread->safe_call)
        leave_locked(thread);
    pthread_mutex_unlock(&julia.lock);
}

void julia_call_end(void)
{
    struct thread *thread = self();
    if (thread->safe_call)
        julia_enter();
    thread->safe_call = 0;
    atomic_store(&thread->call, NULL);
}

/* Called by the instrument. Threads that are none of Julia's are never GC-unsafe. */
static void watch(enum driver_row row)
{
    struct thread *thread = self();
    (void)row;
    if (thread->unsafe)
        problem(thread->finalizing ? "a finalizer enters the driver" : "enters the driver GC-unsafe", atomic_load(&thread->call));
}

void julia_start(uint64_t seed)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&julia.changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    julia.random = seed * 2 + 1;
    julia.ended = 0;
    julia.problem[0] = '\0';
    julia.counts = (struct julia_counts) { 0 };
    if (pthread_create(&julia.finalizers, NULL, finalizers, NULL))
        abort();
    julia_enter();
    instrument_watch(watch);
}

void julia_stop(void)
{
    julia_collect_all(JULIA_LIMIT_NS);
    instrument_watch(NULL);
    pthread_mutex_lock(&julia.lock);
    leave_locked(self());
    julia.ended = 1;
    pthread_cond_broadcast(&julia.changed);
    pthread_mutex_unlock(&julia.lock);
    pthread_join(julia.finalizers, NULL);
    if (julia.alive)
        problem("objects were never dropped", "Julia code");
    pthread_cond_destroy(&julia.changed);
}
