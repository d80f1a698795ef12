/* What the rows of julia_rows.h use and make, and what holds them up. */
#ifndef BATON_TEST_JULIA_WORLD_H
#define BATON_TEST_JULIA_WORLD_H

#include "exchange_support.h"
#include "julia_runtime.h"

enum { COUNT = 64, BYTES = COUNT * sizeof(int32_t), CROWD = 1 << 18 };
enum kind { ANYHOW = -1, STILL, GATED, LOCKED, FREE };

struct world {
    /* what the rows use */
    baton_stream *s, *t, *u;       /* s: held by the gate; t: what the calls are made on; u: the scope's */
    baton_array *x, *y, *z, *h, *to;
    baton_executable *fills_y, *fills_h;
    baton_fence *behind;
    baton_array_options like;
    baton_view_options all;
    baton_argument left, right, with_x, with_y, with_h;
    baton_operand use_x, use_y, use_h, use_to;
    baton_launch_options launch;
    baton_host_parameter parameter;
    baton_dlpack_options old_way;
    baton_runtime_options open;
    uint64_t address;
    int32_t one, host[COUNT];
    /* what they make */
    baton_runtime *other;
    baton_stream *stream;
    baton_array *made, *view, *wrapped, *shown;
    baton_kernel *kernel;
    baton_module *module;
    baton_scope *scope;
    baton_graph *graph;
    baton_executable *executable;
    baton_fence *fence;
    baton_gate *gate;
    void *managed, *pointer;
    struct arrow_device_array arrow;
    struct arrow_schema schema;
    const char *name;
    uint32_t word;
    int32_t number, status;
    uint64_t native;
    baton_runtime_info runtime_info;
    baton_device_info device_info;
    baton_stats stats;
    baton_trace_entry entry;
    baton_array_info info;
    baton_kernel_info kernel_info;
    baton_graph_info graph_info;
    baton_interface_info interface;
    baton_error error;
    /* what holds calls up */
    int held;                       /* a kind, or -1 */
    baton_gate *hold, *closing_gate;
    baton_scope *locks;
    baton_stream *closing_stream;
};

enum result { SUCCEEDS, FAILS, HAS_NONE, NO_CALL };

struct row {
    const char *function;
    void (*make)(struct world *w);
    int kind;
    enum result result;
};

extern const struct row julia_rows[];
extern const int julia_row_count;

void world_make(struct world *w);
void world_drop(struct world *w);
/* The rows' next ones find it so: of the kind's gate and scope, both, one or none. What was held before is let go first. */
void world_hold(struct world *w, int kind);
void world_let_go(struct world *w);
/* Nothing of exports and imports is left. */
void settle(struct world *w);

#endif
