/* What a simulated program should do: a model of memories, streams and graphs beside the real ones, and the one way in which steps call the library. */
#ifndef BATON_TEST_SIMULATE_WORLD_H
#define BATON_TEST_SIMULATE_WORLD_H

#include "acts.h"
#include "oracle.h"
#include "program.h"
#include "stage.h"

enum { BODIES = 64, MOST_EFFECTS = 48, NONE = -1, MAIN = TURNS_TASKS, USED = 6 };

/* A memory. A value that is not known may be anything: never written, or written by a call that failed half-way. */
struct body {
    int references;             /* cells, effects of records and calls */
    int recorded;               /* of these: effects of records */
    int device, kind, count, wrapped, disposed;
    int collected;              /* a capture has had it among its memories */
    int lent;                   /* ever used on a lent stream: what others may have put there is known to no event */
    int exported;               /* ever: when the library hears of the end is its own matter */
    int busy, exclusive;        /* calls under way that use it; one that nobody may get between */
    int foreign;                /* lane on which foreign code may submit work, NONE: none */
    int tensor;                 /* lane of a live export, or NONE */
    int32_t value[LONGEST];
    uint8_t known[LONGEST];
};

struct piece {
    int body, start, count, step;
};

struct cell {
    int alive, busy, view;
    struct piece piece;
};

enum { NOTHING, RANGE, COPY, ARITHMETIC, MIX, READ };

/* What one submission does to the memories: x and y are its numbers, left and right its operands (body NONE: none). */
struct effect {
    int kind, function;
    struct piece to, left, right;
    int32_t x, y;
};

/* What a capture has gathered, and then its graph. */
struct record {
    int references, task, device, broken, count;
    struct effect effects[MOST_EFFECTS];
};

struct lane {
    int alive, busy, exclusive, task, device, native, special, lent, scopes;
    void *handle;               /* as the journal names it */
    struct record *capture;
    struct record *forked;      /* capture that it took part in and was joined to: nobody uses it until that ends */
};

struct owned_scope {
    int open, lane;
    struct piece pieces[2];
};

/* Values of a piece, as they were when a download was submitted. */
struct snapshot {
    int taken, count;
    int32_t value[LONGEST];
    uint8_t known[LONGEST];
};

/* One call of the library, and what may come of it. */
struct call {
    int act;
    int32_t v[NUMBERS];
    uint64_t allowed;
    int lane;                   /* that its work goes to, NONE: none */
    int cells[3], bodies[USED]; /* in use until it returns; lists end with NONE */
    struct effect effect;
    int needs;                  /* how many pieces of work until the effect is there; 0: no work is due */
    struct record *launches;    /* a graph's effects instead */
    int may_end;                /* the arrays may be released while it lasts (O2) */
    int birth;                  /* body whose memory is allocated, or NONE */
    struct snapshot *snapshot;
    /* what happened */
    int works, captured, applied, suspended, faulted;
    void *made;                 /* the stream that it made */
};

struct entry {                  /* of the log that is printed */
    int task;                   /* MAIN: after the tasks */
    enum entry_kind { ENTRY_CALL, ENTRY_PAUSE, ENTRY_EXPECT } what;
    int act;
    int32_t v[NUMBERS];
    uint64_t allowed;
    int fault_row, fault_nth, fault_code;
    char expected[LONGEST * 12];
};

enum { MOST_ENTRIES = 4 * MOST_STEPS, MOST_TURNS = 30000 };

extern struct world {
    const struct program *program;
    struct oracle *oracle;
    struct body bodies[BODIES];
    struct cell cells[ARRAYS];
    struct lane lanes[STREAMS];
    struct record *graphs[GRAPHS], *executables[GRAPHS];
    struct owned_scope scopes[TURNS_TASKS];
    struct snapshot snapshots[PLACES];
    int place_busy[PLACES], fence_busy[FENCES], graph_busy[GRAPHS], executable_busy[GRAPHS];
    int exported[EXPORTS], arrows[EXPORTS];     /* body + 1 */
    int export_start[EXPORTS], export_lane[EXPORTS];
    struct call *calls[TURNS_TASKS + 1];        /* under way, by task */
    int limited, lost;
    uint64_t lost_before, operations, suspensions, faults;
    char trouble[512];          /* the first finding, "" none */
    struct entry *log;
    int log_count, turns[MOST_TURNS], turn_count;
} world;

void world_open(const struct program *program);
void world_trouble(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The calls since, attributed to the task that runs. */
void world_replay(void);
int32_t world_hook(void *user);

#define CALL(...) (&(struct call) { .lane = NONE, .birth = NONE, .cells = { NONE, NONE, NONE }, .bodies = { NONE }, .allowed = MAY(BATON_OK), __VA_ARGS__ })
/* Calls it, with the step's fault if there is one, and judges status, data and order. */
int32_t perform(struct call *call, const struct step *step);
void log_pause(int task);

/* The model. */
int body_new(int device, int kind, int count);
void body_retain(int body);
void body_release(int body);
/* A library's use ends the right of foreign code, unless an export on that very stream lives. */
void body_used(int body, int lane);
struct piece piece_of(int body, int count);
int piece_meets(struct piece one, struct piece other);        /* shares an element */
int piece_equal(struct piece one, struct piece other);
void cell_set(int cell, struct piece piece, int view);
void cell_clear(int cell);
int cell_usable(int cell);
void effect_apply(const struct effect *effect, int node, struct snapshot *snapshot);
void effect_unknown(const struct effect *effect);       /* it may have happened in part */
struct record *record_new(int task, int device);
void record_retain(struct record *record);
void record_release(struct record *record);
int record_add(struct record *record, const struct effect *effect);
int record_exclusive(const struct record *record);      /* one of its memories is somebody's alone for now */
void snapshot_expect(struct snapshot *snapshot, int number);     /* place `number` must hold it */

/* Does what the step says, if it fits. */
void step_run(const struct step *step, int task);
/* Leaves nothing open: scopes and captures of the task. */
void steps_finish(int task);
/* Every value once more, on the main thread. */
void steps_check(void);

#endif
