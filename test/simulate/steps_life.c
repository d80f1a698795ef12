/* Birth and death: arrays, views, wrapped memory, streams, and what garbage collectors do. */
#include "steps.h"

void step_create(const struct step *step, int task)
{
    static const int kinds[] = { BATON_DEVICE, BATON_DEVICE, BATON_DEVICE, BATON_DEVICE, BATON_HOST, BATON_UNIFIED };
    static const int counts[] = { 16, 16, 16, 16, 16, 8, 8, 32 };
    int cell = cell_free(step->n[0]), lane = lane_at(step->n[1]);
    (void)task;
    if (cell == NONE || lane == NONE)
        return;
    int device = world.lanes[lane].device, kind = kinds[step->n[2] % 6], count = counts[step->n[3] % 8], body = body_new(device, kind, count);
    if (body == NONE)
        return;
    int at_once = world.program->at_once && step->n[3] / 8 % 2;
    struct call call = call_on(at_once ? ACT_create_at_once : ACT_create, lane, NONE, NONE, NONE);
    call.allowed |= at_once ? MAY(BATON_WOULD_BLOCK) : 0;
    call.v[0] = cell, call.v[1] = device, call.v[2] = kind, call.v[3] = count, call.v[4] = lane;
    call.birth = body;
    world.cells[cell].busy = 1;         /* the place is taken */
    int32_t status = perform(&call, step);
    world.cells[cell].busy = 0;
    if (status)
        body_release(body);
    else
        cell_set(cell, piece_of(body, count), 0);
    world.bodies[body].lent |= world.lanes[lane].lent;
}

void step_wrap(const struct step *step, int task)
{
    int cell = cell_free(step->n[0]), lane = lane_at(step->n[1]), count = step->n[2] % 2 ? 16 : 8;
    (void)task;
    if (cell == NONE || lane == NONE || world.lanes[lane].capture || world.lanes[lane].device != 0)
        return;
    int body = body_new(0, BATON_HOST, count);
    if (body == NONE)
        return;
    struct call call = call_on(ACT_wrap, lane, NONE, NONE, NONE);
    call.v[0] = cell, call.v[1] = count, call.v[2] = lane;
    world.cells[cell].busy = 1;
    int32_t status = perform(&call, step);
    world.cells[cell].busy = 0;
    if (status) {
        body_release(body);
        return;
    }
    world.bodies[body].wrapped = 1;
    world.bodies[body].lent = world.lanes[lane].lent;
    for (int i = 0; i < count; i++)
        world.bodies[body].known[i] = 1;
    cell_set(cell, piece_of(body, count), 0);
}

void step_view(const struct step *step, int task)
{
    int to = cell_free(step->n[0]), from = cell_at(step->n[1]);
    (void)task;
    if (to == NONE || from == NONE || to == from)
        return;
    struct piece piece = cell_piece(from);
    int half = piece.count / 2;
    const int slices[][3] = { { 0, half, 1 }, { half, half, 1 }, { 0, half, 2 }, { 1, half, 2 }, { piece.count - 1, piece.count, -1 }, { 0, piece.count, 1 } };
    const int *slice = slices[step->n[2] % 6];
    if (half < 4)
        return;
    struct call call = call_on(ACT_view, NONE, from, NONE, NONE);
    call.v[0] = to, call.v[1] = from, call.v[2] = slice[0], call.v[3] = slice[1], call.v[4] = slice[2];
    call.bodies[0] = NONE;              /* no use of the memory */
    if (perform(&call, step))
        return;
    cell_set(to, (struct piece) { piece.body, piece.start + slice[0] * piece.step, slice[1], slice[2] * piece.step }, 1);
    body_retain(piece.body);
    world.cells[from].view = 1;         /* resize of either would part them */
}

/* Contents stay as far as there is room; views of the old memory keep it. */
void step_resize(const struct step *step, int task)
{
    static const int counts[] = { 8, 16, 32 };
    int cell = cell_at(step->n[0]), lane = lane_at(step->n[1]), count = counts[step->n[2] % 3];
    (void)task;
    if (cell == NONE || lane == NONE || world.lanes[lane].capture || world.cells[cell].busy || world.cells[cell].view)
        return;
    struct piece old = cell_piece(cell);
    struct body *from = &world.bodies[old.body];
    if (from->kind != BATON_DEVICE || from->device != world.lanes[lane].device || from->wrapped || old.count == count || from->busy || from->tensor != NONE)
        return;
    int body = body_new(from->device, from->kind, count);
    if (body == NONE)
        return;
    struct call call = call_on(ACT_resize, lane, cell, NONE, NONE);
    int kept = count < old.count ? count : old.count;
    call.v[0] = cell, call.v[1] = count, call.v[2] = lane;
    call.allowed = submission_allowed(lane, call.cells);
    call.effect.kind = COPY, call.effect.to = piece_of(body, kept), call.effect.left = piece_of(old.body, kept);
    call.needs = 1;
    call.birth = body;
    from->exclusive = 1;
    int32_t status = perform(&call, step);
    from->exclusive = 0;
    if (status) {
        body_release(body);
        return;
    }
    cell_clear(cell);
    cell_set(cell, piece_of(body, count), 0);
}

/* O2, O9: also while a submission by another task is under way that uses it. */
static void end(const struct step *step, int act)
{
    int cell = step->n[0] % ARRAYS;
    if (!world.cells[cell].alive || world.cells[cell].busy || world.bodies[world.cells[cell].piece.body].exclusive)
        return;
    struct call call = call_on(act, NONE, NONE, NONE, NONE);
    call.v[0] = cell;
    perform(&call, step);
    cell_clear(cell);
}

void step_release(const struct step *step, int task)
{
    (void)task;
    end(step, ACT_release);
}

void step_garbage(const struct step *step, int task)
{
    (void)task;
    end(step, ACT_garbage);
}

void step_collect(const struct step *step, int task)
{
    struct call call = call_on(ACT_collect, NONE, NONE, NONE, NONE);
    (void)task;
    perform(&call, step);
}

void step_dispose(const struct step *step, int task)
{
    int cell = cell_at(step->n[0]);
    (void)task;
    if (cell == NONE)
        return;
    struct body *body = &world.bodies[cell_piece(cell).body];
    if (body->busy || body->recorded || body->collected || body->tensor != NONE || world.cells[cell].busy)
        return;
    struct call call = call_on(ACT_dispose, NONE, cell, NONE, NONE);
    call.v[0] = cell;
    call.allowed |= body->kind != BATON_DEVICE || body->wrapped ? MAY(BATON_NOT_READY) : 0;
    for (int i = 0; i < STREAMS; i++)
        call.allowed |= world.lanes[i].capture ? MAY(BATON_NOT_READY) | MAY(BATON_ERR_CAPTURE) : 0;
    call.allowed |= body->exported ? MAY(BATON_ERR_BUSY) | MAY(BATON_NOT_READY) : 0;
    call.allowed |= body->lent ? MAY(BATON_NOT_READY) : 0;
    body->exclusive = 1;
    int32_t status = perform(&call, step);
    body->exclusive = 0;
    body->disposed |= !status;
}

void step_drain(const struct step *step, int task)
{
    struct call call = call_on(step->n[1] % 8 ? ACT_drain : ACT_trim, NONE, NONE, NONE, NONE);
    (void)task;
    call.v[0] = step->n[0] % 2;
    perform(&call, step);
}

/* 1 byte: nothing new fits. 0: no limit. */
void step_limit(const struct step *step, int task)
{
    struct call call = call_on(ACT_limit, NONE, NONE, NONE, NONE);
    (void)task;
    call.v[0] = step->n[0] % 2;
    call.v[1] = step->n[1] % 3 == 0;
    if (call.v[1])
        world.limited |= 1 << call.v[0];
    perform(&call, step);
    if (!call.v[1])
        world.limited &= ~(1 << call.v[0]);
}

static void stream_end(int lane)
{
    struct call call = call_on(ACT_stream_release, NONE, NONE, NONE, NONE), gone = call_on(ACT_stream_gone, NONE, NONE, NONE, NONE);
    call.v[0] = gone.v[0] = lane;
    if (world.lanes[lane].lent)
        perform(&gone, NULL);
    perform(&call, NULL);
    world.lanes[lane].alive = 0;
    for (int i = 0; i < BODIES; i++)
        if (world.bodies[i].foreign == lane)
            world.bodies[i].foreign = NONE;
}

static int stream_begin(const struct step *step, int lane, int task)
{
    static const int acts[] = { ACT_stream_legacy, ACT_stream_adopt, ACT_stream_adopt, ACT_stream_create };
    struct call call = call_on(acts[step->n[1] % 8 < 3 ? step->n[1] % 8 : 3], NONE, NONE, NONE, NONE);
    struct lane *made = &world.lanes[lane];
    call.v[0] = lane, call.v[1] = step->n[2] % 3 == 0;
    made->exclusive = 1;
    int32_t status = perform(&call, step);
    made->exclusive = 0;
    if (status)
        return 0;
    *made = (struct lane) { .alive = 1, .task = task, .device = call.v[1], .special = call.act == ACT_stream_legacy, .lent = call.act == ACT_stream_adopt,
                            .native = call.act == ACT_stream_adopt, .handle = call.made };
    return 1;
}

/* A new stream in the place of another, which may be at work. */
void step_stream(const struct step *step, int task)
{
    int lane = step->n[0] % STREAMS;
    const struct lane *old = &world.lanes[lane];
    if (old->busy || old->exclusive || old->forked || old->capture || old->scopes)
        return;
    for (int i = 0; i < BODIES; i++)
        if (world.bodies[i].references && world.bodies[i].tensor == lane)
            return;
    if (old->alive)
        stream_end(lane);
    if (!stream_begin(step, lane, task))
        return;
    struct call call = call_on(ACT_stream_task, NONE, NONE, NONE, NONE);
    call.v[0] = lane, call.v[1] = task + 1;
    perform(&call, NULL);
    if (step->n[3] % 2 == 0)
        step_native(&(struct step) { .n = { (int16_t)lane } }, task);
}

void step_native(const struct step *step, int task)
{
    int lane = lane_at(step->n[0]);
    (void)task;
    if (lane == NONE || world.lanes[lane].special)
        return;
    struct call call = call_on(ACT_stream_native, lane, NONE, NONE, NONE);
    call.v[0] = lane;
    world.lanes[lane].native |= !perform(&call, step);
}
