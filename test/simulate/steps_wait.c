/* Waiting, asking, fences, and addresses for other code. */
#include "steps.h"

/* Without a switch to another task meanwhile, the host must know that all uses have ended. */
static void must_be_finished(const struct call *call, int body, void *except)
{
    if (!call->suspended && !call->faulted && !world.lost && !world.program->drop_wait)
        oracle_finished(world.oracle, (unsigned)body, except);
    if (oracle_trouble(world.oracle)[0] && !world.program->drop_wait)
        world_trouble("%s: %s", act_text(call->act), oracle_trouble(world.oracle));
}

void step_synchronize_array(const struct step *step, int task)
{
    int cell = cell_at(step->n[0]);
    (void)task;
    if (cell == NONE)
        return;
    struct call call = call_on(ACT_array_synchronize, NONE, cell, NONE, NONE);
    call.v[0] = cell, call.v[1] = step->n[1] % 3;
    if (!perform(&call, step))
        must_be_finished(&call, call.bodies[0], NULL);
}

void step_synchronize_stream(const struct step *step, int task)
{
    int lane = lane_at(step->n[0]);
    (void)task;
    if (lane == NONE)
        return;
    struct call call = call_on(ACT_stream_synchronize, lane, NONE, NONE, NONE);
    call.v[0] = lane, call.v[1] = step->n[1] % 3;
    if (world.lanes[lane].capture)
        call.allowed = MAY(BATON_ERR_CAPTURE);
    if (perform(&call, step) || call.suspended || call.faulted || world.lost || world.program->drop_wait || !world.lanes[lane].handle)
        return;
    oracle_idle(world.oracle, world.lanes[lane].handle);
    if (oracle_trouble(world.oracle)[0])
        world_trouble("%s: %s", act_text(call.act), oracle_trouble(world.oracle));
}

void step_query(const struct step *step, int task)
{
    int cell = cell_at(step->n[0]), lane = lane_at(step->n[1]);
    (void)task;
    if (step->n[2] % 2 && cell != NONE) {
        struct call call = call_on(ACT_array_query, NONE, cell, NONE, NONE);
        call.v[0] = cell;
        call.allowed |= MAY(BATON_NOT_READY);
        if (!perform(&call, step))
            must_be_finished(&call, call.bodies[0], NULL);
    } else if (lane != NONE) {
        struct call call = call_on(ACT_stream_query, lane, NONE, NONE, NONE);
        call.v[0] = lane;
        call.allowed = world.lanes[lane].capture ? MAY(BATON_ERR_CAPTURE) : MAY(BATON_OK) | MAY(BATON_NOT_READY);
        perform(&call, step);
    }
}

/* Into a capture only by a fork that joins again. */
void step_follow(const struct step *step, int task)
{
    int after = lane_at(step->n[0]), before = lane_at(step->n[1]);
    (void)task;
    if (after == NONE || before == NONE || world.lanes[before].capture || world.lanes[after].capture)
        return;
    struct call call = call_on(ACT_stream_follow, after, NONE, NONE, NONE);
    call.v[0] = after, call.v[1] = before;
    call.allowed = submission_allowed(after, call.cells);
    world.lanes[before].busy++;
    perform(&call, step);
    world.lanes[before].busy--;
}

void step_fence(const struct step *step, int task)
{
    int number = step->n[0] % FENCES, cell = cell_at(step->n[1]), lane = lane_at(step->n[2]), of_array = step->n[3] % 2;
    (void)task;
    if (world.fence_busy[number] || world.place_busy[number] || (of_array ? cell : lane) == NONE)
        return;
    struct call call = call_on(of_array ? ACT_array_fence : ACT_stream_fence, of_array ? NONE : lane, of_array ? cell : NONE, NONE, NONE);
    call.v[0] = number, call.v[1] = of_array ? cell : lane;
    if (!of_array && world.lanes[lane].capture)
        call.allowed = MAY(BATON_ERR_CAPTURE);
    world.fence_busy[number] = 2;       /* not there yet */
    world.fence_busy[number] = !perform(&call, step);
}

static void fence_end(int number)
{
    struct call call = call_on(ACT_fence_release, NONE, NONE, NONE, NONE);
    call.v[0] = number;
    perform(&call, NULL);
    world.fence_busy[number] = world.place_busy[number] = 0;
}

/* A download's fence is waited for in the end; others are also asked, or waited for in vain. */
void step_fence_wait(const struct step *step, int task)
{
    int number = step->n[0] % FENCES;
    for (int i = 0; i < FENCES && world.fence_busy[number] != 1; i++)
        number = (number + 1) % FENCES;
    int way = step->n[1] % 4, download = world.place_busy[number];
    (void)task;
    if (world.fence_busy[number] != 1)
        return;
    struct call call = call_on(way ? ACT_fence_wait : ACT_fence_query, NONE, NONE, NONE, NONE);
    call.v[0] = number, call.v[1] = way == 1 ? 0 : -1, call.v[2] = step->n[2] % 3;
    call.allowed |= way == 0 ? MAY(BATON_NOT_READY) : way == 1 ? MAY(BATON_TIMEOUT) : 0;
    world.fence_busy[number] = 2;
    int32_t status = perform(&call, step);
    world.fence_busy[number] = 1;
    if (!status && download)
        snapshot_expect(&world.snapshots[number], number);
    if (!status || (!download && step->n[3] % 2))
        fence_end(number);
}

/* P1, P4: from now on foreign code may submit work on that stream, until somebody else uses the memory. */
void step_pointer(const struct step *step, int task)
{
    int cell = cell_at(step->n[0]), lane = lane_at(step->n[1]);
    (void)task;
    if (cell == NONE || lane == NONE || world.lanes[lane].capture)
        return;
    struct call call = call_on(step->n[2] % 4 ? ACT_pointer : ACT_note_use, lane, cell, NONE, NONE);
    int body = call.bodies[0], noted = call.act == ACT_note_use;
    call.v[0] = cell, call.v[1] = lane;
    call.allowed = submission_allowed(lane, call.cells);
    if (noted && world.bodies[body].foreign != lane)
        return;                         /* there was no such work */
    if (perform(&call, step) || noted)
        return;
    if (world.lanes[lane].handle)
        must_be_finished(&call, body, world.lanes[lane].handle);
    if (world.bodies[body].busy == 0 && !world.lanes[lane].capture)     /* which may have begun while it waited */
        world.bodies[body].foreign = lane;
}

void step_foreign(const struct step *step, int task)
{
    int cell = NONE;
    (void)task;
    for (int i = 0; i < ARRAYS && cell == NONE; i++) {
        int at = (step->n[0] + i) % ARRAYS;
        cell = cell_usable(at) && address[at] && world.bodies[cell_piece(at).body].foreign != NONE ? at : NONE;
    }
    if (cell == NONE || !piece_contiguous(cell_piece(cell)))
        return;
    struct body *body = &world.bodies[cell_piece(cell).body];
    int lane = body->foreign;
    if (lane == NONE || body->wrapped || body->busy || !world.lanes[lane].native || world.lanes[lane].capture || world.lanes[lane].exclusive || body->tensor != NONE || !address[cell])
        return;
    struct call call = call_on(ACT_foreign, lane, NONE, NONE, NONE);
    call.v[0] = cell, call.v[1] = step->n[1], call.v[2] = cell_piece(cell).count, call.v[3] = world.lanes[lane].device, call.v[4] = lane;
    call.effect.kind = RANGE, call.effect.to = cell_piece(cell), call.effect.x = step->n[1];
    call.needs = 1;
    perform(&call, NULL);
}

/* P2. What the host finds there is what the work has left. */
void step_host_pointer(const struct step *step, int task)
{
    int cell = cell_at(step->n[0]);
    (void)task;
    if (cell == NONE)
        return;
    struct piece piece = cell_piece(cell);
    struct body *body = &world.bodies[piece.body];
    struct call call = call_on(ACT_host_pointer, NONE, cell, NONE, NONE);
    call.v[0] = cell, call.v[1] = step->n[1] % 2 ? BATON_READ : BATON_READ_WRITE;
    call.allowed = body->kind == BATON_DEVICE ? MAY(BATON_ERR_KIND) : MAY(BATON_OK);
    if (perform(&call, step) || world.lost || call.suspended)       /* others may have gone on using it */
        return;
    if (call.v[1] != BATON_READ)
        must_be_finished(&call, piece.body, NULL);
    const int32_t *found = (const int32_t *)(uintptr_t)address[cell];
    for (int i = 0; i < piece.count; i++)
        if (body->known[piece.start + i * piece.step] && found[i * piece.step] != body->value[piece.start + i * piece.step])
            world_trouble("element %d at a host pointer is %d instead of %d", i, found[i * piece.step], body->value[piece.start + i * piece.step]);
    address[cell] = 0;
}
