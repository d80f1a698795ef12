#include "driver/instrument.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { JOURNAL_CAPACITY = 4096 };

struct plan {
    uint64_t calls;     /* the call to fail, counted from now: 1 is the next; 0: none */
    int code;
    int every;
};

/* Calls are numbered through from the start of the process; a reset only moves `start`. So an entry stays recognizable
 * while its call is under way, whatever happens to the journal meanwhile. */
struct instrument {
    pthread_mutex_t lock;                               /* guards all but `on` and `watch`; a leaf, not held during a call */
    uint64_t calls;                                     /* number of the newest call */
    uint64_t start;                                     /* `calls` at the last reset */
    uint64_t counts[DRIVER_ROW_COUNT];
    uint64_t succeeded[DRIVER_ROW_COUNT];               /* these two since the start of the process */
    uint64_t lost;
    uint64_t failures;
    struct plan plans[DRIVER_ROW_COUNT];
    struct plan any;
    struct plan stop;                                   /* `function` is run there */
    void (*function)(void);
    struct instrument_call journal[JOURNAL_CAPACITY];   /* call n is at n modulo the capacity */
    atomic_int on;
    void (*_Atomic watch)(enum driver_row row);
};

/* A driver in front of another. There is one for each kind, since a process has at most one CUDA driver and one
 * software device. */
struct front {
    struct driver face;                         /* written under the lock, before the pointer to it is given out */
    _Atomic(const struct driver *) target;
};

static struct instrument instrument = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct front fronts[2];                  /* by driver.host_kernels */

/* Whether the plan fails this call. */
static int plan_step(struct plan *plan)
{
    if (plan->calls == 0)
        return 0;
    if (plan->calls > 1) {
        plan->calls--;
        return 0;
    }
    if (!plan->every)
        plan->calls = 0;
    return 1;
}

/* Whether this call of the row fails, and with which code. Both plans count every call; the row's own wins. */
static int plans_step_locked(enum driver_row row, int *code)
{
    struct plan *own = &instrument.plans[row];
    int any_fails = plan_step(&instrument.any);
    int own_fails = plan_step(own);
    if (any_fails)
        *code = instrument.any.code;
    if (own_fails)
        *code = own->code;
    return any_fails || own_fails;
}

static struct instrument_call *journal_at(uint64_t call)
{
    return &instrument.journal[call % JOURNAL_CAPACITY];
}

static void (*stop_step_locked(void))(void)
{
    return plan_step(&instrument.stop) ? instrument.function : NULL;
}

/* Numbers the call and returns its number. *failed: a plan answers it with *code and the driver is not to be called. */
static uint64_t call_begin(enum driver_row row, void *stream, void *event, int *failed, int *code)
{
    uint64_t call;
    uint64_t thread = (uint64_t)gettid();
    void (*watch)(enum driver_row) = atomic_load(&instrument.watch);
    if (watch)
        watch(row);
    pthread_mutex_lock(&instrument.lock);
    call = ++instrument.calls;
    instrument.counts[row]++;
    *failed = plans_step_locked(row, code);
    instrument.failures += (uint64_t)*failed;
    *journal_at(call) = (struct instrument_call) { .sequence = call, .row = row, .code = INSTRUMENT_RUNNING,
                                                   .thread = thread, .stream = stream, .event = event };
    void (*stop)(void) = stop_step_locked();
    pthread_mutex_unlock(&instrument.lock);
    if (stop)
        stop();
    return call;
}

static void call_end(enum driver_row row, uint64_t call, int code, void *stream, void *event)
{
    struct instrument_call *entry = journal_at(call);
    pthread_mutex_lock(&instrument.lock);
    instrument.succeeded[row] += code == DRIVER_SUCCESS;
    instrument.lost += (uint64_t)driver_code_sticky(code);
    if (entry->sequence == call) {      /* else newer calls have pushed it out */
        entry->code = code;
        entry->stream = stream;
        entry->event = event;
    }
    pthread_mutex_unlock(&instrument.lock);
}

/* The handle in an argument: itself, or, where the row makes one, what the argument points to once that is there. */
static void *handle_given(void *argument, int missing)
{
    (void)missing;
    return argument;
}

static void *handle_made(void *argument, int missing)
{
    return missing ? NULL : *(void **)argument;
}

#define HANDLE(argument, missing) \
    _Generic((argument), void **: handle_made, default: handle_given)((argument), (missing))

/* What the names mean in the functions below when a row has no parameter called so. */
static void *const stream = NULL;
static void *const event = NULL;

/* A function of front number `front`: a set for each, as a driver function is not told which table it was called
 * through. */
#define FRONT_FUNCTION(front, name, verb, parameters, arguments)                                                       \
    static int name parameters                                                                                         \
    {                                                                                                                  \
        int failed, code = INSTRUMENT_RUNNING;                                                                         \
        uint64_t call = call_begin(DRIVER_ROW_##verb, HANDLE(stream, 1), HANDLE(event, 1), &failed, &code);            \
        if (!failed)                                                                                                   \
            code = atomic_load(&fronts[front].target)->verb arguments;                                                 \
        call_end(DRIVER_ROW_##verb, call, code, HANDLE(stream, failed || code), HANDLE(event, failed || code));                           \
        return code;                                                                                                   \
    }
#define FRONT0_FUNCTION(verb, symbol, version, parameters, arguments) \
    FRONT_FUNCTION(0, front0_##verb, verb, parameters, arguments)
#define FRONT1_FUNCTION(verb, symbol, version, parameters, arguments) \
    FRONT_FUNCTION(1, front1_##verb, verb, parameters, arguments)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
DRIVER_ROWS(FRONT0_FUNCTION)
DRIVER_ROWS(FRONT1_FUNCTION)
#pragma GCC diagnostic pop

#define FRONT0_MEMBER(verb, symbol, version, parameters, arguments) .verb = front0_##verb,
#define FRONT1_MEMBER(verb, symbol, version, parameters, arguments) .verb = front1_##verb,
static const struct driver front_functions[2] = {
    { DRIVER_ROWS(FRONT0_MEMBER) },
    { DRIVER_ROWS(FRONT1_MEMBER) },
};

void instrument_enable(int on)
{
    atomic_store(&instrument.on, on);
}

const struct driver *instrument_wrap(const struct driver *driver)
{
    int kind = driver->host_kernels != 0;
    struct front *front = &fronts[kind];
    if (!atomic_load(&instrument.on))
        return driver;
    pthread_mutex_lock(&instrument.lock);
    if (driver != &front->face && driver != atomic_load(&front->target)) {
        front->face = front_functions[kind];
        front->face.name = driver->name;
        front->face.builtin_image = driver->builtin_image;
        front->face.arithmetic_image = driver->arithmetic_image;
        front->face.host_kernels = driver->host_kernels;
        atomic_store(&front->target, driver);
    }
    pthread_mutex_unlock(&instrument.lock);
    return &front->face;
}

void instrument_reset(void)
{
    pthread_mutex_lock(&instrument.lock);
    instrument.start = instrument.calls;
    instrument.failures = 0;
    instrument.any = instrument.stop = (struct plan) { 0 };
    for (int row = 0; row < DRIVER_ROW_COUNT; row++) {
        instrument.counts[row] = 0;
        instrument.plans[row] = (struct plan) { 0 };
    }
    pthread_mutex_unlock(&instrument.lock);
}

uint64_t instrument_count(enum driver_row row)
{
    uint64_t count;
    if (row > DRIVER_ROW_COUNT)
        return 0;
    pthread_mutex_lock(&instrument.lock);
    count = row == DRIVER_ROW_COUNT ? instrument.calls - instrument.start : instrument.counts[row];
    pthread_mutex_unlock(&instrument.lock);
    return count;
}

uint64_t instrument_succeeded(enum driver_row row)
{
    uint64_t count;
    if (row >= DRIVER_ROW_COUNT)
        return 0;
    pthread_mutex_lock(&instrument.lock);
    count = instrument.succeeded[row];
    pthread_mutex_unlock(&instrument.lock);
    return count;
}

uint64_t instrument_lost(void)
{
    uint64_t count;
    pthread_mutex_lock(&instrument.lock);
    count = instrument.lost;
    pthread_mutex_unlock(&instrument.lock);
    return count;
}

size_t instrument_journal(struct instrument_call *calls, size_t capacity)
{
    uint64_t kept;
    pthread_mutex_lock(&instrument.lock);
    kept = instrument.calls - instrument.start;
    if (kept > JOURNAL_CAPACITY)
        kept = JOURNAL_CAPACITY;
    if (kept > capacity)
        kept = capacity;
    for (uint64_t i = 0; i < kept; i++) {
        calls[i] = *journal_at(instrument.calls - kept + 1 + i);
        calls[i].sequence -= instrument.start;
    }
    pthread_mutex_unlock(&instrument.lock);
    return (size_t)kept;
}

void instrument_fail(enum driver_row row, uint64_t n, int code, int every)
{
    if (row >= DRIVER_ROW_COUNT)
        return;
    pthread_mutex_lock(&instrument.lock);
    instrument.plans[row] = (struct plan) { .calls = n, .code = code, .every = every };
    pthread_mutex_unlock(&instrument.lock);
}

void instrument_fail_any(uint64_t n, int code)
{
    pthread_mutex_lock(&instrument.lock);
    instrument.any = (struct plan) { .calls = n, .code = code };
    pthread_mutex_unlock(&instrument.lock);
}

void instrument_stop(uint64_t n, void (*function)(void))
{
    pthread_mutex_lock(&instrument.lock);
    instrument.stop = (struct plan) { .calls = n };
    instrument.function = function;
    pthread_mutex_unlock(&instrument.lock);
}

void instrument_watch(void (*watch)(enum driver_row row))
{
    atomic_store(&instrument.watch, watch);
}

uint64_t instrument_failures(void)
{
    uint64_t failures;
    pthread_mutex_lock(&instrument.lock);
    failures = instrument.failures;
    pthread_mutex_unlock(&instrument.lock);
    return failures;
}
