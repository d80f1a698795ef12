/* What the random operations work on: streams, arrays with the value that each must have, and the oracle that watches. One thread. */
#ifndef BATON_TEST_STRESS_WORLD_H
#define BATON_TEST_STRESS_WORLD_H

#include "oracle.h"
#include "stamp.h"
#include "support.h"

enum { MOST_DEVICES = 16, STREAMS = 64, ARRAYS = 64, STEPS = 1200, BYTES = STAMP_ELEMENTS * 8 };

struct lane {
    baton_stream *stream;
    int32_t device;
    uint64_t native;            /* 0: never given out */
    void *handle;               /* the same, seen in the journal */
    baton_gate *gate;           /* NULL: open */
};

struct cell {
    baton_array *array;
    uint64_t value;             /* of every element, once all that was submitted has run */
    int foreign;                /* lane on which foreign code will still use the address, -1: none */
    uint64_t address;
};

extern struct world {
    const struct driver *driver;
    struct oracle *oracle;
    struct stamp_kernels kernels[MOST_DEVICES];
    int32_t devices;            /* lane i is of device i % devices … */
    int streams;                /* … of so many lanes */
    struct lane lanes[STREAMS];
    struct cell cells[ARRAYS];
    struct stamp *stamps;       /* 2 * STEPS, in memory of `shared` */
    baton_array *shared;
    int stamp_count;
    uint64_t seed, random;
    int gated;                  /* gates may be closed */
    int step;
} world;

struct world_options {
    int32_t devices;
    int streams, gated;
};
void world_open(uint64_t seed, const struct world_options *options);
/* Checks all data, and that every free lies behind every use. */
void world_close(void);

uint64_t draw(uint64_t below);
/* Few are drawn often, so that clocks and completed tickets come to matter; all are drawn sometimes. */
struct lane *draw_lane(void);
struct cell *draw_cell(void);
struct cell *draw_settled(void);        /* no foreign work is still to come */

/* Shows the oracle what was called since; it must find nothing wrong. */
struct oracle_step replay(void);
/* The same, of one piece of work, and no more, that the call has submitted: its node. */
int work(void);
void use(const struct cell *cell, uint32_t access, int node);
/* The host waited: nothing that uses the cell is unfinished, other than on `except` (NULL: none). */
void finished(const struct cell *cell, const struct lane *except);
void idle(const struct lane *lane);

void gates_open(void);
/* P4: the foreign code submits its work now, and the library is told nothing. */
void settle(struct cell *cell);

void lane_make(struct lane *lane);
void cell_make(struct cell *cell, struct lane *lane);
void cell_drop(struct cell *cell);

#endif
