#include "driver/soft/machine.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "baton.h"
#include "driver/soft/check.h"
#include "driver/soft/context.h"
#include "driver/soft/heap.h"
#include "driver/soft/row.h"
#include "driver/soft/schedule.h"

struct soft_machine soft_machine = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .progress = PTHREAD_COND_INITIALIZER, .memory = 1ULL << 30
};

static _Thread_local struct soft_thread thread_state;

struct soft_thread *soft_thread(void)
{
    static atomic_uint_fast64_t threads;
    struct soft_thread *thread = &thread_state;
    if (!thread->id)
        thread->id = atomic_fetch_add(&threads, 1) + 1;
    if (thread->generation != soft_machine.generation)
        *thread = (struct soft_thread) {
            .id = thread->id, .generation = soft_machine.generation, .inside = thread->inside
        };
    return thread;
}

int soft_thread_inside(int inside)
{
    int old = thread_state.inside;
    thread_state.inside = inside;
    return old;
}

int soft_enter(void)
{
    pthread_mutex_lock(&soft_machine.lock);
    if (!soft_machine.initialized)
        return DRIVER_NOT_INITIALIZED;
    if (soft_thread()->inside)
        return DRIVER_NOT_PERMITTED;
    soft_schedule_some();
    return DRIVER_SUCCESS;
}

int soft_leave(int code)
{
    pthread_mutex_unlock(&soft_machine.lock);
    return code;
}

static void machine_start_locked(int devices)
{
    soft_machine.devices = devices;
    soft_machine.generation++;
    soft_machine.seed = soft_machine.next_seed;
    soft_machine.random = soft_machine.seed;
    soft_machine.host_version = 1;
    for (int i = 0; i < devices; i++)
        soft_machine.contexts[i] = (struct soft_context) { .device = i };
}

int32_t soft_open(int devices)
{
    int32_t status = BATON_OK;
    if (devices < 1 || devices > SOFT_DEVICES)
        return BATON_ERR_ARGUMENT;
    pthread_mutex_lock(&soft_machine.lock);
    if (soft_machine.references && soft_machine.devices != devices)
        status = BATON_ERR_BUSY;
    else if (soft_machine.references++ == 0)
        machine_start_locked(devices);
    pthread_mutex_unlock(&soft_machine.lock);
    return status;
}

/* Work has run out and nobody can submit more. */
static void machine_clear_locked(void)
{
    void *object;
    for (int i = 0; i < soft_machine.devices; i++)
        soft_context_destroy(&soft_machine.contexts[i]);
    while ((object = soft_handle_any(SOFT_POOL, NULL)))
        soft_pool_delete(object);
    soft_pools_settle(0);
    soft_clock_clear(&soft_machine.host);
    free(soft_machine.blocks);
    soft_machine.blocks = NULL;
    soft_machine.block_count = soft_machine.block_capacity = 0;
    while (soft_machine.slots) {
        struct soft_slot *slot = soft_machine.slots;
        soft_machine.slots = slot->next;
        free(slot);
    }
}

void soft_close(void)
{
    pthread_mutex_lock(&soft_machine.lock);
    if (!soft_machine.references || --soft_machine.references) {
        pthread_mutex_unlock(&soft_machine.lock);
        return;
    }
    soft_machine.initialized = 0;
    soft_machine.references = 1;        /* nobody may open while it is taken apart */
    machine_clear_locked();
    pthread_mutex_unlock(&soft_machine.lock);
    soft_queue_reap();
    pthread_mutex_lock(&soft_machine.lock);
    soft_machine.references = 0;
    soft_machine.generation++;
    pthread_mutex_unlock(&soft_machine.lock);
}

int soft_init(unsigned int flags)
{
    int code = DRIVER_SUCCESS;
    pthread_mutex_lock(&soft_machine.lock);
    if (flags)
        code = DRIVER_INVALID_VALUE;
    else if (!soft_machine.references)
        code = DRIVER_NO_DEVICE;
    else
        soft_machine.initialized = 1;
    return soft_leave(code);
}

int soft_version(int *version)
{
    if (!version)
        return DRIVER_INVALID_VALUE;
    *version = 13000;
    return DRIVER_SUCCESS;
}
