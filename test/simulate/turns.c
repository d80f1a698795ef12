#include "turns.h"

#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

#include "../tsan_fibers.h"

enum { STACK_BYTES = 256 * 1024, NOBODY = -1 };

struct task {
    ucontext_t context, home;   /* home: of the thread that runs it */
    void *stack, *sanitizer, *home_sanitizer;
    int inside, ended;
};

/* The turn, guarded by lock: which thread runs which task. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t threads[TURNS_THREADS];
    struct task tasks[TURNS_TASKS];
    void (*body)(int task);
    int task_count, thread_count;
    int thread, task, closing;
} turns = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

/* Only one task runs at a time: a plain variable says which, and is right after a move to another thread too. */
static int running = NOBODY;

static void enter(int index)
{
    struct task *task = &turns.tasks[index];
    task->inside = 0;
    task->home_sanitizer = __tsan_get_current_fiber();
    running = index;
    __tsan_switch_to_fiber(task->sanitizer, 0);
    swapcontext(&task->home, &task->context);
    running = NOBODY;
}

static void leave(int inside)
{
    struct task *task = &turns.tasks[running];
    task->inside = inside;
    __tsan_switch_to_fiber(task->home_sanitizer, 0);
    swapcontext(&task->context, &task->home);
}

static void begin(void)
{
    int index = running;
    turns.body(index);
    turns.tasks[index].ended = 1;
    leave(0);
}

static void *thread_main(void *argument)
{
    int index = (int)(intptr_t)argument;
    pthread_mutex_lock(&turns.lock);
    while (!turns.closing) {
        if (turns.thread != index) {
            pthread_cond_wait(&turns.changed, &turns.lock);
            continue;
        }
        pthread_mutex_unlock(&turns.lock);
        enter(turns.task);
        pthread_mutex_lock(&turns.lock);
        turns.thread = 0;
        pthread_cond_broadcast(&turns.changed);
    }
    pthread_mutex_unlock(&turns.lock);
    return NULL;
}

static void task_open(struct task *task)
{
    *task = (struct task) { .stack = malloc(STACK_BYTES) };
    if (!task->stack)
        abort();
    getcontext(&task->context);
    task->context.uc_stack.ss_sp = task->stack;
    task->context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&task->context, begin, 0);
    task->sanitizer = __tsan_create_fiber(0);
}

void turns_open(int tasks, int threads, void (*body)(int task))
{
    turns.body = body;
    turns.task_count = tasks;
    turns.thread_count = threads;
    turns.closing = turns.thread = 0;
    for (int i = 0; i < tasks; i++)
        task_open(&turns.tasks[i]);
    for (int i = 1; i < threads; i++)
        if (pthread_create(&turns.threads[i], NULL, thread_main, (void *)(intptr_t)i))
            abort();
}

void turns_close(void)
{
    pthread_mutex_lock(&turns.lock);
    turns.closing = 1;
    pthread_cond_broadcast(&turns.changed);
    pthread_mutex_unlock(&turns.lock);
    for (int i = 1; i < turns.thread_count; i++)
        pthread_join(turns.threads[i], NULL);
    for (int i = 0; i < turns.task_count; i++) {
        __tsan_destroy_fiber(turns.tasks[i].sanitizer);
        free(turns.tasks[i].stack);
    }
}

void turns_run(int task, int thread)
{
    if (turns.tasks[task].ended)
        return;
    if (thread == 0) {
        enter(task);
        return;
    }
    pthread_mutex_lock(&turns.lock);
    turns.task = task;
    turns.thread = thread;
    pthread_cond_broadcast(&turns.changed);
    while (turns.thread)
        pthread_cond_wait(&turns.changed, &turns.lock);
    pthread_mutex_unlock(&turns.lock);
}

void turns_pause(void)
{
    leave(0);
}

int32_t turns_yield(void *user)
{
    (void)user;
    if (running != NOBODY)
        leave(1);
    return 0;
}

int turns_task(void)
{
    return running;
}

int turns_inside(int task)
{
    return turns.tasks[task].inside;
}

int turns_ended(int task)
{
    return turns.tasks[task].ended;
}
