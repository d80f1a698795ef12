/* Submissions: fills, copies, arithmetic, kernels, and what goes to and from the host. */
#include "steps.h"

void step_fill(const struct step *step, int task)
{
    int to = cell_at(step->n[0]), lane = lane_at(step->n[2]);
    (void)task;
    if (to == NONE || lane == NONE)
        return;
    struct call call = call_on(ACT_fill, lane, to, NONE, NONE);
    call.v[0] = to, call.v[1] = step->n[1], call.v[2] = lane;
    call.allowed = kernel_allowed(lane, call.cells);
    call.effect.kind = RANGE, call.effect.to = cell_piece(to), call.effect.x = step->n[1];
    call.needs = call.may_end = 1;
    perform(&call, step);
}

/* What the shapes and places of two operands permit. */
static uint64_t pair_allowed(uint64_t allowed, struct piece to, struct piece from, int under)
{
    if (to.count != from.count)
        return MAY(BATON_ERR_SHAPE) | (to.body == from.body ? MAY(BATON_ERR_OVERLAP) : 0);
    if (to.body != from.body || (under && piece_equal(to, from)))
        return allowed;
    return piece_meets(to, from) ? MAY(BATON_ERR_OVERLAP) : allowed | MAY(BATON_ERR_OVERLAP);
}

static void move(const struct step *step, int act, int under)
{
    int to = cell_at(step->n[0]), from = cell_like(step->n[1], to), lane = lane_at(step->n[2]);
    if (to == NONE || from == NONE || lane == NONE)
        return;
    struct call call = call_on(act, lane, to, from, NONE);
    call.v[0] = to, call.v[1] = from, call.v[2] = lane;
    call.allowed = pair_allowed(kernel_allowed(lane, call.cells), cell_piece(to), cell_piece(from), under);
    call.effect.kind = COPY, call.effect.to = cell_piece(to), call.effect.left = cell_piece(from);
    call.needs = call.may_end = 1;
    perform(&call, step);
}

void step_copy(const struct step *step, int task)
{
    (void)task;
    move(step, ACT_copy, 0);
}

void step_cast(const struct step *step, int task)
{
    (void)task;
    move(step, ACT_cast, 1);
}

void step_upload(const struct step *step, int task)
{
    int to = cell_at(step->n[0]), lane = lane_at(step->n[3]);
    (void)task;
    if (to == NONE || lane == NONE)
        return;
    struct call call = call_on(ACT_upload, lane, to, NONE, NONE);
    call.v[0] = to, call.v[1] = step->n[1], call.v[2] = step->n[2], call.v[3] = cell_piece(to).count, call.v[4] = lane;
    call.allowed = kernel_allowed(lane, call.cells);
    call.effect.kind = RANGE, call.effect.to = cell_piece(to), call.effect.x = step->n[1], call.effect.y = step->n[2];
    call.needs = piece_contiguous(cell_piece(to)) ? 1 : 2;
    perform(&call, step);
}

static void download(const struct step *step, int number, int cell, int lane, int act)
{
    struct call call = call_on(act, lane, cell, NONE, NONE);
    int captured = world.lanes[lane].capture != NULL;
    call.v[0] = number, call.v[1] = 4 * cell_piece(cell).count, call.v[2] = cell, call.v[3] = lane;
    call.allowed = captured ? MAY(BATON_ERR_CAPTURE) : kernel_allowed(lane, call.cells);
    call.effect.kind = READ, call.effect.left = cell_piece(cell);
    call.needs = 1;
    world.snapshots[number].taken = 0;
    call.snapshot = &world.snapshots[number];
    world.place_busy[number] = 1;
    int32_t status = perform(&call, step);
    world.place_busy[number] = 0;
    if (!status && act == ACT_download)
        snapshot_expect(call.snapshot, number);
    if (!status && act == ACT_download_async)
        world.place_busy[number] = world.fence_busy[number] = 1;
}

static int place_at(int number)
{
    for (int i = 0; i < PLACES; i++)
        if (!world.place_busy[(number + i) % PLACES] && !world.fence_busy[(number + i) % PLACES])
            return (number + i) % PLACES;
    return NONE;
}

void step_download(const struct step *step, int task)
{
    int number = place_at(step->n[0]), cell = cell_at(step->n[1]), lane = lane_at(step->n[2]);
    (void)task;
    if (number != NONE && cell != NONE && lane != NONE)
        download(step, number, cell, lane, ACT_download);
}

void step_download_async(const struct step *step, int task)
{
    int number = place_at(step->n[0]), cell = cell_at(step->n[1]), lane = lane_at(step->n[2]);
    (void)task;
    if (number != NONE && cell != NONE && lane != NONE && !step->fault_nth)     /* a fault may leave the copy under way with no way to know its end */
        download(step, number, cell, lane, ACT_download_async);
}

void step_range(const struct step *step, int task)
{
    int to = cell_at(step->n[0]), lane = lane_at(step->n[3]);
    (void)task;
    if (to == NONE || lane == NONE)
        return;
    struct call call = call_on(ACT_range, lane, to, NONE, NONE);
    call.v[0] = to, call.v[1] = step->n[1], call.v[2] = step->n[2], call.v[3] = lane;
    call.allowed = kernel_allowed(lane, call.cells);
    call.effect.kind = RANGE, call.effect.to = cell_piece(to), call.effect.x = step->n[1], call.effect.y = step->n[2];
    call.needs = 1;
    perform(&call, step);
}

void step_arithmetic(const struct step *step, int task)
{
    int to = cell_at(step->n[0]), left = cell_like(step->n[1], to), right = cell_like(step->n[2], to), lane = lane_at(step->n[3]);
    (void)task;
    if (to == NONE || left == NONE || right == NONE || lane == NONE)
        return;
    struct call call = call_on(ACT_arithmetic, lane, to, left, right);
    uint64_t base = kernel_allowed(lane, call.cells), one = pair_allowed(base, cell_piece(to), cell_piece(left), 1),
             other = pair_allowed(base, cell_piece(to), cell_piece(right), 1);
    call.v[0] = 1 + step->n[4] % 4, call.v[1] = to, call.v[2] = left, call.v[3] = right, call.v[4] = lane;
    call.allowed = one & other & MAY(BATON_OK) ? one | other : (one | other) & ~MAY(BATON_OK);
    call.effect.kind = ARITHMETIC, call.effect.function = call.v[0];
    call.effect.to = cell_piece(to), call.effect.left = cell_piece(left), call.effect.right = cell_piece(right);
    call.needs = call.may_end = 1;
    perform(&call, step);
}

void step_scale(const struct step *step, int task)
{
    int to = cell_at(step->n[0]), left = cell_like(step->n[1], to), lane = lane_at(step->n[3]);
    (void)task;
    if (to == NONE || left == NONE || lane == NONE)
        return;
    struct call call = call_on(ACT_scale, lane, to, left, NONE);
    call.v[0] = 1 + step->n[4] % 4, call.v[1] = to, call.v[2] = left, call.v[3] = step->n[2], call.v[4] = lane;
    call.allowed = pair_allowed(kernel_allowed(lane, call.cells), cell_piece(to), cell_piece(left), 1);
    call.effect.kind = ARITHMETIC, call.effect.function = call.v[0], call.effect.x = step->n[2];
    call.effect.to = cell_piece(to), call.effect.left = cell_piece(left);
    call.needs = call.may_end = 1;
    perform(&call, step);
}

/* The kernel walks over plain addresses: what is behind them lies apart or is the same, and in one run. */
static int kernel_takes(struct piece to, struct piece from)
{
    return piece_contiguous(to) && piece_contiguous(from) && to.count == from.count && (piece_equal(to, from) || !piece_meets(to, from));
}

static void mix_cells(const struct step *step, int act, int lane, const int *cells, int scope_of)
{
    struct piece to = cell_piece(cells[0]), left = cell_piece(cells[1]), right = cell_piece(cells[2]);
    struct call call = call_on(act, lane, cells[0], cells[1], cells[2]);
    if (!kernel_takes(to, left) || !kernel_takes(to, right))
        return;
    call.v[0] = cells[0], call.v[1] = cells[1], call.v[2] = cells[2], call.v[3] = step->n[3], call.v[4] = lane, call.v[5] = scope_of;
    call.allowed = kernel_allowed(lane, call.cells);
    call.effect.kind = MIX, call.effect.to = to, call.effect.left = left, call.effect.right = right, call.effect.x = step->n[3];
    call.needs = call.may_end = 1;
    perform(&call, step);
}

void step_mix(const struct step *step, int task)
{
    int to = cell_at(step->n[0]);
    const int cells[] = { to, cell_like(step->n[1], to), cell_like(step->n[2], to) };
    int lane = lane_at(step->n[4]);
    (void)task;
    if (cells[0] != NONE && cells[1] != NONE && cells[2] != NONE && lane != NONE)
        mix_cells(step, ACT_mix, lane, cells, 0);
}

/* A cell of the scope's memories. */
static int cell_held(int number, const struct owned_scope *own)
{
    for (int i = 0; i < ARRAYS; i++) {
        int cell = (number + i) % ARRAYS;
        if (cell_usable(cell) && (cell_piece(cell).body == own->pieces[0].body || cell_piece(cell).body == own->pieces[1].body))
            return cell;
    }
    return NONE;
}

void step_scope_mix(const struct step *step, int task)
{
    const struct owned_scope *own = &world.scopes[task];
    const int cells[] = { cell_held(step->n[0], own), cell_held(step->n[1], own), cell_held(step->n[2], own) };
    if (cells[0] != NONE)
        mix_cells(step, ACT_scope_mix, own->lane, cells, task);
}

/* P3 */
void step_scope_pointer(const struct step *step, int task)
{
    const struct owned_scope *own = &world.scopes[task];
    int cell = cell_held(step->n[0], own);
    if (cell == NONE)
        return;
    struct call call = call_on(ACT_scope_pointer, own->lane, cell, NONE, NONE);
    call.v[0] = task, call.v[1] = cell;
    perform(&call, step);
    if (call.suspended)
        world_trouble("%s: it waited", act_text(call.act));
    address[cell] = 0;
}

void step_managed(const struct step *step, int task)
{
    int to = cell_at(step->n[0]), lane = lane_at(step->n[2]);
    (void)task;
    if (to == NONE || lane == NONE || !piece_contiguous(cell_piece(to)) || world.bodies[cell_piece(to).body].wrapped)
        return;
    struct call call = call_on(ACT_managed, lane, to, NONE, NONE);
    call.v[0] = to, call.v[1] = step->n[1], call.v[2] = cell_piece(to).count, call.v[3] = lane;
    call.allowed = submission_allowed(lane, call.cells);
    call.effect.kind = RANGE, call.effect.to = cell_piece(to), call.effect.x = step->n[1];
    call.needs = 1;
    perform(&call, step);
}
