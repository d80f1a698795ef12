#include "world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world world;

/* What others may have brought about while a call waited: a capture, a scope, a limit. */
#define MEANWHILE (MAY(BATON_ERR_CAPTURE) | MAY(BATON_ERR_BUSY) | MAY(BATON_ERR_OOM))

void world_trouble(const char *format, ...)
{
    va_list arguments;
    if (world.trouble[0])
        return;
    va_start(arguments, format);
    vsnprintf(world.trouble, sizeof world.trouble, format, arguments);
    va_end(arguments);
}

void world_open(const struct program *program)
{
    struct entry *log = world.log ? world.log : calloc(MOST_ENTRIES, sizeof *log);
    if (!log)
        abort();
    memset(&world, 0, sizeof world);
    world.log = log;
    world.program = program;
    if (!(world.oracle = oracle_new(BODIES)))
        abort();
    world.lost_before = instrument_lost();
}

static int task_now(void)
{
    return turns_task() == NONE ? MAIN : turns_task();
}

/* Whether the right moment has come for what the call does to its memories. */
static void call_progress(struct call *call, const struct oracle_step *step)
{
    struct record *capture = call->lane == NONE ? NULL : world.lanes[call->lane].capture;
    call->made = step->stream_made ? step->stream_made : call->made;
    call->works += step->works;
    call->captured += step->captured;
    if (call->applied || (!call->needs && !call->launches))
        return;
    if (step->captured && capture) {
        call->applied = 1;
        for (int i = 0; call->launches && i < call->launches->count; i++)
            capture->broken |= !record_add(capture, &call->launches->effects[i]);
        if (!call->launches)
            capture->broken |= !record_add(capture, &call->effect);
    } else if (step->works && call->works >= (call->launches ? 1 : call->needs)) {
        call->applied = 1;
        for (int i = 0; call->launches && i < call->launches->count; i++)
            effect_apply(&call->launches->effects[i], step->work, NULL);
        if (!call->launches)
            effect_apply(&call->effect, call->works - step->works + 1 == call->needs ? step->first : step->work, call->snapshot);
    }
}

void world_replay(void)
{
    struct call *call = world.calls[task_now()];
    int failures = (int)instrument_failures();
    struct oracle_step step = oracle_replay(world.oracle);
    int dropped = world.program->drop_wait ? world.program->drop_wait - (int)oracle_counted(world.oracle).waits : 0;
    if (world.program->drop_wait)
        instrument_fail(DRIVER_ROW_stream_wait_event, (uint64_t)(dropped > 1 ? dropped : 1), DRIVER_SUCCESS, 1);
    else if (call)
        call->faulted |= failures > 0;
    world.lost |= instrument_lost() != world.lost_before;
    if (call && call->birth != NONE && step.allocated >= 0)
        oracle_birth(world.oracle, (unsigned)call->birth, step.allocated);
    if (call)
        call_progress(call, &step);
    if (oracle_trouble(world.oracle)[0] && !world.program->drop_wait && !world.lost)
        world_trouble("the order on the device: %s", oracle_trouble(world.oracle));
    if (soft_problems() && !world.lost) {
        char text[300];
        soft_problem_text(text, sizeof text);
        world_trouble("the device saw: %s", text);
    }
}

int32_t world_hook(void *user)
{
    struct call *call = world.calls[task_now()];
    world_replay();
    if (call && !call->suspended++)
        world.suspensions++;
    return stage_hook(user);
}

static struct entry *log_add(enum entry_kind what)
{
    static struct entry beyond;
    struct entry *entry = world.log_count < MOST_ENTRIES ? &world.log[world.log_count++] : &beyond;
    memset(entry, 0, sizeof *entry);
    entry->task = task_now();
    entry->what = what;
    return entry;
}

void log_pause(int task)
{
    log_add(ENTRY_PAUSE)->task = task;
}

/* In use, or no more. */
static void mark(const struct call *call, int by)
{
    for (int i = 0; i < 3 && call->cells[i] != NONE && !call->may_end; i++)
        world.cells[call->cells[i]].busy += by;
    for (int i = 0; i < USED && call->bodies[i] != NONE; i++) {
        world.bodies[call->bodies[i]].busy += by;
        world.bodies[call->bodies[i]].references += by;
        world.bodies[call->bodies[i]].lent |= call->lane != NONE && world.lanes[call->lane].lent;
        world.bodies[call->bodies[i]].collected |= call->lane != NONE && world.lanes[call->lane].capture != NULL;
        if (by > 0)
            body_used(call->bodies[i], call->lane);
    }
    if (call->lane != NONE)
        world.lanes[call->lane].busy += by;
    for (int i = 0; call->launches && i < call->launches->count; i++) {
        const struct effect *e = &call->launches->effects[i];
        const int used[] = { e->to.body, e->left.body, e->right.body };
        for (int k = 0; k < 3; k++) {
            if (used[k] == NONE)
                continue;
            world.bodies[used[k]].busy += by;
            if (by > 0)
                body_used(used[k], call->lane);
        }
    }
}

/* A call that fails, or a device that is lost. */
static void begin_fault(const struct entry *entry)
{
    if (driver_code_sticky(entry->fault_code)) {
        soft_fault(entry->fault_nth % 2, entry->fault_code);
        world.lost = 1;
    } else {
        instrument_fail((enum driver_row)entry->fault_row, (uint64_t)entry->fault_nth, entry->fault_code, 0);
    }
}

static void begin(struct call *call, const struct step *step)
{
    struct entry *entry = log_add(ENTRY_CALL);
    entry->act = call->act;
    memcpy(entry->v, call->v, sizeof entry->v);
    call->allowed |= world.limited ? MAY(BATON_ERR_OOM) : 0;        /* strided transfers need memory too */
    entry->allowed = call->allowed;
    world_replay();
    if (step && step->fault_nth && !world.program->drop_wait) {
        entry->fault_row = step->fault_row;
        entry->fault_nth = step->fault_nth;
        entry->fault_code = step->fault_code;
        begin_fault(entry);
    }
    mark(call, 1);
    error = (baton_error)BATON_ERROR_INIT;
    world.calls[task_now()] = call;
}

/* BATON_RUNTIME_TRY: some scope, or a call that another task is in, may hold the array. */
static uint64_t refused(const struct call *call)
{
    int holders = call->suspended;
    for (int i = 0; i < TURNS_TASKS; i++)
        holders += world.scopes[i].open || (i != task_now() && world.calls[i]);
    return world.program->flags & BATON_RUNTIME_TRY && holders ? MAY(BATON_WOULD_BLOCK) : 0;
}

/* With what has happened since the call began. */
static uint64_t allowed_by_now(const struct call *call)
{
    int asks = call->act == ACT_array_fence || call->act == ACT_array_query;
    if (call->faulted || world.lost)
        return ~(uint64_t)0;
    return call->allowed | refused(call) | (call->suspended ? MEANWHILE : 0) | (asks && world.bodies[call->bodies[0]].lent ? MAY(BATON_ERR_STREAM) : 0);
}

static void judge(struct call *call, int32_t status)
{
    uint64_t allowed = allowed_by_now(call);
    if (!(allowed & MAY(status)))
        world_trouble("%s: %s%s%s", act_text(call->act), baton_status_name(status), status < 0 ? ": " : "", status < 0 ? error.message : "");
    if (status == BATON_OK && call->needs && !call->applied && !call->faulted && !world.lost)
        world_trouble("%s: nothing was submitted", act_text(call->act));
    int foreign = call->act == ACT_foreign || call->act == ACT_tensor_foreign || call->act == ACT_stream_adopt;
    if (status < 0 && !foreign && !call->suspended && (error.status != status || !error.message[0]))
        world_trouble("%s: %s, and the error record says %s", act_text(call->act), baton_status_name(status), baton_status_name(error.status));
}

int32_t perform(struct call *call, const struct step *step)
{
    struct entry *entry;
    int at = world.log_count;
    begin(call, step);
    int32_t status = act_call(call->act, call->v);
    world_replay();
    world.calls[task_now()] = NULL;
    world.operations++;
    world.faults += (uint64_t)call->faulted;
    if (status && call->works + call->captured && !call->applied)
        effect_unknown(&call->effect);
    if (call->faulted && call->lane != NONE && world.lanes[call->lane].capture)
        world.lanes[call->lane].capture->broken = 1;
    judge(call, status);
    mark(call, -1);
    entry = &world.log[at < MOST_ENTRIES ? at : 0];
    entry->allowed = allowed_by_now(call);
    return status;
}

void snapshot_expect(struct snapshot *snapshot, int number)
{
    struct entry *entry;
    size_t length = 0;
    if (!snapshot->taken || world.lost)
        return;
    entry = log_add(ENTRY_EXPECT);
    entry->v[0] = number;
    for (int i = 0; i < snapshot->count; i++) {
        length += (size_t)(snapshot->known[i] ? sprintf(entry->expected + length, "%d ", snapshot->value[i]) : sprintf(entry->expected + length, "? "));
        if (snapshot->known[i] && place[number][i] != snapshot->value[i])
            world_trouble("element %d of what was downloaded is %d instead of %d", i, place[number][i], snapshot->value[i]);
    }
}
