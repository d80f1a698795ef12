/* Captures (lib/stream/capture.c, capture_follow.c, submission.c; lib/memory/operation.c, operation_collect.c; lib/work/graph.c) against hand-overs.
 *
 * Two memories were written on stream A. The capturer begins a capture on A, submits there, may use a memory on B meanwhile, ends the capture, and
 * launches the graph on A or B. Each of WORKERS tasks does STEPS operations on A or B with any access; what it submits on A lies before the capture, in it
 * or behind it. With -DJOIN a helper of the capturer brings B into the capture at any time (baton_stream_follow).
 * With -DEXPOSED foreign code has the handle of A, and its work on memory 0 there has no ticket (P4, P6).
 *
 * Holds: what a task takes for work of a graph becomes that and nothing else does, and no record or wait for work outside touches a captured stream (C1,
 * C2); an event that stands in for the captured stream covers what it is asked for (C2); the capturing task is refused what would lie behind no event (C3);
 * at each submission, a launch among them, all earlier work that it conflicts with is followed on the device (C4, C6); nobody is stuck, and in the end
 * nothing is locked, held back or captured (C5). Each inline is the C function of that name, or those in its comment.
 *
 * run:   -DWORKERS=1 -DSTEPS=1
 * run:   -DWORKERS=1 -DSTEPS=1 -DEXPOSED
 * run:   -DWORKERS=1 -DSTEPS=1 -DJOIN
 * more:  -DWORKERS=1 -DSTEPS=2
 * more:  -DWORKERS=1 -DSTEPS=2 -DEXPOSED
 * more:  -DWORKERS=1 -DSTEPS=2 -DJOIN
 * break: BREAK_LOOK_FIRST -DWORKERS=1 -DSTEPS=1                a submission looks for a turn first, then announces itself
 * break: BREAK_NO_HOLD -DWORKERS=1 -DSTEPS=1                   a turn does not wait for the submissions under way
 * break: BREAK_END_NO_HOLD -DWORKERS=1 -DSTEPS=1               only the end does not
 * break: BREAK_ONE_LOOK -DWORKERS=1 -DSTEPS=1                  a submission under way does not look again whether it is captured
 * break: BREAK_TICKET_LATE -DWORKERS=1 -DSTEPS=2               the submission is over before its ticket is drawn
 * break: BREAK_BEGIN_FIRST -DWORKERS=1 -DSTEPS=1               the capture begins before the record
 * break: BREAK_BEGIN_UNLOCKED -DWORKERS=1 -DSTEPS=1            record and beginning are two steps for hand-overs
 * break: BREAK_NO_EVENT -DWORKERS=1 -DSTEPS=1                  no pre-capture event
 * break: BREAK_NOT_EXPOSED -DWORKERS=1 -DSTEPS=1 -DEXPOSED     the pre-capture event leaves work without tickets out
 * break: BREAK_TICKET_INSIDE -DWORKERS=1 -DSTEPS=1 -DEXPOSED   foreign work gets a ticket while the stream is captured
 * break: BREAK_RECORD_ANYWAY -DWORKERS=1 -DSTEPS=1             a hand-over records on a captured stream
 * break: BREAK_NOT_TOLD -DWORKERS=1 -DSTEPS=1                  the capturing task follows the pre-capture event, too
 * break: BREAK_OWNS -DWORKERS=1 -DSTEPS=1                      what is captured takes ownership
 * break: BREAK_SET_FIRST -DWORKERS=1 -DSTEPS=1                 the set keeps the first access
 * break: BREAK_SET_LATE -DWORKERS=1 -DSTEPS=2                  the set grows after the submission is over
 * break: BREAK_LAUNCH_READS -DWORKERS=1 -DSTEPS=1              a launch takes no ownership
 * break: BREAK_TURNS_ORIGIN -DWORKERS=1 -DSTEPS=1 -DJOIN       the end turns only the stream on which the capture began
 * break: BREAK_JOIN_OUTSIDE -DWORKERS=1 -DSTEPS=1 -DJOIN       joining is no submission on the captured stream
 * break: BREAK_JOIN_NO_HOLD -DWORKERS=1 -DSTEPS=1 -DJOIN       joining does not wait for submissions on the stream that joins
 */
#define A 0
#define B 1
#define STREAMS 2
#define MEMORIES 2
#define READ 1
#define WRITE 2
#define NOTHING 255
#define CAPTURER 255            /* the task's tag; workers' are their numbers */
#ifdef JOIN
#define JOINS 1
#else
#define JOINS 0
#endif
#if defined(EXPOSED) && !defined(BREAK_NOT_EXPOSED)
#define EXPOSES true
#else
#define EXPOSES false
#endif
#define AT(m, s) ((m) * STREAMS + (s))
#define EVERY_MEMORY y : 0 .. MEMORIES - 1

/* The driver's truth. follows[s]: what comes next on s lies behind so much of the other stream. */
byte queued[STREAMS], follows[STREAMS], event[STREAMS];
byte wrote[MEMORIES * STREAMS], read[MEMORIES * STREAMS];       /* the newest work of each stream on each memory */
bool captures[STREAMS];
byte graph[MEMORIES];           /* how the graph's work uses them */

/* struct baton_stream */
byte tickets[STREAMS], stamp[STREAMS], clock[STREAMS], under_way[STREAMS];
bool recording[STREAMS];        /* its lock */
bool turning[STREAMS], tracked[STREAMS];
byte set[MEMORIES];             /* struct capture_set */

/* struct memory. Ticket 0: none */
bool locked[MEMORIES];
bool escaped;                   /* memory 0, on A */
byte owner[MEMORIES], owner_ticket[MEMORIES], readers[MEMORIES * STREAMS];

byte over;
hidden byte y, n, used;         /* inside of one step */

/* Newly queued work on s uses the memories. */
inline driver_use()
{
    assert(!captures[s]);
    queued[s]++;
    for (EVERY_MEMORY) {
        used = (launches -> graph[y] : access[y]);
        assert(!used || follows[s] >= wrote[AT(y, 1 - s)]);
        assert(!(used & WRITE) || follows[s] >= read[AT(y, 1 - s)]);
        if
        :: used & WRITE -> wrote[AT(y, s)] = queued[s]
        :: used == READ -> read[AT(y, s)] = queued[s]
        :: else
        fi
    }
}

/* submission_enter: announces itself, then looks whether a capture is about to begin or end. */
inline enter(s)
{
    do
    ::
#ifdef BREAK_LOOK_FIRST
        !turning[s];
        under_way[s]++;
        break
#else
        under_way[s]++;
        if
        :: turning[s] -> under_way[s]--; !turning[s]
        :: else -> break
        fi
#endif
    od
}

/* submission_hold */
inline hold(s)
{
    atomic { !turning[s]; turning[s] = 1 };
#ifndef BREAK_NO_HOLD
    under_way[s] == 0
#endif
}

/* stream_record_locked */
inline record(s)
{
    covered = tickets[s];
    d_step { assert(!captures[s]); event[s] = queued[s]; stamp[s] = covered; covered = 0 }
}

/* order_queue, stream_mark_locked: s follows the other stream, o. */
inline order_queue()
{
    atomic { !recording[o]; recording[o] = 1 };
    if
    :: tracked[o] ->            /* pre_capture_mark_locked */
#ifndef BREAK_NOT_TOLD
        failed = tag == CAPTURER;
#endif
#ifdef BREAK_RECORD_ANYWAY
        if :: !failed -> record(o) :: else fi;
#endif
        skip
    :: !tracked[o] && stamp[o] < need -> record(o)
    :: !tracked[o] && stamp[o] >= need
    fi;
    d_step {
        if
        :: failed
        :: else ->
            assert(stamp[o] >= need && !captures[s] && !(captures[o] && tag == CAPTURER));
            if :: follows[s] < event[o] -> follows[s] = event[o] :: else fi;
            n = stamp[o]
        fi;
        if :: !failed && clock[s] < n -> clock[s] = n :: else fi;
        recording[o] = 0
    }
}

/* lock_all, take_plan_locked for all */
inline lock_and_plan()
{
    if :: access[0] -> atomic { !locked[0]; locked[0] = 1 } :: else fi;
    if :: access[1] -> atomic { !locked[1]; locked[1] = 1 } :: else fi;
    if
    :: escaped && access[0] -> d_step {         /* stream_foreign_ticket */
        !recording[A];
#ifdef BREAK_TICKET_INSIDE
        tickets[A]++;
#else
        if :: !tracked[A] -> tickets[A]++ :: else fi;
#endif
        owner_ticket[0] = tickets[A]
    }
    :: else
    fi;
    d_step {
        need = 0;
        for (EVERY_MEMORY) {
            if :: access[y] && owner[y] == o && owner_ticket[y] > need -> need = owner_ticket[y] :: else fi;
            if :: access[y] & WRITE && readers[AT(y, o)] > need -> need = readers[AT(y, o)] :: else fi
        }
    }
}

inline unlock_all() { d_step { for (EVERY_MEMORY) { if :: access[y] -> locked[y] = 0 :: else fi }; need = 0 } }

/* publish */
inline publish(ticket)
{
    if :: access[0] -> escaped = 0 :: else fi;
    for (EVERY_MEMORY) {
        if
        :: access[y] & WRITE -> owner[y] = s; owner_ticket[y] = ticket; readers[AT(y, A)] = 0; readers[AT(y, B)] = 0
        :: access[y] == READ -> readers[AT(y, s)] = ticket
        :: else
        fi
    }
}

/* operation_collect, then the submission into the graph */
inline collect()
{
#ifndef BREAK_SET_LATE
    d_step { for (EVERY_MEMORY) { add_to_set() } };
#endif
    d_step { assert(captures[s]); for (EVERY_MEMORY) { graph[y] = graph[y] | access[y] } };
#ifdef BREAK_OWNS
    lock_and_plan();
    d_step { tickets[s]++; publish(tickets[s]) };
    unlock_all();
#endif
    under_way[s]--;
#ifdef BREAK_SET_LATE
    d_step { for (EVERY_MEMORY) { add_to_set() } };
#endif
    skip
}

inline add_to_set()
{
#ifdef BREAK_SET_FIRST
    if :: set[y] == 0 -> set[y] = access[y] :: else fi
#else
    set[y] = set[y] | access[y]
#endif
}

/* take_all, the submission, operation_submitted; turned: a capture began or ended before the submission was under way (CAPTURE_TURNED) */
inline take()
{
    turned = 0;
    lock_and_plan();
    enter(s);
    if
#ifndef BREAK_ONE_LOOK
    :: tracked[s] -> under_way[s]--; turned = 1
#endif
    :: else ->
        if :: need > clock[s] -> order_queue() :: else fi;
        if
        :: failed -> under_way[s]--
        :: else ->
            d_step { driver_use() };
#ifdef BREAK_TICKET_LATE
            under_way[s]--;
            d_step { tickets[s]++; ticket = tickets[s] };
#else
            d_step { tickets[s]++; under_way[s]--; ticket = tickets[s] };
#endif
            d_step { publish(ticket); ticket = 0 }
        fi
    fi;
    unlock_all()
}

/* operation_begin to operation_submitted */
inline operation()
{
    o = 1 - s;
    do
    :: tracked[s] ->            /* join_capture */
        enter(s);
        if
        :: tracked[s] -> collect(); break
        :: else -> under_way[s]--
        fi
    :: else ->
        take();
        if :: !turned -> break :: else fi
    od;
    o = 0;
    d_step { failed = 0; turned = 0; access[0] = 0; access[1] = 0; s = 0 }
}

inline any_access()
{
    if :: access[0] = WRITE :: access[0] = READ :: access[1] = WRITE fi;
    if :: access[0] -> access[1] = WRITE :: true -> skip fi
}

/* capture_mark_locked */
inline pre_capture_event(s)
{
    if :: tickets[s] == 0 || (EXPOSES && s == A) -> tickets[s]++ :: else fi;
    if :: stamp[s] < tickets[s] -> record(s) :: else fi
}

/* capture_begin on A */
inline begin()
{
    hold(A);
#ifndef BREAK_BEGIN_UNLOCKED
    atomic { !recording[A]; recording[A] = 1 };
#endif
#ifdef BREAK_BEGIN_FIRST
    captures[A] = 1;
    tracked[A] = 1;
    pre_capture_event(A);
#else
#ifndef BREAK_NO_EVENT
    pre_capture_event(A);
#endif
    captures[A] = 1;
    tracked[A] = 1;
#endif
    recording[A] = 0;
    turning[A] = 0
}

/* clear_stream */
inline clear(s)
{
    atomic { !recording[s]; recording[s] = 1 };
    tracked[s] = 0;
    recording[s] = 0
}

/* capture_end: turn_all, the driver's end, clear_all */
inline end()
{
#ifdef BREAK_END_NO_HOLD
    atomic { !turning[A]; turning[A] = 1 };
#else
    hold(A);
#endif
#ifndef BREAK_TURNS_ORIGIN
    if :: tracked[B] -> hold(B); joined = 1 :: else fi;
#else
    joined = tracked[B];
#endif
    d_step { captures[A] = 0; captures[B] = 0 };
    clear(A);
    if :: joined -> clear(B) :: else fi;
    turning[A] = 0;
    if :: joined -> turning[B] = 0 :: else fi
}

inline ended()
{
    d_step {
        over++;
        for (n : 0 .. 1) {
            assert(over < 1 + JOINS + WORKERS || (!locked[n] && !recording[n] && !turning[n] && !tracked[n] && !captures[n] && !under_way[n]))
        }
    }
}

#define LOCALS byte s, o, need, covered, ticket, access[MEMORIES]; bool failed, turned, launches

init
{
    d_step {
        queued[A] = MEMORIES;
        tickets[A] = MEMORIES;
        for (EVERY_MEMORY) { wrote[AT(y, A)] = y + 1; owner_ticket[y] = y + 1 }
#ifdef EXPOSED
        escaped = 1;
        stamp[A] = MEMORIES;
        event[A] = MEMORIES;
        queued[A]++;            /* foreign work behind the event, without a ticket */
        wrote[AT(0, A)] = queued[A]
#endif
    };
    atomic {
        run capturer();
        for (n : 1 .. WORKERS) { run worker(n) }
#ifdef JOIN
        run helper()
#endif
    }
}

proctype capturer()
{
    LOCALS;
    byte tag = CAPTURER;
    bool joined;

    begin();
    atomic { if :: access[0] = READ :: access[0] = WRITE fi };
    operation();
#ifndef JOIN
    atomic { if :: access[0] = WRITE :: access[1] = READ fi };
    operation();
    if
    :: true -> atomic { s = B; if :: access[0] = WRITE :: access[1] = READ fi }; operation()
    :: true
    fi;
#endif
    end();

    do                          /* baton_graph_launch, launch_once */
    :: atomic { if :: s = A :: s = B fi; o = 1 - s };
        d_step {
#ifdef BREAK_LAUNCH_READS
            for (EVERY_MEMORY) { access[y] = (set[y] -> READ : 0) }
#else
            for (EVERY_MEMORY) { access[y] = set[y] }
#endif
            launches = 1
        };
        take();
        if :: !turned -> break :: else fi
    od;
    ended()
}

proctype worker(byte tag)
{
    LOCALS;
    byte done;

    do
    :: done == STEPS -> break
    :: else ->
        atomic { done++; if :: s = A :: s = B fi; any_access() };
        operation()
    od;
    ended()
}

/* capture_follow: B joins the capture of A. */
#ifdef JOIN
proctype helper()
{
    byte covered;

#ifndef BREAK_JOIN_OUTSIDE
    enter(A);
#endif
    if
    :: tracked[A] ->
#ifndef BREAK_JOIN_NO_HOLD
        hold(B);
#endif
        atomic { !recording[B]; recording[B] = 1 };
        pre_capture_event(B);
        d_step { assert(captures[A]); captures[B] = 1 };        /* order_inside */
        tracked[B] = 1;
        recording[B] = 0;
        turning[B] = 0
    :: else
    fi;
#ifndef BREAK_JOIN_OUTSIDE
    under_way[A]--;
#endif
    ended()
}
#endif
