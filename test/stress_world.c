#include "stress_world.h"

#include "outside.h"

struct world world;

enum { HOT = 6 };

uint64_t draw(uint64_t below)
{
    return stamp_random(&world.random) % below;
}

struct lane *draw_lane(void)
{
    return &world.lanes[draw(3) ? draw(HOT) : draw((uint64_t)world.streams)];
}

struct cell *draw_cell(void)
{
    return &world.cells[draw(3) ? draw(HOT) : draw(ARRAYS)];
}

static void no_trouble(void)
{
    const char *trouble = oracle_trouble(world.oracle);
    ck_assert_msg(!trouble[0], "seed %llu, step %d: %s", (unsigned long long)world.seed, world.step, trouble);
}

struct oracle_step replay(void)
{
    struct oracle_step step = oracle_replay(world.oracle);
    no_trouble();
    return step;
}

static unsigned number(const struct cell *cell)
{
    return (unsigned)(cell - world.cells);
}

void use(const struct cell *cell, uint32_t access, int node)
{
    oracle_use(world.oracle, number(cell), access, node);
    no_trouble();
}

void finished(const struct cell *cell, const struct lane *except)
{
    replay();
    oracle_finished(world.oracle, number(cell), except ? except->handle : NULL);
    no_trouble();
}

void idle(const struct lane *lane)
{
    replay();
    oracle_idle(world.oracle, lane->handle);
    no_trouble();
}

int work(void)
{
    struct oracle_step step = replay();
    ck_assert_int_eq(step.works, 1);
    return step.work;
}

/* All at once, and given back before the next is closed: giving one back may wait for the whole device. */
void gates_open(void)
{
    for (int i = 0; i < world.streams; i++)
        if (world.lanes[i].gate)
            ok(baton_gate_open(world.lanes[i].gate, &error));
    for (int i = 0; i < world.streams; i++)
        if (world.lanes[i].gate) {
            ok(baton_stream_synchronize(world.lanes[i].stream, BATON_WAIT_BLOCK, &error));
            baton_gate_release(world.lanes[i].gate);
            world.lanes[i].gate = NULL;
        }
    ok(baton_drain(runtime, 0, NULL, &error));
    replay();
}

void settle(struct cell *cell)
{
    uint32_t word = (uint32_t)draw(UINT32_MAX);
    if (cell->foreign < 0)
        return;
    ck_assert_int_eq(world.driver->fill32(cell->address, word, BYTES / 4, (driver_stream)(uintptr_t)world.lanes[cell->foreign].native), 0);
    use(cell, BATON_WRITE, work());
    cell->value = (uint64_t)word << 32 | word;
    cell->foreign = -1;
}

struct cell *draw_settled(void)
{
    struct cell *cell = draw_cell();
    settle(cell);
    return cell;
}

void lane_make(struct lane *lane)
{
    int32_t device = (int32_t)(lane - world.lanes) % world.devices;
    *lane = (struct lane) { .stream = make_stream_on(device), .device = device };
    lane->handle = replay().stream_made;
    if (draw(4) == 0)
        ok(baton_stream_native(lane->stream, &lane->native, &error));
}

void cell_make(struct cell *cell, struct lane *lane)
{
    int64_t elements = STAMP_ELEMENTS;
    baton_array_options options = { .struct_size = sizeof options, .device = lane->device, .dtype = BATON_U64, .ndim = 1, .shape = &elements,
                                    .stream = lane->stream };
    ok(baton_array_create(runtime, &options, &cell->array, &error));
    struct oracle_step step = replay();
    ck_assert_int_ge(step.allocated, 0);
    oracle_birth(world.oracle, number(cell), step.allocated);
    cell->foreign = -1;
    cell->value = draw(1000);
    ok(baton_fill(cell->array, &cell->value, sizeof cell->value, draw_lane()->stream, &error));
    use(cell, BATON_WRITE, work());
}

/* O9: the free lies behind every use. */
void cell_drop(struct cell *cell)
{
    settle(cell);
    baton_array_release(cell->array);
    ok(baton_drain(runtime, 0, NULL, &error));
    use(cell, BATON_WRITE, replay().freed);
}

void world_open(uint64_t seed, const struct world_options *options)
{
    memset(&world, 0, sizeof world);
    world.seed = world.random = seed;
    world.gated = options->gated;
    world.devices = options->devices;
    world.streams = options->streams;
    world.driver = outside_driver();
    world.stamps = shared_new(runtime, 2 * STEPS * sizeof *world.stamps, &world.shared);
    ck_assert_ptr_nonnull(world.oracle = oracle_new(ARRAYS));
    for (int32_t i = 0; i < world.devices; i++)
        ok(stamp_kernels_make(runtime, i, &world.kernels[i], &error));
    replay();
    for (int i = 0; i < world.streams; i++)
        lane_make(&world.lanes[i]);
    for (int i = 0; i < ARRAYS; i++)
        cell_make(&world.cells[i], draw_lane());
}

static void check_data(void)
{
    for (int i = 0; i < ARRAYS; i++) {
        uint64_t host[STAMP_ELEMENTS];
        settle(&world.cells[i]);
        ok(baton_download(host, sizeof host, world.cells[i].array, draw_lane()->stream, &error));
        use(&world.cells[i], BATON_READ, work());
        for (int k = 0; k < STAMP_ELEMENTS; k++)
            ck_assert_msg(host[k] == world.cells[i].value, "seed %llu: array %d ends with wrong data", (unsigned long long)world.seed, i);
    }
}

static void check_stamps(void)
{
    for (int i = 0; i < world.streams; i++)
        ok(baton_stream_synchronize(world.lanes[i].stream, BATON_WAIT_AUTO, &error));
    for (int i = 0; i < world.stamp_count; i++)
        ck_assert_msg(world.stamps[i].found == world.stamps[i].expected, "seed %llu: kernel %d found wrong data", (unsigned long long)world.seed, i);
}

void world_close(void)
{
    gates_open();
    check_data();
    check_stamps();
    replay();
    for (int i = 0; i < ARRAYS; i++)
        cell_drop(&world.cells[i]);
    for (int i = 0; i < world.streams; i++)
        baton_stream_release(world.lanes[i].stream);
    for (int32_t i = 0; i < world.devices; i++)
        stamp_kernels_release(&world.kernels[i]);
    baton_array_release(world.shared);
    oracle_free(world.oracle);
}
