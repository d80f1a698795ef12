/* A capture that the library tracks: which streams take part, and everything that the graph will use.
 *
 * While it lasts, nothing changes hands (C4): what is submitted on its streams goes into the graph, and only adds to the set here. Each of its streams keeps
 * the mark that it had when it joined, the pre-capture event: others follow the stream's earlier work through it (C2), and nothing is recorded over it. */
#ifndef BATON_STREAM_CAPTURE_H
#define BATON_STREAM_CAPTURE_H

#include "stream/stream.h"

/* Something that lives as long as the graph: a memory with its access, a kernel. */
struct capture_item {
    void *object;                       /* retained */
    void (*release)(void *object);
    uint32_t access;                    /* of a memory; merged over all its uses */
};

/* One captured submission. */
struct capture_step {
    int32_t operation;                  /* BATON_OP_...; BATON_OP_NONE: not submitted after all */
    uint64_t stream_id;
};

/* Step `step` uses item `item`. */
struct capture_edge {
    uint32_t step, item, access;
};

/* What a capture gathers and a graph keeps. */
struct capture_set {
    struct capture_item *items;
    struct capture_step *steps;
    struct capture_edge *edges;
    uint32_t item_count, step_count, edge_count;
    uint32_t item_capacity, step_capacity, edge_capacity;
};

void capture_set_release(struct capture_set *set);

struct capture {
    _Atomic uint32_t references;        /* one per stream that takes part */
    struct device *device;
    baton_stream *origin;               /* not retained: a stream that takes part retains itself below */
    uint64_t task;                      /* the capturing task's tag; 0: nobody's */
    pthread_mutex_t lock;               /* a leaf; guards what follows */
    baton_stream **streams;             /* taking part, origin first; retained */
    uint32_t stream_count, stream_capacity;
    struct capture_set set;
    baton_error broken;                 /* the first submission that failed; status 0: none */
};

/* A submission on a stream, from before its first driver call until its ticket is drawn: beginning and ending a capture wait for it, so that it lies entirely
 * before or entirely inside (C1). Returns the capture that the stream takes part in, or NULL; it stays until submission_leave. */
__attribute__((hot)) struct capture *submission_enter(baton_stream *stream);
__attribute__((hot)) void submission_leave(baton_stream *stream);

/* Adds one step and its objects to the set, retaining each object with `retain`. Done before the submission: a set that is too large is only too careful. */
int32_t capture_step(struct capture *capture, int32_t operation, baton_stream *stream, uint32_t *step, baton_error *err);
/* The step was not submitted after all; what it would have used stays in the set. */
void capture_unstep(struct capture *capture, uint32_t step);
int32_t capture_use(struct capture *capture, uint32_t step, void *object, void (*retain)(void *), void (*release)(void *), uint32_t access, baton_error *err);

/* The access that the capture's set has on the object; 0: it is not in the set. */
uint32_t capture_uses(struct capture *capture, const void *object);

/* Remembers the first call that failed inside the capture, and whether the capture survived it. */
void capture_note(struct capture *capture, baton_stream *stream, baton_error *record);

/* C1: the pre-capture event and the beginning, both or neither. */
int32_t capture_begin(baton_stream *stream, int32_t mode, baton_error *err);

/* C5: ends it on its origin; the state is cleared whether it succeeds or not. *set is the caller's when this succeeds. */
int32_t capture_end(baton_stream *stream, driver_graph *graph, struct capture_set *set, baton_error *err);

/* The end of a capture whose result nobody wants. Does nothing to a stream on which none began. */
void capture_abandon(baton_stream *stream);

/* Inside a capture: `after` follows `before` within it, joining it when it has not yet. BATON_WOULD_BLOCK when the capture has ended meanwhile: look again. */
int32_t capture_follow(baton_stream *after, baton_stream *before, baton_error *err);

#endif
