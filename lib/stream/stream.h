/* A stream: an in-order queue of the device, with what the library knows about its progress.
 *
 *   tickets   1 … completed … stamp of the mark … submitted
 *                    |             |                |
 *             known finished   event recorded   newest work of the library
 *
 * The ticket rule: a ticket is drawn after the call that submits the work has returned; a mark's stamp is the counter read before the record
 * call. So stamp >= ticket proves that the record lies behind the work. */
#ifndef BATON_STREAM_STREAM_H
#define BATON_STREAM_STREAM_H

#include <pthread.h>
#include <uthash.h>

#include "base/lock.h"
#include "stream/clock.h"
#include "stream/device.h"

enum stream_kind { STREAM_ORDINARY, STREAM_LEGACY, STREAM_PER_THREAD };

enum { STREAM_RING = 64, STREAM_LOCKED = 2 };

/* A recorded event. Re-recorded in place while only its stream refers to it; waiters and fences hold references, and then the stream takes a fresh one. */
struct capture;

struct mark {
    _Atomic uint32_t references;
    struct device *device;
    driver_event event;
    uint64_t stamp;                         /* tickets up to here lie before the record */
    struct clock clock;                     /* the stream's clock at the record */
};

/* Of the word `progress`: how many submissions are under way, and above that the newest ticket. */
enum { SUBMITTING_BITS = 20 };

struct baton_stream {
    struct handle handle;
    baton_runtime *runtime;                 /* retained */
    struct device *device;
    driver_stream native;
    uint64_t id;                            /* unique in the process, never reused */
    enum stream_kind kind;
    int wrapped;                            /* made elsewhere, never destroyed here */
    uint64_t thread;                        /* per-thread stream: the thread whose stream this is; 0: stands for all threads */
    uint64_t adopted;                       /* the driver's number for it + 1, where baton_stream_adopt may find it again; 0: it may not */
    _Atomic int lent;                       /* known by its number alone, it may end at any time: see lent.c. Becomes 0 once, with the lock held */
    baton_deleter deleter;                  /* of what keeps it; may be NULL. Written before lent becomes 0 */
    void *user;

    _Atomic uint64_t progress;              /* SUBMITTING_BITS: one change of it ends a submission and draws its ticket */
    _Atomic uint64_t completed;
    _Atomic uint64_t recorded;              /* the newest stamp: what is newer, no other stream can follow yet */
    _Atomic int exposed;                    /* may hold work without tickets (P6) */
    _Atomic int capturing;                  /* capture is set; written with the lock held and no submission under way */
    _Atomic int turning;                    /* a capture is about to begin or end: submissions hold back */
    _Atomic uint32_t scopes;                /* open scopes: of the submissions under way, those that last as long as their owner likes */
    _Atomic uint64_t task;
    _Atomic uint64_t ring[STREAM_RING];     /* ticket << 8 | operation kind, of the newest tickets */
    struct counters counters;               /* COUNT_OPERATIONS: less tickets, so that an operation counts by its ticket; device waits and records are counted
                                             * with the lock held */

    /* Guards recording, waiting on what was recorded, and the members below. Taken after memory locks, one at a time. */
    struct lock lock;
    struct mark *mark;                      /* NULL until the first record */
    struct capture *capture;                /* the library's capture that it takes part in; one reference; see capture.h */
    struct clock clock;
    baton_stream *threads;                  /* of a per-thread stream that stands for all: one per thread that used it, each retained */
    baton_stream *next_thread;              /* in that list */

    struct deferred node;
    UT_hash_handle hh;                      /* registry; guarded by its lock */
};

/* Checks a handle and that its device can be used. */
static inline int32_t stream_check(baton_stream *stream, baton_error *err)
{
    int32_t status = handle_check(stream ? &stream->handle : NULL, HANDLE_STREAM, "stream", err);
    return status ? status : device_usable(stream->device, err);
}

/* Its native handle is good only during calls that are given the stream. */
static inline int stream_lent(const baton_stream *stream)
{
    return atomic_load_explicit(&stream->lent, memory_order_acquire);
}

/* Checks *stream, which the caller of the library has named, and replaces the per-thread stream by the calling thread's own: a stream of its own, with its own tickets
 * (S10). It lives as long as the one that it replaces, or as somebody retains it. A lent stream is recorded. */
__attribute__((cold)) int32_t stream_of_thread(baton_stream **stream, baton_error *err);
__attribute__((cold)) int32_t lent_named(baton_stream *stream, baton_error *err);
static inline int32_t stream_resolve(baton_stream **stream, baton_error *err)
{
    int32_t status = stream_check(*stream, err);
    if (!status && stream_lent(*stream))
        return lent_named(*stream, err);
    if (status || (*stream)->kind != STREAM_PER_THREAD || (*stream)->thread)
        return status;
    return stream_of_thread(stream, err);
}

/* Only with a reference in hand. */
void stream_retain(baton_stream *stream);
/* May be called in any state: the native stream is destroyed at a later drain. NULL is allowed. */
void stream_release(baton_stream *stream);

/* A stream of the device's own, for work that no stream was named for. Not retained for the caller: the device keeps it. */
int32_t stream_service(struct device *device, baton_stream **stream, baton_error *err);

/* Draws a ticket: the driver call that submitted the work has returned. */
uint64_t stream_ticket(baton_stream *stream, int32_t operation);
/* An operation's, which is counted as such. */
uint64_t stream_operation_ticket(baton_stream *stream, int32_t operation);
/* The same, and the submission is no longer under way. */
__attribute__((hot)) uint64_t stream_submission_ticket(baton_stream *stream, int32_t operation);

/* The newest ticket. */
static inline uint64_t stream_submitted(const baton_stream *stream)
{
    return atomic_load_explicit(&stream->progress, memory_order_acquire) >> SUBMITTING_BITS;
}

/* Adds the stream's counts to `counters`. */
void stream_count(baton_stream *stream, struct counters *counters);

/* Raises what is known to be finished: this stream up to `ticket`, and every stream that `clock` (may be NULL) follows. */
void stream_complete(baton_stream *stream, uint64_t ticket, const struct clock *clock);

/* A ticket behind whatever foreign code has submitted by now (P4). While the stream is captured such work goes into the graph: then the newest ticket. Of a lent stream
 * it is the next one, which nobody has drawn: nothing proves it before the stream is named again, or everything on the device was waited for. */
uint64_t stream_foreign_ticket(baton_stream *stream);

/* Everything submitted so far: behind work without tickets too, where there may be some (P6); on a lent stream, up to its last record. */
uint64_t stream_newest(baton_stream *stream);

/* After a submission, with the memories still locked: records at once where nobody could do it later, on a per-thread stream, which is its thread's alone, and on a lent
 * one, which may be gone. */
__attribute__((cold)) void stream_settle_now(baton_stream *stream, uint64_t ticket);
static inline void stream_settle(baton_stream *stream, uint64_t ticket)
{
    if (stream->thread || stream_lent(stream))
        stream_settle_now(stream, ticket);
}

/* All that is on the stream, however it can be followed. */
static inline uint64_t stream_promised(baton_stream *stream)
{
    return stream_lent(stream) ? stream_foreign_ticket(stream) : stream_submitted(stream);
}

/* A ticket of a lent stream that no record covers: nothing on the device can follow it. */
static inline int stream_out_of_reach(const baton_stream *stream, uint64_t ticket)
{
    return stream_lent(stream) && atomic_load_explicit(&stream->recorded, memory_order_acquire) < ticket;
}

/* True when the use of ticket n is known to be finished. */
static inline int stream_done(const baton_stream *stream, uint64_t ticket)
{
    return ticket <= atomic_load_explicit(&stream->completed, memory_order_acquire);
}

/* True while the stream takes part in a capture of the library's. */
static inline int stream_tracked(const baton_stream *stream)
{
    return atomic_load_explicit(&stream->capturing, memory_order_acquire);
}

static inline int stream_special(const baton_stream *stream)
{
    return stream->kind != STREAM_ORDINARY;
}

void stream_lock_contended(baton_stream *stream);
static inline void stream_lock(baton_stream *stream)
{
    if (!lock_try(&stream->lock, STREAM_LOCKED))
        stream_lock_contended(stream);
}

static inline void stream_unlock(baton_stream *stream)
{
    lock_release(&stream->lock);
}

/* For what is about to be followed, or to follow: the members that this takes are asked for ahead of time. */
static inline void stream_prefetch(const baton_stream *stream)
{
    __builtin_prefetch(&stream->lock, 1);
    __builtin_prefetch(&stream->clock, 1);
}

/* Around submissions to the special streams, which belong to whatever context is current; free of cost for all others. */
static inline int32_t device_enter_for(baton_stream *stream, struct device_entry *entry, baton_error *err)
{
    return stream_special(stream) ? device_enter(stream->device, entry, err) : BATON_OK;
}

static inline void device_leave_for(baton_stream *stream, const struct device_entry *entry)
{
    if (stream_special(stream))
        device_leave(stream->device, entry);
}

static inline int stream_exposed(const baton_stream *stream)
{
    return atomic_load_explicit(&stream->exposed, memory_order_relaxed);
}

/* 1 when the stream is being captured by somebody else, 0 when not, negative status on error. Asks the driver only for exposed streams. */
int32_t stream_foreign_capture(baton_stream *stream, int *capturing, baton_error *err);

/* Makes the stream's mark cover `ticket`, recording at most once. The stream's lock is held. During a capture the pre-capture event stands for all
 * (C2), but for the capturing task itself: BATON_ERR_CAPTURE, with no driver call (C3). `task` is the waiting task's tag. BATON_ERR_THREAD when another thread's per-thread stream
 * would have to be recorded on, BATON_ERR_STREAM when a lent one would. */
__attribute__((hot)) int32_t stream_mark_locked(baton_stream *stream, uint64_t ticket, uint64_t task, baton_error *err);
/* Records, whatever the mark covers already. The stream is not captured by the library; a lent one has been named. */
int32_t stream_record_locked(baton_stream *stream, baton_error *err);
/* stream_mark_locked, returning one reference on the mark. */
int32_t stream_mark(baton_stream *stream, uint64_t ticket, uint64_t task, struct mark **mark, baton_error *err);
/* Only where driver calls are allowed. NULL is allowed. */
void mark_release(struct mark *mark);

/* The registry: gives the stream its id and makes it findable; 0 when the host is out of memory. */
int stream_register(baton_stream *stream);
void stream_unregister(baton_stream *stream);

/* The streams of one runtime (NULL: of all) on one device (NULL: all), each retained, so that they can be waited for with no lock held. */
struct stream_list {
    baton_stream **streams;
    size_t count, capacity;
    struct device *device;
};
int32_t stream_list_make(baton_runtime *runtime, struct device *device, struct stream_list *list, baton_error *err);
void stream_list_free(struct stream_list *list);

/* The handle that stands for a stream made elsewhere, of which the library may know already. */
int32_t stream_wrap(struct device *device, uint64_t native, uint64_t adopted, baton_stream **stream, baton_error *err);

/* Calls visit for every stream of the runtime (NULL: of all); visit must not lock anything but the stream. */
void stream_each(baton_runtime *runtime, void (*visit)(baton_stream *stream, void *user), void *user);

#endif
