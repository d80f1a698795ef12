/* One call of one story fails: what happened, and what must hold afterwards. */
#ifndef BATON_TEST_FAULTS_H
#define BATON_TEST_FAULTS_H

#include "plays.h"
#include "support.h"

/* Under a sanitizer, of every so many runs one. */
#ifdef SANITIZED
enum { SAMPLE = 4 };
#else
enum { SAMPLE = 1 };
#endif

/* One run: which story, which call of it fails, and how. */
struct fault {
    const struct scene *scene;
    uint64_t call;              /* 1: the first */
    int code;                   /* OUT_OF_MEMORY, for an allocation */
    int allocation;             /* not a call of the driver, but an allocation of the host fails */
    int32_t status;             /* what the story returned */
    int failed;                 /* the call was reached */
    int lost;                   /* the device of the arrays is poisoned */
    enum driver_row row;        /* it was of this row */
};

extern struct fault fault;

#define holds(condition) \
    ck_assert_msg((condition), "%s, call %d (%s) fails with %d, status %s: %s", fault.scene->name, (int)fault.call, \
                  fault.allocation ? "an allocation" : fault.failed ? driver_row_name(fault.row) : "none", fault.code, baton_status_name(fault.status), #condition)

/* A sticky code is the driver's last word on a context: what was there is gone with it. */
static inline int fault_sticky(void)
{
    return driver_code_sticky(fault.code);
}
int fault_is_of(enum driver_row row);

/* ---- faults_world.c: the device beneath, and allocations that fail */

/* Keeps the software device up between runtimes, so that what one leaves behind can be counted. */
extern const struct driver *raw;
extern driver_context contexts[2];
void world_hold(void);
void world_release(void);

/* The n-th next allocation of this thread fails; 0: none does. Whether it has. */
void starve(uint64_t n);
int starved(void);

/* On a device that is lost nothing runs any more. The software device, where the loss is only pretended, works on: its work is brought to an end. */
void world_stop_work(void);
/* What a failed call left over, a drain of any runtime takes. */
void world_drain(void);

struct soft_census world_census(void);
/* What a fault may have left with the device. */
int world_may_differ(void);
int same_census(const struct soft_census *a, const struct soft_census *b);

/* ---- faults_checks.c */

void check_thread(void);                        /* its context and capture mode are its own again */
void check_status(const struct play *play);
void check_objects(struct play *play);          /* unlocked, old or new, of use again */
void check_counts(struct play *play);           /* once everything was released */

/* ---- faults_fork.c */

/* Forks in the first call of the driver, then in the second ..., and returns how many there were. */
uint64_t walk_forks(const struct scene *scene);

#endif
