/* A simulated program: plain data. Any list of steps is a program, since a step that does not fit does nothing. */
#ifndef BATON_TEST_SIMULATE_PROGRAM_H
#define BATON_TEST_SIMULATE_PROGRAM_H

#include <stdint.h>

#include "turns.h"

enum { MOST_STEPS = 1000, DRAWN = 5 };

enum {
    STEP_CREATE, STEP_WRAP, STEP_VIEW, STEP_RESIZE, STEP_RELEASE, STEP_GARBAGE, STEP_COLLECT, STEP_DISPOSE, STEP_DRAIN, STEP_LIMIT,
    STEP_STREAM, STEP_NATIVE,
    STEP_FILL, STEP_COPY, STEP_CAST, STEP_UPLOAD, STEP_DOWNLOAD, STEP_DOWNLOAD_ASYNC, STEP_RANGE, STEP_ARITHMETIC, STEP_SCALE, STEP_MIX, STEP_MANAGED,
    STEP_SYNCHRONIZE_ARRAY, STEP_SYNCHRONIZE_STREAM, STEP_QUERY, STEP_FOLLOW, STEP_FENCE, STEP_FENCE_WAIT,
    STEP_POINTER, STEP_FOREIGN, STEP_HOST_POINTER,
    STEP_SCOPE_BEGIN, STEP_SCOPE_MIX, STEP_SCOPE_POINTER, STEP_SCOPE_END,
    STEP_CAPTURE_BEGIN, STEP_CAPTURE_END, STEP_FORK, STEP_INSTANTIATE, STEP_UPDATE, STEP_GRAPH_LAUNCH, STEP_GRAPH_RELEASE,
    STEP_EXPORT, STEP_EXPORT_FOREIGN, STEP_EXPORT_END, STEP_EXCHANGE, STEP_ARROW, STEP_ARROW_END,
    STEP_COUNT
};

struct step {
    uint8_t kind, task, thread;
    uint8_t fault_nth;          /* 0: none; else the n-th call of the row that this step makes fails */
    uint16_t fault_row, fault_code;
    int16_t n[DRAWN];           /* what they mean is the kind's */
};

struct program {
    uint64_t seed;              /* of the device's schedule */
    int tasks, threads;
    int yields;                 /* whether the yield hook is there; without it there is one task */
    uint32_t flags;             /* of the runtime */
    int at_once;                /* half of the arrays are asked for with BATON_ALLOC_TRY */
    int runtime_first;          /* it is closed before the handles are released */
    int drop_wait;              /* 0; else the driver ignores waits on the device from this one on: a fault for the simulation to find */
    int count;
    struct step steps[MOST_STEPS];
};

/* faults: one step in so many has a call fail; 0: none. */
void program_draw(struct program *program, uint64_t seed, int steps, int faults);

/* The program that still fails as `fails` says, with fewer steps, tasks, threads and smaller numbers. */
void program_shrink(struct program *program, int (*fails)(const struct program *program));

#endif
