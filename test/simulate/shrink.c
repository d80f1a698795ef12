/* Delta debugging: whatever can be left out, or made smaller, while the program still fails, is. */
#include "program.h"

#include <string.h>

static struct program attempt;

/* Takes the attempt over if it fails too. */
static int keep(struct program *program, int (*fails)(const struct program *program))
{
    if (!fails(&attempt))
        return 0;
    *program = attempt;
    return 1;
}

static int without(struct program *program, int from, int count, int (*fails)(const struct program *program))
{
    attempt = *program;
    memmove(&attempt.steps[from], &attempt.steps[from + count], (size_t)(program->count - from - count) * sizeof *attempt.steps);
    attempt.count -= count;
    return keep(program, fails);
}

static int fewer_steps(struct program *program, int (*fails)(const struct program *program))
{
    int smaller = 0;
    for (int size = program->count / 2; size >= 1; size /= 2)
        for (int from = program->count - size; from >= 0; from -= size)
            smaller |= from + size <= program->count && without(program, from, size, fails);
    return smaller;
}

/* All steps of one task go to another; the last task's number is then free. */
static int fewer_tasks(struct program *program, int (*fails)(const struct program *program))
{
    int smaller = 0;
    for (int task = program->tasks - 1; task > 0; task--) {
        attempt = *program;
        attempt.tasks = task;
        for (int i = 0; i < attempt.count; i++)
            if (attempt.steps[i].task >= task)
                attempt.steps[i].task = (uint8_t)(task - 1);
        smaller |= keep(program, fails);
    }
    attempt = *program;
    attempt.threads = 1;
    for (int i = 0; i < attempt.count; i++)
        attempt.steps[i].thread = 0;
    return (program->threads > 1 && keep(program, fails)) || smaller;
}

static int simpler_step(struct program *program, int index, int (*fails)(const struct program *program))
{
    int smaller = 0;
    if (program->steps[index].fault_nth) {
        attempt = *program;
        attempt.steps[index].fault_nth = 0;
        smaller |= keep(program, fails);
    }
    if (program->steps[index].thread) {
        attempt = *program;
        attempt.steps[index].thread = 0;
        smaller |= keep(program, fails);
    }
    for (int k = 0; k < DRAWN; k++)
        for (int16_t value = 0; value < program->steps[index].n[k] && value < 4; value++) {
            attempt = *program;
            attempt.steps[index].n[k] = value;
            if (keep(program, fails)) {
                smaller = 1;
                break;
            }
        }
    return smaller;
}

static int simpler_whole(struct program *program, int (*fails)(const struct program *program))
{
    int smaller = 0;
    if (program->drop_wait > 1) {
        attempt = *program;
        attempt.drop_wait = 1;
        smaller |= keep(program, fails);
    }
    if (program->flags) {
        attempt = *program;
        attempt.flags = 0;
        smaller |= keep(program, fails);
    }
    if (program->runtime_first) {
        attempt = *program;
        attempt.runtime_first = 0;
        smaller |= keep(program, fails);
    }
    return smaller;
}

void program_shrink(struct program *program, int (*fails)(const struct program *program))
{
    int smaller = 1;
    for (int round = 0; smaller && round < 8; round++) {
        smaller = fewer_steps(program, fails) | fewer_tasks(program, fails) | simpler_whole(program, fails);
        for (int i = 0; i < program->count; i++)
            smaller |= simpler_step(program, i, fails);
    }
}
