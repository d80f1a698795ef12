/* Many tasks on many arrays for a bounded time: is every array right, does every task get on, and does nothing grow?
 *
 * Tasks are threads. They share the arrays, of which few are used often, and a number of streams; now and then one makes a stream of its own. */
#ifndef BATON_BENCH_LOAD_H
#define BATON_BENCH_LOAD_H

#include <pthread.h>
#include <stdatomic.h>

#include "kernels.h"

enum {
    ELEMENTS = 64,              /* of f32, in each shared array */
    EXACT = 1 << 24,            /* whole numbers of f32 below this are exact: the most that is counted in one array */
    SCOPE_MOST = 6,             /* arrays in one scope */
    WINDOWS_MOST = 60
};

enum operation {
    OPERATION_ADD, OPERATION_ADD_VIEW, OPERATION_TOUCH, OPERATION_FILL, OPERATION_UPLOAD, OPERATION_COPY_IN, OPERATION_DOWNLOAD, OPERATION_COPY_OUT,
    OPERATION_SLICE, OPERATION_SUM, OPERATION_SCOPE, OPERATION_CREATE, OPERATION_HOST, OPERATION_POINTER, OPERATION_STREAM, OPERATION_SYNCHRONIZE,
    OPERATION_FENCE, OPERATIONS
};

/* How often something was begun, and how often it had returned. What is read holds at least what had returned before, at most what was begun. */
struct tally {
    _Atomic uint64_t begun, done;
};

/* A shared array with what its elements must be. A counter only grows: each element is `added`, the first one `touched` more. A register is overwritten,
 * each time with a larger number, its stamp: all elements are the stamp of a write that no later one can have followed. */
struct cell {
    baton_array *array;
    struct tally added, touched;
    _Atomic uint64_t writes;    /* the newest stamp << 32 | writes that have not returned */
    _Atomic uint64_t settled;   /* no read that begins now may see a lower stamp */
};

struct task {
    pthread_t thread;
    uint64_t random;
    baton_stream *home;
    _Atomic uint64_t completed;
    baton_error error;          /* of the call that failed */
};

struct options {
    const char *driver, *json;
    uint64_t seconds, operations;   /* the run ends after one of them; 0: not */
    uint64_t tasks, arrays, streams, window_s, seed;
};

struct load {
    struct options options;
    baton_runtime *runtime;
    baton_kernel *kernels[KERNELS];
    int soft;
    baton_stream **streams;
    struct cell *cells;         /* even: counters; odd: registers */
    struct task *tasks;
    pthread_barrier_t start;
    _Atomic int stop;
    _Atomic uint64_t drawn;     /* operations that were begun */
    _Atomic uint64_t unserved;  /* tasks that have completed none */
    _Atomic uint64_t wrong;     /* reads that saw what they must not */
};
extern struct load load;

uint64_t draw(struct task *task, uint64_t below);

/* ---- arrays */

int32_t cells_open(baton_error *err);
void cells_close(void);
/* Few are popular: of 10,000 the first pair is drawn one time in eight, the first hundred one time in three. */
struct cell *draw_counter(struct task *task);
struct cell *draw_register(struct task *task);

static inline void tally_begin(struct tally *tally)
{
    atomic_fetch_add(&tally->begun, 1);
}

static inline void tally_done(struct tally *tally)
{
    atomic_fetch_add(&tally->done, 1);
}

/* The stamp of a write that is about to begin; write_end once it has returned. */
struct write {
    struct cell *cell;
    uint64_t stamp;
    int alone;                  /* all earlier writes had returned */
};
struct write write_begin(struct cell *cell);
void write_end(const struct write *write);

/* What a read that begins now may see at the least; look_check counts what is wrong. */
struct look {
    const struct cell *cell;
    uint64_t added, touched, settled;
};
struct look look_begin(const struct cell *cell);
/* The whole array, or `count` of its elements without the first. */
void look_check(const struct look *look, const float values[ELEMENTS]);
void look_check_some(const struct look *look, const float *values, int count);
/* The element-by-element sum of two counters. */
void look_check_sum(const struct look *left, const struct look *right, const float values[ELEMENTS]);

/* Downloads every array and compares; the number of those that are wrong. */
uint64_t cells_check(baton_error *err, int32_t *status);

/* ---- operations */

extern const char *const operation_names[OPERATIONS];
enum operation draw_operation(struct task *task);
int32_t operation_run(struct task *task, enum operation operation);

/* ---- how long things took */

struct spread {
    uint64_t count, p50_ns, p99_ns, most_ns;
};
/* The calling thread is inside this operation: its waits for locks are counted there. */
void waits_enter(enum operation operation);
/* An operation has taken so long. */
void duration_add(enum operation operation, uint64_t ns);
struct spread durations_of(enum operation operation);
/* Waits for locks of memories in calls of one operation, or of all; and all waits for other locks (streams, the cache). */
struct spread waits_of(enum operation operation);
struct spread waits_of_all(void);
struct spread waits_for_others(void);

/* ---- what is reported */

struct sample {
    double seconds;             /* since the run began */
    uint64_t completed, resident_bytes, live_bytes, deferred_bytes, cached_bytes, live_arrays, descriptors, threads;
    uint64_t pool_bytes;        /* what the driver has reserved of the device for all of these */
};
void sample_take(struct sample *sample, double seconds);

struct report {
    struct sample samples[WINDOWS_MOST + 1];    /* the first one before the run */
    int count;
    baton_stats stats;          /* at the end of the run */
    uint64_t least, most;       /* operations of one task */
};
uint64_t process_threads(void);
uint64_t process_descriptors(void);
uint64_t now_ns(void);
void report_print(const struct report *report);
/* Nonzero on failure. */
int report_write(const struct report *report, const char *path);
/* The number of promises that were broken, each told on a line. */
int report_judge(const struct report *report);

#endif
