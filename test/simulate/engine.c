#include "engine.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "print.h"
#include "world.h"

enum { LIMIT_S = 30, MOST_ROUNDS = 4000 };

/* Steps that a task has been given and not begun. */
static struct {
    const struct step *steps[MOST_STEPS];
    int given, taken, thread;
} queues[TURNS_TASKS];
static int ending;

static void task_body(int task)
{
    for (;;) {
        if (queues[task].taken < queues[task].given)
            step_run(queues[task].steps[queues[task].taken++], task);
        else if (ending)
            break;
        if (queues[task].taken < queues[task].given)
            continue;
        if (!ending) {
            log_pause(task);
            turns_pause();
        }
    }
    steps_finish(task);
}

/* A task that waits within a call stays on its thread, unless the library was told that tasks take turns. */
static void turn(int task, int thread)
{
    if (turns_inside(task) && !world.program->yields)
        thread = queues[task].thread;
    queues[task].thread = thread;
    if (world.turn_count < MOST_TURNS)
        world.turns[world.turn_count++] = task * TURNS_THREADS + thread;
    turns_run(task, thread);
}

static int all_ended(int tasks)
{
    for (int i = 0; i < tasks; i++)
        if (!turns_ended(i))
            return 0;
    return 1;
}

static void run_tasks(const struct program *program)
{
    ending = 0;
    memset(queues, 0, sizeof queues);
    turns_open(program->tasks, program->threads, task_body);
    for (int i = 0; i < program->count && !world.trouble[0]; i++) {
        const struct step *step = &program->steps[i];
        queues[step->task].steps[queues[step->task].given++] = step;
        turn(step->task, step->thread);
    }
    ending = 1;
    for (int round = 0; !all_ended(program->tasks) && round < MOST_ROUNDS && !(world.trouble[0] && round > 100); round++)
        for (int i = 0; i < program->tasks; i++)
            if (!turns_ended(i))
                turn(i, round % program->threads);
    if (!all_ended(program->tasks))
        world_trouble("the tasks do not get on: somebody waits for ever");
}

static void count(struct verdict *verdict)
{
    struct oracle_counts counts = oracle_counted(world.oracle);
    verdict->figures.programs++;
    verdict->figures.operations += world.operations;
    verdict->figures.suspensions += world.suspensions;
    verdict->figures.faults += world.faults;
    verdict->figures.waits += counts.waits;
    verdict->figures.lost += (uint64_t)world.lost;
}

void engine_run(const struct program *program, struct verdict *verdict, FILE *print)
{
    const char *left = "";
    world_open(program);
    stage_open(program->seed, program->flags, world_hook, program->yields);
    world_replay();
    run_tasks(program);
    if (all_ended(program->tasks)) {
        turns_close();
        if (!world.trouble[0])
            steps_check();
        world_replay();
        instrument_reset();
        left = stage_close(program->runtime_first, world.lost);
    }
    if (left[0])
        world_trouble("at the end: %s", left);
    count(verdict);
    snprintf(verdict->trouble, sizeof verdict->trouble, "%s", world.trouble);
    if (print)
        print_program(program, print);
    for (int i = 0; i < GRAPHS; i++) {
        if (world.graphs[i])
            record_release(world.graphs[i]);
        if (world.executables[i])
            record_release(world.executables[i]);
    }
    oracle_free(world.oracle);
}

static const struct program *printed_program;
static FILE *printed;

/* A crash is a finding too: what was called until then is printed, and then it goes on as it would have. */
static void on_crash(int signal_number)
{
    if (printed) {
        print_program(printed_program, printed);
        fflush(printed);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static struct verdict *verdict_new(void)
{
    struct verdict *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
    return shared;
}

static void watch_crashes(void)
{
    static const int signals[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGALRM };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], on_crash);
}

/* How the child ended, where that is a finding of its own. */
static void judge_end(int status, struct verdict *verdict)
{
    if (WIFSIGNALED(status))
        snprintf(verdict->trouble, sizeof verdict->trouble, WTERMSIG(status) == SIGALRM ? "it hangs" : "it ends by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) && !verdict->trouble[0])
        snprintf(verdict->trouble, sizeof verdict->trouble, "it exits with %d", WEXITSTATUS(status));
}

int engine_try(const struct program *program, struct verdict *verdict, const char *print)
{
    struct verdict *shared = verdict_new();
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(LIMIT_S);
        printed_program = program;
        printed = print ? fopen(print, "w") : NULL;
        watch_crashes();
        engine_run(program, shared, printed);
        if (printed)
            fclose(printed);
        _exit(0);
    }
    waitpid(child, &status, 0);
    judge_end(status, shared);
    *verdict = *shared;
    munmap(shared, sizeof *shared);
    return verdict->trouble[0] != '\0';
}

/* Up to the first program that loses a device: what that had given out stays where it is, so that the rest need a process of their own. */
static void batch_child(const struct batch *batch, uint64_t from, struct verdict *shared, _Atomic uint64_t *seed)
{
    static struct program program;
    uint64_t lost = shared->figures.lost;
    for (uint64_t i = from; i < batch->first + batch->seeds && !shared->trouble[0] && shared->figures.lost == lost; i++) {
        alarm(LIMIT_S);
        *seed = i;
        program_draw(&program, i, batch->steps, batch->faults);
        program.drop_wait = batch->drop_wait;
        engine_run(&program, shared, NULL);
    }
    _exit(0);
}

uint64_t engine_batch(const struct batch *batch, struct verdict *verdict)
{
    struct verdict *shared = verdict_new();
    _Atomic uint64_t *seed = mmap(NULL, sizeof *seed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status;
    if (seed == MAP_FAILED)
        abort();
    fflush(NULL);
    for (uint64_t from = batch->first; from < batch->first + batch->seeds && !shared->trouble[0]; from = *seed + 1) {
        pid_t child = fork();
        if (child < 0)
            abort();
        if (child == 0)
            batch_child(batch, from, shared, seed);
        waitpid(child, &status, 0);
        judge_end(status, shared);
    }
    *verdict = *shared;
    uint64_t found = verdict->trouble[0] ? *seed : 0;
    munmap(shared, sizeof *shared);
    munmap((void *)seed, sizeof *seed);
    return found;
}
