/* Random programs of public operations on the software device, whose schedule is drawn too: many tasks that hop between threads, streams of two devices,
 * captures and graphs, scopes, exports, foreign work, finalizers and failing driver calls. Statuses, data, the order on the device, races and leaks are
 * checked. A program that fails is shrunk and printed as C. Deterministic: a seed gives the same run each time.
 *
 *   simulate [OPTION...]
 *     --seed S       the first seed (1)              --seeds N     how many (400); 0: as many as there is time for
 *     --seconds T    stop after so many; 0: never    --steps N     steps of a program (150)
 *     --faults N     in one of N steps a driver call fails; 0: none (by turns 0, 12)
 *     --out FILE     where a failing program goes ("simulate-failed.c")
 *     --shrink 0     print what failed as it was drawn
 *     --drop-wait K  let the driver ignore waits on the device from the K-th on: what must be found */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "driver/driver.h"
#include "engine.h"

enum { BATCH = 200, BOTH = -1 };

static struct options {
    uint64_t seed, seeds;
    int seconds, steps, faults, drop_wait, shrink;
    const char *out;
} options = { .seed = 1, .seeds = 400, .steps = 150, .faults = BOTH, .shrink = 1, .out = "simulate-failed.c" };

static struct verdict verdict;
static struct program program;

/* The clock that the simulated programs see is another one. */
static double now(void)
{
    struct timespec time;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int usage(void)
{
    fprintf(stderr, "usage: simulate [--seed S] [--seeds N] [--seconds T] [--steps N] [--faults N] [--out FILE] [--shrink 0] [--drop-wait K]\n");
    return 2;
}

static int read_options(int count, char **arguments)
{
    for (int i = 1; i < count; i += 2) {
        const char *value = i + 1 < count ? arguments[i + 1] : NULL;
        if (!value)
            return usage();
        if (!strcmp(arguments[i], "--seed"))
            options.seed = strtoull(value, NULL, 0);
        else if (!strcmp(arguments[i], "--seeds"))
            options.seeds = strtoull(value, NULL, 0);
        else if (!strcmp(arguments[i], "--seconds"))
            options.seconds = atoi(value);
        else if (!strcmp(arguments[i], "--steps"))
            options.steps = atoi(value);
        else if (!strcmp(arguments[i], "--faults"))
            options.faults = atoi(value);
        else if (!strcmp(arguments[i], "--drop-wait"))
            options.drop_wait = atoi(value);
        else if (!strcmp(arguments[i], "--shrink"))
            options.shrink = atoi(value);
        else if (!strcmp(arguments[i], "--out"))
            options.out = value;
        else
            return usage();
    }
    return 0;
}

/* A smaller program may fail in another way: then it is no smaller version of this one. What they have in common are the words before the first number. */
static int fails(const struct program *smaller)
{
    struct verdict found;
    return engine_try(smaller, &found, NULL) && !strncmp(found.trouble, verdict.trouble, strcspn(verdict.trouble, "0123456789"));
}

static int report(uint64_t seed, int faults)
{
    program_draw(&program, seed, options.steps, faults);
    program.drop_wait = options.drop_wait;
    printf("seed %llu, %d steps, faults %d: %s\n", (unsigned long long)seed, options.steps, faults, verdict.trouble);
    if (!engine_try(&program, &verdict, NULL)) {
        printf("alone it does not fail: it needs the programs before it\n");
        return EXIT_FAILURE;
    }
    if (options.shrink)
        program_shrink(&program, fails);
    engine_try(&program, &verdict, options.out);
    printf("comes to %d steps of %d tasks on %d threads: %s\nprinted as %s\n", program.count, program.tasks, program.threads, verdict.trouble, options.out);
    return EXIT_FAILURE;
}

static void add(struct figures *sum)
{
    sum->programs += verdict.figures.programs;
    sum->operations += verdict.figures.operations;
    sum->suspensions += verdict.figures.suspensions;
    sum->faults += verdict.figures.faults;
    sum->waits += verdict.figures.waits;
    sum->lost += verdict.figures.lost;
}

static void print_figures(const struct figures *sum, double seconds)
{
    printf("%llu programs, %llu operations (%llu let others run inside), %llu device waits, %llu failed calls, %llu lost devices, %.0f s: nothing found\n",
           (unsigned long long)sum->programs, (unsigned long long)sum->operations, (unsigned long long)sum->suspensions, (unsigned long long)sum->waits,
           (unsigned long long)sum->faults, (unsigned long long)sum->lost, seconds);
    fflush(stdout);
}

int main(int count, char **arguments)
{
    struct figures sum = { .programs = 0 };
    double begin = now(), said = begin;
    if (read_options(count, arguments))
        return 2;
    for (uint64_t done = 0; !options.seeds || done < options.seeds; done += BATCH) {
        uint64_t left = options.seeds ? options.seeds - done : BATCH;
        struct batch batch = { .first = options.seed + done, .seeds = left < BATCH ? left : BATCH, .steps = options.steps, .drop_wait = options.drop_wait };
        batch.faults = options.faults == BOTH ? (int)(done / BATCH % 2) * 12 : options.faults;
        uint64_t found = engine_batch(&batch, &verdict);
        add(&sum);
        if (found || verdict.trouble[0])
            return report(found, batch.faults);
        if (options.seconds && now() - begin > options.seconds)
            break;
        if (now() - said > 60)
            print_figures(&sum, (said = now()) - begin);
    }
    print_figures(&sum, now() - begin);
    return EXIT_SUCCESS;
}
