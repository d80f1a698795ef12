#include "driver/soft/schedule.h"

/* splitmix64 */
static uint64_t schedule_draw(uint64_t below)
{
    uint64_t z = (soft_machine.random += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return (z ^ (z >> 31)) % below;
}

static uint64_t schedule_count(void)
{
    uint64_t count = 0;
    for (int i = 0; i < soft_machine.devices; i++)
        for (struct soft_queue *queue = soft_machine.contexts[i].queues; queue; queue = queue->next)
            count += soft_queue_ready(queue) != NULL;
    return count;
}

static struct soft_queue *schedule_pick(uint64_t index)
{
    for (int i = 0; i < soft_machine.devices; i++)
        for (struct soft_queue *queue = soft_machine.contexts[i].queues; queue; queue = queue->next)
            if (soft_queue_ready(queue) && index-- == 0)
                return queue;
    return NULL;
}

int soft_schedule_one(void)
{
    uint64_t count = schedule_count();
    struct soft_queue *queue;
    if (!count)
        return 0;
    queue = schedule_pick(schedule_draw(count));
    soft_machine.running++;
    soft_queue_run(queue, soft_queue_ready(queue));
    soft_machine.running--;
    pthread_cond_broadcast(&soft_machine.progress);
    return 1;
}

void soft_schedule_some(void)
{
    if (!soft_machine.seed || schedule_draw(1 + soft_machine.seed / 2 % 8))
        return;
    for (uint64_t i = schedule_draw(4); i && soft_schedule_one(); i--)
        ;
}

void soft_schedule(uint64_t seed)
{
    pthread_mutex_lock(&soft_machine.lock);
    soft_machine.next_seed = seed;
    pthread_mutex_unlock(&soft_machine.lock);
}
