/* Hand-overs (lib/memory/operation.c, take.c, uses.c, foreign.c; lib/stream/order.c, ticket.c, wait.c): tasks that use two memories on several streams.
 *
 * Both memories were written on stream 0. A task does STEPS times one of these, on any stream, with any access: an operation; with -DSCOPES a scope
 * (baton_with_managed), whose function submits or does not; with -DFOREIGN a pointer for foreign code, which submits later, without a ticket; with -DDEVICE its
 * stream may take the memory on the device before the host waits. With -DFAIL waits and submissions may fail (S7). With -DPINNED memory 1 is pinned: the host waits for what used it (S11). With -DSYNC one more task waits for a
 * stream at any time. How the device gets on needs no process: `follows` says what lies behind what, however fast the streams are.
 *
 * Holds: at each submission, all earlier work that it conflicts with is followed on the device or has finished, so that no two writers overlap and a reader
 * sees what was written (S4 to S8, P4); foreign code gets an address, and pinned memory is used by another stream, only when the other streams' work on it
 * has finished (P1, S11); nobody is stuck, and in the end every lock is free (O1).
 *
 * run:   -DTASKS=2 -DSTEPS=1 -DSCOPES -DFAIL -DFOREIGN -DDEVICE -DSYNC
 * run:   -DTASKS=2 -DSTEPS=1 -DFOREIGN -DPINNED                    one memory of two that the host waits for
 * run:   -DTASKS=2 -DSTEPS=1 -DFAIL -DFOREIGN -DDEVICE -DSTREAMS=3 chains
 * run:   -DTASKS=3 -DSTEPS=1 -DWRITES
 * run:   -DTASKS=1 -DSTEPS=3 -DFAIL -DFOREIGN -DDEVICE             a longer history, one call after the other
 * more:  -DTASKS=3 -DSTEPS=1 -DWRITES -DFOREIGN -DSYNC
 * more:  -DTASKS=2 -DSTEPS=2 -DOWN -DFAIL                          each task on a stream of its own
 * more:  -DTASKS=2 -DSTEPS=2 -DOWN -DWRITES -DFOREIGN -DDEVICE -DFAIL
 * more:  -DTASKS=1 -DSTEPS=4 -DFAIL -DFOREIGN -DPINNED
 * break: BREAK_STAMP_LATE -DTASKS=3 -DSTEPS=1 -DWRITES             the stamp of an event is read after the record
 * break: BREAK_TICKET_EARLY -DTASKS=3 -DSTEPS=1 -DWRITES           the ticket is drawn before the submission
 * break: BREAK_CLOCK_EARLY -DTASKS=2 -DSTEPS=1 -DWRITES            the clock is raised before the wait is queued
 * break: BREAK_CLOCK_NOW -DTASKS=2 -DSTEPS=2 -DOWN -DWRITES        the clock is joined as it is after the record
 * break: BREAK_COMPLETES_MORE -DTASKS=3 -DSTEPS=1 -DWRITES -DSYNC  a wait completes what was submitted since the record
 * break: BREAK_LOCK_ORDER -DTASKS=2 -DSTEPS=1 -DWRITES             locks are taken in the operands' order
 * break: BREAK_STAYS_LOCKED -DTASKS=1 -DSTEPS=1 -DWRITES -DFAIL    a wait that fails leaves the locks
 * break: BREAK_NOT_ESCAPED -DTASKS=2 -DSTEPS=1 -DWRITES -DFOREIGN  foreign work has no ticket, and none is drawn for it
 * break: BREAK_READERS_LOST -DTASKS=2 -DSTEPS=1                    a write follows the last write only
 * break: BREAK_NEEDS_FIRST -DTASKS=1 -DSTEPS=3 -DWRITES -DFAIL     of two needs on one stream the first counts, not the higher
 * break: BREAK_PENDING_COVERED -DTASKS=2 -DSTEPS=2 -DOWN -DWRITES -DFOREIGN    a wait that is left out as covered leaves nothing pending
 * break: BREAK_PENDING_DROPPED -DTASKS=1 -DSTEPS=3 -DWRITES -DFOREIGN          the owner's second write forgets what is pending
 * break: BREAK_NO_SECOND_LOOK -DTASKS=2 -DSTEPS=1 -DWRITES -DPINNED            after a host wait, nothing is looked at again
 * break: BREAK_NO_THIRD_LOOK -DTASKS=2 -DSTEPS=1 -DWRITES -DFOREIGN            the same for a pointer
 * break: BREAK_OWNER_TRUSTED -DTASKS=2 -DSTEPS=1 -DWRITES -DFOREIGN            the owner gets a pointer without waiting for what is pending
 * break: BREAK_TAKES_ONLY -DTASKS=2 -DSTEPS=1 -DWRITES -DFOREIGN -DDEVICE      a pointer that was taken on the device is had without waiting
 * break: BREAK_OWNER_EARLY -DTASKS=1 -DSTEPS=2 -DWRITES -DFAIL                 the owner is set before the wait is queued, which fails
 * break: BREAK_WAIT_NO_TICKET -DTASKS=1 -DSTEPS=2 -DWRITES -DFAIL -DSTREAMS=3  a wait draws no ticket
 * break: BREAK_PUBLISHED_EARLY -DTASKS=2 -DSTEPS=1 -DWRITES                    the locks are released before the submission
 */
#ifndef STREAMS
#define STREAMS 2
#endif
#define MEMORIES 2
#define READ 1
#define WRITE 2
#define NOTHING 255
#ifdef PINNED
#define PINS(m) ((m) == 1)
#else
#define PINS(m) false
#endif
#ifdef WRITES
#define CHOICES 1
#else
#define CHOICES 2
#endif
#define AT(s, o) ((s) * STREAMS + (o))
#define EACH x : 0 .. STREAMS - 1

/* The driver's truth. Work is numbered on each stream; follows[AT(s, o)]: what comes next on s lies behind so much of o. */
byte queued[STREAMS], finished[STREAMS], follows[STREAMS * STREAMS];
byte event[STREAMS], event_follows[STREAMS * STREAMS];
byte wrote[MEMORIES * STREAMS], read[MEMORIES * STREAMS];       /* the newest work of each stream on each memory */

/* struct baton_stream and its mark */
byte tickets[STREAMS], completed[STREAMS], stamp[STREAMS], clock[STREAMS * STREAMS], mark_clock[STREAMS * STREAMS];
bool recording[STREAMS];        /* its lock */

/* struct memory. Ticket 0: none */
bool locked[MEMORIES], escaped[MEMORIES];
byte owner[MEMORIES], owner_ticket[MEMORIES], readers[MEMORIES * STREAMS], pending[MEMORIES * STREAMS];
byte version_of[MEMORIES];      /* a bit for each task whose call has waited for what is there now */
bool outside[MEMORIES];         /* foreign code has the address and has not submitted yet: the program lets nobody else use the memory */

byte over;
hidden byte x, y, n;            /* inside of one step */

#define BEHIND(s, o, work) (finished[o] >= (work) || follows[AT(s, o)] >= (work))
#define WRITTEN(m, o) (owner[m] == (o) -> owner_ticket[m] : 0)

inline raise(variable, value) { if :: variable < (value) -> variable = value :: else fi }

/* A piece of work on s, newly queued, uses memory m. */
inline driver_use(m, how)
{
    for (EACH) {
        assert(x == s || BEHIND(s, x, wrote[AT(m, x)]));
        assert(x == s || !(how & WRITE) || BEHIND(s, x, read[AT(m, x)]));
        assert(x == s || !PINS(m) || (finished[x] >= wrote[AT(m, x)] && (!(how & WRITE) || finished[x] >= read[AT(m, x)])))
    }
    if :: how & WRITE -> wrote[AT(m, s)] = queued[s] :: else -> read[AT(m, s)] = queued[s] fi
}

/* stream_mark_locked, stream_record_locked, under the lock of o: the stamp, the driver's record, and at the beginning of the next step the clock's copy. */
inline mark(o, ticket)
{
    atomic {
        !recording[o];
        recording[o] = 1;
        covered = NOTHING;
#ifdef BREAK_STAMP_LATE
        if :: stamp[o] < ticket -> covered = 0 :: else fi
#else
        if :: stamp[o] < ticket -> covered = tickets[o] :: else fi
#endif
    };
    if
    :: covered != NOTHING -> d_step {
        event[o] = queued[o];
        for (EACH) { event_follows[AT(o, x)] = follows[AT(o, x)] }
    }
    :: else
    fi
}

inline marked(o)
{
    if
    :: covered != NOTHING ->
#ifdef BREAK_STAMP_LATE
        covered = tickets[o];
#endif
        stamp[o] = covered;
        for (EACH) { mark_clock[AT(o, x)] = clock[AT(o, x)] }
    :: else
    fi;
    covered = 0
}

inline join_clock()
{
    d_step { for (EACH) { if :: x != s -> raise(clock[AT(s, x)], handed[x]) :: else fi; handed[x] = 0 } }
}

/* order_queue, queue_wait: s waits for o. The lock of s is held for one change of its clock. */
inline order_queue()
{
    mark(o, needs[o]);
#ifdef BREAK_CLOCK_EARLY
    d_step { marked(o); covered = NOTHING; for (EACH) { handed[x] = (x == o -> stamp[o] : mark_clock[AT(o, x)]) } };
    join_clock();
#endif
    if
    :: d_step {                 /* stream_wait_event */
        marked(o);
        raise(follows[AT(s, o)], event[o]);
        for (EACH) {
            if :: x != s -> raise(follows[AT(s, x)], event_follows[AT(o, x)]) :: else fi;
#ifdef BREAK_CLOCK_NOW
            handed[x] = (x == o -> tickets[o] : clock[AT(o, x)])
#else
            handed[x] = (x == o -> stamp[o] : mark_clock[AT(o, x)])
#endif
        }
        waits = 1;
        recording[o] = 0
    }
#ifdef FAIL
    :: d_step { marked(o); failed = 1; recording[o] = 0 }
#endif
    fi;
    if
    :: failed
    :: else ->
        atomic { !recording[s]; join_clock() }
    fi
}

/* wait_stream: marks, lets the driver wait for the event, which nobody records anew meanwhile (own_mark_locked), and completes (stream_complete). */
inline wait_stream(o, ticket)
{
    if
    :: completed[o] >= ticket
    :: else ->
        mark(o, ticket);
        d_step {
            marked(o);
            for (EACH) {
                ends[x] = (x == o -> event[o] : event_follows[AT(o, x)]);
#ifdef BREAK_COMPLETES_MORE
                handed[x] = (x == o -> tickets[o] : mark_clock[AT(o, x)])
#else
                handed[x] = (x == o -> stamp[o] : mark_clock[AT(o, x)])
#endif
            }
            recording[o] = 0
        };
        d_step {
            for (EACH) { raise(finished[x], ends[x]); raise(completed[x], handed[x]); ends[x] = 0; handed[x] = 0 }
        }
    fi
}

/* lock_all: ascending, whatever the order of the operands. Who may not use the memory yet, by the program's own order, does not come. */
inline lock_all()
{
    do
    :: m == MEMORIES -> break
    :: else ->
#ifdef BREAK_LOCK_ORDER
        o = (me == 0 -> MEMORIES - 1 - m : m);
#else
        o = m;
#endif
        if :: access[o] -> atomic { !locked[o] && !outside[o]; locked[o] = 1 } :: else fi;
        o = 0;
        m++
    od;
    m = 0
}

inline unlock_all() { d_step { for (y : 0 .. MEMORIES - 1) { if :: access[y] -> locked[y] = 0 :: else fi } } }

/* take_plan_locked, memory_uses_locked: what a foreign submission may have left is older than a fresh ticket (P4), unless the host has waited for it. */
inline foreign_tickets()
{
#ifndef BREAK_NOT_ESCAPED
    do
    :: m == MEMORIES -> break
    :: else ->
        if
        :: access[m] && escaped[m] && !(PINS(m) && version_of[m] & (1 << me)) ->
            atomic { !recording[owner[m]]; tickets[owner[m]]++; owner_ticket[m] = tickets[owner[m]] }
        :: else
        fi;
        m++
    od;
#endif
    m = 0
}

/* plan_all, plan_use, order_need, needs_add. hosts: to be waited for on the host */
inline plan_all()
{
    foreign_tickets();
    d_step {
        for (y : 0 .. MEMORIES - 1) {
            for (EACH) {
                n = (access[y] && x != s -> WRITTEN(y, x) : 0);
#ifndef BREAK_READERS_LOST
                if :: access[y] & WRITE && x != s -> raise(n, readers[AT(y, x)]) :: else fi;
#endif
                if
                :: n <= completed[x]
                :: n > completed[x] && PINS(y) -> raise(hosts[x], n); host = 1
#ifdef BREAK_NEEDS_FIRST
                :: n > completed[x] && !PINS(y) && clock[AT(s, x)] < n -> if :: needs[x] == 0 -> needs[x] = n :: else fi
#else
                :: n > completed[x] && !PINS(y) && clock[AT(s, x)] < n -> raise(needs[x], n)
#endif
                :: n > completed[x] && !PINS(y) && clock[AT(s, x)] >= n
                fi
            }
        }
    }
}

/* memory_publish_write_locked, set_pending: what is unfinished elsewhere becomes pending; if nothing is, and s owned the memory, the old pending stays. */
inline publish_write(m)
{
    n = 0;
    for (EACH) {
#ifdef BREAK_PENDING_COVERED
        if :: x != s && (WRITTEN(m, x) > completed[x] && WRITTEN(m, x) > clock[AT(s, x)] || readers[AT(m, x)] > completed[x]) -> n = 1 :: else fi
#else
        if :: x != s && (WRITTEN(m, x) > completed[x] || readers[AT(m, x)] > completed[x]) -> n = 1 :: else fi
#endif
    }
    for (EACH) {
        if
#ifdef BREAK_PENDING_DROPPED
        :: true ->
#else
        :: n || owner[m] != s ->
#endif
            pending[AT(m, x)] = 0;
            if :: n && x != s && WRITTEN(m, x) > completed[x] -> raise(pending[AT(m, x)], owner_ticket[m]) :: else fi;
            if :: n && x != s && readers[AT(m, x)] > completed[x] -> raise(pending[AT(m, x)], readers[AT(m, x)]) :: else fi
        :: else
        fi;
        readers[AT(m, x)] = 0
    }
    owner[m] = s;
    owner_ticket[m] = ticket;
    escaped[m] = 0;
    version_of[m] = 0
}

/* publish. Of work that was not submitted behind waits that are queued, only the writer remains (S7). */
inline publish_all()
{
    for (y : 0 .. MEMORIES - 1) {
        if
        :: access[y] & WRITE -> publish_write(y)
        :: access[y] == READ && !failed -> readers[AT(y, s)] = ticket; escaped[y] = 0; version_of[y] = 0
        :: else
        fi
    }
}

inline take_order()
{
    do
    :: o == STREAMS -> break
    :: else ->
        if
        :: !failed && needs[o] > completed[o] && needs[o] > clock[AT(s, o)] -> order_queue()
        :: else
        fi;
        needs[o] = 0;
        o++
    od;
    o = 0
}

/* operation_begin to operation_submitted or operation_failed; for a scope with what the caller does in between. */
inline operation()
{
    do
    :: lock_all();
        plan_all();
        if
        :: !host -> break
        :: else ->              /* wait_unlocked, take_wait; then everything is looked at again */
            d_step {
                for (y : 0 .. MEMORIES - 1) { if :: access[y] -> version_of[y] = version_of[y] | (1 << me) :: else fi }
                for (EACH) { needs[x] = 0 }
                host = 0
            };
            unlock_all();
            do
            :: o == STREAMS -> break
            :: else -> if :: hosts[o] -> wait_stream(o, hosts[o]); hosts[o] = 0 :: else fi; o++
            od;
            o = 0
#ifdef BREAK_NO_SECOND_LOOK
            ;
            lock_all();
            break
#endif
        fi
    od;

#ifdef BREAK_OWNER_EARLY
    skip;
    d_step { ticket = tickets[s] + 1; publish_all(); ticket = 0 };
#endif
    take_order();
    if
#ifndef BREAK_WAIT_NO_TICKET
    :: waits && (failed || scope) -> tickets[s]++
#endif
    :: else
    fi;

    if
#ifdef BREAK_STAYS_LOCKED
    :: failed
#else
    :: failed -> unlock_all()
#endif
    :: else ->
#ifdef BREAK_PUBLISHED_EARLY
        d_step { ticket = tickets[s] + 1; publish_all(); ticket = 0 };
        unlock_all();
#endif
#ifdef BREAK_TICKET_EARLY
        d_step { tickets[s]++; ticket = tickets[s] };
#endif
        if
        :: !scope -> d_step {
            queued[s]++;
            for (y : 0 .. MEMORIES - 1) { if :: access[y] -> driver_use(y, access[y]) :: else fi }
        }
#ifdef FAIL
        :: !scope -> failed = 1
#endif
        :: scope ->             /* the function */
            do
            :: m == MEMORIES -> break
            :: else -> if :: access[m] -> d_step { queued[s]++; driver_use(m, access[m]) } :: true -> skip fi; m++
            od;
            m = 0
        fi;
#ifndef BREAK_TICKET_EARLY
        if
#ifndef BREAK_WAIT_NO_TICKET
        :: !failed || waits -> d_step { tickets[s]++; ticket = tickets[s] }
#else
        :: !failed -> d_step { tickets[s]++; ticket = tickets[s] }
#endif
        :: else -> ticket = tickets[s]
        fi;
#endif
#ifndef BREAK_PUBLISHED_EARLY
        d_step { publish_all() };
        unlock_all()
#endif
    fi;
    d_step { ticket = 0; waits = 0; failed = 0; scope = 0 }
}

/* memory_uses_locked: what the host waits for before s has the address. */
inline uses(m)
{
    for (EACH) {
        if :: x != s && WRITTEN(m, x) > completed[x] -> hosts[x] = owner_ticket[m]; host = 1 :: else fi;
        if :: x != s && readers[AT(m, x)] > completed[x] -> raise(hosts[x], readers[AT(m, x)]); host = 1 :: else fi;
#ifdef BREAK_OWNER_TRUSTED
        if :: x != s && owner[m] != s && pending[AT(m, x)] > completed[x] -> raise(hosts[x], pending[AT(m, x)]); host = 1 :: else fi
#else
        if :: x != s && pending[AT(m, x)] > completed[x] -> raise(hosts[x], pending[AT(m, x)]); host = 1 :: else fi
#endif
    }
}

inline wait_streams()
{
    do
    :: o == STREAMS -> break
    :: else -> if :: hosts[o] -> wait_stream(o, hosts[o]); hosts[o] = 0 :: else fi; o++
    od;
    o = 0
}

/* The address is out: from here on nobody else uses the memory, by the program's own order. */
inline expose(m)
{
    publish_write(m);
    for (EACH) { if :: pending[AT(m, x)] <= completed[x] -> pending[AT(m, x)] = 0 :: else fi }
    escaped[m] = 1;
    outside[m] = 1;
    locked[m] = 0;
    ticket = 0
}

/* memory_expose for the memory of which access is not 0: waits until nobody has used it meanwhile. */
inline wait_and_take()
{
    do
    :: lock_all();
        m = (access[0] -> 0 : 1);
        if
        :: version_of[m] & (1 << me) -> break
        :: else
        fi;
        d_step { o = m; m = 0 };
        foreign_tickets();
        d_step { m = o; o = 0; uses(m) };
        if :: !host -> break :: else fi;
        d_step { version_of[m] = version_of[m] | (1 << me); host = 0; m = 0 };
        unlock_all();
        wait_streams()
#ifdef BREAK_NO_THIRD_LOOK
        ;
        lock_all();
        m = (access[0] -> 0 : 1);
        break
#endif
    od;
    atomic { !recording[s]; tickets[s]++; ticket = tickets[s] };        /* stream_foreign_ticket */
    d_step { expose(m) }
}

/* memory_expose after some rounds, operate: takes it on the device, as an operation does, and waits for what was before. */
inline take_and_wait()
{
    lock_all();
    plan_all();
    d_step { m = (access[0] -> 0 : 1); uses(m); host = 0 };
    take_order();
    if
    :: failed -> unlock_all(); d_step { for (EACH) { hosts[x] = 0 } }
    :: else ->
        atomic { !recording[s]; tickets[s]++; ticket = tickets[s] };
        d_step { expose(m) };
#ifdef BREAK_TAKES_ONLY
        d_step { for (EACH) { hosts[x] = 0 } }
#else
        wait_streams()
#endif
    fi;
    waits = 0
}

inline pointer()
{
    if
    :: true -> wait_and_take()
#ifdef DEVICE
    :: true -> take_and_wait()
#endif
    fi;
    if
    :: failed
    :: else ->
        d_step {
            for (EACH) { assert(x == s || (finished[x] >= wrote[AT(m, x)] && finished[x] >= read[AT(m, x)])) }
            queued[s]++;
            driver_use(m, WRITE);
            outside[m] = 0
        }
    fi;
    d_step { m = 0; failed = 0 }
}

inline ended()
{
    d_step {
        over++;
        assert(over < TASKS || (!locked[0] && !locked[1] && !recording[0] && !recording[1]))
    }
}

init
{
    d_step {
        queued[0] = MEMORIES;
        tickets[0] = MEMORIES;
        for (y : 0 .. MEMORIES - 1) { wrote[AT(y, 0)] = y + 1; owner_ticket[y] = y + 1 }
    };
    atomic {
        for (n : 1 .. TASKS) { run task(n - 1) }
    }
}

proctype task(byte me)
{
    byte s, o, m, covered, ticket, done;
    byte access[MEMORIES], needs[STREAMS], hosts[STREAMS], handed[STREAMS], ends[STREAMS];
    bool waits, failed, host, scope;

    do
    :: done == STEPS -> break
    :: else ->
        atomic {
            done++;
#ifdef OWN
            s = me % STREAMS;
#else
            select (s : 0 .. STREAMS - 1);
#endif
            if :: access[0] = WRITE :: CHOICES > 1 -> access[0] = READ :: access[1] = WRITE fi;
            if :: access[0] -> access[1] = WRITE :: CHOICES > 1 && access[0] -> access[1] = READ :: true -> skip fi
        };
        if
        :: true ->
#ifdef SCOPES
            if :: true -> skip :: scope = 1 fi;
#endif
            operation()
#ifdef FOREIGN
        :: access[1] = (access[0] -> 0 : access[1]); pointer()
#endif
#ifdef SYNC
        :: true -> wait_stream(s, tickets[s])       /* baton_stream_synchronize */
#endif
        fi;
        d_step {
            s = 0;
            for (y : 0 .. MEMORIES - 1) { access[y] = 0; version_of[y] = version_of[y] & (255 - (1 << me)) }
        }
    od;
    ended()
}
