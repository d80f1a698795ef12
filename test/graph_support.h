/* What the tests of captures and graphs share. */
#ifndef BATON_TEST_GRAPH_SUPPORT_H
#define BATON_TEST_GRAPH_SUPPORT_H

#include "census.h"
#include "outside.h"
#include "waiter.h"

/* A stream, memory that it used last, and a kernel, for tests that need little more. */
struct bench {
    baton_stream *s;
    baton_array *x, *y;         /* 100 elements each; x holds 1 once s has run */
    baton_kernel *kernel;
};
void bench_make(struct bench *bench);
/* Gives everything back, and checks that no graph, executable or capture is left. */
void bench_drop(struct bench *bench);

void begin(baton_stream *stream, int32_t mode);
/* The capture's graph; the capture must have survived. */
baton_graph *end(baton_stream *stream);
baton_executable *make_executable(baton_graph *graph);
/* Ends the capture and keeps only an executable. */
baton_executable *end_executable(baton_stream *stream);
/* An executable that computes to = from + 1, captured on the stream. */
baton_executable *capture_add_one(baton_kernel *kernel, baton_array *to, baton_array *from, baton_stream *stream);
void launch(baton_executable *executable, baton_stream *stream);

/* The driver still captures on the stream, and nothing has broken that. */
void expect_capturing(baton_stream *stream);
int32_t is_active(baton_stream *stream);
baton_graph_info graph_info_of(baton_graph *graph);
/* Drains, and checks that the driver has no graph and no executable. */
void expect_no_graphs(void);
struct soft_census census_now(void);

#endif
