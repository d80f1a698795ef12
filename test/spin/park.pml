/* The memory lock (lib/base/lock.c): taken by a swap of the word, released by plain stores, waited for by parking or by letting other tasks run.
 *
 * Each task calls lock_acquire, or lock_try first, which names no thread: then it waits for nothing while it holds the lock (lock_at_once).
 * Steps: swap is lock_try, take is take, let_others in the loop is yield_until_taken, park is park_until_taken, membarrier is order_everybody, wake is
 * lock_wake, release is lock_release; `parked` is the bucket's lock_parked, `name` the lock's thread.
 *
 * Tasks run on threads and may change threads while they hold the lock (W3). Each thread has a store buffer, so that a store may become visible after
 * later loads of its thread; swaps, mutexes and membarrier empty buffers. A task that changes threads brings what it has stored with it.
 *
 * Holds: one task at a time is inside; every task gets in, or is told that the lock was last taken on its own thread; nobody is left asleep; with a hook
 * no task goes round without letting others run.
 *
 * run:   -DTASKS=3 -DTHREADS=3                     threads that park, each with one task
 * run:   -DTASKS=3 -DTHREADS=2 -DMOVE              M:N: three tasks on two threads that park
 * more:  -DTASKS=4 -DTHREADS=2 -DMOVE
 * run:   -DTASKS=2 -DTHREADS=1 -DMOVE              1:N: a thread that would wait for itself is told so
 * run:   -DTASKS=3 -DTHREADS=1 -DMOVE -DYIELD=3    1:N with a yield hook
 * run:   -DTASKS=3 -DTHREADS=2 -DMOVE -DYIELD=1    M:N, one task with a hook, the others park
 * run:   -DTASKS=2 -DTHREADS=2 -DTIMED             a system without membarrier: sleep ends by itself
 * live:  -DTASKS=3 -DTHREADS=1 -DMOVE -DYIELD=3
 * live:  -DTASKS=2 -DTHREADS=2 -DTIMED
 * break: BREAK_NO_BARRIER -DTASKS=2 -DTHREADS=2
 * break: BREAK_COUNT_LATE -DTASKS=2 -DTHREADS=2
 * break: BREAK_TWO_STEPS -DTASKS=2 -DTHREADS=2
 * break: BREAK_LOOK_EARLY -DTASKS=2 -DTHREADS=2
 * break: BREAK_WAKE_LAST -DTASKS=3 -DTHREADS=3
 * break: BREAK_NOT_NOTICED -DTASKS=2 -DTHREADS=2
 * break: BREAK_GIVEN_TWICE -DTASKS=3 -DTHREADS=3
 * break: BREAK_NO_SWAP -DTASKS=2 -DTHREADS=2
 * break: BREAK_NOT_TOLD -DTASKS=2 -DTHREADS=1 -DMOVE
 * break: BREAK_NAME_AFTER -DTASKS=4 -DTHREADS=2 -DMOVE
 * endless: BREAK_KEEPS_THREAD -DTASKS=2 -DTHREADS=1 -DMOVE -DYIELD=2
 */
#ifndef YIELD
#define YIELD 0             /* tasks below this number have a yield hook */
#endif
#ifdef MOVE
#define MOVES 1
#else
#define MOVES 0
#endif
#define NOBODY 255

#define WORD 0              /* kinds of entries of a store buffer */
#define NAME 1

/* Shared memory. */
byte word;                  /* 0: free; else task + 1 */
byte name;                  /* thread + 1 of the taker */
byte parked;
byte mutex;                 /* of the bucket */
bool asleep[TASKS];
byte queue[TASKS], queued;  /* guarded by mutex: who is parked, the first one first */
bool given[TASKS];          /* guarded by mutex: the lock was taken for it */

/* Store buffers: at most the taker's name, then the two stores of a release. */
byte kinds[THREADS * 3], values[THREADS * 3], stored[THREADS];

/* Scheduling, and what the promises speak of. */
bool busy[THREADS];
byte inside = NOBODY, taken_on = NOBODY;

inline store(k, v)
{
    atomic {
        stored[on] < 3;
        kinds[on * 3 + stored[on]] = k;
        values[on * 3 + stored[on]] = v;
        stored[on]++
    }
}

/* A load sees the thread's own newest store. */
inline load(k, from)
{
    d_step {
        seen = from;
        i = 0;
        do
        :: i < stored[on] -> if :: kinds[on * 3 + i] == k -> seen = values[on * 3 + i] :: else fi; i++
        :: else -> break
        od;
        i = 0
    }
}

/* A locked instruction waits for the thread's buffer. */
inline swap()
{
    d_step {
        stored[on] == 0;
        if
        :: word == 0 -> word = me + 1; got = 1; taken_on = on
        :: else -> got = 0
        fi
    }
}

inline take()
{
#ifdef BREAK_NO_SWAP
    load(WORD, word);
    if :: seen == 0 -> store(WORD, me + 1); got = 1; taken_on = on :: else -> got = 0 fi;
#else
    swap();
#endif
    if :: got -> store(NAME, on + 1) :: else fi
}

inline lock_mutex() { atomic { stored[on] == 0 && mutex == 0; mutex = 1 } }
inline unlock_mutex() { atomic { stored[on] == 0; mutex = 0 } }

/* Any thread that runs nothing. What the task stored on another one is visible there. */
inline get_thread()
{
    atomic {
        if
        :: !busy[0] && (on == NOBODY || on == 0 || stored[on] == 0) && (THREADS == 1 || MOVES || me == 0) -> on = 0
#if THREADS > 1
        :: !busy[1] && (on == NOBODY || on == 1 || stored[on] == 0) && (MOVES || me == 1) -> on = 1
#endif
#if THREADS > 2
        :: !busy[2] && (on == NOBODY || on == 2 || stored[on] == 0) && (MOVES || me == 2) -> on = 2
#endif
        fi;
        busy[on] = 1
    }
}

/* Other tasks may run. */
inline let_others()
{
    busy[on] = 0;
    get_thread()
}

/* Each thread empties its buffer once between the beginning and the end of the call. */
inline membarrier()
{
    i = 0;
    do
    :: i < THREADS -> stored[i] == 0; i++
    :: else -> break
    od;
    i = 0
}

inline look_again()
{
    if
#ifndef BREAK_NOT_NOTICED
    :: given[me] -> given[me] = 0; got = 1; taken_on = on; store(NAME, on + 1)
    :: !given[me] && queue[0] == me -> take()
    :: else
#else
    :: queue[0] == me -> take()
    :: else
#endif
    fi
}

inline leave_queue()
{
    d_step {
        assert(queue[0] == me);
        queued--;
        i = 0;
        do
        :: i < queued -> queue[i] = queue[i + 1]; i++
        :: else -> break
        od;
        queue[queued] = NOBODY;
        i = 0
    }
}

inline wait_in_queue()
{
    d_step { queue[queued] = me; queued++ };
    do
    :: got -> break
    :: else ->
#ifdef BREAK_TWO_STEPS
        unlock_mutex();
        asleep[me] = 1;
#else
        atomic { mutex = 0; asleep[me] = 1 };
#endif
#ifdef TIMED
        asleep[me] = 0;         /* woken, or the time is over */
#else
        !asleep[me];
#endif
        lock_mutex();
        look_again()
    od;
    leave_queue()
}

inline park()
{
    lock_mutex();
#ifdef BREAK_COUNT_LATE
    membarrier();
    parked++;
#else
    atomic { stored[on] == 0; parked++ };
#if !defined(TIMED) && !defined(BREAK_NO_BARRIER)
    membarrier();
#endif
#endif
    take();
    if
    :: got
    :: else -> wait_in_queue()
    fi;
    atomic { stored[on] == 0; parked-- };
    unlock_mutex()
}

/* Of the queue's first: woken in vain too often, or not. */
inline wake()
{
    lock_mutex();
    if
    :: queued == 0
    :: queued > 0
    :: queued > 0 ->
        atomic {
            stored[on] == 0;
            if
#ifdef BREAK_GIVEN_TWICE
            :: true -> given[queue[0]] = word == 0
#else
            :: word == 0 -> given[queue[0]] = 1
            :: else
#endif
            fi;
            if :: word == 0 -> word = queue[0] + 1 :: else fi
        }
    fi;
#ifdef BREAK_WAKE_LAST
    if :: queued -> asleep[queue[queued - 1]] = 0 :: else fi;
#else
    if :: queued -> asleep[queue[0]] = 0 :: else fi;
#endif
    unlock_mutex()
}

inline release()
{
#ifdef BREAK_LOOK_EARLY
    i = parked;
#endif
#ifdef BREAK_NAME_AFTER
    store(WORD, 0);
    store(NAME, 0);
#else
    load(NAME, name);
    if :: seen -> store(NAME, 0) :: else fi;
    store(WORD, 0);
#endif
#ifndef BREAK_LOOK_EARLY
    i = parked;
#endif
    if
    :: i -> i = 0; wake()
    :: else
    fi
}

active [TASKS] proctype task()
{
    byte me = _pid, on = NOBODY, seen, last, i;
    bool got, quick;

    get_thread();
    if
    :: take()
#ifndef BREAK_NO_SWAP
    :: swap(); quick = got
#endif
    fi;
    if :: !got -> load(WORD, word); if :: seen == 0 -> take() :: else fi :: else fi;     /* a moment of spinning */
    if
    :: got
    :: !got && me < YIELD ->
        do
        :: got -> break
        :: else ->
#ifndef BREAK_KEEPS_THREAD
progress_others:
            let_others();
#endif
            take()
        od
    :: !got && me >= YIELD ->
        atomic { load(NAME, name); last = taken_on };
        if
#ifndef BREAK_NOT_TOLD
        :: seen == on + 1 -> assert(last == on); goto over        /* BATON_ERR_WOULD_DEADLOCK */
        :: else ->
#else
        :: true ->
#endif
            park()
        fi
    fi;

    assert(inside == NOBODY);
    inside = me;
    if :: true :: MOVES && !quick -> let_others() fi;       /* a scope: the task may be suspended, and go on elsewhere */
    assert(inside == me);
    inside = NOBODY;
    release();
over:
    busy[on] = 0
}

/* The memory system makes stores visible, oldest first. */
active [THREADS] proctype memory()
{
    byte mine = _pid - TASKS, j;
end:
    do
    :: d_step {
        stored[mine] > 0;
        if
        :: kinds[mine * 3] == WORD -> word = values[mine * 3]
        :: else -> name = values[mine * 3]
        fi;
        j = 1;
        do
        :: j < stored[mine] -> kinds[mine * 3 + j - 1] = kinds[mine * 3 + j]; values[mine * 3 + j - 1] = values[mine * 3 + j]; j++
        :: else -> break
        od;
        stored[mine]--;
        kinds[mine * 3 + stored[mine]] = 0;
        values[mine * 3 + stored[mine]] = 0;
        j = 0
    }
    od
}
