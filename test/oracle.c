#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baton.h"
#include "driver/instrument.h"

enum { MOST_NODES = 1 << 15, MOST_QUEUES = 512, MOST_EVENTS = 4096, MOST_READERS = 512, JOURNAL = 4096, WORD = 64 };

struct queue {
    void *native;
    int number;             /* counts all streams: a handle may come back */
    int last;               /* newest node, -1: none */
    int capture;            /* 0: none */
};

struct event {
    void *native;
    int record;             /* node of the last record, -1: none */
    int capture;            /* that it was recorded in, 0: none */
};

struct history {
    int write;              /* -1: none */
    int readers[MOST_READERS];
    int reader_count;
    uint64_t used[MOST_NODES / WORD];       /* by which nodes, ever */
};

/* Sets of nodes are bits; a node's set has room for the nodes before it, and holds itself. */
struct oracle {
    uint64_t *set[MOST_NODES];
    int stream[MOST_NODES];                 /* number of the node's stream */
    int count;
    uint64_t host[MOST_NODES / WORD];       /* known by the host to be finished */
    struct queue queues[MOST_QUEUES];
    int queue_count, streams, captures;
    struct event events[MOST_EVENTS];
    int event_count;
    struct history *histories;
    struct instrument_call journal[JOURNAL];
    struct oracle_counts counts;
    char trouble[160];
};

static void trouble(struct oracle *oracle, const char *what, int a, int b)
{
    if (!oracle->trouble[0])
        snprintf(oracle->trouble, sizeof oracle->trouble, "%s: %d, %d", what, a, b);
}

struct oracle *oracle_new(unsigned memories)
{
    struct oracle *oracle = calloc(1, sizeof *oracle);
    if (oracle && !(oracle->histories = calloc(memories, sizeof *oracle->histories))) {
        free(oracle);
        return NULL;
    }
    for (unsigned i = 0; oracle && i < memories; i++)
        oracle->histories[i].write = -1;
    return oracle;
}

void oracle_free(struct oracle *oracle)
{
    for (int i = 0; i < oracle->count; i++)
        free(oracle->set[i]);
    free(oracle->histories);
    free(oracle);
}

static int has(const uint64_t *set, int node)
{
    return (int)(set[node / WORD] >> (node % WORD) & 1);
}

static int before(const struct oracle *oracle, int a, int b)
{
    return a <= b && has(oracle->set[b], a);
}

static void merge(uint64_t *set, const uint64_t *other, int node)
{
    for (int i = 0; i <= node / WORD; i++)
        set[i] |= other[i];
}

/* A new node on the queue, behind `extra` too (-1: nothing). */
static int node_add(struct oracle *oracle, struct queue *queue, int extra)
{
    int node = oracle->count;
    uint64_t *set = node < MOST_NODES ? calloc((size_t)node / WORD + 1, sizeof *set) : NULL;
    if (!set) {
        trouble(oracle, "the oracle has no room left", node, MOST_NODES);
        return -1;
    }
    oracle->set[node] = set;
    oracle->stream[node] = queue->number;
    oracle->count++;
    merge(set, oracle->host, node);
    if (queue->last >= 0)
        merge(set, oracle->set[queue->last], queue->last);
    oracle->counts.idle_waits += extra >= 0 && has(set, extra);
    if (extra >= 0)
        merge(set, oracle->set[extra], extra);
    set[node / WORD] |= (uint64_t)1 << node % WORD;
    queue->last = node;
    return node;
}

/* The stream behind the handle; one that was made outside the journal's view is met for the first time here. */
static struct queue *queue_of(struct oracle *oracle, void *native)
{
    for (int i = 0; i < oracle->queue_count; i++)
        if (oracle->queues[i].native == native)
            return &oracle->queues[i];
    if (oracle->queue_count == MOST_QUEUES) {
        trouble(oracle, "too many streams", MOST_QUEUES, 0);
        return &oracle->queues[0];
    }
    oracle->queues[oracle->queue_count] = (struct queue) { native, oracle->streams++, -1, 0 };
    return &oracle->queues[oracle->queue_count++];
}

static struct event *event_of(struct oracle *oracle, void *native)
{
    for (int i = 0; i < oracle->event_count; i++)
        if (oracle->events[i].native == native)
            return &oracle->events[i];
    if (oracle->event_count == MOST_EVENTS) {
        trouble(oracle, "too many events", MOST_EVENTS, 0);
        return &oracle->events[0];
    }
    oracle->events[oracle->event_count] = (struct event) { native, -1, 0 };
    return &oracle->events[oracle->event_count++];
}

static void host_learns(struct oracle *oracle, int node)
{
    oracle->counts.host_waits++;
    if (node >= 0)
        merge(oracle->host, oracle->set[node], node);
}

static void replay_work(struct oracle *oracle, const struct instrument_call *call, struct oracle_step *step)
{
    struct queue *queue = queue_of(oracle, call->stream);
    if (queue->capture) {
        step->captured++;
        return;
    }
    step->work = node_add(oracle, queue, -1);
    step->first = step->works++ ? step->first : step->work;
}

static void replay_record(struct oracle *oracle, struct queue *queue, struct event *event)
{
    oracle->counts.records++;
    event->capture = queue->capture;
    event->record = queue->capture ? -1 : node_add(oracle, queue, -1);
}

/* A stream that waits for what is captured takes part in the capture from then on. */
static void replay_wait(struct oracle *oracle, struct queue *queue, const struct event *event)
{
    oracle->counts.waits++;
    if (event->capture)
        queue->capture = event->capture;
    if (!queue->capture)
        node_add(oracle, queue, event->record);
}

static void replay_capture_end(struct oracle *oracle, int capture)
{
    for (int i = 0; capture && i < oracle->queue_count; i++)
        if (oracle->queues[i].capture == capture)
            oracle->queues[i].capture = 0;
}

/* One call that succeeded. A handle that is made is new, even when it has the number of one that is gone. */
static void replay_call(struct oracle *oracle, const struct instrument_call *call, struct oracle_step *step)
{
    switch (call->row) {
    case DRIVER_ROW_stream_create:
        *queue_of(oracle, call->stream) = (struct queue) { call->stream, oracle->streams++, -1, 0 };
        step->stream_made = call->stream;
        break;
    case DRIVER_ROW_event_create:
        *event_of(oracle, call->event) = (struct event) { call->event, -1, 0 };
        break;
    case DRIVER_ROW_event_record:
        replay_record(oracle, queue_of(oracle, call->stream), event_of(oracle, call->event));
        break;
    case DRIVER_ROW_stream_wait_event:
        replay_wait(oracle, queue_of(oracle, call->stream), event_of(oracle, call->event));
        break;
    case DRIVER_ROW_capture_begin:
        queue_of(oracle, call->stream)->capture = ++oracle->captures;
        break;
    case DRIVER_ROW_capture_end:
        replay_capture_end(oracle, queue_of(oracle, call->stream)->capture);
        break;
    case DRIVER_ROW_event_synchronize:
    case DRIVER_ROW_event_query:
        host_learns(oracle, event_of(oracle, call->event)->record);
        break;
    case DRIVER_ROW_stream_synchronize:
    case DRIVER_ROW_stream_query:
        host_learns(oracle, queue_of(oracle, call->stream)->last);
        break;
    case DRIVER_ROW_host_free:              /* only when the device is idle; that there are others is left to the device's own eyes */
        for (int node = 0; node < oracle->count; node++)
            oracle->host[node / WORD] |= (uint64_t)1 << node % WORD;
        break;
    case DRIVER_ROW_alloc_async:
        step->allocated = node_add(oracle, queue_of(oracle, call->stream), -1);
        break;
    case DRIVER_ROW_free_async:
        step->freed = node_add(oracle, queue_of(oracle, call->stream), -1);
        break;
    case DRIVER_ROW_launch:
    case DRIVER_ROW_launch_ex:
    case DRIVER_ROW_graph_launch:
    case DRIVER_ROW_capture_update:
    case DRIVER_ROW_copy:
    case DRIVER_ROW_copy_peer:
    case DRIVER_ROW_copy_to_device:
    case DRIVER_ROW_copy_to_host:
    case DRIVER_ROW_fill8:
    case DRIVER_ROW_fill16:
    case DRIVER_ROW_fill32:
        replay_work(oracle, call, step);
        break;
    default:
        break;
    }
}

struct oracle_step oracle_replay(struct oracle *oracle)
{
    struct oracle_step step = { .first = -1, .work = -1, .allocated = -1, .freed = -1 };
    uint64_t made = instrument_count(DRIVER_ROW_COUNT);
    size_t count = instrument_journal(oracle->journal, JOURNAL);
    if (made != count)
        trouble(oracle, "the journal overflowed", (int)made, (int)count);
    for (size_t i = 0; i < count; i++)
        if (oracle->journal[i].code == DRIVER_SUCCESS)
            replay_call(oracle, &oracle->journal[i], &step);
    instrument_reset();
    return step;
}

static void must_follow(struct oracle *oracle, int earlier, int node)
{
    if (earlier >= 0 && node >= 0 && !before(oracle, earlier, node))
        trouble(oracle, "not ordered", earlier, node);
}

static void add_used(struct history *history, int node)
{
    if (node >= 0)
        history->used[node / WORD] |= (uint64_t)1 << node % WORD;
}

void oracle_birth(struct oracle *oracle, unsigned memory, int node)
{
    struct history *history = &oracle->histories[memory];
    memset(history, 0, sizeof *history);
    history->write = node;
    add_used(history, node);
}

/* Whoever follows the last write and all readers since follows everything before them. */
void oracle_use(struct oracle *oracle, unsigned memory, uint32_t access, int node)
{
    struct history *history = &oracle->histories[memory];
    oracle->counts.uses++;
    if (node < 0)
        trouble(oracle, "a use without work", (int)memory, node);
    must_follow(oracle, history->write, node);
    for (int i = 0; access & BATON_WRITE && i < history->reader_count; i++)
        must_follow(oracle, history->readers[i], node);
    add_used(history, node);
    if (access & BATON_WRITE) {
        history->write = node;
        history->reader_count = 0;
    } else if (history->reader_count < MOST_READERS) {
        history->readers[history->reader_count++] = node;
    } else {
        trouble(oracle, "too many readers", (int)memory, node);
    }
}

void oracle_finished(struct oracle *oracle, unsigned memory, void *except)
{
    const struct history *history = &oracle->histories[memory];
    int excepted = except ? queue_of(oracle, except)->number : -1;
    for (int node = 0; node < oracle->count; node++)
        if (has(history->used, node) && !has(oracle->host, node) && oracle->stream[node] != excepted)
            trouble(oracle, "not known to be finished", (int)memory, node);
}

void oracle_idle(struct oracle *oracle, void *stream)
{
    int last = queue_of(oracle, stream)->last;
    if (last >= 0 && !has(oracle->host, last))
        trouble(oracle, "stream not known to be finished", queue_of(oracle, stream)->number, last);
}

const char *oracle_trouble(const struct oracle *oracle)
{
    return oracle->trouble;
}

struct oracle_counts oracle_counted(const struct oracle *oracle)
{
    struct oracle_counts counts = oracle->counts;
    counts.nodes = (uint64_t)oracle->count;
    return counts;
}
