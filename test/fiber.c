#include "fiber.h"

#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

#include "tsan_fibers.h"

enum { STACK_BYTES = 512 * 1024 };

struct worker {
    pthread_t thread;
    struct fibers *fibers;
    ucontext_t context;
    void *sanitizer;
    int index;
};

struct fiber {
    ucontext_t context;
    void *sanitizer, *stack;
    fiber_body body;
    void *argument;
    struct worker *worker;      /* that runs it now */
    int last, moves, ended;
};

struct fibers {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct fiber **ready;       /* guarded by lock, like all below */
    int ready_count, left, threads;
    uint64_t random;
};

static _Thread_local struct worker *self;

/* Not inlined: a task may go on on another thread, whose variable is another one. */
static __attribute__((noinline)) struct worker *worker_self(void)
{
    __asm__ volatile("");
    return self;
}
static _Thread_local struct fiber *running;
static __attribute__((noinline)) struct fiber *fiber_self(void)
{
    __asm__ volatile("");
    return running;
}

static uint64_t draw(struct fibers *fibers)
{
    fibers->random ^= fibers->random << 13;
    fibers->random ^= fibers->random >> 7;
    fibers->random ^= fibers->random << 17;
    return fibers->random;
}

/* A drawn task that did not run here last; any, when this is the only thread or nothing else is left to move. */
static struct fiber *take_locked(struct fibers *fibers, int index)
{
    int first = fibers->ready_count ? (int)(draw(fibers) % (uint64_t)fibers->ready_count) : 0;
    for (int i = 0; i < fibers->ready_count; i++) {
        int at = (first + i) % fibers->ready_count;
        struct fiber *fiber = fibers->ready[at];
        if (fibers->threads > 1 && fiber->last == index)
            continue;
        fibers->ready[at] = fibers->ready[--fibers->ready_count];
        return fiber;
    }
    return NULL;
}

static void switch_to(struct worker *worker, struct fiber *fiber)
{
    fiber->worker = worker;
    fiber->moves += fiber->last >= 0 && fiber->last != worker->index;
    fiber->last = worker->index;
    running = fiber;
    __tsan_switch_to_fiber(fiber->sanitizer, 0);
    swapcontext(&worker->context, &fiber->context);
    running = NULL;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct fibers *fibers = worker->fibers;
    self = worker;
    worker->sanitizer = __tsan_get_current_fiber();
    pthread_mutex_lock(&fibers->lock);
    while (fibers->left) {
        struct fiber *fiber = take_locked(fibers, worker->index);
        if (!fiber) {
            pthread_cond_wait(&fibers->changed, &fibers->lock);
            continue;
        }
        pthread_mutex_unlock(&fibers->lock);
        switch_to(worker, fiber);
        pthread_mutex_lock(&fibers->lock);
        if (fiber->ended)
            fibers->left--;
        else
            fibers->ready[fibers->ready_count++] = fiber;
        pthread_cond_broadcast(&fibers->changed);
    }
    pthread_mutex_unlock(&fibers->lock);
    return NULL;
}

static void leave(struct fiber *fiber)
{
    struct worker *worker = worker_self();
    __tsan_switch_to_fiber(worker->sanitizer, 0);
    swapcontext(&fiber->context, &worker->context);
}

static void start(void)
{
    struct fiber *fiber = fiber_self();
    fiber->body(fiber->argument);
    fiber->ended = 1;
    leave(fiber);
}

int32_t fiber_yield(void *user)
{
    struct fiber *fiber = fiber_self();
    (void)user;
    if (fiber)
        leave(fiber);
    return 0;
}

void fiber_abandon(void)
{
    struct fiber *fiber = fiber_self();
    fiber->ended = 1;
    leave(fiber);
}

int fiber_moves(void)
{
    return fiber_self()->moves;
}

static void prepare(struct fiber *fiber, fiber_body body, void *argument)
{
    *fiber = (struct fiber) { .body = body, .argument = argument, .last = -1, .stack = malloc(STACK_BYTES) };
    if (!fiber->stack)
        abort();
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&fiber->context, start, 0);
    fiber->sanitizer = __tsan_create_fiber(0);
}

void fibers_run(const fiber_body *bodies, void *const *arguments, int count, int threads, uint64_t seed)
{
    struct fibers fibers = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .left = count, .threads = threads,
                             .ready_count = count, .random = seed * 2 + 1 };
    struct fiber *all = calloc((size_t)count, sizeof *all);
    struct worker *workers = calloc((size_t)threads, sizeof *workers);
    fibers.ready = calloc((size_t)count, sizeof(struct fiber *));
    if (!all || !workers || !fibers.ready)
        abort();
    for (int i = 0; i < count; i++) {
        prepare(&all[i], bodies[i], arguments[i]);
        fibers.ready[i] = &all[i];
    }
    for (int i = 0; i < threads; i++) {
        workers[i] = (struct worker) { .fibers = &fibers, .index = i };
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
            abort();
    }
    for (int i = 0; i < threads; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < count; i++) {
        __tsan_destroy_fiber(all[i].sanitizer);
        free(all[i].stack);
    }
    free(fibers.ready);
    free(workers);
    free(all);
}
