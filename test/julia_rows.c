/* The rows of julia_rows.h as functions and as a table. */
#include "julia_world.h"

static void nothing_kernel(const baton_host_launch *launch, void *const *arguments)
{
    (void)launch, (void)arguments;
}

static int32_t do_nothing(void *user, baton_stream *stream, const baton_operand *operands, uint64_t count)
{
    (void)user, (void)stream, (void)operands, (void)count;
    return 0;
}

static int32_t do_fill(void *user, baton_stream *stream)
{
    struct world *w = user;
    return baton_fill(w->to, &w->one, sizeof w->one, stream, NULL);
}

/* A runtime that cannot be closed before the gate is opened. */
static baton_runtime *gated_runtime(struct world *w)
{
    ok(baton_runtime_open(&w->open, &w->other, NULL));
    ok(baton_stream_create(w->other, 0, 0, 0, &w->closing_stream, NULL));
    ok(baton_gate_create(w->closing_stream, 20000000000u, &w->closing_gate, NULL));
    return w->other;
}

/* For an array that fits only when the gated stream's last use of another has ended. */
static const baton_array_options *crowded(struct world *w)
{
    static const int64_t elements = CROWD;
    static baton_array_options options;
    baton_array *garbage;
    options = w->like;
    options.shape = &elements;
    options.stream = w->s;
    ok(baton_array_create(runtime, &options, &garbage, NULL));
    ok(baton_fill(garbage, &w->one, sizeof w->one, w->s, NULL));
    baton_array_release(garbage);
    soft_set_memory(CROWD * 6);
    options.stream = w->t;
    return &options;
}

#define NAME_2(line) row_##line
#define NAME_1(line) NAME_2(line)
#define NAME NAME_1(__LINE__)
#define err (&w->error)

#define ROW(function, how, ...) static void NAME(struct world *w) { w->status = julia_call(function, __VA_ARGS__); }
#define REFUSED ROW
#define VALUE(function, ...) static void NAME(struct world *w) { (void)w, (void)julia_call(function, ##__VA_ARGS__); }
#define NOTHING(function, ...) static void NAME(struct world *w) { (void)w; julia_call_void(function, __VA_ARGS__); }
#define STEP(expression) static void NAME(struct world *w) { (void)w; expression; }
#include "julia_rows.h"
#undef ROW
#undef REFUSED
#undef VALUE
#undef NOTHING
#undef STEP

#define ROW(function, how, ...) { #function, NAME, how, SUCCEEDS },
#define REFUSED(function, how, ...) { #function, NAME, how, FAILS },
#define VALUE(function, ...) { #function, NAME, ANYHOW, HAS_NONE },
#define NOTHING(function, ...) { #function, NAME, ANYHOW, HAS_NONE },
#define STEP(expression) { "-", NAME, ANYHOW, NO_CALL },
const struct row julia_rows[] = {
#include "julia_rows.h"
};
const int julia_row_count = sizeof julia_rows / sizeof *julia_rows;
