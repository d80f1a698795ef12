/* F3, F16: hand-offs of an array whose stream is held by a gate, in the host's time and in the device's. */
#include "bench.h"

/* Few enough that no stream is full before the gate opens; the software device, whose links are short, wants longer chains. */
enum { LINKS_FEW = 40, LINKS = 200, LINKS_SOFT = 4000 };

static uint64_t raw_take_over(uint64_t n)
{
    uint64_t ns = 0;
    for (uint64_t i = 0; i < n; i++) {
        baton_gate *gate;
        hold(0, &gate);
        raw_launch(KERNEL_TOUCH1, 0, world.parameters);
        uint64_t start = bench_now();
        raw_follow(1, 0);
        raw_launch(KERNEL_TOUCH1, 1, world.parameters);
        ns += bench_now() - start;
        baton_gate_release(gate);
        world_idle();
    }
    return ns;
}

static uint64_t our_take_over(uint64_t n)
{
    uint64_t ns = 0;
    for (uint64_t i = 0; i < n; i++) {
        baton_gate *gate;
        hold(0, &gate);
        launch(KERNEL_TOUCH1, 0, world.arguments, 1);
        uint64_t start = bench_now();
        launch(KERNEL_TOUCH1, 1, world.arguments, 1);
        ns += bench_now() - start;
        baton_gate_release(gate);
        world_idle();
    }
    return ns;
}

/* ---- chains: queued behind the gate, then let go */

typedef void (*link_body)(int link);

static void raw_link_same(int link)
{
    (void)link;
    raw_launch(KERNEL_TOUCH1, 0, world.parameters);
}

static void raw_link_pass(int link)
{
    if (link)
        raw_follow(link % 2, !(link % 2));
    raw_launch(KERNEL_TOUCH1, link % 2, world.parameters);
}

static void our_link(int link)
{
    launch(KERNEL_TOUCH1, link % 2, world.arguments, 1);
}

static int code_busy(int code)
{
    if (code != DRIVER_NOT_READY)
        need_raw(code);
    return code == DRIVER_NOT_READY;
}

/* From the gate's opening to the end of the last link. */
static uint64_t chain(link_body body, int links)
{
    baton_gate *gate;
    hold(0, &gate);
    for (int i = 0; i < links; i++)
        body(i);
    if (!code_busy(world.driver->stream_query(raw_stream(0))))
        bench_die("chain", "the gate's time was over before the chain was queued");
    uint64_t start = bench_now();
    need(baton_gate_open(gate, &bench_error));
    while (code_busy(world.driver->stream_query(raw_stream(0))) || code_busy(world.driver->stream_query(raw_stream(1))))
        ;
    uint64_t ns = bench_now() - start;
    baton_gate_release(gate);
    return ns;
}

/* n links: what a long chain takes more than a short one, so that the gate and the host's waking up fall out. */
static uint64_t chain_links(link_body body, uint64_t n)
{
    uint64_t few = chain(body, LINKS_FEW);
    world_idle();
    uint64_t many = chain(body, LINKS_FEW + (int)n);
    return many > few ? many - few : 0;
}

static uint64_t raw_chain_same(uint64_t n) { return chain_links(raw_link_same, n); }
static uint64_t raw_chain_pass(uint64_t n) { return chain_links(raw_link_pass, n); }
static uint64_t our_chain(uint64_t n) { return chain_links(our_link, n); }

void times_hold(void)
{
    const uint64_t links = world.soft ? LINKS_SOFT : LINKS;
    const struct bench_case cases[] = {
        { "F3", "take over an array of a held stream", "<= 2x, <= 20000 ns", raw_take_over, our_take_over, 1 },
        { "F16/events", "device time per link; floor: one stream", "<= 1.2x", raw_chain_same, our_chain, links },
        { "F16/raw", "the same with raw events", "for comparison", raw_chain_same, raw_chain_pass, links },
    };
    MEASURE_ALL(cases);
}
