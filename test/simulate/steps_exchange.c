/* Arrays that leave for other libraries and come back. */
#include "steps.h"

/* One that is alive, if there is one. */
static int started(int number, const int *table)
{
    for (int i = 0; i < EXPORTS; i++)
        if (table[(number + i) % EXPORTS] > 0)
            return (number + i) % EXPORTS;
    return number % EXPORTS;
}

/* P5: the consumer works on that stream, whenever it likes, as long as it is the last that used the memory. */
void step_export(const struct step *step, int task)
{
    int number = step->n[0] % EXPORTS, cell = cell_at(step->n[1]), lane = lane_at(step->n[2]);
    (void)task;
    if (world.exported[number] || cell == NONE || lane == NONE || world.lanes[lane].capture || world.bodies[cell_piece(cell).body].tensor != NONE)
        return;
    struct call call = call_on(ACT_tensor_out, lane, cell, NONE, NONE);
    int body = call.bodies[0], start = cell_piece(cell).start;
    call.v[0] = number, call.v[1] = cell, call.v[2] = lane;
    call.allowed = submission_allowed(lane, call.cells);
    world.exported[number] = -1;
    int32_t status = perform(&call, step);
    world.exported[number] = 0;
    if (status)
        return;
    world.exported[number] = body + 1;
    world.export_start[number] = start;
    world.export_lane[number] = lane;
    world.lanes[lane].busy++;           /* it must outlive the export */
    world.bodies[body].tensor = lane;
    world.bodies[body].exported = 1;
    world.bodies[body].foreign = world.bodies[body].busy == 0 && !world.lanes[lane].capture ? lane : NONE;
    body_retain(body);
}

void step_export_foreign(const struct step *step, int task)
{
    int number = started(step->n[0], world.exported);
    (void)task;
    if (world.exported[number] <= 0)
        return;
    int at = world.exported[number] - 1;
    struct body *body = &world.bodies[at];
    int lane = body->foreign;
    if (lane == NONE || lane != body->tensor || body->wrapped || body->busy || body->exclusive || !world.lanes[lane].native || world.lanes[lane].capture || world.lanes[lane].exclusive)
        return;
    struct call call = call_on(ACT_tensor_foreign, lane, NONE, NONE, NONE);
    call.v[0] = number, call.v[1] = step->n[1], call.v[2] = 1, call.v[3] = world.lanes[lane].device, call.v[4] = lane;
    call.needs = 1;
    call.effect.kind = RANGE, call.effect.to = (struct piece) { at, world.export_start[number], 1, 1 }, call.effect.x = step->n[1];
    perform(&call, NULL);
}

void step_export_end(const struct step *step, int task)
{
    int number = started(step->n[0], world.exported);
    (void)task;
    if (world.exported[number] <= 0)
        return;
    struct body *body = &world.bodies[world.exported[number] - 1];
    struct call call = call_on(ACT_tensor_end, NONE, NONE, NONE, NONE);
    call.v[0] = number;
    perform(&call, NULL);
    int ended = world.exported[number];
    world.exported[number] = 0;
    world.lanes[world.export_lane[number]].busy--;
    body->tensor = body->foreign = NONE;
    for (int i = 0; i < EXPORTS; i++)               /* one that began while this one did */
        if (world.exported[i] == ended)
            body->tensor = world.export_lane[i];
    body_release(ended - 1);
}

/* The same bytes are two memories to the library meanwhile: nobody else may use them. */
void step_exchange(const struct step *step, int task)
{
    int cell = cell_at(step->n[0]), lane = lane_at(step->n[2]);
    (void)task;
    if (cell == NONE || lane == NONE || world.lanes[lane].capture)
        return;
    struct body *body = &world.bodies[cell_piece(cell).body];
    if (body->busy || body->tensor != NONE || body->wrapped || body->recorded)
        return;
    struct call call = call_on(ACT_exchange, lane, cell, NONE, NONE);
    call.v[0] = cell, call.v[1] = step->n[1], call.v[2] = lane;
    call.allowed = submission_allowed(lane, call.cells) | MAY(BATON_ERR_KIND);
    call.effect.kind = RANGE, call.effect.to = cell_piece(cell), call.effect.x = step->n[1];
    call.needs = 1;
    body->exclusive = body->exported = 1;
    perform(&call, step);
    body->exclusive = 0;
}

void step_arrow(const struct step *step, int task)
{
    int number = step->n[0] % EXPORTS, cell = cell_at(step->n[1]);
    (void)task;
    if (world.arrows[number] || cell == NONE || !piece_contiguous(cell_piece(cell)))
        return;
    struct call call = call_on(ACT_arrow_out, NONE, cell, NONE, NONE);
    int body = call.bodies[0];
    call.v[0] = number, call.v[1] = cell;
    world.arrows[number] = -1;
    int32_t status = perform(&call, step);
    world.arrows[number] = status ? 0 : body + 1;
    if (status)
        return;
    body_retain(body);
    world.bodies[body].exported = 1;
}

void step_arrow_end(const struct step *step, int task)
{
    int number = started(step->n[0], world.arrows);
    (void)task;
    if (world.arrows[number] <= 0)
        return;
    struct call call = call_on(ACT_arrow_end, NONE, NONE, NONE, NONE);
    call.v[0] = number;
    perform(&call, NULL);
    body_release(world.arrows[number] - 1);
    world.arrows[number] = 0;
}
