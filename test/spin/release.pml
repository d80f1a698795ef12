/* Releases (lib/base/deferred.c, lib/memory/retire.c): a stack that any thread pushes to, and drains that race with work, captures and the close.
 *
 * Memory `array` was written on stream A. A reader reads it on stream B, holding its lock, while its last handle is released; a capture on A or B begins and
 * ends at any time, and keeps `pinned`, which is given back only when its uses have finished. `graph` is what the capture leaves; it keeps its set.
 *
 * Holds: each is freed exactly once (O9); the free of `array` lies behind its last use in the order of A (I6), and nothing is submitted to a captured
 * stream that would become part of its graph or break it (C1, C9); a drain that begins during a capture frees nothing (C9); the runtime is used only while it
 * is alive, and is freed in the end.
 *
 * run:   -DON=0 -DREADER -DCAPTURER -DDRAINER      releases and a drain against a capture on A
 * run:   -DON=1 -DREADER -DCAPTURER -DDRAINER      ... on B
 * run:   -DON=0 -DDRAINER -DCLOSER                 drains against each other and the close
 * run:   -DON=0 -DREADER -DCLOSER
 * more:  -DON=0 -DREADER -DDRAINER -DCLOSER
 * run:   -DON=0 -DCAPTURER -DCLOSER                a capture against the close
 * break: BREAK_NO_LOOK -DON=0 -DREADER -DDRAINER
 * break: BREAK_NO_READER -DON=0 -DREADER -DDRAINER
 * break: BREAK_TICKET_EARLY -DON=1 -DREADER -DCAPTURER -DDRAINER
 * break: BREAK_IN_CAPTURE -DON=0 -DREADER -DCAPTURER -DDRAINER
 * break: BREAK_NO_HOLD -DON=0 -DREADER -DCAPTURER -DDRAINER
 * break: BREAK_RECORD_ANYWAY -DON=1 -DREADER -DCAPTURER -DDRAINER
 * break: BREAK_DRAIN_IN_CAPTURE -DON=0 -DREADER -DCAPTURER -DDRAINER
 * break: BREAK_CLOSED_IN_CAPTURE -DON=0 -DCAPTURER -DCLOSER
 * break: BREAK_PINNED_EARLY -DON=0 -DDRAINER -DCLOSER
 * break: BREAK_LATER_LOST -DON=0 -DREADER -DDRAINER
 * break: BREAK_REST_LOST -DON=0 -DREADER -DDRAINER
 * break: BREAK_PUSH_STORES -DON=0 -DREADER -DDRAINER -DCLOSER
 * break: BREAK_TAKE_LOADS -DON=0 -DREADER -DDRAINER
 * break: BREAK_NOT_RETAINED -DON=0 -DREADER -DDRAINER -DCLOSER
 */
#define A 0
#define B 1
#define ARRAY 0
#define PINNED 1
#define GRAPH 2
#define NODES 3

/* The stack of the runtime; node n is n + 1, and 0 is the end. */
byte head, next[NODES];
byte waiting;                   /* taken by a bounded drain and not tried yet, the oldest first */
bool draining;

bool closed, captures;
byte over;                      /* processes that have ended */

/* Who is there; the one who releases and the one who drains at last always are. */
#ifndef READER
#define READER 0
#endif
#ifndef CAPTURER
#define CAPTURER 0
#endif
#ifndef DRAINER
#define DRAINER 0
#endif
#ifndef CLOSER
#define CLOSER 0
#endif

/* The runtime: its handle, and one reference each of the array, the pinned memory, and the streams of those who call. */
byte runtime = 3 + READER + CAPTURER + DRAINER;

#if CAPTURER
byte references[NODES] = { 1, 2, 0 };   /* a handle on ARRAY; one on PINNED, and the capturer's */
#else
byte references[NODES] = { 1, 1, 0 };
#endif
bool freed[NODES];

/* Streams. A ticket is drawn when the work has been queued. */
byte queued[2] = { 1, 0 };
byte tickets[2] = { 1, 0 };
byte stamp[2], event[2];   /* event: how much was queued at the record */
byte under_way[2];
bool turning[2], locked[2], captured[2], began[2];
byte follows;                   /* how much of B the work of A follows on the device */

/* ARRAY: its lock, and its reader on B. */
bool held, begun = !READER;
byte reader_ticket, reader_work;
bool reading;                   /* work that is not queued yet will use it */
bool in_graph[NODES], pinned_used = CLOSER;

inline use_runtime() { assert(runtime > 0) }

inline runtime_release()
{
    atomic { runtime--; if :: runtime == 0 -> assert(head == 0 && waiting == 0 && !draining) :: else fi }
}

/* deferred_push */
inline push(n)
{
    do
    :: use_runtime();
        old = head;
        next[n] = old;
#ifdef BREAK_PUSH_STORES
        head = n + 1; break
#else
        atomic { if :: head == old -> head = n + 1; break :: else fi }
#endif
    od;
    old = 0
}

/* memory_release */
inline release(n)
{
    atomic { references[n]--; last = references[n] == 0 };
    if :: last -> push(n) :: else fi;
    last = 0
}

/* submission_enter */
inline enter(s)
{
    do
    :: under_way[s]++;
        if
        :: turning[s] -> under_way[s]--; !turning[s]
        :: else -> break
        fi
    od
}

inline lock(s) { atomic { !locked[s]; locked[s] = 1 } }

/* stream_mark_locked, which records, or takes the event from before a capture (C2). */
inline mark(s, ticket)
{
    if
#ifndef BREAK_RECORD_ANYWAY
    :: captured[s] -> assert(stamp[s] >= ticket)
    :: !captured[s] && stamp[s] >= ticket
    :: !captured[s] && stamp[s] < ticket ->
#else
    :: true ->
#endif
        covered = tickets[s];
        d_step { assert(!captured[s]); event[s] = queued[s]; stamp[s] = covered; covered = 0 }
    fi
}

/* memory_retire for ARRAY: give_back, order_readers, pool_free. later: too early */
inline retire_array()
{
    enter(A);
    later = 0;
#ifndef BREAK_IN_CAPTURE
    if :: captured[A] -> later = 1 :: else fi;
#endif
    if
    :: later
    :: else ->
        if
#ifndef BREAK_NO_READER
        :: reader_ticket > 0 ->
            lock(B);
            mark(B, reader_ticket);
            d_step { assert(!captured[A]); if :: follows < event[B] -> follows = event[B] :: else fi };
            locked[B] = 0
        :: else
#else
        :: true
#endif
        fi;
        d_step {
            assert(!captured[A] && !reading && !in_graph[ARRAY] && follows >= reader_work);
            assert(!freed[ARRAY]);
            freed[ARRAY] = 1;
            queued[A]++
        };
        tickets[A]++
    fi;
    under_way[A]--
}

/* memory_reclaim, graph_reclaim */
inline reclaim()
{
    assert(!inside);
    later = 0;
    if
    :: node - 1 == ARRAY ->
#ifndef BREAK_NO_LOOK
        if :: held -> later = 1 :: else -> retire_array() fi
#else
        retire_array()
#endif
    :: node - 1 == PINNED ->
        if
#ifndef BREAK_PINNED_EARLY
        :: pinned_used -> later = 1
        :: else ->
#else
        :: true ->
#endif
            d_step { assert(!freed[PINNED] && !pinned_used && !in_graph[PINNED]); freed[PINNED] = 1 }
        fi
    :: else ->
        d_step { assert(!freed[GRAPH]); freed[GRAPH] = 1 };
        if :: in_graph[ARRAY] -> in_graph[ARRAY] = 0; release(ARRAY) :: else fi;
        if :: in_graph[PINNED] -> in_graph[PINNED] = 0; release(PINNED) :: else fi
    fi;
    if :: !later -> runtime_release() :: else fi
}

/* Puts a list back. */
inline push_all(list)
{
    do
    :: list == 0 -> break
    :: else -> node = list; list = next[node - 1]; push(node - 1)
    od;
    node = 0
}

/* take_oldest_first */
inline take_all()
{
#ifdef BREAK_TAKE_LOADS
    list = head;
    head = 0;
#else
    d_step { list = head; head = 0 };
#endif
    d_step {
        node = 0;
        do
        :: list == 0 -> break
        :: else -> old = next[list - 1]; next[list - 1] = node; node = list; list = old
        od;
        list = node; node = 0; old = 0
    };
    taken = 1
}

/* deferred_drain. most: 0 or 1 */
inline drain(most)
{
    use_runtime();
    done = 0;
    if
    :: head == 0 && waiting == 0
    :: else ->
        atomic { if :: draining -> go = 0 :: else -> draining = 1; go = 1 fi };
        if
        :: !go
        :: else ->
            d_step { list = waiting; waiting = 0; tried = 0; taken = 0; go = 0 };
            do
            :: most && tried -> break
            :: else ->
                if :: list == 0 && !taken -> take_all() :: else fi;
                if :: list == 0 -> break :: else fi;
                node = list;
                list = next[node - 1];
                reclaim();
                if
                :: later -> d_step { next[node - 1] = kept; kept = node }
                :: else -> done = 1
                fi;
                tried = 1;
                later = 0
            od;
#ifndef BREAK_REST_LOST
            waiting = list;
#endif
            list = 0;
#ifndef BREAK_LATER_LOST
            push_all(kept);
#endif
            d_step { kept = 0; node = 0; tried = 0; taken = 0; go = 0 };
            use_runtime();
            draining = 0
        fi
    fi
}

/* runtime_drain, but for what closed runtimes left behind. */
inline runtime_drain(most)
{
#ifdef BREAK_DRAIN_IN_CAPTURE
    inside = captures;
    drain(most);
#else
    if
    :: captures
    :: else ->
        do
        :: drain(most);
            if :: done && !most :: else -> break fi
        od
    fi;
#endif
    inside = 0;
    done = 0
}

#define LOCALS byte node, list, kept, old, covered; bool last, later, done, go, tried, taken, inside

/* An operation on B that reads the array: lock, follow A, submit, ticket, publish, unlock; or a part of the capture. */
#if READER
active proctype reader()
{
    byte old, covered;
    do
    :: captured[B] ->
        enter(B);
        if
        :: captured[B] -> in_graph[ARRAY] = 1; references[ARRAY]++; begun = 1; under_way[B]--; break
        :: else -> under_way[B]--
        fi
    :: else ->
        held = 1;
        enter(B);
        if
        :: captured[B] -> under_way[B]--; held = 0
        :: else ->
            reading = 1;
            begun = 1;
            lock(A);
            mark(A, 1);
            locked[A] = 0;
            d_step { assert(!captured[B]); queued[B]++; reader_work = queued[B]; reading = 0 };
#ifdef BREAK_TICKET_EARLY
            reader_ticket = tickets[B];
            d_step { tickets[B]++; under_way[B]-- };
#else
            d_step { tickets[B]++; covered = tickets[B]; under_way[B]-- };
            reader_ticket = covered;
            covered = 0;
#endif
            held = 0;
            break
        fi
    od;
    runtime_release();
    over++
}
#endif

/* The last handles. The array's goes once the operation has begun. */
active proctype releaser()
{
    byte old;
    bool last;
    if
    :: begun -> release(ARRAY); release(PINNED)
    :: release(PINNED); begun; release(ARRAY)
    fi;
    over++
}

inline hold(s)
{
    atomic { !turning[s]; turning[s] = 1 };
#ifndef BREAK_NO_HOLD
    under_way[s] == 0
#endif
}

/* capture_end, for whoever comes first. ended: it was this one */
inline end_capture()
{
    hold(ON);
    ended = captured[ON];
    if
    :: ended -> lock(ON); captured[ON] = 0; locked[ON] = 0; turning[ON] = 0; captures = 0
    :: else -> turning[ON] = 0
    fi
}

inline release_set()
{
    if :: in_graph[ARRAY] -> in_graph[ARRAY] = 0; release(ARRAY) :: else fi;
    if :: in_graph[PINNED] -> in_graph[PINNED] = 0; release(PINNED) :: else fi
}

#if CAPTURER
active proctype capturer()
{
    byte old, covered;
    bool last, ended;

    captures = 1;
    hold(ON);
    lock(ON);
    if :: tickets[ON] == 0 -> tickets[ON]++ :: else fi;
    mark(ON, tickets[ON]);
    captured[ON] = 1;
    locked[ON] = 0;
    turning[ON] = 0;

    enter(ON);
    if :: captured[ON] -> d_step { in_graph[PINNED] = 1; references[PINNED]++ } :: else fi;
    under_way[ON]--;

    if :: captured[ON] -> end_capture() :: else fi;
    if :: ended -> runtime++; push(GRAPH) :: else -> freed[GRAPH] = 1 fi;
    release(PINNED);
    runtime_release();
    over++
}
#endif

/* A call on another thread that drains a little. It has a stream, which keeps the runtime. */
#if DRAINER
active proctype drainer()
{
    LOCALS;
    runtime_drain(1);
    runtime_release();
    over++
}
#endif

/* baton_runtime_close */
#if CLOSER
active proctype closer()
{
    LOCALS;
    bool ended;
    closed = 1;
    if :: captured[ON] -> end_capture(); if :: ended -> release_set() :: else fi :: else fi;
    pinned_used = 0;        /* waits for the streams */
    runtime_drain(0);
    runtime_release();
    over++
}
#endif

#ifdef BREAK_CLOSED_IN_CAPTURE
#define MAY_DRAIN true
#else
#define MAY_DRAIN !captures
#endif
/* What closed runtimes left behind, on somebody else's drain: next_with_leftovers, deferred_drain, runtime_release. */
active proctype leftovers()
{
    LOCALS;
#if !CLOSER
    over == 1 + READER + CAPTURER + DRAINER;
    closed = 1;
    runtime_release();
#endif
    do
    :: atomic { closed && (head != 0 || waiting != 0) && runtime > 0 && MAY_DRAIN ->
#ifndef BREAK_NOT_RETAINED
        runtime++;
#endif
        inside = captures };
        drain(0);
        inside = 0;
        done = 0;
#ifndef BREAK_NOT_RETAINED
        runtime_release()
#endif
    :: freed[ARRAY] && freed[PINNED] && (freed[GRAPH] || !CAPTURER) && runtime == 0 -> break
    od
}
