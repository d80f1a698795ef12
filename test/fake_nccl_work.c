/* What the stand-in for libnccl does on the streams. */
#include "fake_nccl.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LIMIT_S = 20 };

/* ---- element types, in NCCL's order; no sums of half precision here */

const size_t fake_nccl_sizes[10] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2 };

#define ADD(type, to, from, count)                      \
    for (uint64_t i = 0; i < (count); i++)              \
        ((type *)(to))[i] = (type)(((type *)(to))[i] + ((const type *)(from))[i])

static void add(int type, void *to, const void *from, uint64_t count)
{
    switch (type) {
    case 0: ADD(int8_t, to, from, count); break;
    case 1: ADD(uint8_t, to, from, count); break;
    case 2: ADD(int32_t, to, from, count); break;
    case 3: ADD(uint32_t, to, from, count); break;
    case 4: ADD(int64_t, to, from, count); break;
    case 5: ADD(uint64_t, to, from, count); break;
    case 7: ADD(float, to, from, count); break;
    default: ADD(double, to, from, count); break;
    }
}

/* ---- the work, on the streams' threads. Whoever waits in vain for the others leaves its memory as it is. */

int fake_nccl_wait(struct meeting *meeting)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += LIMIT_S;
    return pthread_cond_timedwait(&meeting->changed, &meeting->lock, &limit) == 0;
}

/* Lock held. */
static int meet(struct meeting *meeting)
{
    uint64_t round = meeting->round;
    int met = 1;
    if (++meeting->arrived == meeting->world) {
        meeting->arrived = 0;
        meeting->round++;
        pthread_cond_broadcast(&meeting->changed);
    }
    while (meeting->round == round && met)
        met = fake_nccl_wait(meeting);
    return met;
}

static void slot_put(struct slot *slot, const struct call *call)
{
    slot->bytes = call->count * fake_nccl_sizes[call->type];
    slot->type = call->type;
    memcpy(slot->data, call->from, slot->bytes);
}

static int slot_fits(const struct slot *slot, const struct call *call)
{
    return slot->bytes == call->count * fake_nccl_sizes[call->type] && slot->type == call->type;
}

static void finish_collective(const struct call *call)
{
    struct meeting *meeting = call->communicator->meeting;
    int first = call->kind == BROADCAST ? call->root : 0;
    if (!slot_fits(&meeting->slots[first], call))
        return;
    memcpy(call->to, meeting->slots[first].data, meeting->slots[first].bytes);
    for (int i = 1; i < meeting->world && call->kind == ALL_REDUCE; i++)
        if (slot_fits(&meeting->slots[i], call))
            add(call->type, call->to, meeting->slots[i].data, call->count);
}

static void run_collective(const struct call *call)
{
    struct meeting *meeting = call->communicator->meeting;
    slot_put(&meeting->slots[call->communicator->rank], call);
    if (!meet(meeting))
        return;
    finish_collective(call);
    meet(meeting);
}

static void run_mail(const struct call *call)
{
    struct meeting *meeting = call->communicator->meeting;
    int own = call->communicator->rank, sends = call->kind == SEND, there = 1;
    int sender = sends ? own : call->peer, receiver = sends ? call->peer : own;
    while (meeting->mail[sender][receiver].full == sends && there)
        there = fake_nccl_wait(meeting);
    struct slot *slot = &meeting->mail[sender][receiver].slot;
    if (sends && there)
        slot_put(slot, call);
    else if (there && slot_fits(slot, call))
        memcpy(call->to, slot->data, slot->bytes);
    meeting->mail[sender][receiver].full = sends;
    pthread_cond_broadcast(&meeting->changed);
}

void fake_nccl_run(const struct soft_grid *grid, void *const *arguments)
{
    struct call *call = *(struct call *const *)arguments[2];
    struct meeting *meeting = call->communicator->meeting;
    (void)grid;
    pthread_mutex_lock(&meeting->lock);
    if (call->kind == ALL_REDUCE || call->kind == BROADCAST)
        run_collective(call);
    else
        run_mail(call);
    pthread_mutex_unlock(&meeting->lock);
    free(call);
}
