/* Captures and graphs. */
#include "steps.h"

void step_capture_begin(const struct step *step, int task)
{
    int lane = lane_at(step->n[0]);
    (void)task;
    if (lane == NONE)
        return;
    struct lane *l = &world.lanes[lane];
    struct call call = call_on(ACT_capture_begin, lane, NONE, NONE, NONE);
    call.v[0] = lane, call.v[1] = world.program->threads > 1 ? BATON_CAPTURE_RELAXED : step->n[1] % 3;
    call.allowed = l->capture ? MAY(BATON_ERR_CAPTURE) : l->special ? MAY(BATON_ERR_STREAM) : l->scopes ? MAY(BATON_ERR_BUSY) : MAY(BATON_OK);
    struct record *record = record_new(l->task, l->device);
    if (perform(&call, step))
        record_release(record);
    else
        l->capture = record;
}

void capture_finish(const struct step *step, int lane, int graph)
{
    struct lane *l = &world.lanes[lane];
    struct call call = call_on(graph == NONE ? ACT_capture_abandon : ACT_capture_end, lane, NONE, NONE, NONE);
    struct record *record = l->capture;
    call.v[0] = lane, call.v[1] = graph;
    call.allowed = l->scopes ? MAY(graph == NONE ? BATON_ERR_CAPTURE : BATON_ERR_BUSY) : record->broken ? ~(uint64_t)0 : MAY(BATON_OK);
    if (graph != NONE)
        world.graph_busy[graph]++;
    int32_t status = perform(&call, step);
    if (graph != NONE)
        world.graph_busy[graph]--;
    if (status == BATON_ERR_BUSY || (status && l->scopes) || l->capture != record)
        return;
    l->capture = NULL;
    for (int i = 0; i < STREAMS; i++)
        if (world.lanes[i].forked == record) {
            world.lanes[i].forked = NULL;
            world.lanes[i].exclusive = 0;
        }
    if (status || graph == NONE)
        record_release(record);
    else
        world.graphs[graph] = record;
}

void step_capture_end(const struct step *step, int task)
{
    int lane = lane_captured(step->n[0]), graph = step->n[1] % GRAPHS;
    (void)task;
    if (lane == NONE)
        return;
    if (step->n[2] % 5 == 0)
        capture_finish(step, lane, NONE);
    else if (!world.graphs[graph] && !world.graph_busy[graph])
        capture_finish(step, lane, graph);
}

static void fork_follow(int after, int before)
{
    struct call call = call_on(ACT_stream_follow, after, NONE, NONE, NONE);
    call.v[0] = after, call.v[1] = before;
    call.allowed |= MAY(BATON_ERR_BUSY);
    perform(&call, NULL);
}

/* A second stream takes part in the capture, fills something, and is joined again. */
void step_fork(const struct step *step, int task)
{
    int origin = lane_captured(step->n[0]), other = lane_at(step->n[1]), cell = cell_at(step->n[2]);
    (void)task;
    if (origin == NONE || other == NONE || cell == NONE || !piece_contiguous(cell_piece(cell)))
        return;
    struct lane *from = &world.lanes[origin], *to = &world.lanes[other];
    const struct body *body = &world.bodies[cell_piece(cell).body];
    if (to->capture || to->special || to->busy || from->busy || to->device != from->device || body->device != from->device || body->kind != BATON_DEVICE)
        return;
    from->exclusive = to->exclusive = 1;
    fork_follow(other, origin);
    to->capture = from->capture;
    struct call call = call_on(ACT_fill, other, cell, NONE, NONE);
    call.v[0] = cell, call.v[1] = step->n[3], call.v[2] = other;
    call.effect.kind = RANGE, call.effect.to = cell_piece(cell), call.effect.x = step->n[3];
    call.needs = 1;
    perform(&call, step);
    fork_follow(origin, other);
    to->capture = NULL;
    from->exclusive = 0;
    to->forked = from->capture;
}

/* One that is there, if any is. */
static int present(int number, struct record *const *table)
{
    for (int i = 0; i < GRAPHS; i++)
        if (table[(number + i) % GRAPHS])
            return (number + i) % GRAPHS;
    return number % GRAPHS;
}

void step_instantiate(const struct step *step, int task)
{
    int graph = present(step->n[0], world.graphs), executable = step->n[1] % GRAPHS;
    (void)task;
    if (!world.graphs[graph] || world.executables[executable] || world.executable_busy[executable])
        return;
    struct call call = call_on(ACT_instantiate, NONE, NONE, NONE, NONE);
    struct record *record = world.graphs[graph];
    call.v[0] = graph, call.v[1] = executable;
    world.graph_busy[graph]++;
    world.executable_busy[executable]++;
    if (!perform(&call, step)) {
        record_retain(record);
        world.executables[executable] = record;
    }
    world.executable_busy[executable]--;
    world.graph_busy[graph]--;
}

void step_update(const struct step *step, int task)
{
    int executable = present(step->n[0], world.executables), graph = present(step->n[1], world.graphs);
    (void)task;
    if (!world.graphs[graph] || !world.executables[executable] || world.executable_busy[executable])
        return;
    struct call call = call_on(ACT_update, NONE, NONE, NONE, NONE);
    struct record *record = world.graphs[graph], *old = world.executables[executable];
    call.v[0] = executable, call.v[1] = graph;
    call.allowed = record->device != old->device ? MAY(BATON_ERR_DEVICE) : record == old ? MAY(BATON_OK) : MAY(BATON_OK) | MAY(BATON_ERR_TOPOLOGY);
    world.graph_busy[graph]++;
    world.executable_busy[executable]++;
    record_retain(record);
    int32_t status = perform(&call, step);
    record_release(status ? record : old);
    if (!status)
        world.executables[executable] = record;
    world.executable_busy[executable]--;
    world.graph_busy[graph]--;
}

static uint64_t launch_allowed(int lane, const struct record *record)
{
    const struct lane *l = &world.lanes[lane];
    const int none[] = { NONE, NONE, NONE };
    if (l->device != record->device)
        return MAY(BATON_ERR_DEVICE);
    uint64_t allowed = submission_allowed(lane, none);
    return l->special ? allowed | MAY(BATON_ERR_STREAM) : allowed;
}

void step_graph_launch(const struct step *step, int task)
{
    int executable = present(step->n[0], world.executables), lane = lane_at(step->n[1]);
    struct record *record = world.executables[executable];
    (void)task;
    if (!record || lane == NONE || record_exclusive(record) || world.executable_busy[executable])
        return;
    struct call call = call_on(ACT_graph_launch, lane, NONE, NONE, NONE);
    call.v[0] = executable, call.v[1] = lane;
    call.allowed = launch_allowed(lane, record);
    call.launches = record;
    record_retain(record);
    world.executable_busy[executable]++;
    perform(&call, step);
    world.executable_busy[executable]--;
    record_release(record);
}

void step_graph_release(const struct step *step, int task)
{
    int number = step->n[0] % GRAPHS, executable = step->n[1] % 2;
    struct record **table = executable ? world.executables : world.graphs;
    (void)task;
    if (!table[number] || (executable ? world.executable_busy : world.graph_busy)[number])
        return;
    struct call call = call_on(executable ? ACT_executable_release : ACT_graph_release, NONE, NONE, NONE, NONE);
    call.v[0] = number;
    perform(&call, NULL);
    record_release(table[number]);
    table[number] = NULL;
}
