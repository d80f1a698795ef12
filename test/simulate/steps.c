#include "steps.h"

int lane_at(int number)
{
    int lane = number % STREAMS;
    return world.lanes[lane].alive && !world.lanes[lane].exclusive ? lane : NONE;
}

int lane_captured(int number)
{
    for (int i = 0; i < STREAMS; i++) {
        int lane = lane_at(number + i);
        if (lane != NONE && world.lanes[lane].capture)
            return lane;
    }
    return NONE;
}

int cell_at(int number)
{
    for (int i = 0; i < 3; i++)
        if (cell_usable((number + i) % ARRAYS))
            return (number + i) % ARRAYS;
    return NONE;
}

int cell_like(int number, int cell)
{
    if (cell == NONE || number % 16 == 0)
        return cell_at(number);
    for (int i = 0; i < ARRAYS; i++)
        if (cell_usable((number + i) % ARRAYS) && cell_piece((number + i) % ARRAYS).count == cell_piece(cell).count)
            return (number + i) % ARRAYS;
    return NONE;
}

int cell_free(int number)
{
    for (int i = 0; i < ARRAYS; i++)
        if (!world.cells[(number + i) % ARRAYS].alive && !world.cells[(number + i) % ARRAYS].busy)
            return (number + i) % ARRAYS;
    return NONE;
}

struct piece cell_piece(int cell)
{
    return world.cells[cell].piece;
}

int piece_contiguous(struct piece piece)
{
    return piece.step == 1;
}

uint64_t submission_allowed(int lane, const int *cells)
{
    const struct lane *l = &world.lanes[lane];
    uint64_t allowed = MAY(BATON_OK);
    for (int i = 0; i < STREAMS; i++)
        if (world.lanes[i].capture && world.lanes[i].capture != l->capture && world.lanes[i].capture->task == l->task)
            allowed |= MAY(BATON_ERR_CAPTURE);          /* C3 */
    for (int i = 0; i < 3 && cells[i] != NONE; i++) {
        const struct body *body = &world.bodies[cell_piece(cells[i]).body];
        if (l->capture && (body->kind != BATON_DEVICE || body->device != l->device))
            allowed |= MAY(BATON_ERR_CAPTURE) | MAY(BATON_ERR_PEER) | MAY(BATON_ERR_DEVICE);
    }
    return allowed;
}

uint64_t kernel_allowed(int lane, const int *cells)
{
    uint64_t allowed = submission_allowed(lane, cells);
    for (int i = 0; i < 3 && cells[i] != NONE; i++)
        if (world.bodies[cell_piece(cells[i]).body].wrapped)
            allowed |= MAY(BATON_ERR_KIND);
    return allowed;
}

struct call call_on(int act, int lane, int first, int second, int third)
{
    const int cells[3] = { first, second, third };
    struct call call = { .act = act, .lane = lane, .birth = NONE, .allowed = MAY(BATON_OK), .effect.to.body = NONE, .effect.left.body = NONE, .effect.right.body = NONE };
    int count = 0;
    for (int i = 0; i < USED; i++)
        call.bodies[i] = NONE;
    for (int i = 0; i < 3; i++) {
        call.cells[i] = cells[i];
        if (cells[i] != NONE)
            call.bodies[count++] = cell_piece(cells[i]).body;
    }
    return call;
}

static void (*const kinds[STEP_COUNT])(const struct step *step, int task) = {
    [STEP_CREATE] = step_create, [STEP_WRAP] = step_wrap, [STEP_VIEW] = step_view, [STEP_RESIZE] = step_resize, [STEP_RELEASE] = step_release,
    [STEP_GARBAGE] = step_garbage, [STEP_COLLECT] = step_collect, [STEP_DISPOSE] = step_dispose, [STEP_DRAIN] = step_drain, [STEP_LIMIT] = step_limit,
    [STEP_STREAM] = step_stream, [STEP_NATIVE] = step_native,
    [STEP_FILL] = step_fill, [STEP_COPY] = step_copy, [STEP_CAST] = step_cast, [STEP_UPLOAD] = step_upload, [STEP_DOWNLOAD] = step_download,
    [STEP_DOWNLOAD_ASYNC] = step_download_async, [STEP_RANGE] = step_range, [STEP_ARITHMETIC] = step_arithmetic, [STEP_SCALE] = step_scale,
    [STEP_MIX] = step_mix, [STEP_MANAGED] = step_managed,
    [STEP_SYNCHRONIZE_ARRAY] = step_synchronize_array, [STEP_SYNCHRONIZE_STREAM] = step_synchronize_stream, [STEP_QUERY] = step_query,
    [STEP_FOLLOW] = step_follow, [STEP_FENCE] = step_fence, [STEP_FENCE_WAIT] = step_fence_wait,
    [STEP_POINTER] = step_pointer, [STEP_FOREIGN] = step_foreign, [STEP_HOST_POINTER] = step_host_pointer,
    [STEP_SCOPE_BEGIN] = step_scope_begin, [STEP_SCOPE_MIX] = step_scope_mix, [STEP_SCOPE_POINTER] = step_scope_pointer, [STEP_SCOPE_END] = step_scope_end,
    [STEP_CAPTURE_BEGIN] = step_capture_begin, [STEP_CAPTURE_END] = step_capture_end, [STEP_FORK] = step_fork, [STEP_INSTANTIATE] = step_instantiate,
    [STEP_UPDATE] = step_update, [STEP_GRAPH_LAUNCH] = step_graph_launch, [STEP_GRAPH_RELEASE] = step_graph_release,
    [STEP_EXPORT] = step_export, [STEP_EXPORT_FOREIGN] = step_export_foreign, [STEP_EXPORT_END] = step_export_end, [STEP_EXCHANGE] = step_exchange,
    [STEP_ARROW] = step_arrow, [STEP_ARROW_END] = step_arrow_end,
};

/* A task with an open scope gets on with it and does nothing else: it would keep others waiting, or wait for itself. */
static int fits(int kind, int task)
{
    int of_scopes = kind == STEP_SCOPE_MIX || kind == STEP_SCOPE_POINTER || kind == STEP_SCOPE_END;
    int anywhere = kind == STEP_RELEASE || kind == STEP_GARBAGE || kind == STEP_COLLECT || kind == STEP_EXPORT_END;
    return anywhere || of_scopes == world.scopes[task].open;
}

void step_run(const struct step *step, int task)
{
    if (fits(step->kind, task) && !world.trouble[0])
        kinds[step->kind](step, task);
}

void steps_finish(int task)
{
    if (world.scopes[task].open)
        scope_finish(NULL, task, task % 2);
    for (int i = 0; i < STREAMS; i++)
        if (world.lanes[i].alive && world.lanes[i].capture && !world.lanes[i].exclusive && world.lanes[i].task == task)
            capture_finish(NULL, i, NONE);
}

void steps_check(void)
{
    struct step step = { .kind = STEP_DOWNLOAD };
    for (int i = 0; i < STREAMS; i++)
        if (world.lanes[i].capture && !world.lanes[i].forked)
            capture_finish(NULL, i, NONE);
    for (int i = 0; i < FENCES; i++)
        if (world.fence_busy[i])
            step_fence_wait(&(struct step) { .n = { (int16_t)i, 2 } }, MAIN);
    for (int cell = 0; cell < ARRAYS; cell++)
        for (int lane = 0; lane < STREAMS && cell_usable(cell); lane++)
            if (world.lanes[(cell + lane) % STREAMS].alive) {
                step.n[1] = (int16_t)cell;
                step.n[2] = (int16_t)((cell + lane) % STREAMS);
                step_download(&step, MAIN);
                break;
            }
}
