/* F12: how fast the host wakes up after a gate opens, and what the waiting costs. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "bench.h"

static const uint64_t SHORT_NS = 20000, LONG_NS = 50000000;
enum { LONG_ROUNDS = 9 };

/* The thread that opens the gate, some time after the waiter has said that it begins. */
struct opener {
    pthread_t thread;
    baton_gate *gate;
    uint64_t delay_ns;
    _Atomic int go;
    uint64_t opened;        /* when; read after the join */
};

static void pass_time(uint64_t ns)
{
    uint64_t end = bench_now() + ns;
    struct timespec nap = { .tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u) };
    if (ns >= 1000000)
        nanosleep(&nap, NULL);
    while (bench_now() < end)
        ;
}

static void *opener_run(void *argument)
{
    struct opener *opener = argument;
    while (!atomic_load(&opener->go))
        ;
    pass_time(opener->delay_ns);
    opener->opened = bench_now();
    baton_gate_open(opener->gate, NULL);
    return NULL;
}

static void opener_start(struct opener *opener, uint64_t delay_ns)
{
    *opener = (struct opener) { .delay_ns = delay_ns };
    hold(0, &opener->gate);
    if (pthread_create(&opener->thread, NULL, opener_run, opener))
        bench_die("pthread_create", "no thread");
    pass_time(50000);       /* the gate is closed on the device by now */
}

static void wait_spinning(void)
{
    int code;
    while ((code = world.driver->stream_query(raw_stream(0))) == DRIVER_NOT_READY)
        ;
    need_raw(code);
}

static void wait_auto(void)
{
    need(baton_stream_synchronize(world.streams[0], BATON_WAIT_AUTO, &bench_error));
}

/* The time from the opening of the gate to the end of the wait. */
static uint64_t wake(void (*wait)(void), uint64_t delay_ns)
{
    struct opener opener;
    opener_start(&opener, delay_ns);
    atomic_store(&opener.go, 1);
    wait();
    uint64_t end = bench_now();
    pthread_join(opener.thread, NULL);
    baton_gate_release(opener.gate);
    return end > opener.opened ? end - opener.opened : 0;
}

static uint64_t wakes(void (*wait)(void), uint64_t delay_ns, uint64_t n)
{
    uint64_t ns = 0;
    for (uint64_t i = 0; i < n; i++)
        ns += wake(wait, delay_ns);
    return ns;
}

static uint64_t raw_short(uint64_t n) { return wakes(wait_spinning, SHORT_NS, n); }
static uint64_t our_short(uint64_t n) { return wakes(wait_auto, SHORT_NS, n); }
/* The driver's own sleeping wait: an interrupt wakes the host. */
static void wait_sleeping(void)
{
    driver_event event;
    need_raw(world.driver->event_create(&event, DRIVER_EVENT_DISABLE_TIMING | DRIVER_EVENT_BLOCKING_SYNC));
    need_raw(world.driver->event_record(event, raw_stream(0)));
    need_raw(world.driver->event_synchronize(event));
    need_raw(world.driver->event_destroy(event));
}

static uint64_t raw_long(uint64_t n) { return wakes(wait_sleeping, LONG_NS, n); }
static uint64_t our_long(uint64_t n) { return wakes(wait_auto, LONG_NS, n); }

static uint64_t thread_cpu_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static uint64_t waited_ns, waited_cpu_ns;

static void wait_auto_counted(void)
{
    uint64_t start = bench_now(), cpu = thread_cpu_ns();
    wait_auto();
    waited_cpu_ns += thread_cpu_ns() - cpu;
    waited_ns += bench_now() - start;
}

static void share(void)
{
    if (!bench_wanted("F12/share"))
        return;
    waited_ns = waited_cpu_ns = 0;
    wakes(wait_auto_counted, LONG_NS, LONG_ROUNDS);
    bench_figure("F12/share", "CPU of a wait of 50 ms", "<= 2 %", 100.0 * (double)waited_cpu_ns / (double)waited_ns, " %");
}

void times_wait(void)
{
    static const struct bench_case cases[] = {
        { "F12/short", "wake-up, wait of 20 us; floor: spinning", "<= 1.5x", raw_short, our_short, 1 },
        { "F12/long", "wake-up, wait of 50 ms; floor: the driver's sleep", "<= 100000 ns", raw_long, our_long, 1 },
    };
    MEASURE_ALL(cases);
    share();
}
