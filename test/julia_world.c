#include "julia_world.h"

static void set_options(struct world *w)
{
    static const int64_t count = COUNT;
    w->one = 1;
    w->open = (baton_runtime_options) { .struct_size = sizeof w->open, .driver = needs_driver() };
    w->like = (baton_array_options) { .struct_size = sizeof w->like, .dtype = BATON_I32, .ndim = 1, .shape = &count, .stream = w->t };
    w->all = (baton_view_options) { .struct_size = sizeof w->all };
    w->left = w->right = (baton_argument) { .data = &w->one, .bytes = sizeof w->one };
    w->left = (baton_argument) baton_in(w->to);
    w->with_x = (baton_argument) baton_in(w->x);
    w->with_y = (baton_argument) baton_inout(w->y);
    w->with_h = (baton_argument) baton_inout(w->h);
    w->use_x = (baton_operand) { .array = w->x, .access = BATON_READ };
    w->use_y = (baton_operand) { .array = w->y };
    w->use_h = (baton_operand) { .array = w->h };
    w->use_to = (baton_operand) { .array = w->to };
    w->launch = (baton_launch_options) { .struct_size = sizeof w->launch, .stream = w->t };
    w->parameter = (baton_host_parameter) { 8, BATON_READ_WRITE };
    w->old_way = (baton_dlpack_options) { .struct_size = sizeof w->old_way, .flags = BATON_DLPACK_LEGACY, .stream = w->t };
}

static void set_records(struct world *w)
{
    w->runtime_info.struct_size = sizeof w->runtime_info;
    w->device_info.struct_size = sizeof w->device_info;
    w->stats.struct_size = sizeof w->stats;
    w->info.struct_size = sizeof w->info;
    w->kernel_info.struct_size = sizeof w->kernel_info;
    w->graph_info.struct_size = sizeof w->graph_info;
    w->interface.struct_size = sizeof w->interface;
    w->error = (baton_error)BATON_ERROR_INIT;
}

static baton_executable *fills(baton_array *array, baton_stream *stream)
{
    baton_graph *graph;
    baton_executable *executable;
    ok(baton_capture_begin(stream, BATON_CAPTURE_RELAXED, &error));
    fill(array, 3, stream);
    ok(baton_capture_end(stream, &graph, &error));
    ok(baton_graph_instantiate(graph, &executable, &error));
    baton_graph_release(graph);
    return executable;
}

void world_make(struct world *w)
{
    *w = (struct world) { .held = FREE, .s = make_stream(), .t = make_stream(), .u = make_stream() };
    w->x = make_array(COUNT, w->s);
    w->y = make_array(COUNT, w->t);
    w->to = make_array(COUNT, w->t);
    w->h = make_array_of(BATON_HOST, COUNT, w->s);
    set_options(w);
    set_records(w);
    w->address = (uint64_t)(uintptr_t)w->host;
    w->fills_y = fills(w->y, w->t);
    w->fills_h = fills(w->h, w->t);
}

void world_drop(struct world *w)
{
    world_let_go(w);
    baton_executable_release(w->fills_y);
    baton_executable_release(w->fills_h);
    arrays_release(w->x, w->y, w->h, w->to);
    streams_release(w->s, w->t, w->u);
}

void settle(struct world *w)
{
    ok(baton_stream_synchronize(w->s, BATON_WAIT_AUTO, &error));
    ok(baton_stream_synchronize(w->t, BATON_WAIT_AUTO, &error));
    for (int i = 0; i < 4; i++)     /* an import, then what it kept, then what that kept */
        drain();
    fill(w->x, 2, w->t);            /* where no consumer was named, behind every stream: while no gate is closed */
    fill(w->y, 2, w->t);
    ok(baton_stream_synchronize(w->t, BATON_WAIT_AUTO, &error));
}

static void close_hold(struct world *w)
{
    w->hold = close_gate(w->s);
    fill(w->x, 2, w->s);
    fill(w->h, 2, w->s);
    ok(baton_stream_fence(w->s, &w->behind, &error));
}

static void lock_hold(struct world *w)
{
    baton_operand operands[2];
    w->z = make_array(COUNT, w->u);
    operands[0] = (baton_operand) { .array = w->y };
    operands[1] = (baton_operand) { .array = w->z };
    ok(baton_scope_begin(w->u, NULL, operands, 2, 0, &w->locks, &error));
}

void world_let_go(struct world *w)
{
    if (w->locks) {
        ok(baton_scope_end(w->locks, &error));
        baton_scope_release(w->locks);
        w->locks = NULL;
    }
    if (w->hold) {
        open_gate(w->hold);
        w->hold = NULL;
    }
    if (w->closing_gate) {
        open_gate(w->closing_gate);
        w->closing_gate = NULL;
    }
    w->held = FREE;
}

/* What a row that was held up still used. */
static void forget(struct world *w)
{
    baton_fence_release(w->behind);
    baton_array_release(w->z);
    baton_stream_release(w->closing_stream);
    w->behind = NULL;
    w->z = NULL;
    w->closing_stream = NULL;
    soft_set_memory(0);
    settle(w);
}

void world_hold(struct world *w, int kind)
{
    if (kind == ANYHOW || (kind == STILL && w->held == STILL))
        return;
    world_let_go(w);
    forget(w);
    if (kind == STILL || kind == LOCKED)
        lock_hold(w);
    if (kind == STILL || kind == GATED)
        close_hold(w);
    w->held = kind;
}
