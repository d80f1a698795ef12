#include "stress_steps.h"

static struct stamp *next_stamp(void)
{
    struct stamp *stamp = &world.stamps[world.stamp_count++];
    ck_assert_int_le(world.stamp_count, 2 * STEPS);
    *stamp = (struct stamp) { .operation = (uint64_t)world.stamp_count };
    return stamp;
}

static const struct stamp_kernels *kernels_of(const struct lane *lane)
{
    return &world.kernels[lane->device];
}

static int32_t launch(baton_kernel *kernel, baton_stream *stream, baton_scope *scope, const baton_argument *arguments, uint32_t count)
{
    baton_launch_options options = { .struct_size = sizeof options, .stream = stream, .scope = scope };
    return baton_launch(kernel, &options, arguments, count, &error);
}

static void step_mix(struct lane *lane)
{
    struct cell *to = draw_settled(), *a = draw_settled(), *b = draw_settled();
    struct stamp *stamp = next_stamp();
    ok(launch(kernels_of(lane)->mix, lane->stream, NULL, (baton_argument[]) { baton_out(to->array), baton_in(a->array), baton_in(b->array), baton_value(stamp) }, 4));
    int node = work();
    stamp->expected = stamp_mixed(stamp->operation, a->value, b->value);
    if (a != to)
        use(a, BATON_READ, node);
    if (b != to && b != a)
        use(b, BATON_READ, node);
    use(to, BATON_WRITE, node);
    to->value = stamp->expected;
}

static void step_update(struct lane *lane)
{
    struct cell *to = draw_settled(), *a = draw_settled();
    struct stamp *stamp = next_stamp();
    ok(launch(kernels_of(lane)->update, lane->stream, NULL, (baton_argument[]) { baton_inout(to->array), baton_in(a->array), baton_value(stamp) }, 3));
    int node = work();
    stamp->expected = stamp_mixed(stamp->operation, to->value, a->value);
    if (a != to)
        use(a, BATON_READ, node);
    use(to, BATON_READ_WRITE, node);
    to->value = stamp->expected;
}

static void observe(struct cell *a, struct lane *lane)
{
    struct stamp *stamp = next_stamp();
    ok(launch(kernels_of(lane)->observe, lane->stream, NULL, (baton_argument[]) { baton_in(a->array), baton_value(stamp) }, 2));
    stamp->expected = stamp_mixed(stamp->operation, a->value, a->value);
    use(a, BATON_READ, work());
}

static void step_observe(struct lane *lane)
{
    observe(draw_settled(), lane);
}

/* S6: more readers than a memory keeps. */
static void step_crowd(struct lane *lane)
{
    struct cell *a = draw_settled();
    for (int i = 0; i < 12; i++)
        observe(a, &world.lanes[(lane - world.lanes + 5 * i) % world.streams]);
}

/* S7: the waits are queued, the operation behind them is not. */
static void step_failed(struct lane *lane)
{
    struct cell *to = draw_settled(), *a = draw_settled();
    struct stamp *stamp = NULL;
    instrument_fail(DRIVER_ROW_launch, 1, DRIVER_INVALID_VALUE, 0);
    refused(BATON_ERR_DRIVER,
            launch(kernels_of(lane)->update, lane->stream, NULL, (baton_argument[]) { baton_inout(to->array), baton_in(a->array), baton_value(stamp) }, 3));
    ck_assert_int_eq(replay().works, 0);
}

static void step_fill(struct lane *lane)
{
    struct cell *to = draw_settled();
    to->value = draw(1000);
    ok(baton_fill(to->array, &to->value, sizeof to->value, lane->stream, &error));
    use(to, BATON_WRITE, work());
}

static void step_copy(struct lane *lane)
{
    struct cell *to = draw_settled(), *from = draw_settled();
    if (to == from)
        return;
    ok(baton_copy(to->array, from->array, lane->stream, &error));
    int node = work();
    use(from, BATON_READ, node);
    use(to, BATON_WRITE, node);
    to->value = from->value;
}

static void step_upload(struct lane *lane)
{
    struct cell *to = draw_settled();
    uint64_t host[STAMP_ELEMENTS];
    to->value = draw(UINT64_MAX);
    for (int i = 0; i < STAMP_ELEMENTS; i++)
        host[i] = to->value;
    ok(baton_upload(to->array, host, sizeof host, lane->stream, &error));
    memset(host, 0, sizeof host);           /* the source is the caller's again */
    use(to, BATON_WRITE, work());
}

static void step_download(struct lane *lane)
{
    struct cell *from = draw_settled();
    uint64_t host[STAMP_ELEMENTS];
    gates_open();
    ok(baton_download(host, sizeof host, from->array, lane->stream, &error));
    use(from, BATON_READ, work());
    for (int i = 0; i < STAMP_ELEMENTS; i++)
        ck_assert_msg(host[i] == from->value, "seed %llu, step %d: a download found wrong data", (unsigned long long)world.seed, world.step);
}

static void step_take(struct lane *lane)
{
    struct cell *cell = draw_settled();
    if (!lane->native)
        return;
    gates_open();
    ok(baton_array_pointer(cell->array, lane->stream, 0, &cell->address, &error));
    cell->foreign = (int)(lane - world.lanes);
    finished(cell, lane);
}

/* W1: the caller's own submission, through the driver where it has the native stream, else through the library. */
static void step_scope(struct lane *lane)
{
    struct cell *to = draw_settled(), *from = draw_settled();
    struct stamp *stamp = next_stamp();
    baton_scope *scope;
    baton_operand operands[] = { { .array = to->array, .access = BATON_READ_WRITE }, { .array = from->array, .access = BATON_READ } };
    if (to == from)
        return;
    ok(baton_scope_begin(lane->stream, NULL, operands, 2, 0, &scope, &error));
    if (lane->native) {
        ck_assert_int_eq(world.driver->copy(operands[0].address, operands[1].address, BYTES, (driver_stream)(uintptr_t)lane->native), 0);
        to->value = from->value;
    } else {
        stamp->expected = to->value = stamp_mixed(stamp->operation, to->value, from->value);
        ok(launch(kernels_of(lane)->update, lane->stream, scope, (baton_argument[]) { baton_inout(to->array), baton_in(from->array), baton_value(stamp) }, 3));
    }
    int node = work();
    ok(baton_scope_end(scope, &error));
    baton_scope_release(scope);
    use(from, BATON_READ, node);
    use(to, BATON_READ_WRITE, node);
    replay();
}

/* Not SPIN: its queries would fill the journal. */
static int32_t draw_mode(void)
{
    return draw(2) ? BATON_WAIT_AUTO : BATON_WAIT_BLOCK;
}

/* P6: also what foreign code has submitted there just now. */
static void step_synchronize_stream(struct lane *lane)
{
    gates_open();
    for (int i = 0; i < ARRAYS; i++)
        if (world.cells[i].foreign == lane - world.lanes)
            settle(&world.cells[i]);
    ok(baton_stream_synchronize(lane->stream, draw_mode(), &error));
    idle(lane);
}

static void step_synchronize_array(struct lane *lane)
{
    struct cell *cell = draw_settled();
    (void)lane;
    gates_open();
    ok(baton_array_synchronize(cell->array, draw_mode(), &error));
    finished(cell, NULL);
}

/* A yes is as good as a wait. */
static void step_query(struct lane *lane)
{
    struct cell *cell = draw_settled();
    if (baton_stream_query(lane->stream, &error) == BATON_OK)
        idle(lane);
    if (baton_array_query(cell->array, &error) == BATON_OK)
        finished(cell, NULL);
    replay();
}

static void step_follow(struct lane *lane)
{
    ok(baton_stream_follow(lane->stream, draw_lane()->stream, &error));
    replay();
}

static void step_gate(struct lane *lane)
{
    if (!world.gated)
        return;
    if (draw(8) == 0)
        gates_open();
    else if (!lane->gate)
        lane->gate = close_gate(lane->stream);
    replay();
}

static void step_replace_array(struct lane *lane)
{
    struct cell *cell = draw_cell();
    cell_drop(cell);
    cell_make(cell, lane);
}

/* The stream goes while arrays name it and work is queued on it; its native handle may come back as another stream's. */
static void step_replace_stream(struct lane *lane)
{
    for (int i = 0; i < ARRAYS; i++)
        if (world.cells[i].foreign == lane - world.lanes)
            settle(&world.cells[i]);
    gates_open();
    baton_stream_release(lane->stream);
    lane_make(lane);
}

static void (*const steps[])(struct lane *lane) = {
    step_mix, step_mix, step_mix, step_mix, step_mix, step_update, step_update, step_update, step_observe, step_observe, step_observe, step_observe,
    step_crowd, step_failed, step_fill, step_copy, step_copy, step_upload, step_download, step_take, step_take, step_scope, step_scope, step_synchronize_stream, step_synchronize_array, step_query,
    step_follow,
    step_replace_array, step_replace_stream, step_gate, step_gate, step_gate
};

struct oracle_counts stress_run(uint64_t seed, const struct world_options *options)
{
    world_open(seed, options);
    for (world.step = 0; world.step < STEPS; world.step++)
        steps[draw(sizeof steps / sizeof *steps)](draw_lane());
    struct oracle_counts counts = oracle_counted(world.oracle);
    ck_assert_uint_gt(counts.uses, STEPS);
    world_close();
    return counts;
}

struct oracle_counts stress_run_drawn(uint64_t seed, const struct world_options *options)
{
    ok(baton_runtime_close(runtime, &error));
    runtime = NULL;
    soft_schedule(seed);
    support_reopen(NULL);
    instrument_reset();
    struct oracle_counts counts = stress_run(seed, options);
    ck_assert_uint_eq(soft_problems(), 0);
    soft_schedule(0);
    return counts;
}
