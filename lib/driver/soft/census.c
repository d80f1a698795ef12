#include "driver/soft/check.h"
#include "driver/soft/context.h"
#include "driver/soft/row.h"

#include <stdio.h>

uint64_t soft_problems(void)
{
    uint64_t problems;
    pthread_mutex_lock(&soft_machine.lock);
    problems = soft_machine.problems;
    pthread_mutex_unlock(&soft_machine.lock);
    return problems;
}

void soft_problem_text(char *text, size_t bytes)
{
    if (!bytes)
        return;
    pthread_mutex_lock(&soft_machine.lock);
    snprintf(text, bytes, "%s", soft_machine.problem);
    pthread_mutex_unlock(&soft_machine.lock);
}

void soft_problems_reset(void)
{
    pthread_mutex_lock(&soft_machine.lock);
    soft_machine.problems = 0;
    soft_machine.problem[0] = 0;
    pthread_mutex_unlock(&soft_machine.lock);
}

void soft_census(struct soft_census *census)
{
    *census = (struct soft_census) { 0 };
    pthread_mutex_lock(&soft_machine.lock);
    for (size_t i = 0; i < soft_machine.block_count; i++)
        if (soft_machine.blocks[i]->live) {
            census->bytes += soft_machine.blocks[i]->bytes;
            census->allocations++;
        }
    census->streams = soft_handle_count(SOFT_QUEUE);
    census->events = soft_handle_count(SOFT_EVENT);
    census->modules = soft_handle_count(SOFT_MODULE);
    census->functions = soft_handle_count(SOFT_FUNCTION);
    census->graphs = soft_handle_count(SOFT_GRAPH);
    census->executables = soft_handle_count(SOFT_EXECUTABLE);
    census->contexts = soft_handle_count(SOFT_CONTEXT);
    pthread_mutex_unlock(&soft_machine.lock);
}

void soft_set_memory(uint64_t bytes)
{
    pthread_mutex_lock(&soft_machine.lock);
    soft_machine.memory = bytes ? bytes : 1ULL << 30;
    pthread_mutex_unlock(&soft_machine.lock);
}

void soft_set_peer(int device, int peer, int possible)
{
    if (device < 0 || device >= SOFT_DEVICES || peer < 0 || peer >= SOFT_DEVICES)
        return;
    pthread_mutex_lock(&soft_machine.lock);
    if (possible)
        soft_machine.barred[device] &= ~(1U << peer);
    else
        soft_machine.barred[device] |= 1U << peer;
    pthread_mutex_unlock(&soft_machine.lock);
}

void soft_fault(int device, int code)
{
    pthread_mutex_lock(&soft_machine.lock);
    if (soft_device_valid(device))
        soft_context_lose(&soft_machine.contexts[device], code);
    pthread_mutex_unlock(&soft_machine.lock);
}
