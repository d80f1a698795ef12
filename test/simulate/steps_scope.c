/* Scopes: begun on one thread, ended on another, with turns of other tasks between. */
#include "steps.h"

void step_scope_begin(const struct step *step, int task)
{
    int lane = lane_at(step->n[0]), first = cell_at(step->n[1]), second = cell_at(step->n[2]);
    if (lane == NONE || first == NONE || second == NONE)
        return;
    struct call call = call_on(ACT_scope_begin, lane, first, second, NONE);
    call.v[0] = task, call.v[1] = lane, call.v[2] = first, call.v[3] = second, call.v[4] = step->n[3] % 4 == 0;
    call.allowed = submission_allowed(lane, call.cells) | (call.v[4] ? MAY(BATON_WOULD_BLOCK) : 0);
    struct owned_scope own = { 1, lane, { cell_piece(first), cell_piece(second) } };
    if (perform(&call, step))
        return;
    world.scopes[task] = own;
    world.lanes[lane].scopes++;
    world.lanes[lane].busy++;
    for (int i = 0; i < 2; i++) {
        body_retain(own.pieces[i].body);
        world.bodies[own.pieces[i].body].busy++;
    }
}

void scope_finish(const struct step *step, int task, int abort)
{
    struct owned_scope *own = &world.scopes[task];
    struct call end = call_on(abort ? ACT_scope_abort : ACT_scope_end, NONE, NONE, NONE, NONE), release = call_on(ACT_scope_release, NONE, NONE, NONE, NONE);
    end.v[0] = release.v[0] = task;
    if (perform(&end, step) && !end.faulted && !world.lost)
        return;
    own->open = 0;
    world.lanes[own->lane].scopes--;
    world.lanes[own->lane].busy--;
    for (int i = 0; i < 2; i++) {
        world.bodies[own->pieces[i].body].busy--;
        body_release(own->pieces[i].body);
    }
    perform(&release, NULL);
}

void step_scope_end(const struct step *step, int task)
{
    scope_finish(step, task, step->n[0] % 4 == 0);
}
