/* Measuring: ours and a floor in the same process, batch by batch in turn, so that a drifting machine moves both. */
#ifndef BATON_BENCH_BENCH_H
#define BATON_BENCH_BENCH_H

#include <stdio.h>
#include <stdlib.h>

#include "array/array.h"
#include "kernels.h"
#include "work/module.h"

enum { STREAMS = 256, STREAMS_FIRST = 16, ELEMENTS = 512 };

/* What all benchmarks share. The floors have memory and events of their own, and the library's streams and kernels. */
struct world {
    baton_runtime *runtime;
    const struct driver *driver;
    struct device *device;
    int soft, quick;
    baton_kernel *kernels[KERNELS];
    int stream_count;
    baton_stream *streams[STREAMS];
    driver_event events[STREAMS];               /* one per stream, for the floors */
    baton_array *arrays[KERNEL_ARRAYS];         /* ELEMENTS of f32 */
    baton_argument arguments[KERNEL_ARRAYS];    /* each array, read and written */
    driver_address addresses[KERNEL_ARRAYS];    /* as large as the arrays */
    void *parameters[KERNEL_ARRAYS];            /* pointers to the addresses */
};
extern struct world world;
extern baton_error bench_error;

void world_open(const char *driver, int quick);
void world_close(void);
/* Makes streams until there are `count`. */
void world_streams_reach(int count);
/* The floors' calls need the context to be current on their thread. */
void world_enter(void);
/* Waits for every stream. */
void world_idle(void);

/* A call that failed ends the program with one sentence. */
#define need(call) need_ok((call), #call)
#define need_raw(call) need_code((call), #call)
_Noreturn void bench_die(const char *call, const char *why);
static inline void need_ok(int32_t status, const char *call)
{
    if (status)
        bench_die(call, bench_error.message[0] ? bench_error.message : baton_status_name(status));
}
static inline void need_code(int code, const char *call)
{
    if (code)
        bench_die(call, driver_code_name(code));
}

/* One launch, and one hand-off between streams by number, with the driver's own calls. */
void raw_launch(enum kernel_name kernel, int stream, void **parameters);
void raw_follow(int after, int before);
void raw_synchronize(int stream);
driver_stream raw_stream(int stream);
/* One launch through the library. */
void launch(enum kernel_name kernel, int stream, const baton_argument *arguments, uint32_t count);
void hold(int stream, baton_gate **gate);       /* for at most two seconds */

/* n operations; returns the nanoseconds that they took together. */
typedef uint64_t (*bench_body)(uint64_t n);

struct bench_case {
    const char *id, *name, *goal;
    bench_body floor;           /* NULL: there is none */
    bench_body ours;
    uint64_t batch;             /* operations per batch */
};
uint64_t bench_now(void);
int bench_wanted(const char *id);
void bench_measure(const struct bench_case *bench);
/* A figure that is no time. */
void bench_figure(const char *id, const char *name, const char *goal, double value, const char *unit);
void bench_begin(const char *const *filters, int count);
/* The results as JSON; nonzero on failure. */
int bench_write(const char *path);

#define MEASURE_ALL(cases)                                              \
    for (size_t i = 0; i < sizeof(cases) / sizeof *(cases); i++)        \
        bench_measure(&(cases)[i])

/* The groups, each in a file of its own. */
void times_devices(void);
void times_elementwise(void);
void times_launch(void);
void times_hold(void);
void times_wait(void);
void times_fan(void);
void times_memory(void);
void times_graph(void);
void times_rows(void);
void times_streams(void);

#endif
